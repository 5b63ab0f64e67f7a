// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "../common/plane.cuh"

struct Component {
    Plane src;
    Plane dst;
    int column;  // The source's column that the result's first column shows; its first row, where rows become columns.
    int column_step;  // 1 or -1.
    int row;  // Likewise.
    int row_step;
    u32 fill;  // What lies beside the source: four bytes of it as they are stored, or a value where `unit` is 0.
    u32 unit;  // Bytes of what moves as it is stored; 0: samples that go from one storage to another.
    u32 nearest;  // 1: rows beside the source show the nearest.
    u32 blocks;
    u32 across;  // Blocks in a row.
    u32 unused;
};
static_assert(sizeof(Component) == 88 && alignof(Component) == 8, "Component differs from the host's");
LAYOUT(Component, src, 0);
LAYOUT(Component, dst, 24);
LAYOUT(Component, column, 48);
LAYOUT(Component, column_step, 52);
LAYOUT(Component, row, 56);
LAYOUT(Component, row_step, 60);
LAYOUT(Component, fill, 64);
LAYOUT(Component, unit, 68);
LAYOUT(Component, nearest, 72);
LAYOUT(Component, blocks, 76);
LAYOUT(Component, across, 80);
LAYOUT(Component, unused, 84);

struct Remap {
    Component component[3];
};
static_assert(sizeof(Remap) == 264 && alignof(Remap) == 8, "Remap differs from the host's");
LAYOUT(Remap, component, 0);
