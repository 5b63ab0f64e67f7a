// merge and overlay: a mean of two pictures, evenly or by a mask.

#include "common/local.cuh"
#include "generated/merge.cuh"

template <bool BY_MASK>
struct Merge {
    typedef MergeConsts Consts;
    static constexpr int SOURCES = BY_MASK ? 3 : 2;

    template <typename Near>
    static __device__ __forceinline__ u32 sample(const Consts& c, const Near& near) {
        u32 weight = c.weight;
        if (BY_MASK) {
            const u32 mask = min(max(int(near(SOURCES - 1, 0, 0)) - c.black, 0), c.span);
            const u32 share = (mask * c.inverse + (1u << 15)) >> 16;
            weight = (share * weight + (1u << 14)) >> 15;
        }
        return (near(0, 0, 0) * (32768 - weight) + near(1, 0, 0) * weight + (1u << 14)) >> 15;
    }
};

LOCAL_POINTS(merge, Merge<false>)
LOCAL_POINTS(merge_by_mask, Merge<true>)
