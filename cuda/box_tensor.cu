// box on tensor cores: windows of up to 33 rows and columns of samples of eight bits.

#include "box.cuh"
#include "common/tensor.cuh"

// Mirrors `TensorArgs` of src/filters/boxblur/cuda.rs.
struct BoxTensor {
    Box box;
    Walk walk;
};
static_assert(sizeof(BoxTensor) == 320, "BoxTensor differs from the host's");
LAYOUT(BoxTensor, box, 0);
LAYOUT(BoxTensor, walk, 304);

// Weights are one inside the window.
template <int ROWS>
struct Window {
    static constexpr int GROUPS = ROWS, BYTES = 2;

    const Box& box;
    const Component& component;
    Down<GROUPS> weights_down;
    Across weights_across;

    __device__ __forceinline__ Window(const Box& box, const Component& component, const u32* fragments)
        : box(box), component(component), weights_down(fragments), weights_across(fragments) {}

    __device__ __forceinline__ void down(const u32 (&columns)[GROUPS][4], Values& sums) const {
#pragma unroll
        for (int tile = 0; tile < TILES; tile++) {
            u32 sum[4] = {};
            weights_down.add(columns, tile, sum);
            put(sums, tile, sum);
        }
    }

    __device__ __forceinline__ void across(const uint4 (&before)[BYTES], const uint4 (&now)[BYTES], Values& sums) const {
#pragma unroll
        for (int tile = 0; tile < TILES; tile++) {
            u32 sum[4] = {}, high[4] = {};
            weights_across.add(before[0], 0, tile, sum);
            weights_across.add(before[1], 0, tile, high);
            weights_across.add(now[0], 1, tile, sum);
            weights_across.add(now[1], 1, tile, high);
#pragma unroll
            for (int i = 0; i < 4; i++) sum[i] += high[i] << 8;
            put(sums, tile, sum);
        }
    }

    __device__ __forceinline__ void write(int x, int y, const u32 (&sums)[CHUNK]) const {
        write_means<u8>(box, component, x, y, 8, sums);
    }
};

template <int ROWS>
__device__ __forceinline__ void run(const BoxTensor& p) {
    walk_or_copy(p.box.component, p.walk, p.box.radius_h, [&](const Component& c) { return Window<ROWS>(p.box, c, p.walk.fragments); });
}

// The number is that of sixteens of rows that sixteen rows of results are made of.
#define BOX(rows) \
    extern "C" __global__ void __launch_bounds__(32 * WARPS, 4) box_tensor##rows(const BoxTensor p) { run<rows>(p); }
BOX(2)
BOX(3)
