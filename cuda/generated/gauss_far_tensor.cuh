// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "gauss.cuh"

struct GaussFar {
    Component component[3];
    const uint2* fragments;  // Of the weights' matrix: of each sixteen columns and each byte of a weight, 32 threads'.
    uint2* sums;  // Bytes of column sums.
    u32 first[3];  // The first patch of sums of each component.
    u32 reach;  // The radius, rounded up to patches.
};
static_assert(sizeof(GaussFar) == 224 && alignof(GaussFar) == 8, "GaussFar differs from the host's");
LAYOUT(GaussFar, component, 0);
LAYOUT(GaussFar, fragments, 192);
LAYOUT(GaussFar, sums, 200);
LAYOUT(GaussFar, first, 208);
LAYOUT(GaussFar, reach, 220);
