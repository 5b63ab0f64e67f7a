// stats: integer sums over a picture. What blocks find is added up by integer atomics, whose order does not matter. The picture is
// copied by those who read it, where it is stored as it was.

#include "common/chunk.cuh"
#include "common/dot.cuh"

constexpr int WIDE = 32, DOWN = 8, ROWS = 8;        // threads across and down of a block, rows of each
constexpr int TILE = WIDE * CHUNK, BINS = 1024;     // columns of a block
constexpr int TABLES = 4;                           // histograms of a block: two warps share one
constexpr u32 ALL_LANES = 0xffffffff;

// What a kernel measures.
enum What { BASIC = 1, HISTOGRAM = 2, ROW_SUMS = 4, COLUMN_SUMS = 8 };

struct Basic {
    u64 sum, squares;
    u32 below_white;  // 65535 less the minimum: memory begins as zeros
    u32 max;
};
static_assert(sizeof(Basic) == 24, "Basic differs from the host's");

#include "generated/stats.cuh"

// `count` samples as they are stored, bytes in the first two words or words of two samples, and zeros.
__device__ __forceinline__ uint4 read_some(const Plane& src, int x, int y, int count) {
    u32 words[4] = {0, 0, 0, 0};
#pragma unroll
    for (int i = 0; i < CHUNK; i++) {
        if (i >= count) break;
        if (src.sample == SAMPLE_U8) words[i / 4] |= u32(__ldg(at<u8>(src, x + i, y))) << 8 * (i % 4);
        else words[i / 2] |= u32(__ldg(at<u16>(src, x + i, y))) << 16 * (i % 2);
    }
    return make_uint4(words[0], words[1], words[2], words[3]);
}

__device__ __forceinline__ void write_stored(const Plane& dst, int x, int y, int count, bool whole, const uint4& v) {
    const bool bytes = dst.sample == SAMPLE_U8;
    if (whole) {
        if (bytes) *reinterpret_cast<uint2*>(at<u8>(dst, x, y)) = make_uint2(v.x, v.y);
        else *reinterpret_cast<uint4*>(at<u16>(dst, x, y)) = v;
        return;
    }
#pragma unroll
    for (int i = 0; i < CHUNK; i++) {
        if (i >= count) return;
        if (bytes) *at<u8>(dst, x + i, y) = byte_of(make_uint2(v.x, v.y), i);
        else *at<u16>(dst, x + i, y) = word(v, i / 2) >> 16 * (i % 2);
    }
}

