// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "../common/plane.cuh"

struct Component {
    Plane src;
    Plane dst;  // Of the same storage; without rows where the picture is not copied here.
    Basic* basic;
    u32* histogram;
    u32* rows;
    u32* columns;
    u32 across;  // Blocks side by side.
    u32 blocks;
};
static_assert(sizeof(Component) == 88 && alignof(Component) == 8, "Component differs from the host's");
LAYOUT(Component, src, 0);
LAYOUT(Component, dst, 24);
LAYOUT(Component, basic, 48);
LAYOUT(Component, histogram, 56);
LAYOUT(Component, rows, 64);
LAYOUT(Component, columns, 72);
LAYOUT(Component, across, 80);
LAYOUT(Component, blocks, 84);

struct Stats {
    Component component[3];
};
static_assert(sizeof(Stats) == 264 && alignof(Stats) == 8, "Stats differs from the host's");
LAYOUT(Stats, component, 0);
