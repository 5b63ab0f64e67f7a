// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "../common/plane.cuh"

struct LocalSource {
    Plane plane;
    int left;  // Where its first sample lies.
    int top;
    u32 shrink_w;  // Base-two logarithms of its columns and rows that are one.
    u32 shrink_h;
};
static_assert(sizeof(LocalSource) == 40 && alignof(LocalSource) == 8, "LocalSource differs from the host's");
LAYOUT(LocalSource, plane, 0);
LAYOUT(LocalSource, left, 24);
LAYOUT(LocalSource, top, 28);
LAYOUT(LocalSource, shrink_w, 32);
LAYOUT(LocalSource, shrink_h, 36);

struct LocalComponent {
    Plane src;  // The component of the frame at hand.
    Plane dst;
    const u16* table;  // What the function looks up.
    u32 computes;  // 0: the plane is copied.
    u32 across;  // Blocks side by side, rows of a block, and blocks in all.
    u32 rows;
    u32 blocks;
    int left;  // The part where all sources have samples.
    int right;
    int top;
    int bottom;
    LocalSource source[8];
};
static_assert(sizeof(LocalComponent) == 408 && alignof(LocalComponent) == 8, "LocalComponent differs from the host's");
LAYOUT(LocalComponent, src, 0);
LAYOUT(LocalComponent, dst, 24);
LAYOUT(LocalComponent, table, 48);
LAYOUT(LocalComponent, computes, 56);
LAYOUT(LocalComponent, across, 60);
LAYOUT(LocalComponent, rows, 64);
LAYOUT(LocalComponent, blocks, 68);
LAYOUT(LocalComponent, left, 72);
LAYOUT(LocalComponent, right, 76);
LAYOUT(LocalComponent, top, 80);
LAYOUT(LocalComponent, bottom, 84);
LAYOUT(LocalComponent, source, 88);

struct LocalArgs {
    LocalComponent component[3];
};
static_assert(sizeof(LocalArgs) == 1224 && alignof(LocalArgs) == 8, "LocalArgs differs from the host's");
LAYOUT(LocalArgs, component, 0);

struct LocalNoConsts {
    u32 unused;
};
static_assert(sizeof(LocalNoConsts) == 4 && alignof(LocalNoConsts) == 4, "LocalNoConsts differs from the host's");
LAYOUT(LocalNoConsts, unused, 0);
