// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "../common/plane.cuh"

struct Component {
    Plane src;
    Plane dst;
    u16* row_sums;  // Of the columns of every window, row by row, stored values: of box_sums.cu.
    u32* totals;  // Of every column, the sum of all rows down to the end of each band, or of sixteen row sums; null where windows are low.
    u32 columns;  // In a row of either, a multiple of eight.
    u32 blurs;  // 0: the plane is copied.
    u32 across;  // Strips side by side.
    u32 rows;  // Rows of a block, where blocks walk down.
    u32 blocks;  // Blocks of the component.
    u32 eight;  // 1: from eight bits to eight bits in aligned rows, with `EightBitMean`.
};
static_assert(sizeof(Component) == 88 && alignof(Component) == 8, "Component differs from the host's");
LAYOUT(Component, src, 0);
LAYOUT(Component, dst, 24);
LAYOUT(Component, row_sums, 48);
LAYOUT(Component, totals, 56);
LAYOUT(Component, columns, 64);
LAYOUT(Component, blurs, 68);
LAYOUT(Component, across, 72);
LAYOUT(Component, rows, 76);
LAYOUT(Component, blocks, 80);
LAYOUT(Component, eight, 84);

struct Box {
    Component component[3];
    u32 radius_w;
    u32 radius_h;
    u32 halo;  // Chunks of a strip at each end that only help others.
    u32 count;  // `Mean` of src/filters/boxblur/mean.rs.
    u32 bias;
    u32 inverse;
    u32 shift;
    u32 bias8;  // `EightBitMean` there.
    u32 inverse8;
    u32 byte;
};
static_assert(sizeof(Box) == 304 && alignof(Box) == 8, "Box differs from the host's");
LAYOUT(Box, component, 0);
LAYOUT(Box, radius_w, 264);
LAYOUT(Box, radius_h, 268);
LAYOUT(Box, halo, 272);
LAYOUT(Box, count, 276);
LAYOUT(Box, bias, 280);
LAYOUT(Box, inverse, 284);
LAYOUT(Box, shift, 288);
LAYOUT(Box, bias8, 292);
LAYOUT(Box, inverse8, 296);
LAYOUT(Box, byte, 300);
