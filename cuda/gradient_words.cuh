// Stages of two samples in a word for `gradient`, and how a pass moves them.
#pragma once

#include "common/halves.cuh"
#include "gradient.cuh"

constexpr int PAIR_ROWS = 16;  // of a block, in words; of the source and of the first two passes, at most
static_assert(2 * WARPS == PAIR_ROWS && PAIR_ROWS == CELL, "a warp has two rows of a cell");

// Quarters of v16 in both halves.
__device__ __forceinline__ Halves quarters(int v16) { return both(float(v16) / 4); }

// What a float counts by quarters from 256 to 512, so that its last bits are a number's: v16 + 512.
constexpr float MIDDLE = 384;
constexpr u32 MIDDLE_BITS = 0x5e00;

// The row of a word's sample: of words of row y the first one's is y, and the second one's as far from the lower border as that from
// the upper one.
__device__ __forceinline__ int row_of(const Component& c, int y, int side) { return side == 0 ? y : int(c.src.height) - 1 - y; }

// Whether it is words of row y that a sample is taken from in the end: rows in the middle are in two.
__device__ __forceinline__ bool owns(const Component& c, int y, int side) {
    return y < int(c.src.height) - (side == 0 ? 0 : int(c.word_rows));
}

// Whether the second samples of words of row y are read as first ones, too: in one of the `reach` rows from `word_rows` on.
__device__ __forceinline__ bool is_read_swapped(const Component& c, int y, int reach) {
    const int last = int(c.src.height) - int(c.word_rows);
    return y < last && y >= last - reach;
}

__device__ __forceinline__ u32 swapped(u32 word) { return __byte_perm(word, 0, 0x1032); }

// The bytes of two samples: high ones above 1024, low ones as quarters above 256. `exponents` is 0x64645c5c, which the compiler
// must not know: with two numbers that it knows, it moves one into a register each time.
struct Bytes {
    Halves high, low;
    __device__ __forceinline__ Bytes(u32 word, u32 exponents)
        : high{__byte_perm(word, exponents, 0x7371)}, low{__byte_perm(word, exponents, 0x4240)} {}
};

// Writes a thread's words of row y, and once more the other way round where `is_read_swapped` says so. There is room for a block's
// columns beyond the picture.
__device__ __forceinline__ void put_words(const Component& c, u16* plane, int x, int y, int reach, const u32 (&words)[EACH]) {
    u32* const row = reinterpret_cast<u32*>(plane) + y * int(c.pitch) + x;
#pragma unroll
    for (int i = 0; i < EACH; i++) row[32 * i] = words[i];
    if (!is_read_swapped(c, y, reach)) return;
    u32* const opposite = reinterpret_cast<u32*>(plane) + row_of(c, y, 1) * int(c.pitch) + x;
#pragma unroll
    for (int i = 0; i < EACH; i++) opposite[32 * i] = swapped(words[i]);
}

// Where a thread's words are: its first row, and where the block ends.
struct Place {
    int left, top, last, x, y;
    __device__ __forceinline__ Place(const Component& c, u32 block, int rows = PAIR_ROWS)
        : left(block % c.across * COLUMNS), top(block / c.across * rows), last(top + rows), x(left + threadIdx.x % 32),
          y(top + threadIdx.x / 32) {}
};

// Has `rows` go over a block's rows, of which pairs lie up to `reach` away: as one whose pairs are closer beside the left or the right
// border (`ACROSS`), near the upper or the lower one (`DOWN`), in a corner or nowhere.
template <typename Rows>
__device__ __forceinline__ void by_borders(const Component& c, const Place& place, const Reach& reach, const Rows& rows) {
    const int width = c.src.width, height = c.src.height, columns_away = reach.columns, rows_away = reach.rows;
    const bool across = place.left < columns_away || place.left + COLUMNS + columns_away > width;
    const bool down = place.top < rows_away || place.last + rows_away > height;
    if (!across && !down) {
        rows.template run<false, false>();
    } else if (!across) {
        rows.template run<false, true>();
    } else if (!down) {
        rows.template run<true, false>();
    } else {
        rows.template run<true, true>();
    }
}

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

// Words at some distance from others. The address is worked out once, and words are read at fixed distances from it: else the
// compiler works one out a word.
__device__ __forceinline__ const u32* at_distance(const u32* words, int distance) {
    words += distance;
    asm("" : "+l"(words));
    return words;
}

// Both samples of a pair, seen from a thread's words of row y: of their second samples the pair that the first ones have upside down,
// which is another of the same pass.
template <bool ACROSS, bool DOWN>
struct Taps {
    PairDistance<ACROSS, DOWN> distance;
    const u32 *a, *b;
    __device__ __forceinline__ Taps(const Component& c, const u32* plane, const Offset& pair, int x, int y)
        : distance(c, pair, x, y), a(at_distance(plane, distance.same)), b(at_distance(plane, -distance.same)) {}
    __device__ __forceinline__ u32 first(int i) const { return __ldg(a + 32 * i + distance.columns_of(i)); }
    __device__ __forceinline__ u32 second(int i) const { return __ldg(b + 32 * i - distance.columns_of(i)); }
};

// How far two samples lie from two others, in quarters; or, of samples of 8 bits, in their steps.
constexpr int QUARTERS = 4, STEPS = 256;
template <int UNIT>
__device__ __forceinline__ Halves difference(u32 from, const Bytes& to, u32 exponents) {
    const Bytes bytes(from, exponents);
    const Halves high = bytes.high - to.high;
    return UNIT == STEPS ? high : fma(high, both(64), bytes.low - to.low);
}

// How a pass moves a thread's samples of row y from the source's, which are `own`. What `from` holds was moved, or is the source.
// `level` gives what they are moved by besides.
template <int UNIT, bool MOVED, bool ACROSS, bool DOWN, typename Level>
__device__ __forceinline__ void smooth(
    const Component& c, u32 exponents, const u16* from, int x, int y, const Pass& pass, const Level& level, u32 (&own)[EACH],
    Halves (&moved)[EACH]) {
    const int at = y * int(c.pitch) + x;
    const u32* const source = reinterpret_cast<const u32*>(c.source) + at;
    const u32* const plane = reinterpret_cast<const u32*>(from) + at;
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
        const Taps<ACROSS, DOWN> taps(c, plane, pass.pairs[pair], x, y);
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            const Bytes bytes(centre[i], exponents);
            const Halves to_a = difference<UNIT>(taps.first(i), bytes, exponents);
            add_pair<true>(tally[i], to_a, difference<UNIT>(taps.second(i), bytes, exponents), bounds);
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
