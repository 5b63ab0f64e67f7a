// What is done to light of PQ, with tables in shared memory that have each entry's slope beside it: so one read and one step give what
// lies between two entries. A slope is scaled by a power of two, which changes no bit of a product, for the part as it is worked out.
#pragma once

#include "common/plane.cuh"
#include "generated/colour.cuh"

constexpr int THREADS = 1024;  // as src/filters/colour/tuning.rs

struct Entry {
    float value, slope;
};

// As src/filters/colour/tonemap/mod.rs has them.
constexpr int GAIN_OCTAVES = 22, CODE_OCTAVES = 24;
// Entries of octaves lie 2^15 apart in a float's bits.
constexpr u32 WITHIN = (1 << 15) - 1, FIRST_GAIN = (127 - GAIN_OCTAVES) << 23, FIRST_CODE = (127 - CODE_OCTAVES) << 23;
constexpr int LINEAR_ENTRIES = 4096, GAIN_ENTRIES = 256 * GAIN_OCTAVES + 1, CODE_ENTRIES = 256 * CODE_OCTAVES + 1, SOFT_ENTRIES = 513;
// Where tables begin. In front of the codes is an entry for light that is darker than all of them.
constexpr int GAIN_AT = LINEAR_ENTRIES, CODE_AT = GAIN_AT + GAIN_ENTRIES + 1, SOFT_AT = CODE_AT + CODE_ENTRIES;

extern __shared__ Entry entries[];

// 2^n.
__device__ __forceinline__ float power(int n) { return __int_as_float((127 + n) << 23); }

// Puts a table of COUNT entries at AT. Its first slopes are for distances of 2^-scale, and in each octave for twice the distance.
template <int AT, int COUNT, bool OCTAVES = false>
__device__ __forceinline__ void put(const float* from, int scale) {
    // Unrolled, so that no read waits for another one.
#pragma unroll
    for (int first = 0; first < COUNT; first += THREADS) {
        const int i = first + threadIdx.x;
        if (i >= COUNT) continue;
        const float value = __ldg(from + i);
        entries[AT + i] = Entry{value, (__ldg(from + i + 1) - value) * power(OCTAVES ? scale - (i >> 8) : scale)};
    }
}

// Slopes of light are for parts that lie UP bits up.
template <int UP>
__device__ __forceinline__ void put_tables(const Colour& p) {
    put<0, LINEAR_ENTRIES>(p.linear, -4 - UP);
    put<GAIN_AT, GAIN_ENTRIES, true>(p.gain, 8 + GAIN_OCTAVES);
    put<CODE_AT, CODE_ENTRIES, true>(p.code, 8 + CODE_OCTAVES);
    put<SOFT_AT, SOFT_ENTRIES>(p.soft, 9);
    put<SOFT_AT + SOFT_ENTRIES, SOFT_ENTRIES>(p.soft + SOFT_ENTRIES + 1, 9);
    put<SOFT_AT + 2 * SOFT_ENTRIES, SOFT_ENTRIES>(p.soft + 2 * (SOFT_ENTRIES + 1), 9);
    if (threadIdx.x == 0) entries[CODE_AT - 1] = Entry{0.0f, 0.0f};
    __syncthreads();
}

// The entry that is `at` bytes behind `address`. As an address of shared memory it needs no instruction for where that begins.
template <int AT>
__device__ __forceinline__ Entry entry(u32 address) {
    Entry made;
    asm("ld.shared.v2.f32 {%0, %1}, [%2 + %3];" : "=f"(made.value), "=f"(made.slope) : "r"(address), "n"(AT));
    return made;
}

// The light of a code that lies UP bits up.
template <int UP>
__device__ __forceinline__ float linear(u32 tables, int code) {
    const int in = min(max(code, 0), (1 << (16 + UP)) - 1);
    const Entry e = entry<0>(tables + (u32(in >> (4 + UP) << (4 + UP)) >> (1 + UP)));
    return fmaf(float(in & 15 << UP), e.slope, e.value);
}

