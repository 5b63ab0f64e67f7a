// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "../common/plane.cuh"

struct Pass {
    int offsets[3];  // Of one sample of each pair, in samples of a stage.
    u32 near;
    u32 bump;
    u32 limit;
};
static_assert(sizeof(Pass) == 24 && alignof(Pass) == 4, "Pass differs from the host's");
LAYOUT(Pass, offsets, 0);
LAYOUT(Pass, near, 12);
LAYOUT(Pass, bump, 16);
LAYOUT(Pass, limit, 20);

struct Component {
    Plane src;
    Plane dst;
    u16* source;
    u16* made[2];  // By passes, in turns.
    u8* evidence;
    int* cells;  // Means of what passes took off cells; in pairs also room for as many means of rows.
    int* levels;  // In pairs, of cells.
    Pass passes[4];
    int offsets[6];  // Of evidence.
    u32 reach[4];  // How far each stage is continued.
    u32 pitch;  // Samples from one row of a stage to the next.
    u32 low;  // Bounds of results.
    u32 high;
    u32 filters;  // 0: the plane is copied.
    u32 cells_across;  // Cells of a row, and of a column.
    u32 cells_down;
    u32 window;  // Cells from a window's middle to where its weight is nothing.
    u32 border_w;  // Samples of a row, and of a column, that each mean at its end holds.
    u32 border_h;
    u32 across;  // Blocks side by side.
    u32 tiles;  // Blocks of samples. Those of borders go before them, first the ones of rows.
    u32 row_blocks;
    u32 blocks;  // Of all.
    u32 half;  // Rows from one sample of a pair to the other.
};
static_assert(sizeof(Component) == 288 && alignof(Component) == 8, "Component differs from the host's");
LAYOUT(Component, src, 0);
LAYOUT(Component, dst, 24);
LAYOUT(Component, source, 48);
LAYOUT(Component, made, 56);
LAYOUT(Component, evidence, 72);
LAYOUT(Component, cells, 80);
LAYOUT(Component, levels, 88);
LAYOUT(Component, passes, 96);
LAYOUT(Component, offsets, 192);
LAYOUT(Component, reach, 216);
LAYOUT(Component, pitch, 232);
LAYOUT(Component, low, 236);
LAYOUT(Component, high, 240);
LAYOUT(Component, filters, 244);
LAYOUT(Component, cells_across, 248);
LAYOUT(Component, cells_down, 252);
LAYOUT(Component, window, 256);
LAYOUT(Component, border_w, 260);
LAYOUT(Component, border_h, 264);
LAYOUT(Component, across, 268);
LAYOUT(Component, tiles, 272);
LAYOUT(Component, row_blocks, 276);
LAYOUT(Component, blocks, 280);
LAYOUT(Component, half, 284);

struct Gradient {
    Component component[12];  // Of each frame, those that a picture has.
    u32* by_tally;  // Evidence of 8 bits by tallies of pairs, four in a word. No launch writes it.
    u32 near;  // Of evidence.
    u32 floor;
    u32 scale;
    u32 end;  // Of its sum.
    u32 gain;
    u32 exponents;  // What bytes become halves of floats with.
    u32 shares[7];  // What pairs weigh, by their count.
    u32 pass;  // The pass that is done, or whose result is continued before it.
    u32 rows;  // Of a block of pairs of the source and in the first two passes.
    u32 unused;
};
static_assert(sizeof(Gradient) == 3528 && alignof(Gradient) == 8, "Gradient differs from the host's");
LAYOUT(Gradient, component, 0);
LAYOUT(Gradient, by_tally, 3456);
LAYOUT(Gradient, near, 3464);
LAYOUT(Gradient, floor, 3468);
LAYOUT(Gradient, scale, 3472);
LAYOUT(Gradient, end, 3476);
LAYOUT(Gradient, gain, 3480);
LAYOUT(Gradient, exponents, 3484);
LAYOUT(Gradient, shares, 3488);
LAYOUT(Gradient, pass, 3516);
LAYOUT(Gradient, rows, 3520);
LAYOUT(Gradient, unused, 3524);
