// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "../common/plane.cuh"

struct AffineComponent {
    Plane src;
    Plane dst;
    long long column[3];  // Where samples lie in the source, as `SourceMap` has it.
    long long row[3];
    u32 fill;  // The lane of what is shown where the picture is not.
    u32 replicates;  // 1: the nearest sample is shown there.
    u32 computes;  // 0: the plane is copied.
    u32 across;
    u32 blocks;
    u32 unused;
};
static_assert(sizeof(AffineComponent) == 120 && alignof(AffineComponent) == 8, "AffineComponent differs from the host's");
LAYOUT(AffineComponent, src, 0);
LAYOUT(AffineComponent, dst, 24);
LAYOUT(AffineComponent, column, 48);
LAYOUT(AffineComponent, row, 72);
LAYOUT(AffineComponent, fill, 96);
LAYOUT(AffineComponent, replicates, 100);
LAYOUT(AffineComponent, computes, 104);
LAYOUT(AffineComponent, across, 108);
LAYOUT(AffineComponent, blocks, 112);
LAYOUT(AffineComponent, unused, 116);

struct AffineArgs {
    AffineComponent component[3];
    const uint2* weights;  // Of each phase four weights of 16 bits.
};
static_assert(sizeof(AffineArgs) == 368 && alignof(AffineArgs) == 8, "AffineArgs differs from the host's");
LAYOUT(AffineArgs, component, 0);
LAYOUT(AffineArgs, weights, 360);
