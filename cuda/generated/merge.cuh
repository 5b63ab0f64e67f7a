// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "../common/plane.cuh"

struct LightScale {
    int black;
    int span;  // How far white is above it.
    u32 inverse;  // 2^31 / span.
};
static_assert(sizeof(LightScale) == 12 && alignof(LightScale) == 4, "LightScale differs from the host's");
LAYOUT(LightScale, black, 0);
LAYOUT(LightScale, span, 4);
LAYOUT(LightScale, inverse, 8);

struct MergeConsts {
    u32 weight;  // In 1/32768.
    u32 has_mask;
    LightScale scale;  // The mask's.
};
static_assert(sizeof(MergeConsts) == 20 && alignof(MergeConsts) == 4, "MergeConsts differs from the host's");
LAYOUT(MergeConsts, weight, 0);
LAYOUT(MergeConsts, has_mask, 4);
LAYOUT(MergeConsts, scale, 8);
