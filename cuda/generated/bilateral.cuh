// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "../common/plane.cuh"

struct Weights {
    u32 radius_w;
    u32 radius_h;
    float scale;  // Of compared samples: the square of their difference is subtracted from the level.
    float octaves;  // Of a level of one.
    float unscale;  // Of a mean of differences.
    float curve[5];  // Two to a power, over two to the power of `octaves`.
    float across[31];  // The level of samples by the columns between.
    float down[31];  // The weight of rows by their distance.
};
static_assert(sizeof(Weights) == 288 && alignof(Weights) == 4, "Weights differs from the host's");
LAYOUT(Weights, radius_w, 0);
LAYOUT(Weights, radius_h, 4);
LAYOUT(Weights, scale, 8);
LAYOUT(Weights, octaves, 12);
LAYOUT(Weights, unscale, 16);
LAYOUT(Weights, curve, 20);
LAYOUT(Weights, across, 40);
LAYOUT(Weights, down, 164);

struct Component {
    Plane src;
    Plane dst;
    u32 filters;  // 0: the plane is copied.
    u32 across;  // Blocks side by side.
    u32 blocks;  // Blocks of the component.
    u32 unused;
};
static_assert(sizeof(Component) == 64 && alignof(Component) == 8, "Component differs from the host's");
LAYOUT(Component, src, 0);
LAYOUT(Component, dst, 24);
LAYOUT(Component, filters, 48);
LAYOUT(Component, across, 52);
LAYOUT(Component, blocks, 56);
LAYOUT(Component, unused, 60);

struct Bilateral {
    Component component[3];
    Weights weights;
    Plane luma;  // The guide.
    u32 subsampling_w;  // Base-two logarithms.
    u32 subsampling_h;
};
static_assert(sizeof(Bilateral) == 512 && alignof(Bilateral) == 8, "Bilateral differs from the host's");
LAYOUT(Bilateral, component, 0);
LAYOUT(Bilateral, weights, 192);
LAYOUT(Bilateral, luma, 480);
LAYOUT(Bilateral, subsampling_w, 504);
LAYOUT(Bilateral, subsampling_h, 508);
