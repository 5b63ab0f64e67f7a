// colour: R'G'B' becomes light, that is worked on, and becomes R'G'B' again (tonemap, matrix, transfer). Tables lie in shared
// memory, where a multiprocessor has room for them.

#include "colour.cuh"

enum Measure { NO_GAIN, MAX, LUMA, EACH_ITSELF };
enum Gamut { CLIP, DESAT, SOFT };

constexpr float THRESHOLD = 0.8f, PACE = 640.0f, PIECES = 512.0f, DARK = 1.0f / 16777216.0f;
constexpr int SOFT_ENTRIES = 514;

struct Tables {
    const float* linear;
    const float* gain;
    const float* code;
    const float* soft;
};

struct Rgb {
    float c[3];
};

// The entry at `at`, and what lies `part` of the distance to the next one.
__device__ __forceinline__ float between(const float* table, int at, float part) {
    const float from = table[at];
    return fmaf(part, table[at + 1] - from, from);
}

// A table by the bits of floats, whose first octave begins at `first`.
__device__ __forceinline__ float octaves(const float* table, float first, float light) {
    const int bits = __float_as_int(fminf(fmaxf(light, first), 1.0f)) - __float_as_int(first);
    return between(table, bits >> 15, float(bits & 32767) * (1.0f / 32768.0f));
}

__device__ __forceinline__ float weighed(const float (&weights)[3], const Rgb& rgb) {
    return fmaf(rgb.c[2], weights[2], fmaf(rgb.c[1], weights[1], rgb.c[0] * weights[0]));
}

__device__ __forceinline__ float least(const Rgb& rgb) { return fminf(fminf(rgb.c[0], rgb.c[1]), rgb.c[2]); }
__device__ __forceinline__ float most(const Rgb& rgb) { return fmaxf(fmaxf(rgb.c[0], rgb.c[1]), rgb.c[2]); }

__device__ __forceinline__ void scale(Rgb& rgb, float gain) {
#pragma unroll
    for (int i = 0; i < 3; i++) rgb.c[i] *= gain;
}

// Towards grey, as far as a component lies outside.
__device__ __forceinline__ void desaturate(const float (&target)[3], Rgb& rgb) {
    const float high = most(rgb), low = least(rgb), y = fminf(fmaxf(weighed(target, rgb), 0.0f), 1.0f);
    const float up = low < 0.0f ? __fdiv_rn(y, y - low) : 1.0f;
    const float down = high > 1.0f ? __fdiv_rn(1.0f - y, high - y) : 1.0f;
    const float share = fminf(up, down);
#pragma unroll
    for (int i = 0; i < 3; i++) rgb.c[i] = fmaf(share, rgb.c[i] - y, y);
}

// Distances from the largest component become shorter, those beyond a threshold.
__device__ __forceinline__ void soften(const float* soft, Rgb& rgb) {
    const float high = most(rgb), part = __frcp_rn(fmaxf(high, DARK));
#pragma unroll
    for (int i = 0; i < 3; i++) {
        const float distance = (high - rgb.c[i]) * part;
        if (distance <= THRESHOLD) continue;
        const float place = fmaxf(fminf((distance - THRESHOLD) * PACE, PIECES), 0.0f);
        const int at = int(place);
        rgb.c[i] = fmaf(-high, between(soft + i * SOFT_ENTRIES, at, place - float(at)), high);
    }
}

// What light makes of the codes of two places.
__device__ __forceinline__ void apply(const Colour& p, const Tables& t, Codes (&codes)[2]) {
    Rgb rgb[2];
#pragma unroll
    for (int k = 0; k < 2; k++)
#pragma unroll
        for (int i = 0; i < 3; i++) {
            rgb[k].c[i] = between(t.linear, codes[k].c[i] >> 4, float(codes[k].c[i] & 15) * (1.0f / 16.0f));
        }
    if (p.system) {
#pragma unroll
        for (int k = 0; k < 2; k++) scale(rgb[k], octaves(p.system, p.system_first, weighed(p.luminance, rgb[k])));
    }
    if (p.strength > 0.0f) {
#pragma unroll
        for (int k = 0; k < 2; k++) {
            const float y = weighed(p.luminance, rgb[k]);
            const float over = __fdiv_rn(fmaxf(y - p.white, 0.0f), fmaxf(y, p.white)) * p.strength;
#pragma unroll
            for (int i = 0; i < 3; i++) rgb[k].c[i] = fmaf(over, y - rgb[k].c[i], rgb[k].c[i]);
        }
    }
    if (p.measure == EACH_ITSELF) {
#pragma unroll
        for (int k = 0; k < 2; k++)
#pragma unroll
            for (int i = 0; i < 3; i++) rgb[k].c[i] *= octaves(t.gain, p.gain_first, rgb[k].c[i]);
    } else if (p.measure == MAX) {
#pragma unroll
        for (int k = 0; k < 2; k++) scale(rgb[k], octaves(t.gain, p.gain_first, most(rgb[k])));
    } else if (p.measure == LUMA) {
#pragma unroll
        for (int k = 0; k < 2; k++) scale(rgb[k], octaves(t.gain, p.gain_first, weighed(p.luminance, rgb[k])));
    }
    if (p.has_matrix) {
#pragma unroll
        for (int k = 0; k < 2; k++) {
            const Rgb from = rgb[k];
#pragma unroll
            for (int i = 0; i < 3; i++) rgb[k].c[i] = weighed(p.matrix[i], from);
        }
        if (p.gamut == SOFT) {
#pragma unroll
            for (int k = 0; k < 2; k++) soften(t.soft, rgb[k]);
        } else if (p.gamut == DESAT) {
#pragma unroll
            for (int k = 0; k < 2; k++) desaturate(p.target, rgb[k]);
        }
    }
#pragma unroll
    for (int k = 0; k < 2; k++)
#pragma unroll
        for (int i = 0; i < 3; i++) {
            const float light = fminf(fmaxf(rgb[k].c[i], 0.0f), 1.0f);
            const float code = fmaf(octaves(t.code, p.code_first, light), 65535.0f, 0.5f);
            codes[k].c[i] = light < p.code_first ? 0 : int(code);
        }
}

struct Working {
    const Colour& p;
    const Tables& tables;

    __device__ __forceinline__ void operator()(Codes (&codes)[2]) const {
        if (p.linear) apply(p, tables, codes);
    }
};

template <bool SHARED>
__device__ __forceinline__ void colour(const Colour& p) {
    extern __shared__ u32 memory[];
    Tables tables = {p.linear, p.gain, p.code, p.soft};
    if (SHARED) {
        float* const shared = reinterpret_cast<float*>(memory + MADE);
        for (int i = threadIdx.x; i < int(p.entries); i += THREADS) shared[i] = __ldg(p.linear + i);
        const auto copy_of = [&](const float* table) { return table ? shared + (table - p.linear) : nullptr; };
        tables = Tables{shared, copy_of(p.gain), copy_of(p.code), copy_of(p.soft)};
        __syncthreads();
    }
    make_tiles(p, Working{p, tables}, memory);
}

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
extern "C" __global__ void __launch_bounds__(THREADS) colour_cached(const Colour p) { colour<false>(p); }
