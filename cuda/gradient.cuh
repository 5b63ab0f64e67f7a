// What the kernels of `gradient` share: how blocks lie, means around cells, and planes that are copied.
#pragma once

#include "generated/gradient.cuh"

constexpr int THREADS = 256, WARPS = THREADS / 32;
constexpr int COLUMNS = 128, EACH = COLUMNS / 32;  // of a block, and a thread's
constexpr int ROWS = 32;                           // of a block
constexpr int AROUND = 3;  // samples around one whose evidence counts
constexpr int CELL_BITS = 4, CELL = 1 << CELL_BITS, CELLS_ACROSS = COLUMNS / CELL, CELLS_DOWN = ROWS / CELL;  // of a block
constexpr int LEVEL_PARTS = 8;   // of a v16 step, which levels count
constexpr int MOST_WINDOW = 24;  // of the largest range

// What each pair weighs when so many pairs count, in 32768ths: the sample itself weighs two.
constexpr int MOST_PAIRS = 6;
__device__ __forceinline__ void fill_shares(int* shares) {
    const int pairs = threadIdx.x;
    if (pairs <= MOST_PAIRS) shares[pairs] = (32768 + pairs + 1) / (2 * pairs + 2);
    __syncthreads();
}

// The component that block `block` of the grid works on, of one of the frames of a launch. `block` becomes the block's number in it.
__device__ __forceinline__ const Component& component_of(const Gradient& p, u32& block) {
    u32 index = 0;
    while (block >= p.component[index].blocks) block -= p.component[index++].blocks;
    return p.component[index];
}

__device__ __forceinline__ int clamp(int value, int low, int high) { return min(max(value, low), high); }

// How many samples lie between the `at`-th of `count` and the nearer end, which is how far both samples of a pair may lie away.
// Beside the picture there are none.
__device__ __forceinline__ int room(int at, int count) { return max(min(at, count - 1 - at), 0); }

// How far both samples of a pair lie from a thread's samples of row y: by a distance that is the same for all, and beside the left or the
// right border (`ACROSS`), where pairs are closer, by so many columns of each. `DOWN`: pairs may be closer up and down, too.
template <bool ACROSS, bool DOWN>
struct PairDistance {
    int same, columns, x, width;
    __device__ __forceinline__ PairDistance(const Component& c, const Offset& pair, int x, int y)
        : columns(pair.columns), x(x), width(c.src.width) {
        const int down = room(y, c.src.height), rows = DOWN ? clamp(pair.rows, -down, down) : pair.rows;
        same = rows * int(c.pitch) + (ACROSS ? 0 : columns);
    }
    __device__ __forceinline__ int columns_of(int i) const { return ACROSS ? min(columns, room(x + 32 * i, width)) : 0; }
};

// A sum over a count, rounded half up.
__device__ __forceinline__ int rounded(int sum, int count) {
    const int above = 2 * sum + count, below = 2 * count, quotient = above / below;
    return quotient - (above - quotient * below < 0);
}

// The mean around the `at`-th of `count` values, weighed by a triangle.
template <typename Read>
__device__ __forceinline__ int mean_around(int at, int count, int window, const Read& read) {
    const int first = max(at - window + 1, 0), last = min(at + window, count);
    int sum = 0, weights = 0;
#pragma unroll 4
    for (int i = first; i < last; i++) {
        const int weight = window - abs(i - at);
        sum += weight * read(i);
        weights += weight;
    }
    return rounded(sum, weights);
}

// Passes a block's samples on: as they are stored where both planes store alike.
__device__ __forceinline__ void copy_tile(const Component& c, u32 block) {
    const Plane &src = c.src, &dst = c.dst;
    const int width = src.width, height = src.height;
    const bool alike = src.sample == dst.sample && src.shift == dst.shift && src.bit_depth == dst.bit_depth;
    const int left = block % c.across * COLUMNS, top = block / c.across * ROWS;
    for (int y = top + threadIdx.x / 32; y < min(top + ROWS, height); y += WARPS) {
        for (int x = left + threadIdx.x % 32; x < min(left + COLUMNS, width); x += 32) {
            if (!alike) {
                store(dst, x, y, load(src, x, y));
            } else if (src.sample == SAMPLE_U8) {
                *at<u8>(dst, x, y) = __ldg(at<u8>(src, x, y));
            } else {
                *at<u16>(dst, x, y) = __ldg(at<u16>(src, x, y));
            }
        }
    }
}

// A straight line from a cell's middle to the next: its first value in 256ths, and its step in 128ths.
struct Line {
    int start, step;
};
constexpr int LINES = CELLS_ACROSS + 1;  // of a row of a block, from the cell before its first on
