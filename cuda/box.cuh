// What the kernels of box share: their parameters, and from sums to means.
#pragma once

#include "common/strip.cuh"
#include "generated/box.cuh"

constexpr int TOTAL_ROWS = 16;  // rows of a total of row sums

// The mean of a window of values that are stored `up` bits below v16. `Sum` is u32 for up to 65535 samples.
__device__ __forceinline__ u32 mean(const Box& p, u32 sum, u32 up) {
    return __umulhi((sum << up) + p.bias, p.inverse) >> p.shift;
}
__device__ __forceinline__ u32 mean(const Box& p, u64 sum, u32 up) {
    sum = (sum << up) + p.bias;
    const u32 q = __umulhi(u32(sum >> 5), p.inverse) >> p.shift;
    return q + (u32(sum) - q * p.count >= p.count);
}

// Writes the means of eight windows, from eight bits to eight bits of an aligned row, of sums that have `bias8` already.
__device__ __forceinline__ void write_eight(const Box& p, u8* to, const u32 (&biased)[CHUNK]) {
    u32 q[CHUNK];
#pragma unroll
    for (int i = 0; i < CHUNK; i++) q[i] = __umulhi(biased[i], p.inverse8);
    *reinterpret_cast<uint2*>(to) =
        make_uint2(gather(q[0], q[1], q[2], q[3], p.byte), gather(q[4], q[5], q[6], q[7], p.byte));
}

// Writes the means of eight windows, from any samples to any.
template <typename Sum>
__device__ __forceinline__ void write_any(const Box& p, const Component& c, int x, int y, u32 up, const Sum (&sums)[CHUNK]) {
    const bool round = c.dst.sample != SAMPLE_I16;
    u32 v[1][CHUNK];
#pragma unroll
    for (int i = 0; i < CHUNK; i++) v[0][i] = mean(p, sums[i], up) ^ (round ? 0 : 0x8000u);
    write(c, x, y, round, v);
}

// Whether means are words that a thread writes as they are, eight at once, to columns from x on.
__device__ __forceinline__ bool writes_words(const Plane& dst, int x) {
    return dst.sample == SAMPLE_U16 && dst.bit_depth == 16 && dst.step == 1 && x + CHUNK <= int(dst.width) && vectors_fit(dst, 16);
}

// Writes the means of eight windows as such words.
template <typename Sum>
__device__ __forceinline__ void write_words(const Box& p, u8* to, u32 up, const Sum (&sums)[CHUNK]) {
    u32 q[CHUNK];
#pragma unroll
    for (int i = 0; i < CHUNK; i++) q[i] = mean(p, sums[i], up);
    *reinterpret_cast<uint4*>(to) =
        make_uint4(even_u16(q[0], q[1]), even_u16(q[2], q[3]), even_u16(q[4], q[5]), even_u16(q[6], q[7]));
}

// Writes the means of eight windows of samples T.
template <typename T, typename Sum>
__device__ __forceinline__ void write_means(const Box& p, const Component& c, int x, int y, u32 up, const Sum (&sums)[CHUNK]) {
    if (sizeof(T) == 1 && sizeof(Sum) == 4 && c.eight && x + CHUNK <= int(c.dst.width)) {
        u32 biased[CHUNK];
#pragma unroll
        for (int i = 0; i < CHUNK; i++) biased[i] = u32(sums[i]) + p.bias8;
        write_eight(p, at<u8>(c.dst, x, y), biased);
    } else {
        write_any(p, c, x, y, up, sums);
    }
}
