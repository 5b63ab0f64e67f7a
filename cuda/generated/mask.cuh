// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "../common/plane.cuh"

struct MaskConsts {
    u32 is_chroma;  // Chroma gets its middle. Its table has nothing else, so that kernels on a device need not ask.
    u32 of_edges;
};
static_assert(sizeof(MaskConsts) == 8 && alignof(MaskConsts) == 4, "MaskConsts differs from the host's");
LAYOUT(MaskConsts, is_chroma, 0);
LAYOUT(MaskConsts, of_edges, 4);
