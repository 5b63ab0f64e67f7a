// mask: what a table has for a sample, or for how steep the picture is there.

#include "common/local.cuh"
#include "generated/mask.cuh"

struct OfValue {
    typedef MaskConsts Consts;
    static constexpr int SOURCES = 1;

    template <typename Near>
    static __device__ __forceinline__ u32 sample(const Consts&, const Near& near) {
        return near.look_up(near(0, 0, 0));
    }
};

struct OfEdges {
    typedef MaskConsts Consts;
    static constexpr int RADIUS = 1;

    template <typename Near>
    static __device__ __forceinline__ u32 sample(const Consts&, const Near& near) {
        auto side = [&](int dx) { return int(near(0, dx, -1)) + 2 * int(near(0, dx, 0)) + int(near(0, dx, 1)); };
        auto end = [&](int dy) { return int(near(0, -1, dy)) + 2 * int(near(0, 0, dy)) + int(near(0, 1, dy)); };
        const int across = abs(side(1) - side(-1)), down = abs(end(1) - end(-1));
        const int more = max(across, down), less = min(across, down);
        const int length = max(more, (7 * more + 4 * less + 4) >> 3);
        return near.look_up(u32(min((length + 2) >> 2, 0xffff)));
    }
};

LOCAL_POINTS(mask_value, OfValue)
LOCAL_WINDOW(mask_edges, OfEdges)
