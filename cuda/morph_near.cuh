// erode, dilate, minmax of 3x3 and 5x5: the smallest and the largest sample around a place.
#pragma once

#include "common/rows.cuh"
#include "generated/morph_near.cuh"

// What is made of the extremes: as src/filters/morph/near.rs has it.
enum { ERODE, DILATE, MINMAX };

template <bool MAX, typename V>
__device__ __forceinline__ V extreme(V a, V b) {
    return MAX ? most(a, b) : least(a, b);
}

// Those of two rows of windows, which share all rows but the outermost, and two windows side by side all columns but those.
template <int RADIUS, bool MAX, int N, typename V>
__device__ __forceinline__ void extremes(V (&rows)[2 * RADIUS + 2][N], V (&made)[2][N]) {
    V inner[N];
#pragma unroll
    for (int i = 0; i < N; i++) {
        inner[i] = rows[1][i];
#pragma unroll
        for (int r = 2; r <= 2 * RADIUS; r++) inner[i] = extreme<MAX>(inner[i], rows[r][i]);
    }
#pragma unroll
    for (int r = 0; r < 2; r++) {
        V columns[N + 2 * RADIUS];
#pragma unroll
        for (int i = 0; i < N; i++) columns[RADIUS + i] = extreme<MAX>(inner[i], rows[r * (2 * RADIUS + 1)][i]);
        beside<RADIUS>(columns);
        V two[N / 2 + RADIUS - 1];
#pragma unroll
        for (int i = 0; i < N / 2 + RADIUS - 1; i++) two[i] = extreme<MAX>(columns[2 * i + 1], columns[2 * i + 2]);
#pragma unroll
        for (int i = 0; i < N / 2; i++) {
            const V shared = RADIUS == 1 ? two[i] : extreme<MAX>(two[i], two[i + RADIUS - 1]);
            made[r][2 * i] = extreme<MAX>(columns[2 * i], shared);
            made[r][2 * i + 1] = extreme<MAX>(columns[2 * i + 2 * RADIUS + 1], shared);
        }
    }
}

template <int REACH, int WHAT>
struct Extreme {
    typedef MorphConsts Consts;
    static constexpr int RADIUS = REACH;

    static __device__ __forceinline__ void rows(const Consts& c, u32 (&rows)[2 * REACH + 2][CHUNK], u32 (&made)[2][CHUNK]) {
        u32 low[2][CHUNK], high[2][CHUNK];
        if (WHAT != DILATE) extremes<REACH, false>(rows, low);
        if (WHAT != ERODE) extremes<REACH, true>(rows, high);
        const int limit = c.limit;
#pragma unroll
        for (int r = 0; r < 2; r++)
#pragma unroll
            for (int i = 0; i < CHUNK; i++) {
                const int own = rows[REACH + r][i];
                made[r][i] = WHAT == ERODE    ? max(int(low[r][i]), own - limit)
                             : WHAT == DILATE ? min(int(high[r][i]), own + limit)
                                              : min(c.nought + high[r][i] - low[r][i], 0xffffu);
            }
    }

    // In pairs, without limits.
    template <bool SHORT, int N>
    static __device__ __forceinline__ void rows(const Consts&, Pair<SHORT> (&rows)[2 * REACH + 2][N], Pair<SHORT> (&made)[2][N]) {
        extremes<REACH, WHAT == DILATE>(rows, made);
    }
};
