// A mean of two samples, evenly or by a mask: merge, overlay and blend.
#pragma once

#include "generated/merge.cuh"

// Where a value lies between black and white, in 1/32768.
__device__ __forceinline__ u32 share_of(const LightScale& scale, int value) {
    return (u32(min(max(value - scale.black, 0), scale.span)) * scale.inverse + (1u << 15)) >> 16;
}

template <bool BY_MASK>
__device__ __forceinline__ u32 mixed(const MergeConsts& c, u32 own, u32 other, u32 mask) {
    u32 weight = c.weight;
    if (BY_MASK) weight = (share_of(c.scale, int(mask)) * weight + (1u << 14)) >> 15;
    return (own * (32768 - weight) + other * weight + (1u << 14)) >> 15;
}
