// box: the mean of the window around every sample.
//
// A block walks down some rows of a strip of columns. A thread keeps the sums of eight columns of the window: with each
// row one sample enters every sum and one leaves it. Sums of the strip's columns from its left edge on then go to shared
// memory, where the sum of any window is the difference of two. So the work is the same for every radius, but for the
// first window of a block: where that is high, it is the difference of what lies above its end and above its first row, most
// of which `box_totals_*` have summed. Windows of up to seven columns are summed from the neighbours' columns instead, inside
// a warp (`box_w*`).

#include "box.cuh"
#include "common/dot.cuh"

// As src/filters/boxblur/tuning.rs has them: bands of a plane, and chunks of columns that a block of `box_totals_*` has.
constexpr int BANDS = 256, TOTAL_CHUNKS = 4, TOTAL_THREADS = BANDS * TOTAL_CHUNKS;
constexpr int TOTAL_STEP = 5;  // rows that a thread of these reads at a time: twice for 2160 rows, once for 1080
static_assert(TOTAL_CHUNKS * CHUNK == TOTAL_THREADS / 32, "a warp for every column");
constexpr int MOST_WARPS = 8;  // of a block

extern __shared__ u64 shared[];

template <typename T>
__device__ __forceinline__ void add(const Columns<T>& src, const typename Chunk<T>::Words& words, u32 times, u32 (&sums)[CHUNK]) {
    const typename Chunk<T>::Words lanes = src.lanes(words);
#pragma unroll
    for (int i = 0; i < CHUNK; i++) sums[i] += Chunk<T>::sample(lanes, i) * times;
}

// Rows of a band of a plane, whose sums a thread of `box_totals_*` has.
__device__ __forceinline__ int band_rows(const Plane& plane) { return (int(plane.height) + BANDS - 1) / BANDS; }

// Adds the rows from `from` up to `to`, all of them inside the plane, some at a time; takes them away where `to` comes first.
template <int ROWS, typename T>
__device__ __forceinline__ void add_rows(const Columns<T>& src, int from, int to, u32 (&sums)[CHUNK]) {
    const int end = max(from, to);
    const int times = from < to ? 1 : -1;
    for (int y = min(from, to); y < end; y += ROWS) {
        Lines<T, ROWS> lines;
        src.read(y, lines);
#pragma unroll
        for (int r = 0; r < ROWS; r++) add(src, lines.row[r], y + r < end ? times : 0, sums);
    }
}

// Adds the rows above row `end`, or takes them away: what the bands that end nearest to it have, and the rows between.
template <typename T>
__device__ __forceinline__ void add_above(const Component& c, const Columns<T>& src, int end, int times, u32 (&sums)[CHUNK]) {
    const int rows = band_rows(c.src), bands = (end + rows / 2) / rows, upto = min(bands * rows, src.bottom + 1);
    u32 between[CHUNK] = {};
    add_rows<4>(src, upto, end, between);
    if (bands > 0) {
        const u32* const row = c.totals + u64(u32(bands - 1)) * c.columns;
        if (src.x < 0 || src.x >= src.width) {
            const u32 total = __ldg(row + (src.x < 0 ? 0 : src.width - 1));
#pragma unroll
            for (int i = 0; i < CHUNK; i++) between[i] += total;
        } else {
            const uint4* const from = reinterpret_cast<const uint4*>(row + src.x);
            const uint4 a = __ldg(from), b = __ldg(from + 1);
#pragma unroll
            for (int i = 0; i < CHUNK; i++) between[i] += i < 4 ? word(a, i) : word(b, i - 4);
        }
    }
#pragma unroll
    for (int i = 0; i < CHUNK; i++) sums[i] += between[i] * times;
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
        const int times = end == 0 ? above : below;
        if (times == 0) continue;
        Lines<T, 1> border;
        src.read(end * src.bottom, border);
        add(src, border.row[0], times, sums);
    }
    const int from = max(first, 0), to = min(last, src.bottom) + 1;
    if (from >= to) return;
    if (c.totals == nullptr) {
        add_rows<4>(src, from, to, sums);
    } else {
        add_above(c, src, from, -1, sums);
        add_above(c, src, to, 1, sums);
    }
}

// sums + samples that enter - samples that leave.
__device__ __forceinline__ void move(const uint2& in, const uint2& out, u32 (&sums)[CHUNK]) {
#pragma unroll
    for (int i = 0; i < CHUNK; i++) {
        const u32 two = __byte_perm(word(in, i / 4), word(out, i / 4), i % 4 < 2 ? 0x5140 : 0x7362);
        sums[i] = dot_signed(two, i % 2 == 0 ? 0x0000ff01 : 0xff010000, sums[i]);
    }
}
__device__ __forceinline__ void move(const uint4& in, const uint4& out, u32 (&sums)[CHUNK]) {
#pragma unroll
    for (int i = 0; i < CHUNK; i++) {
        const u32 two = __byte_perm(word(in, i / 2), word(out, i / 2), i % 2 == 0 ? 0x5410 : 0x7632);
        sums[i] = dot_halves(two, 0xff01, sums[i]);
    }
}

// The sums of windows that move down the plane, of eight columns. What enters them next, and what leaves, is read ahead.
template <typename T, int ROWS>
struct Window {
    const Columns<T> src;
    const int radius;
    const bool plain;  // whether what the warp reads is what counts
    u32 columns[CHUNK];
    Lines<T, ROWS> entering, leaving;

    __device__ __forceinline__ Window(const Box& p, const Component& c, const Part& part)
        : src(c.src, part.x), radius(p.radius_h), plain(src.is_plain()) {
        read_ahead(part.top);
        sum_columns(c, src, part.top - 1 - radius, part.top - 1 + radius, columns);
    }

