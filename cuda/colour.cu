// colour: R'G'B' becomes light, that is worked on, and becomes R'G'B' again (tonemap, matrix, transfer).

#include "colour_light.cuh"

// The gain for a frame's peak, between those of the two peaks that it lies between.
extern "C" __global__ void __launch_bounds__(THREADS) colour_gain(const Peak p) {
    const u32 i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= p.entries) return;
    const u32 code = p.level != nullptr ? *p.level : p.code;
    const u32 above = max(code, p.first) - p.first;
    const float* const from = p.tables + above / p.step * p.entries + i;
    const float part = float(above % p.step) * (1.0f / float(p.step));
    p.gain[i] = fmaf(part, from[p.entries] - from[0], from[0]);
}

extern "C" __global__ void __launch_bounds__(THREADS) colour_shared(const Colour p) { colour<true>(p); }
extern "C" __global__ void __launch_bounds__(THREADS, 3) colour_cached(const Colour p) { colour<false>(p); }
