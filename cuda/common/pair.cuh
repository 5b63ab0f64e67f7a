// Two samples of at most 14 bits in a word, whose minima and maxima take one instruction.
#pragma once

#include "plane.cuh"

// Codes of two samples, which are in the order of the halves of floats that have their bits, up to 0x7bff: one instruction
// takes both minima, where integers of 16 bits would take seven.
struct Pair {
    u32 codes;
};
#if __CUDA_ARCH__ >= 800
__device__ __forceinline__ Pair least(Pair a, Pair b) {
    asm("min.f16x2 %0, %0, %1;" : "+r"(a.codes) : "r"(b.codes));
    return a;
}
__device__ __forceinline__ Pair most(Pair a, Pair b) {
    asm("max.f16x2 %0, %0, %1;" : "+r"(a.codes) : "r"(b.codes));
    return a;
}
#endif
