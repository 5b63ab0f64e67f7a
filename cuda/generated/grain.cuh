// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "../common/plane.cuh"

struct GrainCurve {
    int black;
    int span;  // How far white is above it.
    u32 inverse;  // 2^28 / span.
    int dark;  // How much less it is at black, and at white, than between.
    int bright;
};
static_assert(sizeof(GrainCurve) == 20 && alignof(GrainCurve) == 4, "GrainCurve differs from the host's");
LAYOUT(GrainCurve, black, 0);
LAYOUT(GrainCurve, span, 4);
LAYOUT(GrainCurve, inverse, 8);
LAYOUT(GrainCurve, dark, 12);
LAYOUT(GrainCurve, bright, 16);

struct GrainComponent {
    Plane src;
    Plane dst;
    const i16* grain;  // The template; none where the plane is copied.
    int amount;  // The standard deviation of grain of full strength.
    int low;  // Smallest and largest result.
    int high;
    u32 follows_luma;  // Whether luma says how strong grain is, and not the component itself.
    u32 across;  // Blocks side by side, and in all.
    u32 blocks;
};
static_assert(sizeof(GrainComponent) == 80 && alignof(GrainComponent) == 8, "GrainComponent differs from the host's");
LAYOUT(GrainComponent, src, 0);
LAYOUT(GrainComponent, dst, 24);
LAYOUT(GrainComponent, grain, 48);
LAYOUT(GrainComponent, amount, 56);
LAYOUT(GrainComponent, low, 60);
LAYOUT(GrainComponent, high, 64);
LAYOUT(GrainComponent, follows_luma, 68);
LAYOUT(GrainComponent, across, 72);
LAYOUT(GrainComponent, blocks, 76);

struct Grain {
    GrainComponent component[3];
    Plane luma;
    u64 key;  // What chooses the places of the frame's grain.
    GrainCurve curve;
    u32 subsampling_w;  // Base-two logarithms of the luma columns and rows that a chroma sample covers.
    u32 subsampling_h;
    u32 unused;
};
static_assert(sizeof(Grain) == 304 && alignof(Grain) == 8, "Grain differs from the host's");
LAYOUT(Grain, component, 0);
LAYOUT(Grain, luma, 240);
LAYOUT(Grain, key, 264);
LAYOUT(Grain, curve, 272);
LAYOUT(Grain, subsampling_w, 292);
LAYOUT(Grain, subsampling_h, 296);
LAYOUT(Grain, unused, 300);
