// grain: a template's grain, block by block from places that a hash of the frame and the block chooses, as strong as luma or the
// component itself says. A thread makes eight samples side by side, which lie in one block of grain.

#include "common/local.cuh"
#include "generated/grain.cuh"

// As src/filters/grain/tuning.rs has them.
constexpr int WIDE = 32, DOWN = 8;

// As src/filters/grain/template.rs has them.
constexpr int BLOCK = 32, OVERLAP = 2, COLUMNS = 288;
constexpr u32 STEP = 8, PLACES_W = 32, PLACES_H = 128, GRAIN_BITS = 10;
static_assert(BLOCK % CHUNK == 0 && STEP % CHUNK == 0 && COLUMNS % CHUNK == 0, "eight samples are one aligned vector of grain");

// As src/filters/grain/plan.rs has them.
constexpr u32 ONE_BITS = 12, DARK_BITS = ONE_BITS - 2, BRIGHT_BITS = ONE_BITS - 1, RISE_BITS = 3;

// src/filters/common/random.rs
__device__ __forceinline__ u64 mix(u64 index) {
    u64 z = (index + 1) * 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

// Where the grain of block (`column`, `row`) begins.
__device__ __forceinline__ const i16* place(const Grain& p, const GrainComponent& c, u32 column, u32 row) {
    const u32 bits = u32(mix(p.key + (u64(row) << 32 | column)));
    return c.grain + bits / PLACES_W % PLACES_H * COLUMNS + bits % PLACES_W * STEP;
}

// Grain where two blocks overlap, in their first or second sample there.
__device__ __forceinline__ int blend(int sample, int earlier, int later) {
    return (earlier * (sample == 0 ? 27 : 17) + later * (sample == 0 ? 17 : 27) + 16) >> 5;
}

__device__ __forceinline__ void read_grain(const i16* from, int (&grain)[CHUNK]) {
    const uint4 w = __ldg(reinterpret_cast<const uint4*>(from));
#pragma unroll
    for (int i = 0; i < CHUNK; i++) grain[i] = i16(word(w, i / 2) >> i % 2 * 16);
}

// Row `down` of eight columns of block (`column`, `row`), from column `across` of it on, and what reaches into them from the left.
__device__ __forceinline__ void row_of_block(
    const Grain& p, const GrainComponent& c, int column, int across, int row, int down, int (&grain)[CHUNK]) {
    read_grain(place(p, c, column, row) + down * COLUMNS + across, grain);
    if (across > 0 || column == 0) return;
    const i16* const earlier = place(p, c, column - 1, row) + down * COLUMNS + BLOCK;
#pragma unroll
    for (int i = 0; i < OVERLAP; i++) grain[i] = blend(i, __ldg(earlier + i), grain[i]);
}

// The grain of eight columns.
__device__ __forceinline__ void grain_at(const Grain& p, const GrainComponent& c, int x, int y, int (&grain)[CHUNK]) {
    const int column = x / BLOCK, across = x % BLOCK, row = y / BLOCK, down = y % BLOCK;
    row_of_block(p, c, column, across, row, down, grain);
    if (row == 0 || down >= OVERLAP) return;
    int above[CHUNK];
    row_of_block(p, c, column, across, row - 1, BLOCK + down, above);
#pragma unroll
    for (int i = 0; i < CHUNK; i++) grain[i] = blend(down, above[i], grain[i]);
}

// How strong grain is where luma, or the component, is `lane`.
__device__ __forceinline__ int strength(const GrainCurve& curve, u32 lane) {
    const int above = min(max(int(lane) - curve.black, 0), curve.span);
    const int way = (u32(above) * curve.inverse + (1u << 15)) >> 16;
    const int dark = curve.dark * max((1 << DARK_BITS) - way, 0) >> DARK_BITS;
    const int bright = curve.bright * max(way - (1 << BRIGHT_BITS), 0) >> BRIGHT_BITS;
    return min((1 << ONE_BITS) - dark - bright, way << RISE_BITS);
}

// The lanes of eight columns of a plane. All threads of a warp must be there.
__device__ __forceinline__ void plane_lanes(const Plane& plane, int x, int y, u32 (&v)[CHUNK]) {
    read_lanes(LocalSource{plane, 0, 0, 0, 0}, x, y, v);
}

// Luma where eight chroma samples are: means of the samples that each covers, rounded half up. All threads of a warp must be there.
__device__ __forceinline__ void luma_at(const Grain& p, int x, int y, u32 (&v)[CHUNK]) {
    const u32 w = p.subsampling_w, h = p.subsampling_h;
    u32 sums[CHUNK] = {};
    for (int row = y << h; row < (y + 1) << h; row++) {
        u32 lanes[CHUNK];
        if (w == 0) {
            plane_lanes(p.luma, x, row, lanes);
#pragma unroll
            for (int i = 0; i < CHUNK; i++) sums[i] += lanes[i];
            continue;
        }
#pragma unroll
        for (int half = 0; half < 2; half++) {
            plane_lanes(p.luma, 2 * x + half * CHUNK, row, lanes);
#pragma unroll
            for (int i = 0; i < CHUNK; i++) sums[(half * CHUNK + i) / 2] += lanes[i];
        }
    }
#pragma unroll
    for (int i = 0; i < CHUNK; i++) v[i] = (sums[i] + ((1u << (w + h)) >> 1)) >> (w + h);
}

extern "C" __global__ void __launch_bounds__(WIDE* DOWN, 4) grain(const Grain p) {
    u32 block = blockIdx.x;
    const GrainComponent& c = component_of(p.component, block);
    const int x = (block % c.across * WIDE + threadIdx.x % WIDE) * CHUNK;
    const int y = block / c.across * DOWN + threadIdx.x / WIDE;
    u32 v[1][CHUNK], steer[CHUNK];
    plane_lanes(c.src, x, y, v[0]);
    if (c.grain && c.follows_luma) luma_at(p, x, y, steer);
    if (x >= int(c.dst.width) || y >= int(c.dst.height)) return;
    if (c.grain) {
        int grain[CHUNK];
        grain_at(p, c, x, y, grain);
#pragma unroll
        for (int i = 0; i < CHUNK; i++) {
            const int lane = v[0][i];
            const int deviation = (strength(p.curve, c.follows_luma ? steer[i] : lane) * c.amount + (1 << ONE_BITS >> 1)) >> ONE_BITS;
            const int noise = (grain[i] * deviation + (1 << GRAIN_BITS >> 1)) >> GRAIN_BITS;
            v[0][i] = min(max(lane + noise, c.low), c.high);
        }
    }
    const bool round = c.dst.sample != SAMPLE_I16;
#pragma unroll
    for (int i = 0; i < CHUNK; i++) v[0][i] ^= round ? 0 : 0x8000u;
    write(c, x, y, round, v);
}
