// median of 3x3 and 5x5 samples, by minima and maxima alone: two rows below one another share the order of the samples that
// both have of a column, and two windows side by side that of what they both have of a row.
#pragma once

#include "common/rows.cuh"
#include "generated/median.cuh"

struct OfNine {
    typedef MedianConsts Consts;
    static constexpr int RADIUS = 1;

    // With each column in order, the middle of the largest low, the middle one of the middle ones and the smallest high.
    template <int N, typename V>
    static __device__ __forceinline__ void rows(const Consts&, V (&rows)[4][N], V (&made)[2][N]) {
        V inner[2][N];
#pragma unroll
        for (int i = 0; i < N; i++) {
            inner[0][i] = rows[1][i];
            inner[1][i] = rows[2][i];
            sort<SUMS>(inner[0][i], inner[1][i]);
        }
#pragma unroll
        for (int r = 0; r < 2; r++) {
            V low[N + 2], mid[N + 2], high[N + 2];
#pragma unroll
            for (int i = 0; i < N; i++) {
                const V a = inner[0][i], b = inner[1][i], outer = rows[3 * r][i];
                low[i + 1] = least(a, outer);
                mid[i + 1] = middle(a, b, outer);
                high[i + 1] = most(b, outer);
            }
            beside<1>(low);
            beside<1>(mid);
            beside<1>(high);
#pragma unroll
            for (int i = 0; i < N; i += 2) {
                const V lows = most(low[i + 1], low[i + 2]), highs = least(high[i + 1], high[i + 2]);
                V a = mid[i + 1], b = mid[i + 2];
                sort<SUMS>(a, b);
#pragma unroll
                for (int k = 0; k < 2; k++) {
                    V l = most(lows, low[i + 3 * k]), h = least(highs, high[i + 3 * k]);
                    sort<SUMS>(l, h);
                    made[r][i + k] = middle(l, h, middle(a, b, mid[i + 3 * k]));
                }
            }
        }
    }
};

// Four values in order, of two and two.
template <By BY = EXTREMES, typename V>
__device__ __forceinline__ void merge(V a0, V a1, V b0, V b1, V (&made)[4]) {
    sort<BY>(a0, b0);
    sort<BY>(a1, b1);
    made[0] = a0;
    made[3] = b1;
    made[1] = b0;
    made[2] = a1;
    sort<BY>(made[1], made[2]);
}

struct OfTwentyFive {
    typedef MedianConsts Consts;
    static constexpr int RADIUS = 2;

    // The middle one of 25, each of whose columns is in order: the rows that they make are put in order too, as far as their
    // values can be the middle one. Thirteen are left: of the lowest row the two largest, `a`, then three of each, and of the
    // highest row the two smallest, `e`. Which of them is the middle one takes no more than 18 steps, found by search: those
    // where the ones among thirteen bits are at least seven for all orders that rows and columns still can have.
    template <typename V>
    static __device__ __forceinline__ V of_thirteen(
        const V (&a)[2], const V (&b)[3], const V (&c)[3], const V (&d)[3], const V (&e)[2]) {
        const V t3 = least(least(e[1], most(c[0], most(d[0], b[1]))), d[2]);
        const V t5 = most(least(e[0], c[2]), b[0]);
        const V t8 = most(least(d[1], b[2]), a[0]);
        const V t6 = most(t3, t5), t9 = most(c[1], t8), t10 = least(t6, t9);
        const V t13 = most(least(t3, t5), least(c[1], t8));
        return least(most(t10, t13), most(least(t10, t13), a[1]));
    }

    template <int N, typename V>
    static __device__ __forceinline__ void rows(const Consts&, V (&rows)[6][N], V (&made)[2][N]) {
        V inner[N][4];
#pragma unroll
        for (int i = 0; i < N; i++) {
            V a = rows[1][i], b = rows[2][i], c = rows[3][i], d = rows[4][i];
            sort<SUMS>(a, b);
            sort<SUMS>(c, d);
            merge<SUMS>(a, b, c, d, inner[i]);
        }
#pragma unroll
        for (int r = 0; r < 2; r++) {
            // By rank in a column.
            V ranks[5][N + 4];
#pragma unroll
            for (int i = 0; i < N; i++) {
                const V(&in)[4] = inner[i];
                const V outer = rows[5 * r][i];
                ranks[0][i + 2] = least(in[0], outer);
#pragma unroll
                for (int k = 1; k < 4; k++) ranks[k][i + 2] = middle(in[k - 1], in[k], outer);
                ranks[4][i + 2] = most(in[3], outer);
            }
#pragma unroll
            for (int k = 0; k < 5; k++) beside<2>(ranks[k]);
            // Two neighbours that begin at an odd column, in order.
            V low[5][N / 2 + 1], high[5][N / 2 + 1];
#pragma unroll
            for (int k = 0; k < 5; k++)
#pragma unroll
                for (int i = 0; i < N / 2 + 1; i++) {
                    low[k][i] = ranks[k][2 * i + 1];
                    high[k][i] = ranks[k][2 * i + 2];
                    sort<SUMS>(low[k][i], high[k][i]);
                }
#pragma unroll
            for (int i = 0; i < N / 2; i++) {
                // The four columns that two windows share.
                V four[5][4];
#pragma unroll
                for (int k = 0; k < 5; k++) {
                    // Of the outermost rows only two values count, where sums would be for nothing.
                    if (k == 0 || k == 4) {
                        merge(low[k][i], high[k][i], low[k][i + 1], high[k][i + 1], four[k]);
                    } else {
                        merge<SUMS>(low[k][i], high[k][i], low[k][i + 1], high[k][i + 1], four[k]);
                    }
                }
#pragma unroll
                for (int w = 0; w < 2; w++) {
                    const auto of_five = [&](int k, int rank) {
                        const V outer = ranks[k][2 * i + 5 * w];
                        return rank == 0   ? least(four[k][0], outer)
                               : rank == 4 ? most(four[k][3], outer)
                                           : middle(four[k][rank - 1], four[k][rank], outer);
                    };
                    const V a[2] = {of_five(0, 3), of_five(0, 4)}, e[2] = {of_five(4, 0), of_five(4, 1)};
                    const V b[3] = {of_five(1, 2), of_five(1, 3), of_five(1, 4)};
                    const V c[3] = {of_five(2, 1), of_five(2, 2), of_five(2, 3)};
                    const V d[3] = {of_five(3, 0), of_five(3, 1), of_five(3, 2)};
                    made[r][2 * i + w] = of_thirteen(a, b, c, d, e);
                }
            }
        }
    }
};
