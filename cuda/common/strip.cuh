// Eight samples side by side of one plane, of any storage, read as they are stored. For filters that walk down strips of
// columns and read beyond the plane, where the nearest sample stands in.
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
    static __device__ __forceinline__ Words lanes(const Words& w, u32 keep, u32 flip) {
        return make_uint4((w.x & keep) ^ flip, (w.y & keep) ^ flip, (w.z & keep) ^ flip, (w.w & keep) ^ flip);
    }
};

// Reads a plane whose samples have the size of T, in chunks that begin at multiples of eight, inside the plane or beside
// it, where the nearest column stands in.
template <typename T>
struct Reader {
    typedef typename Chunk<T>::Words Words;
    const u8* data;
    u32 pitch;
    int width, step;
    u32 keep, flip;  // bits that count, and YC48's sign bits: values become unsigned, in their order
    bool vectors;

    __device__ __forceinline__ explicit Reader(const Plane& src)
        : data(src.data), pitch(src.pitch), width(src.width), step(src.step), keep((0xffffu >> src.shift) * 0x10001u),
          flip(src.sample == SAMPLE_I16 ? 0x80008000u : 0), vectors(src.step == 1 && vectors_fit(src, sizeof(Words))) {}

    // As stored.
    __device__ __forceinline__ Words read(int x, int y) const {
        const T* const row = reinterpret_cast<const T*>(data + u64(y) * pitch);
        if (x >= 0 && x + CHUNK <= width && vectors) return __ldg(reinterpret_cast<const Words*>(row + x));
        if (x < 0 || x >= width) return Chunk<T>::repeat(__ldg(row + (x < 0 ? 0 : width - 1) * step));
        Words words = Chunk<T>::repeat(0);
#pragma unroll
        for (int i = 0; i < CHUNK; i++) Chunk<T>::put(words, i, __ldg(row + min(x + i, width - 1) * step));
        return words;
    }

    // What is summed, of a chunk that was read.
    __device__ __forceinline__ Words lanes(const Words& words) const { return Chunk<T>::lanes(words, keep, flip); }

    __device__ __forceinline__ void add(int x, int y, u32 times, u32 (&sums)[CHUNK]) const {
        const Words words = lanes(read(x, y));
#pragma unroll
        for (int i = 0; i < CHUNK; i++) sums[i] += Chunk<T>::sample(words, i) * times;
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
__device__ __forceinline__ void copy_chunks(const Component& c, int x, int y, int end) {
    const bool alike = c.src.sample == c.dst.sample && c.src.shift == c.dst.shift && c.src.bit_depth == c.dst.bit_depth;
    const Reader<T> src(c.src);
    for (; y < end; y++) {
        const typename Chunk<T>::Words words = src.read(x, y);
        u32 v[1][CHUNK];
#pragma unroll
        for (int i = 0; i < CHUNK; i++) {
            const u32 sample = Chunk<T>::sample(words, i);
            v[0][i] = alike ? sample : u16(sample << c.src.shift);
        }
        write(c, x, y, !alike, v);
    }
}

template <typename Component>
__device__ __forceinline__ void copy(const Component& c, int x, int y, int end) {
    if (c.src.sample == SAMPLE_U8) {
        copy_chunks<u8>(c, x, y, end);
    } else {
        copy_chunks<u16>(c, x, y, end);
    }
}
