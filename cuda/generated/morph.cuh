// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "../common/plane.cuh"

struct MorphComponent {
    Plane src;
    Plane dst;
    Plane other;  // The samples that limit results, or the smallest ones.
    u32 computes;  // 0: the plane is copied.
    u32 across;  // Blocks side by side.
    u32 blocks;  // Blocks of the component.
    u32 nought;  // What stands for a difference of nothing.
};
static_assert(sizeof(MorphComponent) == 88 && alignof(MorphComponent) == 8, "MorphComponent differs from the host's");
LAYOUT(MorphComponent, src, 0);
LAYOUT(MorphComponent, dst, 24);
LAYOUT(MorphComponent, other, 48);
LAYOUT(MorphComponent, computes, 72);
LAYOUT(MorphComponent, across, 76);
LAYOUT(MorphComponent, blocks, 80);
LAYOUT(MorphComponent, nought, 84);

struct Morph {
    MorphComponent component[3];
    int radius;
    u32 finish;  // What becomes of results.
    int limit;  // The most that a sample changes.
    u32 is_max;  // 1: the largest samples count, else the smallest.
    u32 lines;  // Words of lines that a block takes, and threads of each.
    u32 threads;
};
static_assert(sizeof(Morph) == 288 && alignof(Morph) == 8, "Morph differs from the host's");
LAYOUT(Morph, component, 0);
LAYOUT(Morph, radius, 264);
LAYOUT(Morph, finish, 268);
LAYOUT(Morph, limit, 272);
LAYOUT(Morph, is_max, 276);
LAYOUT(Morph, lines, 280);
LAYOUT(Morph, threads, 284);
