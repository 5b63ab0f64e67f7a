// Filters whose samples are a function of few samples near their place: src/filters/tiers/local is the other side.
//
// A function is a struct with its constants' type, `Consts`, and `sample(consts, near)`, where `near(source, dx, dy)` is a
// sample near the place and `near.look_up(value)` what the filter's table has. Values are lanes of 16 bits: v16, or YC48
// with its sign bit flipped. Everything is inlined and unrolled, so that samples that are near several places are read once,
// and what is computed of them alike as well.
#pragma once

#include "../generated/local.cuh"
#include "strip.cuh"

template <typename Consts>
struct LocalConsts {
    Consts component[3];

    // Those of component `index`, without an address that depends on it: that would be one in memory.
    __device__ __forceinline__ Consts of(long long index) const {
        return index == 0 ? component[0] : index == 1 ? component[1] : component[2];
    }
};

// Writes eight lanes to (x, y) and on.
__device__ __forceinline__ void write_lanes(const LocalComponent& c, int x, int y, u32 (&v)[1][CHUNK]) {
    const bool round = c.dst.sample != SAMPLE_I16;
#pragma unroll
    for (int i = 0; i < CHUNK; i++) v[0][i] ^= round ? 0 : 0x8000u;
    write(c, x, y, round, v);
}

// The lanes of a chunk of samples T.
template <typename T>
__device__ __forceinline__ void to_lanes(const Columns<T>& columns, const typename Chunk<T>::Words& words, u32 shift, u32* v) {
    const typename Chunk<T>::Words w = columns.lanes(words);
#pragma unroll
    for (int i = 0; i < CHUNK; i++) v[i] = u16(Chunk<T>::sample(w, i) << shift);
}

// Functions of one source, of samples up to `Op::RADIUS` away.

template <int RADIUS>
struct Around {
    const u32 (*rows)[CHUNK + 2 * RADIUS];  // the highest first
    const u16* table;
    int i;

    __device__ __forceinline__ u32 operator()(int, int dx, int dy) const { return rows[RADIUS + dy][i + RADIUS + dx]; }
    __device__ __forceinline__ u32 look_up(u32 value) const { return __ldg(table + value); }
};

// A row's eight columns, and those beside them, which neighbours in the warp have.
template <typename T, int RADIUS>
__device__ __forceinline__ void widen_row(
    const Columns<T>& columns, const typename Chunk<T>::Words& words, u32 shift, u32 (&row)[CHUNK + 2 * RADIUS]) {
    to_lanes(columns, words, shift, row + RADIUS);
#pragma unroll
    for (int i = 0; i < RADIUS; i++) {
        row[i] = __shfl_up_sync(~0u, row[CHUNK + i], 1);
        row[RADIUS + CHUNK + i] = __shfl_down_sync(~0u, row[RADIUS + i], 1);
    }
}

// A block is one warp, which walks down some rows of a strip. Its first and last thread only help others.
template <typename Op, typename T>
__device__ __forceinline__ void local_window(const LocalArgs& p, const LocalConsts<typename Op::Consts>& consts) {
    constexpr int RADIUS = Op::RADIUS, ROWS = RADIUS == 1 ? 4 : 2;
    u32 block = blockIdx.x;
    const LocalComponent& c = component_of(p.component, block);
    const Part part(c, 1, block);
    if (!c.computes) return copy<T>(c, part.x, part.top, part.end, part.writes);
    const typename Op::Consts own = consts.of(&c - p.component);
    const Columns<T> src(c.source[0].plane, part.x);
    const u32 shift = c.source[0].plane.shift;
    u32 rows[2 * RADIUS + ROWS][CHUNK + 2 * RADIUS];
    {
        Lines<T, 2 * RADIUS> above;
        src.read(part.top - RADIUS, above);
#pragma unroll
        for (int r = 0; r < 2 * RADIUS; r++) widen_row<T, RADIUS>(src, above.row[r], shift, rows[r]);
    }
    Lines<T, ROWS> ahead;
    src.read(part.top + RADIUS, ahead);
    for (int y = part.top; y < part.end; y += ROWS) {
#pragma unroll
        for (int r = 0; r < ROWS; r++) widen_row<T, RADIUS>(src, ahead.row[r], shift, rows[2 * RADIUS + r]);
        if (y + ROWS < part.end) src.read(y + ROWS + RADIUS, ahead);
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            u32 v[1][CHUNK];
#pragma unroll
            for (int i = 0; i < CHUNK; i++) v[0][i] = Op::sample(own, Around<RADIUS>{rows + r, c.table, i});
            if (part.writes && y + r < part.end) write_lanes(c, part.x, y + r, v);
        }
#pragma unroll
        for (int r = 0; r < 2 * RADIUS; r++)
#pragma unroll
            for (int i = 0; i < CHUNK + 2 * RADIUS; i++) rows[r][i] = rows[ROWS + r][i];
    }
}

