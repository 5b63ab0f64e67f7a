// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "../common/plane.cuh"

struct Component {
    Plane src;
    Plane dst;
    const u8* noise;  // The frame's noise bytes of this component.
    int range;  // How far references may lie.
    int threshold;  // A sample that differs less becomes the average.
    int dither;  // Noise reaches from -dither to dither.
    int low;  // Smallest and largest result.
    int high;
    int near_bias;  // For `filter_chunk`, which folds operations: a difference d is below the threshold when d + near_bias,
    u32 near_limit;  // unsigned, is below near_limit.
    int round;  // Rounds the average, and takes the noise's lower end off it.
};
static_assert(sizeof(Component) == 88 && alignof(Component) == 8, "Component differs from the host's");
LAYOUT(Component, src, 0);
LAYOUT(Component, dst, 24);
LAYOUT(Component, noise, 48);
LAYOUT(Component, range, 56);
LAYOUT(Component, threshold, 60);
LAYOUT(Component, dither, 64);
LAYOUT(Component, low, 68);
LAYOUT(Component, high, 72);
LAYOUT(Component, near_bias, 76);
LAYOUT(Component, near_limit, 80);
LAYOUT(Component, round, 84);

struct Group {
    u32 across;  // Tiles in a row.
    u32 across_inverse;  // 2^32 / across, rounded up.
    u32 columns;  // Columns of a tile or strip: 32 or 64, or up to 256.
    u32 rows;  // Rows of a tile.
    u32 halo;  // Columns copied on each side of it, whole pieces of 16 bytes.
    u32 pieces;  // Pieces in a row of a tile and its halo.
    u32 pieces_inverse;  // 2^16 / pieces, rounded up.
    u32 component_bytes;  // Bytes of a tile with its surroundings; 0 for strips.
    u32 chunks_shift;  // 2 to this power are the chunks in a row of a strip.
    u32 ring_bytes;  // Bytes of one component's rows, after which a strip's ring starts over.
};
static_assert(sizeof(Group) == 40 && alignof(Group) == 4, "Group differs from the host's");
LAYOUT(Group, across, 0);
LAYOUT(Group, across_inverse, 4);
LAYOUT(Group, columns, 8);
LAYOUT(Group, rows, 12);
LAYOUT(Group, halo, 16);
LAYOUT(Group, pieces, 20);
LAYOUT(Group, pieces_inverse, 24);
LAYOUT(Group, component_bytes, 28);
LAYOUT(Group, chunks_shift, 32);
LAYOUT(Group, ring_bytes, 36);

struct Deband {
    Component component[3];
    Group group[2];  // Luma or grey or all of YC48; chroma.
    const u8* offsets;  // The frame's bytes for offsets: a, b of column 0, a, b of column 1, ...
    u32 offsets_pitch;  // Bytes from one row of them to the next.
    u32 noise_pitch;  // The same for noise.
    u32 first_blocks;  // Blocks of the first group; those that follow belong to the second.
    u32 by_field;  // Keep vertical offsets within a field.
    u32 sample;  // 0, 1, 2: one reference, a pair, two pairs; 3, 4: the same pairs, blurred first.
    u32 unused;
};
static_assert(sizeof(Deband) == 376 && alignof(Deband) == 8, "Deband differs from the host's");
LAYOUT(Deband, component, 0);
LAYOUT(Deband, group, 264);
LAYOUT(Deband, offsets, 344);
LAYOUT(Deband, offsets_pitch, 352);
LAYOUT(Deband, noise_pitch, 356);
LAYOUT(Deband, first_blocks, 360);
LAYOUT(Deband, by_field, 364);
LAYOUT(Deband, sample, 368);
LAYOUT(Deband, unused, 372);

struct DebandDirect {
    Deband base;
    const u16* shares;  // For `sample` 6 and 7, the shares of each component: by the difference to the average, to the farthest reference and to the  middle of a pair; then the same for raised thresholds.
    const u16* arcs;  // For `sample` 7, arcs by slope.
    int farthest[3];  // For `sample` 5, the other thresholds of each component: of any reference, and of the middle of each pair.
    int middle[3];
    u32 shares_count;  // Entries of a table of shares.
    u32 max_angle;  // By how many 65536ths of half a turn steady angles differ at most.
    u32 sample;  // The number of the definition.
    u32 blur_first;
    u32 extend;  // References outside are the nearest samples inside.
    u32 unused;
};
static_assert(sizeof(DebandDirect) == 440 && alignof(DebandDirect) == 8, "DebandDirect differs from the host's");
LAYOUT(DebandDirect, base, 0);
LAYOUT(DebandDirect, shares, 376);
LAYOUT(DebandDirect, arcs, 384);
LAYOUT(DebandDirect, farthest, 392);
LAYOUT(DebandDirect, middle, 404);
LAYOUT(DebandDirect, shares_count, 416);
LAYOUT(DebandDirect, max_angle, 420);
LAYOUT(DebandDirect, sample, 424);
LAYOUT(DebandDirect, blur_first, 428);
LAYOUT(DebandDirect, extend, 432);
LAYOUT(DebandDirect, unused, 436);
