// Evidence of texture in two samples at a time.
#pragma once

#include "gradient_words.cuh"

// Evidence by the sum of the pairs that count, and how many they are.
__device__ __forceinline__ int evidence_of(const Gradient& p, int sum, int count) {
    const int away = abs((sum * int(p.shares[count]) + 16384) >> 15) - int(p.floor);
    return min(max(away, 0) * int(p.scale), 255);
}

// Of 8 bits there are few sums, in their steps, so that evidence is tabled by them and by counts.
constexpr int MOST_SUM = 32, BY_COUNT = 2 * MOST_SUM, TALLY_WORDS = (MOST_PAIRS + 1) * BY_COUNT / 4;

// Evidence at a word.
struct Found {
    int side[2];
};

// Looks for evidence in a thread's words, from samples of 8 bits that all lie inside the picture.
__device__ __forceinline__ void look_inside(
    u32 exponents, const u32* source, const int (&offsets)[MOST_PAIRS], const Bounds& bounds, const u8* by_tally,
    Found (&found)[EACH]) {
    u32 own[EACH];
    Tally tally[EACH];
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        own[i] = __ldg(source + 32 * i);
        tally[i] = {both(0), both(0)};
    }
#pragma unroll
    for (int pair = 0; pair < MOST_PAIRS; pair++) {
        const u32 *const a = tap(source, offsets[pair]), *const b = tap(source, -offsets[pair]);
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            const Bytes bytes(own[i], exponents);
            const Halves to_a = difference<STEPS>(__ldg(a + 32 * i), bytes, exponents);
            add_pair<false>(tally[i], to_a, difference<STEPS>(__ldg(b + 32 * i), bytes, exponents), bounds);
        }
    }
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        // Above 1024 the last bits are a number's.
        const u32 index = (fma(tally[i].count, both(BY_COUNT), both(1024 + MOST_SUM)) + tally[i].sum).bits & 0x03ff03ff;
        found[i] = {by_tally[index & 0xffff], by_tally[index >> 16]};
    }
}

// The same from any samples. Sums of differences of high and low bytes are kept apart, to be exact.
__device__ __forceinline__ void look(
    const Gradient& p, const u32* source, const int (&offsets)[MOST_PAIRS], const Bounds& bounds, Found (&found)[EACH]) {
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        const Bytes own(__ldg(source + 32 * i), p.exponents);
        Halves high = both(0), low[2] = {both(0), both(0)}, count = both(0);
#pragma unroll
        for (int pair = 0; pair < MOST_PAIRS; pair++) {
            const Bytes a(__ldg(tap(source, offsets[pair]) + 32 * i), p.exponents);
            const Bytes b(__ldg(tap(source, -offsets[pair]) + 32 * i), p.exponents);
            const Halves high_a = a.high - own.high, high_b = b.high - own.high, low_a = a.low - own.low, low_b = b.low - own.low;
            const Halves away = most(abs(fma(high_a, both(64), low_a)), abs(fma(high_b, both(64), low_b)));
            const Halves counts = fma_within_1(away, bounds.unit, bounds.near);
            high = fma(counts, high_a + high_b, high);
            low[pair % 2] = fma(counts, low_a + low_b, low[pair % 2]);
            count = count + counts;
        }
#pragma unroll
        for (int side = 0; side < 2; side++) {
            const auto of_side = [&](Halves halves) { return number(halves.bits >> 16 * side); };
            const int sum = int(256 * of_side(high) + 4 * (of_side(low[0]) + of_side(low[1])));
            found[i].side[side] = evidence_of(p, sum, int(of_side(count)));
        }
    }
}

// Stores a thread's evidence of a row.
__device__ __forceinline__ void put_evidence(const Component& c, const Place& place, int y, int side, const Found (&found)[EACH]) {
    const int width = c.src.width;
    if (y >= int(c.src.height)) return;
    u8* const evidence = c.evidence + y * int(c.pitch);
    if (place.left > 0 && place.left + COLUMNS < width) {
#pragma unroll
        for (int i = 0; i < EACH; i++) evidence[place.x + 32 * i] = found[i].side[side];
        return;
    }
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        const int x = place.x + 32 * i;
        if (x >= width) continue;
        // The outermost samples are replicated for those beside them.
        const int first = x == 0 ? -AROUND : x, last = x == width - 1 ? x + AROUND : x;
        for (int to = first; to <= last; to++) evidence[to] = found[i].side[side];
    }
}
