// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "../common/plane.cuh"
#include "merge.cuh"

struct BlendConsts {
    MergeConsts mix;  // How much there is of what the mode makes.
    u32 mode;  // The place of the mode's word among all.
    u32 is_chroma;
    int zero;  // Nominal black, or the middle of chroma.
    int limit;
    LightScale scale;  // Luma from black to white.
};
static_assert(sizeof(BlendConsts) == 48 && alignof(BlendConsts) == 4, "BlendConsts differs from the host's");
LAYOUT(BlendConsts, mix, 0);
LAYOUT(BlendConsts, mode, 20);
LAYOUT(BlendConsts, is_chroma, 24);
LAYOUT(BlendConsts, zero, 28);
LAYOUT(BlendConsts, limit, 32);
LAYOUT(BlendConsts, scale, 36);
