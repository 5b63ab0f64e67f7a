// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "bilateral.cuh"

struct StripComponent {
    Plane src;
    Plane dst;
    u32 padded;  // Columns of a band: those of the plane, and the radius on both sides.
    u32 blocks;  // Strips of the component.
};
static_assert(sizeof(StripComponent) == 56 && alignof(StripComponent) == 8, "StripComponent differs from the host's");
LAYOUT(StripComponent, src, 0);
LAYOUT(StripComponent, dst, 24);
LAYOUT(StripComponent, padded, 48);
LAYOUT(StripComponent, blocks, 52);

struct BilateralPairs {
    StripComponent component[3];
    Weights weights;
    u32 first;  // Columns of a window that are weighed first, an odd number, and turns of a lane's samples thereafter.
    u32 turns;
    u32 pitch;  // Words of a row of samples in shared memory.
    u32 rows;  // Rows of a band, and those that the upper group of a block has: each group has as many as the radius.
    u32 upper;
    u32 unused;
};
static_assert(sizeof(BilateralPairs) == 480 && alignof(BilateralPairs) == 8, "BilateralPairs differs from the host's");
LAYOUT(BilateralPairs, component, 0);
LAYOUT(BilateralPairs, weights, 168);
LAYOUT(BilateralPairs, first, 456);
LAYOUT(BilateralPairs, turns, 460);
LAYOUT(BilateralPairs, pitch, 464);
LAYOUT(BilateralPairs, rows, 468);
LAYOUT(BilateralPairs, upper, 472);
LAYOUT(BilateralPairs, unused, 476);
