// colour of what is usual, in planes of 10 bits: PQ of 4:2:0 to SDR with the default curve's measure and gamut.
//
// A warp walks down a strip of the picture, a row of chroma at a time. A thread makes the four places of luma over one of chroma, and the
// chroma of them and of those to their left, which the thread before it has made. The first thread of a warp makes no more than that.
#include "colour_slopes.cuh"

constexpr int THREADS = 1024, WARP = 32;  // as src/filters/colour/tuning.rs
constexpr int MASK = 0x3ff, NEUTRAL = 512;

// A value that is worked out once: the compiler would do it again for each place, to save a register.
__device__ __forceinline__ int kept(int value) {
    asm volatile("" : "+r"(value));
    return value;
}

// A product that more than one sum takes: as part of them it would be worked out in each.
__device__ __forceinline__ int apart(int value) {
    asm("" : "+r"(value));
    return value;
}

// Where sample (x, y) of words lies.
__device__ __forceinline__ u8* place_of(const Plane& plane, int x, int y) { return plane.data + u64(y) * plane.pitch + 2 * x; }

// Chroma of a source's row, from neutral on: a thread's own and the next.
struct Near {
    int own[2], next[2];
};

__device__ __forceinline__ Near load_near(const u8* const (&own)[2], u64 to_next) {
    Near made;
#pragma unroll
    for (int c = 0; c < 2; c++) {
        made.own[c] = (__ldg(reinterpret_cast<const u16*>(own[c])) & MASK) - NEUTRAL;
        made.next[c] = (__ldg(reinterpret_cast<const u16*>(own[c] + to_next)) & MASK) - NEUTRAL;
    }
    return made;
}

// Chroma of four places in quarters, as it lies on the first of them.
__device__ __forceinline__ void between(const Near& above, const Near& below, int (&quarters)[4][2]) {
#pragma unroll
    for (int c = 0; c < 2; c++) {
        const int across = above.own[c] + above.next[c];
        quarters[0][c] = 4 * above.own[c];
        quarters[1][c] = 2 * across;
        quarters[2][c] = 2 * (above.own[c] + below.own[c]);
        quarters[3][c] = across + below.own[c] + below.next[c];
    }
}

// What is worked out once: of decoding, and of what is stored with `drop` bits less.
struct Scale {
    int light, dark;
    u32 drop, rounding, neutral;

    __device__ __forceinline__ Scale(const Colour& p) : drop(16 - p.dst[0].bit_depth) {
        // Sums are in sixteenths: all that is added up is a multiple of 16.
        light = kept(4 * p.light);
        dark = kept(512 - p.black / 16 * p.light);
        const int half = 1 << drop >> 1;
        rounding = kept(32767 + (p.made_black + half) * 65535 + (1 << drop));
        neutral = kept(8192 + ((32768 + half) << 14));
    }
};

// The codes of four places: in each of `words` is luma of two, of which `second` selects the second.
__device__ __forceinline__ void make_codes(
    const Colour& p, const Scale& scale, u32 tables, const u32 (&words)[2], u32 second, const int (&quarters)[4][2], u32 (&codes)[4][3]) {
    float rgb[4][3];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const u32 word = words[k / 2];
        const int light = apart(int((k % 2 ? __byte_perm(word, 0, second) : word) & MASK) * scale.light);
        int in[3];
#pragma unroll
        for (int i = 0; i < 3; i++) {
            in[i] = scale.dark;
            if (i != 0) in[i] += quarters[k][0] * p.decode[i][0];
            if (i != 2) in[i] += quarters[k][1] * p.decode[i][1];
            in[i] += light;
        }
        grade(p, tables, in, rgb[k]);
    }
    bring_inside(tables, rgb);
#pragma unroll
    for (int k = 0; k < 4; k++)
#pragma unroll
        for (int i = 0; i < 3; i++) codes[k][i] = encode(tables, rgb[k][i]);
}

