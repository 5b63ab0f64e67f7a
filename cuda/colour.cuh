// What kernels of colour share: components become R'G'B', that is worked on, and components are made of it again.
//
// A block makes tiles of luma. A thread makes two places side by side, which share chroma, and the tile's R'G'B' lies in shared
// memory for the chroma that is made of it. `Work` is what is done to the codes of a place.
#pragma once

#include "common/plane.cuh"
#include "generated/colour.cuh"

constexpr int THREADS = 512;
constexpr int PAIRS = 32, ROWS = 32;                // of a tile: 64 columns
constexpr int WIDE = PAIRS + 1, TALL = ROWS + 2;    // with what its chroma is made of beside it
constexpr int MADE = 3 * TALL * WIDE;               // words of two codes

enum Site { EACH, FIRST, BETWEEN, SECOND };

constexpr int BITS = 14, HALF = 1 << (BITS - 1), TOP = 65535, NEUTRAL = 32768;

struct Codes {
    int c[3];
};

__device__ __forceinline__ int code_of(int sum) { return min(max(sum >> BITS, 0), TOP); }

// R'G'B' of Y, Cb and Cr, or of R, G and B.
__device__ __forceinline__ void decode(const Colour& p, Codes& parts) {
    if (p.takes_rgb) {
#pragma unroll
        for (int i = 0; i < 3; i++) parts.c[i] = code_of((parts.c[i] - p.black) * p.light + HALF);
        return;
    }
    const int y = (parts.c[0] - p.black) * p.light + HALF;
    const int cb = parts.c[1] - NEUTRAL, cr = parts.c[2] - NEUTRAL;
    // What passes 32 bits is above every code.
    const int room = 0x7fffffff - max(y, 0);
#pragma unroll
    for (int i = 0; i < 3; i++) parts.c[i] = code_of(min(cb * p.decode[i][0] + cr * p.decode[i][1], room) + y);
}

// A sample of chroma and one beside it along one direction, with weights in quarters, at place `at` of luma.
struct Near {
    int own, other;
    u32 own_weight, other_weight;
};

__device__ __forceinline__ Near near(u32 site, int at, int last) {
    if (site == EACH) return Near{at, at, 4, 0};
    const int own = min(at / 2, last);
    const bool odd = at % 2 == 1;
    if (site == BETWEEN) return Near{own, odd ? min(own + 1, last) : max(own - 1, 0), 3, 1};
    if (odd == (site == SECOND)) return Near{own, own, 4, 0};
    return Near{own, odd ? min(own + 1, last) : max(own - 1, 0), 2, 2};
}

// Chroma in column `x`, in quarters of its rows.
__device__ __forceinline__ u32 column(const Plane& plane, int x, const Near& rows) {
    u32 sum = rows.own_weight * load(plane, x, rows.own);
    if (rows.other_weight) sum += rows.other_weight * load(plane, x, rows.other);
    return sum;
}

// Chroma at places x and x + 1, x even.
__device__ __forceinline__ void chroma_pair(const Colour& p, const Plane& plane, int x, const Near& rows, int (&pair)[2]) {
    const int last = plane.width - 1;
    if (p.read_across == EACH) {
        pair[0] = int((column(plane, x, rows) * 4 + 8) >> 4);
        pair[1] = int((column(plane, min(x + 1, last), rows) * 4 + 8) >> 4);
        return;
    }
    const int own = x / 2;
    const u32 here = column(plane, own, rows), after = column(plane, min(own + 1, last), rows);
    if (p.read_across == FIRST) {
        pair[0] = int((here * 4 + 8) >> 4);
        pair[1] = int((here * 2 + after * 2 + 8) >> 4);
    } else {
        const u32 before = column(plane, max(own - 1, 0), rows);
        pair[0] = int((here * 3 + before + 8) >> 4);
        pair[1] = int((here * 3 + after + 8) >> 4);
    }
}

// The codes of columns x and x + 1 of row y, as the nearest that there are.
template <typename Work>
__device__ __forceinline__ void make_pair(const Colour& p, const Work& work, int x, int y, Codes (&made)[2]) {
    const int width = p.src[0].width, height = p.src[0].height;
    const int left = min(max(x, 0), (width - 1) & ~1), right = min(left + 1, width - 1), row = min(max(y, 0), height - 1);
    if (p.takes_rgb) {
#pragma unroll
        for (int c = 0; c < 3; c++) {
            made[0].c[c] = load(p.src[c], left, row);
            made[1].c[c] = load(p.src[c], right, row);
        }
    } else {
        made[0].c[0] = load(p.src[0], left, row);
        made[1].c[0] = load(p.src[0], right, row);
        const Near rows = near(p.read_down, row, p.src[1].height - 1);
#pragma unroll
        for (int c = 1; c < 3; c++) {
            int pair[2];
            chroma_pair(p, p.src[c], left, rows, pair);
            made[0].c[c] = pair[0];
            made[1].c[c] = pair[1];
        }
    }
#pragma unroll
    for (int i = 0; i < 2; i++) {
        decode(p, made[i]);
        work(made[i]);
    }
    if (x < 0 || left == right) made[1] = made[0];
}

// code * span / 65535, rounded.
__device__ __forceinline__ int level(const Colour& p, int code) {
    const u32 product = u32(code) * u32(p.span) + 32767;
    return p.made_black + int((product + 1 + (product >> 16)) >> 16);
}

