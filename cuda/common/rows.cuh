// Filters of small windows that make two rows at a time, so that neighbouring windows share what they compute of columns and
// of rows: the kernels have the arguments of local.cuh's.
//
// A function is a struct with its constants' type, `Consts`, its `RADIUS`, and `rows(consts, rows, made)`, which makes two rows
// of those around them. It computes along columns first; `beside` then fetches what the neighbouring threads
// made of theirs. Values are of type V: lanes of 16 bits one by one, or two of 14 bits in a word.
#pragma once

#include "local.cuh"
#include "pair.cuh"

__device__ __forceinline__ u32 least(u32 a, u32 b) { return min(a, b); }
__device__ __forceinline__ u32 most(u32 a, u32 b) { return max(a, b); }
__device__ __forceinline__ u32 from_lane(u32 value, int distance) {
    return distance < 0 ? __shfl_up_sync(~0u, value, -distance) : __shfl_down_sync(~0u, value, distance);
}

// How values are put in order. Sums of short codes are exact, and do not go through the pipe of minima and maxima, which
// is the busiest one of medians: so they take a share of it.
enum By { EXTREMES, SUMS };

// The first becomes the smaller one.
template <By BY = EXTREMES, typename V>
__device__ __forceinline__ void sort(V& a, V& b) {
    if constexpr (BY == SUMS && ADDS<V>) {
        const V by = excess(b, a), high = plus(a, by);
        a = minus(b, by);
        b = high;
    } else {
        const V low = least(a, b);
        b = most(a, b);
        a = low;
    }
}

// The middle one of `low` and `high`, which are in order, and `other`.
template <typename V>
__device__ __forceinline__ V middle(V low, V high, V other) { return most(low, least(high, other)); }

// Columns to both sides of a thread's N, which lie from RADIUS on.
template <int RADIUS, int N>
__device__ __forceinline__ void beside(u32 (&row)[N]) {
    constexpr int OWN = N - 2 * RADIUS;
#pragma unroll
    for (int i = 0; i < RADIUS; i++) {
        row[i] = from_lane(row[OWN + i], -1);
        row[RADIUS + OWN + i] = from_lane(row[RADIUS + i], 1);
    }
}

// Of pairs the second half's left neighbours are the first half's own.
template <int RADIUS, bool SHORT, int N>
__device__ __forceinline__ void beside(Pair<SHORT> (&row)[N]) {
    constexpr int OWN = N - 2 * RADIUS;
#pragma unroll
    for (int i = 0; i < RADIUS; i++) {
        const u32 first = row[RADIUS + i].codes, last = row[OWN + i].codes;
        row[i].codes = __byte_perm(from_lane(last, -1), last, 0x5432);
        row[RADIUS + OWN + i].codes = __byte_perm(first, from_lane(first, 1), 0x5432);
    }
}

// A thread's samples one by one.
template <typename T>
struct Singly {
    typedef u32 Value;
    static constexpr int MANY = CHUNK;

    static __device__ __forceinline__ void unpack(
        const Columns<T>& columns, const typename Chunk<T>::Words& words, u32 shift, u32 (&row)[MANY]) {
        to_lanes(columns, words, shift, row);
    }
    static __device__ __forceinline__ void lanes(const u32 (&row)[MANY], u32, u32 (&v)[CHUNK]) {
#pragma unroll
        for (int i = 0; i < CHUNK; i++) v[i] = row[i];
    }
};

// Each with the one four columns to the right of it.
template <typename T>
struct InPairs {
    typedef Pair<sizeof(T) == 1> Value;
    static constexpr int MANY = CHUNK / 2;

    static __device__ __forceinline__ void unpack(
        const Columns<T>& columns, const typename Chunk<T>::Words& words, u32, Value (&row)[MANY]) {
        const typename Chunk<T>::Words w = columns.lanes(words);
#pragma unroll
        for (int i = 0; i < MANY; i += 2) {
            if constexpr (sizeof(T) == 1) {
                const u32 two = __byte_perm(w.x, w.y, i == 0 ? 0x5410 : 0x7632);
                row[i].codes = two & 0x00ff00ff;
                row[i + 1].codes = __byte_perm(two, 0, 0x4341);
            } else {
                row[i].codes = even_u16(word(w, i / 2), word(w, i / 2 + 2));
                row[i + 1].codes = odd_u16(word(w, i / 2), word(w, i / 2 + 2));
            }
        }
    }

