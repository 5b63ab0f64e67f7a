// localtone for people: windows of a guided filter, of means, which give a line each, and of lines, which give what the base follows.
//
// A block makes a tile. What its windows reach lies in shared memory, where sums of rows take the place of what they are made of, and
// are added down. Lanes are rows while sums run across, and columns while they run down, so that each is of another bank.
#pragma once

#include "localtone_means.cuh"

constexpr int TILE = 32;             // lines of a tile, to each side
constexpr int RUN = 8;               // sums of a row that a thread makes
constexpr int RUNS = TILE / RUN;
constexpr int ROWS = TILE / DOWN;    // lines of a column that a thread makes
constexpr int MIDDLE = ONE / 2;      // that means are taken from: squares of a row fit 32 bits so, and the variance stays as it is
constexpr int SKIN = 2;    // `blockIdx.z` of what is made of skin, behind the two filters

// A line: how much of the guide the base follows, in 16384ths (less than all), and what is added, in sixteenths.
__device__ __forceinline__ u32 line_of(u32 slope, u32 offset) { return slope | offset << 14; }
__device__ __forceinline__ u32 slope_of(u32 line) { return line & (ONE - 1); }
__device__ __forceinline__ u32 offset_of(u32 line) { return line >> 14; }

// sum / count. The product with 2^32 / count, rounded down, is too small by less than 2.
__device__ __forceinline__ u32 over_count(const Guided& g, u32 sum) {
    const u32 quotient = __umulhi(sum, g.inverse);
    return quotient + (sum - quotient * g.count >= g.count);
}

// What a mean adds to the two sums of a window.
struct Moments {
    using Sample = u16;
    using Second = u64;
    static __device__ __forceinline__ u32 first(u32 v) { return v; }
    static __device__ __forceinline__ u32 second(u32 v) { return v * v; }
    static __device__ __forceinline__ u32 loaded(u16 mean) { return mean - MIDDLE; }
};

// What a line adds.
struct Parts {
    using Sample = u32;
    using Second = u32;
    static __device__ __forceinline__ u32 first(u32 v) { return slope_of(v); }
    static __device__ __forceinline__ u32 second(u32 v) { return offset_of(v); }
    static __device__ __forceinline__ u32 loaded(u32 line) { return line; }
};

// The tile of a block with what windows reach around it: `side` rows, each of `pitch` words, an odd number.
struct Tile {
    int reach, side, pitch;

    __device__ __forceinline__ explicit Tile(const Guided& g)
        : reach(g.reach), side(TILE + 2 * reach), pitch(max(side, 2 * TILE) | 1) {}

    template <typename What>
    __device__ __forceinline__ void load(const Guided& g, const typename What::Sample* plane) const {
        const int left = blockIdx.x * TILE - reach, top = blockIdx.y * TILE - reach;
        for (int y = threadIdx.y; y < side; y += DOWN) {
            const typename What::Sample* const row = plane + clamp(top + y, 0, g.height - 1) * int(g.width);
            for (int x = threadIdx.x; x < side; x += WIDE) {
                shared[y * pitch + x] = What::loaded(row[clamp(left + x, 0, g.width - 1)]);
            }
        }
        __syncthreads();
    }

    // A row becomes its first sums, and the second ones behind them.
    template <typename What>
    __device__ __forceinline__ void sum_rows() const {
        for (int top = 0; top < side; top += DOWN / RUNS * WIDE) {
            const int y = top + int(threadIdx.y) / RUNS * WIDE + int(threadIdx.x), x = threadIdx.y % RUNS * RUN;
            u32* const row = shared + y * pitch + x;
            u32 first[RUN], second[RUN];
            if (y < side) {
                u32 a = 0, b = 0;
                for (int i = 0; i < 2 * reach; i++) a += What::first(row[i]), b += What::second(row[i]);
#pragma unroll
                for (int i = 0; i < RUN; i++) {
                    const u32 in = row[2 * reach + i], out = row[i];
                    first[i] = a += What::first(in);
                    second[i] = b += What::second(in);
                    a -= What::first(out), b -= What::second(out);
                }
            }
            // All of a row is read by now, as its runs are of one turn.
            __syncthreads();
            if (y >= side) continue;
#pragma unroll
            for (int i = 0; i < RUN; i++) row[i] = first[i], row[TILE + i] = second[i];
        }
        __syncthreads();
    }

    // Hands the sums of windows to `put`, from a row on.
    template <typename What, typename Put>
    __device__ __forceinline__ void sum_columns(u32 a, typename What::Second b, const Put& put) const {
        const u32* const column = shared + threadIdx.y * ROWS * pitch + threadIdx.x;
        for (int i = 0; i < 2 * reach; i++) a += column[i * pitch], b += column[i * pitch + TILE];
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
            const u32 *const in = column + (2 * reach + i) * pitch, *const out = column + i * pitch;
            a += in[0], b += in[TILE];
            put(i, a, b);
            a -= out[0], b -= out[TILE];
        }
    }
};

// How much of the guide the base follows in a window, of the square of whose count this is the variance.
__device__ __forceinline__ u32 slope_of_window(const Guided& g, u64 variance) {
    const float follows = __fdiv_rn(__ull2float_rn(variance), __ull2float_rn(variance + g.edge));
    return __fadd_rn(__fmul_rn(follows, 16384.0f), 0.5f);
}

// The line of a window, of the sum of its means and that of their squares.
__device__ __forceinline__ u32 line(const Guided& g, int sum, u64 squares) {
    const long long all = sum;
    const u32 slope = slope_of_window(g, g.count * squares - u64(all * all));
    // Over 1024, and then over the count, is the same as over both.
    return line_of(slope, over_count(g, (u64(ONE - slope) * (sum + g.count * MIDDLE) + 512 * g.count) >> 10));
}

// Lines of means, and means of skin.
extern "C" __global__ void __launch_bounds__(WIDE* DOWN) localtone_lines(const Localtone p) {
    wait_for_launch_before();
    const int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y * ROWS;
    if (blockIdx.z == SKIN) {
        for (int i = 0; i < ROWS; i++) blur_skin(p, x, y + i);
        return;
    }
    const Guided& g = p.guided[blockIdx.z];
    const int width = g.width, height = g.height;
    if (int(blockIdx.x) * TILE >= width || int(blockIdx.y) * TILE >= height) return;
    const Tile tile(g);
    tile.load<Moments>(g, g.means);
    tile.sum_rows<Moments>();
    if (x >= width) return;
    tile.sum_columns<Moments>(0, 0, [&](int i, u32 sum, u64 squares) {
        if (y + i < height) g.lines[(y + i) * width + x] = line(g, sum, squares);
    });
}

// Means of lines.
extern "C" __global__ void __launch_bounds__(WIDE* DOWN) localtone_smooth(const Localtone p) {
    wait_for_launch_before();
    const Guided& g = p.guided[blockIdx.z];
    const int width = g.width, height = g.height;
    if (int(blockIdx.x) * TILE >= width || int(blockIdx.y) * TILE >= height) return;
    const Tile tile(g);
    tile.load<Parts>(g, g.lines);
    tile.sum_rows<Parts>();
    const int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y * ROWS;
    if (x >= width) return;
    tile.sum_columns<Parts>(g.count / 2, g.count / 2, [&](int i, u32 slopes, u32 offsets) {
        if (y + i < height) g.smooth[(y + i) * width + x] = line_of(over_count(g, slopes), over_count(g, offsets));
    });
}
