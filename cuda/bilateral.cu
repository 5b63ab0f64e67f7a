// bilateral: means weighed by distance and difference, in 32-bit floats whose order is fixed.
//
// A block copies its samples and those around them to shared memory. A thread weighs the windows of some samples side by
// side, row by row: of the samples in a row of the window, each serves all of them. No instruction is one that a CPU
// lacks, so every weight is the CPU's to the last bit.

#include "common/four.cuh"

constexpr int MOST = 30;  // samples that a window reaches in a direction

#include "generated/bilateral.cuh"

// As src/filters/bilateral/weights.rs has it.
constexpr float ROUND = 12582912.0f;

// As src/filters/bilateral/cuda.rs has them.
constexpr int COLUMNS = 64, THREADS = 256, TABLES = 128;
static_assert(2 * MOST + 4 <= TABLES / 2, "weights have room");

// What the threads of a block share: weights of columns and of rows, and the samples, which are floats or, where there is
// a guide, words of it and of the value.
extern __shared__ uint4 shared[];

// The mean of the luma samples that chroma sample (x, y) covers, rounded half up.
__device__ __forceinline__ u32 luma_at(const Bilateral& p, int x, int y) {
    const Plane& luma = p.luma;
    const int w = p.subsampling_w, h = p.subsampling_h;
    u32 sum = 0;
    for (int v = 0; v < 1 << h; v++)
        for (int u = 0; u < 1 << w; u++)
            sum += lane(luma, inside((x << w) + u, luma.width), inside((y << h) + v, luma.height));
    return (sum + ((1u << (w + h)) >> 1)) >> (w + h);
}

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

// A sample, with 2^23 added, which leaves differences as they are, and its guide, scaled.
struct Guided {
    float sample, steer;

    static __device__ __forceinline__ uint4 pack(const Bilateral& p, const Plane& src, int x, int y) {
        return make_uint4(of(p, src, x, y), of(p, src, x + 1, y), of(p, src, x + 2, y), of(p, src, x + 3, y));
    }
    static __device__ __forceinline__ u32 of(const Bilateral& p, const Plane& src, int x, int y) {
        x = inside(x, src.width);
        return luma_at(p, x, y) << 16 | lane(src, x, y);
    }
    __device__ __forceinline__ void unpack(u32 word, const Weights& weights) {
        sample = __uint_as_float(__byte_perm(word, 0x4b000000, 0x7610));
        const float guide = __uint_as_float(__byte_perm(word, 0x4b000000, 0x7632));
        steer = __fmaf_rn(guide, weights.scale, __fmul_rn(-8388608.0f, weights.scale));
    }
    __device__ __forceinline__ float value() const { return sample; }
    __device__ __forceinline__ float guide() const { return steer; }
    __device__ __forceinline__ int lane_of(const Weights&) const { return __float_as_uint(sample) & 0xffff; }
};

template <typename Sample>
__device__ __forceinline__ void unpack(Sample* samples, const uint4& words, const Weights& weights) {
    samples[0].unpack(words.x, weights);
    samples[1].unpack(words.y, weights);
    samples[2].unpack(words.z, weights);
    samples[3].unpack(words.w, weights);
}

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

// The sums of a row of the windows, from left to right. `words` and `levels` are where its first samples and their levels
// are. Four columns at a time; their number is odd, so one or three are left.
template <int DEGREE, int OUTPUTS, typename Sample>
__device__ __forceinline__ Sums<OUTPUTS> sum_forwards(
    const Weights& weights, const uint4* words, const float4* levels, const Sample (&middle)[OUTPUTS]) {
    Sums<OUTPUTS> row;
    Sample samples[OUTPUTS + 4];
#pragma unroll
    for (int i = 0; i < OUTPUTS; i += 4) unpack(samples + i, *words++, weights);
    const int fours = weights.radius_w / 2;
#pragma unroll 1
    for (int k = 0; k < fours; k++) {
        unpack(samples + OUTPUTS, *words++, weights);
        const float4 level = *levels++;
        row.template add<DEGREE>(weights, samples, middle, level.x);
        row.template add<DEGREE>(weights, samples + 1, middle, level.y);
        row.template add<DEGREE>(weights, samples + 2, middle, level.z);
        row.template add<DEGREE>(weights, samples + 3, middle, level.w);
#pragma unroll
        for (int i = 0; i < OUTPUTS; i++) samples[i] = samples[i + 4];
    }
    const float4 level = *levels;
    row.template add<DEGREE>(weights, samples, middle, level.x);
    if (weights.radius_w % 2 == 1) {
        unpack(samples + OUTPUTS, *words, weights);
        row.template add<DEGREE>(weights, samples + 1, middle, level.y);
        row.template add<DEGREE>(weights, samples + 2, middle, level.z);
    }
    return row;
}

