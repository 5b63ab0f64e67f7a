// median: the middle one of the samples around a place.

#include "common/local.cuh"
#include "common/order.cuh"
#include "generated/median.cuh"

struct OfNine {
    typedef MedianConsts Consts;
    static constexpr int RADIUS = 1;

    // With each column in order, the middle of the largest low, the middle one of the middle ones and the smallest high.
    template <typename Near>
    static __device__ __forceinline__ u32 sample(const Consts&, const Near& near) {
        u32 low = 0, high = 0xffff, middles[3];
#pragma unroll
        for (int x = -1; x <= 1; x++) {
            const u32 a = near(0, x, -1), b = near(0, x, 0), c = near(0, x, 1);
            low = max(low, min(min(a, b), c));
            high = min(high, max(max(a, b), c));
            middles[x + 1] = middle_of_three(a, b, c);
        }
        return middle_of_three(low, middle_of_three(middles[0], middles[1], middles[2]), high);
    }
};

struct OfTwentyFive {
    typedef MedianConsts Consts;
    static constexpr int RADIUS = 2;

    template <typename Near>
    static __device__ __forceinline__ u32 sample(const Consts&, const Near& near) {
        return middle_of<14>([&](int i) { return near(0, i % 5 - 2, i / 5 - 2); });
    }
};

LOCAL_WINDOW(median_1, OfNine)
LOCAL_WINDOW(median_2, OfTwentyFive)
