// The middle one of several values, by minima and maxima alone, as src/simd/order.rs has it.
#pragma once

#include "plane.cuh"

__device__ __forceinline__ void order(u32& a, u32& b) {
    const u32 low = min(a, b);
    b = max(a, b);
    a = low;
}

// Brings the smallest of N values to the beginning and the largest to the end.
template <int N>
__device__ __forceinline__ void put_ends_outside(u32* v) {
#pragma unroll
    for (int i = 0; i < N / 2; i++) order(v[i], v[N - 1 - i]);
#pragma unroll
    for (int i = 1; i < (N + 1) / 2; i++) order(v[0], v[i]);
#pragma unroll
    for (int i = N / 2; i < N - 1; i++) order(v[i], v[N - 1]);
}

// The middle one of N values at hand and those that `at` gives from `next` on.
template <int N, typename At>
__device__ __forceinline__ u32 middle_of_rest(u32* v, int next, const At& at) {
    put_ends_outside<N>(v);
    if constexpr (N == 3) {
        return v[1];
    } else {
        v[0] = at(next);
        return middle_of_rest<N - 1>(v, next + 1, at);
    }
}

// The middle one of the 2 * ROOM - 3 values that `at` gives.
template <int ROOM, typename At>
__device__ __forceinline__ u32 middle_of(const At& at) {
    u32 v[ROOM];
#pragma unroll
    for (int i = 0; i < ROOM; i++) v[i] = at(i);
    return middle_of_rest<ROOM>(v, ROOM, at);
}
