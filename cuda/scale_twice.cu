// Twice the size, and half of it: where the samples of a thread's results lie is known to the compiler, and weights stay in
// registers. src/filters/resample/cuda/twice.rs is the other side.
//
// A block walks down a strip. It puts a few of the source's rows into shared memory as floats, and asks for the next ones before
// it works on them. A thread sums its columns along each row, and adds these sums to all results that the row is part of, which
// stay in registers until their last row was there.

#include "common/chunk.cuh"
#include "generated/scale_twice.cuh"

constexpr int THREADS = 64;  // of a block: as src/filters/resample/tuning.rs

// Two of the result to one of the source, or one to two.
template <bool UP, int TAPS>
struct Shape {
    static constexpr int COLUMNS = UP ? 4 : 2;                             // results side by side of a thread
    static constexpr int ROWS = UP ? 1 : 2;                                // of the source that a step takes
    static constexpr int STEPS = UP ? 4 : 2;                               // whose rows are read at a time
    static constexpr int RESULTS = UP ? 2 : 1;                             // rows that begin, and end, with a step
    static constexpr int KEPT = UP ? TAPS : TAPS / 2;                      // steps from a result's first row to its last
    static constexpr int STRIDE = UP ? 2 : 4;                              // samples from a thread's first to the next one's
    static constexpr int SPAN = TAPS + 2;                                  // samples that a thread sums
    static constexpr int QUADS = (STRIDE * (THREADS - 1) + SPAN + 3) / 4;  // of a row

    // Of a thread's samples the first that is part of column i.
    static constexpr __device__ __forceinline__ int first(int i) { return UP ? (i + 1) / 2 : 2 * i; }
};

// The rows of some steps for shared memory: of each thread a few times four samples, as the words that they lie in.
// Nothing looks at what is read before it is written.
template <typename Shape>
struct Source {
    static constexpr int FOURS = Shape::STEPS * Shape::ROWS * Shape::QUADS, LOADS = (FOURS + THREADS - 1) / THREADS;

    const TwiceComponent& c;
    const u8* const data;
    const int left, below, pitch, bytes;  // a sample's
    int top;                              // the first row
    u32 words[LOADS][3];

    __device__ __forceinline__ Source(const TwiceComponent& c, int left)
        : c(c),
          data(c.src.data),
          left(left),
          below(c.src.height - 1),
          pitch(c.src.pitch),
          bytes(c.src.sample == SAMPLE_U8 ? 1 : 2) {}

    __device__ __forceinline__ const u8* row_of(int index) const {
        return data + u64(min(max(top + index / Shape::QUADS, 0), below)) * pitch;
    }

    // Four samples that lie side by side. What is beside the plane is anything: its weights are zeros.
    __device__ __forceinline__ void read_words(const u8* row, int x, u32 (&to)[3]) const {
        const int beyond = u32(reinterpret_cast<u64>(row)) & 3, first = (x * bytes + beyond) >> 2;
        const int last = (int(c.src.width) * bytes + beyond - 1) >> 2;
        const u32* const from = reinterpret_cast<const u32*>(row - beyond);
        to[0] = __ldg(from + min(max(first, 0), last));
        to[1] = __ldg(from + min(max(first + 1, 0), last));
        if (bytes > 1) to[2] = __ldg(from + min(max(first + 2, 0), last));
    }

    // Four samples that do not: bytes of a word, or two words.
    __device__ __forceinline__ void read_apart(const u8* row, int x, u32 (&to)[3]) const {
        u32 v[4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const u8* const from = row + min(max(x + i, 0), int(c.src.width) - 1) * c.src.step * bytes;
            v[i] = bytes > 1 ? *reinterpret_cast<const u16*>(from) : *from;
        }
        const u32 low = even_u16(v[0], v[1]), high = even_u16(v[2], v[3]);
        to[0] = bytes > 1 ? low : even_u8(low, high);
        to[1] = high;
    }

    // Asks for the rows from y on.
    __device__ __forceinline__ void read(int y) {
        top = y;
        const bool apart = c.src.step > 1;
#pragma unroll
        for (int i = 0; i < LOADS; i++) {
            const int index = threadIdx.x + i * THREADS;
            if (!apart && index < FOURS) read_words(row_of(index), left + index % Shape::QUADS * 4, words[i]);
        }
        if (!apart) return;
#pragma unroll 1
        for (int i = 0; i < LOADS; i++) {
            const int index = threadIdx.x + i * THREADS;
            u32 four[3];
            if (index < FOURS) read_apart(row_of(index), left + index % Shape::QUADS * 4, four);
#pragma unroll
            for (int k = 0; k < LOADS; k++)
                if (k == i) words[k][0] = four[0], words[k][1] = four[1];
        }
    }

