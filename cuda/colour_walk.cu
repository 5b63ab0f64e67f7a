// colour of what is usual: PQ of 4:2:0 in words to SDR with the default curve's measure and gamut.
//
// A warp walks down a strip of the picture, a row of chroma at a time. A thread makes the four places of luma over one of chroma, and the
// chroma of them and of those to their left, which the thread before it has made. The first thread of a warp makes no more than that.
#include "colour_slopes.cuh"

constexpr int WARP = 32;

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
__device__ __forceinline__ u8* place_of(const Plane& plane, int x, int y) {
    return plane.data + u64(y) * plane.pitch + 2 * x * plane.step;
}

// Chroma of a source's row: a thread's own and the next.
struct Near {
    int own[2], next[2];
};

// Samples of 10 bits: their chroma lies between them without a rounding.
struct Ten {
    // Sums are in sixteenths: all that is added up is a multiple of 16.
    static constexpr int UP = 10, SCALE = 4, HALF = 512, PART = 16, NEUTRAL = 512;

    __device__ __forceinline__ Ten(const Plane&) {}
    __device__ __forceinline__ int value(u32 word) const { return word & 0x3ff; }

    // Chroma of four places from neutral, in quarters, as it lies on the first of them.
    static __device__ __forceinline__ void between(const Near& above, const Near& below, int (&made)[4][2]) {
#pragma unroll
        for (int c = 0; c < 2; c++) {
            const int across = above.own[c] + above.next[c];
            made[0][c] = 4 * above.own[c];
            made[1][c] = 2 * across;
            made[2][c] = 2 * (above.own[c] + below.own[c]);
            made[3][c] = across + below.own[c] + below.next[c];
        }
    }

    static __device__ __forceinline__ int sum(int light, int chroma) { return chroma + light; }
};

// Samples of 16 bits, or fewer.
struct Words {
    static constexpr int UP = 14, SCALE = 1, HALF = 8192, PART = 1, NEUTRAL = 32768;
    u32 shift;

    __device__ __forceinline__ Words(const Plane& src) : shift(src.shift) {}
    __device__ __forceinline__ int value(u32 word) const { return word << shift & 0xffff; }

    static __device__ __forceinline__ void between(const Near& above, const Near& below, int (&made)[4][2]) {
#pragma unroll
        for (int c = 0; c < 2; c++) {
            const int across = above.own[c] + above.next[c];
            made[0][c] = above.own[c];
            made[1][c] = (across + 1) >> 1;
            made[2][c] = (above.own[c] + below.own[c] + 1) >> 1;
            made[3][c] = (across + below.own[c] + below.next[c] + 2) >> 2;
        }
    }

    // What passes 32 bits is above every code.
    static __device__ __forceinline__ int sum(int light, int chroma) { return min(chroma, 0x7fffffff - max(light, 0)) + light; }
};

template <typename In>
__device__ __forceinline__ Near load_near(const In& in, const u8* const (&own)[2], u64 to_next) {
    Near made;
#pragma unroll
    for (int c = 0; c < 2; c++) {
        made.own[c] = in.value(__ldg(reinterpret_cast<const u16*>(own[c]))) - In::NEUTRAL;
        made.next[c] = in.value(__ldg(reinterpret_cast<const u16*>(own[c] + to_next))) - In::NEUTRAL;
    }
    return made;
}

// What is worked out once: of decoding, and of what is stored, with `drop` bits less and `up` bits up.
struct Scale {
    int light, dark;
    u32 drop, up, rounding, neutral;

    template <typename In>
    __device__ __forceinline__ Scale(const Colour& p, const In&) : drop(16 - p.dst[0].bit_depth), up(drop - p.dst[0].shift) {
        light = kept(In::SCALE * p.light);
        dark = kept(In::HALF - p.black / In::PART * p.light);
        const int half = 1 << drop >> 1;
        rounding = kept(32767 + (p.made_black + half) * 65535 + (1 << drop));
        neutral = kept(8192 + ((32768 + half) << 14));
    }
};

