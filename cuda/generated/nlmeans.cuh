// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "../common/plane.cuh"

struct NlmeansComponent {
    Plane src[9];  // In order of time.
    Plane dst;
    u32 computes;  // 0: the plane is copied.
    u32 across;
    u32 blocks;
    u32 unused;
};
static_assert(sizeof(NlmeansComponent) == 256 && alignof(NlmeansComponent) == 8, "NlmeansComponent differs from the host's");
LAYOUT(NlmeansComponent, src, 0);
LAYOUT(NlmeansComponent, dst, 216);
LAYOUT(NlmeansComponent, computes, 240);
LAYOUT(NlmeansComponent, across, 244);
LAYOUT(NlmeansComponent, blocks, 248);
LAYOUT(NlmeansComponent, unused, 252);

struct NlmeansArgs {
    NlmeansComponent component[3];
    const float* table;
    u32 factor;  // From a sum to its place in the table.
    u32 shift;
    int frames;  // Frames before and after; samples that are searched to each side, and that surroundings reach.
    int search;
    int patch;
    float wref;
};
static_assert(sizeof(NlmeansArgs) == 800 && alignof(NlmeansArgs) == 8, "NlmeansArgs differs from the host's");
LAYOUT(NlmeansArgs, component, 0);
LAYOUT(NlmeansArgs, table, 768);
LAYOUT(NlmeansArgs, factor, 776);
LAYOUT(NlmeansArgs, shift, 780);
LAYOUT(NlmeansArgs, frames, 784);
LAYOUT(NlmeansArgs, search, 788);
LAYOUT(NlmeansArgs, patch, 792);
LAYOUT(NlmeansArgs, wref, 796);
