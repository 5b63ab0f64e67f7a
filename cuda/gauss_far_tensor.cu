// gauss on tensor cores: radii beyond sixteen. One kernel sums columns, the other the rows of these sums.
//
// Both are a matrix of weights times bytes, of which 32 at a time are read: samples below one another, or sums of columns side by
// side. Row m of the matrix has the weights from column m on. So what sixteen results take of sixteen bytes is what the next
// sixteen results take of the next sixteen bytes: a warp makes several sixteens, and reads of the weights what is new to the first.
//
// Sums of columns lie in memory as the second kernel takes them: of each eight rows and patch of 32 columns, of each of their three
// bytes, 32 threads' words. A thread has columns 4 * t to 4 * t + 3 of row g, and those sixteen farther on.

#include "common/early.cuh"
#include "common/tensor.cuh"
#include "gauss.cuh"
#include "generated/gauss_far_tensor.cuh"

constexpr int SUM_BYTES = 3;  // of a column
constexpr int GROUP = 8;      // rows whose sums lie together
constexpr int LANES = 32;

// What MANY sixteens of results take of 32 bytes: sixteens of the matrix's columns, the latest first. BYTES is that of weights.
template <int BYTES, int MANY>
struct Band {
    uint2 block[BYTES][MANY + 1] = {};
    const uint2* next;

    __device__ __forceinline__ explicit Band(const uint2* fragments) : next(fragments + threadIdx.x % LANES) {}

    __device__ __forceinline__ void advance() {
#pragma unroll
        for (int w = 0; w < BYTES; w++) {
#pragma unroll
            for (int i = MANY; i > 1; i--) block[w][i] = block[w][i - 2];
            block[w][1] = __ldg(next + w * LANES);
            block[w][0] = __ldg(next + (BYTES + w) * LANES);
        }
        next += 2 * BYTES * LANES;
    }

    // Adds products of byte `w` of weights to the sums of sixteen number `i`.
    __device__ __forceinline__ void add(int w, int i, u32 first, u32 second, u32 (&sums)[4]) const {
        const uint2 &before = block[w][i + 1], &after = block[w][i];
        multiply(sums, before.x, before.y, after.x, after.y, first, second);
    }
};

// Puts together sums of bytes, the lowest first.
template <int BYTES>
__device__ __forceinline__ u32 together(const u32 (&sums)[BYTES]) {
    u32 sum = 0;
#pragma unroll
    for (int b = 0; b < BYTES; b++) sum += sums[b] << 8 * b;
    return sum;
}

// Sums columns: a warp those of a patch, in MANY times sixteen rows.
template <typename T, int WEIGHT_BYTES>
__device__ __forceinline__ void down(const GaussFar& p) {
    constexpr int BYTES = sizeof(T) + WEIGHT_BYTES - 1, MANY = BYTES == 1 ? 4 : 2;
    u32 block = blockIdx.x;
    const Component& c = component_of(p.component, block);
    const int patch = block % c.across, top = (block / c.across * WARPS + threadIdx.x / LANES) * MANY * BAND;
    if (top >= int(c.src.height)) return;
    Band<WEIGHT_BYTES, MANY> weights(p.fragments);
    u32 sums[MANY][TILES][4][BYTES] = {};
    const int end = top + MANY * BAND + int(p.reach);
    int y = top - int(p.reach);
    Samples<T, 2> samples(c.src, y);
    samples.read(patch * PATCH);
#pragma unroll 1
    while (y < end) {
        u32 columns[sizeof(T)][2][4];
#pragma unroll
        for (int b = 0; b < int(sizeof(T)); b++) samples.columns(b, columns[b]);
        y += 2 * BAND;
        if (y < end) {
            samples = Samples<T, 2>(c.src, y);
            samples.read(patch * PATCH);
        }
        weights.advance();
#pragma unroll
        for (int b = 0; b < int(sizeof(T)); b++)
#pragma unroll
            for (int w = 0; w < WEIGHT_BYTES; w++)
#pragma unroll
                for (int i = 0; i < MANY; i++)
#pragma unroll
                    for (int tile = 0; tile < TILES; tile++) {
                        u32 sum[4];
#pragma unroll
                        for (int k = 0; k < 4; k++) sum[k] = sums[i][tile][k][b + w];
                        weights.add(w, i, columns[b][0][tile], columns[b][1][tile], sum);
#pragma unroll
                        for (int k = 0; k < 4; k++) sums[i][tile][k][b + w] = sum[k];
                    }
    }

    // Of 2^WEIGHT_BITS times v16, 2^EXTRA_BITS are left.
    constexpr u32 BITS = WEIGHT_BITS - EXTRA_BITS - (sizeof(T) == 1 ? 8 : 0);
    const int lane = threadIdx.x % LANES, t = lane % 4;
    const bool is_second = t >= 2;
    uint2* to = p.sums + (p.first[&c - p.component] + top / GROUP * c.across + patch) * (SUM_BYTES * LANES) + (lane & ~3) + t % 2 * 2 + t / 2;
#pragma unroll
    for (int i = 0; i < MANY; i++) {
        Values values;
#pragma unroll
        for (int tile = 0; tile < TILES; tile++) {
            u32 four[4];
#pragma unroll
            for (int k = 0; k < 4; k++) four[k] = rounded(together(sums[i][tile][k]), BITS);
            put(values, tile, four);
        }
#pragma unroll
        for (int half = 0; half < 2; half++, to += c.across * (SUM_BYTES * LANES)) {
#pragma unroll
            for (int b = 0; b < SUM_BYTES; b++) {
                // A thread has eight columns side by side: of two threads, one takes the first four of both, the other the last.
                const u32* const own = values[half];
                const u32 pair = b | (4 + b) << 4;
                const u32 first = gather(own[0], own[1], own[2], own[3], pair), last = gather(own[4], own[5], own[6], own[7], pair);
                const u32 got = __shfl_xor_sync(~0u, is_second ? first : last, 2);
                to[b * LANES] = is_second ? make_uint2(got, last) : make_uint2(first, got);
            }
        }
    }
}

