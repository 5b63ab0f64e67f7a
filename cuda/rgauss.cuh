// What all kernels of rgauss share.
#pragma once

#include "common/four.cuh"
#include "generated/rgauss.cuh"

// As src/filters/rgauss/plan.rs has them.
constexpr u32 EXTRA_BITS = 4, EXTRA_HALF = 1u << (EXTRA_BITS - 1);

constexpr int WARP = 32;
constexpr u32 EVERYONE = 0xffffffffu;

// Adds the value of the thread `distance` before, where the warp has one.
__device__ __forceinline__ u32 add_before(u32 value, int distance) {
    // The shuffle says itself whether there is one.
    asm("{ .reg .u32 sum; .reg .pred there; shfl.sync.up.b32 sum|there, %0, %1, 0, 0xffffffff;"
        " @there add.u32 sum, sum, %0; mov.u32 %0, sum; }"
        : "+r"(value)
        : "r"(distance));
    return value;
}

// The sum of `value` over this thread and those before it.
__device__ __forceinline__ u32 sum_upto(u32 value) {
#pragma unroll
    for (int distance = 1; distance < WARP; distance *= 2) value = add_before(value, distance);
    return value;
}

// `ExtendedBox::mean` of src/filters/rgauss/plan.rs, where it is shown to be exact. What is left is counted twice over here, and
// from above: it is negative where the estimate is one too small.
__device__ __forceinline__ u32 mean(const Rgauss& p, u32 sum, u32 beyond) {
    const u32 whole = 2 * p.half;
    const u32 rest = beyond * p.ends + p.half;
    const u32 estimate = __umulhi(sum + (rest >> 8), p.inverse);
    const u32 lacks = estimate * whole + (sum * u32(-256) + (beyond * (0 - p.ends) + (p.half - 1)));
    return estimate + (lacks >> 31);
}
