// Evidence of texture in two samples at a time.
#pragma once

#include "gradient_words.cuh"

// Evidence by the sum of the pairs that count, and how many they are.
__device__ __forceinline__ int evidence_of(const Gradient& p, int sum, int count) {
    const int away = abs((sum * int(p.shares[count]) + 16384) >> 15) - int(p.floor);
    return min(max(away, 0) * int(p.scale), 255);
}

// Of 8 bits there are few sums, in their steps, so that evidence is tabled by them and by counts.
constexpr int BY_COUNT = sizeof(TallyTable) / (MOST_PAIRS + 1), MOST_SUM = BY_COUNT / 2;

// Evidence at a word.
struct Found {
    int side[2];
};

// Looks for evidence in a thread's words of row y, from samples of 8 bits.
template <bool ACROSS, bool DOWN>
__device__ __forceinline__ void look_at_steps(
    const Gradient& p, const Component& c, const u32* source, int x, int y, const u8* by_tally, Found (&found)[EACH]) {
    const Bounds bounds(p.near, 0, STEPS);
    const u32 exponents = p.exponents;
    u32 own[EACH];
    Tally tally[EACH];
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        own[i] = __ldg(source + 32 * i);
        tally[i] = {both(0), both(0)};
    }
#pragma unroll
    for (int pair = 0; pair < MOST_PAIRS; pair++) {
        const Taps<ACROSS, DOWN> taps(c, source, p.pairs[pair], x, y);
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            const Bytes bytes(own[i], exponents);
            const Halves to_a = difference<STEPS>(taps.first(i), bytes, exponents);
            add_pair<false>(tally[i], to_a, difference<STEPS>(taps.second(i), bytes, exponents), bounds);
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
template <bool ACROSS, bool DOWN>
__device__ __forceinline__ void look_at_any(
    const Gradient& p, const Component& c, const u32* source, int x, int y, Found (&found)[EACH]) {
    const Bounds bounds(p.near, 0, QUARTERS);
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        const Bytes own(__ldg(source + 32 * i), p.exponents);
        Halves high = both(0), low[2] = {both(0), both(0)}, count = both(0);
#pragma unroll
        for (int pair = 0; pair < MOST_PAIRS; pair++) {
            const Taps<ACROSS, DOWN> taps(c, source, p.pairs[pair], x, y);
            const Bytes a(taps.first(i), p.exponents), b(taps.second(i), p.exponents);
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

// Looks for evidence in a thread's words of row y. Of samples of 8 bits `by_tally` has it.
template <bool OF_8_BITS, bool ACROSS, bool DOWN>
__device__ __forceinline__ void look(
    const Gradient& p, const Component& c, int x, int y, const u8* by_tally, Found (&found)[EACH]) {
    const u32* const source = reinterpret_cast<const u32*>(c.source) + y * int(c.pitch) + x;
    if (OF_8_BITS) {
        look_at_steps<ACROSS, DOWN>(p, c, source, x, y, by_tally, found);
    } else {
        look_at_any<ACROSS, DOWN>(p, c, source, x, y, found);
    }
}

// Stores the evidence of one side of a thread's words of row y.
__device__ __forceinline__ void put_evidence(const Component& c, const Place& place, int y, int side, const Found (&found)[EACH]) {
    if (!owns(c, y, side)) return;
    const int width = c.src.width;
    u8* const evidence = c.evidence + row_of(c, y, side) * int(c.evidence_pitch);
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
