// Along columns: a thread has a column of its warp's strip.
#pragma once

#include "common/ahead.cuh"
#include "domain_walk.cuh"
#include "generated/domain_async.cuh"

// A warp's strip of one frame.
template <typename E>
struct Columns {
    static constexpr u32 ROW = TILE * 4, SLOT = TILE * ROW, STAGE = VECTORS<E> * 32 * 16, ALL_STAGES = STAGES * STAGE;
    static constexpr int PART = TILE * TILE;  // samples of a tile

    // Of this thread. In memory: its vector and its column of the first tile's values, and its vector of differences. In shared
    // memory: its column and its vector of the first slot, and its vector of differences.
    float *values, *column;
    const u8* below;
    u8 *tiles, *copied, *stages;
    u32 ring;
    int count, slots, length;

    // The part that is done beside four number k: half of a tile at a time, since copies are cheaper one after another.
    __device__ __forceinline__ void fetch_values(int k, const float* from, u32 slot, bool is_there) const {
        if (k % 4 > 0) return;
#pragma unroll
        for (int i = k; i < k + 4; i++) copy_ahead(copied + slot + i * 512, from + i * 128, is_there);
    }
    __device__ __forceinline__ void fetch_below(int k, const u8* from, u32 stage, bool is_there) const {
        if (k % 4 > 0) return;
#pragma unroll
        for (int i = 0; i < VECTORS<E> / 2; i++) {
            const int at = (k / 4 * (VECTORS<E> / 2) + i) * 512;
            copy_ahead(stages + stage + at, from + at, is_there);
        }
    }

    // What is copied next, and where to.
    const float* source;
    const u8* source_below;
    u32 ahead, stage_ahead;

    __device__ __forceinline__ void fetch_next(int k, bool is_there) {
        fetch_values(k, source, ahead, is_there);
        fetch_below(k, source_below, stage_ahead, is_there);
        if (k < FOURS - 1) return;
        end_of_copies();
        source += PART;
        source_below += PART * sizeof(E);
        ahead = after(ahead, SLOT, ring);
        stage_ahead = after(stage_ahead, STAGE, ALL_STAGES);
    }
    __device__ __forceinline__ void begin() {
        for (int at = count * STAGE; at < int(ALL_STAGES); at += 512) Weights<E>::clear(stages + at);
#pragma unroll 1
        for (int t = 0; t < AHEAD; t++) {
#pragma unroll
            for (int k = 0; k < FOURS; k++) fetch_next(k, t < count);
        }
    }

    // The tile at hand, and its differences, and those that follow.
    u32 now, stage, next, next_stage;

    __device__ __forceinline__ void value(bool is_next, int four, float* v) const {
#pragma unroll
        for (int k = 0; k < 4; k++)
            v[k] = *reinterpret_cast<const float*>(tiles + (is_next ? next : now) + (four * 4 + k) * ROW);
    }
    __device__ __forceinline__ uint4 vector(bool is_next, int i) const {
        return *reinterpret_cast<const uint4*>(stages + (is_next ? next_stage : stage) + i * 512);
    }

    // Goes forth along some tiles. `put(four, made)` takes what was made.
    template <typename Put>
    __device__ __forceinline__ void tiles_forth(Walk<E>& walk, int from, int to, Put put) {
        const auto value = [&](bool is_next, int four, float* v) { this->value(is_next, four, v); };
        const auto vector = [&](bool is_next, int i) { return this->vector(is_next, i); };
#pragma unroll 1
        for (int t = from; t < to; t++) {
            await_copies<AHEAD - 2>();
            __syncwarp();
            const bool goes_on = t + AHEAD < count;
            walk.template along<false>(value, vector, put, [&](int k) { fetch_next(k, goes_on); });
            now = next;
            next = after(next, SLOT, ring);
            stage = next_stage;
            next_stage = after(next_stage, STAGE, ALL_STAGES);
        }
    }

