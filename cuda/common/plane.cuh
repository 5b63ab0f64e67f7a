// One component of a picture in device memory, and its samples in v16.
#pragma once

typedef unsigned char u8;
typedef unsigned short u16;
typedef short i16;
typedef unsigned int u32;
typedef unsigned long long u64;

// How a sample is stored. The numbers are part of the interface.
enum Sample : u8 { SAMPLE_U8 = 0, SAMPLE_U16 = 1, SAMPLE_I16 = 2 };

// A struct of the interface lies in memory as its twin on the host does, which asserts the same numbers.
// NVRTC has no `offsetof`, but the operator that one is made of.
#ifdef __CUDACC_RTC__
#define OFFSET_OF(type, field) __INTADDR__(&(((type*)0)->field))
#else
#define OFFSET_OF(type, field) __builtin_offsetof(type, field)
#endif
#define LAYOUT(type, field, offset) \
    static_assert(OFFSET_OF(type, field) == offset, #type "." #field " is elsewhere on the host")

#include "../generated/plane.cuh"

// The address of sample (x, y).
template <typename T>
__device__ __forceinline__ T* at(const Plane& plane, int x, int y) {
    return reinterpret_cast<T*>(plane.data + u64(y) * plane.pitch) + x * plane.step;
}

// The value of sample (x, y): v16, or YC48's own.
__device__ __forceinline__ int load(const Plane& plane, int x, int y) {
    switch (plane.sample) {
        case SAMPLE_U8: return __ldg(at<u8>(plane, x, y)) << plane.shift;
        case SAMPLE_U16: return u16(__ldg(at<u16>(plane, x, y)) << plane.shift);
        default: return __ldg(at<i16>(plane, x, y));
    }
}

// The stored sample of a v16 value: rounded half up to the plane's depth, kept at or below the largest code.
__device__ __forceinline__ u32 narrow(const Plane& plane, u32 v16) {
    const u32 drop = 16 - plane.bit_depth;
    const u32 rounded = (v16 + ((1u << drop) >> 1)) >> drop;
    return min(rounded, (1u << plane.bit_depth) - 1) << (drop - plane.shift);
}

// Stores a value (v16, or YC48's own) at (x, y).
__device__ __forceinline__ void store(const Plane& plane, int x, int y, int value) {
    switch (plane.sample) {
        case SAMPLE_U8: *at<u8>(plane, x, y) = narrow(plane, value); break;
        case SAMPLE_U16: *at<u16>(plane, x, y) = narrow(plane, value); break;
        default: *at<i16>(plane, x, y) = value;
    }
}

// True when every row of contiguous samples may be read or written in vectors of `bytes`.
__device__ __forceinline__ bool vectors_fit(const Plane& plane, u32 bytes) {
    return ((reinterpret_cast<u64>(plane.data) | plane.pitch) & (bytes - 1)) == 0;
}

// The component that block `block` of the grid works on. `block` becomes the block's number in it.
template <typename Component>
__device__ __forceinline__ const Component& component_of(const Component (&component)[3], u32& block) {
    u32 index = 0;
    while (block >= component[index].blocks) block -= component[index++].blocks;
    return component[index];
}
