// localtone: levels of pictures.
//
// Rows of a level begin at an even sample, so that two of them are a word.
#pragma once

#include "localtone.cuh"

__device__ __forceinline__ int pitch_of(int width) { return max((width + 1) & ~1, 4); }

// The lower two bytes of `weights`, or the upper two, by two samples, and `sum`.
__device__ __forceinline__ int dot_lower(int two, u32 weights, int sum) {
    asm("dp2a.lo.s32.u32 %0, %1, %2, %0;" : "+r"(sum) : "r"(two), "r"(weights));
    return sum;
}
__device__ __forceinline__ int dot_upper(int two, u32 weights, int sum) {
    asm("dp2a.hi.s32.u32 %0, %1, %2, %0;" : "+r"(sum) : "r"(two), "r"(weights));
    return sum;
}

__device__ __forceinline__ const int* words_of(const i16* samples) { return reinterpret_cast<const int*>(samples); }

// Four samples, two by two, of what has half the size: of the words of seven rows, from the one to the left on.
__device__ __forceinline__ void halve(const int (&words)[7][4], int (&half)[4]) {
    int sums[7][2];
#pragma unroll
    for (int i = 0; i < 7; i++) {
#pragma unroll
        for (int k = 0; k < 2; k++) {
            const int* const v = words[i] + k;
            sums[i][k] = dot_lower(v[0], 0x0401, dot_lower(v[1], 0x0406, dot_lower(v[2], 0x0001, 0)));
        }
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const int k = i % 2, y = i / 2 * 2;
        const int ends = sums[y][k] + sums[y + 4][k], near = sums[y + 1][k] + sums[y + 3][k];
        half[i] = (ends + 4 * near + 6 * sums[y + 2][k] + 128) >> 8;
    }
}

// A level of a picture, or a part of it: samples are where they are in the level.
struct Level {
    i16* samples;
    int width, height, pitch;

    __device__ __forceinline__ Level(const Localtone& p, i16* samples, int level, int pitch)
        : samples(samples), width(p.widths[level]), height(p.heights[level]), pitch(pitch) {}
    __device__ __forceinline__ Level(const Localtone& p, i16* picture, int level)
        : Level(p, picture + p.offsets[level], level, pitch_of(p.widths[level])) {}

    // The word at (x, y), of an even `x`. What is outside repeats what is inside.
    __device__ __forceinline__ u32 word(int x, int y) const {
        const int last = (width - 1) & ~1;
        const u32 two = *reinterpret_cast<const u32*>(samples + (clamp(y, 0, height - 1) * pitch + clamp(x, 0, last)));
        return __byte_perm(two, 0, x < 0 ? 0x1010 : x > last ? 0x3232 : 0x3210);
    }

    // Four samples, two by two; those outside are like some inside.
    __device__ __forceinline__ void four(int x, int y, int (&v)[4]) const {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const int two = *words_of(samples + min(y + i, height - 1) * pitch + x);
            v[2 * i] = i16(two), v[2 * i + 1] = two >> 16;
        }
    }

    // Stores two samples, as far as there are. A row has room for both: behind its end the last one stands again.
    __device__ __forceinline__ void put(int x, int y, int first, int second) const {
        if (x >= width || y >= height) return;
        *reinterpret_cast<u32*>(samples + y * pitch + x) = u16(first) | u32(x + 1 < width ? second : first) << 16;
    }
};

// Where the samples lie that the four at twice a place are between, and their weights: four of each of three rows.
struct Between {
    u32 offsets[3];
    // Of the even column, and of the odd one, in quarters.
    u32 even, odd;

    __device__ __forceinline__ Between(const Level& level, int x, int y) {
        // What is outside repeats what is inside.
        const int begin = clamp((x - 1) & ~1, 0, pitch_of(level.width) - 4), left = max(x - 1, 0), right = min(x + 1, level.width - 1);
        const u32 here = 1u << 8 * (x - begin), next = 1u << 8 * (right - begin);
        even = (1u << 8 * (left - begin)) + 6 * here + next;
        odd = here + next;
#pragma unroll
        for (int i = 0; i < 3; i++) offsets[i] = 2 * (clamp(y + i - 1, 0, level.height - 1) * level.pitch + begin);
    }

    __device__ __forceinline__ void of(const i16* samples, int (&v)[4]) const {
        int a[3], b[3];
#pragma unroll
        for (int i = 0; i < 3; i++) {
            const int* const words = reinterpret_cast<const int*>(reinterpret_cast<const char*>(samples) + offsets[i]);
            const int first = words[0], second = words[1];
            a[i] = dot_upper(second, even, dot_lower(first, even, 0));
            b[i] = dot_upper(second, odd, dot_lower(first, odd, 0));
        }
        v[0] = (a[0] + a[2] + 32 + 6 * a[1]) >> 6;
        v[1] = (b[0] + b[2] + 8 + 6 * b[1]) >> 4;
        v[2] = (a[1] + a[2] + 8) >> 4;
        v[3] = (b[1] + b[2] + 2) >> 2;
    }
};

// Pictures, one behind the other, and the one that is made of them: in device memory, or the last levels in shared memory.
struct Pictures {
    i16 *all, *results;
    u32 stride;

    __device__ __forceinline__ explicit Pictures(const Localtone& p) : all(p.pyramid), results(p.results), stride(p.stride) {}
    __device__ __forceinline__ Pictures(i16* all, i16* results, u32 stride) : all(all), results(results), stride(stride) {}
    __device__ __forceinline__ i16* operator[](int index) const { return all + index * u64(stride); }
};

// The half of a level of a picture: a thread makes two by two samples of it.
__device__ __forceinline__ void down(const Localtone& p, i16* samples, int level, int x, int y) {
    const Level from(p, samples, level), half(p, samples, level + 1);
    if (2 * x >= half.width || 2 * y >= half.height) return;
    int words[7][4], made[4];
#pragma unroll
    for (int i = 0; i < 7; i++) {
#pragma unroll
        for (int k = 0; k < 4; k++) words[i][k] = from.word(4 * x - 2 + 2 * k, 4 * y - 2 + i);
    }
    halve(words, made);
    half.put(2 * x, 2 * y, made[0], made[1]);
    half.put(2 * x, 2 * y + 1, made[2], made[3]);
}

// A coefficient, stronger or weaker by its level's amount.
__device__ __forceinline__ int amplify(const Localtone& p, int level, int c) {
    const int share = __ldg(p.gain + abs(c));
    return c + ((((c * p.amounts[level] + 128) >> 8) * share + 128) >> 8);
}

// Adds coefficients to what lies above them: four samples of the picture that is made.
__device__ __forceinline__ void collapse(const Localtone& p, int level, const Between& between, const Level& above,
                                         const int (&coefficients)[4], int (&made)[4]) {
    between.of(above.samples, made);
#pragma unroll
    for (int i = 0; i < 4; i++) made[i] = clamp(amplify(p, level, coefficients[i]) + made[i], -32768, 32767);
}
