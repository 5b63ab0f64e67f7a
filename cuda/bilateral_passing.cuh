// A row of samples that passes another, column by column: each weight is worked out once, for both of the samples that it is
// between.
#pragma once

#include "bilateral.cuh"

// N floats of shared memory.
template <int N>
__device__ __forceinline__ void read(float (&to)[N], const float* from) {
    if constexpr (N % 4 == 0) {
#pragma unroll
        for (int i = 0; i < N; i += 4) {
            const float4 four = *reinterpret_cast<const float4*>(from + i);
            to[i] = four.x, to[i + 1] = four.y, to[i + 2] = four.z, to[i + 3] = four.w;
        }
    } else {
#pragma unroll
        for (int i = 0; i < N; i += 2) {
            const float2 two = *reinterpret_cast<const float2*>(from + i);
            to[i] = two.x, to[i + 1] = two.y;
        }
    }
}

// Words that the levels of N columns take, so that they are read by fours.
template <int N>
constexpr int LEVELS = (N + 3) & ~3;

template <int N>
__device__ __forceinline__ void read_levels(float (&to)[N], const float* from) {
#pragma unroll
    for (int i = 0; i < N; i += 4) {
        const float4 four = *reinterpret_cast<const float4*>(from + i);
        to[i] = four.x, to[i + 1] = four.y;
        if (i + 2 < N) to[i + 2] = four.z, to[i + 3] = four.w;
    }
}

// Whose windows take a weight.
enum Sides { OWN_SIDE = 1, PASSING_SIDE = 2, BOTH_SIDES = 3 };

// What a lane holds of the passing row: N samples, of which that in column i of the row is at i % N, and the sums of their
// windows. Samples come from the right, and sums go from lane to lane to the left, as the columns between go from left to
// right: so both samples get their weights in the order that the definition has.
template <int N, int SIDES>
struct Passing {
    float sample[N], sum[N], total[N];

    // One column to the right.
    template <int I>
    __device__ __forceinline__ void pass(float next) {
        constexpr int LEAVING = (I + N - 1) % N;
        sample[LEAVING] = next;
        if (SIDES & PASSING_SIDE) {
            sum[LEAVING] = __shfl_down_sync(0xffffffff, sum[LEAVING], 1);
            total[LEAVING] = __shfl_down_sync(0xffffffff, total[LEAVING], 1);
        }
    }

    // Weighs the passing samples with the lane's own, which are negated.
    template <int DEGREE, int I>
    __device__ __forceinline__ void weigh_all(const Weights& weights, const float (&minus)[N], Sums<N>& own, float level) {
#pragma unroll
        for (int i = 0; i < N; i++) {
            const int at = (i + I) % N;
            const float difference = __fadd_rn(sample[at], minus[i]);
            const float weight = weigh<DEGREE>(weights, difference, level);
            if (SIDES & OWN_SIDE) {
                own.sum[i] = __fmaf_rn(weight, difference, own.sum[i]);
                own.total[i] = __fadd_rn(own.total[i], weight);
            }
            if (SIDES & PASSING_SIDE) {
                sum[at] = __fmaf_rn(weight, -difference, sum[at]);
                total[at] = __fadd_rn(total[at], weight);
            }
        }
    }

    // Columns I, I + 1 and so on to N - 1, of which the last `count`, an odd number, are weighed.
    template <int DEGREE, int I>
    __device__ __forceinline__ void last(
        const Weights& weights, const float (&minus)[N], Sums<N>& own, const float (&level)[N], const float (&next)[N],
        int count) {
        if constexpr (I < N - 1) {
            if (count >= N - I) {
                pass<I>(next[I - 1]);
                weigh_all<DEGREE, I>(weights, minus, own, level[I]);
                pass<I + 1>(next[I]);
                weigh_all<DEGREE, I + 1>(weights, minus, own, level[I + 1]);
            } else {
                sample[I - 1] = next[I - 1];
                sample[I] = next[I];
            }
            last<DEGREE, I + 2>(weights, minus, own, level, next, count);
        } else {
            pass<I>(next[I - 1]);
            weigh_all<DEGREE, I>(weights, minus, own, level[I]);
        }
    }

    // Columns I to N - 1.
    template <int DEGREE, int I>
    __device__ __forceinline__ void rest(
        const Weights& weights, const float (&minus)[N], Sums<N>& own, const float (&level)[N], const float (&next)[N]) {
        if constexpr (I < N) {
            pass<I>(next[I - 1]);
            weigh_all<DEGREE, I>(weights, minus, own, level[I]);
            rest<DEGREE, I + 1>(weights, minus, own, level, next);
        }
    }

    // A whole row of the windows: `first` columns, then N columns `turns` times. `from` is where the lane's first sample of
    // the passing row is, and `levels` where the levels of its columns are. In the end, `sum` and `total` of lane l are of the
    // samples from 2 * radius_w + N * l on, in the order 1, 2, .. N - 1, 0.
    template <int DEGREE>
    __device__ __forceinline__ void run(
        const Weights& weights, u32 first, u32 turns, const float (&minus)[N], Sums<N>& own, const float* levels,
        const float* from) {
        float level[N], next[N];
        if (SIDES & PASSING_SIDE) {
#pragma unroll
            for (int i = 0; i < N; i++) sum[i] = total[i] = 0;
        }
        read(sample, from);
        from += N;
        read(next, from);
        read_levels(level, levels);
        last<DEGREE, 1>(weights, minus, own, level, next, first);
#pragma unroll 1
        for (u32 k = turns; k > 0; k--) {
            const float pending = next[N - 1];
            from += N;
            levels += LEVELS<N>;
            read(next, from);
            read_levels(level, levels);
            pass<0>(pending);
            weigh_all<DEGREE, 0>(weights, minus, own, level[0]);
            rest<DEGREE, 1>(weights, minus, own, level, next);
        }
    }
};
