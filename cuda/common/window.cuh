// Filters whose samples are functions of a window that may be large: src/filters/tiers/window is the other side.
//
// A block makes a tile of samples from those that their windows reach, which it copies to shared memory. A thread makes
// some samples side by side: what it reads of a row of their windows serves all of them.
#pragma once

#include "../generated/window.cuh"
#include "four.cuh"

// As src/filters/tiers/window/tuning.rs has them.
constexpr int COLUMNS = 64, THREADS = 256;

// Rows of a block whose threads make OUTPUTS samples each.
template <int OUTPUTS>
constexpr int BLOCK_ROWS = THREADS * OUTPUTS / COLUMNS;

extern __shared__ uint4 shared[];

// A tile's place.
struct Place {
    const WindowComponent& c;
    int left, top;

    template <typename Args>
    __device__ __forceinline__ Place(const Args& args, int rows, u32 block)
        : c(component_of(args.component, block)), left(block % c.across * COLUMNS), top(block / c.across * rows) {}
};

// Copies the lanes around a tile: `rows` rows of `pitch` words, a multiple of four, that begin `rx` columns to the left and
// `ry` rows above it. `put(word, lane)` makes a word of a lane.
template <typename Word, typename Put>
__device__ __forceinline__ void fill(const Place& place, int rx, int ry, int rows, int pitch, Word* tile, const Put& put) {
    const Plane& src = place.c.src;
    // Four samples at a time, from a multiple of four on.
    const int before = -rx & 3;
    for (int y = threadIdx.x / 32; y < rows; y += THREADS / 32) {
        const int from = inside(place.top + y - ry, src.height);
        for (int x = threadIdx.x % 32 * 4 - before; x < pitch; x += 32 * 4) {
            const uint4 four = four_lanes(src, place.left + x - rx, from);
#pragma unroll
            for (int i = 0; i < 4; i++) {
                if (x + i >= 0 && x + i < pitch) tile[y * pitch + x + i] = put(word(four, i));
            }
        }
    }
}

// Stores OUTPUTS lanes from (x, y) of a tile on, as far as the plane goes.
template <int OUTPUTS>
__device__ __forceinline__ void store_lanes(const Place& place, int x, int y, const int (&lanes)[OUTPUTS]) {
#pragma unroll
    for (int i = 0; i < OUTPUTS; i += 4) {
        int four[4];
#pragma unroll
        for (int k = 0; k < 4; k++) four[k] = lanes[i + k] - bias(place.c.src);
        if (place.left + x + i < int(place.c.dst.width)) store_four(place.c.dst, place.left + x + i, place.top + y, four);
    }
}
