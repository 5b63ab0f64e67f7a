// tmedian: the middle one of a place's samples in time.

#include "common/local.cuh"
#include "common/order.cuh"
#include "generated/tmedian.cuh"

template <int REACH>
struct Tmedian {
    typedef TmedianConsts Consts;
    static constexpr int SOURCES = 2 * REACH + 1;

    template <typename Near>
    static __device__ __forceinline__ u32 sample(const Consts&, const Near& near) {
        return middle_of<REACH + 2>([&](int frame) { return near(frame, 0, 0); });
    }
};

LOCAL_POINTS(tmedian_1, Tmedian<1>)
LOCAL_POINTS(tmedian_2, Tmedian<2>)
LOCAL_POINTS(tmedian_3, Tmedian<3>)
