// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "../common/plane.cuh"

struct MaskConsts {
    u32 is_chroma;  // Chroma: its middle, whatever it was.
    u32 of_edges;
};
static_assert(sizeof(MaskConsts) == 8 && alignof(MaskConsts) == 4, "MaskConsts differs from the host's");
LAYOUT(MaskConsts, is_chroma, 0);
LAYOUT(MaskConsts, of_edges, 4);
