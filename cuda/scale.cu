// Samples at other places, as weighted sums of one direction and then of the other: scale, format, shift. src/filters/resample
// is the other side.
//
// A block makes a tile. What the tile is made from is read once, as floats, into shared memory; the sums of the first direction
// stay there too.

#include "common/chunk.cuh"
#include "generated/scale.cuh"

constexpr int WIDE = 128, NARROW = 64;  // columns of a tile, and of one whose source lies in halves
constexpr int THREADS = 256;            // of a block
constexpr int WARPS = THREADS / 32;

// The value of a lane: v16, or YC48 with its sign bit flipped; or its light.
__device__ __forceinline__ float value_of(const ScaleComponent& c, u32 lane) {
    return c.from_lane ? __ldg(c.from_lane + lane) : float(lane);
}

__device__ __forceinline__ u32 lane_at(const Plane& plane, int x, int y) {
    const u32 value = u16(load(plane, x, y));
    return plane.sample == SAMPLE_I16 ? value ^ 0x8000 : value;
}

// Four lanes from column x on, which is a multiple of four, in a row: those beside the plane are its last.
__device__ __forceinline__ void read_four(const Plane& src, bool vectors, int x, int y, u32 (&lanes)[4]) {
    if (vectors && x + 4 <= int(src.width)) {
        if (src.sample == SAMPLE_U8) {
            const u32 four = __ldg(reinterpret_cast<const u32*>(at<u8>(src, x, y)));
#pragma unroll
            for (int i = 0; i < 4; i++) lanes[i] = (four >> 8 * i & 0xff) << src.shift;
        } else {
            const uint2 four = __ldg(reinterpret_cast<const uint2*>(at<u16>(src, x, y)));
            lanes[0] = u16(four.x << src.shift);
            lanes[1] = u16(four.x >> 16 << src.shift);
            lanes[2] = u16(four.y << src.shift);
            lanes[3] = u16(four.y >> 16 << src.shift);
        }
        return;
    }
#pragma unroll
    for (int i = 0; i < 4; i++) lanes[i] = lane_at(src, min(x + i, int(src.width) - 1), y);
}

// Whether four samples side by side can be read or written as one vector.
__device__ __forceinline__ bool fours_fit(const Plane& plane) {
    return plane.step == 1 && plane.sample != SAMPLE_I16 && vectors_fit(plane, plane.sample == SAMPLE_U8 ? 4 : 8);
}

// `sum`, brought towards what lies between two samples.
__device__ __forceinline__ float held(float sum, float a, float b, float share) {
    const float between = fminf(fmaxf(sum, fminf(a, b)), fmaxf(a, b));
    return __fmaf_rn(between - sum, share, sum);
}

// The lane of so much light, before it is rounded.
__device__ __forceinline__ float lane_of_light(const ScaleComponent& c, float light) {
    constexpr u32 LEAST = (127 - 40) << 23, OCTAVES = 42, SHIFT = 15;  // as src/filters/resample/light.rs
    constexpr u32 MOST = LEAST + (OCTAVES << 23);
    const u32 at = min(max(__float_as_uint(light) & 0x7fffffffu, LEAST), MOST - 1) - LEAST;
    const float rest = float(at & ((1u << SHIFT) - 1)) * (1.0f / (1 << SHIFT));
    const float here = __ldg(c.to_lane + (at >> SHIFT)), next = __ldg(c.to_lane + (at >> SHIFT) + 1);
    return c.black + copysignf(__fmaf_rn(next - here, rest, here), light);
}

// The lane of a sum.
__device__ __forceinline__ u32 lane_of(const ScaleComponent& c, float sum) {
    if (c.to_lane) sum = lane_of_light(c, sum);
    return __float2uint_rz(fminf(fmaxf(sum + 0.5f, 0.0f), 65535.0f));
}

__device__ __forceinline__ void store_lane(const Plane& dst, int x, int y, u32 lane) {
    store(dst, x, y, dst.sample == SAMPLE_I16 ? int(lane ^ 0x8000) : int(lane));
}

