// box: the mean of the window around every sample.
//
// A block walks down some rows of a strip of columns. A thread keeps the sums of eight columns of the window: with each
// row one sample enters every sum and one leaves it. Sums of the strip's columns from its left edge on then go to shared
// memory, where the sum of any window is the difference of two. So the work is the same for every radius, but for the
// first window of a block: where that is high, it is added up from sums of sixteen rows (`box_totals_*`). Windows of up to
// seven columns are summed from the neighbours' columns instead, inside a warp (`box_w*`).

#include "box.cuh"

constexpr int TOTAL_THREADS = 128;
constexpr int MOST_WARPS = 8;  // of a block

extern __shared__ u64 shared[];

template <typename T>
__device__ __forceinline__ void add(const Columns<T>& src, const typename Chunk<T>::Words& words, u32 times, u32 (&sums)[CHUNK]) {
    const typename Chunk<T>::Words lanes = src.lanes(words);
#pragma unroll
    for (int i = 0; i < CHUNK; i++) sums[i] += Chunk<T>::sample(lanes, i) * times;
}

// Adds rows `from` to `to`, all of them inside the plane.
template <typename T>
__device__ __forceinline__ void add_rows(const Columns<T>& src, int from, int to, u32 (&sums)[CHUNK]) {
    Lines<T, 4> lines;
    for (; from <= to; from += 4) {
        src.read(from, lines);
#pragma unroll
        for (int r = 0; r < 4; r++) add(src, lines.row[r], from + r <= to, sums);
    }
}

// Adds the totals of the rows from `index` times 16 on.
template <typename T>
__device__ __forceinline__ void add_totals(const Component& c, const Columns<T>& src, int index, u32 (&sums)[CHUNK]) {
    const u32* const row = c.totals + u64(index) * c.columns;
    if (src.x < 0 || src.x >= src.width) {
        const u32 total = __ldg(row + (src.x < 0 ? 0 : src.width - 1));
#pragma unroll
        for (int i = 0; i < CHUNK; i++) sums[i] += total;
        return;
    }
    const uint4* const from = reinterpret_cast<const uint4*>(row + src.x);
    const uint4 a = __ldg(from), b = __ldg(from + 1);
#pragma unroll
    for (int i = 0; i < CHUNK; i++) sums[i] += i < 4 ? word(a, i) : word(b, i - 4);
}

// The sums of eight columns over the rows from `first` to `last`, which may lie above or below the plane.
template <typename T>
__device__ __forceinline__ void sum_columns(
    const Component& c, const Columns<T>& src, int first, int last, u32 (&sums)[CHUNK]) {
    const int above = max(min(last, -1) - first + 1, 0), below = max(last - max(first, src.bottom + 1) + 1, 0);
#pragma unroll
    for (int i = 0; i < CHUNK; i++) sums[i] = 0;
#pragma unroll 1
    for (int end = 0; end < 2; end++) {
        Lines<T, 1> border;
        src.read(end * src.bottom, border);
        add(src, border.row[0], end == 0 ? above : below, sums);
    }
    int y = max(first, 0), to = min(last, src.bottom);
    while (y <= to) {
        int upto = to;
        if (c.totals != nullptr) {
            for (; y % TOTAL_ROWS == 0 && y + TOTAL_ROWS - 1 <= to; y += TOTAL_ROWS) {
                add_totals(c, src, y / TOTAL_ROWS, sums);
            }
            upto = min(to, y | (TOTAL_ROWS - 1));
        }
        add_rows(src, y, upto, sums);
        y = upto + 1;
    }
}

// The sums of windows that move down the plane, of eight columns. What enters them next, and what leaves, is read ahead.
template <typename T, int ROWS>
struct Window {
    const Columns<T> src;
    const int radius;
    u32 columns[CHUNK];
    Lines<T, ROWS> entering, leaving;

    __device__ __forceinline__ Window(const Box& p, const Component& c, const Part& part)
        : src(c.src, part.x), radius(p.radius_h) {
        sum_columns(c, src, part.top - 1 - radius, part.top - 1 + radius, columns);
        read_ahead(part.top);
    }

    __device__ __forceinline__ void read_ahead(int y) {
        src.read(y + radius, entering);
        src.read(y - 1 - radius, leaving);
    }

    // Moves to the row whose samples are number r of those that were read.
    __device__ __forceinline__ void move(int r) {
        const typename Chunk<T>::Words in = src.lanes(entering.row[r]), out = src.lanes(leaving.row[r]);
#pragma unroll
        for (int i = 0; i < CHUNK; i++) columns[i] += Chunk<T>::sample(in, i) - Chunk<T>::sample(out, i);
    }
};

// The sums of windows of 2*RADIUS + 1 columns, from the columns of the neighbours in the warp.
template <int RADIUS>
__device__ __forceinline__ void sum_around(const u32 (&columns)[CHUNK], u32 (&sums)[CHUNK]) {
    u32 around[CHUNK + 2 * RADIUS];
#pragma unroll
    for (int i = 0; i < RADIUS; i++) {
        around[i] = __shfl_up_sync(~0u, columns[CHUNK - RADIUS + i], 1);
        around[RADIUS + CHUNK + i] = __shfl_down_sync(~0u, columns[i], 1);
    }
#pragma unroll
    for (int i = 0; i < CHUNK; i++) around[RADIUS + i] = columns[i];
    sums[0] = 0;
#pragma unroll
    for (int i = 0; i <= 2 * RADIUS; i++) sums[0] += around[i];
#pragma unroll
    for (int i = 1; i < CHUNK; i++) sums[i] = sums[i - 1] + around[i + 2 * RADIUS] - around[i - 1];
}

