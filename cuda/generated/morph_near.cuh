// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "../common/plane.cuh"

struct MorphConsts {
    int radius;
    u32 what;  // 0: the smallest, 1: the largest, 2: their difference.
    u32 limit;  // The most that a sample changes.
    u32 nought;  // What stands for a difference of nothing.
};
static_assert(sizeof(MorphConsts) == 16 && alignof(MorphConsts) == 4, "MorphConsts differs from the host's");
LAYOUT(MorphConsts, radius, 0);
LAYOUT(MorphConsts, what, 4);
LAYOUT(MorphConsts, limit, 8);
LAYOUT(MorphConsts, nought, 12);
