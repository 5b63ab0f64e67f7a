// localtone: light on a working scale of 14 bits, and what becomes of light and colours where a local method changed it.
#pragma once

#include "common/plane.cuh"

// What a sample of luma is in five pictures, as it lies in the table; what the pointwise method makes of it, and its light.
struct Entry {
    i16 pictures[5], base, light, unused;
};

#include "generated/localtone.cuh"

constexpr int WIDE = 32, DOWN = 8;  // threads of a block
constexpr int RESULT_BLOCKS = 5;    // that a multiprocessor has registers for, of those that make the result
extern __shared__ u32 shared[];     // as much as the launch says

constexpr int ONE = 16384, WHITE = 16383;
constexpr int KNEE = 21504, ABOVE = 7168;

__device__ __forceinline__ int clamp(int value, int low, int high) { return min(max(value, low), high); }

struct Place {
    int x, y;
    __device__ __forceinline__ Place() : x(blockIdx.x * WIDE + threadIdx.x), y(blockIdx.y * DOWN + threadIdx.y) {}
    __device__ __forceinline__ bool inside(int width, int height) const { return x < width && y < height; }
};

__device__ __forceinline__ u16 luma_of(const Localtone& p, const int (&colour)[3]) {
    return (p.luma[0] * colour[0] + p.luma[1] * colour[1] + p.luma[2] * colour[2] + (1 << 14)) >> 15;
}

__device__ __forceinline__ void load_colour(const Localtone& p, int x, int y, int (&colour)[3]) {
#pragma unroll
    for (int i = 0; i < 3; i++) colour[i] = load(p.src[i], x, y);
}

// Luma on the 16-bit scale.
__device__ __forceinline__ int luma_at(const Localtone& p, int x, int y) {
    if (!p.is_rgb) return load(p.src[0], x, y);
    int colour[3];
    load_colour(p, x, y, colour);
    return luma_of(p, colour);
}

__device__ __forceinline__ int light_of(const Localtone& p, int luma) {
    return clamp(((luma - p.black) * p.scale + (1 << 15)) >> 16, 0, WHITE);
}

// What light becomes where the local method made `local` of it and the pointwise one `base`.
__device__ __forceinline__ int bounded(const Localtone& p, int light, int local, int base) {
    const int delta = local - base, size = abs(delta);
    const int head = delta > 0 ? min(WHITE - base, 3 * base) : base;
    int made = local;
    if (2 * size > head) {
        const int kept = max(head - int(u32(head * head) / u32(4 * size)), 0);
        made = base + (delta > 0 ? kept : -kept);
    }
    const int mixed = clamp(light + (((made - light) * p.strength + 128) >> 8), 0, WHITE);
    return p.last == nullptr ? mixed : __ldg(p.last + mixed);
}

// How much a colour is one of skin, in 256ths.
__device__ __forceinline__ int skin_of(const Localtone& p, int cb, int cr) {
    const int of_cb = __ldg(p.skin_cb + clamp((32768 + cb) >> 6, 0, 1023));
    const int of_cr = __ldg(p.skin_cr + clamp((32768 + cr) >> 6, 0, 1023));
    return (of_cb * of_cr + 128) >> 8;
}

// Cb and Cr about 0 of a colour.
__device__ __forceinline__ void chroma_of(const Localtone& p, const int (&colour)[3], int luma, int& cb, int& cr) {
    cb = ((colour[2] - luma) * p.chroma[0] + (1 << 13)) >> 14;
    cr = ((colour[0] - luma) * p.chroma[1] + (1 << 13)) >> 14;
}

// What becomes of a colour: a factor in 4096ths, and what warmth adds.
struct Recolour {
    int factor, warm;

    __device__ __forceinline__ Recolour(const Localtone& p, int light, int made, int cb, int cr) {
        int follow = u32((made + 160) * 4096) / u32(light + 160);
        follow = clamp(4096 + (((follow - 4096) * p.follow) >> 12), 1024, 12288);
        const int size = max(abs(cb), abs(cr));
        const int dull = p.vibrance * clamp(28672 - 2 * size, 0, 28672);
        // Rounded down, below 0 too.
        int saturation = p.saturation + (dull >= 0 ? dull / 28672 : -((28671 - dull) / 28672));
        saturation -= ((saturation - 4096) * ((skin_of(p, cb, cr) * p.spared) >> 8)) >> 8;
        factor = (follow * saturation + 2048) >> 12;
        const int grown = (size * factor + 2048) >> 12;
        if (grown > KNEE) {
            const int over = grown - KNEE;
            factor = (KNEE + over * ABOVE / (over + ABOVE)) * 4096 / size;
        }
        factor = (factor * p.kept + 128) >> 8;
        warm = (((made * (ONE - made)) >> 12) * p.warmth) >> 14;
    }

    __device__ __forceinline__ int scaled(int chroma) const { return (chroma * factor + 2048) >> 12; }
};

__device__ __forceinline__ int new_luma(const Localtone& p, int v16, int light, int made) {
    return clamp(v16 + (((made - light) * p.span + (1 << 13)) >> 14), 0, 65535);
}

__device__ __forceinline__ void result_rgb(const Localtone& p, int x, int y, int light, int made) {
    int colour[3], cb, cr;
    load_colour(p, x, y, colour);
    const int luma = luma_of(p, colour);
    chroma_of(p, colour, luma, cb, cr);
    const Recolour to(p, light, made, cb, cr);
    const int after = new_luma(p, luma, light, made);
#pragma unroll
    for (int k = 0; k < 3; k++) {
        const int warm = (to.warm * p.warm[k] + (1 << 13)) >> 14;
        store(p.dst[k], x, y, clamp(after + to.scaled(colour[k] - luma) + warm, 0, 65535));
    }
}

