// Point filters whose luma is looked up, and whose chroma ends in a function that rises slowly: src/filters/tiers/point/stored.rs makes
// its table, in which a function of 16 bits takes 4 KB. Chroma lies in whole vectors.

#include "point_steps.cuh"

constexpr int TREAD_BITS = 5, STAIRS = 65536 >> TREAD_BITS;  // values that have an entry together: as stored.rs

// What is stored for two values, in a word.
__device__ __forceinline__ u32 climb(const u16* stairs, u32 a, u32 b) {
    const u32 sums = even_u16(stairs[a >> TREAD_BITS] + a, stairs[b >> TREAD_BITS] + b);
    return sums >> TREAD_BITS & (0xffff >> TREAD_BITS) * 0x10001u;
}

// Stores what a chunk becomes, at `to`.
__device__ __forceinline__ void store_chunk(const u16* stairs, const u32 (&v)[CHUNK], const Plane& dst, u8* to) {
    u32 words[CHUNK / 2];
#pragma unroll
    for (int i = 0; i < CHUNK / 2; i++) words[i] = climb(stairs, v[2 * i], v[2 * i + 1]);
    if (dst.sample == SAMPLE_U8) {
        *reinterpret_cast<uint2*>(to) = make_uint2(even_u8(words[0], words[1]), even_u8(words[2], words[3]));
    } else {
        *reinterpret_cast<uint4*>(to) = make_uint4(words[0], words[1], words[2], words[3]);
    }
}

// A block of chroma.
__device__ __forceinline__ void chroma(const Points& p, u32 block) {
    __shared__ __align__(16) u16 stairs[2][STAIRS];
    const PointComponent* const c = p.component + 1;
    const PointStep* const step = p.step + p.steps[0];
    const u32 last = p.steps[1] - 1;
    static_assert(STAIRS * sizeof(u16) == WIDE * DOWN * sizeof(uint4), "each thread copies a vector");
#pragma unroll
    for (int l = 0; l < 2; l++) {
        reinterpret_cast<uint4*>(stairs[l])[threadIdx.x] = __ldg(reinterpret_cast<const uint4*>(step[last].table[1 + l]) + threadIdx.x);
    }
    __syncthreads();
    const int x = (block % p.across[1] * WIDE + threadIdx.x % WIDE) * CHUNK;
    if (x >= int(c->src.width)) return;
    // All rows, in as many parts as there are blocks below one another.
    const u32 down = p.blocks[1] / p.across[1];
    const int rows = (c->src.height + DOWN * down - 1) / (DOWN * down) * DOWN, top = block / p.across[1] * rows;
#pragma unroll 1
    for (int y = top + threadIdx.x / WIDE; y < min(top + rows, int(c->src.height)); y += DOWN) {
        u32 v[2][CHUNK];
        read_chunk<2>(c, x, y, v);
        for (u32 s = 0; s < last; s++) apply<2, 1>(step[s], v);
#pragma unroll
        for (int l = 0; l < 2; l++) store_chunk(stairs[l], v[l], c[l].dst, c[l].dst.data + byte_offset(c[l].dst, x, y));
    }
}

// Blocks of chroma do more, and are first.
extern "C" __global__ void __launch_bounds__(WIDE* DOWN, 5) point_stairs(const Points p) {
    if (blockIdx.x < p.blocks[1]) chroma(p, blockIdx.x);
    else by_tables(p, blockIdx.x - p.blocks[1], 0, 0);
}