// Functions of samples at one place, of any sources.

// The lane of the sample that is nearest to (x, y).
__device__ __forceinline__ u32 nearest(const Plane& plane, int x, int y) {
    const int value = load(plane, min(max(x, 0), int(plane.width) - 1), min(max(y, 0), int(plane.height) - 1));
    return u16(plane.sample == SAMPLE_I16 ? value ^ 0x8000 : value);
}

// The lane of a source at (x, y) of the result.
__device__ __forceinline__ u32 lane_at(const LocalSource& source, int x, int y) {
    x = (x - source.left) << source.shrink_w;
    y = (y - source.top) << source.shrink_h;
    const int right = x + (source.shrink_w > 0), below = y + (source.shrink_h > 0);
    const u32 first = nearest(source.plane, x, y);
    if (source.shrink_w == 0 && source.shrink_h == 0) return first;
    return (first + nearest(source.plane, right, y) + nearest(source.plane, x, below) +
            nearest(source.plane, right, below) + 2) / 4;
}

// The lanes of eight columns of a source. All threads of a warp must be there.
__device__ __forceinline__ void read_lanes(const LocalSource& source, int x, int y, u32 (&v)[CHUNK]) {
    const Plane& plane = source.plane;
    if (source.left != 0 || source.top != 0 || source.shrink_w != 0 || source.shrink_h != 0) {
#pragma unroll
        for (int i = 0; i < CHUNK; i++) v[i] = lane_at(source, x + i, y);
    } else if (plane.sample == SAMPLE_U8) {
        const Columns<u8> columns(plane, x);
        Lines<u8, 1> line;
        columns.read(y, line);
        to_lanes(columns, line.row[0], plane.shift, v);
    } else {
        const Columns<u16> columns(plane, x);
        Lines<u16, 1> line;
        columns.read(y, line);
        to_lanes(columns, line.row[0], plane.shift, v);
    }
}

template <int SOURCES>
struct Here {
    const u32 (*sources)[CHUNK];
    const u16* table;
    int i;

    __device__ __forceinline__ u32 operator()(int source, int, int) const { return sources[source][i]; }
    __device__ __forceinline__ u32 look_up(u32 value) const { return __ldg(table + value); }
};

constexpr int LOCAL_WIDE = 32, LOCAL_DOWN = 8;  // chunks side by side, and rows, of a block: as src/filters/tiers/local/cuda.rs

template <typename Op>
__device__ __forceinline__ void local_points(const LocalArgs& p, const LocalConsts<typename Op::Consts>& consts) {
    u32 block = blockIdx.x;
    const LocalComponent& c = component_of(p.component, block);
    const typename Op::Consts own = consts.of(&c - p.component);
    const int x = (block % c.across * LOCAL_WIDE + threadIdx.x % LOCAL_WIDE) * CHUNK;
    const int y = block / c.across * LOCAL_DOWN + threadIdx.x / LOCAL_WIDE;
    u32 sources[Op::SOURCES][CHUNK];
    read_lanes(c.source[0], x, y, sources[0]);
    if (c.computes) {
#pragma unroll
        for (int s = 1; s < Op::SOURCES; s++) read_lanes(c.source[s], x, y, sources[s]);
    }
    if (x >= int(c.dst.width) || y >= int(c.dst.height)) return;
    u32 v[1][CHUNK];
#pragma unroll
    for (int i = 0; i < CHUNK; i++) {
        const bool inside = c.computes && x + i >= c.left && x + i < c.right && y >= c.top && y < c.bottom;
        v[0][i] = sources[0][i];
        if (inside) v[0][i] = Op::sample(own, Here<Op::SOURCES>{sources, c.table, i});
    }
    write_lanes(c, x, y, v);
}

// Kernels NAME_u8 and NAME_u16 of a function of samples around a place, and NAME of one of samples at it.
#define LOCAL_WINDOW(name, ...) \
    extern "C" __global__ void __launch_bounds__(32) name##_u8(const LocalArgs p, const LocalConsts<__VA_ARGS__::Consts> consts) { \
        local_window<__VA_ARGS__, u8>(p, consts); \
    } \
    extern "C" __global__ void __launch_bounds__(32) name##_u16(const LocalArgs p, const LocalConsts<__VA_ARGS__::Consts> consts) { \
        local_window<__VA_ARGS__, u16>(p, consts); \
    }
#define LOCAL_POINTS(name, ...) \
    extern "C" __global__ void __launch_bounds__(LOCAL_WIDE* LOCAL_DOWN) name(const LocalArgs p, const LocalConsts<__VA_ARGS__::Consts> consts) { \
        local_points<__VA_ARGS__>(p, consts); \
    }
