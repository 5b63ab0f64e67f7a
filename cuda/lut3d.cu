// lut3d: R'G'B' becomes the colours that a table has there.

#include "colour.cuh"

// A node of the table before a code, and how far behind it the code lies, in 65535ths.
struct Place {
    u32 node, part;
};

// sum / 65535, of sums up to 65535 * 65535 + 32767.
__device__ __forceinline__ u32 over_top(u32 sum) { return (sum + 1 + (sum >> 16)) >> 16; }

__device__ __forceinline__ Place place(const Colour& p, int component, int code) {
    if (p.places) {
        const u32 entry = __ldg(p.places + (component << 16 | code));
        return Place{entry >> 16, entry & 0xffff};
    }
    const u32 steps = p.edge - 1, along = u32(code) * steps;
    const u32 node = min(over_top(along), steps - 1);
    return Place{node, along - node * u32(TOP)};
}

// Red, green and blue of a node.
struct Node {
    u32 c[3];
};

__device__ __forceinline__ Node node(const Colour& p, u32 at) {
    const uint2 word = __ldg(p.nodes + at);
    return Node{{word.x & 0xffff, word.x >> 16, word.y}};
}

// Axes are put in order together with their steps: a part in the upper 16 bits, a step, less 1, in the lower.
__device__ __forceinline__ void tetrahedral(const Colour& p, u32 first, const Place (&places)[3], Codes& codes) {
    const u32 edge = p.edge, all = 1 + edge + edge * edge;
    const u32 red = places[0].part << 16, green = places[1].part << 16 | (edge - 1);
    const u32 blue = places[2].part << 16 | (edge * edge - 1);
    const u32 most = max(max(red, green), blue), least = min(min(red, green), blue);
    const u32 high = most >> 16, middle = (red + green + blue - most - least) >> 16, low = least >> 16;
    const Node a = node(p, first), b = node(p, first + (most & 0xffff) + 1);
    const Node c = node(p, first + all - (least & 0xffff) - 1), d = node(p, first + all);
#pragma unroll
    for (int i = 0; i < 3; i++) {
        const u32 sum = a.c[i] * (u32(TOP) - high) + b.c[i] * (high - middle) + c.c[i] * (middle - low) + d.c[i] * low;
        codes.c[i] = int(over_top(sum + u32(TOP) / 2));
    }
}

__device__ __forceinline__ float along(float from, float to, float part) { return fmaf(part, to - from, from); }

// How far the colour lies from `origin` that is `part` of `step` from the node at `from`.
__device__ __forceinline__ void edge(const Colour& p, u32 from, u32 step, const Node& origin, float part, float (&made)[3]) {
    const Node a = node(p, from), b = node(p, from + step);
#pragma unroll
    for (int i = 0; i < 3; i++) {
        made[i] = along(float(int(a.c[i] - origin.c[i])), float(int(b.c[i] - origin.c[i])), part);
    }
}

// From the nearest node on: behind the middle of a step, parts are counted backwards from its end.
__device__ __forceinline__ void trilinear(const Colour& p, u32 first, const Place (&places)[3], Codes& codes) {
    u32 step[3] = {1, p.edge, p.edge * p.edge}, nearest = first;
    float part[3];
#pragma unroll
    for (int i = 0; i < 3; i++) {
        const bool past = places[i].part > u32(TOP) / 2;
        if (past) {
            nearest += step[i];
            step[i] = 0u - step[i];
        }
        part[i] = float(past ? u32(TOP) - places[i].part : places[i].part) * (1.0f / 65535.0f);
    }
    const Node origin = node(p, nearest);
    float made[4][3];
    edge(p, nearest, step[0], origin, part[0], made[0]);
    edge(p, nearest + step[1], step[0], origin, part[0], made[1]);
    edge(p, nearest + step[2], step[0], origin, part[0], made[2]);
    edge(p, nearest + step[2] + step[1], step[0], origin, part[0], made[3]);
#pragma unroll
    for (int i = 0; i < 3; i++) {
        const float close = along(made[0][i], made[1][i], part[1]), other = along(made[2][i], made[3][i], part[1]);
        codes.c[i] = int(origin.c[i]) + int(floorf(along(close, other, part[2]) + 0.5f));
    }
}

template <bool TRILINEAR>
struct LookUp {
    const Colour& p;

    __device__ __forceinline__ void operator()(Codes (&two)[2]) const {
#pragma unroll
        for (int k = 0; k < 2; k++) {
            Codes& codes = two[k];
            Place places[3];
#pragma unroll
            for (int i = 0; i < 3; i++) places[i] = place(p, i, codes.c[i]);
            const u32 first = (places[2].node * p.edge + places[1].node) * p.edge + places[0].node;
            if (TRILINEAR) {
                trilinear(p, first, places, codes);
            } else {
                tetrahedral(p, first, places, codes);
            }
        }
    }
};

template <bool TRILINEAR>
__device__ __forceinline__ void lut3d(const Colour& p) {
    extern __shared__ u32 memory[];
    make_tiles(p, LookUp<TRILINEAR>{p}, memory);
}

extern "C" __global__ void __launch_bounds__(THREADS) lut3d_tetrahedral(const Colour p) { lut3d<false>(p); }
extern "C" __global__ void __launch_bounds__(THREADS) lut3d_trilinear(const Colour p) { lut3d<true>(p); }
