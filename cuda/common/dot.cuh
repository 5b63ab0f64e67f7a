// Dot products of bytes. `__dp4a` would do, but NVRTC leaves it to a header that it does not have.
#pragma once

#include "plane.cuh"

// acc + the bytes of `a` times the bytes of `b`.
__device__ __forceinline__ int dot(u32 a, u32 b, int acc) {
    asm("dp4a.u32.u32 %0, %1, %2, %0;" : "+r"(acc) : "r"(a), "r"(b));
    return acc;
}

// The same with signed bytes in `b`.
__device__ __forceinline__ int dot_signed(u32 a, u32 b, int acc) {
    asm("dp4a.u32.s32 %0, %1, %2, %0;" : "+r"(acc) : "r"(a), "r"(b));
    return acc;
}

// acc + the halves of `a` times the first two bytes of `b`, which are signed.
__device__ __forceinline__ int dot_halves(u32 a, u32 b, int acc) {
    asm("dp2a.lo.u32.s32 %0, %1, %2, %0;" : "+r"(acc) : "r"(a), "r"(b));
    return acc;
}