// Four samples that lie at twice a place: what is outside the picture repeats what is inside.
struct Quad {
    int x, y, width, height;

    __device__ __forceinline__ Quad(const Localtone& p, int level, int x, int y)
        : x(2 * x), y(2 * y), width(p.widths[level]), height(p.heights[level]) {}

    __device__ __forceinline__ int x_of(int i) const { return x + i % 2; }
    __device__ __forceinline__ int y_of(int i) const { return y + i / 2; }
    __device__ __forceinline__ bool has(int i) const { return x_of(i) < width && y_of(i) < height; }
    __device__ __forceinline__ void repeat(int (&v)[4]) const {
        if (x + 1 >= width) v[1] = v[0], v[3] = v[2];
        if (y + 1 >= height) v[2] = v[0], v[3] = v[1];
    }
};

// The address of word (x, y) of a plane of words that lie side by side.
template <typename T>
__device__ __forceinline__ T* at_words(const Plane& plane, int x, int y) {
    return reinterpret_cast<T*>(plane.data + (u32(y) * plane.pitch + 2 * u32(x)));
}

// Luma of four samples on the 16-bit scale.
template <bool USUAL>
__device__ __forceinline__ void load_luma(const Localtone& p, const Quad& at, int (&luma)[4]) {
    if (USUAL) {
#pragma unroll
        for (int i = 0; i < 4; i += 2) {
            const u32 two = __ldg(at_words<const u32>(p.src[0], at.x, at.y_of(i)));
            luma[i] = u16(two << p.src[0].shift);
            luma[i + 1] = u16(two >> 16 << p.src[0].shift);
        }
    } else {
#pragma unroll
        for (int i = 0; i < 4; i++) luma[i] = luma_at(p, min(at.x_of(i), at.width - 1), min(at.y_of(i), at.height - 1));
    }
}

// Stores four samples of luma in words, and those of chroma that cover them.
__device__ __forceinline__ void result_usual(const Localtone& p, const Quad& at, const int (&luma)[4], const int (&light)[4],
                                             const int (&made)[4]) {
#pragma unroll
    for (int i = 0; i < 4; i += 2) {
        *at_words<u32>(p.dst[0], at.x, at.y_of(i)) =
            narrow(p.dst[0], new_luma(p, luma[i], light[i], made[i])) |
            narrow(p.dst[0], new_luma(p, luma[i + 1], light[i + 1], made[i + 1])) << 16;
    }
    const int x = at.x / 2, y = at.y / 2;
    const int cb = u16(__ldg(at_words<const u16>(p.src[1], x, y)) << p.src[1].shift) - 32768;
    const int cr = u16(__ldg(at_words<const u16>(p.src[2], x, y)) << p.src[2].shift) - 32768;
    const Recolour to(p, (light[0] + light[1] + light[2] + light[3] + 2) >> 2, (made[0] + made[1] + made[2] + made[3] + 2) >> 2,
                      cb, cr);
    *at_words<u16>(p.dst[1], x, y) = narrow(p.dst[1], clamp(32768 + to.scaled(cb) - to.warm, 0, 65535));
    *at_words<u16>(p.dst[2], x, y) = narrow(p.dst[2], clamp(32768 + to.scaled(cr) + to.warm, 0, 65535));
}

// Stores four samples of luma and those of chroma that they are covered by, or four colours.
template <bool USUAL>
__device__ __forceinline__ void result(const Localtone& p, const Quad& at, const int (&luma)[4], int (&light)[4], int (&made)[4]) {
    if (USUAL) return result_usual(p, at, luma, light, made);
    at.repeat(light);
    at.repeat(made);
#pragma unroll
    for (int i = 0; i < 4; i++) {
        if (!at.has(i)) continue;
        const int x = at.x_of(i), y = at.y_of(i);
        if (p.is_rgb) {
            result_rgb(p, x, y, light[i], made[i]);
        } else {
            store(p.dst[0], x, y, new_luma(p, luma[i], light[i], made[i]));
        }
    }
    if (p.is_rgb || !p.has_chroma) return;
    const int across = 1 << p.halved_w, down = 1 << p.halved_h, bits = p.halved_w + p.halved_h, half = (1 << bits) >> 1;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        // Of a sample of chroma, the first of luma.
        if (!at.has(i) || i % 2 % across || i / 2 % down) continue;
        int light_sum = 0, made_sum = 0;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            if (i + k >= 4 || i % 2 + k % 2 >= 2 || k % 2 >= across || k / 2 >= down) continue;
            light_sum += light[i + k];
            made_sum += made[i + k];
        }
        const int x = at.x_of(i) >> p.halved_w, y = at.y_of(i) >> p.halved_h;
        const int cb = load(p.src[1], x, y) - 32768, cr = load(p.src[2], x, y) - 32768;
        const Recolour to(p, (light_sum + half) >> bits, (made_sum + half) >> bits, cb, cr);
        store(p.dst[1], x, y, clamp(32768 + to.scaled(cb) - to.warm, 0, 65535));
        store(p.dst[2], x, y, clamp(32768 + to.scaled(cr) + to.warm, 0, 65535));
    }
}
