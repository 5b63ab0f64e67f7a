// Barriers of shared memory, which end in phases: those who arrive do not wait, and those who wait need not arrive. For 8.0 and
// later.
#pragma once

#include "plane.cuh"

__device__ __forceinline__ u32 shared_address(u64* barrier) { return u32(__cvta_generic_to_shared(barrier)); }

// A phase ends when `count` threads have arrived. Threads must meet before the first does.
__device__ __forceinline__ void phase_init(u64* barrier, u32 count) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(count) : "memory");
}

// What the thread wrote before is there for those who wait.
__device__ __forceinline__ void phase_arrive(u64* barrier) {
    asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(shared_address(barrier)) : "memory");
}

// Arrives once for the whole warp.
__device__ __forceinline__ void phase_arrive_by_warp(u64* barrier) {
    __syncwarp();
    if (threadIdx.x % 32 == 0) phase_arrive(barrier);
}

// Waits for the end of phase `phase`, counted from 0. The next but one must not end before.
__device__ __forceinline__ void phase_wait(u64* barrier, u32 phase) {
    u32 ended;
    do {
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(ended)
                     : "r"(shared_address(barrier)), "r"(phase & 1)
                     : "memory");
    } while (!ended);
}
