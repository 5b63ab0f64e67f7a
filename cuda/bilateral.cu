// bilateral: means weighed by distance and difference, in 32-bit floats whose order is fixed.
//
// A block copies its samples and those around them to shared memory. A thread weighs the windows of four samples side by
// side, row by row: of the samples in a row of the window, each serves all four. No instruction is one that a CPU lacks, so
// every weight is the CPU's to the last bit.

#include "common/plane.cuh"

constexpr int MOST = 30;  // samples that a window reaches in a direction

// Mirrors `Table` of src/filters/bilateral/cuda.rs.
struct Weights {
    u32 radius_w;
    u32 radius_h;
    float range;             // what the square of a difference takes off the level, which is from zero to one
    float curve[5];          // two to a power, over two to the power of HALVINGS
    float across[MOST + 1];  // the level of samples by the columns between
    float down[MOST + 1];    // the weight of rows by their distance
};
static_assert(sizeof(Weights) == 280, "Weights differs from the host's");
LAYOUT(Weights, radius_w, 0);
LAYOUT(Weights, radius_h, 4);
LAYOUT(Weights, range, 8);
LAYOUT(Weights, curve, 12);
LAYOUT(Weights, across, 32);
LAYOUT(Weights, down, 156);

// How a component is weighed. The numbers are part of the interface.
enum Choice : u32 { PASSED_ON = 0, OF_LUMA = 1, OF_CHROMA = 2 };

// Mirrors `Component` of src/filters/bilateral/cuda.rs.
struct Component {
    Plane src;
    Plane dst;
    u32 weights;  // a Choice
    u32 guided;   // whether differences are those of luma
    u32 across;   // blocks side by side
    u32 blocks;   // blocks of the component
};
static_assert(sizeof(Component) == 64, "Component differs from the host's");
LAYOUT(Component, src, 0);
LAYOUT(Component, dst, 24);
LAYOUT(Component, weights, 48);
LAYOUT(Component, guided, 52);
LAYOUT(Component, across, 56);
LAYOUT(Component, blocks, 60);

// Mirrors `Args` of src/filters/bilateral/cuda.rs.
struct Bilateral {
    Component component[3];
    Weights luma;
    Weights chroma;
    u32 subsampling_w;  // base-two logarithms
    u32 subsampling_h;
};
static_assert(sizeof(Bilateral) == 760, "Bilateral differs from the host's");
LAYOUT(Bilateral, component, 0);
LAYOUT(Bilateral, luma, 192);
LAYOUT(Bilateral, chroma, 472);
LAYOUT(Bilateral, subsampling_w, 752);
LAYOUT(Bilateral, subsampling_h, 756);

// As src/filters/bilateral/weights.rs has them, whose levels are HALVINGS times these: the same to the last bit.
constexpr float HALVINGS = 64.0f, ROUND = 12582912.0f;

// As src/filters/bilateral/cuda.rs has them.
constexpr int COLUMNS = 64, ROWS = 16, THREADS = 256, OUTPUTS = 4, TABLES = 128;
// Blocks that a multiprocessor shall have room for: with fewer registers than that leaves, compilers spill.
constexpr int BLOCKS = 4;
static_assert(COLUMNS / OUTPUTS * ROWS == THREADS, "a thread for every four samples");
static_assert(2 * MOST + 4 <= TABLES / 2, "weights have room");

// What the threads of a block share: weights of columns and of rows, and the samples, which are floats or, where there is
// a guide, words of it and of the value.
extern __shared__ uint4 shared[];

// Reads a plane as the CPU's lanes: v16, or YC48 with its sign bit flipped.
__device__ __forceinline__ int bias(const Plane& plane) { return plane.sample == SAMPLE_I16 ? 0x8000 : 0; }
__device__ __forceinline__ u32 lane(const Plane& plane, int x, int y) { return load(plane, x, y) + bias(plane); }

__device__ __forceinline__ int inside(int at, u32 size) { return min(max(at, 0), int(size) - 1); }