    __device__ __forceinline__ void write(float4* to) const {
#pragma unroll
        for (int i = 0; i < LOADS; i++) {
            const int index = threadIdx.x + i * THREADS;
            if (index >= FOURS) break;
            const u32 beyond = (u32(reinterpret_cast<u64>(row_of(index))) + left * bytes) & 3;
            const u32 shift = c.src.step > 1 ? 0 : 8 * beyond;
            const u32 a = __funnelshift_r(words[i][0], words[i][1], shift) & c.mask ^ c.flip;
            const u32 b = __funnelshift_r(words[i][1], words[i][2], shift) & c.mask ^ c.flip;
            to[index] =
                bytes == 1 ? make_float4(float(a & 0xff), float(a >> 8 & 0xff), float(a >> 16 & 0xff), float(a >> 24))
                           : make_float4(float(a & 0xffff), float(a >> 16), float(b & 0xffff), float(b >> 16));
        }
    }
};

// What becomes of sums: lanes, rounded to the plane's samples.
template <int COLUMNS>
struct Results {
    enum Way { SINGLY, BYTES, WORDS };

    const TwiceComponent& c;
    u8* const first;  // of the thread's samples in row 0
    const int pitch, height;
    const float scale, share, half, most;
    Way way;

    __device__ __forceinline__ Results(const TwiceComponent& c, int x)
        : c(c),
          first(reinterpret_cast<u8*>(c.dst.sample == SAMPLE_U8 ? at<u8>(c.dst, x, 0) : (u8*)at<u16>(c.dst, x, 0))),
          pitch(c.dst.pitch),
          height(c.dst.height),
          scale(c.scale),
          share(c.share),
          half(c.half),
          most(c.most),
          way(SINGLY) {
        if (c.dst.step > 1 || x + COLUMNS > int(c.dst.width)) return;
        if (c.dst.sample == SAMPLE_U8 && vectors_fit(c.dst, COLUMNS)) way = BYTES;
        if (c.dst.sample != SAMPLE_U8 && vectors_fit(c.dst, 2 * COLUMNS)) way = WORDS;
    }

    // A lane is rounded half up, and so is the sample of a lane: the sum of both is rounded down, never up to the next sample.
    __device__ __forceinline__ u32 sample_of(float sum) const {
        const float lane = __fmaf_rn(sum, scale, 0.5f);
        return __float2uint_rz(fminf(__fmaf_rd(lane, share, half), most));
    }

    __device__ __forceinline__ void write(int x, int y, const float (&sum)[COLUMNS]) const {
        if (u32(y) >= height) return;
        u8* const to = first + u64(y) * pitch;
        const u32 low = even_u16(sample_of(sum[0]), sample_of(sum[1]));
        const u32 high = COLUMNS > 2 ? even_u16(sample_of(sum[COLUMNS - 2]), sample_of(sum[COLUMNS - 1])) : 0;
        if (way == BYTES) {
            const u32 bytes = even_u8(low, high);
            if (COLUMNS > 2) *reinterpret_cast<u32*>(to) = bytes;
            else *reinterpret_cast<u16*>(to) = bytes;
            return;
        }
        const uint2 words = make_uint2(low << c.up ^ c.flip_back, high << c.up ^ c.flip_back);
        if (way == WORDS) {
            if (COLUMNS > 2) *reinterpret_cast<uint2*>(to) = words;
            else *reinterpret_cast<u32*>(to) = words.x;
            return;
        }
        u64 all = words.x | u64(words.y) << 32;
#pragma unroll 1
        for (int i = 0; i < min(COLUMNS, int(c.dst.width) - x); i++, all >>= 16) {
            if (c.dst.sample == SAMPLE_U8) to[i * c.dst.step] = all;
            else reinterpret_cast<u16*>(to)[i * c.dst.step] = all;
        }
    }
};

template <int N>
__device__ __forceinline__ void read_floats(const float4* from, float (&to)[N]) {
#pragma unroll
    for (int i = 0; i < N; i += 4) {
        const float4 four = from[i / 4];
        to[i] = four.x;
        to[i + 1] = four.y;
        to[i + 2] = four.z;
        to[i + 3] = four.w;
    }
}

