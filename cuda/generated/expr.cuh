// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "../common/plane.cuh"

struct ExprComponent {
    Plane source[3];
    Plane dst;
    const uint2* program;  // Two words each: the number of the value with its register and two operands, a byte each; what else belongs to it.
    u32 steps;  // Of the program; 0: the plane is copied.
    float unit;  // Values of 16 bits in a code.
    u32 across;
    u32 blocks;
};
static_assert(sizeof(ExprComponent) == 120 && alignof(ExprComponent) == 8, "ExprComponent differs from the host's");
LAYOUT(ExprComponent, source, 0);
LAYOUT(ExprComponent, dst, 72);
LAYOUT(ExprComponent, program, 96);
LAYOUT(ExprComponent, steps, 104);
LAYOUT(ExprComponent, unit, 108);
LAYOUT(ExprComponent, across, 112);
LAYOUT(ExprComponent, blocks, 116);

struct ExprArgs {
    ExprComponent component[3];
    float frame;
    u32 unused;
};
static_assert(sizeof(ExprArgs) == 368 && alignof(ExprArgs) == 8, "ExprArgs differs from the host's");
LAYOUT(ExprArgs, component, 0);
LAYOUT(ExprArgs, frame, 360);
LAYOUT(ExprArgs, unused, 364);