// The mean of the luma samples that chroma sample (x, y) covers, rounded half up.
__device__ __forceinline__ u32 luma_at(const Bilateral& p, int x, int y) {
    const Plane& luma = p.component[0].src;
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

// The weight of a sample in its row.
template <int DEGREE>
__device__ __forceinline__ float weigh(const Weights& weights, float difference, float across) {
    const float level = fma_saturating(__fmul_rn(difference, difference), weights.range, across);
    const float shifted = __fmaf_rn(level, HALVINGS, ROUND);
    const float part = __fmaf_rn(level, HALVINGS, -__fadd_rn(shifted, -ROUND));
    float power = weights.curve[DEGREE];
#pragma unroll
    for (int i = DEGREE - 1; i >= 0; i--) power = __fmaf_rn(power, part, weights.curve[i]);
    return __uint_as_float(__float_as_uint(power) + (__float_as_uint(shifted) << 23));
}

// A sample that is its own guide.
struct Own {
    typedef float4 Four;
    float sample;

    static __device__ __forceinline__ u32 pack(const Bilateral&, const Plane& src, int x, int y) {
        return __float_as_uint(float(lane(src, x, y)));
    }
    __device__ __forceinline__ void unpack(u32 word) { sample = __uint_as_float(word); }
    __device__ __forceinline__ float value() const { return sample; }
    __device__ __forceinline__ float guide() const { return sample; }
};

// A sample and its guide, each with 2^23 added, which leaves differences as they are.
struct Guided {
    float sample, steer;

    static __device__ __forceinline__ u32 pack(const Bilateral& p, const Plane& src, int x, int y) {
        return luma_at(p, x, y) << 16 | lane(src, x, y);
    }
    __device__ __forceinline__ void unpack(u32 word) {
        sample = __uint_as_float(__byte_perm(word, 0x4b000000, 0x7610));
        steer = __uint_as_float(__byte_perm(word, 0x4b000000, 0x7632));
    }
    __device__ __forceinline__ float value() const { return sample; }
    __device__ __forceinline__ float guide() const { return steer; }
};

template <typename Sample>
__device__ __forceinline__ void unpack(Sample* samples, const uint4& words) {
    samples[0].unpack(words.x);
    samples[1].unpack(words.y);
    samples[2].unpack(words.z);
    samples[3].unpack(words.w);
}

// The sums of a thread's four windows.
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
};

// The sums of a row of the windows. `words` and `across` are where its first samples and their weights are.
template <int DEGREE, typename Sample>
__device__ __forceinline__ Sums sum_row(
    const Weights& weights, const uint4* words, const float4* across, const Sample (&middle)[OUTPUTS]) {
    Sums row;
    Sample samples[2 * OUTPUTS];
    unpack(samples, *words++);
    // The number of columns is odd.
    int left = 2 * weights.radius_w + 1;
#pragma unroll 2
    for (; left >= 4; left -= 4) {
        unpack(samples + 4, *words++);
        const float4 level = *across++;
        row.add<DEGREE>(weights, samples, middle, level.x);
        row.add<DEGREE>(weights, samples + 1, middle, level.y);
        row.add<DEGREE>(weights, samples + 2, middle, level.z);
        row.add<DEGREE>(weights, samples + 3, middle, level.w);
#pragma unroll
        for (int i = 0; i < 4; i++) samples[i] = samples[i + 4];
    }
    const float4 level = *across;
    row.add<DEGREE>(weights, samples, middle, level.x);
    if (left == 3) {
        unpack(samples + 4, *words);
        row.add<DEGREE>(weights, samples + 1, middle, level.y);
        row.add<DEGREE>(weights, samples + 2, middle, level.z);
    }
    return row;
}

