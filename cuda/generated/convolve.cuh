// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "../common/plane.cuh"

struct ConvolveQuotient {
    int low;  // Sums below have the result 0, and those above 65535.
    int high;
    u32 offset;  // Added to a sum, modulo 2^32, so that the result is the integer part of what is then divided.
    int divisor;
    float inverse;  // One over the divisor.
};
static_assert(sizeof(ConvolveQuotient) == 20 && alignof(ConvolveQuotient) == 4, "ConvolveQuotient differs from the host's");
LAYOUT(ConvolveQuotient, low, 0);
LAYOUT(ConvolveQuotient, high, 4);
LAYOUT(ConvolveQuotient, offset, 8);
LAYOUT(ConvolveQuotient, divisor, 12);
LAYOUT(ConvolveQuotient, inverse, 16);

struct Convolve {
    const u32* weights;  // Weights of the window, or of a row of column sums: rows of `fours` times four, floats for samples of 8 bits.
    const u32* down;  // Weights of columns, and three zeros; null where all is done in one pass.
    int radius_w;
    int radius_h;
    int fours;
    ConvolveQuotient quotient;
};
static_assert(sizeof(Convolve) == 48 && alignof(Convolve) == 8, "Convolve differs from the host's");
LAYOUT(Convolve, weights, 0);
LAYOUT(Convolve, down, 8);
LAYOUT(Convolve, radius_w, 16);
LAYOUT(Convolve, radius_h, 20);
LAYOUT(Convolve, fours, 24);
LAYOUT(Convolve, quotient, 28);
