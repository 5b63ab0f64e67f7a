// unsharp: a sample, and a part of its difference from a weighted mean of those around it.

#include "common/local.cuh"
#include "generated/unsharp.cuh"

template <int REACH>
struct Unsharp {
    typedef UnsharpConsts Consts;
    static constexpr int RADIUS = REACH;

    // Of 1, 2, 1 or 1, 4, 6, 4, 1.
    static __device__ __forceinline__ int weight(int distance) {
        return RADIUS == 1 ? 2 - abs(distance) : distance == 0 ? 6 : abs(distance) == 1 ? 4 : 1;
    }

    template <typename Near>
    static __device__ __forceinline__ u32 sample(const Consts& c, const Near& near) {
        int blurred = 0;
#pragma unroll
        for (int y = -RADIUS; y <= RADIUS; y++)
#pragma unroll
            for (int x = -RADIUS; x <= RADIUS; x++) blurred += weight(y) * weight(x) * int(near(0, x, y));
        if (RADIUS == 2) blurred = (blurred + 8) >> 4;
        const int own = near(0, 0, 0), more = ((16 * own - blurred) * c.amount + (1 << 11)) >> 12;
        return min(max(own + more, 0), 0xffff);
    }
};

LOCAL_WINDOW(unsharp_1, Unsharp<1>)
LOCAL_WINDOW(unsharp_2, Unsharp<2>)