// The same from right to left.
template <int DEGREE, int OUTPUTS, typename Sample>
__device__ __forceinline__ Sums<OUTPUTS> sum_backwards(
    const Weights& weights, const uint4* words, const float4* levels, const Sample (&middle)[OUTPUTS]) {
    Sums<OUTPUTS> row;
    Sample samples[OUTPUTS + 4];
    const int fours = weights.radius_w / 2;
    words += fours;
    levels += fours;
#pragma unroll
    for (int i = 0; i < OUTPUTS; i += 4) unpack(samples + i, words[i / 4], weights);
    const float4 level = *levels;
    if (weights.radius_w % 2 == 1) {
        unpack(samples + OUTPUTS, words[OUTPUTS / 4], weights);
        row.template add<DEGREE>(weights, samples + 2, middle, level.z);
        row.template add<DEGREE>(weights, samples + 1, middle, level.y);
    }
    row.template add<DEGREE>(weights, samples, middle, level.x);
#pragma unroll 1
    for (int k = 0; k < fours; k++) {
#pragma unroll
        for (int i = OUTPUTS + 3; i >= 4; i--) samples[i] = samples[i - 4];
        unpack(samples, *--words, weights);
        const float4 level = *--levels;
        row.template add<DEGREE>(weights, samples + 3, middle, level.w);
        row.template add<DEGREE>(weights, samples + 2, middle, level.z);
        row.template add<DEGREE>(weights, samples + 1, middle, level.y);
        row.template add<DEGREE>(weights, samples, middle, level.x);
    }
    return row;
}

// Filters a block's samples of a component, from (left, top) on.
template <int DEGREE, int OUTPUTS, typename Sample>
__device__ __forceinline__ void filter(const Bilateral& p, const Component& c, int left, int top) {
    const Weights& weights = p.weights;
    constexpr int ROWS = THREADS * OUTPUTS / COLUMNS;
    const int radius_w = weights.radius_w, radius_h = weights.radius_h;
    const int pitch = (COLUMNS + 2 * radius_w + 3) & ~3, rows = ROWS + 2 * radius_h;
    float* const across = reinterpret_cast<float*>(shared);
    float* const down = across + TABLES / 2;
    u32* const tile = reinterpret_cast<u32*>(across + TABLES);

    for (int i = threadIdx.x; i < TABLES / 2; i += THREADS) {
        across[i] = weights.across[min(abs(i - radius_w), radius_w)];
        down[i] = weights.down[min(abs(i - radius_h), radius_h)];
    }
    // Four samples at a time, from a multiple of four on.
    const int before = -radius_w & 3;
    for (int y = threadIdx.x / 32; y < rows; y += THREADS / 32) {
        const int from = inside(top + y - radius_h, c.src.height);
        for (int x = threadIdx.x % 32 * 4 - before; x < pitch; x += 32 * 4) {
            const uint4 four = Sample::pack(p, c.src, left + x - radius_w, from);
#pragma unroll
            for (int i = 0; i < 4; i++) {
                if (x + i >= 0 && x + i < pitch) tile[y * pitch + x + i] = word(four, i);
            }
        }
    }
    __syncthreads();

    const int x = threadIdx.x % (COLUMNS / OUTPUTS) * OUTPUTS, y = threadIdx.x / (COLUMNS / OUTPUTS);
    if (left + x >= int(c.src.width) || top + y >= int(c.src.height)) return;
    Sample middle[OUTPUTS];
#pragma unroll
    for (int i = 0; i < OUTPUTS; i++) middle[i].unpack(tile[(y + radius_h) * pitch + x + radius_w + i], weights);
    Sums<OUTPUTS> sums;
    const uint4* words = reinterpret_cast<const uint4*>(tile + y * pitch + x);
    const float4* const levels = reinterpret_cast<const float4*>(across);
    int v = 0;
#pragma unroll 1
    for (; v < radius_h; v++, words += pitch / 4) {
        sums.add_row(sum_backwards<DEGREE>(weights, words, levels, middle), down[v]);
    }
#pragma unroll 1
    for (; v <= 2 * radius_h; v++, words += pitch / 4) {
        sums.add_row(sum_forwards<DEGREE>(weights, words, levels, middle), down[v]);
    }
#pragma unroll
    for (int four = 0; four < OUTPUTS; four += 4) {
        int values[4];
#pragma unroll
        for (int k = 0; k < 4; k++) {
            const int i = four + k;
            const float mean = __fdiv_rn(sums.sum[i], sums.total[i]);
            const int value = middle[i].lane_of(weights) + int(floorf(__fmaf_rn(mean, weights.unscale, 0.5f)));
            values[k] = min(max(value, 0), 0xffff) - bias(c.src);
        }
        store_four(c.dst, left + x + four, top + y, values);
    }
}

template <int DEGREE, int OUTPUTS, typename Sample>
__device__ __forceinline__ void bilateral(const Bilateral& p) {
    constexpr int ROWS = THREADS * OUTPUTS / COLUMNS;
    u32 block = blockIdx.x;
    const Component& c = component_of(p.component, block);
    const int left = block % c.across * COLUMNS, top = block / c.across * ROWS;
    if (c.filters) {
        filter<DEGREE, OUTPUTS, Sample>(p, c, left, top);
    } else {
        pass_on<COLUMNS, THREADS>(c.src, c.dst, left, top, ROWS);
    }
}

// The blocks are those that a multiprocessor shall have room for: with fewer registers than that leaves, compilers spill.
// Eight outputs share more of a row's overhead, but blocks of them read more around them than small windows are worth.
#define BILATERAL(name, blocks, ...) \
    extern "C" __global__ void __launch_bounds__(THREADS, blocks) bilateral_##name(const Bilateral p) { bilateral<__VA_ARGS__>(p); }
BILATERAL(cubic4, 4, 3, 4, Own)
BILATERAL(cubic8, 2, 3, 8, Own)
BILATERAL(quartic4, 4, 4, 4, Own)
BILATERAL(quartic8, 2, 4, 8, Own)
BILATERAL(guided4, 3, 4, 4, Guided)
BILATERAL(guided8, 2, 4, 8, Guided)
