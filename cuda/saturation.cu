// saturation: both chromas, scaled and turned.

#include "common/local.cuh"
#include "generated/saturation.cuh"

struct Saturation {
    typedef SaturationConsts Consts;
    static constexpr int SOURCES = 2, MIDDLE = 0x8000;

    template <typename Near>
    static __device__ __forceinline__ u32 sample(const Consts& c, const Near& near) {
        const int sum = c.of_cb * (int(near(0, 0, 0)) - MIDDLE) + c.of_cr * (int(near(1, 0, 0)) - MIDDLE);
        return min(max(MIDDLE + ((sum + (1 << 13)) >> 14), 0), 0xffff);
    }
};

LOCAL_POINTS(saturation, Saturation)
