// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

struct Plane {
    u8* data;  // The first sample.
    u32 pitch;  // Bytes from one row to the next.
    u32 width;  // Samples in a row.
    u32 height;  // Rows.
    u8 sample;  // A `Sample`.
    u8 step;  // Samples from one to its right neighbour: 1 planar, 2 in an nv12 chroma plane, 3 in YC48.
    u8 shift;  // Left shift from the stored value to v16.
    u8 bit_depth;  // Significant bits, which a narrowing store rounds to.
};
static_assert(sizeof(Plane) == 24 && alignof(Plane) == 8, "Plane differs from the host's");
LAYOUT(Plane, data, 0);
LAYOUT(Plane, pitch, 8);
LAYOUT(Plane, width, 12);
LAYOUT(Plane, height, 16);
LAYOUT(Plane, sample, 20);
LAYOUT(Plane, step, 21);
LAYOUT(Plane, shift, 22);
LAYOUT(Plane, bit_depth, 23);
