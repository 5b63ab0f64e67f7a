// box on tensor cores: windows of up to 33 rows and columns.

#include "box.cuh"
#include "common/tensor.cuh"
#include "generated/box_tensor.cuh"

// Weights are one inside the window. Sums of columns have one byte more than samples.
template <typename T, int ROWS>
struct Window {
    typedef T Sample;
    static constexpr int GROUPS = ROWS, BYTES = sizeof(T) + 1;

    const Box& box;
    const Component& component;
    Down<GROUPS> weights_down;
    Across weights_across;

    __device__ __forceinline__ Window(const Box& box, const Component& component, const u32* fragments)
        : box(box), component(component), weights_down(fragments), weights_across(fragments) {}

    __device__ __forceinline__ void down(const u32 (&columns)[sizeof(T)][GROUPS][4], Values& sums) const {
#pragma unroll
        for (int tile = 0; tile < TILES; tile++) {
            u32 sum[4] = {};
#pragma unroll
            for (int b = 0; b < int(sizeof(T)); b++) {
                u32 of_bytes[4] = {};
                weights_down.add(columns[b], tile, of_bytes);
#pragma unroll
                for (int i = 0; i < 4; i++) sum[i] += of_bytes[i] << 8 * b;
            }
            put(sums, tile, sum);
        }
    }

    __device__ __forceinline__ void across(const uint4 (&before)[BYTES], const uint4 (&now)[BYTES], Values& sums) const {
#pragma unroll
        for (int tile = 0; tile < TILES; tile++) {
            u32 sum[4] = {};
#pragma unroll
            for (int b = 0; b < BYTES; b++) {
                u32 of_bytes[4] = {};
                weights_across.add(before[b], 0, tile, of_bytes);
                weights_across.add(now[b], 1, tile, of_bytes);
#pragma unroll
                for (int i = 0; i < 4; i++) sum[i] += of_bytes[i] << 8 * b;
            }
            put(sums, tile, sum);
        }
    }

    __device__ __forceinline__ void write(int x, int y, const u32 (&sums)[CHUNK]) const {
        // Samples of sixteen bits are taken as v16.
        write_means<T>(box, component, x, y, sizeof(T) == 1 ? 8 : 0, sums);
    }
};

template <typename T, int ROWS>
__device__ __forceinline__ void run(const BoxTensor& p) {
    const auto window = [&](const Component& c) { return Window<T, ROWS>(p.args, c, p.walk.fragments); };
    walk_or_copy<T>(p.args.component, p.walk, p.args.radius_h, window);
}

// The number is that of sixteens of rows that sixteen rows of results are made of.
#define BOX(rows, T) \
    extern "C" __global__ void __launch_bounds__(32 * WARPS, 4) box_tensor##rows##_##T(const BoxTensor p) { run<T, rows>(p); }
BOX(2, u8)
BOX(3, u8)
BOX(2, u16)
BOX(3, u16)