__device__ __forceinline__ void store_four(const Plane& dst, bool vectors, int x, int y, const u32 (&lanes)[4]) {
    if (vectors && x + 4 <= int(dst.width)) {
        u32 v[4];
#pragma unroll
        for (int i = 0; i < 4; i++) v[i] = narrow(dst, lanes[i]);
        const u32 low = even_u16(v[0], v[1]), high = even_u16(v[2], v[3]);
        if (dst.sample == SAMPLE_U8) {
            *reinterpret_cast<u32*>(at<u8>(dst, x, y)) = even_u8(low, high);
        } else {
            *reinterpret_cast<uint2*>(at<u16>(dst, x, y)) = make_uint2(low, high);
        }
        return;
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
        if (x + i < int(dst.width)) store_lane(dst, x + i, y, lanes[i]);
}

// A tile of the result, and what it is made from.
struct Tile {
    int x, y;        // its first sample
    int rows;        // that it has
    int left, top;   // the first sample that it is made from
    int from;        // rows that it is made from

    __device__ __forceinline__ Tile(const Scale& p, const ScaleComponent& c, int columns, u32 block) {
        const int column = block % c.tiles, row = block / c.tiles;
        x = column * columns;
        y = row * p.rows;
        rows = min(int(p.rows), int(c.dst.height) - y);
        // A component that is filled has no tables.
        left = c.fills ? 0 : __ldg(c.across.origin + column);
        top = c.fills ? 0 : __ldg(c.down.origin + row);
        from = c.source_rows;
    }
};

// Where column x lies in a row of the source's tile. In halves, even columns and odd ones lie apart: results whose samples begin
// two columns apart then read neighbouring words.
template <bool HALVES>
__device__ __forceinline__ int place(const Scale& p, int x) {
    return HALVES ? (x & 1) * int(p.pitch / 2) + (x >> 1) : x;
}

// Reads what a tile is made from.
template <bool HALVES>
__device__ __forceinline__ void read_tile(const Scale& p, const ScaleComponent& c, const Tile& tile, float* source) {
    const bool vectors = fours_fit(c.src);
    const int last = int(c.src.height) - 1;
    for (int r = threadIdx.x / 32; r < tile.from; r += WARPS) {
        const int y = min(tile.top + r, last);
        float* const row = source + r * p.pitch;
        for (int x = threadIdx.x % 32 * 4; x < int(c.source_columns); x += 128) {
            u32 lanes[4];
            read_four(c.src, vectors, tile.left + x, y, lanes);
            const float4 v = make_float4(
                value_of(c, lanes[0]), value_of(c, lanes[1]), value_of(c, lanes[2]), value_of(c, lanes[3]));
            if (HALVES) {
                *reinterpret_cast<float2*>(row + place<HALVES>(p, x)) = make_float2(v.x, v.z);
                *reinterpret_cast<float2*>(row + place<HALVES>(p, x + 1)) = make_float2(v.y, v.w);
            } else {
                *reinterpret_cast<float4*>(row + x) = v;
            }
        }
    }
}

// The sums along rows of one column of the result: its weights stay in registers while it goes from row to row.
template <int TAPS, bool HALVES>
struct AcrossSum {
    const Scale& p;
    const ScaleComponent& c;
    const float* weights;
    float kept[TAPS > 0 ? TAPS : 1];
    int even, odd;  // places of the first sample and of the next
    int left, right;  // of the samples beside

    __device__ __forceinline__ AcrossSum(const Scale& p, const ScaleComponent& c, int x, int start) : p(p), c(c) {
        x = min(x, int(c.dst.width) - 1);
        const int first = __ldg(c.across.first + x) - start;
        even = place<HALVES>(p, first);
        odd = place<HALVES>(p, first + 1);
        weights = c.across.weights + x;
#pragma unroll
        for (int k = 0; k < TAPS; k++) kept[k] = __ldg(weights + k * c.dst.width);
        if (c.across.beside) {
            const int2 beside = __ldg(c.across.beside + x);
            left = place<HALVES>(p, beside.x - start);
            right = place<HALVES>(p, beside.y - start);
        }
    }

    __device__ __forceinline__ float sample(const float* row, int k) const {
        if (!HALVES) return row[even + k];
        return row[(k & 1 ? odd : even) + (k >> 1)];
    }

    __device__ __forceinline__ float of(const float* row) const {
        float sum = 0;
        if (TAPS > 0) {
#pragma unroll
            for (int k = 0; k < TAPS; k++) sum = __fmaf_rn(sample(row, k), kept[k], sum);
        } else {
            for (int k = 0; k < int(c.across.count); k++) {
                sum = __fmaf_rn(sample(row, k), __ldg(weights + k * c.dst.width), sum);
            }
        }
        return c.across.beside ? held(sum, row[left], row[right], p.antiring) : sum;
    }
};

// The sums along columns of one row of the result.
template <int TAPS>
struct DownSum {
    const Scale& p;
    const ScaleComponent& c;
    const float* weights;
    int first, above, below, pitch;

    __device__ __forceinline__ DownSum(const Scale& p, const ScaleComponent& c, int y, int start, int pitch)
        : p(p), c(c), pitch(pitch) {
        first = (__ldg(c.down.first + y) - start) * pitch;
        weights = c.down.weights + y * c.down.count;
        if (c.down.beside) {
            const int2 beside = __ldg(c.down.beside + y);
            above = (beside.x - start) * pitch;
            below = (beside.y - start) * pitch;
        }
    }

    // Of `N` columns side by side.
    template <int N>
    __device__ __forceinline__ void of(const float* columns, float (&sum)[N]) const {
        const int count = TAPS > 0 ? TAPS : c.down.count, step = c.down.stride * pitch;
#pragma unroll
        for (int i = 0; i < N; i++) sum[i] = 0;
#pragma unroll
        for (int k = 0; k < count; k++) {
            const float weight = __ldg(weights + k);
            float v[N];
            read(columns + first + k * step, v);
#pragma unroll
            for (int i = 0; i < N; i++) sum[i] = __fmaf_rn(v[i], weight, sum[i]);
        }
        if (!c.down.beside) return;
        float a[N], b[N];
        read(columns + above, a);
        read(columns + below, b);
#pragma unroll
        for (int i = 0; i < N; i++) sum[i] = held(sum[i], a[i], b[i], p.antiring);
    }

    static __device__ __forceinline__ void read(const float* from, float (&v)[1]) { v[0] = *from; }
    static __device__ __forceinline__ void read(const float* from, float (&v)[4]) {
        const float4 four = *reinterpret_cast<const float4*>(from);
        v[0] = four.x;
        v[1] = four.y;
        v[2] = four.z;
        v[3] = four.w;
    }
};

// Writes one lane to all of a tile.
template <int COLUMNS>
__device__ __forceinline__ void fill(const ScaleComponent& c, const Tile& tile) {
    const u32 lanes[4] = {c.lane, c.lane, c.lane, c.lane};
    const bool vectors = fours_fit(c.dst);
    for (int r = threadIdx.x / (COLUMNS / 4); r < tile.rows; r += THREADS / (COLUMNS / 4)) {
        store_four(c.dst, vectors, tile.x + threadIdx.x % (COLUMNS / 4) * 4, tile.y + r, lanes);
    }
}

extern __shared__ float4 shared_floats[];

// Rows first: a thread goes down a column of the source's rows, and then makes four columns of some rows.
template <int TAPS, bool HALVES>
__device__ __forceinline__ void across_then_down(const Scale& p) {
    constexpr int COLUMNS = HALVES ? NARROW : WIDE;
    u32 block = blockIdx.x;
    const ScaleComponent& c = component_of(p.component, block);
    const Tile tile(p, c, COLUMNS, block);
    if (c.fills) return fill<COLUMNS>(c, tile);
    float* const source = reinterpret_cast<float*>(shared_floats);
    float* const between = source + p.source_rows * p.pitch;
    read_tile<HALVES>(p, c, tile, source);
    __syncthreads();
    {
        const int x = threadIdx.x % COLUMNS;
        const AcrossSum<TAPS, HALVES> across(p, c, tile.x + x, tile.left);
        for (int r = threadIdx.x / COLUMNS; r < tile.from; r += THREADS / COLUMNS) {
            between[r * COLUMNS + x] = across.of(source + r * p.pitch);
        }
    }
    __syncthreads();
    const bool vectors = fours_fit(c.dst);
    const int x = threadIdx.x % (COLUMNS / 4) * 4;
    if (tile.x + x >= int(c.dst.width)) return;
    for (int r = threadIdx.x / (COLUMNS / 4); r < tile.rows; r += THREADS / (COLUMNS / 4)) {
        float sum[4];
        DownSum<TAPS>(p, c, tile.y + r, tile.top, COLUMNS).of(between + x, sum);
        u32 lanes[4];
#pragma unroll
        for (int i = 0; i < 4; i++) lanes[i] = lane_of(c, sum[i]);
        store_four(c.dst, vectors, tile.x + x, tile.y + r, lanes);
    }
}

// Columns first.
template <int TAPS>
__device__ __forceinline__ void down_then_across(const Scale& p) {
    u32 block = blockIdx.x;
    const ScaleComponent& c = component_of(p.component, block);
    const Tile tile(p, c, WIDE, block);
    if (c.fills) return fill<WIDE>(c, tile);
    float* const source = reinterpret_cast<float*>(shared_floats);
    float* const between = source + p.source_rows * p.pitch;
    read_tile<false>(p, c, tile, source);
    __syncthreads();
    for (int r = threadIdx.x / 32; r < tile.rows; r += WARPS) {
        const DownSum<TAPS> down(p, c, tile.y + r, tile.top, p.pitch);
        for (int x = threadIdx.x % 32 * 4; x < int(c.source_columns); x += 128) {
            float sum[4];
            down.of(source + x, sum);
            *reinterpret_cast<float4*>(between + r * p.pitch + x) = make_float4(sum[0], sum[1], sum[2], sum[3]);
        }
    }
    __syncthreads();
    const int x = tile.x + threadIdx.x % WIDE;
    if (x >= int(c.dst.width)) return;
    const AcrossSum<TAPS, false> across(p, c, x, tile.left);
    for (int r = threadIdx.x / WIDE; r < tile.rows; r += THREADS / WIDE) {
        store_lane(c.dst, x, tile.y + r, lane_of(c, across.of(between + r * p.pitch)));
    }
}

#define ROWS_FIRST(name, taps, halves) \
    extern "C" __global__ void __launch_bounds__(THREADS) name(const Scale p) { across_then_down<taps, halves>(p); }
#define COLUMNS_FIRST(name, taps) \
    extern "C" __global__ void __launch_bounds__(THREADS) name(const Scale p) { down_then_across<taps>(p); }

ROWS_FIRST(scale_rows_2, 2, false)
ROWS_FIRST(scale_rows_4, 4, false)
ROWS_FIRST(scale_rows_6, 6, false)
ROWS_FIRST(scale_rows_8, 8, false)
ROWS_FIRST(scale_rows_12, 12, false)
ROWS_FIRST(scale_rows_16, 16, false)
ROWS_FIRST(scale_rows_any, 0, false)
ROWS_FIRST(scale_halves_4, 4, true)
ROWS_FIRST(scale_halves_8, 8, true)
ROWS_FIRST(scale_halves_12, 12, true)
ROWS_FIRST(scale_halves_16, 16, true)
COLUMNS_FIRST(scale_columns_2, 2)
COLUMNS_FIRST(scale_columns_4, 4)
COLUMNS_FIRST(scale_columns_6, 6)
COLUMNS_FIRST(scale_columns_8, 8)
COLUMNS_FIRST(scale_columns_12, 12)
COLUMNS_FIRST(scale_columns_16, 16)
COLUMNS_FIRST(scale_columns_any, 0)

// Reductions so strong that a tile's source does not fit into shared memory: a thread makes a sample, of one direction and then,
// in a second launch, of the other. What lies between is in memory.

constexpr int FAR_WIDE = 32, FAR_DOWN = 8;  // threads of a block: as src/filters/resample/cuda.rs

// The place of a thread in a picture of `width` columns.
__device__ __forceinline__ int2 far_place(u32 block, int width) {
    const int tiles = (width + FAR_WIDE - 1) / FAR_WIDE;
    return make_int2(block % tiles * FAR_WIDE + threadIdx.x % FAR_WIDE, block / tiles * FAR_DOWN + threadIdx.x / FAR_WIDE);
}

template <typename Sample>
__device__ __forceinline__ float far_across(const Scale& p, const ScaleComponent& c, int x, const Sample& sample) {
    const int first = __ldg(c.across.first + x);
    float sum = 0;
    for (int k = 0; k < int(c.across.count); k++) {
        sum = __fmaf_rn(sample(min(first + k, int(c.src.width) - 1)), __ldg(c.across.weights + k * c.dst.width + x), sum);
    }
    if (!c.across.beside) return sum;
    const int2 beside = __ldg(c.across.beside + x);
    return held(sum, sample(beside.x), sample(beside.y), p.antiring);
}

template <typename Sample>
__device__ __forceinline__ float far_down(const Scale& p, const ScaleComponent& c, int y, const Sample& sample) {
    const int first = __ldg(c.down.first + y);
    float sum = 0;
    for (int k = 0; k < int(c.down.count); k++) {
        const int from = min(first + k * int(c.down.stride), int(c.src.height) - 1);
        sum = __fmaf_rn(sample(from), __ldg(c.down.weights + u64(y) * c.down.count + k), sum);
    }
    if (!c.down.beside) return sum;
    const int2 beside = __ldg(c.down.beside + y);
    return held(sum, sample(beside.x), sample(beside.y), p.antiring);
}

extern "C" __global__ void __launch_bounds__(FAR_WIDE* FAR_DOWN) scale_far_first(const Scale p) {
    u32 block = blockIdx.x;
    const ScaleComponent& c = component_of(p.component, block);
    if (c.fills) return;
    const int width = c.down_first ? c.src.width : c.dst.width, height = c.down_first ? c.dst.height : c.src.height;
    const int2 at = far_place(block, width);
    if (at.x >= width || at.y >= height) return;
    const auto lane = [&](int x, int y) { return value_of(c, lane_at(c.src, x, y)); };
    c.between[u64(at.y) * width + at.x] =
        c.down_first ? far_down(p, c, at.y, [&](int y) { return lane(at.x, y); })
                     : far_across(p, c, at.x, [&](int x) { return lane(x, at.y); });
}

extern "C" __global__ void __launch_bounds__(FAR_WIDE* FAR_DOWN) scale_far_second(const Scale p) {
    u32 block = blockIdx.x;
    const ScaleComponent& c = component_of(p.component, block);
    const int width = c.down_first ? c.src.width : c.dst.width;
    const int2 at = far_place(block, c.dst.width);
    if (at.x >= int(c.dst.width) || at.y >= int(c.dst.height)) return;
    if (c.fills) return store_lane(c.dst, at.x, at.y, c.lane);
    const auto between = [&](int x, int y) { return c.between[u64(y) * width + x]; };
    const float sum = c.down_first ? far_across(p, c, at.x, [&](int x) { return between(x, at.y); })
                                   : far_down(p, c, at.y, [&](int y) { return between(at.x, y); });
    store_lane(c.dst, at.x, at.y, lane_of(c, sum));
}
