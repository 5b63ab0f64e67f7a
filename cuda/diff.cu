// diff: the difference of two pictures about the middle of the scale, and its opposite.

#include "common/local.cuh"
#include "generated/diff.cuh"

struct Diff {
    typedef DiffConsts Consts;
    static constexpr int SOURCES = 2, MIDDLE = 0x8000;

    template <typename Near>
    static __device__ __forceinline__ u32 sample(const Consts& c, const Near& near) {
        const int own = near(0, 0, 0), other = near(1, 0, 0);
        const int from = c.adds ? own : MIDDLE, difference = c.adds ? other - MIDDLE : own - other;
        return min(max(from + ((difference * c.amount + 128) >> 8), 0), 0xffff);
    }
};

LOCAL_POINTS(diff, Diff)
