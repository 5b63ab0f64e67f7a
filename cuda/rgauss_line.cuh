// rgauss: a line that a few warps of a block blur, and how they wait for one another.
#pragma once

#include "rgauss.cuh"

// Of each line: sums of its warps, more that a kernel has for itself, and totals behind those that continue them.
extern __shared__ uint4 shared[];

// A line of the block, and this thread's part of it.
struct Line {
    u32* own;
    u32* totals;
    int number, warps, thread, length;

    __device__ __forceinline__ Line(const Rgauss& p, const Component& c, int length) : warps(c.warps), length(length) {
        number = threadIdx.x / WARP / warps;
        thread = threadIdx.x - number * warps * WARP;
        own = reinterpret_cast<u32*>(shared) + number * c.stride;
        totals = own + p.front;
    }

#ifndef VRAMP_WHOLE_BLOCK_BARRIERS
    // Waits for the line's other threads.
    __device__ __forceinline__ void wait() const {
        if (warps == 1) {
            __syncwarp();
        } else {
            asm volatile("bar.sync %0, %1;" ::"r"(1 + number), "r"(warps * WARP) : "memory");
        }
    }
    // For warps without a line.
    __device__ __forceinline__ void stand_by(const Rgauss&) const {}
#else
    // The same for tools that do not follow barriers of some warps: all lines wait for one another, and warps without a line wait as
    // often as a line does that is blurred.
    __device__ __forceinline__ void wait() const { __syncthreads(); }
    __device__ __forceinline__ void stand_by(const Rgauss& p) const {
        for (u32 i = 0; i < 2 * p.passes + 1; i++) wait();
    }
#endif
};
