// gauss: weighted sums over columns, then over rows, in integers.
//
// A block walks down some rows of a strip of columns. A thread sums eight columns, from rows that the cache has from the
// rows before; the strip's sums go to shared memory, from where every thread takes those around its own columns.

#include "common/strip.cuh"

// Mirrors `Component` of src/filters/gauss/cuda.rs.
struct Component {
    Plane src;
    Plane dst;
    u32 blurs;   // 0: the plane is passed on
    u32 across;  // strips side by side
    u32 rows;    // rows of a block
    u32 blocks;  // blocks of the component
};
static_assert(sizeof(Component) == 64, "Component differs from the host's");
LAYOUT(Component, src, 0);
LAYOUT(Component, dst, 24);
LAYOUT(Component, blurs, 48);
LAYOUT(Component, across, 52);
LAYOUT(Component, rows, 56);
LAYOUT(Component, blocks, 60);

// Mirrors `Args` of src/filters/gauss/cuda.rs.
struct Gauss {
    Component component[3];
    const u32* weights;  // of the middle, and of samples ever farther away
    u32 radius;
    u32 halo;            // chunks of a strip at each end that only help others
};
static_assert(sizeof(Gauss) == 208, "Gauss differs from the host's");
LAYOUT(Gauss, component, 0);
LAYOUT(Gauss, weights, 192);
LAYOUT(Gauss, radius, 200);
LAYOUT(Gauss, halo, 204);

// As src/filters/gauss/weights.rs has them.
constexpr u32 WEIGHT_BITS = 15, EXTRA_BITS = 1;
constexpr int MOST_WEIGHTS = 193;
constexpr int MOST_THREADS = 256;

// Drops `bits` bits, rounding half up.
__device__ __forceinline__ u32 rounded(u32 sum, u32 bits) { return (sum + (1u << (bits - 1))) >> bits; }

// The weighted sums of eight columns around row y.
template <typename T>
__device__ __forceinline__ void sum_columns(
    const Reader<T>& src, const u32* weights, int radius, int x, int y, int bottom, u32 (&sums)[CHUNK]) {
    const typename Chunk<T>::Words middle = src.lanes(src.read(x, y));
#pragma unroll
    for (int i = 0; i < CHUNK; i++) sums[i] = weights[0] * Chunk<T>::sample(middle, i);
#pragma unroll 3
    for (int r = 1; r <= radius; r++) {
        const typename Chunk<T>::Words a = src.lanes(src.read(x, max(y - r, 0)));
        const typename Chunk<T>::Words b = src.lanes(src.read(x, min(y + r, bottom)));
        const u32 weight = weights[r];
#pragma unroll
        for (int i = 0; i < CHUNK; i++) sums[i] += weight * (Chunk<T>::sample(a, i) + Chunk<T>::sample(b, i));
    }
}

// The weighted sums of eight neighbours of a row. `at(column)` reads the column so far from this thread's first.
//
// One step farther out, each of the eight windows takes the value that its neighbour had: of the sixteen that a step
// adds, two are new. Column c is kept at c % 8, so nothing moves.
template <typename At>
__device__ __forceinline__ void sum_row(const u32* weights, int radius, At at, u32 (&sums)[CHUNK]) {
    u32 left[CHUNK], right[CHUNK];
#pragma unroll
    for (int i = 0; i < CHUNK; i++) {
        left[i] = right[i] = at(i);
        sums[i] = weights[0] * left[i];
    }
    for (int from = 0; from < radius; from += CHUNK) {
#pragma unroll
        for (int step = 1; step <= CHUNK; step++) {
            const int r = from + step;
            if (r > radius) break;
            left[-step & 7] = at(-r);
            right[(7 + step) & 7] = at(7 + r);
            const u32 weight = weights[r];
#pragma unroll
            for (int i = 0; i < CHUNK; i++) sums[i] += weight * (left[(i - step) & 7] + right[(i + step) & 7]);
        }
    }
}

template <typename T>
__device__ __forceinline__ void blur(const Gauss& p) {
    // Two rows of sums: one is read while the next is written, and one barrier keeps them apart.
    __shared__ u32 strips[2][CHUNK * MOST_THREADS];
    __shared__ u32 weights[MOST_WEIGHTS];

    u32 block = blockIdx.x, index = 0;
    while (block >= p.component[index].blocks) block -= p.component[index++].blocks;
    const Component& c = p.component[index];
    const int threads = blockDim.x, thread = threadIdx.x, halo = p.halo, radius = p.radius;
    const int height = c.src.height;
    const int x = int(block % c.across * (threads - 2 * halo) + thread - halo) * CHUNK;
    const int top = block / c.across * c.rows, end = min(top + int(c.rows), height);
    const bool writes = thread >= halo && thread < threads - halo && x < int(c.src.width);
    if (!c.blurs) {
        if (writes) copy(c, x, top, end);
        return;
    }

    for (int r = thread; r <= radius; r += threads) weights[r] = __ldg(p.weights + r);
    __syncthreads();
    const Reader<T> src(c.src);
    const bool round = c.dst.sample != SAMPLE_I16;
    const u32 sign = round ? 0 : 0x8000u, up = c.src.shift;
    for (int y = top; y < end; y++) {
        u32 sums[CHUNK];
        sum_columns(src, weights, radius, x, y, height - 1, sums);
        // Column 8t + i lies at i * threads + t, so that neighbours in a warp read neighbours.
        u32* const strip = strips[y % 2];
#pragma unroll
        for (int i = 0; i < CHUNK; i++) {
            strip[i * threads + thread] = rounded(sums[i] << up, WEIGHT_BITS - EXTRA_BITS);
        }
        __syncthreads();
        if (!writes) continue;
        u32 v[1][CHUNK];
        sum_row(weights, radius, [=](int column) { return strip[(column & 7) * threads + thread + (column >> 3)]; }, v[0]);
#pragma unroll
        for (int i = 0; i < CHUNK; i++) v[0][i] = rounded(v[0][i], WEIGHT_BITS + EXTRA_BITS) ^ sign;
        write(c, x, y, round, v);
    }
}

extern "C" __global__ void __launch_bounds__(MOST_THREADS) gauss_u8(const Gauss p) { blur<u8>(p); }
extern "C" __global__ void __launch_bounds__(MOST_THREADS) gauss_u16(const Gauss p) { blur<u16>(p); }
