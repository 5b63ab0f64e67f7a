// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "../common/plane.cuh"

struct ScaleDirection {
    const int* first;  // For each result the first sample that it is made from.
    const float* weights;  // Across: for each tap the weights of all results. Down: for each result those of all taps.
    const int2* beside;  // The two samples beside each result, where results are held between them.
    const int* origin;  // The first sample that each tile is made from.
    u32 count;  // Weights of a result.
    u32 stride;  // From one sample that is weighed to the next.
};
static_assert(sizeof(ScaleDirection) == 40 && alignof(ScaleDirection) == 8, "ScaleDirection differs from the host's");
LAYOUT(ScaleDirection, first, 0);
LAYOUT(ScaleDirection, weights, 8);
LAYOUT(ScaleDirection, beside, 16);
LAYOUT(ScaleDirection, origin, 24);
LAYOUT(ScaleDirection, count, 32);
LAYOUT(ScaleDirection, stride, 36);

struct ScaleComponent {
    Plane src;
    Plane dst;
    ScaleDirection across;
    ScaleDirection down;
    const float* from_lane;  // Tables to light and back, where samples are weighed as light.
    const float* to_lane;
    float* between;  // What lies between the directions of a strong reduction.
    float black;
    u32 lane;  // The lane of all samples, where it `fills`.
    u32 fills;
    u32 down_first;
    u32 source_columns;  // Columns and rows that a tile is made from, at most; columns are a multiple of four.
    u32 source_rows;
    u32 tiles;  // Tiles side by side.
    u32 blocks;
};
static_assert(sizeof(ScaleComponent) == 184 && alignof(ScaleComponent) == 8, "ScaleComponent differs from the host's");
LAYOUT(ScaleComponent, src, 0);
LAYOUT(ScaleComponent, dst, 24);
LAYOUT(ScaleComponent, across, 48);
LAYOUT(ScaleComponent, down, 88);
LAYOUT(ScaleComponent, from_lane, 128);
LAYOUT(ScaleComponent, to_lane, 136);
LAYOUT(ScaleComponent, between, 144);
LAYOUT(ScaleComponent, black, 152);
LAYOUT(ScaleComponent, lane, 156);
LAYOUT(ScaleComponent, fills, 160);
LAYOUT(ScaleComponent, down_first, 164);
LAYOUT(ScaleComponent, source_columns, 168);
LAYOUT(ScaleComponent, source_rows, 172);
LAYOUT(ScaleComponent, tiles, 176);
LAYOUT(ScaleComponent, blocks, 180);

struct Scale {
    ScaleComponent component[3];
    float antiring;
    u32 pitch;  // Floats of a row of the source's tile.
    u32 rows;  // Rows of a tile.
    u32 source_rows;  // Rows of the largest tile's source.
};
static_assert(sizeof(Scale) == 568 && alignof(Scale) == 8, "Scale differs from the host's");
LAYOUT(Scale, component, 0);
LAYOUT(Scale, antiring, 552);
LAYOUT(Scale, pitch, 556);
LAYOUT(Scale, rows, 560);
LAYOUT(Scale, source_rows, 564);
