// convolve on tensor cores: weighted sums of samples, of any window, as products of matrices of bytes.
//
// For each row of a window, sixteen sums side by side are a matrix of weights times the samples of the columns that they reach:
// row m of it has the row's weights from column m on. Columns of the other matrix are eight rows of the picture. Samples of 16
// bits, and weights of more than 8, are cut into bytes, whose sums are put together at the end: all is integers, so the results
// are those of cuda/convolve.cu. A radius of 30 takes a twelfth of the time that it takes there.

#include "convolve.cuh"
#include "generated/convolve_tensor.cuh"

// As src/filters/convolve/tensor.rs has it: rows of a block, eight for each of its warps.
constexpr int ROWS = 64;
constexpr int TILES = COLUMNS / 16;  // of sixteen columns, which a warp makes at once
constexpr int STAGED = COLUMNS + 4;  // lanes from one row of results in shared memory to the next

// Words of a row of samples, four times an odd number: eight rows then meet every bank.
template <int CHUNKS>
constexpr int PITCH = (COLUMNS - 16) / 4 + 8 * CHUNKS;

// sums += weights times samples; weights have signs or not.
template <bool SIGNED>
__device__ __forceinline__ void multiply(int (&sums)[4], const uint4& weights, u32 first, u32 second) {
    if (SIGNED) {
        asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
            : "+r"(sums[0]), "+r"(sums[1]), "+r"(sums[2]), "+r"(sums[3])
            : "r"(weights.x), "r"(weights.y), "r"(weights.z), "r"(weights.w), "r"(first), "r"(second));
    } else {
        asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
            : "+r"(sums[0]), "+r"(sums[1]), "+r"(sums[2]), "+r"(sums[3])
            : "r"(weights.x), "r"(weights.y), "r"(weights.z), "r"(weights.w), "r"(first), "r"(second));
    }
}

// The bytes of four samples from (x, y) on, where x is a multiple of four: of 8-bit samples one each, else the low ones and the
// high ones. Beyond the border the nearest counts.
template <int BYTES>
__device__ __forceinline__ void read_bytes(const Plane& src, int x, int y, u32 (&bytes)[BYTES]) {
    if (BYTES == 1 && src.step == 1 && src.width % 4 == 0 && vectors_fit(src, 4)) {
        const u32 word = __ldg(reinterpret_cast<const u32*>(at<u8>(src, inside(x, src.width) & ~3, y)));
        bytes[0] = __byte_perm(word, 0, x < 0 ? 0x0000 : x < int(src.width) ? 0x3210 : 0x3333);
        return;
    }
    const uint4 four = four_lanes(src, x, y);
    const u32 two = __byte_perm(four.x, four.y, 0x5140), more = __byte_perm(four.z, four.w, 0x5140);
    bytes[BYTES - 1] = __byte_perm(two, more, 0x7632);
    if (BYTES == 2) bytes[0] = __byte_perm(two, more, 0x5410);
}

