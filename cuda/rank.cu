// rank, and median of large windows: the sample of a rank is found bit by bit, by counting what is below.

#include "common/window.cuh"
#include "generated/rank.cuh"

// As src/filters/rank/cuda.rs has it.
constexpr int OUTPUTS = 4;

template <int RADIUS>
__device__ __forceinline__ void rank(const WindowArgs& args, const RankConsts& consts) {
    constexpr int ROWS = BLOCK_ROWS<OUTPUTS>, WINDOW = 2 * RADIUS + 1;
    constexpr int PITCH = COLUMNS + (2 * RADIUS + 3) / 4 * 4, WORDS = (2 * RADIUS + OUTPUTS + 3) / 4;
    const Place place(args, ROWS, blockIdx.x);
    const WindowComponent& c = place.c;
    if (!c.computes) return pass_on<COLUMNS, THREADS>(c.src, c.dst, place.left, place.top, ROWS);
    u32* const tile = reinterpret_cast<u32*>(shared);
    fill(place, RADIUS, RADIUS, ROWS + 2 * RADIUS, PITCH, tile, [](u32 lane) { return lane & 0xffff; });
    __syncthreads();
    const int x = threadIdx.x % (COLUMNS / OUTPUTS) * OUTPUTS, y = threadIdx.x / (COLUMNS / OUTPUTS);
    if (place.left + x >= int(c.dst.width) || place.top + y >= int(c.dst.height)) return;
    const uint4* const first = reinterpret_cast<const uint4*>(tile + y * PITCH + x);
    int lanes[OUTPUTS] = {};
    // A bit is set when no more samples than come before the result are below what then stands there. Low bits that the
    // storage lacks are 0 in every lane.
#pragma unroll 1
    for (int bit = 15; bit >= int(c.src.shift); bit--) {
        u32 tried[OUTPUTS], below[OUTPUTS] = {};
#pragma unroll
        for (int i = 0; i < OUTPUTS; i++) tried[i] = u32(lanes[i]) | 1u << bit;
#pragma unroll 1
        for (int v = 0; v < WINDOW; v++) {
            u32 samples[4 * WORDS];
#pragma unroll
            for (int k = 0; k < WORDS; k++) {
                const uint4 four = first[v * (PITCH / 4) + k];
#pragma unroll
                for (int i = 0; i < 4; i++) samples[4 * k + i] = word(four, i);
            }
#pragma unroll
            for (int i = 0; i < OUTPUTS; i++)
#pragma unroll
                for (int u = 0; u < WINDOW; u++) below[i] += samples[i + u] < tried[i];
        }
#pragma unroll
        for (int i = 0; i < OUTPUTS; i++) {
            if (below[i] <= consts.before) lanes[i] = tried[i];
        }
    }
    store_lanes(place, x, y, lanes);
}

#define RANK(radius) \
    extern "C" __global__ void __launch_bounds__(THREADS) rank_##radius(const WindowArgs args, const RankConsts consts) { \
        rank<radius>(args, consts); \
    }
RANK(1)
RANK(2)
RANK(3)
RANK(4)
RANK(5)
RANK(6)
RANK(7)
