// colour: R'G'B' becomes light, that is worked on, and becomes R'G'B' again (tonemap, matrix, transfer).

#include "colour_light.cuh"

// The gain for a frame's peak and the scene's mean, between those of the peaks and means that these lie between. The first table of
// a peak is for no mean.
extern "C" __global__ void __launch_bounds__(THREADS) colour_gain(const Peak p) {
    const u32 i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= p.entries) return;
    const u32 code = p.level != nullptr ? p.level[0] : p.code, mean = p.level != nullptr ? p.level[1] : 0;
    const u32 above = max(code, p.first) - p.first, last = p.means - 1;
    const u32 along = mean == 0 ? 0 : min(max(mean, p.mean_step), last * p.mean_step), row = along / p.mean_step;
    const float* const peak = p.tables + above / p.step * p.means * p.entries + i;
    const float part = float(above % p.step) * (1.0f / float(p.step));
    const auto of_mean = [&](u32 mean_row) {
        const float* const from = peak + mean_row * p.entries;
        return fmaf(part, from[p.means * p.entries] - from[0], from[0]);
    };
    const float from = of_mean(row), to = of_mean(min(row + 1, last));
    p.gain[i] = fmaf(float(along % p.mean_step) * (1.0f / float(p.mean_step)), to - from, from);
}

extern "C" __global__ void __launch_bounds__(THREADS) colour_shared(const Colour p) { colour<true>(p); }
extern "C" __global__ void __launch_bounds__(THREADS, 3) colour_cached(const Colour p) { colour<false>(p); }
