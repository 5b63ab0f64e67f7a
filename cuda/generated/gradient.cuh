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
    int* cells;  // Means of what passes took off cells.
    Pass passes[4];
    int offsets[6];  // Of evidence.
    u32 reach[4];  // How far each stage is continued.
    u32 pitch;  // Samples from one row of a stage to the next.
    u32 low;  // Bounds of results.
    u32 high;
    u32 filters;  // 0: the plane is copied.
    u32 cells_across;  // Cells of a row.
    u32 window;  // Cells from a window's middle to where its weight is nothing.
    u32 border_w;  // Samples of a row, and of a column, that each mean at its end holds.
    u32 border_h;
    u32 across;  // Blocks side by side.
    u32 tiles;  // Blocks of samples. Those of borders go before them, first the ones of rows.
    u32 row_blocks;
    u32 blocks;  // Of all.
};
static_assert(sizeof(Component) == 272 && alignof(Component) == 8, "Component differs from the host's");
LAYOUT(Component, src, 0);
LAYOUT(Component, dst, 24);
LAYOUT(Component, source, 48);
LAYOUT(Component, made, 56);
LAYOUT(Component, evidence, 72);
LAYOUT(Component, cells, 80);
LAYOUT(Component, passes, 88);
LAYOUT(Component, offsets, 184);
LAYOUT(Component, reach, 208);
LAYOUT(Component, pitch, 224);
LAYOUT(Component, low, 228);
LAYOUT(Component, high, 232);
LAYOUT(Component, filters, 236);
LAYOUT(Component, cells_across, 240);
LAYOUT(Component, window, 244);
LAYOUT(Component, border_w, 248);
LAYOUT(Component, border_h, 252);
LAYOUT(Component, across, 256);
LAYOUT(Component, tiles, 260);
LAYOUT(Component, row_blocks, 264);
LAYOUT(Component, blocks, 268);

struct Gradient {
    Component component[3];
    u32 near;  // Of evidence.
    u32 floor;
    u32 scale;
    u32 end;  // Of its sum.
    u32 gain;
    u32 pass;  // The pass that is done, or whose result is continued before it.
};
static_assert(sizeof(Gradient) == 840 && alignof(Gradient) == 8, "Gradient differs from the host's");
LAYOUT(Gradient, component, 0);
LAYOUT(Gradient, near, 816);
LAYOUT(Gradient, floor, 820);
LAYOUT(Gradient, scale, 824);
LAYOUT(Gradient, end, 828);
LAYOUT(Gradient, gain, 832);
LAYOUT(Gradient, pass, 836);
