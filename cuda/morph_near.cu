// erode, dilate, minmax of 3x3 and 5x5: the smallest and the largest sample around a place.

#include "common/local.cuh"
#include "generated/morph_near.cuh"

// What is made of the extremes: as src/filters/morph/near.rs has it.
enum { ERODE, DILATE, MINMAX };

template <int REACH, int WHAT>
struct Extreme {
    typedef MorphConsts Consts;
    static constexpr int RADIUS = REACH;

    // Columns first: neighbours share them.
    template <typename Near>
    static __device__ __forceinline__ u32 sample(const Consts& c, const Near& near) {
        u32 low = 0xffff, high = 0;
#pragma unroll
        for (int x = -RADIUS; x <= RADIUS; x++) {
            u32 least = near(0, x, -RADIUS), most = least;
#pragma unroll
            for (int y = 1 - RADIUS; y <= RADIUS; y++) {
                least = min(least, near(0, x, y));
                most = max(most, near(0, x, y));
            }
            low = min(low, least);
            high = max(high, most);
        }
        const int own = near(0, 0, 0), limit = c.limit;
        if (WHAT == ERODE) return max(int(low), own - limit);
        if (WHAT == DILATE) return min(int(high), own + limit);
        return min(c.nought + high - low, 0xffffu);
    }
};

LOCAL_WINDOW(erode_1, Extreme<1, ERODE>)
LOCAL_WINDOW(erode_2, Extreme<2, ERODE>)
LOCAL_WINDOW(dilate_1, Extreme<1, DILATE>)
LOCAL_WINDOW(dilate_2, Extreme<2, DILATE>)
LOCAL_WINDOW(minmax_1, Extreme<1, MINMAX>)
LOCAL_WINDOW(minmax_2, Extreme<2, MINMAX>)
