// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "../common/plane.cuh"

struct GuidedComponent {
    Plane src;
    Plane dst;
    u32* lines;  // Slopes and offsets, in the halves of words, as many as there are samples.
    u32 computes;  // 0: the plane is copied.
    u32 across;  // Blocks side by side.
    u32 rows;  // Rows of a block.
    u32 blocks;  // Blocks of the component.
};
static_assert(sizeof(GuidedComponent) == 72 && alignof(GuidedComponent) == 8, "GuidedComponent differs from the host's");
LAYOUT(GuidedComponent, src, 0);
LAYOUT(GuidedComponent, dst, 24);
LAYOUT(GuidedComponent, lines, 48);
LAYOUT(GuidedComponent, computes, 56);
LAYOUT(GuidedComponent, across, 60);
LAYOUT(GuidedComponent, rows, 64);
LAYOUT(GuidedComponent, blocks, 68);

struct Guided {
    GuidedComponent component[3];
    u64 edge;  // The variance that is smoothed by half, times the samples of a window.
    u32 radius;
    u32 count;  // Samples of a window, and what divides by them.
    u32 bias;
    u32 inverse;
    u32 shift;
    u32 unused;
};
static_assert(sizeof(Guided) == 248 && alignof(Guided) == 8, "Guided differs from the host's");
LAYOUT(Guided, component, 0);
LAYOUT(Guided, edge, 216);
LAYOUT(Guided, radius, 224);
LAYOUT(Guided, count, 228);
LAYOUT(Guided, bias, 232);
LAYOUT(Guided, inverse, 236);
LAYOUT(Guided, shift, 240);
LAYOUT(Guided, unused, 244);
