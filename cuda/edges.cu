// edges: gradients and second derivatives, as src/filters/edges.rs has them.

#include "common/local.cuh"
#include "generated/edges.cuh"

// The result of a gradient, in floats whose order is fixed.
__device__ __forceinline__ u32 edge(const EdgesConsts& c, int g, int h) {
    const float x = __int2float_rn(g), y = __int2float_rn(h);
    const float length = __fsqrt_rn(__fadd_rn(__fmul_rn(x, x), __fmul_rn(y, y)));
    const float scaled = __fadd_rn(__fmul_rn(length, c.scale), 0.5f);
    return min(__float2int_rz(fminf(scaled, 65535.0f)) + c.nought, 0xffffu);
}

template <int ONE, int TWO>
struct Gradient {
    typedef EdgesConsts Consts;
    static constexpr int RADIUS = 1;

    template <typename Near>
    static __device__ __forceinline__ u32 sample(const Consts& c, const Near& near) {
        const auto at = [&](int x, int y) { return int(near(0, x, y)); };
        const auto column = [&](int x) { return ONE * (at(x, -1) + at(x, 1)) + TWO * at(x, 0); };
        const auto row = [&](int y) { return ONE * (at(-1, y) + at(1, y)) + TWO * at(0, y); };
        return edge(c, column(1) - column(-1), row(1) - row(-1));
    }
};

struct Laplacian {
    typedef EdgesConsts Consts;
    static constexpr int RADIUS = 1;

    template <typename Near>
    static __device__ __forceinline__ u32 sample(const Consts& c, const Near& near) {
        const auto at = [&](int x, int y) { return int(near(0, x, y)); };
        return edge(c, at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1) - 4 * at(0, 0), 0);
    }
};

struct Difference {
    typedef EdgesConsts Consts;
    static constexpr int RADIUS = 2;

    // 16 (1 2 1)^2 - (1 4 6 4 1)^2
    template <typename Near>
    static __device__ __forceinline__ u32 sample(const Consts& c, const Near& near) {
        const auto at = [&](int x, int y) { return int(near(0, x, y)); };
        int sum = 28 * at(0, 0) + 8 * (at(0, -1) + at(0, 1) + at(-1, 0) + at(1, 0));
        sum -= 6 * (at(0, -2) + at(0, 2) + at(-2, 0) + at(2, 0));
        sum -= 4 * (at(-1, -2) + at(1, -2) + at(-1, 2) + at(1, 2) + at(-2, -1) + at(2, -1) + at(-2, 1) + at(2, 1));
        return edge(c, sum - (at(-2, -2) + at(2, -2) + at(-2, 2) + at(2, 2)), 0);
    }
};

LOCAL_WINDOW(edges_sobel, Gradient<1, 2>)
LOCAL_WINDOW(edges_scharr, Gradient<3, 10>)
LOCAL_WINDOW(edges_laplacian, Laplacian)
LOCAL_WINDOW(edges_dog, Difference)
