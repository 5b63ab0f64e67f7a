// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "../common/plane.cuh"

struct Component {
    Plane src;
    Plane dst;
    u32* columns;  // Blurred columns, row by row.
    u32 pitch;  // Samples from one row of them to the next.
    u32 blurs;  // 0: the plane is copied.
    u32 blocks;  // Blocks of the component.
    u32 each;  // Samples of a thread, and warps of a line.
    u32 warps;
    u32 lines;  // The base-two logarithm of the lines of a block.
    u32 stride;  // Words that a line works in.
    u32 unused;
};
static_assert(sizeof(Component) == 88 && alignof(Component) == 8, "Component differs from the host's");
LAYOUT(Component, src, 0);
LAYOUT(Component, dst, 24);
LAYOUT(Component, columns, 48);
LAYOUT(Component, pitch, 56);
LAYOUT(Component, blurs, 60);
LAYOUT(Component, blocks, 64);
LAYOUT(Component, each, 68);
LAYOUT(Component, warps, 72);
LAYOUT(Component, lines, 76);
LAYOUT(Component, stride, 80);
LAYOUT(Component, unused, 84);

struct Rgauss {
    Component component[3];
    u32* scratch;  // Where blocks work, where lines are in global memory; else null.
    u32 radius;  // `ExtendedBox` of src/filters/rgauss/plan.rs.
    u32 ends;
    u32 half;
    u32 inverse;
    u32 passes;
    u32 front;  // Words of a line before its first total.
    double inverse_double;  // `ExtendedBox::inverse_double`.
};
static_assert(sizeof(Rgauss) == 304 && alignof(Rgauss) == 8, "Rgauss differs from the host's");
LAYOUT(Rgauss, component, 0);
LAYOUT(Rgauss, scratch, 264);
LAYOUT(Rgauss, radius, 272);
LAYOUT(Rgauss, ends, 276);
LAYOUT(Rgauss, half, 280);
LAYOUT(Rgauss, inverse, 284);
LAYOUT(Rgauss, passes, 288);
LAYOUT(Rgauss, front, 292);
LAYOUT(Rgauss, inverse_double, 296);