// Filters a block's samples of a component, from (left, top) on.
template <int DEGREE, typename Sample>
__device__ __forceinline__ void filter(
    const Bilateral& p, const Weights& weights, const Component& c, int left, int top) {
    const int radius_w = weights.radius_w, radius_h = weights.radius_h;
    const int pitch = (COLUMNS + 2 * radius_w + 3) & ~3, rows = ROWS + 2 * radius_h;
    float* const across = reinterpret_cast<float*>(shared);
    float* const down = across + TABLES / 2;
    u32* const tile = reinterpret_cast<u32*>(across + TABLES);

    for (int i = threadIdx.x; i < TABLES / 2; i += THREADS) {
        across[i] = weights.across[min(abs(i - radius_w), radius_w)];
        down[i] = weights.down[min(abs(i - radius_h), radius_h)];
    }
    for (int y = threadIdx.x / 32; y < rows; y += THREADS / 32) {
        const int from = inside(top + y - radius_h, c.src.height);
        for (int x = threadIdx.x % 32; x < pitch; x += 32) {
            tile[y * pitch + x] = Sample::pack(p, c.src, inside(left + x - radius_w, c.src.width), from);
        }
    }
    __syncthreads();

    const int x = threadIdx.x % (COLUMNS / OUTPUTS) * OUTPUTS, y = threadIdx.x / (COLUMNS / OUTPUTS);
    if (left + x >= int(c.src.width) || top + y >= int(c.src.height)) return;
    Sample middle[OUTPUTS];
#pragma unroll
    for (int i = 0; i < OUTPUTS; i++) middle[i].unpack(tile[(y + radius_h) * pitch + x + radius_w + i]);
    Sums sums;
    for (int v = 0; v <= 2 * radius_h; v++) {
        const uint4* const words = reinterpret_cast<const uint4*>(tile + (y + v) * pitch + x);
        const Sums row = sum_row<DEGREE>(weights, words, reinterpret_cast<const float4*>(across), middle);
        const float weight = down[v];
#pragma unroll
        for (int i = 0; i < OUTPUTS; i++) {
            sums.sum[i] = __fmaf_rn(weight, row.sum[i], sums.sum[i]);
            sums.total[i] = __fmaf_rn(weight, row.total[i], sums.total[i]);
        }
    }
#pragma unroll
    for (int i = 0; i < OUTPUTS; i++) {
        if (left + x + i >= int(c.src.width)) break;
        const float change = floorf(__fadd_rn(__fdiv_rn(sums.sum[i], sums.total[i]), 0.5f));
        const int value = int(lane(c.src, left + x + i, top + y)) + int(change);
        store(c.dst, left + x + i, top + y, min(max(value, 0), 0xffff) - bias(c.src));
    }
}

// Passes a block's samples on: as they are stored where both planes store alike.
__device__ __forceinline__ void pass_on(const Component& c, int left, int top) {
    const Plane &src = c.src, &dst = c.dst;
    const bool alike = src.sample == dst.sample && src.shift == dst.shift && src.bit_depth == dst.bit_depth;
    const int x = left + threadIdx.x % COLUMNS;
    if (x >= int(src.width)) return;
    for (int y = threadIdx.x / COLUMNS; y < ROWS && top + y < int(src.height); y += THREADS / COLUMNS) {
        if (!alike) {
            store(dst, x, top + y, load(src, x, top + y));
        } else if (src.sample == SAMPLE_U8) {
            *at<u8>(dst, x, top + y) = __ldg(at<u8>(src, x, top + y));
        } else {
            *at<u16>(dst, x, top + y) = __ldg(at<u16>(src, x, top + y));
        }
    }
}

template <int DEGREE, bool GUIDED>
__device__ __forceinline__ void bilateral(const Bilateral& p) {
    u32 block = blockIdx.x, index = 0;
    while (block >= p.component[index].blocks) block -= p.component[index++].blocks;
    const Component& c = p.component[index];
    const int left = block % c.across * COLUMNS, top = block / c.across * ROWS;
    if (c.weights == PASSED_ON) return pass_on(c, left, top);
    const Weights& weights = c.weights == OF_LUMA ? p.luma : p.chroma;
    if (GUIDED && c.guided) {
        filter<DEGREE, Guided>(p, weights, c, left, top);
    } else {
        filter<DEGREE, Own>(p, weights, c, left, top);
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) bilateral_cubic(const Bilateral p) { bilateral<3, false>(p); }
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) bilateral_quartic(const Bilateral p) { bilateral<4, false>(p); }
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) bilateral_guided(const Bilateral p) { bilateral<4, true>(p); }
