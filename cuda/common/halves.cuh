// Two halves of floats in a word: one instruction does both.
#pragma once

#include "plane.cuh"

struct Halves {
    u32 bits;
};
#if __CUDA_ARCH__ >= 800
__device__ __forceinline__ Halves operator+(Halves a, Halves b) {
    asm("add.rn.f16x2 %0, %0, %1;" : "+r"(a.bits) : "r"(b.bits));
    return a;
}
__device__ __forceinline__ Halves operator-(Halves a, Halves b) {
    asm("sub.rn.f16x2 %0, %0, %1;" : "+r"(a.bits) : "r"(b.bits));
    return a;
}
__device__ __forceinline__ Halves operator*(Halves a, Halves b) {
    asm("mul.rn.f16x2 %0, %0, %1;" : "+r"(a.bits) : "r"(b.bits));
    return a;
}
__device__ __forceinline__ Halves abs(Halves a) {
    asm("abs.f16x2 %0, %0;" : "+r"(a.bits));
    return a;
}
__device__ __forceinline__ Halves least(Halves a, Halves b) {
    asm("min.f16x2 %0, %0, %1;" : "+r"(a.bits) : "r"(b.bits));
    return a;
}
__device__ __forceinline__ Halves most(Halves a, Halves b) {
    asm("max.f16x2 %0, %0, %1;" : "+r"(a.bits) : "r"(b.bits));
    return a;
}
// a · b + c, rounded once.
__device__ __forceinline__ Halves fma(Halves a, Halves b, Halves c) {
    asm("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(a.bits) : "r"(b.bits), "r"(c.bits));
    return a;
}
// The same, kept within 0 and 1.
__device__ __forceinline__ Halves fma_within_1(Halves a, Halves b, Halves c) {
    asm("fma.rn.sat.f16x2 %0, %0, %1, %2;" : "+r"(a.bits) : "r"(b.bits), "r"(c.bits));
    return a;
}
// Both are `value`.
__device__ __forceinline__ Halves both(float value) {
    u32 bits;
    asm("{ .reg .f16 h; cvt.rn.f16.f32 h, %1; mov.b32 %0, {h, h}; }" : "=r"(bits) : "f"(value));
    return {bits};
}
// One half as a number.
__device__ __forceinline__ float number(u16 half) {
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(half));
    return value;
}
#endif
