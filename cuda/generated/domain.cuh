// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "../common/plane.cuh"

struct Component {
    float* values;  // Samples row by row, filled up to whole tiles, and what steers them.
    u16* steers;
    u32 index;  // Its place in a picture, and that of what steers it: itself, or luma.
    u32 guide;
    u32 width;
    u32 height;
    u32 pitch;  // Samples from one row to the next, and from one frame to the next.
    u32 stride;
    u32 subsampling_w;  // Base-two logarithms of the columns and rows of the guide that a sample covers.
    u32 subsampling_h;
    u32 filters;  // 0: the plane is copied.
    u32 blocks;  // Blocks of the component, for a frame.
};
static_assert(sizeof(Component) == 56 && alignof(Component) == 8, "Component differs from the host's");
LAYOUT(Component, values, 0);
LAYOUT(Component, steers, 8);
LAYOUT(Component, index, 16);
LAYOUT(Component, guide, 20);
LAYOUT(Component, width, 24);
LAYOUT(Component, height, 28);
LAYOUT(Component, pitch, 32);
LAYOUT(Component, stride, 36);
LAYOUT(Component, subsampling_w, 40);
LAYOUT(Component, subsampling_h, 44);
LAYOUT(Component, filters, 48);
LAYOUT(Component, blocks, 52);

struct Frame {
    Plane src[3];
    Plane dst[3];
};
static_assert(sizeof(Frame) == 144 && alignof(Frame) == 8, "Frame differs from the host's");
LAYOUT(Frame, src, 0);
LAYOUT(Frame, dst, 72);

struct Domain {
    Component component[3];
    Frame frame[16];
    const float* table;  // What neighbours weigh, by their difference.
    u32 last;  // 1: the result is stored.
    u32 unused;
};
static_assert(sizeof(Domain) == 2488 && alignof(Domain) == 8, "Domain differs from the host's");
LAYOUT(Domain, component, 0);
LAYOUT(Domain, frame, 168);
LAYOUT(Domain, table, 2472);
LAYOUT(Domain, last, 2480);
LAYOUT(Domain, unused, 2484);
