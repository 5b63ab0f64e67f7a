// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "../common/plane.cuh"

struct Component {
    Plane src;
    Plane dst;
    u32 blurs;  // 0: the plane is copied.
    u32 across;  // Strips side by side.
    u32 rows;  // Rows of a block, where blocks walk down.
    u32 blocks;  // Blocks of the component.
};
static_assert(sizeof(Component) == 64 && alignof(Component) == 8, "Component differs from the host's");
LAYOUT(Component, src, 0);
LAYOUT(Component, dst, 24);
LAYOUT(Component, blurs, 48);
LAYOUT(Component, across, 52);
LAYOUT(Component, rows, 56);
LAYOUT(Component, blocks, 60);

struct Gauss {
    Component component[3];
    const u32* weights;  // Of the middle, and of samples ever farther away; zeros up to 200.
    u32 radius;
    u32 halo;  // Chunks of a strip at each end that only help others.
    u32 high[4][7];  // For each row of a word and every word around it, the weights of that word's rows: their high and low bytes.
    u32 low[4][7];
};
static_assert(sizeof(Gauss) == 432 && alignof(Gauss) == 8, "Gauss differs from the host's");
LAYOUT(Gauss, component, 0);
LAYOUT(Gauss, weights, 192);
LAYOUT(Gauss, radius, 200);
LAYOUT(Gauss, halo, 204);
LAYOUT(Gauss, high, 208);
LAYOUT(Gauss, low, 320);
