// What the kernels of gauss share: a component, and how sums of samples of eight bits are rounded.
#pragma once

#include "common/strip.cuh"
#include "generated/gauss.cuh"

// As src/filters/gauss/weights.rs has them.
constexpr u32 WEIGHT_BITS = 15, EXTRA_BITS = 1;

// Drops `bits` bits, rounding half up.
__device__ __forceinline__ u32 rounded(u32 sum, u32 bits) { return (sum + (1u << (bits - 1))) >> bits; }

// Writes the results of eight windows of samples T: rounded to v16, and from there to what is stored.
template <typename T>
__device__ __forceinline__ void write_row(const Component& c, int x, int y, const u32 (&sums)[CHUNK]) {
    u32 v[1][CHUNK];
    if (sizeof(T) == 1 && c.dst.sample == SAMPLE_U8 && c.dst.step == 1 && x + CHUNK <= int(c.dst.width) && vectors_fit(c.dst, 8)) {
        // Rounded twice, the result is the top byte: floor(floor(s/2^16 + 1/2)/2^8 + 1/2) = floor((s + 2^15 + 2^23)/2^24). Of
        // samples of sixteen bits that would be 256 at the most.
#pragma unroll
        for (int i = 0; i < CHUNK; i++) v[0][i] = sums[i] + 0x808000u;
        *reinterpret_cast<uint2*>(at<u8>(c.dst, x, y)) =
            make_uint2(gather(v[0][0], v[0][1], v[0][2], v[0][3], 0x73), gather(v[0][4], v[0][5], v[0][6], v[0][7], 0x73));
        return;
    }
#pragma unroll
    for (int i = 0; i < CHUNK; i++) v[0][i] = rounded(sums[i], WEIGHT_BITS + EXTRA_BITS);
    write(c, x, y, true, v);
}
