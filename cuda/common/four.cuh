// Four samples side by side of one plane, of any storage, as lanes. For filters whose blocks take tiles of samples.
#pragma once

#include "chunk.cuh"

// Reads a plane as the CPU's lanes: v16, or YC48 with its sign bit flipped.
__device__ __forceinline__ int bias(const Plane& plane) { return plane.sample == SAMPLE_I16 ? 0x8000 : 0; }
__device__ __forceinline__ u32 lane(const Plane& plane, int x, int y) { return load(plane, x, y) + bias(plane); }

__device__ __forceinline__ int inside(int at, u32 size) { return min(max(at, 0), int(size) - 1); }

// The four lanes from (x, y) on, where x is a multiple of four and may lie beside the plane.
__device__ __forceinline__ uint4 four_lanes(const Plane& plane, int x, int y) {
    const bool whole = plane.step == 1 && x >= 0 && x + 4 <= int(plane.width);
    if (whole && plane.sample == SAMPLE_U16 && vectors_fit(plane, 8)) {
        const uint2 two = __ldg(reinterpret_cast<const uint2*>(at<u16>(plane, x, y)));
        const u32 a = widen_two(two.x, plane.shift), b = widen_two(two.y, plane.shift);
        return make_uint4(a & 0xffff, a >> 16, b & 0xffff, b >> 16);
    }
    if (whole && plane.sample == SAMPLE_U8 && vectors_fit(plane, 4)) {
        const u32 four = __ldg(reinterpret_cast<const u32*>(at<u8>(plane, x, y)));
        return make_uint4((four & 0xff) << plane.shift, (four >> 8 & 0xff) << plane.shift, (four >> 16 & 0xff) << plane.shift,
                          (four >> 24) << plane.shift);
    }
    return make_uint4(lane(plane, inside(x, plane.width), y), lane(plane, inside(x + 1, plane.width), y),
                      lane(plane, inside(x + 2, plane.width), y), lane(plane, inside(x + 3, plane.width), y));
}

// Stores the four values (v16, or YC48's own) from (x, y) on, where x is a multiple of four, as far as the plane goes.
__device__ __forceinline__ void store_four(const Plane& plane, int x, int y, const int (&v)[4]) {
    if (plane.sample == SAMPLE_U16 && plane.step == 1 && x + 4 <= int(plane.width) && vectors_fit(plane, 8)) {
        *reinterpret_cast<uint2*>(at<u16>(plane, x, y)) = make_uint2(
            narrow(plane, v[0]) | narrow(plane, v[1]) << 16, narrow(plane, v[2]) | narrow(plane, v[3]) << 16);
        return;
    }
    if (plane.sample == SAMPLE_U8 && plane.step == 1 && x + 4 <= int(plane.width) && vectors_fit(plane, 4)) {
        *at<u32>(plane, x / 4, y) = narrow(plane, v[0]) | narrow(plane, v[1]) << 8 | narrow(plane, v[2]) << 16 |
                                    narrow(plane, v[3]) << 24;
        return;
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
        if (x + i < int(plane.width)) store(plane, x + i, y, v[i]);
    }
}

// Copies `rows` rows of COLUMNS columns from (left, top) on: as they are stored where both planes store alike.
template <int COLUMNS, int THREADS>
__device__ __forceinline__ void pass_on(const Plane& src, const Plane& dst, int left, int top, int rows) {
    const bool alike = src.sample == dst.sample && src.shift == dst.shift && src.bit_depth == dst.bit_depth;
    const int x = left + threadIdx.x % COLUMNS;
    if (x >= int(src.width)) return;
    for (int y = threadIdx.x / COLUMNS; y < rows && top + y < int(src.height); y += THREADS / COLUMNS) {
        if (!alike) {
            store(dst, x, top + y, load(src, x, top + y));
        } else if (src.sample == SAMPLE_U8) {
            *at<u8>(dst, x, top + y) = __ldg(at<u8>(src, x, top + y));
        } else {
            *at<u16>(dst, x, top + y) = __ldg(at<u16>(src, x, top + y));
        }
    }
}
