// What all kernels of domain share.
#pragma once

#include "common/four.cuh"
#include "generated/domain.cuh"

// As src/filters/domain/plan.rs has them.
constexpr int DROP = 4, STEPS = 1 << (16 - DROP);

// As src/filters/domain/tuning.rs has them.
constexpr int TILE = 32, OPEN_THREADS = 256;

// The mean of the guide's samples that sample (x, y) covers, rounded half up.
template <typename Component>
__device__ __forceinline__ u32 steer_at(const Component& c, const Plane& guide, int x, int y) {
    const int w = c.subsampling_w, h = c.subsampling_h;
    u32 sum = 0;
    for (int v = 0; v < 1 << h; v++)
        for (int u = 0; u < 1 << w; u++)
            sum += lane(guide, inside((x << w) + u, guide.width), inside((y << h) + v, guide.height));
    return (sum + ((1u << (w + h)) >> 1)) >> (w + h);
}

// A step to the neighbour `value` of what was made last.
__device__ __forceinline__ float step(float near, float value, float weight) {
    return __fmaf_rn(weight, __fsub_rn(near, value), value);
}