// What lies in memory of sums of eight rows. Beside the plane its first column, or its last, is repeated.
struct Sums {
    const uint2* row;
    int last;  // patch

    __device__ __forceinline__ void read(int patch, uint2 (&bytes)[SUM_BYTES]) const {
        const int lane = threadIdx.x % LANES, inside = min(max(patch, 0), last);
        const uint2* const from = row + inside * (SUM_BYTES * LANES) + (patch < 0 ? lane & ~3 : patch > last ? lane | 3 : lane);
#pragma unroll
        for (int b = 0; b < SUM_BYTES; b++) bytes[b] = from[b * LANES];
        if (patch == inside) return;
#pragma unroll
        for (int b = 0; b < SUM_BYTES; b++) {
            const u32 all = patch < 0 ? __byte_perm(bytes[b].x, 0, 0x0000) : __byte_perm(bytes[b].y, 0, 0x3333);
            bytes[b] = make_uint2(all, all);
        }
    }
};

constexpr int ACROSS = 4 * BAND;     // columns that a warp makes of eight rows
constexpr int STAGED = ACROSS + 4;  // words of shared memory from one row of them to the next

// Sums rows of those sums: a warp those of 64 columns and eight rows.
template <typename T, int WEIGHT_BYTES>
__device__ __forceinline__ void across(const GaussFar& p) {
    constexpr int BYTES = SUM_BYTES + WEIGHT_BYTES - 1, MANY = ACROSS / BAND;
    __shared__ uint4 shared[WARPS][GROUP * STAGED / 4];
    u32 block = blockIdx.x;
    const Component& c = component_of(p.component, block);
    const int warp = threadIdx.x / LANES, lane = threadIdx.x % LANES, width = c.src.width;
    const int left = (block % c.across * WARPS + warp) * ACROSS, top = block / c.across * GROUP;
    const int x = left + lane % 8 * CHUNK;
    if (left >= width) return;
    if (!c.blurs) {
        const int y = top + lane / 8 * 2;
        return copy<T>(c, x, y, min(y + 2, int(c.src.height)), x < width);
    }
    Band<WEIGHT_BYTES, MANY> weights(p.fragments);
    u32 sums[MANY][4][BYTES] = {};
    const int patches = (width + PATCH - 1) / PATCH;
    const Sums columns = {p.sums + (p.first[&c - p.component] + top / GROUP * patches) * (SUM_BYTES * LANES), patches - 1};
    const int end = (left + ACROSS + int(p.reach)) / PATCH;
    int patch = (left - int(p.reach)) / PATCH;
    uint2 ahead[SUM_BYTES];
    columns.read(patch, ahead);
#pragma unroll 1
    while (patch < end) {
        uint2 now[SUM_BYTES];
#pragma unroll
        for (int b = 0; b < SUM_BYTES; b++) now[b] = ahead[b];
        patch++;
        if (patch < end) columns.read(patch, ahead);
        weights.advance();
#pragma unroll
        for (int b = 0; b < SUM_BYTES; b++)
#pragma unroll
            for (int w = 0; w < WEIGHT_BYTES; w++)
#pragma unroll
                for (int i = 0; i < MANY; i++) {
                    u32 sum[4];
#pragma unroll
                    for (int k = 0; k < 4; k++) sum[k] = sums[i][k][b + w];
                    weights.add(w, i, now[b].x, now[b].y, sum);
#pragma unroll
                    for (int k = 0; k < 4; k++) sums[i][k][b + w] = sum[k];
                }
    }

    // A thread has columns eight apart: by way of shared memory it writes some side by side.
    u32* const staged = reinterpret_cast<u32*>(shared[warp]);
#pragma unroll
    for (int i = 0; i < MANY; i++)
#pragma unroll
        for (int k = 0; k < 4; k++)
            staged[(lane % 4 * 2 + k % 2) * STAGED + i * BAND + k / 2 * 8 + lane / 4] = together(sums[i][k]);
    __syncwarp();
#pragma unroll
    for (int row = lane / 8; row < GROUP; row += LANES / 8) {
        const uint4* const from = shared[warp] + row * (STAGED / 4) + lane % 8 * 2;
        const uint4 a = from[0], b = from[1];
        const u32 eight[CHUNK] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
        if (x < width && top + row < int(c.src.height)) write_row<T>(c, x, top + row, eight);
    }
}

#define GAUSS(T, weight_bytes, blocks) \
    extern "C" __global__ void __launch_bounds__(LANES* WARPS, blocks) gauss_far_down_##T##_##weight_bytes(const GaussFar p) { \
        wait_for_launch_before(); \
        down<T, weight_bytes>(p); \
    } \
    extern "C" __global__ void __launch_bounds__(LANES* WARPS, 4) gauss_far_across_##T##_##weight_bytes(const GaussFar p) { \
        wait_for_launch_before(); \
        across<T, weight_bytes>(p); \
    }
GAUSS(u8, 1, 4)
GAUSS(u8, 2, 4)
GAUSS(u16, 1, 4)
GAUSS(u16, 2, 3)
