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

__device__ __forceinline__ void inside(const Colour& p, Rgb& rgb) {
    const float high = most(rgb);
    if (p.gamut == DESAT) {
        const float low = least(rgb), y = fminf(fmaxf(weighed(p.target, rgb), 0.0f), 1.0f);
        const float up = low < 0.0f ? __fdiv_rn(y, y - low) : 1.0f;
        const float down = high > 1.0f ? __fdiv_rn(1.0f - y, high - y) : 1.0f;
        const float share = fminf(up, down);
#pragma unroll
        for (int i = 0; i < 3; i++) rgb.c[i] = fmaf(share, rgb.c[i] - y, y);
    } else if (p.gamut == SOFT) {
        const float part = __fdiv_rn(1.0f, fmaxf(high, DARK));
#pragma unroll
        for (int i = 0; i < 3; i++) {
            const float distance = (high - rgb.c[i]) * part;
            if (distance <= THRESHOLD) continue;
            const float place = fmaxf(fminf((distance - THRESHOLD) * PACE, PIECES), 0.0f);
            const int at = int(place);
            rgb.c[i] = fmaf(-high, between(p.soft + i * SOFT_ENTRIES, at, place - float(at)), high);
        }
    }
}

// What light makes of codes.
__device__ __forceinline__ void apply(const Colour& p, const Tables& t, Codes& codes) {
    Rgb rgb;
#pragma unroll
    for (int i = 0; i < 3; i++) {
        rgb.c[i] = between(t.linear, codes.c[i] >> 4, float(codes.c[i] & 15) * (1.0f / 16.0f));
    }
    if (p.system) {
        const float gain = octaves(p.system, p.system_first, weighed(p.luminance, rgb));
#pragma unroll
        for (int i = 0; i < 3; i++) rgb.c[i] *= gain;
    }
    if (p.strength > 0.0f) {
        const float y = weighed(p.luminance, rgb);
        const float over = __fdiv_rn(fmaxf(y - p.white, 0.0f), fmaxf(y, p.white)) * p.strength;
#pragma unroll
        for (int i = 0; i < 3; i++) rgb.c[i] = fmaf(over, y - rgb.c[i], rgb.c[i]);
    }
    if (p.measure == EACH_ITSELF) {
#pragma unroll
        for (int i = 0; i < 3; i++) rgb.c[i] *= octaves(t.gain, p.gain_first, rgb.c[i]);
    } else if (p.measure != NO_GAIN) {
        const float gain = octaves(t.gain, p.gain_first, p.measure == MAX ? most(rgb) : weighed(p.luminance, rgb));
#pragma unroll
        for (int i = 0; i < 3; i++) rgb.c[i] *= gain;
    }
    if (p.has_matrix) {
        const Rgb from = rgb;
#pragma unroll
        for (int i = 0; i < 3; i++) rgb.c[i] = weighed(p.matrix[i], from);
        inside(p, rgb);
    }
#pragma unroll
    for (int i = 0; i < 3; i++) {
        const float light = fminf(fmaxf(rgb.c[i], 0.0f), 1.0f);
        const float code = fmaf(octaves(t.code, p.code_first, light), 65535.0f, 0.5f);
        codes.c[i] = light < p.code_first ? 0 : int(code);
    }
}

struct Working {
    const Colour& p;
    const Tables& tables;

    __device__ __forceinline__ void operator()(Codes& codes) const {
        if (p.linear) apply(p, tables, codes);
    }
};

template <bool SHARED>
__device__ __forceinline__ void colour(const Colour& p) {
    extern __shared__ u32 memory[];
    Tables tables = {p.linear, p.gain, p.code};
    if (SHARED) {
        float* const linear = reinterpret_cast<float*>(memory + MADE);
        float* const gain = linear + p.linear_entries;
        float* const code = gain + p.gain_entries;
        for (int i = threadIdx.x; i < int(p.linear_entries); i += THREADS) linear[i] = __ldg(p.linear + i);
        for (int i = threadIdx.x; i < int(p.gain_entries); i += THREADS) gain[i] = __ldg(p.gain + i);
        for (int i = threadIdx.x; i < int(p.code_entries); i += THREADS) code[i] = __ldg(p.code + i);
        tables = Tables{linear, gain, code};
        __syncthreads();
    }
    make_tiles(p, Working{p, tables}, memory);
}

extern "C" __global__ void __launch_bounds__(THREADS) colour_shared(const Colour p) { colour<true>(p); }
extern "C" __global__ void __launch_bounds__(THREADS) colour_cached(const Colour p) { colour<false>(p); }
