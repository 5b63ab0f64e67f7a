// What bilateral's kernels share: weights, samples and sums. No instruction is one that a CPU lacks, so every weight is the
// CPU's to the last bit.
#pragma once

#include "common/four.cuh"

constexpr int MOST = 30;  // samples that a window reaches in a direction

#include "generated/bilateral.cuh"

// As src/filters/bilateral/weights.rs has it.
constexpr float ROUND = 12582912.0f;

// max(0, min(a * b + c, 1)), rounded once.
__device__ __forceinline__ float fma_saturating(float a, float b, float c) {
    float result;
    asm("fma.rn.sat.f32 %0, %1, %2, %3;" : "=f"(result) : "f"(a), "f"(b), "f"(c));
    return result;
}

// The weight of a sample in its row, by a difference of scaled samples.
template <int DEGREE>
__device__ __forceinline__ float weigh(const Weights& weights, float difference, float across) {
    const float level = fma_saturating(-difference, difference, across);
    const float shifted = __fmaf_rn(level, weights.octaves, ROUND);
    const float part = __fmaf_rn(level, weights.octaves, -__fadd_rn(shifted, -ROUND));
    float power = weights.curve[DEGREE];
#pragma unroll
    for (int i = DEGREE - 1; i >= 0; i--) power = __fmaf_rn(power, part, weights.curve[i]);
    return __uint_as_float(__float_as_uint(power) + (__float_as_uint(shifted) << 23));
}

// A sample that is its own guide, scaled.
struct Own {
    float sample;

    // Packs the samples from (x, y) on, where x is a multiple of four and may lie beside the plane.
    static __device__ __forceinline__ uint4 pack(const Bilateral& p, const Plane& src, int x, int y) {
        const uint4 lanes = four_lanes(src, x, y);
        return make_uint4(of(lanes.x, p.weights), of(lanes.y, p.weights), of(lanes.z, p.weights), of(lanes.w, p.weights));
    }
    static __device__ __forceinline__ u32 of(u32 lane, const Weights& weights) {
        return __float_as_uint(__fmul_rn(float(lane), weights.scale));
    }
    __device__ __forceinline__ void unpack(u32 word, const Weights&) { sample = __uint_as_float(word); }
    __device__ __forceinline__ float value() const { return sample; }
    __device__ __forceinline__ float guide() const { return sample; }
    // The lane, which the nearest whole number is in spite of the rounding of `unscale`.
    __device__ __forceinline__ int lane_of(const Weights& weights) const {
        return __float2int_rn(__fmul_rn(sample, weights.unscale));
    }
};

// The sums of a thread's windows.
template <int OUTPUTS>
struct Sums {
    float sum[OUTPUTS], total[OUTPUTS];

    __device__ __forceinline__ Sums() {
#pragma unroll
        for (int i = 0; i < OUTPUTS; i++) sum[i] = total[i] = 0;
    }

    // Adds one sample of each window: those from `samples` on.
    template <int DEGREE, typename Sample>
    __device__ __forceinline__ void add(
        const Weights& weights, const Sample* samples, const Sample (&middle)[OUTPUTS], float across) {
#pragma unroll
        for (int i = 0; i < OUTPUTS; i++) {
            const float weight = weigh<DEGREE>(weights, __fadd_rn(samples[i].guide(), -middle[i].guide()), across);
            sum[i] = __fmaf_rn(weight, __fadd_rn(samples[i].value(), -middle[i].value()), sum[i]);
            total[i] = __fadd_rn(total[i], weight);
        }
    }

    // Adds a row of the windows, of this weight.
    __device__ __forceinline__ void add_row(const Sums& row, float weight) {
#pragma unroll
        for (int i = 0; i < OUTPUTS; i++) {
            sum[i] = __fmaf_rn(weight, row.sum[i], sum[i]);
            total[i] = __fmaf_rn(weight, row.total[i], total[i]);
        }
    }
};
