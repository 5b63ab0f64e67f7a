// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "../common/plane.cuh"

struct Walk {
    const u32* fragments;  // Of the weights, words of 32 lanes.
    u32 steps;  // Patches that a warp is to finish.
    u32 unused;
};
static_assert(sizeof(Walk) == 16 && alignof(Walk) == 8, "Walk differs from the host's");
LAYOUT(Walk, fragments, 0);
LAYOUT(Walk, steps, 8);
LAYOUT(Walk, unused, 12);