// Luma of two places. CODE_BITS vanish: weights are 2^14 together.
__device__ __forceinline__ u32 luma_of(const Colour& p, const Scale& scale, const u32 (&first)[3], const u32 (&second)[3]) {
    const auto scaled = [&](const u32(&m)[3]) {
        const u32 code = (m[0] * p.luma[0] + m[1] * p.luma[1] + m[2] * p.luma[2] + 8192) >> 14;
        // Both roundings at once, to v16 and to what is stored: a quotient by 65535, whose result lies 16 bits up.
        const u32 part = (code * p.span + scale.rounding) >> scale.drop;
        return part + (part >> 16);
    };
    return __byte_perm(scaled(first), scaled(second), 0x7632);
}

// Cb or Cr of means.
__device__ __forceinline__ u16 chroma_of(const int (&weights)[3], const Scale& scale, const u32 (&mean)[3]) {
    const u32 sum = mean[0] * weights[0] + mean[1] * weights[1] + mean[2] * weights[2] + scale.neutral;
    return min(sum >> (14 + scale.drop), 0xffffu >> scale.drop);
}

extern "C" __global__ void __launch_bounds__(THREADS, 1) colour_walk(const Colour p) {
    put_tables(p);
    const u32 tables = kept(__cvta_generic_to_shared(entries));
    const Scale scale(p);
    const int lane = threadIdx.x % WARP, width = p.src[1].width, height = p.src[1].height;
    const int down = p.tiles / p.across, rows = (height + down - 1) / down;
    for (u32 tile = blockIdx.x * (THREADS / WARP) + threadIdx.x / WARP; tile < p.tiles; tile += gridDim.x * (THREADS / WARP)) {
        const int column = int(tile % p.across) * (WARP - 1) + lane - 1, top = int(tile / p.across) * rows;
        const int own = min(max(column, 0), width - 1);
        // Left of the picture its first column is replicated.
        const u64 to_next = column >= 0 && own + 1 < width ? 2 : 0;
        const u32 second = column < 0 ? 0x4410 : 0x4432;
        const bool stores = lane > 0 && column < width;
        const u8 *luma = place_of(p.src[0], 2 * own, 2 * top), *chroma[2];
        u8 *to_luma = place_of(p.dst[0], 2 * own, 2 * top), *to_chroma[2];
#pragma unroll
        for (int c = 0; c < 2; c++) {
            chroma[c] = place_of(p.src[1 + c], own, top);
            to_chroma[c] = place_of(p.dst[1 + c], own, top);
        }
        Near above = load_near(chroma, to_next);
        for (int y = top; y < min(top + rows, height); y++) {
#pragma unroll
            for (int c = 0; c < 2 && y + 1 < height; c++) chroma[c] += p.src[1 + c].pitch;
            const Near below = load_near(chroma, to_next);
            u32 words[2], codes[4][3], mean[3];
#pragma unroll
            for (int r = 0; r < 2; r++, luma += p.src[0].pitch) words[r] = __ldg(reinterpret_cast<const u32*>(luma));
            int quarters[4][2];
            between(above, below, quarters);
            above = below;
            make_codes(p, scale, tables, words, second, quarters, codes);
#pragma unroll
            for (int i = 0; i < 3; i++) {
                const u32 first = codes[0][i] + codes[2][i], right = codes[1][i] + codes[3][i];
                mean[i] = (2 * first + right + __shfl_up_sync(0xffffffff, right, 1) + (4 - 8 * CODE_BITS)) >> 3;
            }
            if (!stores) continue;
#pragma unroll
            for (int r = 0; r < 2; r++, to_luma += p.dst[0].pitch) {
                *reinterpret_cast<u32*>(to_luma) = luma_of(p, scale, codes[2 * r], codes[2 * r + 1]);
            }
#pragma unroll
            for (int c = 0; c < 2; c++, to_chroma[c - 1] += p.dst[c].pitch) {
                *reinterpret_cast<u16*>(to_chroma[c]) = chroma_of(p.chroma[c], scale, mean);
            }
        }
    }
}
