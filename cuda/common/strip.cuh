// Eight samples side by side of one plane, of any storage, read as they are stored. For filters that walk down strips of
// columns and read beyond the plane, where the nearest sample is replicated.
#pragma once

#include "chunk.cuh"

// Words of shared memory from a thread's columns to the next one's: odd, so that a warp meets every bank.
constexpr int STRIDE = CHUNK + 1;

// Eight samples as they are stored.
template <typename T>
struct Chunk;

template <>
struct Chunk<u8> {
    typedef uint2 Words;
    static __device__ __forceinline__ u32 sample(const Words& w, int i) { return byte_of(w, i); }
    static __device__ __forceinline__ void put(Words& w, int i, u32 value) {
        (i < 4 ? w.x : w.y) |= value << i % 4 * 8;
    }
    // Eight times one sample.
    static __device__ __forceinline__ Words repeat(u32 value) {
        return make_uint2(value * 0x01010101u, value * 0x01010101u);
    }
    // Of eight pairs the samples that `take` selects.
    static __device__ __forceinline__ Words every_other(const u8* from, u32 take) {
        const uint4 w = __ldg(reinterpret_cast<const uint4*>(from));
        return make_uint2(__byte_perm(w.x, w.y, take), __byte_perm(w.z, w.w, take));
    }
    static __device__ __forceinline__ Words lanes(const Words& w, u32, u32) { return w; }
};

template <>
struct Chunk<u16> {
    typedef uint4 Words;
    static __device__ __forceinline__ u32 sample(const Words& w, int i) {
        return i % 2 == 0 ? word(w, i / 2) & 0xffffu : word(w, i / 2) >> 16;
    }
    static __device__ __forceinline__ void put(Words& w, int i, u32 value) {
        (i < 2 ? w.x : i < 4 ? w.y : i < 6 ? w.z : w.w) |= value << i % 2 * 16;
    }
    static __device__ __forceinline__ Words repeat(u32 value) {
        const u32 two = value * 0x10001u;
        return make_uint4(two, two, two, two);
    }
    static __device__ __forceinline__ Words every_other(const u8* from, u32 take) {
        const uint4 a = __ldg(reinterpret_cast<const uint4*>(from)), b = __ldg(reinterpret_cast<const uint4*>(from) + 1);
        return make_uint4(__byte_perm(a.x, a.y, take), __byte_perm(a.z, a.w, take), __byte_perm(b.x, b.y, take),
                          __byte_perm(b.z, b.w, take));
    }
    static __device__ __forceinline__ Words lanes(const Words& w, u32 keep, u32 flip) {
        return make_uint4((w.x & keep) ^ flip, (w.y & keep) ^ flip, (w.z & keep) ^ flip, (w.w & keep) ^ flip);
    }
};

// Some rows of eight columns, as stored.
template <typename T, int ROWS>
struct Lines {
    typename Chunk<T>::Words row[ROWS];
};

// Eight columns of a plane whose samples have the size of T, from a multiple of eight on: inside the plane or beside it,
// where the nearest column is replicated. Rows are read several at a time, and without a branch between them, so that all of
// them are in flight at once.
template <typename T>
struct Columns {
    typedef typename Chunk<T>::Words Words;
    // How a warp reads: chunks as they lie; chunks of nv12's pairs, of which every other sample counts; or sample by
    // sample, where memory is not aligned for vectors or the plane ends inside a chunk.
    enum Way { WHOLE, EVERY_OTHER, SINGLES };

    const u8* from;  // in the plane's first row: the chunk that is read, or the first sample
    u32 pitch;
    int x, width, bottom, step;
    u32 keep, flip;  // bits that count, and YC48's sign bits: values become unsigned, in their order
    u32 take;        // which of a pair's samples, as a selector of bytes
    Way way;

    __device__ __forceinline__ Columns(const Plane& src, int x)
        : pitch(src.pitch), x(x), width(src.width), bottom(src.height - 1), step(src.step),
          keep((0xffffu >> src.shift) * 0x10001u), flip(src.sample == SAMPLE_I16 ? 0x80008000u : 0) {
        const bool second = src.step == 2 && u64(src.data) & sizeof(T);
        const u8* const first = src.data - (second ? sizeof(T) : 0);
        take = sizeof(T) == 1 ? (second ? 0x7531 : 0x6420) : (second ? 0x7632 : 0x5410);
        const bool aligned = ((u64(first) | pitch) & (src.step * sizeof(Words) - 1) & 15) == 0;
        // What ends inside a chunk is not read in chunks, by those that repeat its last column either.
        const bool cut = x + CHUNK > width && width % CHUNK != 0;
        way = !aligned || src.step > 2 || width < CHUNK || __any_sync(~0u, cut) ? SINGLES
              : src.step == 2                                                  ? EVERY_OTHER
                                                                               : WHOLE;
        const int chunk = x < 0 ? 0 : min(x, width / CHUNK * CHUNK - CHUNK);
        from = way == SINGLES ? src.data : first + chunk * src.step * int(sizeof(T));
    }

    // Where row y is read, or the row of the border nearest to it.
    __device__ __forceinline__ const u8* row(int y) const { return from + u64(u32(min(max(y, 0), bottom))) * pitch; }

