// What kernels of colour share: components become R'G'B', that is worked on, and components are made of it again.
//
// A block makes tiles of luma. A thread makes two places side by side, which share chroma, and the tile's R'G'B' lies in shared
// memory for the chroma that is made of it, as does the source's chroma. `Work` is what is done to the codes of two places.
#pragma once

#include "common/plane.cuh"
#include "generated/colour.cuh"

#ifndef COLOUR_ROWS
#define COLOUR_ROWS 32
#define COLOUR_THREADS 576
#endif
constexpr int THREADS = COLOUR_THREADS;             // so that two turns make a tile
constexpr int PAIRS = 32, ROWS = COLOUR_ROWS;       // of a tile: 64 columns
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

// The chroma of the source that a tile is made of, in v16: two planes, with one more column and row on each side than the tile's
// pairs and rows have. Beyond the picture its ends are replicated.
constexpr int NEAR_WIDE = PAIRS + 3, NEAR_TALL = TALL + 2;
struct Near {
    u16 plane[2][NEAR_TALL][NEAR_WIDE + 1];
};

// Whether chroma lies between luma, and so is read from there.
__device__ __forceinline__ bool reads_near(const Colour& p) { return !p.takes_rgb && p.read_across != EACH; }

// The first column and row of chroma beside the tile at `left` and `top`.
__device__ __forceinline__ int near_left(int left) { return left / 2 - 2; }
__device__ __forceinline__ int near_top(const Colour& p, int top) { return p.read_down == EACH ? top - 2 : top / 2 - 2; }

__device__ __forceinline__ void load_near(const Colour& p, Near& near, int left, int top) {
    const int first_x = near_left(left), first_y = near_top(p, top);
    const int tall = p.read_down == EACH ? NEAR_TALL : ROWS / 2 + 4;
    for (int i = threadIdx.x; i < NEAR_WIDE * tall; i += THREADS) {
        const int column = i % NEAR_WIDE, row = i / NEAR_WIDE;
        const int x = min(max(first_x + column, 0), int(p.src[1].width) - 1);
        const int y = min(max(first_y + row, 0), int(p.src[1].height) - 1);
#pragma unroll
        for (int c = 0; c < 2; c++) near.plane[c][row][column] = load(p.src[1 + c], x, y);
    }
}

// Rows of chroma, with weights in quarters, that a row of luma has.
struct Rows {
    int own, other;
    u32 own_weight, other_weight;
};

__device__ __forceinline__ Rows rows_at(u32 site, int y) {
    if (site == EACH) return Rows{y, y, 4, 0};
    const int own = y / 2, odd = y % 2, other = odd ? own + 1 : own - 1;
    if (site == BETWEEN) return Rows{own, other, 3, 1};
    if (odd == (site == SECOND)) return Rows{own, own, 4, 0};
    return Rows{own, other, 2, 2};
}

// Chroma of a pair, whose own column in `plane` is `own`.
__device__ __forceinline__ void chroma_pair(
    const Colour& p, const u16 (&plane)[NEAR_TALL][NEAR_WIDE + 1], int own, const Rows& rows, Codes (&made)[2], int c) {
    const u16 *const a = &plane[rows.own][own], *const b = &plane[rows.other][own];
    const u32 here = rows.own_weight * a[0] + rows.other_weight * b[0];
    const u32 after = rows.own_weight * a[1] + rows.other_weight * b[1];
    if (p.read_across == FIRST) {
        made[0].c[c] = int((here * 4 + 8) >> 4);
        made[1].c[c] = int((here * 2 + after * 2 + 8) >> 4);
    } else {
        const u32 before = rows.own_weight * a[-1] + rows.other_weight * b[-1];
        made[0].c[c] = int((here * 3 + before + 8) >> 4);
        made[1].c[c] = int((here * 3 + after + 8) >> 4);
    }
}

// Values of columns x and `right` of row y, which is the next or, at the end, the same.
__device__ __forceinline__ void load_pair(const Plane& plane, int x, int right, int y, Codes (&made)[2], int c) {
    if (plane.sample == SAMPLE_U16 && plane.step == 1 && right > x && vectors_fit(plane, 4)) {
        const u32 both = __ldg(reinterpret_cast<const u32*>(at<u16>(plane, x, y)));
        made[0].c[c] = (both << plane.shift) & 0xffff;
        made[1].c[c] = (both >> 16 << plane.shift) & 0xffff;
    } else {
        made[0].c[c] = load(plane, x, y);
        made[1].c[c] = load(plane, right, y);
    }
}

