// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "../common/plane.cuh"

struct TsoftenConsts {
    u32 radius;
    int threshold;
    int scene;
};
static_assert(sizeof(TsoftenConsts) == 12 && alignof(TsoftenConsts) == 4, "TsoftenConsts differs from the host's");
LAYOUT(TsoftenConsts, radius, 0);
LAYOUT(TsoftenConsts, threshold, 4);
LAYOUT(TsoftenConsts, scene, 8);
