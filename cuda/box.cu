// box: the mean of the window around every sample.
//
// A block walks down some rows of a strip of columns. A thread keeps the sums of eight columns of the window: with each
// row one sample enters every sum and one leaves it. Sums of the strip's columns from its left edge on then go to shared
// memory, where the sum of any window is the difference of two. So the work is the same for every radius, but for the
// first window of a block: where that is high, it is added up from sums of sixteen rows (`box_totals_*`). Windows of up to
// seven columns are summed from the neighbours' columns instead, inside a warp (`box_w*`).

#include "common/strip.cuh"

// Mirrors `Component` of src/filters/boxblur/cuda.rs.
struct Component {
    Plane src;
    Plane dst;
    u32* totals;         // sums of 16 rows of every column, stored values; null where windows are low
    u32 totals_columns;  // columns in a row of them, a multiple of 8
    u32 blurs;           // 0: the plane is passed on
    u32 across;          // strips side by side
    u32 rows;            // rows of a block
    u32 blocks;          // blocks of the component
};
static_assert(sizeof(Component) == 80, "Component differs from the host's");
LAYOUT(Component, src, 0);
LAYOUT(Component, dst, 24);
LAYOUT(Component, totals, 48);
LAYOUT(Component, totals_columns, 56);
LAYOUT(Component, blurs, 60);
LAYOUT(Component, across, 64);
LAYOUT(Component, rows, 68);
LAYOUT(Component, blocks, 72);

// Mirrors `Args` of src/filters/boxblur/cuda.rs.
struct Box {
    Component component[3];
    u32 radius_w;
    u32 radius_h;
    u32 halo;                           // chunks of a strip at each end that only help others
    u32 count, bias, inverse, shift;    // `Mean` of src/filters/boxblur/mean.rs
};
static_assert(sizeof(Box) == 272, "Box differs from the host's");
LAYOUT(Box, component, 0);
LAYOUT(Box, radius_w, 240);
LAYOUT(Box, radius_h, 244);
LAYOUT(Box, halo, 248);
LAYOUT(Box, count, 252);
LAYOUT(Box, bias, 256);
LAYOUT(Box, inverse, 260);
LAYOUT(Box, shift, 264);

constexpr int TOTAL_ROWS = 16;    // rows of a total
constexpr int TOTAL_THREADS = 128;
constexpr int MOST_WARPS = 8;     // of a block

extern __shared__ u64 shared[];

// The mean of a window of values that are stored `up` bits below v16. `Sum` is u32 for up to 65535 samples.
__device__ __forceinline__ u32 mean(const Box& p, u32 sum, u32 up) {
    return __umulhi((sum << up) + p.bias, p.inverse) >> p.shift;
}
__device__ __forceinline__ u32 mean(const Box& p, u64 sum, u32 up) {
    sum = (sum << up) + p.bias;
    const u32 q = __umulhi(u32(sum >> 5), p.inverse) >> p.shift;
    return q + (u32(sum) - q * p.count >= p.count);
}

// Adds the totals of the eight columns from x on, of the rows from `index` times 16 on.
__device__ __forceinline__ void add_totals(const Component& c, int x, int index, u32 (&sums)[CHUNK]) {
    const u32* const row = c.totals + u64(index) * c.totals_columns;
    if (x < 0 || x >= int(c.src.width)) {
        const u32 total = __ldg(row + (x < 0 ? 0 : c.src.width - 1));
#pragma unroll
        for (int i = 0; i < CHUNK; i++) sums[i] += total;
        return;
    }
    const uint4 a = __ldg(reinterpret_cast<const uint4*>(row + x)), b = __ldg(reinterpret_cast<const uint4*>(row + x) + 1);
#pragma unroll
    for (int i = 0; i < CHUNK; i++) sums[i] += i < 4 ? word(a, i) : word(b, i - 4);
}

