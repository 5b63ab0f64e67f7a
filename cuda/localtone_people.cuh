// localtone for people: the result, of light and its two bases.
#pragma once

#include "localtone_windows.cuh"

// As src/filters/localtone/plan.rs has them: samples of a mean, and of a block of skin, to each side.
constexpr int WIDE_MEAN = 4, FINE_MEAN = 2, SKIN_BLOCK = 4;

// Four samples of a plane that is TIMES as small, enlarged: they are between the same two by two, or three by three, of its samples.
template <int TIMES>
struct Enlarged {
    static constexpr int NEAR = TIMES == 2 ? 3 : 2, ALL = 2 * TIMES;

    template <typename T>
    static __device__ __forceinline__ void load(const T* plane, int width, int height, const Quad& at, u32 (&near)[NEAR][NEAR]) {
        const int left = (at.x + TIMES / 2) / TIMES - 1, top = (at.y + TIMES / 2) / TIMES - 1;
#pragma unroll
        for (int i = 0; i < NEAR; i++) {
            const T* const row = plane + clamp(top + i, 0, height - 1) * width;
#pragma unroll
            for (int k = 0; k < NEAR; k++) near[i][k] = row[clamp(left + k, 0, width - 1)];
        }
    }

    static __device__ __forceinline__ void between(const u32 (&near)[NEAR][NEAR], const Quad& at, u32 (&v)[4]) {
        u32 across[NEAR][2];
#pragma unroll
        for (int k = 0; k < 2; k++) {
            const u32 first = TIMES == 2 ? k : 0, weight = TIMES == 2 ? 3 - 2 * k : 2 * ((at.x + TIMES / 2) % TIMES + k) + 1;
#pragma unroll
            for (int i = 0; i < NEAR; i++) across[i][k] = (ALL - weight) * near[i][first] + weight * near[i][first + 1];
        }
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const u32 k = i / 2, first = TIMES == 2 ? k : 0;
            const u32 weight = TIMES == 2 ? 3 - 2 * k : 2 * ((at.y + TIMES / 2) % TIMES + k) + 1;
            v[i] = ((ALL - weight) * across[first][i % 2] + weight * across[first + 1][i % 2] + ALL * ALL / 2) / (ALL * ALL);
        }
    }
};

// The base of four samples of light.
template <int TIMES>
__device__ __forceinline__ void base_of(const Guided& g, const Quad& at, const int (&light)[4], int (&base)[4]) {
    constexpr int NEAR = Enlarged<TIMES>::NEAR;
    u32 lines[NEAR][NEAR], slopes[NEAR][NEAR], offsets[NEAR][NEAR], slope[4], offset[4];
    Enlarged<TIMES>::load(g.smooth, g.width, g.height, at, lines);
#pragma unroll
    for (int i = 0; i < NEAR; i++) {
#pragma unroll
        for (int k = 0; k < NEAR; k++) slopes[i][k] = slope_of(lines[i][k]), offsets[i][k] = offset_of(lines[i][k]);
    }
    Enlarged<TIMES>::between(slopes, at, slope);
    Enlarged<TIMES>::between(offsets, at, offset);
#pragma unroll
    for (int i = 0; i < 4; i++) base[i] = int(slope[i] * light[i] + (offset[i] << 10) + (1 << 13)) >> 14;
}

// How much of a structure is kept where the wide base `light` became `base`.
__device__ __forceinline__ int slope_of_base(int base, int light) {
    return 256 + (((clamp(u32((base + 512) * 256) / u32(light + 512), 128, 512) - 256) * 160) >> 8);
}

// A structure with its gain, in 256ths.
__device__ __forceinline__ int gained(const Localtone& p, int c, int elsewhere, int on_skin, int mask) {
    const int gain = elsewhere + (((on_skin - elsewhere) * mask + 128) >> 8);
    const int above = max(gain - 256, 0) * int(__ldg(p.gain + abs(c)));
    return c * (min(gain, 256) + ((above + 128) >> 8));
}

// What becomes of a sample of light between its bases.
__device__ __forceinline__ int made_of(const Localtone& p, int light, int wide, int fine, int mask) {
    const int base = __ldg(p.curve + wide);
    const int slope = __ldg(p.slopes + wide);
    const int middle = gained(p, fine - wide, p.gains[0], p.gains[2], mask);
    const int detail = (middle + gained(p, light - fine, p.gains[1], p.gains[3], mask) + 128) >> 8;
    const int local = base + ((detail * slope + 128) >> 8);
    return bounded(p, light, local, __ldg(p.curve + light));
}

// The result.
template <bool USUAL>
__device__ __forceinline__ void make_people(const Localtone& p) {
    const Place place;
    const Quad at(p, 0, place.x, place.y);
    if (!at.has(0)) return;
    int luma[4], light[4], wide[4], fine[4], made[4];
    u32 mask[4] = {};
    load_luma<USUAL>(p, at, luma);
#pragma unroll
    for (int i = 0; i < 4; i++) light[i] = light_of(p, luma[i]);
    base_of<WIDE_MEAN>(p.guided[0], at, light, wide);
    base_of<FINE_MEAN>(p.guided[1], at, light, fine);
    if (p.skin_width > 0) {
        u32 near[2][2];
        Enlarged<SKIN_BLOCK>::load(p.skin[1], p.skin_width, p.skin_height, at, near);
        Enlarged<SKIN_BLOCK>::between(near, at, mask);
    }
#pragma unroll
    for (int i = 0; i < 4; i++) made[i] = made_of(p, light[i], wide[i], fine[i], mask[i]);
    result<USUAL>(p, at, luma, light, made);
}

extern "C" __global__ void __launch_bounds__(WIDE* DOWN, RESULT_BLOCKS) localtone_people(const Localtone p) {
    wait_for_launch_before();
    p.words == 2 ? make_people<true>(p) : make_people<false>(p);
}
