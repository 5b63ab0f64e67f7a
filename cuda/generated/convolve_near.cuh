// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "convolve.cuh"

struct NearComponent {
    Plane src;
    Plane dst;
    u32 computes;  // 0: the plane is copied.
    u32 across;  // Strips side by side, rows of a block, and blocks in all.
    u32 rows;
    u32 blocks;
};
static_assert(sizeof(NearComponent) == 64 && alignof(NearComponent) == 8, "NearComponent differs from the host's");
LAYOUT(NearComponent, src, 0);
LAYOUT(NearComponent, dst, 24);
LAYOUT(NearComponent, computes, 48);
LAYOUT(NearComponent, across, 52);
LAYOUT(NearComponent, rows, 56);
LAYOUT(NearComponent, blocks, 60);

struct ConvolveNear {
    NearComponent component[3];
    u32 weights[5][2];  // Of each row of the window, four bytes and another one.
    u32 middle;  // What sums are more than those of samples less 32768.
    ConvolveQuotient quotient;
    u32 is_short;  // Results of eight bits are made by floats, of sums that begin with this and by these factors.
    int begin;
    float step;
    float half;
};
static_assert(sizeof(ConvolveNear) == 272 && alignof(ConvolveNear) == 8, "ConvolveNear differs from the host's");
LAYOUT(ConvolveNear, component, 0);
LAYOUT(ConvolveNear, weights, 192);
LAYOUT(ConvolveNear, middle, 232);
LAYOUT(ConvolveNear, quotient, 236);
LAYOUT(ConvolveNear, is_short, 256);
LAYOUT(ConvolveNear, begin, 260);
LAYOUT(ConvolveNear, step, 264);
LAYOUT(ConvolveNear, half, 268);
