// The kernel of docs/FILTER-GUIDE.md, which is compiled with the others, and is no part of vramp.

#include "common/local.cuh"
#include "common/order.cuh"

struct OfNine {
    typedef LocalNoConsts Consts;
    static constexpr int RADIUS = 1;

    template <typename Near>
    static __device__ __forceinline__ u32 sample(const Consts&, const Near& near) {
        return middle_of<6>([&](int i) { return near(0, i % 3 - 1, i / 3 - 1); });
    }
};

LOCAL_WINDOW(median, OfNine)
