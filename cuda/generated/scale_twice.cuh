// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "../common/plane.cuh"

struct TwiceComponent {
    Plane src;
    Plane dst;
    const float4* across;  // For each result of a row its weights.
    const float4* down;  // For each step the weights of its rows in the results that they are part of.
    int left;  // Where the samples of the first result begin.
    int top;
    int steps;  // Steps that results begin with.
    u32 tiles;  // Tiles side by side.
    u32 blocks;
    u32 mask;  // Bits of stored samples that count, and those that are turned over.
    u32 flip;
    u32 flip_back;
    u32 up;  // From a rounded sample to a stored one.
    float scale;  // From a stored sample to its lane.
    float share;  // From a lane to a sample: a factor, what is added before it is rounded down, and the largest.
    float half;
    float most;
    u32 unused;
};
static_assert(sizeof(TwiceComponent) == 120 && alignof(TwiceComponent) == 8, "TwiceComponent differs from the host's");
LAYOUT(TwiceComponent, src, 0);
LAYOUT(TwiceComponent, dst, 24);
LAYOUT(TwiceComponent, across, 48);
LAYOUT(TwiceComponent, down, 56);
LAYOUT(TwiceComponent, left, 64);
LAYOUT(TwiceComponent, top, 68);
LAYOUT(TwiceComponent, steps, 72);
LAYOUT(TwiceComponent, tiles, 76);
LAYOUT(TwiceComponent, blocks, 80);
LAYOUT(TwiceComponent, mask, 84);
LAYOUT(TwiceComponent, flip, 88);
LAYOUT(TwiceComponent, flip_back, 92);
LAYOUT(TwiceComponent, up, 96);
LAYOUT(TwiceComponent, scale, 100);
LAYOUT(TwiceComponent, share, 104);
LAYOUT(TwiceComponent, half, 108);
LAYOUT(TwiceComponent, most, 112);
LAYOUT(TwiceComponent, unused, 116);

struct Twice {
    TwiceComponent component[3];
    int steps;  // Steps of a tile that results begin with.
    u32 unused;
};
static_assert(sizeof(Twice) == 368 && alignof(Twice) == 8, "Twice differs from the host's");
LAYOUT(Twice, component, 0);
LAYOUT(Twice, steps, 360);
LAYOUT(Twice, unused, 364);
