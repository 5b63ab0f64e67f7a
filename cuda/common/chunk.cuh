// Eight samples side by side: what a thread reads and writes at a time.
#pragma once

#include "plane.cuh"

constexpr int CHUNK = 8;

// Every other sample of two words.
__device__ __forceinline__ u32 even_u16(u32 a, u32 b) { return __byte_perm(a, b, 0x5410); }
__device__ __forceinline__ u32 odd_u16(u32 a, u32 b) { return __byte_perm(a, b, 0x7632); }
__device__ __forceinline__ u32 even_u8(u32 a, u32 b) { return __byte_perm(a, b, 0x6420); }
__device__ __forceinline__ u32 odd_u8(u32 a, u32 b) { return __byte_perm(a, b, 0x7531); }

// Every other sample of eight words.
__device__ __forceinline__ uint4 even_u16(const uint4& a, const uint4& b) {
    return make_uint4(even_u16(a.x, a.y), even_u16(a.z, a.w), even_u16(b.x, b.y), even_u16(b.z, b.w));
}
__device__ __forceinline__ uint4 odd_u16(const uint4& a, const uint4& b) {
    return make_uint4(odd_u16(a.x, a.y), odd_u16(a.z, a.w), odd_u16(b.x, b.y), odd_u16(b.z, b.w));
}
__device__ __forceinline__ uint4 even_u8(const uint4& a, const uint4& b) {
    return make_uint4(even_u8(a.x, a.y), even_u8(a.z, a.w), even_u8(b.x, b.y), even_u8(b.z, b.w));
}
__device__ __forceinline__ uint4 odd_u8(const uint4& a, const uint4& b) {
    return make_uint4(odd_u8(a.x, a.y), odd_u8(a.z, a.w), odd_u8(b.x, b.y), odd_u8(b.z, b.w));
}

// Eight bytes as samples of 16 bits, and every other one of sixteen.
__device__ __forceinline__ uint4 bytes_to_u16(const uint2& w) {
    return make_uint4(__byte_perm(w.x, 0, 0x4140), __byte_perm(w.x, 0, 0x4342), __byte_perm(w.y, 0, 0x4140),
                      __byte_perm(w.y, 0, 0x4342));
}
__device__ __forceinline__ uint4 even_bytes_to_u16(const uint4& w) {
    return make_uint4(__byte_perm(w.x, 0, 0x4240), __byte_perm(w.y, 0, 0x4240), __byte_perm(w.z, 0, 0x4240),
                      __byte_perm(w.w, 0, 0x4240));
}
__device__ __forceinline__ uint4 odd_bytes_to_u16(const uint4& w) {
    return make_uint4(__byte_perm(w.x, 0, 0x4341), __byte_perm(w.y, 0, 0x4341), __byte_perm(w.z, 0, 0x4341),
                      __byte_perm(w.w, 0, 0x4341));
}

// Word i of a vector.
__device__ __forceinline__ u32 word(uint4 v, int i) { return i == 0 ? v.x : i == 1 ? v.y : i == 2 ? v.z : v.w; }
__device__ __forceinline__ u32 word(uint2 v, int i) { return i == 0 ? v.x : v.y; }

// Byte i of a vector.
__device__ __forceinline__ u32 byte_of(uint2 v, int i) { return __byte_perm(word(v, i / 4), 0, 0x4440 + i % 4); }

// Of each of four words the byte that `pair` selects, as a selector of two words.
__device__ __forceinline__ u32 gather(u32 a, u32 b, u32 c, u32 d, u32 pair) {
    return __byte_perm(__byte_perm(a, b, pair), __byte_perm(c, d, pair), 0x5410);
}

// Four rows of four bytes: a word for every column.
__device__ __forceinline__ void transpose(u32 a, u32 b, u32 c, u32 d, u32* columns) {
    const u32 ab = __byte_perm(a, b, 0x5140), cd = __byte_perm(c, d, 0x5140);
    const u32 ab_high = __byte_perm(a, b, 0x7362), cd_high = __byte_perm(c, d, 0x7362);
    columns[0] = __byte_perm(ab, cd, 0x5410);
    columns[1] = __byte_perm(ab, cd, 0x7632);
    columns[2] = __byte_perm(ab_high, cd_high, 0x5410);
    columns[3] = __byte_perm(ab_high, cd_high, 0x7632);
}

// The v16 of two samples.
__device__ __forceinline__ u32 widen_two(u32 two, u32 shift) {
    return two << shift & (0xffffu << shift & 0xffffu) * 0x10001u;
}

__device__ __forceinline__ uint4 widen(uint4 v, u32 shift) {
    return make_uint4(widen_two(v.x, shift), widen_two(v.y, shift), widen_two(v.z, shift), widen_two(v.w, shift));
}

// True when rows may be read or written sixteen bytes at a time.
template <int LANES>
__device__ __forceinline__ bool aligned(const Plane& first, const Plane& last) {
    return vectors_fit(first, 16) && (LANES != 2 || first.step == 2 || vectors_fit(last, 16));
}