// Their lanes (v16, or YC48 plus 32768).
__device__ __forceinline__ uint4 lanes_of(const Plane& src, const uint4& v, int count) {
    if (src.sample == SAMPLE_U8) return widen(bytes_to_u16(make_uint2(v.x, v.y)), src.shift);
    if (src.sample == SAMPLE_U16) return widen(v, src.shift);
    u32 two[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (int i = 0; i < CHUNK; i++)
        if (i < count) two[i / 2] ^= 0x8000u << 16 * (i % 2);
    return make_uint4(two[0], two[1], two[2], two[3]);
}

// Adds up each of a power of two of values over a warp: lane `l` gets the sum of value `l * N / 32`.
template <int N>
__device__ __forceinline__ u32 warp_sums(u32 (&values)[N]) {
    int step = WIDE / 2;
#pragma unroll
    for (int n = N / 2; n > 0; n /= 2, step /= 2) {
        const bool upper = threadIdx.x & step;
#pragma unroll
        for (int i = 0; i < n; i++) {
            const u32 given = upper ? values[i] : values[i + n], kept = upper ? values[i + n] : values[i];
            values[i] = kept + __shfl_xor_sync(ALL_LANES, given, step);
        }
    }
#pragma unroll
    for (int rest = WIDE / N / 2; rest > 0; rest /= 2) values[0] += __shfl_xor_sync(ALL_LANES, values[0], rest);
    return values[0];
}

// The sum of a value over a warp, in its first thread.
template <typename T>
__device__ __forceinline__ T warp_sum(T value) {
#pragma unroll
    for (int step = WIDE / 2; step > 0; step /= 2) value += __shfl_down_sync(ALL_LANES, value, step);
    return value;
}

__device__ __forceinline__ u32 warp_max(u32 value) {
#pragma unroll
    for (int step = WIDE / 2; step > 0; step /= 2) value = max(value, __shfl_down_sync(ALL_LANES, value, step));
    return value;
}

// A block measures TILE columns of DOWN * ROWS rows; a warp takes every DOWNth of them.
template <int WHAT>
__device__ __forceinline__ void measure(const Stats& p) {
    __shared__ u32 tables[WHAT & HISTOGRAM ? TABLES : 1][WHAT & HISTOGRAM ? BINS : 1];
    __shared__ u32 columns[WHAT & COLUMN_SUMS ? TILE : 1];
    __shared__ Basic basic;

    u32 block = blockIdx.x;
    const Component& c = component_of(p.component, block);
    const Plane& src = c.src;
    const int lane = threadIdx.x % WIDE, warp = threadIdx.x / WIDE;
    const int left = block % c.across * TILE, top = block / c.across * (DOWN * ROWS);
    const int x = left + lane * CHUNK, count = min(max(int(src.width) - x, 0), CHUNK);

    if (WHAT & HISTOGRAM)
        for (int i = threadIdx.x; i < TABLES * BINS; i += WIDE * DOWN) tables[i / BINS][i % BINS] = 0;
    if (WHAT & COLUMN_SUMS) columns[threadIdx.x] = 0;
    if (WHAT & BASIC)
        if (threadIdx.x == 0) basic = Basic{0, 0, 0, 0};
    if (WHAT & (HISTOGRAM | COLUMN_SUMS | BASIC)) __syncthreads();

    // All rows are asked for before the first is looked at.
    const auto in_vectors = [&](const Plane& plane) {
        return count == CHUNK && plane.step == 1 && vectors_fit(plane, plane.sample == SAMPLE_U8 ? 8 : 16);
    };
    const bool read_whole = in_vectors(src), written_whole = in_vectors(c.dst);
    const auto row = [&](int r) { return min(top + r * DOWN + warp, int(src.height) - 1); };
    uint4 stored[ROWS];
    if (read_whole && src.sample == SAMPLE_U8) {
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const uint2 bytes = __ldg(reinterpret_cast<const uint2*>(at<u8>(src, x, row(r))));
            stored[r].x = bytes.x;
            stored[r].y = bytes.y;
        }
    } else if (read_whole) {
#pragma unroll
        for (int r = 0; r < ROWS; r++) stored[r] = __ldg(reinterpret_cast<const uint4*>(at<u16>(src, x, row(r))));
    } else {
#pragma unroll
        for (int r = 0; r < ROWS; r++) stored[r] = read_some(src, x, row(r), count);
    }

    u32 column[CHUNK] = {0, 0, 0, 0, 0, 0, 0, 0}, rows[ROWS];
    u32 below_white = 0, top_value = 0, sum = 0;
    u64 squares = 0;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const int y = top + r * DOWN + warp;
        rows[r] = 0;
        if (y >= int(src.height)) continue;
        if (c.dst.height > 0) write_stored(c.dst, x, y, count, written_whole, stored[r]);
        const uint4 lanes = lanes_of(src, stored[r], count);
        u32 last = BINS, run = 0;  // a bin that was met, and how often in a row
#pragma unroll
        for (int i = 0; i < CHUNK; i++) {
            const u32 v = word(lanes, i / 2) >> i % 2 * 16 & 0xffff;
            if (i % 2 == 0) rows[r] = dot_halves(word(lanes, i / 2), 0x0101, rows[r]);
            if (WHAT & COLUMN_SUMS) column[i] += v;
            if (i >= count) continue;
            if (WHAT & BASIC) {
                below_white = max(below_white, 65535 - v);
                top_value = max(top_value, v);
                squares += u64(v) * v;
            }
            if (WHAT & HISTOGRAM) {
                const u32 bin = v >> 6;
                if (bin != last && run > 0) atomicAdd(&tables[warp % TABLES][last], run);
                run = bin == last ? run + 1 : 1;
                last = bin;
            }
        }
        if (WHAT & HISTOGRAM)
            if (run > 0) atomicAdd(&tables[warp % TABLES][last], run);
        if (WHAT & BASIC) sum += rows[r];
    }

    if (WHAT & ROW_SUMS) {
        const u32 total = warp_sums<ROWS>(rows);
        const int y = top + lane * ROWS / WIDE * DOWN + warp;
        if (lane % (WIDE / ROWS) == 0 && y < int(src.height)) atomicAdd(c.rows + y, total);
    }
    if (WHAT & COLUMN_SUMS) {
#pragma unroll
        for (int i = 0; i < CHUNK; i++) atomicAdd(&columns[i * WIDE + lane], column[i]);
    }
    if (WHAT & BASIC) {
        const u64 warp_total = warp_sum(u64(sum)), warp_squares = warp_sum(squares);
        below_white = warp_max(below_white);
        top_value = warp_max(top_value);
        if (lane == 0) {
            atomicAdd(&basic.sum, warp_total);
            atomicAdd(&basic.squares, warp_squares);
            atomicMax(&basic.below_white, below_white);
            atomicMax(&basic.max, top_value);
        }
    }
    if (!(WHAT & (HISTOGRAM | COLUMN_SUMS | BASIC))) return;
    __syncthreads();

    if (WHAT & COLUMN_SUMS) {
        const int t = threadIdx.x;
        if (left + t < int(src.width)) atomicAdd(c.columns + left + t, columns[t % CHUNK * WIDE + t / CHUNK]);
    }
    if (WHAT & HISTOGRAM) {
        for (int i = threadIdx.x; i < BINS; i += WIDE * DOWN) {
            u32 met = 0;
#pragma unroll
            for (int table = 0; table < TABLES; table++) met += tables[table][i];
            if (met > 0) atomicAdd(c.histogram + i, met);
        }
    }
    if (WHAT & BASIC) {
        if (threadIdx.x == 0) {
            atomicAdd(&c.basic->sum, basic.sum);
            atomicAdd(&c.basic->squares, basic.squares);
            atomicMax(&c.basic->below_white, basic.below_white);
            atomicMax(&c.basic->max, basic.max);
        }
    }
}

extern "C" __global__ void __launch_bounds__(WIDE* DOWN) stats_basic(const Stats p) { measure<BASIC>(p); }
extern "C" __global__ void __launch_bounds__(WIDE* DOWN) stats_hist(const Stats p) { measure<HISTOGRAM>(p); }
extern "C" __global__ void __launch_bounds__(WIDE* DOWN) stats_rows(const Stats p) { measure<ROW_SUMS>(p); }
extern "C" __global__ void __launch_bounds__(WIDE* DOWN) stats_columns(const Stats p) { measure<COLUMN_SUMS>(p); }
extern "C" __global__ void __launch_bounds__(WIDE* DOWN) stats_all(const Stats p) {
    measure<BASIC | HISTOGRAM | ROW_SUMS | COLUMN_SUMS>(p);
}
