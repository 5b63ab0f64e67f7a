// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "../common/plane.cuh"

struct WindowComponent {
    Plane src;
    Plane dst;
    u32 computes;  // 0: the plane is copied.
    u32 across;  // Blocks side by side.
    u32 blocks;  // Blocks of the component.
    u32 unused;
};
static_assert(sizeof(WindowComponent) == 64 && alignof(WindowComponent) == 8, "WindowComponent differs from the host's");
LAYOUT(WindowComponent, src, 0);
LAYOUT(WindowComponent, dst, 24);
LAYOUT(WindowComponent, computes, 48);
LAYOUT(WindowComponent, across, 52);
LAYOUT(WindowComponent, blocks, 56);
LAYOUT(WindowComponent, unused, 60);

struct WindowArgs {
    WindowComponent component[3];
};
static_assert(sizeof(WindowArgs) == 192 && alignof(WindowArgs) == 8, "WindowArgs differs from the host's");
LAYOUT(WindowArgs, component, 0);
