// What the kernels of `gradient` share: how borders are continued, and means of cells.
#pragma once

#include "generated/gradient.cuh"

constexpr int THREADS = 256, WARPS = THREADS / 32;
constexpr int COLUMNS = 128, EACH = COLUMNS / 32;  // of a block, and a thread's
constexpr int ROWS = 32;                           // of a block
constexpr int AROUND = 3;  // samples around one whose evidence counts
constexpr int CELL = 16, CELLS_ACROSS = COLUMNS / CELL, CELLS_DOWN = ROWS / CELL;  // of a block
constexpr int LEVEL_PARTS = 8;   // of a v16 step, which levels count
constexpr int MOST_WINDOW = 24;  // of the largest range
constexpr int MOST_BORDER = 64;  // samples that a mean at a border holds
constexpr int SLOPE = 1 << 20;   // the most by which the sums of the two means at a border differ

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

// A sum over a count, rounded half up.
__device__ __forceinline__ int rounded(int sum, int count) {
    const int above = 2 * sum + count, below = 2 * count, quotient = above / below;
    return quotient - (above - quotient * below < 0);
}

// How far a line goes on beyond its end: the k-th sample, where the l samples at the end sum to `near`, and those before them
// to `far`.
__device__ __forceinline__ int beyond(int near, int far, int k, int l) {
    const int value = 2 * l * near - clamp(far - near, -SLOPE, SLOPE) * (2 * k + l - 1) + l * l;
    return clamp(value >> (2 * (31 - __clz(l)) + 1), 0, 65535);
}

// Threads that continue a row at one of its ends, and at both.
constexpr int END_THREADS = 8, ROW_THREADS = 2 * END_THREADS;

__device__ __forceinline__ int sum_of_end(int value) {
#pragma unroll
    for (int distance = END_THREADS / 2; distance > 0; distance /= 2) value += __shfl_xor_sync(~0u, value, distance);
    return value;
}

// Continues row y by `reach` samples at both ends, by the threads of a row, if those have one to make: all threads of a warp are here.
template <typename Read, typename Write>
__device__ __forceinline__ void continue_row(const Component& c, int y, int reach, bool has_row, const Read& read, const Write& write) {
    const bool is_right = threadIdx.x / END_THREADS % 2 != 0;
    const int l = c.border_w, first = is_right ? c.src.width - 1 : 0, step = is_right ? -1 : 1;
    int near = 0, far = 0;
    // All are read at once.
#pragma unroll
    for (int from = 0; from < MOST_BORDER; from += END_THREADS) {
        const int i = from + threadIdx.x % END_THREADS;
        if (i >= l) continue;
        near += read(first + step * i, y);
        far += read(first + step * (l + i), y);
    }
    near = sum_of_end(near);
    far = sum_of_end(far);
    const int only = l == 0 ? read(0, y) : 0;
    if (!has_row) return;
    for (int k = 1 + threadIdx.x % END_THREADS; k <= reach; k += END_THREADS) {
        write(first - step * k, l == 0 ? only : beyond(near, far, k, l));
    }
}

// Continues 32 columns from x on upwards or downwards, by a block: its warps share out the rows that are summed, and then those
// that are made.
template <typename Read, typename Write>
__device__ __forceinline__ void continue_columns(
    const Component& c, const Write& write, int reach, int x, bool downwards, const Read& read) {
    __shared__ int near_sums[WARPS][32], far_sums[WARPS][32];
    const int height = c.src.height, l = c.border_h;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int first = downwards ? height - 1 : 0, step = downwards ? -1 : 1;
    const bool is_inside = x + lane < int(c.src.width);
    int near = 0, far = 0;
#pragma unroll
    for (int from = 0; from < MOST_BORDER; from += WARPS) {
        const int i = from + warp;
        if (!is_inside || i >= l) continue;
        near += read(x + lane, first + step * i);
        far += read(x + lane, first + step * (l + i));
    }
    near_sums[warp][lane] = near;
    far_sums[warp][lane] = far;
    __syncthreads();
    if (!is_inside) return;
    near = far = 0;
#pragma unroll
    for (int i = 0; i < WARPS; i++) {
        near += near_sums[i][lane];
        far += far_sums[i][lane];
    }
    const int only = l == 0 ? read(x + lane, 0) : 0;
    for (int k = 1 + warp; k <= reach; k += WARPS) {
        write(x + lane, first - step * k, l == 0 ? only : beyond(near, far, k, l));
    }
}

// Continues columns of a stage: `block` counts the blocks that do.
template <typename Read, typename Write>
__device__ __forceinline__ void continue_columns(const Component& c, const Write& write, int reach, u32 block, const Read& read) {
    const u32 across = (c.src.width + 31) / 32;
    continue_columns(c, write, reach, int(block % across) * 32, block >= across, read);
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

// The samples of a source that are stored as `T`, in v16.
template <typename T>
struct ReadSource {
    const Plane& src;
    __device__ __forceinline__ int operator()(int x, int y) const { return u16(__ldg(at<T>(src, x, y)) << src.shift); }
};

// Continues the source: `block` counts the blocks that do. How samples are stored is looked at once, so that no read waits for that.
template <typename To>
__device__ __forceinline__ void continue_source(const Component& c, const To& to, u32 block) {
    if (c.src.sample == SAMPLE_U8) {
        continue_plane(c, to, c.reach[0], block, ReadSource<u8>{c.src});
    } else {
        continue_plane(c, to, c.reach[0], block, ReadSource<u16>{c.src});
    }
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
