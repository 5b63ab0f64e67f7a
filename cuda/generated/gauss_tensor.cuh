// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "gauss.cuh"
#include "tensor.cuh"

struct GaussTensor {
    Component component[3];
    Walk walk;
    u32 radius;
    u32 unused;
};
static_assert(sizeof(GaussTensor) == 216 && alignof(GaussTensor) == 8, "GaussTensor differs from the host's");
LAYOUT(GaussTensor, component, 0);
LAYOUT(GaussTensor, walk, 192);
LAYOUT(GaussTensor, radius, 208);
LAYOUT(GaussTensor, unused, 212);