// The codes of four places: in each of `words` is luma of two, of which `second` selects the second.
template <typename In>
__device__ __forceinline__ void make_codes(
    const Colour& p, const In& in, const Scale& scale, u32 tables, const u32 (&words)[2], u32 second, const int (&chroma)[4][2],
    u32 (&codes)[4][3]) {
    float rgb[4][3];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const u32 word = words[k / 2];
        const int light = apart(in.value(k % 2 ? __byte_perm(word, 0, second) : word) * scale.light + scale.dark);
        int sums[3];
#pragma unroll
        for (int i = 0; i < 3; i++) {
            const int blue = i == 0 ? 0 : chroma[k][0] * p.decode[i][0], red = i == 2 ? 0 : chroma[k][1] * p.decode[i][1];
            sums[i] = In::sum(light, blue + red);
        }
        grade<In::UP>(p, tables, sums, rgb[k]);
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
    return __byte_perm(scaled(first), scaled(second), 0x7632) << scale.up;
}

// Cb or Cr of means.
__device__ __forceinline__ u16 chroma_of(const int (&weights)[3], const Scale& scale, const u32 (&mean)[3]) {
    const u32 sum = mean[0] * weights[0] + mean[1] * weights[1] + mean[2] * weights[2] + scale.neutral;
    return min(sum >> (14 + scale.drop), 0xffffu >> scale.drop) << scale.up;
}

template <typename In>
__device__ __forceinline__ void walk(const Colour& p) {
    put_tables<In::UP>(p);
    const u32 tables = kept(__cvta_generic_to_shared(entries));
    const In in(p.src[0]);
    const Scale scale(p, in);
    const int lane = threadIdx.x % WARP, width = p.src[1].width, height = p.src[1].height;
    const int down = p.tiles / p.across, rows = (height + down - 1) / down;
    for (u32 tile = blockIdx.x * (THREADS / WARP) + threadIdx.x / WARP; tile < p.tiles; tile += gridDim.x * (THREADS / WARP)) {
        const int column = int(tile % p.across) * (WARP - 1) + lane - 1, top = int(tile / p.across) * rows;
        const int own = min(max(column, 0), width - 1);
        // Left of the picture its first column is replicated.
        const u64 to_next = column >= 0 && own + 1 < width ? 2 * p.src[1].step : 0;
        const u32 second = column < 0 ? 0x4410 : 0x4432;
        const bool stores = lane > 0 && column < width;
        const u8 *luma = place_of(p.src[0], 2 * own, 2 * top), *chroma[2];
        u8 *to_luma = place_of(p.dst[0], 2 * own, 2 * top), *to_chroma[2];
#pragma unroll
        for (int c = 0; c < 2; c++) {
            chroma[c] = place_of(p.src[1 + c], own, top);
            to_chroma[c] = place_of(p.dst[1 + c], own, top);
        }
        Near above = load_near(in, chroma, to_next);
        for (int y = top; y < min(top + rows, height); y++) {
#pragma unroll
            for (int c = 0; c < 2 && y + 1 < height; c++) chroma[c] += p.src[1 + c].pitch;
            const Near below = load_near(in, chroma, to_next);
            u32 words[2], codes[4][3], mean[3];
#pragma unroll
            for (int r = 0; r < 2; r++, luma += p.src[0].pitch) words[r] = __ldg(reinterpret_cast<const u32*>(luma));
            int here[4][2];
            In::between(above, below, here);
            above = below;
            make_codes(p, in, scale, tables, words, second, here, codes);
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

extern "C" __global__ void __launch_bounds__(THREADS, 1) colour_walk_ten(const Colour p) { walk<Ten>(p); }
extern "C" __global__ void __launch_bounds__(THREADS, 1) colour_walk_words(const Colour p) { walk<Words>(p); }
