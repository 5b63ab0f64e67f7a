// Stages of two samples in a word for `gradient`, and how a pass moves them.
#pragma once

#include "common/halves.cuh"
#include "gradient.cuh"

constexpr int PAIR_ROWS = 16;  // of a block, in words; of the first two passes, at most
static_assert(2 * WARPS == PAIR_ROWS && PAIR_ROWS == CELL, "a warp has two rows of a cell");

// Quarters of v16 in both halves.
__device__ __forceinline__ Halves quarters(int v16) { return both(float(v16) / 4); }

// What a float counts by quarters from 256 to 512, so that its last bits are a number's: v16 + 512.
constexpr float MIDDLE = 384;
constexpr u32 MIDDLE_BITS = 0x5e00;

// The sample of a word's row, or of `half` rows below.
struct Side {
    u16* plane;
    int pitch, half;
    __device__ __forceinline__ u16& at(int x, int y, int side) const {
        return plane[2 * ((y - side * half) * pitch + x) + side];
    }
    // Every place where row y is kept.
    __device__ __forceinline__ void put(int x, int y, int reach, u16 value) const {
        if (y < half + reach) at(x, y, 0) = value;
        if (y >= half - reach) at(x, y, 1) = value;
    }
};

// The samples of a stage.
struct ReadPair {
    Side from;
    __device__ __forceinline__ int operator()(int x, int y) const { return from.at(x, y, y >= from.half); }
};

// Continues a stage: `block` counts the blocks of borders. Rows beyond the corners go on as the outermost ones.
template <typename Read>
__device__ __forceinline__ void continue_plane(const Component& c, const Side& to, int reach, u32 block, const Read& read) {
    const int bottom = c.src.height - 1, half = c.half;
    if (block >= c.row_blocks) {
        const auto write = [&](int x, int y, int value) { to.put(x, y, reach, value); };
        continue_columns(c, write, reach, block - c.row_blocks, read);
        return;
    }
    const int at = block * (THREADS / ROW_THREADS) + threadIdx.x / ROW_THREADS, side = at % 2, y = at / 2 - reach + side * half;
    const auto write = [&](int x, int value) { to.at(x, y, side) = value; };
    continue_row(c, clamp(y, 0, bottom), reach, at < 2 * (half + 2 * reach), read, write);
}

__device__ __forceinline__ Side side_of(const Component& c, u16* plane) { return {plane, int(c.pitch), int(c.half)}; }

// The bytes of two samples: high ones above 1024, low ones as quarters above 256. `exponents` is 0x64645c5c, which the compiler
// must not know: with two numbers that it knows, it moves one into a register each time.
struct Bytes {
    Halves high, low;
    __device__ __forceinline__ Bytes(u32 word, u32 exponents)
        : high{__byte_perm(word, exponents, 0x7371)}, low{__byte_perm(word, exponents, 0x4240)} {}
};

// Writes a thread's words of row y, and each half where the other half of the picture needs it. There is room for a block's
// columns beyond the picture.
__device__ __forceinline__ void put_words(const Side& to, int x, int y, int reach, const u32 (&words)[EACH]) {
    u32* const row = reinterpret_cast<u32*>(to.plane) + y * to.pitch + x;
#pragma unroll
    for (int i = 0; i < EACH; i++) row[32 * i] = words[i];
    if (y < reach) {
        u16* const below = &to.at(x, y + to.half, 0);
#pragma unroll
        for (int i = 0; i < EACH; i++) below[64 * i] = words[i] >> 16;
    }
    if (y >= to.half - reach) {
        u16* const above = &to.at(x, y, 1);
#pragma unroll
        for (int i = 0; i < EACH; i++) above[64 * i] = words[i];
    }
}

// Where a thread's words are: its first row, and where the block ends.
struct Place {
    int left, top, last, x, y;
    __device__ __forceinline__ Place(const Component& c, u32 block, int rows = PAIR_ROWS)
        : left(block % c.across * COLUMNS), top(block / c.across * rows), last(top + rows), x(left + threadIdx.x % 32),
          y(top + threadIdx.x / 32) {}

    // Whether what lies `reach` samples around the block is inside the picture.
    __device__ __forceinline__ bool is_inside(const Component& c, int reach) const {
        const int width = c.src.width, height = c.src.height;
        return left >= reach && left + COLUMNS + reach <= width && top >= reach && last + int(c.half) + reach <= height;
    }
};

// The sum of the pairs that count, and how many they are.
struct Tally {
    Halves sum, count;
};

