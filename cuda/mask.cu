// mask: what a table has for a sample, or for how steep the picture is there.

#include "common/local.cuh"
#include "generated/mask.cuh"

struct OfValue {
    typedef MaskConsts Consts;
    static constexpr int SOURCES = 1;

    template <typename Near>
    static __device__ __forceinline__ u32 sample(const Consts& c, const Near& near) {
        return c.is_chroma ? 0x8000u : near.look_up(near(0, 0, 0));
    }
};

struct OfEdges {
    typedef MaskConsts Consts;
    static constexpr int RADIUS = 1;

    template <typename Near>
    static __device__ __forceinline__ u32 sample(const Consts& c, const Near& near) {
        if (c.is_chroma) return 0x8000u;
        auto side = [&](int dx) { return int(near(0, dx, -1)) + 2 * int(near(0, dx, 0)) + int(near(0, dx, 1)); };
        auto end = [&](int dy) { return int(near(0, -1, dy)) + 2 * int(near(0, 0, dy)) + int(near(0, 1, dy)); };
        const float across = float(side(1) - side(-1)), down = float(end(1) - end(-1));
        const float length = __fsqrt_rn(__fadd_rn(__fmul_rn(across, across), __fmul_rn(down, down)));
        return near.look_up(u32(min(int(__fadd_rn(__fmul_rn(length, 0.25f), 0.5f)), 0xffff)));
    }
};

LOCAL_POINTS(mask, OfValue)
LOCAL_WINDOW(mask_edges, OfEdges)
