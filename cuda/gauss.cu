// gauss: weighted sums over columns, then over rows, in integers.
//
// A block walks down some rows of a strip of columns. A thread sums eight columns, from rows that the cache has from the
// rows before; the strip's sums go to shared memory, from where every thread takes those around its own columns.
//
// Of 8-bit samples and small radii, a thread keeps all rows that it needs in registers, four rows of a column to a word,
// and weighs four at a time (`gauss_near*_u8`).

#include "common/dot.cuh"
#include "gauss.cuh"

constexpr int ROWS = 4;  // of a word

// The weighted sums of eight columns around row y. Behind the last weight stand zeros.
template <typename T>
__device__ __forceinline__ void sum_columns(
    const Columns<T>& src, const u32* weights, int radius, int y, u32 (&sums)[CHUNK]) {
    typedef typename Chunk<T>::Words Words;
    Lines<T, 1> at;
    Lines<T, ROWS> above, below;
    src.read(y, at);
    const Words middle = src.lanes(at.row[0]);
#pragma unroll
    for (int i = 0; i < CHUNK; i++) sums[i] = weights[0] * Chunk<T>::sample(middle, i);
    for (int r = 1; r <= radius; r += ROWS) {
        src.read(y - r - (ROWS - 1), above);
        src.read(y + r, below);
#pragma unroll
        for (int k = 0; k < ROWS; k++) {
            const Words a = src.lanes(above.row[ROWS - 1 - k]), b = src.lanes(below.row[k]);
            const u32 weight = weights[r + k];
#pragma unroll
            for (int i = 0; i < CHUNK; i++) sums[i] += weight * (Chunk<T>::sample(a, i) + Chunk<T>::sample(b, i));
        }
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

// What the threads of a block share: the weights, and behind them two rows of sums. One of these is read while the next
// is written, and one barrier keeps them apart.
extern __shared__ u32 shared[];
constexpr int SHARED_WEIGHTS = 200;

__device__ __forceinline__ void copy_weights(const Gauss& p) {
    for (int r = threadIdx.x; r < SHARED_WEIGHTS; r += blockDim.x) shared[r] = __ldg(p.weights + r);
    __syncthreads();
}

// From the sums of a row's columns, in v16 times the weights, to the row's results. All threads of a block take part.
__device__ __forceinline__ void finish_row(
    const Gauss& p, const Component& c, const Part& part, int y, const u32 (&sums)[CHUNK]) {
    u32* const own = shared + SHARED_WEIGHTS + (y % 2 * blockDim.x + threadIdx.x) * STRIDE;
#pragma unroll
    for (int i = 0; i < CHUNK; i++) own[i] = rounded(sums[i], WEIGHT_BITS - EXTRA_BITS);
    __syncthreads();
    if (!part.writes) return;
    u32 v[1][CHUNK];
    sum_row(shared, p.radius, own, v[0]);
    const bool round = c.dst.sample != SAMPLE_I16;
#pragma unroll
    for (int i = 0; i < CHUNK; i++) v[0][i] = rounded(v[0][i], WEIGHT_BITS + EXTRA_BITS) ^ (round ? 0 : 0x8000u);
    write(c, part.x, y, round, v);
}

template <typename T>
struct Far {
    static __device__ __forceinline__ void blur(const Gauss& p, const Component& c, const Part& part) {
        copy_weights(p);
        const Columns<T> src(c.src, part.x);
        for (int y = part.top; y < part.end; y++) {
            u32 sums[CHUNK];
            sum_columns(src, shared, p.radius, y, sums);
#pragma unroll
            for (int i = 0; i < CHUNK; i++) sums[i] <<= c.src.shift;
            finish_row(p, c, part, y, sums);
        }
    }
};

// Four rows of eight columns, with the rows of a column in a word.
struct FourRows {
    static __device__ __forceinline__ void columns(const Columns<u8>& src, const Lines<u8, ROWS>& lines, u32 (&columns)[CHUNK]) {
        uint2 row[ROWS];
#pragma unroll
        for (int r = 0; r < ROWS; r++) row[r] = src.lanes(lines.row[r]);
        transpose(row[0].x, row[1].x, row[2].x, row[3].x, columns);
        transpose(row[0].y, row[1].y, row[2].y, row[3].y, columns + 4);
    }
};

// 8-bit samples and a radius up to RADIUS, whose weights beyond the real one are zero, and those beyond HIGH have no high
// byte. The rows around four are in registers. Sums of columns go to shared memory for four rows at a time, in vectors.
template <int RADIUS, int HIGH>
struct Near {
    static constexpr int REACH = (RADIUS + ROWS - 1) / ROWS;  // words to each side, of rows and of columns alike
    static constexpr int WORDS = 2 * REACH + 1;
    static constexpr int VECTOR = 4;                          // sums

    // Whether one of the rows in word `word` is no farther than `distance` from row `row` of the four in the middle.
    static __device__ constexpr bool is_near(int word, int row, int distance) {
        const int first = (word - REACH) * ROWS;
        return first <= row + distance && first + ROWS - 1 >= row - distance;
    }

    // The sums of columns `row` of the four, kept to EXTRA_BITS below v16.
    static __device__ __forceinline__ void sum_columns(
        const Gauss& p, const u32 (&words)[WORDS][CHUNK], int row, u32 (&sums)[CHUNK]) {
#pragma unroll
        for (int j = 0; j < CHUNK; j++) {
            // Samples are eight bits below v16, and so are their sums: of 2^(WEIGHT_BITS - EXTRA_BITS) 64 are left.
            u32 high = 0, low = 32;
#pragma unroll
            for (int i = 0; i < WORDS; i++) {
                if (is_near(i, row, HIGH)) high = dot(words[i][j], p.high[row][i], high);
                if (is_near(i, row, RADIUS)) low = dot(words[i][j], p.low[row][i], low);
            }
            sums[j] = (high << 2) + (low >> 6);
        }
    }

    // The weighted sums of eight neighbours of a row, of which `own` are the columns.
    static __device__ __forceinline__ void sum_row(const u32 (&weights)[RADIUS + 1], const uint4* own, u32 (&sums)[CHUNK]) {
        u32 around[CHUNK + 2 * VECTOR * REACH];
#pragma unroll
        for (int i = 0; i < CHUNK / VECTOR + 2 * REACH; i++) {
            const uint4 four = own[i - REACH];
#pragma unroll
            for (int k = 0; k < VECTOR; k++) around[VECTOR * i + k] = word(four, k);
        }
#pragma unroll
        for (int i = 0; i < CHUNK; i++) {
            const int middle = i + VECTOR * REACH;
            sums[i] = weights[0] * around[middle];
#pragma unroll
            for (int k = 1; k <= RADIUS; k++) sums[i] += weights[k] * (around[middle - k] + around[middle + k]);
        }
    }

    static __device__ __forceinline__ void blur(const Gauss& p, const Component& c, const Part& part) {
        u32 weights[RADIUS + 1];
#pragma unroll
        for (int i = 0; i <= RADIUS; i++) weights[i] = __ldg(p.weights + i);
        const int row_vectors = blockDim.x * CHUNK / VECTOR;
        uint4* const own = reinterpret_cast<uint4*>(shared) + threadIdx.x * CHUNK / VECTOR;
        const Columns<u8> src(c.src, part.x);
        u32 words[WORDS][CHUNK];
        Lines<u8, ROWS> next;
#pragma unroll
        for (int i = 1; i < WORDS; i++) {
            src.read(part.top + (i - 1 - REACH) * ROWS, next);
            FourRows::columns(src, next, words[i]);
        }
        src.read(part.top + REACH * ROWS, next);
        for (int top = part.top; top < part.end; top += ROWS) {
#pragma unroll
            for (int i = 1; i < WORDS; i++)
#pragma unroll
                for (int j = 0; j < CHUNK; j++) words[i - 1][j] = words[i][j];
            FourRows::columns(src, next, words[WORDS - 1]);
            if (top + ROWS < part.end) src.read(top + (REACH + 1) * ROWS, next);
            __syncthreads();
#pragma unroll
            for (int row = 0; row < ROWS; row++) {
                u32 sums[CHUNK];
                sum_columns(p, words, row, sums);
                own[row * row_vectors] = make_uint4(sums[0], sums[1], sums[2], sums[3]);
                own[row * row_vectors + 1] = make_uint4(sums[4], sums[5], sums[6], sums[7]);
            }
            __syncthreads();
            if (!part.writes) continue;
#pragma unroll
            for (int row = 0; row < ROWS; row++) {
                if (top + row >= part.end) break;
                u32 sums[CHUNK];
                sum_row(weights, own + row * row_vectors, sums);
                write_row<u8>(c, part.x, top + row, sums);
            }
        }
    }
};

template <typename T, typename Blur>
__device__ __forceinline__ void run(const Gauss& p) {
    blur_part<T>(p.component, p.halo, [&](const Component& c, const Part& part) { Blur::blur(p, c, part); });
}

#define GAUSS(name, threads, blocks, T, ...) \
    extern "C" __global__ void __launch_bounds__(threads, blocks) gauss_##name(const Gauss p) { run<T, __VA_ARGS__>(p); }
GAUSS(u8, 256, 2, u8, Far<u8>)
GAUSS(u16, 256, 2, u16, Far<u16>)
GAUSS(near1_u8, 128, 5, u8, Near<1, 1>)
GAUSS(near2_u8, 128, 5, u8, Near<2, 1>)
GAUSS(near3_u8, 128, 5, u8, Near<3, 2>)
GAUSS(near4_u8, 128, 5, u8, Near<4, 3>)
GAUSS(near6_u8, 128, 4, u8, Near<6, 5>)
GAUSS(near9_u8, 128, 4, u8, Near<9, 7>)
GAUSS(near12_u8, 128, 4, u8, Near<12, 12>)
