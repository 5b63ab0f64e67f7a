// Filters of small windows that make two rows at a time, so that neighbouring windows share what they compute of columns and
// of rows: the kernels have the arguments of local.cuh's.
//
// A function is a struct with its constants' type, `Consts`, its `RADIUS`, and `rows(consts, rows, made)`, which makes two rows
// of eight samples of those around them. It computes along columns first; `beside` then fetches what the neighbouring threads
// made of theirs. Values are of type V: lanes of 16 bits one by one, or two of 14 bits in a word.
#pragma once

#include "local.cuh"
#include "pair.cuh"

__device__ __forceinline__ u32 least(u32 a, u32 b) { return min(a, b); }
__device__ __forceinline__ u32 most(u32 a, u32 b) { return max(a, b); }
__device__ __forceinline__ u32 from_lane(u32 value, int distance) {
    return distance < 0 ? __shfl_up_sync(~0u, value, -distance) : __shfl_down_sync(~0u, value, distance);
}

__device__ __forceinline__ Pair from_lane(Pair value, int distance) { return {from_lane(value.codes, distance)}; }

// The first becomes the smaller one.
template <typename V>
__device__ __forceinline__ void sort(V& a, V& b) {
    const V low = least(a, b);
    b = most(a, b);
    a = low;
}

// The middle one of `low` and `high`, which are in order, and `other`.
template <typename V>
__device__ __forceinline__ V middle(V low, V high, V other) { return most(low, least(high, other)); }

// Columns to both sides of a thread's eight, which lie from RADIUS on.
template <int RADIUS, typename V>
__device__ __forceinline__ void beside(V (&row)[CHUNK + 2 * RADIUS]) {
#pragma unroll
    for (int i = 0; i < RADIUS; i++) {
        row[i] = from_lane(row[CHUNK + i], -1);
        row[RADIUS + CHUNK + i] = from_lane(row[RADIUS + i], 1);
    }
}

// A thread's samples one by one.
template <typename T>
struct Singly {
    typedef u32 Value;
    static constexpr int PARTS = 1;

    static __device__ __forceinline__ void unpack(
        const Columns<T>& columns, const typename Chunk<T>::Words (&words)[1], u32 shift, u32 (&row)[CHUNK]) {
        to_lanes(columns, words[0], shift, row);
    }
    static __device__ __forceinline__ void write(const LocalComponent& c, int x, int y, int, u32 (&row)[CHUNK], u32) {
        u32 v[1][CHUNK];
#pragma unroll
        for (int i = 0; i < CHUNK; i++) v[0][i] = row[i];
        write_lanes(c, x, y, v);
    }
};

// Each with the one some rows below it.
template <typename T>
struct InPairs {
    typedef Pair Value;
    static constexpr int PARTS = 2;

    static __device__ __forceinline__ void unpack(
        const Columns<T>& columns, const typename Chunk<T>::Words (&words)[2], u32, Pair (&row)[CHUNK]) {
        const typename Chunk<T>::Words above = columns.lanes(words[0]), below = columns.lanes(words[1]);
#pragma unroll
        for (int i = 0; i < CHUNK; i += 2) {
            if (sizeof(T) == 1) {
                const u32 two = __byte_perm(word(above, i / 4), word(below, i / 4), i % 4 == 0 ? 0x5410 : 0x7632);
                row[i].codes = two & 0x00ff00ff;
                row[i + 1].codes = __byte_perm(two, 0, 0x4341);
            } else {
                row[i].codes = even_u16(word(above, i / 2), word(below, i / 2));
                row[i + 1].codes = odd_u16(word(above, i / 2), word(below, i / 2));
            }
        }
    }

