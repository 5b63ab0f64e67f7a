// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "../common/plane.cuh"

struct PointComponent {
    Plane src;
    Plane dst;  // Without rows where the chain leaves the component where it is stored.
};
static_assert(sizeof(PointComponent) == 48 && alignof(PointComponent) == 8, "PointComponent differs from the host's");
LAYOUT(PointComponent, src, 0);
LAYOUT(PointComponent, dst, 24);

struct PointStep {
    const u16* table[3];  // Of each component, turned by `bits`, or as it is stored; null where it stays.
    int of[3][3];  // Weights in parts of `2^bits`.
    u32 kind;  // A `Kind`.
    u32 bits;
    int slope;  // Of vibrance, in 2^-28, and where it ends.
    int full;
    u32 unused;
};
static_assert(sizeof(PointStep) == 80 && alignof(PointStep) == 8, "PointStep differs from the host's");
LAYOUT(PointStep, table, 0);
LAYOUT(PointStep, of, 24);
LAYOUT(PointStep, kind, 60);
LAYOUT(PointStep, bits, 64);
LAYOUT(PointStep, slope, 68);
LAYOUT(PointStep, full, 72);
LAYOUT(PointStep, unused, 76);

struct Points {
    PointComponent component[3];
    PointStep step[13];  // Those of the first group, then those of chroma.
    u32 steps[2];
    u32 blocks[2];  // Blocks of each group.
    u32 across[2];  // Blocks side by side of each group.
    u32 blocks_by_tables[2];  // Blocks of each component of a group, where one table is looked up in shared memory; else 0.
};
static_assert(sizeof(Points) == 1216 && alignof(Points) == 8, "Points differs from the host's");
LAYOUT(Points, component, 0);
LAYOUT(Points, step, 144);
LAYOUT(Points, steps, 1184);
LAYOUT(Points, blocks, 1192);
LAYOUT(Points, across, 1200);
LAYOUT(Points, blocks_by_tables, 1208);
