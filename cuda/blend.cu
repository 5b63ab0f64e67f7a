// blend: a function of two pictures, as much of it as there is to be.

#include "common/local.cuh"
#include "generated/blend.cuh"
#include "merge.cuh"

// In the order of src/filters/blend.rs.
enum Mode : u32 { MIX, MEAN, ADD, ADD_SIGNED, SUBTRACT, MULTIPLY, DIVIDE, MIN, MAX, ABSDIFF, SCREEN, SOFT_LIGHT, LIMIT };

__device__ __forceinline__ int times(int value, int share) { return (value * share + (1 << 14)) >> 15; }

// What the mode makes of v and w; of light, w is luma.
__device__ __forceinline__ int made(const BlendConsts& c, int v, int w) {
    constexpr int MIDDLE = 0x8000;
    const int distance = v - c.zero;
    switch (c.mode) {
        case MIX: return w;
        case MEAN: return (v + w + 1) >> 1;
        case ADD: return v + w - c.zero;
        case ADD_SIGNED: return v + w - MIDDLE;
        case SUBTRACT: return v - w + MIDDLE;
        case MULTIPLY: return c.zero + times(distance, int(share_of(c.scale, w)));
        case DIVIDE: {
            const u32 b = max(share_of(c.scale, w), 1u);
            const int quotient = int(min(((u32(abs(distance)) << 15) + b / 2) / b, 0xffffu));
            return c.zero + (distance < 0 ? -quotient : quotient);
        }
        case MIN: return min(v, w);
        case MAX: return max(v, w);
        case ABSDIFF: return c.zero + abs(v - w);
        case SCREEN: {
            const int b = int(share_of(c.scale, w));
            return c.is_chroma ? c.zero + times(distance, 32768 - b) : v + times(c.scale.span - distance, b);
        }
        case SOFT_LIGHT: {
            const int a = int(share_of(c.scale, v)), b = int(share_of(c.scale, w));
            const int more = (2 * b - 32768) * (a - times(a, a));
            return v + ((((more + (1 << 13)) >> 14) * c.scale.span + (1 << 15)) >> 16);
        }
        default: return min(max(v, w - c.limit), w + c.limit);
    }
}

template <bool BY_MASK>
struct Blend {
    typedef BlendConsts Consts;
    static constexpr int SOURCES = BY_MASK ? 3 : 2;

    template <typename Near>
    static __device__ __forceinline__ u32 sample(const Consts& c, const Near& near) {
        const u32 v = near(0, 0, 0);
        const u32 f = u32(min(max(made(c, int(v), int(near(1, 0, 0))), 0), 0xffff));
        return mixed<BY_MASK>(c.mix, v, f, BY_MASK ? near(SOURCES - 1, 0, 0) : 0);
    }
};

LOCAL_POINTS(blend, Blend<false>)
LOCAL_POINTS(blend_by_mask, Blend<true>)