    __device__ __forceinline__ void forth() {
        const int n = count, left = max(n - slots, 0);  // tiles that do not stay
        const auto value = [&](bool is_next, int four, float* v) { this->value(is_next, four, v); };
        const auto vector = [&](bool is_next, int i) { return this->vector(is_next, i); };
        Walk<E> walk(threadIdx.x % 32);
        await_copies<AHEAD - 1>();
        __syncwarp();
        now = stage = 0;
        next = after(now, SLOT, ring), next_stage = STAGE;
        walk.template begin<false>(value, vector);
        float* target = column;
        // What leaves shared memory never comes to it.
        tiles_forth(walk, 0, left, [&](int four, const float(&made)[4]) {
#pragma unroll
            for (int k = 0; k < 4; k++) target[(four * 4 + k) * TILE] = made[k];
            if (four == FOURS - 1) target += PART;
        });
        tiles_forth(walk, left, n, [&](int four, const float(&made)[4]) {
#pragma unroll
            for (int k = 0; k < 4; k++) *reinterpret_cast<float*>(tiles + now + (four * 4 + k) * ROW) = made[k];
        });
    }

    // Back, from where it ended. `put_back(y, made)` takes samples from the last one up.
    template <typename Put>
    __device__ __forceinline__ void back(Put put_back) {
        const int n = count, left = max(n - slots, 0);
        const auto value = [&](bool is_next, int four, float* v) { this->value(is_next, four, v); };
        const auto vector = [&](bool is_next, int i) { return this->vector(is_next, i); };
        Walk<E> walk(threadIdx.x % 32);
        now = before(now, SLOT, ring);
        next = before(now, SLOT, ring);
        u32 free = after(after(now, SLOT, ring), SLOT, ring);
        stage = before(stage, STAGE, ALL_STAGES);
        next_stage = before(stage, STAGE, ALL_STAGES);
        stage_ahead = stage;
#pragma unroll
        for (int i = 0; i < AHEAD; i++) stage_ahead = before(stage_ahead, STAGE, ALL_STAGES);
        await_copies<0>();
        // What is behind the last sample becomes as it is.
        const int end = length - (n - 1) * TILE;
        const float beyond = *reinterpret_cast<const float*>(tiles + now + (end - 1) * ROW);
        for (int i = end; i < TILE; i++) *reinterpret_cast<float*>(tiles + now + i * ROW) = beyond;
        __syncwarp();
        walk.template begin<true>(value, vector);
        source = values + i64(left + 1) * PART;  // of tile t + 2 - slots
        source_below = below + i64(n - 1 - AHEAD) * i64(PART * sizeof(E));
#pragma unroll 1
        for (int t = n - 1; t >= 0; t--) {
            await_copies<AHEAD - 2>();
            __syncwarp();
            const bool goes_on = t >= AHEAD, comes_back = t + 2 < n && t + 2 >= slots;
            walk.template along<true>(
                value, vector,
                [&](int four, const float(&made)[4]) {
#pragma unroll
                    for (int k = 3; k >= 0; k--) put_back(t * TILE + four * 4 + k, made[k]);
                },
                [&](int k) {
                    fetch_below(k, source_below, stage_ahead, goes_on);
                    fetch_values(k, source, free, comes_back);
                    if (k == FOURS - 1) end_of_copies();
                });
            source_below -= PART * sizeof(E);
            stage_ahead = before(stage_ahead, STAGE, ALL_STAGES);
            source -= PART;
            free = before(free, SLOT, ring);
            now = next;
            next = before(next, SLOT, ring);
            stage = next_stage;
            next_stage = before(next_stage, STAGE, ALL_STAGES);
        }
        await_copies<0>();
    }

    __device__ __forceinline__ Columns(const DomainStrips& p, const StripComponent& c, u32 strip) {
        const int thread = threadIdx.x % 32;
        length = c.height;
        count = (c.height + TILE - 1) / TILE;
        slots = c.slots;
        ring = slots * SLOT;
        const u32 place = blockIdx.y * c.stride + strip * c.rows * TILE;
        values = c.values + place + thread * 4;
        column = c.values + place + thread;
        below = c.down + u64(place) * sizeof(E) + thread * 16;
        source = values, source_below = below;
        ahead = stage_ahead = 0;
        u8* const own = shared + p.table_bytes + threadIdx.x / 32 * p.share;
        tiles = own + thread * 4;
        copied = own + thread * 16;
        stages = own + ring + thread * 16;
    }
};
