// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "../common/plane.cuh"

struct SurfaceBlur {
    int radius;
    int rows;  // Rows of samples that shared memory holds at a time.
    float scale;  // What samples are multiplied by, a power of two: the limit is then one or less.
    float unscale;  // The opposite.
    float limit;  // The weight of a sample that does not differ, scaled.
    u32 unused;
};
static_assert(sizeof(SurfaceBlur) == 24 && alignof(SurfaceBlur) == 4, "SurfaceBlur differs from the host's");
LAYOUT(SurfaceBlur, radius, 0);
LAYOUT(SurfaceBlur, rows, 4);
LAYOUT(SurfaceBlur, scale, 8);
LAYOUT(SurfaceBlur, unscale, 12);
LAYOUT(SurfaceBlur, limit, 16);
LAYOUT(SurfaceBlur, unused, 20);