    __device__ __forceinline__ void read_ahead(int y) {
        src.read(y + radius, entering);
        src.read(y - 1 - radius, leaving);
    }

    // Moves to the row whose samples are number r of those that were read.
    __device__ __forceinline__ void move(int r) {
        if (!plain) {
            entering.row[r] = src.lanes(entering.row[r]);
            leaving.row[r] = src.lanes(leaving.row[r]);
        }
        ::move(entering.row[r], leaving.row[r], columns);
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

// Adds the value of the thread so far to the left in the warp, if there is one, which the exchange shows.
__device__ __forceinline__ void add_left(u32& value, int distance) {
    // Volatile: all lanes must be there, so it must not be moved into a branch.
    asm volatile(
        "{ .reg .pred there; .reg .u32 left; shfl.sync.up.b32 left|there, %0, %1, 0, 0xffffffff;"
        " @there add.u32 %0, %0, left; }"
        : "+r"(value)
        : "r"(distance));
}
__device__ __forceinline__ void add_left(u64& value, int distance) {
    const u64 left = __shfl_up_sync(~0u, value, distance);
    if (int(threadIdx.x % 32) >= distance) value += left;
}

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
        for (int r = 0; r < ROWS; r++) add_left(before[r], distance);
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
        const bool words = sizeof(T) == 2 && writes_words(c.dst, part.x);
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
                if (y + r >= part.end) continue;
                if (words) {
                    write_words(p, at<u8>(c.dst, 0, y + r) + 2 * part.x, up, sums[r]);
                } else {
                    write_means<T>(p, c, part.x, y + r, up, sums[r]);
                }
            }
        }
    }
};

template <typename T, typename Blur>
__device__ __forceinline__ void run(const Box& p) {
    blur_part<T>(p.component, p.halo, [&](const Component& c, const Part& part) { Blur::blur(p, c, part); });
}

// Of eight columns the sums of all rows down to the end of every band. Past the last column it repeats. A block has all bands
// of some chunks of columns; a warp, those of some bands below each other.
template <typename T>
__device__ __forceinline__ void total(const Box& p) {
    constexpr int WARP_BANDS = 32 / TOTAL_CHUNKS;
    // By column, then by warp.
    __shared__ u32 of_warps[TOTAL_CHUNKS * CHUNK][BANDS / WARP_BANDS + 1];
    const Component& c = p.component[blockIdx.y];
    if (c.totals == nullptr) return;
    const int chunk = threadIdx.x % TOTAL_CHUNKS, band = threadIdx.x / TOTAL_CHUNKS, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int x = int(blockIdx.x * TOTAL_CHUNKS + chunk) * CHUNK;
    // Whole warps take part in the choice of how to read.
    const Columns<T> src(c.src, x);
    const int rows = band_rows(c.src), top = band * rows;
    u32 sums[CHUNK] = {};
    add_rows<TOTAL_STEP>(src, min(top, src.bottom + 1), min(top + rows, src.bottom + 1), sums);
#pragma unroll
    for (int distance = TOTAL_CHUNKS; distance < 32; distance *= 2) {
#pragma unroll
        for (int i = 0; i < CHUNK; i++) {
            const u32 above = __shfl_up_sync(~0u, sums[i], distance);
            if (lane >= distance) sums[i] += above;
        }
    }
    if (lane >= 32 - TOTAL_CHUNKS) {
#pragma unroll
        for (int i = 0; i < CHUNK; i++) of_warps[chunk * CHUNK + i][warp] = sums[i];
    }
    __syncthreads();
    // A warp has a column; a thread, what a warp had of it.
    u32 upto = of_warps[warp][lane];
    const u32 own = upto;
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
        const u32 above = __shfl_up_sync(~0u, upto, distance);
        if (lane >= distance) upto += above;
    }
    of_warps[warp][lane] = upto - own;
    __syncthreads();
    if (x >= int(c.columns) || top > src.bottom) return;
#pragma unroll
    for (int i = 0; i < CHUNK; i++) sums[i] += of_warps[chunk * CHUNK + i][warp];
    uint4* const to = reinterpret_cast<uint4*>(c.totals + u64(u32(band)) * c.columns + x);
    to[0] = make_uint4(sums[0], sums[1], sums[2], sums[3]);
    to[1] = make_uint4(sums[4], sums[5], sums[6], sums[7]);
}

// The blocks are those that a multiprocessor shall have room for: so a block's first window takes no registers from its rows.
#define BOX(name, threads, blocks, T, ...) \
    extern "C" __global__ void __launch_bounds__(threads, blocks) box_##name(const Box p) { run<T, __VA_ARGS__>(p); }
BOX(u8, 256, 2, u8, Wide<u8, u32, 2>)
BOX(u16, 256, 2, u16, Wide<u16, u32, 2>)
BOX(wide_u8, 256, 2, u8, Wide<u8, u64, 1>)
BOX(wide_u16, 256, 2, u16, Wide<u16, u64, 1>)
BOX(w1_u8, 32, 16, u8, Narrow<u8, 1, 4>)
BOX(w1_u16, 32, 20, u16, Narrow<u16, 1, 2>)
BOX(w2_u8, 32, 16, u8, Narrow<u8, 2, 4>)
BOX(w2_u16, 32, 20, u16, Narrow<u16, 2, 2>)
BOX(w3_u8, 32, 16, u8, Narrow<u8, 3, 4>)
BOX(w3_u16, 32, 20, u16, Narrow<u16, 3, 2>)
extern "C" __global__ void __launch_bounds__(TOTAL_THREADS) box_totals_u8(const Box p) { total<u8>(p); }
extern "C" __global__ void __launch_bounds__(TOTAL_THREADS) box_totals_u16(const Box p) { total<u16>(p); }