// The codes of columns x and x + 1 of row y, as the nearest that there are, in the tile at `tile_left` and `tile_top`.
template <typename Work>
__device__ __forceinline__ void make_pair(
    const Colour& p, const Work& work, const Near& near, int tile_left, int tile_top, int x, int y, Codes (&made)[2]) {
    const int width = p.src[0].width, height = p.src[0].height;
    const int left = min(max(x, 0), (width - 1) & ~1), right = min(left + 1, width - 1), row = min(max(y, 0), height - 1);
    load_pair(p.src[0], left, right, row, made, 0);
    if (reads_near(p)) {
        Rows rows = rows_at(p.read_down, row);
        const int first = near_top(p, tile_top);
        rows.own -= first;
        rows.other -= first;
#pragma unroll
        for (int c = 1; c < 3; c++) chroma_pair(p, near.plane[c - 1], left / 2 - near_left(tile_left), rows, made, c);
    } else {
#pragma unroll
        for (int c = 1; c < 3; c++) load_pair(p.src[c], left, right, row, made, c);
    }
#pragma unroll
    for (int i = 0; i < 2; i++) decode(p, made[i]);
    work(made);
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

// The sums of R, G and B in four rows from `line` on, weighed by `down`; `read` gives what a row's codes sum to.
template <typename Read>
__device__ __forceinline__ void sum_rows(const u32* line, const u32 (&down)[4], int (&mean)[3], const Read& read) {
    u32 sum[3] = {8, 8, 8};
#pragma unroll
    for (int k = 0; k < 4; k++) {
        if (down[k] == 0) continue;
#pragma unroll
        for (int c = 0; c < 3; c++) sum[c] += down[k] * read(line + k * WIDE + c * TALL * WIDE);
    }
#pragma unroll
    for (int c = 0; c < 3; c++) mean[c] = int(sum[c] >> 4);
}

// The tile's chroma, of the codes in `made`, whose first pair and row lie beside the tile.
__device__ __forceinline__ void make_chroma(const Colour& p, const u32* made, int left, int top) {
    const bool halves = p.made_down != EACH, pairs = p.made_across != EACH;
    const int across = pairs ? PAIRS : 2 * PAIRS, down = halves ? ROWS / 2 : ROWS;
    const u32 rows[4] = {covers(p.made_down, 0), covers(p.made_down, 1), covers(p.made_down, 2), covers(p.made_down, 3)};
    const u32 before = covers(p.made_across, 0), first = covers(p.made_across, 1), second = covers(p.made_across, 2);
    for (int i = threadIdx.x; i < across * down; i += THREADS) {
        const int column = pairs ? i % PAIRS : i % (2 * PAIRS), row = pairs ? i / PAIRS : i / (2 * PAIRS);
        const int x = (pairs ? left / 2 : left) + column, y = (halves ? top / 2 : top) + row;
        if (x >= int(p.dst[1].width) || y >= int(p.dst[1].height)) continue;
        // Row 0 of `made` is the one above the tile.
        const u32* const line = made + (halves ? 2 * row : row) * WIDE + (pairs ? column : column / 2) + 1;
        int mean[3];
        if (pairs) {
            sum_rows(line, rows, mean, [=](const u32* own) {
                return first * (own[0] & 0xffff) + second * (own[0] >> 16) + before * (own[-1] >> 16);
            });
        } else {
            const u32 shift = column % 2 * 16;
            sum_rows(line, rows, mean, [=](const u32* own) { return own[0] >> shift << 2 & 0x3fffc; });
        }
        write_chroma(p, x, y, mean);
    }
}

// Makes the pair in column `pair` and row `row` of a tile, whose first ones lie beside it.
template <typename Work>
__device__ __forceinline__ void make_place(
    const Colour& p, const Work& work, const Near& near, u32* made, int left, int top, int pair, int row) {
    const int x = left + 2 * (pair - 1), y = top + row - 1;
    // Beside the tile only what its chroma is made of is looked at.
    if (pair == 0 && (p.gives_rgb || covers(p.made_across, 0) == 0)) return;
    if (row == 0 && (p.gives_rgb || covers(p.made_down, 0) == 0)) return;
    if (row == TALL - 1 && (p.gives_rgb || covers(p.made_down, 3) == 0)) return;
    Codes two[2];
    make_pair(p, work, near, left, top, x, y, two);
#pragma unroll
    for (int c = 0; c < 3 && !p.gives_rgb; c++) made[(c * TALL + row) * WIDE + pair] = u32(two[0].c[c]) | u32(two[1].c[c]) << 16;
    const bool is_inside = pair > 0 && row > 0 && row <= ROWS;
    if (is_inside && x < int(p.src[0].width) && y < int(p.src[0].height)) write_pair(p, x, y, two);
}

template <typename Work>
__device__ __forceinline__ void make_tile(const Colour& p, const Work& work, const Near& near, u32* made, int left, int top) {
    if constexpr (THREADS % WIDE == 0) {
        // A thread keeps its column. Where no chroma is made of what lies above, the rows beside the tile take no turn.
        const int first = covers(p.made_down, 0) == 0 ? 1 : 0;
        for (int row = first + threadIdx.x / WIDE; row < TALL; row += THREADS / WIDE) {
            make_place(p, work, near, made, left, top, threadIdx.x % WIDE, row);
        }
    } else {
        for (int i = threadIdx.x; i < WIDE * TALL; i += THREADS) make_place(p, work, near, made, left, top, i % WIDE, i / WIDE);
    }
}

// All tiles, with what lies in `made` of shared memory.
template <typename Work>
__device__ __forceinline__ void make_tiles(const Colour& p, const Work& work, u32* made) {
    __shared__ Near near;
    const bool shares = reads_near(p) || !p.gives_rgb;
    for (u32 tile = blockIdx.x; tile < p.tiles; tile += gridDim.x) {
        const int left = int(tile % p.across) * 2 * PAIRS, top = int(tile / p.across) * ROWS;
        if (reads_near(p)) load_near(p, near, left, top);
        // The tile before this one has made its chroma, too.
        if (shares) __syncthreads();
        make_tile(p, work, near, made, left, top);
        if (shares) __syncthreads();
        if (!p.gives_rgb) make_chroma(p, made, left, top);
    }
}