    // ROWS rows from y on.
    template <int ROWS>
    __device__ __forceinline__ void read(int y, Lines<T, ROWS>& lines) const {
        if (way == WHOLE) {
            read_whole(y, lines);
        } else if (way == EVERY_OTHER) {
#pragma unroll
            for (int r = 0; r < ROWS; r++) lines.row[r] = Chunk<T>::every_other(row(y + r), take);
        } else {
            lines = singles<ROWS>(from, pitch, bottom, y, x, width - 1, step);
        }
    }

    // The same of chunks as they lie.
    template <int ROWS>
    __device__ __forceinline__ void read_whole(int y, Lines<T, ROWS>& lines) const {
#pragma unroll
        for (int r = 0; r < ROWS; r++) lines.row[r] = __ldg(reinterpret_cast<const Words*>(row(y + r)));
    }

    // The same sample by sample. Few warps need it, so it is no part of the loops that call it.
    template <int ROWS>
    static __device__ __noinline__ Lines<T, ROWS> singles(
        const u8* from, u32 pitch, int bottom, int y, int x, int last, int step) {
        Lines<T, ROWS> lines;
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const T* const row = reinterpret_cast<const T*>(from + u64(u32(min(max(y + r, 0), bottom))) * pitch);
            lines.row[r] = Chunk<T>::repeat(0);
#pragma unroll
            for (int i = 0; i < CHUNK; i++) Chunk<T>::put(lines.row[r], i, __ldg(row + min(max(x + i, 0), last) * step));
        }
        return lines;
    }

    // Whether of all that a warp reads, everything counts as it is.
    __device__ __forceinline__ bool is_plain() const {
        return !__any_sync(~0u, x < 0 || x >= width) && (sizeof(T) == 1 || (keep == ~0u && flip == 0));
    }

    // What counts of a chunk that was read.
    __device__ __forceinline__ Words lanes(const Words& words) const {
        Words w = words;
        if (x < 0 || x >= width) w = Chunk<T>::repeat(Chunk<T>::sample(w, x < 0 ? 0 : CHUNK - 1));
        return Chunk<T>::lanes(w, keep, flip);
    }
};

// Writes eight values to (x, y) and on, as far as the plane goes: v16 to be rounded, or what is stored.
template <typename Component>
__device__ __forceinline__ void write(const Component& c, int x, int y, bool round, u32 (&v)[1][CHUNK]) {
    const Plane& dst = c.dst;
    if (x + CHUNK <= int(dst.width) && dst.step == 1 && vectors_fit(dst, 16)) {
        const u32 to[2] = {byte_offset(dst, x, y), 0};
        write_chunk<1>(&c, to, round, v);
        return;
    }
#pragma unroll
    for (int i = 0; i < CHUNK; i++) {
        if (x + i >= int(dst.width)) break;
        const u32 value = round ? narrow(dst, v[0][i]) : v[0][i];
        if (dst.sample == SAMPLE_U8) {
            *at<u8>(dst, x + i, y) = value;
        } else {
            *at<u16>(dst, x + i, y) = value;
        }
    }
}

// Passes eight columns of some rows on: as they are stored where both planes store alike.
template <typename T, typename Component>
__device__ __forceinline__ void copy(const Component& c, int x, int y, int end, bool writes) {
    constexpr int ROWS = 4;
    const bool alike = c.src.sample == c.dst.sample && c.src.shift == c.dst.shift && c.src.bit_depth == c.dst.bit_depth;
    const Columns<T> src(c.src, x);
    for (; y < end; y += ROWS) {
        Lines<T, ROWS> lines;
        src.read(y, lines);
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            if (!writes || y + r >= end) continue;
            u32 v[1][CHUNK];
#pragma unroll
            for (int i = 0; i < CHUNK; i++) {
                const u32 sample = Chunk<T>::sample(lines.row[r], i);
                v[0][i] = alike ? sample : u16(sample << c.src.shift);
            }
            write(c, x, y + r, !alike, v);
        }
    }
}

// A block's part of a plane: some rows of a strip of columns.
struct Part {
    int x;         // this thread's first column
    int top, end;  // rows
    bool writes;   // whether the thread's columns are its to write

    // The part of a component's block `block`, where `halo` threads at each end of a strip only help others.
    template <typename Component>
    __device__ __forceinline__ Part(const Component& c, int halo, u32 block) {
        const int threads = blockDim.x, thread = threadIdx.x;
        x = int(block % c.across * (threads - 2 * halo) + thread - halo) * CHUNK;
        top = block / c.across * c.rows;
        end = min(top + int(c.rows), int(c.src.height));
        writes = thread >= halo && thread < threads - halo && x < int(c.src.width);
    }
};

// What a block does: `blur(component, part)` where the component is blurred, and else it passes its part of it on.
template <typename T, typename Component, typename Blur>
__device__ __forceinline__ void blur_part(const Component (&components)[3], int halo, Blur blur) {
    u32 block = blockIdx.x;
    const Component& c = component_of(components, block);
    const Part part(c, halo, block);
    if (c.blurs) {
        blur(c, part);
    } else {
        copy<T>(c, part.x, part.top, part.end, part.writes);
    }
}
