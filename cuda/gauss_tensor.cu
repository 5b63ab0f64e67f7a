// gauss on tensor cores: samples of eight bits and radii up to sixteen.

#include "common/tensor.cuh"
#include "gauss.cuh"

// Mirrors `TensorArgs` of src/filters/gauss/cuda.rs.
struct GaussTensor {
    Component component[3];
    Walk walk;
    u32 radius;
};
static_assert(sizeof(GaussTensor) == 216, "GaussTensor differs from the host's");
LAYOUT(GaussTensor, component, 0);
LAYOUT(GaussTensor, walk, 192);
LAYOUT(GaussTensor, radius, 208);

// Weights have two bytes, each with its matrix, and sums of columns have three.
template <int ROWS>
struct Window {
    static constexpr int GROUPS = ROWS, BYTES = 3;

    const Component& component;
    Down<GROUPS> low_down, high_down;
    Across low_across, high_across;

    __device__ __forceinline__ Window(const Component& component, const u32* fragments)
        : component(component), low_down(fragments), high_down(fragments), low_across(fragments), high_across(fragments) {}

    __device__ __forceinline__ void down(const u32 (&columns)[GROUPS][4], Values& sums) const {
#pragma unroll
        for (int tile = 0; tile < TILES; tile++) {
            // Samples are eight bits below v16, and so are their sums: of 2^(WEIGHT_BITS - EXTRA_BITS) 64 are left.
            u32 low[4] = {32, 32, 32, 32}, high[4] = {};
            low_down.add(columns, tile, low);
            high_down.add(columns, tile, high);
#pragma unroll
            for (int i = 0; i < 4; i++) low[i] = (high[i] << 2) + (low[i] >> 6);
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

    __device__ __forceinline__ void write(int x, int y, const u32 (&sums)[CHUNK]) const { write_row(component, x, y, sums); }
};

template <int ROWS>
__device__ __forceinline__ void run(const GaussTensor& p) {
    walk_or_copy(p.component, p.walk, p.radius, [&](const Component& c) { return Window<ROWS>(c, p.walk.fragments); });
}

// The number is that of sixteens of rows that sixteen rows of results are made of.
#define GAUSS(rows) \
    extern "C" __global__ void __launch_bounds__(32 * WARPS, 4) gauss_tensor##rows(const GaussTensor p) { run<rows>(p); }
GAUSS(2)
GAUSS(3)
