// localtone: what `scenery` and `mixed` make of the levels of their pictures.
#pragma once

#include "localtone_levels.cuh"

constexpr int REMAPPED = 9;   // pictures of `scenery`; the tenth is what they are made of
constexpr int LOOKED_UP = 5;  // pictures of an entry

// Where the table has a sample of luma.
__device__ __forceinline__ int index_of(const Localtone& p, int luma) { return p.drop ? luma >> p.drop : light_of(p, luma); }

// An entry, read at one go.
struct Looked {
    int pictures[LOOKED_UP], base, light;

    __device__ __forceinline__ explicit Looked(const Entry* entry) {
        const uint4 v = __ldg(reinterpret_cast<const uint4*>(entry));
        pictures[0] = i16(v.x), pictures[1] = int(v.x) >> 16;
        pictures[2] = i16(v.y), pictures[3] = int(v.y) >> 16;
        pictures[4] = i16(v.z), base = int(v.z) >> 16;
        light = i16(v.w);
    }
};

// Luma of four samples from `x` on; beyond the ends of a row the last of it.
__device__ __forceinline__ void load_four(const Localtone& p, int x, int y, int (&luma)[4]) {
    const int width = p.widths[0];
    if (p.words > 0 && x >= 0 && x + 3 < width) {
        const uint2 four = __ldg(at_words<const uint2>(p.src[0], x, y));
        luma[0] = u16(four.x << p.src[0].shift), luma[1] = u16(four.x >> 16 << p.src[0].shift);
        luma[2] = u16(four.y << p.src[0].shift), luma[3] = u16(four.y >> 16 << p.src[0].shift);
    } else {
#pragma unroll
        for (int i = 0; i < 4; i++) luma[i] = luma_at(p, clamp(x + i, 0, width - 1), y);
    }
}

// Four samples that are made: of the first level, with their luma and light.
struct Made {
    int luma[4], light[4], made[4];
};

// What a level is made of: its own pictures, and what lies above, where four samples are between the same ones.
struct Step {
    const Localtone& p;
    const Pictures& pictures;
    int level, x, y;
    Level upper;
    Between in_upper, in_pictures;

    // `upper` is what was made of the level above, and may lie in shared memory.
    __device__ __forceinline__ Step(const Localtone& p, const Pictures& pictures, int level, const Quad& at, const Level& upper)
        : p(p), pictures(pictures), level(level), x(at.x), y(at.y), upper(upper), in_upper(upper, x / 2, y / 2),
          in_pictures(Level(p, pictures[0], level + 1), x / 2, y / 2) {}

    __device__ __forceinline__ void own(int picture, int (&v)[4]) const { Level(p, pictures[picture], level).four(x, y, v); }
    __device__ __forceinline__ void above(int picture, int (&v)[4]) const {
        in_pictures.of(pictures[picture] + p.offsets[level + 1], v);
    }
};

struct Scenery {
    static constexpr int PICTURES = REMAPPED + 1;

    static __device__ __forceinline__ void top(const Localtone&, const Pictures&, int) {}

    // What is made of a level; the last one stays as it is.
    static __device__ __forceinline__ Level made(const Localtone& p, const Pictures& pictures, int level) {
        return Level(p, level == int(p.depth) ? pictures[REMAPPED] : pictures.results, level);
    }

    template <bool FIRST>
    static __device__ __forceinline__ void make(const Step& step, Made& to) {
        const Localtone& p = step.p;
        const i16* entries[4];
        int guide[4], mixed[4], least = REMAPPED, most = 0;
        if (!FIRST) step.own(REMAPPED, guide);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            if (FIRST) {
                const Entry* const entry = p.entries + 2 * index_of(p, to.luma[i]);
                const uint2 last = __ldg(reinterpret_cast<const uint2*>(entry) + 1);
                entries[i] = entry->pictures;
                guide[i] = last.x >> 16;
                to.light[i] = last.y & (ONE - 1);
            }
            mixed[i] = 1024;
            least = min(least, guide[i] >> 11);
            most = max(most, guide[i] >> 11);
        }
        // Each sample is between two pictures, and neighbours mostly between the same ones.
        for (int j = least; j <= most + 1; j++) {
            int above[4], own[4];
            step.above(j, above);
            if (!FIRST) step.own(j, own);
#pragma unroll
            for (int i = 0; i < 4; i++) {
                const int after = j - (guide[i] >> 11), part = guide[i] & 2047;
                if (after != 0 && after != 1) continue;
                if (FIRST) own[i] = __ldg(entries[i] + (j < LOOKED_UP ? j : j + 3));
                mixed[i] += (own[i] - above[i]) * (after ? part : 2048 - part);
            }
        }
#pragma unroll
        for (int i = 0; i < 4; i++) mixed[i] = clamp(mixed[i] >> 11, -32767, 32767);
        collapse(p, step.level, step.in_upper, step.upper, mixed, to.made);
        if (FIRST) {
#pragma unroll
            for (int i = 0; i < 4; i++) to.made[i] = bounded(p, to.light[i], to.made[i], guide[i]);
        }
    }
};

__device__ __forceinline__ int fused(int dark, int bright, const int (&values)[3]) {
    return (dark * values[0] + (ONE - dark - bright) * values[1] + bright * values[2] + 8192) >> 14;
}

struct Mixed {
    static constexpr int PICTURES = 5;

    // A sample of the last level.
    static __device__ __forceinline__ void top(const Localtone& p, const Pictures& pictures, int i) {
        int own[PICTURES];
#pragma unroll
        for (int k = 0; k < PICTURES; k++) own[k] = pictures[k][p.offsets[p.depth] + i];
        const int values[3] = {own[2], own[3], own[4]};
        pictures.results[p.offsets[p.depth] + i] = fused(own[0], own[1], values);
    }

    static __device__ __forceinline__ Level made(const Localtone& p, const Pictures& pictures, int level) {
        return Level(p, pictures.results, level);
    }

    template <bool FIRST>
    static __device__ __forceinline__ void make(const Step& step, Made& to) {
        const Localtone& p = step.p;
        int own[PICTURES][4], above[3][4], base[4], coefficients[4];
#pragma unroll
        for (int k = 0; k < PICTURES; k++) {
            if (!FIRST) step.own(k, own[k]);
        }
#pragma unroll
        for (int i = 0; i < 4; i++) {
            if (!FIRST) continue;
            const Looked entry(p.entries + index_of(p, to.luma[i]));
#pragma unroll
            for (int k = 0; k < PICTURES; k++) own[k][i] = entry.pictures[k];
            base[i] = entry.base;
            to.light[i] = entry.light;
        }
#pragma unroll
        for (int k = 0; k < 3; k++) step.above(k + 2, above[k]);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int fine[3] = {own[2][i] - above[0][i], own[3][i] - above[1][i], own[4][i] - above[2][i]};
            coefficients[i] = fused(own[0][i], own[1][i], fine);
        }
        collapse(p, step.level, step.in_upper, step.upper, coefficients, to.made);
        if (FIRST) {
#pragma unroll
            for (int i = 0; i < 4; i++) to.made[i] = bounded(p, to.light[i], to.made[i], base[i]);
        }
    }
};