// A thread's sums along a row.
template <typename Shape, int TAPS>
__device__ __forceinline__ void sum_across(
    const float4* row, const float (&weights)[Shape::COLUMNS * TAPS], float (&sum)[Shape::COLUMNS]) {
    float v[(Shape::SPAN + 3) / 4 * 4];
#pragma unroll
    for (int i = 0; i < Shape::SPAN; i += 4) {
        if (Shape::STRIDE == 2) {
#pragma unroll
            for (int k = i; k < i + 4 && k < Shape::SPAN; k += 2) {
                const float2 two = reinterpret_cast<const float2*>(row)[threadIdx.x + k / 2];
                v[k] = two.x;
                v[k + 1] = two.y;
            }
            continue;
        }
        const float4 four = row[i / 4 + threadIdx.x];
        v[i] = four.x;
        v[i + 1] = four.y;
        v[i + 2] = four.z;
        v[i + 3] = four.w;
    }
#pragma unroll
    for (int s = 0; s < Shape::SPAN; s++)
#pragma unroll
        for (int i = 0; i < Shape::COLUMNS; i++) {
            const int k = s - Shape::first(i);
            if (k >= 0 && k < TAPS) sum[i] = __fmaf_rn(v[s], weights[i * TAPS + k], k > 0 ? sum[i] : 0.0f);
        }
}

template <bool UP, int TAPS>
__device__ __forceinline__ void walk(const Twice& p) {
    typedef Shape<UP, TAPS> Shape;
    constexpr int COLUMNS = Shape::COLUMNS, ROWS = Shape::ROWS, STEPS = Shape::STEPS;
    constexpr int RESULTS = Shape::RESULTS, KEPT = Shape::KEPT;
    constexpr int OF_STEP = RESULTS * KEPT * ROWS, FOURS = STEPS * OF_STEP / 4;  // weights
    __shared__ float4 shared[2][STEPS * ROWS * Shape::QUADS], weights_down[2][FOURS];

    u32 block = blockIdx.x;
    const TwiceComponent& c = component_of(p.component, block);
    const int tile = block % c.tiles, first = block / c.tiles * p.steps;
    const int thread = tile * THREADS + threadIdx.x;
    // A result ends KEPT - 1 steps after the one that it began with.
    const int steps = min(p.steps, c.steps - first) + KEPT - 1;

    Source<Shape> source(c, c.left + tile * (THREADS * Shape::STRIDE));
    const float4* const of_steps = c.down + first * (OF_STEP / 4);
    const int last = steps * (OF_STEP / 4) - 1;
    source.read(c.top + first * ROWS);
    float4 four = __ldg(of_steps + min(int(threadIdx.x), last));
    float weights[COLUMNS * TAPS], kept[RESULTS][KEPT][COLUMNS] = {};
    read_floats(c.across + thread * (COLUMNS * TAPS / 4), weights);
    const Results<COLUMNS> results(c, thread * COLUMNS);
#pragma unroll 1
    for (int start = 0; start < steps; start += STEPS) {
        const int turn = start / STEPS % 2, next = start + STEPS;
        source.write(shared[turn]);
        if (threadIdx.x < FOURS) weights_down[turn][threadIdx.x] = four;
        if (next < steps) {
            source.read(c.top + (first + next) * ROWS);
            four = __ldg(of_steps + min(next * (OF_STEP / 4) + int(threadIdx.x), last));
        }
        __syncthreads();
#pragma unroll
        for (int s = 0; s < STEPS; s++) {
            float down[OF_STEP];
            read_floats(weights_down[turn] + s * (OF_STEP / 4), down);
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                float v[COLUMNS];
                sum_across<Shape, TAPS>(shared[turn] + (s * ROWS + r) * Shape::QUADS, weights, v);
                // The sums of the step before are those of results that are a step older now.
#pragma unroll
                for (int h = 0; h < RESULTS; h++)
#pragma unroll
                    for (int k = KEPT - 1; k >= 0; k--)
#pragma unroll
                        for (int i = 0; i < COLUMNS; i++) {
                            const float before = r > 0 ? kept[h][k][i] : k > 0 ? kept[h][k - 1][i] : 0.0f;
                            kept[h][k][i] = __fmaf_rn(v[i], down[(h * KEPT + k) * ROWS + r], before);
                        }
            }
            const int ended = start + s - (KEPT - 1), result = first + ended;
            if (ended < 0 || start + s >= steps) continue;
#pragma unroll
            for (int h = 0; h < RESULTS; h++) {
                results.write(thread * COLUMNS, UP ? 2 * result - 1 + h : result, kept[h][KEPT - 1]);
            }
        }
    }
}

#define WALK(name, up, taps) \
    extern "C" __global__ void __launch_bounds__(THREADS, 8) name(const Twice p) { walk<up, taps>(p); }

WALK(scale_twice_4, true, 4)
WALK(scale_twice_6, true, 6)
WALK(scale_half_8, false, 8)
WALK(scale_half_12, false, 12)
