// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "../common/plane.cuh"

struct Component {
    Plane src;
    Basic* basic;
    u32* histogram;
    u32* rows;
    u32* columns;
    u32 across;  // Blocks side by side.
    u32 blocks;
};
static_assert(sizeof(Component) == 64 && alignof(Component) == 8, "Component differs from the host's");
LAYOUT(Component, src, 0);
LAYOUT(Component, basic, 24);
LAYOUT(Component, histogram, 32);
LAYOUT(Component, rows, 40);
LAYOUT(Component, columns, 48);
LAYOUT(Component, across, 56);
LAYOUT(Component, blocks, 60);

struct Stats {
    Component component[3];
};
static_assert(sizeof(Stats) == 192 && alignof(Stats) == 8, "Stats differs from the host's");
LAYOUT(Stats, component, 0);