// Stores values of columns x and, if it is there, x + 1.
__device__ __forceinline__ void store_pair(const Plane& dst, int x, int y, int first, int second) {
    const bool both = x + 1 < int(dst.width);
    if (both && dst.step == 1 && dst.sample == SAMPLE_U16 && vectors_fit(dst, 4)) {
        *reinterpret_cast<u32*>(at<u16>(dst, x, y)) = narrow(dst, first) | narrow(dst, second) << 16;
        return;
    }
    store(dst, x, y, first);
    if (both) store(dst, x + 1, y, second);
}

__device__ __forceinline__ void write_pair(const Colour& p, int x, int y, const Codes (&made)[2]) {
    if (p.gives_rgb) {
#pragma unroll
        for (int c = 0; c < 3; c++) store_pair(p.dst[c], x, y, level(p, made[0].c[c]), level(p, made[1].c[c]));
        return;
    }
    int luma[2];
#pragma unroll
    for (int i = 0; i < 2; i++) {
        const Codes& m = made[i];
        luma[i] = level(p, (m.c[0] * p.luma[0] + m.c[1] * p.luma[1] + m.c[2] * p.luma[2] + HALF) >> BITS);
    }
    store_pair(p.dst[0], x, y, luma[0], luma[1]);
}

// Stores Cb and Cr of means of codes.
__device__ __forceinline__ void write_chroma(const Colour& p, int x, int y, const int (&mean)[3]) {
#pragma unroll
    for (int c = 0; c < 2; c++) {
        const int sum = mean[0] * p.chroma[c][0] + mean[1] * p.chroma[c][1] + mean[2] * p.chroma[c][2];
        store(p.dst[1 + c], x, y, min(max(NEUTRAL + ((sum + HALF) >> BITS), 0), TOP));
    }
}

// The weight, in quarters, of luma's place one before a pair's first (0), of both (1, 2) and one behind (3).
__device__ __forceinline__ u32 covers(u32 site, int k) {
    switch (site) {
        case EACH: return k == 1 ? 4 : 0;
        case FIRST: return k == 1 ? 2 : k == 3 ? 0 : 1;
        case BETWEEN: return k == 1 || k == 2 ? 2 : 0;
        default: return k == 2 ? 2 : k == 0 ? 0 : 1;
    }
}

// The tile's chroma, of the codes in `made`, whose first pair and row lie beside the tile.
__device__ __forceinline__ void make_chroma(const Colour& p, const u32* made, int left, int top) {
    const bool halves = p.made_down != EACH, pairs = p.made_across != EACH;
    const int across = pairs ? PAIRS : 2 * PAIRS, down = halves ? ROWS / 2 : ROWS;
    for (int i = threadIdx.x; i < across * down; i += THREADS) {
        const int column = i % across, row = i / across;
        const int x = (pairs ? left / 2 : left) + column, y = (halves ? top / 2 : top) + row;
        if (x >= int(p.dst[1].width) || y >= int(p.dst[1].height)) continue;
        u32 sum[3] = {0, 0, 0};
#pragma unroll
        for (int k = 0; k < 4; k++) {
            const u32 weight = covers(p.made_down, k);
            if (weight == 0) continue;
            // Row 0 of `made` is the one above the tile.
            const u32* const line = made + ((halves ? 2 * row : row) + k) * WIDE;
#pragma unroll
            for (int c = 0; c < 3; c++) {
                const u32* const codes = line + c * TALL * WIDE;
                if (pairs) {
                    const u32 before = codes[column] >> 16, own = codes[column + 1];
                    sum[c] += weight * (covers(p.made_across, 0) * before + covers(p.made_across, 1) * (own & 0xffff) +
                                        covers(p.made_across, 2) * (own >> 16));
                } else {
                    const u32 pair = codes[column / 2 + 1];
                    sum[c] += weight * 4 * (column % 2 ? pair >> 16 : pair & 0xffff);
                }
            }
        }
        const int mean[3] = {int((sum[0] + 8) >> 4), int((sum[1] + 8) >> 4), int((sum[2] + 8) >> 4)};
        write_chroma(p, x, y, mean);
    }
}

template <typename Work>
__device__ __forceinline__ void make_tile(const Colour& p, const Work& work, u32* made, int left, int top) {
    for (int i = threadIdx.x; i < WIDE * TALL; i += THREADS) {
        const int pair = i % WIDE, row = i / WIDE;
        const int x = left + 2 * (pair - 1), y = top + row - 1;
        // Beside the tile only what its chroma is made of is looked at.
        if (pair == 0 && (p.gives_rgb || covers(p.made_across, 0) == 0)) continue;
        if (row == 0 && (p.gives_rgb || covers(p.made_down, 0) == 0)) continue;
        if (row == TALL - 1 && (p.gives_rgb || covers(p.made_down, 3) == 0)) continue;
        Codes two[2];
        make_pair(p, work, x, y, two);
#pragma unroll
        for (int c = 0; c < 3 && !p.gives_rgb; c++) made[c * TALL * WIDE + i] = u32(two[0].c[c]) | u32(two[1].c[c]) << 16;
        const bool is_inside = pair > 0 && row > 0 && row <= ROWS;
        if (is_inside && x < int(p.src[0].width) && y < int(p.src[0].height)) write_pair(p, x, y, two);
    }
}

// All tiles, with what lies in `made` of shared memory.
template <typename Work>
__device__ __forceinline__ void make_tiles(const Colour& p, const Work& work, u32* made) {
    for (u32 tile = blockIdx.x; tile < p.tiles; tile += gridDim.x) {
        const int left = int(tile % p.across) * 2 * PAIRS, top = int(tile / p.across) * ROWS;
        make_tile(p, work, made, left, top);
        if (p.gives_rgb) continue;
        __syncthreads();
        make_chroma(p, made, left, top);
        __syncthreads();
    }
}