// The sums of eight columns over the rows from `first` to `last`, which may lie above or below the plane.
template <typename T>
__device__ __forceinline__ void sum_columns(
    const Component& c, const Reader<T>& src, int x, int first, int last, u32 (&sums)[CHUNK]) {
    const int bottom = c.src.height - 1;
    const int from = max(first, 0), to = min(last, bottom);
#pragma unroll
    for (int i = 0; i < CHUNK; i++) sums[i] = 0;
    if (first < 0) src.add(x, 0, min(last, -1) - first + 1, sums);
    if (last > bottom) src.add(x, bottom, last - max(first, bottom + 1) + 1, sums);
    int y = from;
    if (c.totals != nullptr) {
        const int begin = (from + TOTAL_ROWS - 1) / TOTAL_ROWS, end = (to + 1) / TOTAL_ROWS;
        if (begin < end) {
            for (; y < begin * TOTAL_ROWS; y++) src.add(x, y, 1, sums);
            for (int index = begin; index < end; index++) add_totals(c, x, index, sums);
            y = end * TOTAL_ROWS;
        }
    }
#pragma unroll 4
    for (; y <= to; y++) src.add(x, y, 1, sums);
}

// The sums of a strip's columns from its left edge up to each of this thread's.
template <typename Sum>
__device__ __forceinline__ void sum_strip(const u32 (&columns)[CHUNK], Sum (&sums)[CHUNK], Sum (&ends)[MOST_WARPS]) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    sums[0] = columns[0];
#pragma unroll
    for (int i = 1; i < CHUNK; i++) sums[i] = sums[i - 1] + columns[i];
    const Sum own = sums[CHUNK - 1];
    Sum total = own;
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
        const Sum left = __shfl_up_sync(~0u, total, distance);
        if (lane >= distance) total += left;
    }
    Sum before = total - own;
    if (blockDim.x > 32) {
        if (lane == 31) ends[warp] = total;
        __syncthreads();
        for (int w = 0; w < warp; w++) before += ends[w];
    }
#pragma unroll
    for (int i = 0; i < CHUNK; i++) sums[i] += before;
}

// The sums of the windows around this thread's columns, from sums of the whole strip in shared memory.
template <typename Sum>
struct Strip {
    // Two of each: a row's values are read while the next row's are written, and one barrier keeps them apart.
    static __device__ __forceinline__ void sum(const u32 (&columns)[CHUNK], int y, int radius, Sum (&sums)[CHUNK]) {
        __shared__ Sum ends[2][MOST_WARPS];
        sum_strip(columns, sums, ends[y & 1]);
        Sum* const own = reinterpret_cast<Sum*>(shared) + ((y & 1) * blockDim.x + threadIdx.x) * STRIDE;
#pragma unroll
        for (int i = 0; i < CHUNK; i++) own[i] = sums[i];
        __syncthreads();
        // The ends of a strip, whose windows reach beyond it, write nothing.
        if (int(threadIdx.x * CHUNK) <= radius || int((blockDim.x - threadIdx.x - 1) * CHUNK) < radius) return;
#pragma unroll
        for (int i = 0; i < CHUNK; i++) {
            // Past every eight columns lies one word that is not used.
            const int right = i + radius, left = i - radius - 1;
            sums[i] = own[right + (right >> 3)] - own[left + (left >> 3)];
        }
    }
};

