// A plain copy: what the bench holds kernels against.
#include "common/plane.cuh"

constexpr int THREADS = 256, AT_ONCE = 4;  // vectors that a thread copies

extern "C" __global__ void __launch_bounds__(THREADS) copy_vectors(const uint4* from, uint4* to, u32 count) {
    const u32 first = blockIdx.x * (THREADS * AT_ONCE) + threadIdx.x;
    uint4 v[AT_ONCE];
#pragma unroll
    for (int i = 0; i < AT_ONCE; i++)
        if (first + i * THREADS < count) v[i] = __ldg(from + first + i * THREADS);
#pragma unroll
    for (int i = 0; i < AT_ONCE; i++)
        if (first + i * THREADS < count) to[first + i * THREADS] = v[i];
}
