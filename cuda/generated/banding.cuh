// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "../common/plane.cuh"

struct Step {
    u32 weight;
    u32 lowest;
    u32 highest;
};
static_assert(sizeof(Step) == 12 && alignof(Step) == 4, "Step differs from the host's");
LAYOUT(Step, weight, 0);
LAYOUT(Step, lowest, 4);
LAYOUT(Step, highest, 8);

struct Scale {
    u16* map;
    u16* contrasts;  // Null where the map of contrasts is not wanted.
    u32* counts;
    u32 width;
    u32 height;
    u32 across;  // Blocks side by side that look for contrasts, and all of them.
    u32 blocks;
};
static_assert(sizeof(Scale) == 40 && alignof(Scale) == 8, "Scale differs from the host's");
LAYOUT(Scale, map, 0);
LAYOUT(Scale, contrasts, 8);
LAYOUT(Scale, counts, 16);
LAYOUT(Scale, width, 24);
LAYOUT(Scale, height, 28);
LAYOUT(Scale, across, 32);
LAYOUT(Scale, blocks, 36);

struct Banding {
    Plane src;
    Plane dst[3];  // What becomes the map.
    u16* codes;
    u16* marked;
    Scale scale[5];
    Step steps[32];
    u32 step_count;
    u32 depth;
    u32 smooths;
    u32 flat;
    u32 radius;
    u32 ceiling;
    u32 gain;
    u32 black;
    u32 white;
    u32 wide;  // Columns of a block that looks for contrasts.
    u32 making;  // The scale that is made.
    u32 unused;
};
static_assert(sizeof(Banding) == 744 && alignof(Banding) == 8, "Banding differs from the host's");
LAYOUT(Banding, src, 0);
LAYOUT(Banding, dst, 24);
LAYOUT(Banding, codes, 96);
LAYOUT(Banding, marked, 104);
LAYOUT(Banding, scale, 112);
LAYOUT(Banding, steps, 312);
LAYOUT(Banding, step_count, 696);
LAYOUT(Banding, depth, 700);
LAYOUT(Banding, smooths, 704);
LAYOUT(Banding, flat, 708);
LAYOUT(Banding, radius, 712);
LAYOUT(Banding, ceiling, 716);
LAYOUT(Banding, gain, 720);
LAYOUT(Banding, black, 724);
LAYOUT(Banding, white, 728);
LAYOUT(Banding, wide, 732);
LAYOUT(Banding, making, 736);
LAYOUT(Banding, unused, 740);
