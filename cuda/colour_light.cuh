// What is done to light between decoding R'G'B' and encoding it again. Tables lie in shared memory, where a multiprocessor has
// room for them.
#pragma once

#include "colour.cuh"

enum Measure { NO_GAIN, MAX, LUMA, EACH_ITSELF };
enum Gamut { CLIP, DESAT, SOFT };

constexpr float THRESHOLD = 0.8f, PACE = 640.0f, PIECES = 512.0f, DARK = 1.0f / 16777216.0f;
constexpr int SOFT_ENTRIES = 514;

// Words of two codes of the tile, and behind them tables, where they lie here.
extern __shared__ u32 memory[];

// A table, in shared memory or where it came from.
template <bool SHARED>
struct Table {
    const float* from;
    u32 at;  // in shared memory

    __device__ __forceinline__ Table(const Colour& p, const float* from) : from(from), at(MADE + u32(from - p.linear)) {}
    __device__ __forceinline__ float operator[](int i) const { return SHARED ? __uint_as_float(memory[at + i]) : from[i]; }
};

struct Rgb {
    float c[3];
};

// The entry at `at`, and what lies `part` of the distance to the next one.
template <typename Table>
__device__ __forceinline__ float between(const Table& table, int at, float part) {
    const float from = table[at];
    return fmaf(part, table[at + 1] - from, from);
}

// A table by the bits of floats, whose first octave begins at `first`, of light up to 1.
template <typename Table>
__device__ __forceinline__ float octaves_to_one(const Table& table, float first, float light) {
    // The bits of `first`, a power of two, end in zeros.
    const int bits = __float_as_int(fmaxf(light, first));
    return between(table, (bits >> 15) - (__float_as_int(first) >> 15), float(bits & 32767) * (1.0f / 32768.0f));
}

template <typename Table>
__device__ __forceinline__ float octaves(const Table& table, float first, float light) {
    return octaves_to_one(table, first, fminf(light, 1.0f));
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
template <typename Table>
__device__ __forceinline__ void soften(const Table& soft, Rgb& rgb) {
    const float high = most(rgb), part = __frcp_rn(fmaxf(high, DARK));
    // No distance is longer than that of the least.
    if ((high - least(rgb)) * part <= THRESHOLD) return;
#pragma unroll
    for (int i = 0; i < 3; i++) {
        const float distance = (high - rgb.c[i]) * part;
        const float place = __saturatef((distance - THRESHOLD) * (PACE / PIECES)) * PIECES;
        const int at = int(place);
        const float shorter = fmaf(-high, between(soft, i * SOFT_ENTRIES + at, place - float(at)), high);
        rgb.c[i] = distance <= THRESHOLD ? rgb.c[i] : shorter;
    }
}

// What light makes of the codes of two places.
template <bool SHARED>
__device__ __forceinline__ void apply(const Colour& p, Codes (&codes)[2]) {
    const Table<SHARED> linear(p, p.linear), gain(p, p.gain), code(p, p.code), soft(p, p.soft);
    Rgb rgb[2];
#pragma unroll
    for (int k = 0; k < 2; k++)
#pragma unroll
        for (int i = 0; i < 3; i++) {
            rgb[k].c[i] = between(linear, codes[k].c[i] >> 4, float(codes[k].c[i] & 15) * (1.0f / 16.0f));
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
            for (int i = 0; i < 3; i++) rgb[k].c[i] *= octaves(gain, p.gain_first, rgb[k].c[i]);
    } else if (p.measure == MAX) {
#pragma unroll
        for (int k = 0; k < 2; k++) scale(rgb[k], octaves(gain, p.gain_first, most(rgb[k])));
    } else if (p.measure == LUMA) {
#pragma unroll
        for (int k = 0; k < 2; k++) scale(rgb[k], octaves(gain, p.gain_first, weighed(p.luminance, rgb[k])));
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
            for (int k = 0; k < 2; k++) soften(soft, rgb[k]);
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
            const float made = fmaf(octaves_to_one(code, p.code_first, light), 65535.0f, 0.5f);
            codes[k].c[i] = int(light < p.code_first ? 0.0f : made);
        }
}

template <bool SHARED>
struct Working {
    const Colour& p;

    __device__ __forceinline__ void operator()(Codes (&codes)[2]) const {
        if (p.linear) apply<SHARED>(p, codes);
    }
};

template <bool SHARED>
__device__ __forceinline__ void colour(const Colour& p) {
    if (SHARED) {
        for (int i = threadIdx.x; i < int(p.entries); i += THREADS) memory[MADE + i] = __float_as_uint(__ldg(p.linear + i));
        __syncthreads();
    }
    make_tiles(p, Working<SHARED>{p}, memory);
}
