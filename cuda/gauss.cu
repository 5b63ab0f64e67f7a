// gauss: weighted sums over columns, then over rows, in integers.
//
// A block walks down some rows of a strip of columns. A thread sums eight columns, from rows that the cache has from the
// rows before; the strip's sums go to shared memory, from where every thread takes those around its own columns.
//
// Of 8-bit samples and small radii, a thread keeps all rows that it needs in registers, four rows of a column to a word,
// and weighs four at a time (`gauss_near*_u8`).

#include "common/dot.cuh"
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

constexpr int ROWS = 4;        // of a word
constexpr int MOST_WORDS = 7;  // of a column around one

// Mirrors `Args` of src/filters/gauss/cuda.rs.
struct Gauss {
    Component component[3];
    const u32* weights;  // of the middle, and of samples ever farther away
    u32 radius;
    u32 halo;            // chunks of a strip at each end that only help others
    // For each row of a word and every word around it, the weights of that word's rows: their high and low bytes.
    u32 high[ROWS][MOST_WORDS];
    u32 low[ROWS][MOST_WORDS];
};
static_assert(sizeof(Gauss) == 432, "Gauss differs from the host's");
LAYOUT(Gauss, component, 0);
LAYOUT(Gauss, weights, 192);
LAYOUT(Gauss, radius, 200);
LAYOUT(Gauss, halo, 204);
LAYOUT(Gauss, high, 208);
LAYOUT(Gauss, low, 320);

// As src/filters/gauss/weights.rs has them.
constexpr u32 WEIGHT_BITS = 15, EXTRA_BITS = 1;
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

// The weighted sums of eight neighbours of a row, from the columns around `own`, the first of them.
//
// One step farther out, each of the eight windows takes the value that its neighbour had: of the sixteen that a step
// adds, two are new. Column c is kept at c % 8, so nothing moves.
__device__ __forceinline__ void sum_row(const u32* weights, int radius, const u32* own, u32 (&sums)[CHUNK]) {
    u32 left[CHUNK], right[CHUNK];
#pragma unroll
    for (int i = 0; i < CHUNK; i++) {
        left[i] = right[i] = own[i];
        sums[i] = weights[0] * own[i];
    }
    const u32 *before = own, *behind = own;
    for (; radius > 0; radius -= CHUNK) {
        // The columns of the next thread to the left and to the right.
        before -= STRIDE;
        behind += STRIDE;
#pragma unroll
        for (int step = 1; step <= CHUNK; step++) {
            if (step > radius) break;
            left[CHUNK - step] = before[CHUNK - step];
            right[step - 1] = behind[step - 1];
            const u32 weight = weights[step];
#pragma unroll
            for (int i = 0; i < CHUNK; i++) sums[i] += weight * (left[(i - step) & 7] + right[(i + step) & 7]);
        }
        weights += CHUNK;
    }
}

// A block's part of a plane.
struct Part {
    const Component& c;
    int x;         // this thread's first column
    int top, end;  // rows
    bool writes;   // whether they are this thread's to write

    __device__ __forceinline__ Part(const Gauss& p, const Component& c, u32 block) : c(c) {
        const int threads = blockDim.x, thread = threadIdx.x, halo = p.halo;
        x = int(block % c.across * (threads - 2 * halo) + thread - halo) * CHUNK;
        top = block / c.across * c.rows;
        end = min(top + int(c.rows), int(c.src.height));
        writes = thread >= halo && thread < threads - halo && x < int(c.src.width);
    }
};

// The part of block `block` of the grid.
__device__ __forceinline__ Part part_of(const Gauss& p, u32 block) {
    u32 index = 0;
    while (block >= p.component[index].blocks) block -= p.component[index++].blocks;
    return Part(p, p.component[index], block);
}

// What the threads of a block share: the weights, and behind them two rows of sums. One of these is read while the next
// is written, and one barrier keeps them apart.
extern __shared__ u32 shared[];
constexpr int SHARED_WEIGHTS = 196;

__device__ __forceinline__ void copy_weights(const Gauss& p) {
    for (u32 r = threadIdx.x; r <= p.radius; r += blockDim.x) shared[r] = __ldg(p.weights + r);
    __syncthreads();
}

// From the sums of a row's columns, in v16 times the weights, to the row's results. All threads of a block take part.
__device__ __forceinline__ void finish_row(const Gauss& p, const Part& part, int y, const u32 (&sums)[CHUNK]) {
    u32* const own = shared + SHARED_WEIGHTS + (y % 2 * blockDim.x + threadIdx.x) * STRIDE;
#pragma unroll
    for (int i = 0; i < CHUNK; i++) own[i] = rounded(sums[i], WEIGHT_BITS - EXTRA_BITS);
    __syncthreads();
    if (!part.writes) return;
    u32 v[1][CHUNK];
    sum_row(shared, p.radius, own, v[0]);
    const bool round = part.c.dst.sample != SAMPLE_I16;
#pragma unroll
    for (int i = 0; i < CHUNK; i++) v[0][i] = rounded(v[0][i], WEIGHT_BITS + EXTRA_BITS) ^ (round ? 0 : 0x8000u);
    write(part.c, part.x, y, round, v);
}