    // As they are stored.
    static __device__ __forceinline__ typename Chunk<T>::Words pack(const Value (&row)[MANY]) {
        const u32 a = row[0].codes, b = row[1].codes, c = row[2].codes, d = row[3].codes;
        if constexpr (sizeof(T) == 1) {
            const u32 ab = __byte_perm(a, b, 0x6240), cd = __byte_perm(c, d, 0x6240);
            return make_uint2(even_u16(ab, cd), odd_u16(ab, cd));
        } else {
            return make_uint4(even_u16(a, b), even_u16(c, d), odd_u16(a, b), odd_u16(c, d));
        }
    }

    static __device__ __forceinline__ void lanes(const Value (&row)[MANY], u32 shift, u32 (&v)[CHUNK]) {
#pragma unroll
        for (int i = 0; i < CHUNK; i++) {
            v[i] = (i < MANY ? row[i].codes & 0xffff : row[i - MANY].codes >> 16) << shift;
        }
    }
};

// Walks down a part two rows at a time. Where it is `PLAIN`, whole chunks are read, and written as they are stored.
template <typename Op, typename Take, typename T, bool PLAIN>
__device__ __forceinline__ void walk(
    const LocalComponent& c, const Part& part, const typename Op::Consts& own, const Columns<T>& src) {
    typedef typename Chunk<T>::Words Words;
    constexpr int RADIUS = Op::RADIUS, ROWS = 2;
    const u32 shift = c.source[0].plane.shift, pitch = c.dst.pitch;
    u8* const to = reinterpret_cast<u8*>(at<T>(c.dst, part.x, 0));
    typename Take::Value rows[2 * RADIUS + ROWS][Take::MANY];
    Lines<T, ROWS> ahead;
    const auto read = [&](int y) {
        if constexpr (PLAIN) {
            src.read_whole(y, ahead);
        } else {
            src.read(y, ahead);
        }
    };
    const auto unpack = [&](int to) {
#pragma unroll
        for (int r = 0; r < ROWS; r++) Take::unpack(src, ahead.row[r], shift, rows[to + r]);
    };
#pragma unroll
    for (int r = 0; r < 2 * RADIUS; r += ROWS) {
        read(part.top - RADIUS + r);
        unpack(r);
    }
    read(part.top + RADIUS);
    for (int y = part.top; y < part.end; y += ROWS) {
        unpack(2 * RADIUS);
        if (y + ROWS < part.end) read(y + ROWS + RADIUS);
        typename Take::Value made[ROWS][Take::MANY];
        Op::rows(own, rows, made);
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            if (!part.writes || y + r >= part.end) continue;
            if constexpr (PLAIN) {
                *reinterpret_cast<Words*>(to + u64(u32(y + r)) * pitch) = Take::pack(made[r]);
            } else {
                u32 v[1][CHUNK];
                Take::lanes(made[r], shift, v[0]);
                write_lanes(c, part.x, y + r, v);
            }
        }
#pragma unroll
        for (int r = 0; r < 2 * RADIUS; r++)
#pragma unroll
            for (int i = 0; i < Take::MANY; i++) rows[r][i] = rows[ROWS + r][i];
    }
}

// A block is one warp, which walks down its rows of a strip. Its first and last thread only help others.
template <typename Op, typename Take, typename T>
__device__ __forceinline__ void local_rows(const LocalArgs& p, const LocalConsts<typename Op::Consts>& consts) {
    u32 block = blockIdx.x;
    const LocalComponent& c = component_of(p.component, block);
    const Part part(c, 1, block);
    if (!c.computes) return copy<T>(c, part.x, part.top, part.end, part.writes);
    const typename Op::Consts own = consts.of(&c - p.component);
    const Columns<T> src(c.source[0].plane, part.x);
    if constexpr (Take::MANY < CHUNK) {
        // The usual case has code of its own, without a branch for others.
        const Plane& dst = c.dst;
        const bool plain = dst.sample == (sizeof(T) == 1 ? SAMPLE_U8 : SAMPLE_U16) && dst.shift == c.source[0].plane.shift &&
                           dst.step == 1 && dst.bit_depth + dst.shift == 16 && dst.width % CHUNK == 0 &&
                           vectors_fit(dst, CHUNK * sizeof(T)) && src.way == Columns<T>::WHOLE;
        if (plain) return walk<Op, Take, T, true>(c, part, own, src);
    }
    walk<Op, Take, T, false>(c, part, own, src);
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