// When pairs count, in units of differences: `near` is more by one than how far samples may lie away, in v16, and `unit` what a
// difference counts, less than 0; `laxer` how much nearer to twice the sample their sum must lie.
struct Bounds {
    Halves near, unit, laxer;
    __device__ __forceinline__ Bounds(int near, int bump, int unit)
        : near(both(near + 1)), unit(both(-unit)), laxer(both(float(near - bump) / unit)) {}
};

// Adds a pair, of which `a` and `b` say how far it lies from the sample. What is added is 1 times their sum, or 0 times.
template <bool BUMPS>
__device__ __forceinline__ void add_pair(Tally& tally, Halves a, Halves b, const Bounds& bounds) {
    const Halves sum = a + b;
    Halves away = most(abs(a), abs(b));
    if (BUMPS) away = most(away, abs(sum) + bounds.laxer);
    const Halves counts = fma_within_1(away, bounds.unit, bounds.near);
    tally.sum = fma(counts, sum, tally.sum);
    tally.count = tally.count + counts;
}

// What a pass moves samples by, by a tally whose count began at -2: as the sum times a share, rounded half up. Shares of one
// and of three pairs are exact, and half of the last bit that counts is added so that halves go up; a share of two is less than
// a sixth, and its halves go towards 0, as they do with 5461 32768ths. All sums of at most 341 a pair were tried.
__device__ __forceinline__ Halves share(const Tally& tally) {
    constexpr float SIXTH = 0.1666259765625f;
    const Halves odd = fma_within_1(tally.count, tally.count, both(0));
    const Halves share = fma(odd, both(0.25f - 0.0625f - SIXTH), fma(tally.count, both(-0.0625f), both(SIXTH)));
    return fma(fma(odd, both(0.125f), tally.sum), share, both(MIDDLE)) - both(MIDDLE);
}

// What lies at some distance from a thread's words. The address is worked out once, and words are read at fixed distances from
// it: else the compiler works one out a word.
__device__ __forceinline__ const u32* tap(const u32* words, int distance) {
    words += distance;
    asm("" : "+l"(words));
    return words;
}

// How far two samples lie from two others, in quarters; or, of samples of 8 bits, in their steps.
constexpr int QUARTERS = 4, STEPS = 256;
template <int UNIT>
__device__ __forceinline__ Halves difference(u32 from, const Bytes& to, u32 exponents) {
    const Bytes bytes(from, exponents);
    const Halves high = bytes.high - to.high;
    return UNIT == STEPS ? high : fma(high, both(64), bytes.low - to.low);
}

// How a pass moves a thread's samples from the source's, which are `own`. What `plane` holds was moved, or is the source.
// `level` gives what they are moved by besides.
template <int UNIT, bool MOVED, typename Level>
__device__ __forceinline__ void smooth(
    const Component& c, u32 exponents, const u32* source, const u32* plane, const Pass& pass, const Level& level,
    u32 (&own)[EACH], Halves (&moved)[EACH]) {
    const Bounds bounds(pass.near, pass.bump, UNIT);
    u32 centre[EACH];
    Tally tally[EACH];
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        own[i] = __ldg(source + 32 * i);
        centre[i] = MOVED ? __ldg(plane + 32 * i) : own[i];
        tally[i] = {both(0), both(-2)};
    }
#pragma unroll
    for (int pair = 0; pair < 3; pair++) {
        const u32 *const a = tap(plane, pass.offsets[pair]), *const b = tap(plane, -pass.offsets[pair]);
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            const Bytes bytes(centre[i], exponents);
            const Halves to_a = difference<UNIT>(__ldg(a + 32 * i), bytes, exponents);
            add_pair<true>(tally[i], to_a, difference<UNIT>(__ldg(b + 32 * i), bytes, exponents), bounds);
        }
    }
    const Halves limit = quarters(pass.limit), back = quarters(-int(pass.limit));
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        if (UNIT == STEPS) tally[i].sum = tally[i].sum * both(64);
        const Bytes bytes(own[i], exponents);
        const Halves by = level(i, MOVED ? difference<QUARTERS>(centre[i], bytes, exponents) + share(tally[i]) : share(tally[i]));
        const Halves down = most(back, difference<QUARTERS>(0, bytes, exponents));
        const Halves up = least(limit, difference<QUARTERS>(0xffffffff, bytes, exponents));
        moved[i] = least(most(by, down), up);
    }
}

// The samples that `own` are moved to.
__device__ __forceinline__ void move(const u32 (&own)[EACH], const Halves (&moved)[EACH], u32 (&words)[EACH]) {
#pragma unroll
    for (int i = 0; i < EACH; i++) words[i] = own[i] + (moved[i] + both(MIDDLE)).bits - (MIDDLE_BITS << 16 | MIDDLE_BITS);
}

struct NoLevel {
    __device__ __forceinline__ Halves operator()(int, Halves by) const { return by; }
};
