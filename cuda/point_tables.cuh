// Point filters that are a function of each sample, where samples have few values. A block puts into shared memory what is stored
// for each value, and looks its samples up there.
#pragma once

#include "common/chunk.cuh"
#include "generated/point.cuh"

constexpr int WIDE = 32, DOWN = 8;  // threads of a block: as src/filters/tiers/point/tuning.rs
constexpr int VALUES = 4096;         // of a sample, at most

// What is stored for two samples.
template <typename Out>
__device__ __forceinline__ u32 two(const Out* table, u32 a, u32 b) {
    return __byte_perm(table[a], table[b], sizeof(Out) == 1 ? 0x0040 : 0x5410);
}

// Sixteen bytes of samples, and what is stored for them.
template <typename In, typename Out>
struct Samples {
    static constexpr int COUNT = 16 / sizeof(In), BYTES = COUNT * sizeof(Out);
    static constexpr int ROWS = sizeof(In) == 1 ? 1 : 4;  // of a thread: as src/filters/tiers/point/tuning.rs

    static __device__ __forceinline__ u32 value(const uint4& v, int i, u32 mask) {
        return sizeof(In) == 1 ? word(v, i / 4) >> i % 4 * 8 & 0xff : word(v, i / 2) >> i % 2 * 16 & mask;
    }

    static __device__ __forceinline__ void write(const Out* table, const uint4& v, u32 mask, u8* to) {
        u32 words[BYTES / 4];
#pragma unroll
        for (int i = 0; i < BYTES / 4; i++) {
            const int first = i * (4 / sizeof(Out));
            words[i] = two(table, value(v, first, mask), value(v, first + 1, mask));
            if (sizeof(Out) > 1) continue;
            words[i] = even_u16(words[i], two(table, value(v, first + 2, mask), value(v, first + 3, mask)));
        }
        if (BYTES == 8) *reinterpret_cast<uint2*>(to) = make_uint2(words[0], words[1]);
#pragma unroll
        for (int i = 0; i + 3 < BYTES / 4; i += 4) {
            *reinterpret_cast<uint4*>(to + 4 * i) = make_uint4(words[i], words[i + 1], words[i + 2], words[i + 3]);
        }
    }
};

// A block of samples by `stored`, which has what is stored for each value.
template <typename In, typename Out>
__device__ __forceinline__ void look_up(const PointComponent& c, const uint4* stored, u32 block, u32 across, Out* table) {
    typedef Samples<In, Out> Samples;
    constexpr int COUNT = Samples::COUNT, ROWS = Samples::ROWS;
    const int width = c.src.width, height = c.src.height;
    const int x = (block % across * WIDE + threadIdx.x % WIDE) * COUNT;
    const int top = block / across * (DOWN * ROWS) + threadIdx.x / WIDE;
    const bool whole = x + COUNT <= width && vectors_fit(c.src, 16) && vectors_fit(c.dst, min(Samples::BYTES, 16));
    uint4 v[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        v[r] = make_uint4(0, 0, 0, 0);
        if (whole && top + r * DOWN < height) {
            v[r] = __ldg(reinterpret_cast<const uint4*>(at<In>(c.src, x, top + r * DOWN)));
        }
    }
    const u32 values = 0x10000u >> c.src.shift;
#pragma unroll 1
    for (u32 i = threadIdx.x; i < values * sizeof(Out) / 16; i += WIDE * DOWN) {
        reinterpret_cast<uint4*>(table)[i] = __ldg(stored + i);
    }
    __syncthreads();
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const int y = top + r * DOWN;
        if (y >= height) return;
        if (whole) {
            Samples::write(table, v[r], values - 1, reinterpret_cast<u8*>(at<Out>(c.dst, x, y)));
            continue;
        }
#pragma unroll 4
        for (int i = x; i < min(x + COUNT, width); i++) *at<Out>(c.dst, i, y) = table[__ldg(at<In>(c.src, i, y)) & (values - 1)];
    }
}

// The same of samples as they are stored.
__device__ __forceinline__ void look_up(const PointComponent& c, const uint4* stored, u32 block, u32 across) {
    __shared__ __align__(16) u16 table[VALUES];
    if (c.dst.height == 0) return;
    u8* const bytes = reinterpret_cast<u8*>(table);
    if (c.src.sample == SAMPLE_U8) {
        if (c.dst.sample == SAMPLE_U8) look_up<u8, u8>(c, stored, block, across, bytes);
        else look_up<u8, u16>(c, stored, block, across, table);
    } else {
        if (c.dst.sample == SAMPLE_U8) look_up<u16, u8>(c, stored, block, across, bytes);
        else look_up<u16, u16>(c, stored, block, across, table);
    }
}
