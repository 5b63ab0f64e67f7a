// surface_blur: means weighed by difference, in 32-bit floats whose order is fixed.
//
// A block copies samples to shared memory, as many rows at a time as it holds. A thread weighs the windows of some samples
// side by side, row by row: of the samples in a row of the window, each serves all of them.

#include "common/window.cuh"
#include "generated/surface_blur.cuh"

// max(0, limit - |difference|), where the limit is one or less. Nothing is rounded.
__device__ __forceinline__ float weigh(float limit, float difference) {
    float weight;
    asm("add.rn.sat.f32 %0, %1, %2;" : "=f"(weight) : "f"(limit), "f"(-fabsf(difference)));
    return weight;
}

// Sums of OUTPUTS windows side by side: of weighed differences, and of weights.
template <int OUTPUTS>
struct Sums {
    float sum[OUTPUTS], total[OUTPUTS];

    __device__ __forceinline__ Sums() {
#pragma unroll
        for (int i = 0; i < OUTPUTS; i++) sum[i] = total[i] = 0;
    }

    // Adds one sample of each window: those from `samples` on.
    __device__ __forceinline__ void add(const float* samples, const float (&middle)[OUTPUTS], float limit) {
#pragma unroll
        for (int i = 0; i < OUTPUTS; i++) {
            const float difference = __fadd_rn(samples[i], -middle[i]);
            const float weight = weigh(limit, difference);
            sum[i] = __fmaf_rn(weight, difference, sum[i]);
            total[i] = __fadd_rn(total[i], weight);
        }
    }

    __device__ __forceinline__ void add(const Sums& row) {
#pragma unroll
        for (int i = 0; i < OUTPUTS; i++) {
            sum[i] = __fadd_rn(sum[i], row.sum[i]);
            total[i] = __fadd_rn(total[i], row.total[i]);
        }
    }
};

__device__ __forceinline__ void unpack(float* samples, const float4& four) {
    samples[0] = four.x;
    samples[1] = four.y;
    samples[2] = four.z;
    samples[3] = four.w;
}

// The sums of a row of the windows, from left to right, whose samples begin at `fours`. Four columns at a time; their number
// is odd, so one or three are left.
template <int OUTPUTS>
__device__ __forceinline__ Sums<OUTPUTS> sum_row(
    const SurfaceBlur& p, const float4* fours, const float (&middle)[OUTPUTS]) {
    Sums<OUTPUTS> row;
    float samples[OUTPUTS + 4];
#pragma unroll
    for (int i = 0; i < OUTPUTS; i += 4) unpack(samples + i, *fours++);
#pragma unroll 1
    for (int k = 0; k < p.radius / 2; k++) {
        unpack(samples + OUTPUTS, *fours++);
#pragma unroll
        for (int i = 0; i < 4; i++) row.add(samples + i, middle, p.limit);
#pragma unroll
        for (int i = 0; i < OUTPUTS; i++) samples[i] = samples[i + 4];
    }
    row.add(samples, middle, p.limit);
    if (p.radius % 2 == 1) {
        unpack(samples + OUTPUTS, *fours);
        row.add(samples + 1, middle, p.limit);
        row.add(samples + 2, middle, p.limit);
    }
    return row;
}

template <int OUTPUTS>
__device__ __forceinline__ void surface_blur(const WindowArgs& args, const SurfaceBlur& p) {
    constexpr int ROWS = BLOCK_ROWS<OUTPUTS>;
    const Place place(args, ROWS, blockIdx.x);
    const WindowComponent& c = place.c;
    if (!c.computes) return pass_on<COLUMNS, THREADS>(c.src, c.dst, place.left, place.top, ROWS);
    float* const tile = reinterpret_cast<float*>(shared);
    const int radius = p.radius, pitch = COLUMNS + ((2 * radius + 3) & ~3), all = ROWS + 2 * radius;
    const int x = threadIdx.x % (COLUMNS / OUTPUTS) * OUTPUTS, y = threadIdx.x / (COLUMNS / OUTPUTS);
    const bool computes = place.left + x < int(c.dst.width) && place.top + y < int(c.dst.height);

    float middle[OUTPUTS];
#pragma unroll
    for (int i = 0; i < OUTPUTS; i++) {
        const int at_x = inside(place.left + x + i, c.src.width), at_y = inside(place.top + y, c.src.height);
        middle[i] = float(lane(c.src, at_x, at_y) & 0xffff) * p.scale;
    }
    Sums<OUTPUTS> sums;
    for (int from = 0; from < all; from += p.rows) {
        const int count = min(p.rows, all - from);
        if (from > 0) __syncthreads();
        fill(place, radius, radius - from, count, pitch, tile, [&](u32 lane) { return float(lane & 0xffff) * p.scale; });
        __syncthreads();
        if (!computes) continue;
        const int end = min(y + 2 * radius + 1, from + count);
#pragma unroll 1
        for (int v = max(y, from); v < end; v++) {
            sums.add(sum_row(p, reinterpret_cast<const float4*>(tile + (v - from) * pitch + x), middle));
        }
    }
    if (!computes) return;
    int lanes[OUTPUTS];
#pragma unroll
    for (int i = 0; i < OUTPUTS; i++) {
        const float mean = __fdiv_rn(sums.sum[i], sums.total[i]);
        const int value = int(__fmul_rn(middle[i], p.unscale)) + int(floorf(__fmaf_rn(mean, p.unscale, 0.5f)));
        lanes[i] = min(max(value, 0), 0xffff);
    }
    store_lanes(place, x, y, lanes);
}

// The blocks are those that a multiprocessor shall have room for: with fewer registers than that leaves, compilers spill.
#define SURFACE_BLUR(outputs, blocks) \
    extern "C" __global__ void __launch_bounds__(THREADS, blocks) surface_blur_##outputs( \
        const WindowArgs args, const SurfaceBlur consts) { \
        surface_blur<outputs>(args, consts); \
    }
SURFACE_BLUR(4, 4)
SURFACE_BLUR(8, 3)
