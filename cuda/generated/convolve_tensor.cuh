// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "convolve.cuh"

struct ConvolveTensor {
    const uint4* fragments;  // Of the weights' matrices: for each row of the window, each chunk of columns and each byte of a weight, 32 threads'.
    int radius_h;
    int before;  // Columns that a tile's samples begin before its results.
    u32 middle;  // What sums are more than those of samples less 32768.
    ConvolveQuotient quotient;
};
static_assert(sizeof(ConvolveTensor) == 40 && alignof(ConvolveTensor) == 8, "ConvolveTensor differs from the host's");
LAYOUT(ConvolveTensor, fragments, 0);
LAYOUT(ConvolveTensor, radius_h, 8);
LAYOUT(ConvolveTensor, before, 12);
LAYOUT(ConvolveTensor, middle, 16);
LAYOUT(ConvolveTensor, quotient, 20);
