// Two samples of at most 14 bits in a word, whose minima and maxima take one instruction.
#pragma once

#include "plane.cuh"

// Codes of two samples, which are in the order of the halves of floats that have their bits, up to 0x7bff: one instruction
// takes both minima, where integers of 16 bits would take seven. `SHORT` ones have at most 11 bits: they are whole multiples of
// the smallest half float, whose sums and differences are exact.
template <bool SHORT>
struct Pair {
    u32 codes;
};
#if __CUDA_ARCH__ >= 800
template <bool SHORT>
__device__ __forceinline__ Pair<SHORT> least(Pair<SHORT> a, Pair<SHORT> b) {
    asm("min.f16x2 %0, %0, %1;" : "+r"(a.codes) : "r"(b.codes));
    return a;
}
template <bool SHORT>
__device__ __forceinline__ Pair<SHORT> most(Pair<SHORT> a, Pair<SHORT> b) {
    asm("max.f16x2 %0, %0, %1;" : "+r"(a.codes) : "r"(b.codes));
    return a;
}

// By how much the first is more than the second, or nothing.
__device__ __forceinline__ Pair<true> excess(Pair<true> a, Pair<true> b) {
    asm("fma.rn.relu.f16x2 %0, %1, %2, %0;" : "+r"(a.codes) : "r"(b.codes), "r"(0xbc00bc00));
    return a;
}
__device__ __forceinline__ Pair<true> plus(Pair<true> a, Pair<true> b) {
    asm("add.f16x2 %0, %0, %1;" : "+r"(a.codes) : "r"(b.codes));
    return a;
}
__device__ __forceinline__ Pair<true> minus(Pair<true> a, Pair<true> b) {
    asm("sub.f16x2 %0, %0, %1;" : "+r"(a.codes) : "r"(b.codes));
    return a;
}
#endif

// Values that have these sums.
template <typename V>
constexpr bool ADDS = false;
template <>
constexpr bool ADDS<Pair<true>> = true;
