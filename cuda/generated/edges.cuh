// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "../common/plane.cuh"

struct EdgesConsts {
    u32 kind;  // Of the operators by number.
    u32 nought;  // What stands for no edge.
    float scale;  // What sums are multiplied with.
};
static_assert(sizeof(EdgesConsts) == 12 && alignof(EdgesConsts) == 4, "EdgesConsts differs from the host's");
LAYOUT(EdgesConsts, kind, 0);
LAYOUT(EdgesConsts, nought, 4);
LAYOUT(EdgesConsts, scale, 8);
