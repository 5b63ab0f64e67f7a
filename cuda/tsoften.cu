// tsoften: the mean of a place's samples in time, as far as they are alike.

#include "common/local.cuh"
#include "generated/tsoften.cuh"

template <int REACH>
struct Tsoften {
    typedef TsoftenConsts Consts;
    static constexpr int SOURCES = 2 * REACH + 1;

    template <typename Near>
    static __device__ __forceinline__ u32 sample(const Consts& c, const Near& near) {
        const int own = near(REACH, 0, 0);
        int sum = own;
#pragma unroll
        for (int side = -1; side <= 1; side += 2) {
            int nearer = own;
            bool same_scene = true;
#pragma unroll
            for (int distance = 1; distance <= REACH; distance++) {
                const int value = near(REACH + side * distance, 0, 0);
                same_scene = same_scene && abs(value - nearer) <= c.scene;
                sum += same_scene && abs(value - own) <= c.threshold ? value : own;
                nearer = value;
            }
        }
        return (sum + REACH) / SOURCES;
    }
};

LOCAL_POINTS(tsoften_1, Tsoften<1>)
LOCAL_POINTS(tsoften_2, Tsoften<2>)
LOCAL_POINTS(tsoften_3, Tsoften<3>)