// The same for a strip of one warp and a radius up to eight, from the columns of the neighbours in the warp.
template <int RADIUS>
struct Warp {
    static __device__ __forceinline__ void sum(const u32 (&columns)[CHUNK], int, int, u32 (&sums)[CHUNK]) {
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
};

// Blurs samples of type T. `Windows` makes sums of type `Sum`.
template <typename T, typename Sum, typename Windows>
__device__ __forceinline__ void blur(const Box& p) {
    u32 block = blockIdx.x, index = 0;
    while (block >= p.component[index].blocks) block -= p.component[index++].blocks;
    const Component& c = p.component[index];
    const int threads = blockDim.x, thread = threadIdx.x, halo = p.halo;
    const int height = c.src.height, radius_h = p.radius_h;
    const int x = int(block % c.across * (threads - 2 * halo) + thread - halo) * CHUNK;
    const int top = block / c.across * c.rows, end = min(top + int(c.rows), height);
    const bool writes = thread >= halo && thread < threads - halo && x < int(c.src.width);
    if (!c.blurs) {
        if (writes) copy(c, x, top, end);
        return;
    }

    const Reader<T> src(c.src);
    // Eight bits are always eight below v16, and never YC48.
    const bool eight = sizeof(T) == 1, round = eight || c.dst.sample != SAMPLE_I16;
    const u32 sign = round ? 0 : 0x8000u, up = eight ? 8 : c.src.shift;
    u32 columns[CHUNK];
    sum_columns(c, src, x, top - 1 - radius_h, top - 1 + radius_h, columns);
    typename Chunk<T>::Words next = src.read(x, min(top + radius_h, height - 1));
    typename Chunk<T>::Words next_old = src.read(x, max(top - 1 - radius_h, 0));
    for (int y = top; y < end; y++) {
        const typename Chunk<T>::Words entering = src.lanes(next), leaving = src.lanes(next_old);
        if (y + 1 < end) {
            next = src.read(x, min(y + 1 + radius_h, height - 1));
            next_old = src.read(x, max(y - radius_h, 0));
        }
#pragma unroll
        for (int i = 0; i < CHUNK; i++) {
            columns[i] += Chunk<T>::sample(entering, i) - Chunk<T>::sample(leaving, i);
        }
        Sum sums[CHUNK];
        Windows::sum(columns, y, p.radius_w, sums);
        if (!writes) continue;
        u32 v[1][CHUNK];
#pragma unroll
        for (int i = 0; i < CHUNK; i++) v[0][i] = mean(p, sums[i], up) ^ sign;
        write(c, x, y, round, v);
    }
}

// Sums of sixteen rows of eight columns. Past the last column it repeats.
template <typename T>
__device__ __forceinline__ void total(const Box& p) {
    const Component& c = p.component[blockIdx.y];
    if (c.totals == nullptr) return;
    const u32 across = c.totals_columns / CHUNK, index = blockIdx.x * TOTAL_THREADS + threadIdx.x;
    const int x = index % across * CHUNK, top = index / across * TOTAL_ROWS;
    if (top >= int(c.src.height)) return;
    const Reader<T> src(c.src);
    u32 sums[CHUNK] = {};
#pragma unroll 4
    for (int y = top; y < min(top + TOTAL_ROWS, int(c.src.height)); y++) src.add(x, y, 1, sums);
    uint4* const to = reinterpret_cast<uint4*>(c.totals + u64(index / across) * c.totals_columns + x);
    to[0] = make_uint4(sums[0], sums[1], sums[2], sums[3]);
    to[1] = make_uint4(sums[4], sums[5], sums[6], sums[7]);
}

#define BOX(name, threads, ...) \
    extern "C" __global__ void __launch_bounds__(threads) box_##name(const Box p) { __VA_ARGS__(p); }
BOX(u8, 256, blur<u8, u32, Strip<u32>>)
BOX(u16, 256, blur<u16, u32, Strip<u32>>)
BOX(wide_u8, 256, blur<u8, u64, Strip<u64>>)
BOX(wide_u16, 256, blur<u16, u64, Strip<u64>>)
BOX(w1_u8, 32, blur<u8, u32, Warp<1>>)
BOX(w1_u16, 32, blur<u16, u32, Warp<1>>)
BOX(w2_u8, 32, blur<u8, u32, Warp<2>>)
BOX(w2_u16, 32, blur<u16, u32, Warp<2>>)
BOX(w3_u8, 32, blur<u8, u32, Warp<3>>)
BOX(w3_u16, 32, blur<u16, u32, Warp<3>>)
BOX(totals_u8, TOTAL_THREADS, total<u8>)
BOX(totals_u16, TOTAL_THREADS, total<u16>)