template <int BYTES, int WEIGHT_BYTES, int CHUNKS>
__device__ __forceinline__ void convolve(const WindowArgs& args, const ConvolveTensor& k) {
    constexpr int WORDS = PITCH<CHUNKS>, CLASSES = BYTES + WEIGHT_BYTES - 1;
    const Place place(args, ROWS, blockIdx.x);
    const WindowComponent& c = place.c;
    const int left = place.left, top = place.top;
    if (!c.computes) return pass_on<COLUMNS, THREADS>(c.src, c.dst, left, top, ROWS);

    u32* const tile = reinterpret_cast<u32*>(shared);
    const int rows = ROWS + 2 * k.radius_h, plane = rows * WORDS;
#pragma unroll 4
    for (int i = threadIdx.x; i < plane; i += THREADS) {
        u32 bytes[BYTES];
        read_bytes<BYTES>(c.src, left - k.before + i % WORDS * 4, inside(top + i / WORDS - k.radius_h, c.src.height), bytes);
#pragma unroll
        for (int b = 0; b < BYTES; b++) tile[b * plane + i] = bytes[b];
    }
    __syncthreads();

    // Sums by the place of their lowest byte.
    int sums[CLASSES][TILES][4] = {};
    const int lane = threadIdx.x % 32, first_row = threadIdx.x / 32 * 8;
    const u32* row = tile + (first_row + lane / 4) * WORDS + lane % 4;
    const uint4* weights = k.fragments + lane;
    for (int v = 0; v <= 2 * k.radius_h; v++, row += WORDS) {
        uint4 fragments[CHUNKS][WEIGHT_BYTES];
#pragma unroll
        for (int j = 0; j < CHUNKS; j++)
#pragma unroll
            for (int w = 0; w < WEIGHT_BYTES; w++, weights += 32) fragments[j][w] = __ldg(weights);
#pragma unroll
        for (int b = 0; b < BYTES; b++) {
            u32 samples[TILES + 2 * CHUNKS - 1];
#pragma unroll
            for (int i = 0; i < TILES + 2 * CHUNKS - 1; i++) samples[i] = row[b * plane + 4 * i];
#pragma unroll
            for (int j = 0; j < CHUNKS; j++)
#pragma unroll
                for (int t = 0; t < TILES; t++) {
                    multiply<true>(sums[b + WEIGHT_BYTES - 1][t], fragments[j][WEIGHT_BYTES - 1], samples[t + 2 * j], samples[t + 2 * j + 1]);
                    if (WEIGHT_BYTES == 2) multiply<false>(sums[b][t], fragments[j][0], samples[t + 2 * j], samples[t + 2 * j + 1]);
                }
        }
    }

    // A thread has results of columns eight apart: by way of shared memory they are stored side by side.
    __syncthreads();
    u16* const staged = reinterpret_cast<u16*>(shared);
#pragma unroll
    for (int t = 0; t < TILES; t++)
#pragma unroll
        for (int i = 0; i < 4; i++) {
            u32 sum = 0;
#pragma unroll
            for (int b = CLASSES - 1; b >= 0; b--) sum = (sum << 8) + u32(sums[b][t][i]);
            if (BYTES == 1) sum <<= 8;
            const int x = 16 * t + i / 2 * 8 + lane / 4, y = first_row + lane % 4 * 2 + i % 2;
            staged[y * STAGED + x] = quotient(k.quotient, int(sum - k.middle));
        }
    __syncthreads();
    for (int i = threadIdx.x; i < COLUMNS / 4 * ROWS; i += THREADS) {
        const int x = i % (COLUMNS / 4) * 4, y = i / (COLUMNS / 4);
        if (top + y >= int(c.dst.height)) continue;
        const uint2 four = *reinterpret_cast<const uint2*>(staged + y * STAGED + x);
        const int lanes[4] = {int(four.x & 0xffff), int(four.x >> 16), int(four.y & 0xffff), int(four.y >> 16)};
        store_lanes(place, x, y, lanes);
    }
}

// Kernels by the chunks of 32 columns that sixteen windows reach, and by the bytes of weights. Four blocks at once on a
// multiprocessor took 5/6 of the time of three; only those of the most sums need more registers than that leaves.
#define CONVOLVE(name, bytes, weight_bytes, chunks) \
    extern "C" __global__ void __launch_bounds__(THREADS, bytes + weight_bytes == 4 ? 2 : 4) convolve_##name(const WindowArgs args, const ConvolveTensor k) { \
        convolve<bytes, weight_bytes, chunks>(args, k); \
    }
#define CONVOLVES(chunks) \
    CONVOLVE(u8_##chunks##_1, 1, 1, chunks) \
    CONVOLVE(u8_##chunks##_2, 1, 2, chunks) \
    CONVOLVE(u16_##chunks##_1, 2, 1, chunks) \
    CONVOLVE(u16_##chunks##_2, 2, 2, chunks)
CONVOLVES(1)
CONVOLVES(2)
CONVOLVES(3)