// Reads eight v16 values of each lane from (x, y) on, from planes that are aligned for it. Lanes are components that
// lie alike: one, or Cb and Cr.
template <int LANES, typename Component>
__device__ __forceinline__ void read_chunk(const Component* c, int x, int y, u32 (&v)[LANES][CHUNK]) {
    const Plane& src = c->src;
    const bool pairs = LANES == 2 && src.step == 2;
    uint4 two[LANES];  // words of two samples
    if (src.sample == SAMPLE_U8) {
        if (pairs) {
            const uint4 w = __ldg(reinterpret_cast<const uint4*>(at<u8>(src, x, y)));
            two[0] = even_bytes_to_u16(w);
            two[LANES - 1] = odd_bytes_to_u16(w);
        } else {
#pragma unroll
            for (int l = 0; l < LANES; l++) {
                two[l] = bytes_to_u16(__ldg(reinterpret_cast<const uint2*>(at<u8>(c[l].src, x, y))));
            }
        }
    } else if (pairs) {
        const uint4* const from = reinterpret_cast<const uint4*>(at<u16>(src, x, y));
        const uint4 a = __ldg(from), b = __ldg(from + 1);
        two[0] = even_u16(a, b);
        two[LANES - 1] = odd_u16(a, b);
    } else {
#pragma unroll
        for (int l = 0; l < LANES; l++) two[l] = __ldg(reinterpret_cast<const uint4*>(at<u16>(c[l].src, x, y)));
    }
#pragma unroll
    for (int l = 0; l < LANES; l++) {
#pragma unroll
        for (int i = 0; i < CHUNK; i++) v[l][i] = u16(word(two[l], i / 2) >> i % 2 * 16 << src.shift);
    }
}

// Bytes from a plane's first sample to the one at (x, y).
__device__ __forceinline__ u32 byte_offset(const Plane& plane, u32 x, u32 y) {
    return y * plane.pitch + (x * plane.step << (plane.sample != SAMPLE_U8));
}

// Writes eight values of each lane (v16, or YC48's own), `to` bytes into planes that are aligned for it.
// Without `round` the values are stored as they are.
template <int LANES, typename Component>
__device__ __forceinline__ void write_chunk(
    const Component* c, const u32 (&to)[2], bool round, u32 (&v)[LANES][CHUNK]) {
    const Plane& dst = c->dst;
    if constexpr (LANES == 3) {
        // Every three words hold two pixels: y0 u0, v0 y1, u1 v1.
        u32 w[12];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            w[3 * i] = even_u16(v[0][2 * i], v[1][2 * i]);
            w[3 * i + 1] = even_u16(v[2][2 * i], v[0][2 * i + 1]);
            w[3 * i + 2] = even_u16(v[1][2 * i + 1], v[2][2 * i + 1]);
        }
        uint4* const out = reinterpret_cast<uint4*>(dst.data + to[0]);
#pragma unroll
        for (int i = 0; i < 3; i++) out[i] = make_uint4(w[4 * i], w[4 * i + 1], w[4 * i + 2], w[4 * i + 3]);
        return;
    }
    if (round && dst.bit_depth < 16) {
#pragma unroll
        for (int l = 0; l < LANES; l++)
#pragma unroll
            for (int i = 0; i < CHUNK; i++) v[l][i] = narrow(dst, v[l][i]);
    }
    const bool pairs = LANES == 2 && dst.step == 2;
    if (dst.sample == SAMPLE_U8) {
        uint2 bytes[LANES];
#pragma unroll
        for (int l = 0; l < LANES; l++) {
            bytes[l].x = even_u8(even_u16(v[l][0], v[l][1]), even_u16(v[l][2], v[l][3]));
            bytes[l].y = even_u8(even_u16(v[l][4], v[l][5]), even_u16(v[l][6], v[l][7]));
        }
        const uint2 a = bytes[0], b = bytes[LANES - 1];
        if (pairs) {
            *reinterpret_cast<uint4*>(dst.data + to[0]) =
                make_uint4(__byte_perm(a.x, b.x, 0x5140), __byte_perm(a.x, b.x, 0x7362), __byte_perm(a.y, b.y, 0x5140),
                           __byte_perm(a.y, b.y, 0x7362));
        } else {
#pragma unroll
            for (int l = 0; l < LANES; l++) *reinterpret_cast<uint2*>(c[l].dst.data + to[l]) = bytes[l];
        }
        return;
    }
#pragma unroll
    for (int l = 0; l < LANES; l++) {
        u32 two[4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            // Half the columns of both lanes, or all columns of one.
            two[i] = pairs ? even_u16(v[0][4 * l + i], v[LANES - 1][4 * l + i])
                           : even_u16(v[l][2 * i], v[l][2 * i + 1]);
        }
        u8* const out = pairs ? dst.data + to[0] + 16 * l : c[l].dst.data + to[l];
        *reinterpret_cast<uint4*>(out) = make_uint4(two[0], two[1], two[2], two[3]);
    }
}
