// Weights of neighbours in a block's shared memory, by how samples differ.
#pragma once

#include "domain.cuh"

// The table, and behind it what warps have.
extern __shared__ __align__(128) u8 shared[];

// How neighbours differ, as it is stored: bytes of 8-bit samples, whose weights are there COPIES times so that threads meet other
// banks, or 16 bits that are the address of the weight in the table.
constexpr int COPIES = 8, BYTE_STEPS = 256;

template <typename E>
struct Weights;

template <>
struct Weights<u8> {
    static constexpr int GROUPS = 4;  // fours of samples that a vector has
    static constexpr int SHIFT = 5;
    static_assert(COPIES * 4 == 1 << SHIFT, "copies side by side");
    u32 own;
    __device__ __forceinline__ Weights(int line) : own(line % COPIES * 4) {}

    static __device__ __forceinline__ void fill(const float* from, int threads) {
        float4* const to = reinterpret_cast<float4*>(shared);
        for (int i = threadIdx.x; i < BYTE_STEPS; i += threads) {
            const float w = __ldg(from + i * (256 >> DROP));
#pragma unroll
            for (int k = 0; k < COPIES / 4; k++) to[i * (COPIES / 4) + k] = make_float4(w, w, w, w);
        }
    }
    // What is read ahead of the last tile may be anything.
    static __device__ __forceinline__ void clear(u8*) {}

    // The weight of byte i of a word.
    __device__ __forceinline__ float of(u32 word, int i) const {
        const u32 place = i == 0 ? word << SHIFT : word >> (8 * i - SHIFT);
        return *reinterpret_cast<const float*>(shared + ((place & (BYTE_STEPS - 1) << SHIFT) | own));
    }
    // Those of four samples, of which a vector has four; `beside` is the word behind them.
    template <bool BACK>
    __device__ __forceinline__ void look_up(const uint4& vector, int four, u32& beside, float* g) const {
        const u32 own = word(vector, four % 4);
#pragma unroll
        for (int k = 0; k < 4; k++) g[k] = !BACK ? of(own, k) : k < 3 ? of(own, k + 1) : of(beside, 0);
        beside = own;
    }
};

template <>
struct Weights<u16> {
    static constexpr int GROUPS = 2;
    __device__ __forceinline__ Weights(int) {}

    static __device__ __forceinline__ void fill(const float* from, int threads) {
        const float4* const four = reinterpret_cast<const float4*>(from);
        for (int i = threadIdx.x; i < STEPS / 4; i += threads) reinterpret_cast<float4*>(shared)[i] = __ldg(four + i);
    }
    // What is read ahead of the last tile must be addresses in the table.
    static __device__ __forceinline__ void clear(u8* vector) { *reinterpret_cast<uint4*>(vector) = make_uint4(0, 0, 0, 0); }

    __device__ __forceinline__ float of(u32 word, int i) const {
        return *reinterpret_cast<const float*>(shared + (i == 0 ? word & 0xffff : word >> 16));
    }
    template <bool BACK>
    __device__ __forceinline__ void look_up(const uint4& vector, int four, u32& beside, float* g) const {
        const u32 low = word(vector, four % 2 * 2), high = word(vector, four % 2 * 2 + 1);
        g[0] = BACK ? of(low, 1) : of(low, 0);
        g[1] = BACK ? of(high, 0) : of(low, 1);
        g[2] = BACK ? of(high, 1) : of(high, 0);
        g[3] = BACK ? of(beside, 0) : of(high, 1);
        beside = low;
    }
};

// Vectors of a tile's differences, along a line.
template <typename E>
constexpr int VECTORS = TILE * int(sizeof(E)) / 16;
