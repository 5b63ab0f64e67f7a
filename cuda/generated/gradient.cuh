// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "../common/plane.cuh"

struct TallyTable {
    u32 words[112];
};
static_assert(sizeof(TallyTable) == 448 && alignof(TallyTable) == 4, "TallyTable differs from the host's");
LAYOUT(TallyTable, words, 0);

struct Offset {
    int columns;
    int rows;
};
static_assert(sizeof(Offset) == 8 && alignof(Offset) == 4, "Offset differs from the host's");
LAYOUT(Offset, columns, 0);
LAYOUT(Offset, rows, 4);

struct Pass {
    Offset pairs[3];
    u32 near;
    u32 bump;
    u32 limit;
};
static_assert(sizeof(Pass) == 36 && alignof(Pass) == 4, "Pass differs from the host's");
LAYOUT(Pass, pairs, 0);
LAYOUT(Pass, near, 24);
LAYOUT(Pass, bump, 28);
LAYOUT(Pass, limit, 32);

struct Reach {
    u32 columns;
    u32 rows;
};
static_assert(sizeof(Reach) == 8 && alignof(Reach) == 4, "Reach differs from the host's");
LAYOUT(Reach, columns, 0);
LAYOUT(Reach, rows, 4);

struct Component {
    Plane src;
    Plane dst;
    u16* source;
    u16* made[2];  // By passes, in turns.
    u8* evidence;
    int* cells;  // Means of what passes took off cells; in pairs two sums for each, and room for means of rows.
    int* levels;  // In pairs, of cells.
    Pass passes[4];
    Reach reach[4];  // How far each pass looks.
    u32 pitch;  // Samples from one row of a stage to the next, in pairs words; and bytes from one row of evidence to the next.
    u32 evidence_pitch;
    u32 low;  // Bounds of results.
    u32 high;
    u32 filters;  // 0: the plane is copied.
    u32 cells_across;  // Cells of a row, and of a column.
    u32 cells_down;
    u32 window;  // Cells from a window's middle to where its weight is nothing.
    u32 across;  // Blocks side by side, and of all.
    u32 blocks;
    u32 word_rows;  // In pairs, rows of words: the upper half of the picture, in whole cells.
    u32 unused;
};
static_assert(sizeof(Component) == 320 && alignof(Component) == 8, "Component differs from the host's");
LAYOUT(Component, src, 0);
LAYOUT(Component, dst, 24);
LAYOUT(Component, source, 48);
LAYOUT(Component, made, 56);
LAYOUT(Component, evidence, 72);
LAYOUT(Component, cells, 80);
LAYOUT(Component, levels, 88);
LAYOUT(Component, passes, 96);
LAYOUT(Component, reach, 240);
LAYOUT(Component, pitch, 272);
LAYOUT(Component, evidence_pitch, 276);
LAYOUT(Component, low, 280);
LAYOUT(Component, high, 284);
LAYOUT(Component, filters, 288);
LAYOUT(Component, cells_across, 292);
LAYOUT(Component, cells_down, 296);
LAYOUT(Component, window, 300);
LAYOUT(Component, across, 304);
LAYOUT(Component, blocks, 308);
LAYOUT(Component, word_rows, 312);
LAYOUT(Component, unused, 316);

struct Gradient {
    Component component[12];  // Of each frame, those that a picture has.
    TallyTable* by_tally;  // No launch writes it.
    Offset pairs[6];  // Of evidence.
    u32 near;
    u32 floor;
    u32 scale;
    u32 end;  // Of its sum.
    u32 gain;
    u32 exponents;  // What bytes become halves of floats with.
    u32 shares[7];  // What pairs weigh, by their count.
    u32 pass;  // The pass that is done, or before which cells are taken.
    u32 rows;  // Of a block of pairs of the source and in the first two passes.
    u32 unused;
};
static_assert(sizeof(Gradient) == 3960 && alignof(Gradient) == 8, "Gradient differs from the host's");
LAYOUT(Gradient, component, 0);
LAYOUT(Gradient, by_tally, 3840);
LAYOUT(Gradient, pairs, 3848);
LAYOUT(Gradient, near, 3896);
LAYOUT(Gradient, floor, 3900);
LAYOUT(Gradient, scale, 3904);
LAYOUT(Gradient, end, 3908);
LAYOUT(Gradient, gain, 3912);
LAYOUT(Gradient, exponents, 3916);
LAYOUT(Gradient, shares, 3920);
LAYOUT(Gradient, pass, 3948);
LAYOUT(Gradient, rows, 3952);
LAYOUT(Gradient, unused, 3956);
