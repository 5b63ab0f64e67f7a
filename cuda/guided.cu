// guided: the lines of all windows, then the means of lines; by sums that run along.
//
// A block walks down some rows of a strip. A thread keeps the sums of one column of the window: with each row one sample enters
// them and one leaves. Sums of the strip's columns from its left edge on go to shared memory, where the sum of any window is the
// difference of two. So the work is the same for every radius, but for the first window of a block and for the columns beside
// a strip.

#include "common/four.cuh"
#include "generated/guided.cuh"

constexpr u32 ONE = 1 << 16;  // a slope of one

// The mean of a window from its sum, as src/filters/boxblur/mean.rs has it.
__device__ __forceinline__ u32 mean(const Guided& p, u32 sum) { return __umulhi(sum + p.bias, p.inverse) >> p.shift; }

// The slope and the offset of a window with these sums of its lanes and of their squares, in the halves of a word.
__device__ __forceinline__ u32 line(const Guided& p, u32 sum, u64 squares) {
    const u32 middle = mean(p, sum);
    const u64 spread = squares - u64(middle) * (2 * sum - p.count * middle);
    const float share = __fdiv_rn(__ull2float_rn(spread), __ull2float_rn(spread + p.edge));
    const u32 slope = min(u32(__fadd_rn(__fmul_rn(share, float(ONE)), 0.5f)), ONE - 1);
    const u32 offset = u32(u64(ONE - slope) * sum >> 16);
    return slope << 16 | mean(p, offset);
}

// What samples add to the sums of a column, and what becomes of the sums of a window.
struct Lines {
    u32 sum;
    u64 squares;

    static __device__ __forceinline__ u32 read(const GuidedComponent& c, int x, int y) {
        return lane(c.src, x, inside(y, c.src.height)) & 0xffff;
    }
    __device__ __forceinline__ void enter(u32 v) {
        sum += v;
        squares += v * v;
    }
    __device__ __forceinline__ void leave(u32 v) {
        sum -= v;
        squares -= v * v;
    }
    static __device__ __forceinline__ Lines shuffle_up(const Lines& from, int distance) {
        return Lines{__shfl_up_sync(~0u, from.sum, distance), __shfl_up_sync(~0u, from.squares, distance)};
    }
    __device__ __forceinline__ void add(const Lines& other) {
        sum += other.sum;
        squares += other.squares;
    }
    __device__ __forceinline__ void take(const Lines& other) {
        sum -= other.sum;
        squares -= other.squares;
    }
    __device__ __forceinline__ void write(const Guided& p, const GuidedComponent& c, int x, int y) const {
        c.lines[u64(y) * c.src.width + x] = line(p, sum, squares);
    }
};

struct Results {
    u32 slopes, offsets;

    static __device__ __forceinline__ u32 read(const GuidedComponent& c, int x, int y) {
        return __ldg(c.lines + u64(inside(y, c.src.height)) * c.src.width + x);
    }
    __device__ __forceinline__ void enter(u32 line) {
        slopes += line >> 16;
        offsets += line & 0xffff;
    }
    __device__ __forceinline__ void leave(u32 line) {
        slopes -= line >> 16;
        offsets -= line & 0xffff;
    }
    static __device__ __forceinline__ Results shuffle_up(const Results& from, int distance) {
        return Results{__shfl_up_sync(~0u, from.slopes, distance), __shfl_up_sync(~0u, from.offsets, distance)};
    }
    __device__ __forceinline__ void add(const Results& other) {
        slopes += other.slopes;
        offsets += other.offsets;
    }
    __device__ __forceinline__ void take(const Results& other) {
        slopes -= other.slopes;
        offsets -= other.offsets;
    }
    __device__ __forceinline__ void write(const Guided& p, const GuidedComponent& c, int x, int y) const {
        const u32 own = lane(c.src, x, y) & 0xffff;
        store(c.dst, x, y, int(mean(p, u32(u64(slopes) * own >> 16) + offsets)) - bias(c.src));
    }
};

// The sums of the columns of a strip up to each thread's, from those of each.
template <typename Sums, int WARPS>
__device__ __forceinline__ Sums sum_strip(Sums sums) {
    __shared__ Sums ends[WARPS];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
        const Sums left = Sums::shuffle_up(sums, distance);
        if (lane >= distance) sums.add(left);
    }
    if (lane == 31) ends[warp] = sums;
    // What was read of shared memory for the row before is read by now as well.
    __syncthreads();
    for (int w = 0; w < warp; w++) sums.add(ends[w]);
    return sums;
}

template <typename Sums, int THREADS>
__device__ __forceinline__ void walk(const Guided& p) {
    // Before the first column the sums are nothing.
    __shared__ Sums upto[THREADS + 1];
    u32 block = blockIdx.x;
    const GuidedComponent& c = component_of(p.component, block);
    const int radius = p.radius, top = block / c.across * c.rows, width = c.src.width;
    if (!c.computes) return pass_on<THREADS, THREADS>(c.src, c.dst, block % c.across * THREADS, top, c.rows);
    const int end = min(top + int(c.rows), int(c.src.height)), thread = threadIdx.x;
    const int x = int(block % c.across) * (THREADS - 2 * radius) - radius + thread, from = inside(x, width);
    const bool writes = thread >= radius && thread < THREADS - radius && x < width;

    Sums column = {};
    for (int y = top - 1 - radius; y < top + radius; y++) column.enter(Sums::read(c, from, y));
    if (thread == 0) upto[0] = Sums{};
    u32 entering = Sums::read(c, from, top + radius), leaving = Sums::read(c, from, top - 1 - radius);
#pragma unroll 1
    for (int y = top; y < end; y++) {
        column.enter(entering);
        column.leave(leaving);
        entering = Sums::read(c, from, y + 1 + radius);
        leaving = Sums::read(c, from, y - radius);
        upto[thread + 1] = sum_strip<Sums, THREADS / 32>(column);
        __syncthreads();
        if (!writes) continue;
        Sums window = upto[thread + radius + 1];
        window.take(upto[thread - radius]);
        window.write(p, c, x, y);
    }
}

#define GUIDED(threads) \
    extern "C" __global__ void __launch_bounds__(threads) guided_lines_##threads(const Guided p) { walk<Lines, threads>(p); } \
    extern "C" __global__ void __launch_bounds__(threads) guided_##threads(const Guided p) { walk<Results, threads>(p); }
GUIDED(256)
GUIDED(512)