// Strips of one warp, windows of few columns.
template <typename T, int RADIUS, int ROWS>
struct Narrow {
    static __device__ __forceinline__ void blur(const Box& p, const Component& c, const Part& part) {
        const u32 up = sizeof(T) == 1 ? 8 : c.src.shift;
        Window<T, ROWS> window(p, c, part);
        for (int y = part.top; y < part.end; y += ROWS) {
            u32 sums[ROWS][CHUNK];
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                window.move(r);
                sum_around<RADIUS>(window.columns, sums[r]);
            }
            if (y + ROWS < part.end) window.read_ahead(y + ROWS);
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                if (part.writes && y + r < part.end) write_means<T>(p, c, part.x, y + r, up, sums[r]);
            }
        }
    }
};

// From sums of this thread's columns to sums of the strip's columns from its left edge on, for some rows at a time.
template <typename Sum, int ROWS>
__device__ __forceinline__ void sum_strip(Sum (&sums)[ROWS][CHUNK]) {
    __shared__ Sum ends[MOST_WARPS][ROWS];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    Sum before[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; r++) before[r] = sums[r][CHUNK - 1];
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const Sum left = __shfl_up_sync(~0u, before[r], distance);
            if (lane >= distance) before[r] += left;
        }
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        if (lane == 31) ends[warp][r] = before[r];
        before[r] -= sums[r][CHUNK - 1];
    }
    // What was read of shared memory for the rows before is read by now as well.
    __syncthreads();
    for (int w = 0; w < warp; w++) {
#pragma unroll
        for (int r = 0; r < ROWS; r++) before[r] += ends[w][r];
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++)
#pragma unroll
        for (int i = 0; i < CHUNK; i++) sums[r][i] += before[r];
}

// Strips of any number of warps, windows of any width.
template <typename T, typename Sum, int ROWS>
struct Wide {
    static __device__ __forceinline__ void blur(const Box& p, const Component& c, const Part& part) {
        const u32 up = sizeof(T) == 1 ? 8 : c.src.shift;
        const int radius = p.radius_w, row = blockDim.x * STRIDE;
        Sum* const own = reinterpret_cast<Sum*>(shared) + threadIdx.x * STRIDE;
        Window<T, ROWS> window(p, c, part);
        for (int y = part.top; y < part.end; y += ROWS) {
            Sum sums[ROWS][CHUNK];
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                window.move(r);
#pragma unroll
                for (int i = 0; i < CHUNK; i++) sums[r][i] = (i == 0 ? 0 : sums[r][i - 1]) + window.columns[i];
            }
            if (y + ROWS < part.end) window.read_ahead(y + ROWS);
            sum_strip(sums);
#pragma unroll
            for (int r = 0; r < ROWS; r++)
#pragma unroll
                for (int i = 0; i < CHUNK; i++) own[r * row + i] = sums[r][i];
            __syncthreads();
            if (!part.writes) continue;
#pragma unroll
            for (int i = 0; i < CHUNK; i++) {
                // Past every eight columns lies one word that is not used.
                const int right = i + radius, left = i - radius - 1;
                const Sum *const upto = own + right + (right >> 3), *const before = own + left + (left >> 3);
#pragma unroll
                for (int r = 0; r < ROWS; r++) sums[r][i] = upto[r * row] - before[r * row];
            }
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                if (y + r < part.end) write_means<T>(p, c, part.x, y + r, up, sums[r]);
            }
        }
    }
};

template <typename T, typename Blur>
__device__ __forceinline__ void run(const Box& p) {
    blur_part<T>(p.component, p.halo, [&](const Component& c, const Part& part) { Blur::blur(p, c, part); });
}

// Sums of sixteen rows of eight columns. Past the last column it repeats.
template <typename T>
__device__ __forceinline__ void total(const Box& p) {
    const Component& c = p.component[blockIdx.y];
    if (c.totals == nullptr) return;
    const u32 across = c.columns / CHUNK, index = blockIdx.x * TOTAL_THREADS + threadIdx.x;
    const int x = index % across * CHUNK, top = index / across * TOTAL_ROWS;
    // Whole warps take part in the choice of how to read.
    const Columns<T> src(c.src, x);
    if (top > src.bottom) return;
    u32 sums[CHUNK] = {};
    add_rows(src, top, min(top + TOTAL_ROWS - 1, src.bottom), sums);
    uint4* const to = reinterpret_cast<uint4*>(c.totals + u64(index / across) * c.columns + x);
    to[0] = make_uint4(sums[0], sums[1], sums[2], sums[3]);
    to[1] = make_uint4(sums[4], sums[5], sums[6], sums[7]);
}

#define BOX(name, threads, T, ...) \
    extern "C" __global__ void __launch_bounds__(threads) box_##name(const Box p) { run<T, __VA_ARGS__>(p); }
BOX(u8, 256, u8, Wide<u8, u32, 2>)
BOX(u16, 256, u16, Wide<u16, u32, 2>)
BOX(wide_u8, 256, u8, Wide<u8, u64, 1>)
BOX(wide_u16, 256, u16, Wide<u16, u64, 1>)
BOX(w1_u8, 32, u8, Narrow<u8, 1, 4>)
BOX(w1_u16, 32, u16, Narrow<u16, 1, 2>)
BOX(w2_u8, 32, u8, Narrow<u8, 2, 4>)
BOX(w2_u16, 32, u16, Narrow<u16, 2, 2>)
BOX(w3_u8, 32, u8, Narrow<u8, 3, 4>)
BOX(w3_u16, 32, u16, Narrow<u16, 3, 2>)
extern "C" __global__ void __launch_bounds__(TOTAL_THREADS) box_totals_u8(const Box p) { total<u8>(p); }
extern "C" __global__ void __launch_bounds__(TOTAL_THREADS) box_totals_u16(const Box p) { total<u16>(p); }
