// affine: each sample from sixteen around a place of the source. Places and weights are those of src/filters/affine.

#include "common/four.cuh"
#include "generated/affine.cuh"

// As src/filters/affine/cuda.rs has them.
constexpr int WIDE = 32, DOWN = 8;

constexpr int FINE = 32, PHASE_BITS = 8, BITS = 14;

// A place in 2^-8 of a sample.
__device__ __forceinline__ long long place(const long long (&along)[3], int i, int j) {
    constexpr int DROP = FINE - PHASE_BITS;
    return (along[0] * i + along[1] * j + along[2] + (1ll << (DROP - 1))) >> DROP;
}

__device__ __forceinline__ void weights_of(const uint2* weights, long long place, int (&w)[4]) {
    const uint2 four = __ldg(weights + (place & ((1 << PHASE_BITS) - 1)));
    w[0] = i16(four.x & 0xffff), w[1] = i16(four.x >> 16), w[2] = i16(four.y & 0xffff), w[3] = i16(four.y >> 16);
}

__device__ __forceinline__ int shown(const AffineComponent& c, int x, int y) {
    const int right = int(c.src.width) - 1, bottom = int(c.src.height) - 1;
    const bool is_outside = x < 0 || x > right || y < 0 || y > bottom;
    if (is_outside && !c.replicates) return int(c.fill);
    return int(u16(lane(c.src, min(max(x, 0), right), min(max(y, 0), bottom))));
}

extern "C" __global__ void __launch_bounds__(WIDE* DOWN) affine(const AffineArgs p) {
    u32 block = blockIdx.x;
    const AffineComponent& c = component_of(p.component, block);
    const int i = block % c.across * WIDE + threadIdx.x % WIDE, j = block / c.across * DOWN + threadIdx.x / WIDE;
    if (i >= int(c.dst.width) || j >= int(c.dst.height)) return;
    if (!c.computes) return store(c.dst, i, j, load(c.src, i, j));
    const long long x = place(c.column, i, j), y = place(c.row, i, j);
    const int left = int(x >> PHASE_BITS) - 1, top = int(y >> PHASE_BITS) - 1;
    int across[4], down[4];
    weights_of(p.weights, x, across);
    weights_of(p.weights, y, down);
    int sum = 1 << (BITS - 1);
#pragma unroll
    for (int k = 0; k < 4; k++) {
        int column = 1 << (BITS - 1);
#pragma unroll
        for (int r = 0; r < 4; r++) column += shown(c, left + k, top + r) * down[r];
        sum += (column >> BITS) * across[k];
    }
    store(c.dst, i, j, min(max(sum >> BITS, 0), 0xffff) - bias(c.src));
}
