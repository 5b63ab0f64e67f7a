// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "domain.cuh"

struct StripComponent {
    float* values;
    u8* first;  // Values at first, of 8 or 16 bits.
    u8* across;  // How samples differ from the one to their left, of 8 or 16 bits.
    u8* down;  // The same of the one above, by column: vectors of samples below one another.
    u32 index;  // Its place in a picture, and that of what steers it: itself, or luma.
    u32 guide;
    u32 width;
    u32 height;
    u32 strips;
    u32 rows;  // Rows of a strip: the height, filled up.
    u32 stride;  // Samples of a frame.
    u32 subsampling_w;  // Base-two logarithms of the columns and rows of the guide that a sample covers.
    u32 subsampling_h;
    u32 filters;  // 0: the plane is copied.
    u32 bytes;  // 1: of 8 bits.
    u32 slots;  // Tiles of a line that shared memory has.
    u32 blocks;  // Blocks of the component, for a frame.
    u32 unused;
};
static_assert(sizeof(StripComponent) == 88 && alignof(StripComponent) == 8, "StripComponent differs from the host's");
LAYOUT(StripComponent, values, 0);
LAYOUT(StripComponent, first, 8);
LAYOUT(StripComponent, across, 16);
LAYOUT(StripComponent, down, 24);
LAYOUT(StripComponent, index, 32);
LAYOUT(StripComponent, guide, 36);
LAYOUT(StripComponent, width, 40);
LAYOUT(StripComponent, height, 44);
LAYOUT(StripComponent, strips, 48);
LAYOUT(StripComponent, rows, 52);
LAYOUT(StripComponent, stride, 56);
LAYOUT(StripComponent, subsampling_w, 60);
LAYOUT(StripComponent, subsampling_h, 64);
LAYOUT(StripComponent, filters, 68);
LAYOUT(StripComponent, bytes, 72);
LAYOUT(StripComponent, slots, 76);
LAYOUT(StripComponent, blocks, 80);
LAYOUT(StripComponent, unused, 84);

struct DomainStrips {
    StripComponent component[3];
    Frame frame[16];
    const float* table;  // What neighbours weigh, by their difference.
    u32 is_first;  // 1: the first pass.
    u32 is_last;  // 1: the result is stored.
    u32 lines;  // Rows of a warp.
    u32 table_bytes;  // Bytes of shared memory that weights have, and each warp.
    u32 share;
    u32 unused;
};
static_assert(sizeof(DomainStrips) == 2600 && alignof(DomainStrips) == 8, "DomainStrips differs from the host's");
LAYOUT(DomainStrips, component, 0);
LAYOUT(DomainStrips, frame, 264);
LAYOUT(DomainStrips, table, 2568);
LAYOUT(DomainStrips, is_first, 2576);
LAYOUT(DomainStrips, is_last, 2580);
LAYOUT(DomainStrips, lines, 2584);
LAYOUT(DomainStrips, table_bytes, 2588);
LAYOUT(DomainStrips, share, 2592);
LAYOUT(DomainStrips, unused, 2596);
