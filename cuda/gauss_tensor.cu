// gauss on tensor cores: radii up to sixteen.

#include "common/tensor.cuh"
#include "gauss.cuh"
#include "generated/gauss_tensor.cuh"

// Weights have two bytes, each with its matrix, and sums of columns have three.
template <typename T, int ROWS>
struct Window {
    typedef T Sample;
    static constexpr int GROUPS = ROWS, BYTES = 3;

    const Component& component;
    Down<GROUPS> low_down, high_down;
    Across low_across, high_across;

    __device__ __forceinline__ Window(const Component& component, const u32* fragments)
        : component(component), low_down(fragments), high_down(fragments), low_across(fragments), high_across(fragments) {}

    // Of 2^WEIGHT_BITS times v16, 2^EXTRA_BITS are left.
    __device__ __forceinline__ void down(const u32 (&columns)[sizeof(T)][GROUPS][4], Values& sums) const {
        constexpr u32 BITS = WEIGHT_BITS - EXTRA_BITS - (sizeof(T) == 1 ? 8 : 0), HALF = 1 << (BITS - 1);
#pragma unroll
        for (int tile = 0; tile < TILES; tile++) {
            u32 low[4] = {HALF, HALF, HALF, HALF}, middle[4] = {}, high[4] = {};
            low_down.add(columns[0], tile, low);
            high_down.add(columns[0], tile, middle);
            if (sizeof(T) == 2) {
                low_down.add(columns[sizeof(T) - 1], tile, middle);
                high_down.add(columns[sizeof(T) - 1], tile, high);
            }
#pragma unroll
            for (int i = 0; i < 4; i++) low[i] = (low[i] + (middle[i] << 8) + (high[i] << 16)) >> BITS;
            put(sums, tile, low);
        }
    }

    __device__ __forceinline__ void across(const uint4 (&before)[BYTES], const uint4 (&now)[BYTES], Values& sums) const {
#pragma unroll
        for (int tile = 0; tile < TILES; tile++) {
            u32 sum[4] = {}, second[4] = {}, third[4] = {}, fourth[4] = {};
#pragma unroll
            for (int patch = 0; patch < 2; patch++) {
                const uint4(&bytes)[BYTES] = patch == 0 ? before : now;
                low_across.add(bytes[0], patch, tile, sum);
                low_across.add(bytes[1], patch, tile, second);
                high_across.add(bytes[0], patch, tile, second);
                low_across.add(bytes[2], patch, tile, third);
                high_across.add(bytes[1], patch, tile, third);
                high_across.add(bytes[2], patch, tile, fourth);
            }
#pragma unroll
            for (int i = 0; i < 4; i++) sum[i] += (second[i] << 8) + (third[i] << 16) + (fourth[i] << 24);
            put(sums, tile, sum);
        }
    }

    __device__ __forceinline__ void write(int x, int y, const u32 (&sums)[CHUNK]) const { write_row<T>(component, x, y, sums); }
};

template <typename T, int ROWS>
__device__ __forceinline__ void run(const GaussTensor& p) {
    const auto window = [&](const Component& c) { return Window<T, ROWS>(c, p.walk.fragments); };
    walk_or_copy<T>(p.component, p.walk, p.radius, window);
}

// The number is that of sixteens of rows that sixteen rows of results are made of.
#define GAUSS(rows, T) \
    extern "C" __global__ void __launch_bounds__(32 * WARPS, 4) gauss_tensor##rows##_##T(const GaussTensor p) { run<T, rows>(p); }
GAUSS(2, u8)
GAUSS(3, u8)
GAUSS(2, u16)
GAUSS(3, u16)
