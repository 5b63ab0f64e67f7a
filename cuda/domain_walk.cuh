// A thread's walk along a line, tile by tile.
#pragma once

#include "domain_weights.cuh"

typedef long long i64;

// As src/filters/domain/tuning.rs has them: tiles that are copied ahead, and warps of a block.
constexpr int AHEAD = 5, MOST_WARPS = 4;

// Tiles of differences that shared memory has of a line.
constexpr int STAGES = AHEAD + 2;

constexpr int FOURS = TILE / 4;  // fours of samples of a tile
constexpr int NEAR = 2;          // fours whose values and weights are read ahead
constexpr int SOON = NEAR + 2;   // fours by which vectors of differences are read ahead

// What a thread that goes along a line has read ahead.
template <typename E>
struct Walk {
    static constexpr int EACH = Weights<E>::GROUPS;
    Weights<E> weights;
    float v[4 * NEAR], g[4 * NEAR];
    uint4 vectors[2];
    u32 beside;
    float near;

    __device__ __forceinline__ Walk(int line) : weights(line), v{} {}

    // Reads what is `NEAR` fours, and the vector that is `SOON` fours after four number n of a tile; that may be in the next tile.
    // `value(next, four, v)` reads values, `vector(next, i)` differences.
    template <bool BACK, typename Value, typename Vector>
    __device__ __forceinline__ void read(int n, Value value, Vector vector) {
        const auto turned = [](int i, int count) { return BACK ? count - 1 - i % count : i % count; };
        const int soon = n + SOON, next = n + NEAR;
        if (soon % EACH == 0) vectors[soon / EACH % 2] = vector(soon >= FOURS, turned(soon / EACH, FOURS / EACH));
        if (next >= 0) {
            const int four = turned(next, FOURS), at = next % NEAR * 4;
            value(next >= FOURS, four, v + at);
            weights.template look_up<BACK>(vectors[next / EACH % 2], four, beside, g + at);
        }
    }

    // Before the first tile.
    template <bool BACK, typename Value, typename Vector>
    __device__ __forceinline__ void begin(Value value, Vector vector) {
        beside = 0;
#pragma unroll
        for (int n = -SOON; n < 0; n++) read<BACK>(n, value, vector);
        // Nothing is before a line's first sample: it stays, since it differs by nothing from what is near, whatever that weighs.
        near = v[BACK ? 3 : 0];
    }

    // Goes along a tile. `put(four, made)` takes what was made. `meanwhile(n)` is done beside four number n: a step waits for the one
    // before, and has room for that.
    template <bool BACK, typename Value, typename Vector, typename Put, typename Meanwhile>
    __device__ __forceinline__ void along(Value value, Vector vector, Put put, Meanwhile meanwhile) {
#pragma unroll
        for (int n = 0; n < FOURS; n++) {
            meanwhile(n);
            float made[4];
#pragma unroll
            for (int m = 0; m < 4; m++) {
                const int k = BACK ? 3 - m : m, at = n % NEAR * 4 + k;
                near = made[k] = step(near, v[at], g[at]);
            }
            put(BACK ? FOURS - 1 - n : n, made);
            read<BACK>(n, value, vector);
        }
    }
};

// Addresses in a ring.
__device__ __forceinline__ u32 after(u32 at, u32 each, u32 all) { return at + each == all ? 0 : at + each; }
__device__ __forceinline__ u32 before(u32 at, u32 each, u32 all) { return (at == 0 ? all : at) - each; }

__device__ __forceinline__ void take(const float4& four, float* v) { v[0] = four.x, v[1] = four.y, v[2] = four.z, v[3] = four.w; }