// A table by the bits of floats, of light that is none below FIRST.
template <int AT, u32 FIRST>
__device__ __forceinline__ float octaves(u32 tables, float light) {
    const u32 below = __float_as_uint(light) & ~WITHIN;
    const Entry e = entry<8 * AT - int(FIRST >> 12)>(tables + (below >> 12));
    return fmaf(light - __uint_as_float(below), e.slope, e.value);
}

__device__ __forceinline__ float most(const float (&c)[3]) { return fmaxf(fmaxf(c[0], c[1]), c[2]); }

// 1/x of normal numbers, as __frcp_rn, without a way for others.
__device__ __forceinline__ float reciprocal(float x) {
    float near;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(near) : "f"(x));
    return fmaf(near, fmaf(-x, near, 1.0f), near);
}

constexpr float THRESHOLD = 0.8f;

// Component C, at this distance from the largest.
template <int C>
__device__ __forceinline__ void soften(u32 tables, float high, float distance, float& c) {
    const float past = distance - THRESHOLD, part = __saturatef(past * 1.25f);
    // 2 and, in the last bits, the entry.
    const float place = __fmaf_rd(part, power(-13), 2.0f);
    const Entry e = entry<8 * (SOFT_AT + C * SOFT_ENTRIES)>(tables + (__float_as_uint(place) << 3));
    const float shorter = fmaf(-high, fmaf(fmaf(place - 2.0f, -power(13), part), e.slope, e.value), high);
    if (past > 0.0f) c = shorter;
}

// Codes of R, G and B, UP bits up, become their light, which is scaled by that of the largest.
template <int UP>
__device__ __forceinline__ void grade(const Colour& p, u32 tables, const int (&codes)[3], float (&rgb)[3]) {
    float in[3];
#pragma unroll
    for (int i = 0; i < 3; i++) in[i] = linear<UP>(tables, codes[i]);
    // None is so much above 1 that it lies behind the table's last entry, which has no slope.
    const float gain = octaves<GAIN_AT, FIRST_GAIN>(tables, fmaxf(most(in), __uint_as_float(FIRST_GAIN)));
#pragma unroll
    for (int i = 0; i < 3; i++) in[i] *= gain;
#pragma unroll
    for (int i = 0; i < 3; i++) {
        rgb[i] = fmaf(in[2], p.matrix[i][2], fmaf(in[1], p.matrix[i][1], in[0] * p.matrix[i][0]));
    }
}

// Colours of N places come inside. One test for all: they lie side by side, and mostly are alike.
template <int N>
__device__ __forceinline__ void bring_inside(u32 tables, float (&rgb)[N][3]) {
    float high[N], distance[N][3];
    bool any = false;
#pragma unroll
    for (int k = 0; k < N; k++) {
        high[k] = most(rgb[k]);
        const float part = reciprocal(fmaxf(high[k], power(-24)));
#pragma unroll
        for (int i = 0; i < 3; i++) {
            distance[k][i] = (high[k] - rgb[k][i]) * part;
            any = any || distance[k][i] > THRESHOLD;
        }
    }
    if (!any) return;
#pragma unroll
    for (int k = 0; k < N; k++) {
        soften<0>(tables, high[k], distance[k][0], rgb[k][0]);
        soften<1>(tables, high[k], distance[k][1], rgb[k][1]);
        soften<2>(tables, high[k], distance[k][2], rgb[k][2]);
    }
}

// A float that has the code of light in its low bits: with CODE_BITS taken off it is the code.
constexpr u32 CODE_BITS = 0x4b000000;
__device__ __forceinline__ u32 encode(u32 tables, float light) {
    const float inside = fmaxf(__saturatef(light), __uint_as_float(FIRST_CODE - 1));
    const float code = fmaf(octaves<CODE_AT, FIRST_CODE>(tables, inside), 65535.0f, 0.5f);
    return __float_as_uint(__fadd_rz(code, __uint_as_float(CODE_BITS)));
}
