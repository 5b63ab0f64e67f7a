// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "../common/plane.cuh"

struct Component {
    Plane src;
    Plane dst;
    Plane guide;  // What steers it: itself, or luma.
    float* rows;  // Samples row by row, and column by column.
    float* columns;
    u16* guide_rows;
    u16* guide_columns;
    u32 width;  // Samples of a row, and of a column, of the stages.
    u32 height;
    u32 subsampling_w;  // Base-two logarithms of the columns and rows of the guide that a sample covers.
    u32 subsampling_h;
    u32 filters;  // 0: the plane is copied.
    u32 blocks;  // Blocks of the component.
};
static_assert(sizeof(Component) == 128 && alignof(Component) == 8, "Component differs from the host's");
LAYOUT(Component, src, 0);
LAYOUT(Component, dst, 24);
LAYOUT(Component, guide, 48);
LAYOUT(Component, rows, 72);
LAYOUT(Component, columns, 80);
LAYOUT(Component, guide_rows, 88);
LAYOUT(Component, guide_columns, 96);
LAYOUT(Component, width, 104);
LAYOUT(Component, height, 108);
LAYOUT(Component, subsampling_w, 112);
LAYOUT(Component, subsampling_h, 116);
LAYOUT(Component, filters, 120);
LAYOUT(Component, blocks, 124);

struct Domain {
    Component component[3];
    const float* table;  // What neighbours weigh, by their difference.
    u32 down;  // 0: along rows.
    u32 last;  // 1: the result is stored.
};
static_assert(sizeof(Domain) == 400 && alignof(Domain) == 8, "Domain differs from the host's");
LAYOUT(Domain, component, 0);
LAYOUT(Domain, table, 384);
LAYOUT(Domain, down, 392);
LAYOUT(Domain, last, 396);
