// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "../common/plane.cuh"

struct TmedianConsts {
    u32 radius;
};
static_assert(sizeof(TmedianConsts) == 4 && alignof(TmedianConsts) == 4, "TmedianConsts differs from the host's");
LAYOUT(TmedianConsts, radius, 0);
