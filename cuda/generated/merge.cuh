// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "../common/plane.cuh"

struct MergeConsts {
    u32 weight;  // In 1/32768.
    u32 has_mask;
    int black;  // The mask's black, and how far its white is above it.
    int span;
    u32 inverse;  // 2^31 / span.
};
static_assert(sizeof(MergeConsts) == 20 && alignof(MergeConsts) == 4, "MergeConsts differs from the host's");
LAYOUT(MergeConsts, weight, 0);
LAYOUT(MergeConsts, has_mask, 4);
LAYOUT(MergeConsts, black, 8);
LAYOUT(MergeConsts, span, 12);
LAYOUT(MergeConsts, inverse, 16);
