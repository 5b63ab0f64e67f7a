// merge and overlay: a mean of two pictures, evenly or by a mask.

#include "common/local.cuh"
#include "merge.cuh"

template <bool BY_MASK>
struct Merge {
    typedef MergeConsts Consts;
    static constexpr int SOURCES = BY_MASK ? 3 : 2;

    template <typename Near>
    static __device__ __forceinline__ u32 sample(const Consts& c, const Near& near) {
        return mixed<BY_MASK>(c, near(0, 0, 0), near(1, 0, 0), BY_MASK ? near(SOURCES - 1, 0, 0) : 0);
    }
};

LOCAL_POINTS(merge, Merge<false>)
LOCAL_POINTS(merge_by_mask, Merge<true>)