template <typename T>
__device__ __forceinline__ void blur(const Gauss& p) {
    const Part part = part_of(p, blockIdx.x);
    const Component& c = part.c;
    if (!c.blurs) {
        if (part.writes) copy(c, part.x, part.top, part.end);
        return;
    }
    copy_weights(p);
    const Reader<T> src(c.src);
    const int bottom = c.src.height - 1;
    for (int y = part.top; y < part.end; y++) {
        u32 sums[CHUNK];
        sum_columns(src, shared, p.radius, part.x, y, bottom, sums);
#pragma unroll
        for (int i = 0; i < CHUNK; i++) sums[i] <<= c.src.shift;
        finish_row(p, part, y, sums);
    }
}

// Four rows of eight columns as they are read, and with the rows of a column in a word.
struct FourRows {
    uint2 row[ROWS];

    __device__ __forceinline__ void read(const Reader<u8>& src, int x, int y, int bottom) {
#pragma unroll
        for (int i = 0; i < ROWS; i++) row[i] = src.read(x, min(max(y + i, 0), bottom));
    }

    static __device__ __forceinline__ void transpose(u32 a, u32 b, u32 c, u32 d, u32* columns) {
        const u32 ab = __byte_perm(a, b, 0x5140), cd = __byte_perm(c, d, 0x5140);
        columns[0] = __byte_perm(ab, cd, 0x5410);
        columns[1] = __byte_perm(ab, cd, 0x7632);
        const u32 ab_high = __byte_perm(a, b, 0x7362), cd_high = __byte_perm(c, d, 0x7362);
        columns[2] = __byte_perm(ab_high, cd_high, 0x5410);
        columns[3] = __byte_perm(ab_high, cd_high, 0x7632);
    }

    __device__ __forceinline__ void columns(u32 (&columns)[CHUNK]) const {
        transpose(row[0].x, row[1].x, row[2].x, row[3].x, columns);
        transpose(row[0].y, row[1].y, row[2].y, row[3].y, columns + 4);
    }
};

// The same for 8-bit samples, with the words of REACH times four rows above and below in registers.
template <int REACH>
__device__ __forceinline__ void blur_near(const Gauss& p) {
    constexpr int WORDS = 2 * REACH + 1;
    const Part part = part_of(p, blockIdx.x);
    const Component& c = part.c;
    if (!c.blurs) {
        if (part.writes) copy(c, part.x, part.top, part.end);
        return;
    }
    copy_weights(p);
    const Reader<u8> src(c.src);
    const int bottom = c.src.height - 1;
    u32 words[WORDS][CHUNK];
    FourRows next;
#pragma unroll
    for (int i = 1; i < WORDS; i++) {
        next.read(src, part.x, part.top + (i - 1 - REACH) * ROWS, bottom);
        next.columns(words[i]);
    }
    next.read(src, part.x, part.top + REACH * ROWS, bottom);
    for (int top = part.top; top < part.end; top += ROWS) {
#pragma unroll
        for (int i = 1; i < WORDS; i++)
#pragma unroll
            for (int j = 0; j < CHUNK; j++) words[i - 1][j] = words[i][j];
        next.columns(words[WORDS - 1]);
        if (top + ROWS < part.end) next.read(src, part.x, top + (REACH + 1) * ROWS, bottom);
#pragma unroll
        for (int row = 0; row < ROWS; row++) {
            if (top + row >= part.end) break;
            u32 sums[CHUNK];
#pragma unroll
            for (int j = 0; j < CHUNK; j++) {
                u32 high = 0, low = 0;
#pragma unroll
                for (int i = 0; i < WORDS; i++) {
                    high = dot(words[i][j], p.high[row][i], high);
                    low = dot(words[i][j], p.low[row][i], low);
                }
                sums[j] = ((high << 8) + low) << 8;  // to v16
            }
            finish_row(p, part, top + row, sums);
        }
    }
}

extern "C" __global__ void __launch_bounds__(MOST_THREADS) gauss_u8(const Gauss p) { blur<u8>(p); }
extern "C" __global__ void __launch_bounds__(MOST_THREADS) gauss_u16(const Gauss p) { blur<u16>(p); }
extern "C" __global__ void __launch_bounds__(MOST_THREADS) gauss_near1_u8(const Gauss p) { blur_near<1>(p); }
extern "C" __global__ void __launch_bounds__(MOST_THREADS) gauss_near2_u8(const Gauss p) { blur_near<2>(p); }
extern "C" __global__ void __launch_bounds__(MOST_THREADS) gauss_near3_u8(const Gauss p) { blur_near<3>(p); }