    // Writes part `part` of a row: as codes where the target stores alike.
    static __device__ __forceinline__ void write(const LocalComponent& c, int x, int y, int part, Pair (&row)[CHUNK], u32 shift) {
        const Plane& dst = c.dst;
        const bool alike = dst.sample == (sizeof(T) == 1 ? SAMPLE_U8 : SAMPLE_U16) && dst.shift == shift && dst.step == 1 &&
                           dst.bit_depth + shift == 16 && x + CHUNK <= int(dst.width) && vectors_fit(dst, CHUNK * sizeof(T));
        if (alike) {
            u32 two[4];
#pragma unroll
            for (int i = 0; i < 4; i++) {
                const u32 a = row[2 * i].codes, b = row[2 * i + 1].codes;
                two[i] = part == 0 ? even_u16(a, b) : odd_u16(a, b);
            }
            if (sizeof(T) == 1) {
                *reinterpret_cast<uint2*>(at<u8>(dst, x, y)) = make_uint2(even_u8(two[0], two[1]), even_u8(two[2], two[3]));
            } else {
                *reinterpret_cast<uint4*>(at<u16>(dst, x, y)) = make_uint4(two[0], two[1], two[2], two[3]);
            }
            return;
        }
        u32 v[1][CHUNK];
#pragma unroll
        for (int i = 0; i < CHUNK; i++) v[0][i] = (part == 0 ? row[i].codes & 0xffff : row[i].codes >> 16) << shift;
        write_lanes(c, x, y, v);
    }
};

// A block is one warp, which walks down its rows of a strip, in PARTS places at once. Its first and last thread only help
// others.
template <typename Op, typename Take, typename T>
__device__ __forceinline__ void local_rows(const LocalArgs& p, const LocalConsts<typename Op::Consts>& consts) {
    constexpr int RADIUS = Op::RADIUS, ROWS = 2, PARTS = Take::PARTS;
    u32 block = blockIdx.x;
    const LocalComponent& c = component_of(p.component, block);
    const Part part(c, 1, block);
    if (!c.computes) return copy<T>(c, part.x, part.top, part.end, part.writes);
    const typename Op::Consts own = consts.of(&c - p.component);
    const Columns<T> src(c.source[0].plane, part.x);
    const u32 shift = c.source[0].plane.shift;
    // Rows of a part: the last may have fewer.
    const int many = PARTS == 1 ? part.end - part.top : ((part.end - part.top + 1) / 2 + 1) & ~1;
    typename Take::Value rows[2 * RADIUS + ROWS][CHUNK];
    Lines<T, ROWS> ahead[PARTS];
    const auto read = [&](int y) {
#pragma unroll
        for (int k = 0; k < PARTS; k++) src.read(y + k * many, ahead[k]);
    };
    const auto unpack = [&](int to) {
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            typename Chunk<T>::Words words[PARTS];
#pragma unroll
            for (int k = 0; k < PARTS; k++) words[k] = ahead[k].row[r];
            Take::unpack(src, words, shift, rows[to + r]);
        }
    };
#pragma unroll
    for (int r = 0; r < 2 * RADIUS; r += ROWS) {
        read(part.top - RADIUS + r);
        unpack(r);
    }
    read(part.top + RADIUS);
    for (int y = part.top; y < part.top + many; y += ROWS) {
        unpack(2 * RADIUS);
        if (y + ROWS < part.top + many) read(y + ROWS + RADIUS);
        typename Take::Value made[ROWS][CHUNK];
        Op::rows(own, rows, made);
#pragma unroll
        for (int r = 0; r < ROWS; r++)
#pragma unroll
            for (int k = 0; k < PARTS; k++) {
                const bool is_own = y + r < part.top + many && y + r + k * many < part.end;
                if (part.writes && is_own) Take::write(c, part.x, y + r + k * many, k, made[r], shift);
            }
#pragma unroll
        for (int r = 0; r < 2 * RADIUS; r++)
#pragma unroll
            for (int i = 0; i < CHUNK; i++) rows[r][i] = rows[ROWS + r][i];
    }
}

// Kernels NAME_u8 and NAME_u16 of a function of rows, for samples taken as `take` says. Of the first, `blocks` shall fit a
// multiprocessor: with fewer registers more of them wait for memory at once.
#define LOCAL_ROWS(name, take, blocks, ...) \
    extern "C" __global__ void __launch_bounds__(32, blocks) name##_u8(const LocalArgs p, const LocalConsts<__VA_ARGS__::Consts> consts) { \
        local_rows<__VA_ARGS__, take<u8>, u8>(p, consts); \
    } \
    extern "C" __global__ void __launch_bounds__(32) name##_u16(const LocalArgs p, const LocalConsts<__VA_ARGS__::Consts> consts) { \
        local_rows<__VA_ARGS__, take<u16>, u16>(p, consts); \
    }
