// Along rows: tiles turn in shared memory, since threads go along lines and memory has strips' rows side by side.
#pragma once

#include "common/ahead.cuh"
#include "domain_walk.cuh"
#include "generated/domain_async.cuh"

// The four that a tile's copies are put beside: they are cheaper one after another.
constexpr int COPIES_BESIDE = 2;

// A warp's rows of one frame. GROUPS: fours of rows, as many as the warp has, rounded up.
template <typename E, bool FIRST, int GROUPS>
struct Rows {
    static constexpr u32 SLOT = TILE * 4, STAGE = VECTORS<E> * 16, ALL_STAGES = STAGES * STAGE;
    // Bytes from line to line: odd numbers of vectors.
    static constexpr u32 LINE_STAGES = ALL_STAGES + 16, LINE_FIRST = STAGES * STAGE + 16;

    // Of this thread. In memory: its vector of the first tile's values, and its row of differences and of first values. In shared
    // memory: its line's values, differences and first values, and its vector of the first slot.
    float* values;
    const u8 *across, *first;
    u8 *tiles, *stages, *raw, *copied;
    // Where values are read, with what a slot's address is masked: threads without a line read weights, since the thread of the
    // last line writes.
    const u8* seen;
    u32 turns;
    // Bytes of a line in shared memory, samples of a strip, and bytes of all slots of a line.
    u32 line, pitch, ring;
    int count, slots, length, own_line;
    bool has_line, has_rest;
    // What is copied next, and where to.
    const float* source;
    const u8 *source_across, *source_first;
    u32 ahead, stage_ahead, tile_bytes;

    __device__ __forceinline__ bool has(int k) const { return k < GROUPS - 1 || has_rest; }

    __device__ __forceinline__ void fetch_values(const float* from, u32 slot, bool is_there) const {
#pragma unroll
        for (int k = 0; k < GROUPS; k++) copy_ahead(copied + slot + k * 4 * line, from + k * 32 * 4, is_there && has(k));
    }
    __device__ __forceinline__ void fetch(u8* to, const u8* from, bool is_there) const {
#pragma unroll
        for (int i = 0; i < VECTORS<E>; i++) copy_ahead(to + i * 16, from + i * 16, is_there && has_line);
    }
    // The part of putting a tile back that is done beside four number k: `vector` is read one four before it is written.
    __device__ __forceinline__ void flush(int k, float4& vector, float* to, u32 slot, bool is_there) const {
        if (k > 0 && k <= GROUPS) write_there(reinterpret_cast<float4*>(to + (k - 1) * 32 * 4), vector, is_there && has(k - 1));
        if (k < GROUPS) read_there(vector, reinterpret_cast<const float4*>(copied + slot + k * 4 * line), is_there && has(k));
    }

    // Forth, slots of tiles go round.
    __device__ __forceinline__ void fetch_next(bool is_there) {
        if (FIRST) {
            fetch(raw + stage_ahead, source_first, is_there);
            source_first += tile_bytes;
        } else {
            fetch_values(source, ahead, is_there);
            source += pitch;
            ahead = after(ahead, SLOT, ring);
        }
        fetch(stages + stage_ahead, source_across, is_there);
        end_of_copies();
        source_across += tile_bytes;
        stage_ahead = after(stage_ahead, STAGE, ALL_STAGES);
    }
    __device__ __forceinline__ void begin() {
        for (int at = count * STAGE; at < int(ALL_STAGES) && has_line; at += 16) Weights<E>::clear(stages + at);
#pragma unroll 1
        for (int t = 0; t < AHEAD; t++) fetch_next(t < count);
    }

    __device__ __forceinline__ void go() {
        const int n = count, left = max(n - slots, 0);  // tiles that do not stay
        Walk<E> walk(own_line);
        await_copies<AHEAD - 1>();
        __syncwarp();
        u32 now = 0, last = ring - SLOT, stage = 0;
        u32 next = after(now, SLOT, ring), next_stage = STAGE;
        const auto value_forth = [&](bool is_next, int four, float* v) {
            if (FIRST) {
                // 2^23 and the sample.
                const u8* const place = raw + (is_next ? next_stage : stage) + four * 4 * sizeof(E);
                u32 low, high;
                if (sizeof(E) == 1) {
                    low = high = *reinterpret_cast<const u32*>(place);
                } else {
                    const uint2 two = *reinterpret_cast<const uint2*>(place);
                    low = two.x, high = two.y;
                }
#pragma unroll
                for (int k = 0; k < 4; k++) {
                    const u32 of = sizeof(E) == 1 ? __byte_perm(low, 0x4b000000, 0x7404 | k << 4)
                                                  : __byte_perm(k < 2 ? low : high, 0x4b000000, k % 2 ? 0x7432 : 0x7410);
                    v[k] = __fsub_rn(__uint_as_float(of), 8388608.f);
                }
            } else {
                take(*reinterpret_cast<const float4*>(seen + ((is_next ? next : now) & turns) + four * 16), v);
            }
        };
        const auto value_back = [&](bool is_next, int four, float* v) {
            take(*reinterpret_cast<const float4*>(seen + ((is_next ? next : now) & turns) + four * 16), v);
        };
        const auto vector = [&](bool is_next, int i) {
            return *reinterpret_cast<const uint4*>(stages + (is_next ? next_stage : stage) + i * 16);
        };
        const auto put = [&](int four, const float(&made)[4]) {
            if (has_line) *reinterpret_cast<float4*>(tiles + now + four * 16) = make_float4(made[0], made[1], made[2], made[3]);
        };
        walk.template begin<false>(value_forth, vector);
        float* target = values - pitch;
#pragma unroll 1
        for (int t = 0; t < n; t++) {
            await_copies<AHEAD - 2>();
            __syncwarp();
            const bool goes_on = t + AHEAD < n, leaves = t > 0 && t <= left;
            float4 leaving;
            walk.template along<false>(value_forth, vector, put, [&](int k) {
                if (k == COPIES_BESIDE) fetch_next(goes_on);
                flush(k, leaving, target, last, leaves);
            });
            flush(FOURS, leaving, target, last, leaves);
            target += pitch;
            last = now;
            now = next;
            next = after(next, SLOT, ring);
            stage = next_stage;
            next_stage = after(next_stage, STAGE, ALL_STAGES);
        }
        // Back, from where it ended. Slots hold the last tiles, and those that left come back a round later.
        next = last == 0 ? ring - SLOT : last - SLOT;
        now = last;
        last = after(now, SLOT, ring);
        u32 free = after(last, SLOT, ring);
        stage = before(stage, STAGE, ALL_STAGES);
        next_stage = before(stage, STAGE, ALL_STAGES);
        // Tiles of differences that are there already: this one, and AHEAD - 1 before it.
        stage_ahead = stage;
#pragma unroll
        for (int i = 0; i < AHEAD; i++) stage_ahead = before(stage_ahead, STAGE, ALL_STAGES);
        await_copies<0>();
        // What is behind the last sample becomes as it is.
        if (has_line) {
            float* const tile = reinterpret_cast<float*>(tiles + now);
            const int end = length - (n - 1) * TILE;
            const float beyond = tile[end - 1];
            for (int i = end; i < TILE; i++) tile[i] = beyond;
        }
        __syncwarp();
        walk.template begin<true>(value_back, vector);
        target = values + u64(n) * pitch;
        source = values + u64(left + 1) * pitch;  // of tile t + 2 - slots
        source_across = across + i64(n - 1 - AHEAD) * i64(tile_bytes);
#pragma unroll 1
        for (int t = n - 1; t >= 0; t--) {
            await_copies<AHEAD - 2>();
            __syncwarp();
            const bool goes_on = t >= AHEAD, comes_back = t + 2 < n && t + 2 >= slots, is_made = t + 1 < n;
            float4 leaving;
            walk.template along<true>(value_back, vector, put, [&](int k) {
                if (k == COPIES_BESIDE) {
                    fetch(stages + stage_ahead, source_across, goes_on);
                    fetch_values(source, free, comes_back);
                    end_of_copies();
                }
                flush(k, leaving, target, last, is_made);
            });
            flush(FOURS, leaving, target, last, is_made);
            source_across -= tile_bytes;
            stage_ahead = before(stage_ahead, STAGE, ALL_STAGES);
            source -= pitch;
            target -= pitch;
            free = last;
            last = now;
            now = next;
            next = before(next, SLOT, ring);
            stage = next_stage;
            next_stage = before(next_stage, STAGE, ALL_STAGES);
        }
        __syncwarp();
        float4 leaving;
#pragma unroll
        for (int k = 0; k <= FOURS; k++) flush(k, leaving, target, last, true);
        await_copies<0>();
    }

    __device__ __forceinline__ Rows(const DomainStrips& p, const StripComponent& c, u32 top) {
        const int thread = threadIdx.x % 32;
        length = c.width;
        count = c.strips;
        slots = c.slots;
        ring = slots * SLOT;
        line = ring + 16;
        pitch = c.rows * TILE;
        // Threads without a line go along that of the last one which has one, and put nothing.
        has_line = thread < int(p.lines);
        own_line = min(thread, int(p.lines) - 1);
        has_rest = thread + 32 * (GROUPS - 1) < int(p.lines) * (TILE / 4);
        const u32 place = blockIdx.y * c.stride + top * TILE;
        values = c.values + place + thread * 4;
        across = c.across + u64(place + thread * TILE) * sizeof(E);
        first = c.first + u64(place + thread * TILE) * sizeof(E);
        source = values, source_across = across, source_first = first;
        ahead = stage_ahead = 0;
        tile_bytes = pitch * u32(sizeof(E));
        u8* const own = shared + p.table_bytes + threadIdx.x / 32 * p.share;
        tiles = own + own_line * line;
        seen = has_line ? tiles : shared;
        turns = has_line ? 0xffffffffu : 0;
        copied = own + thread / (TILE / 4) * line + thread % (TILE / 4) * 16;
        stages = own + p.lines * line + own_line * LINE_STAGES;
        raw = own + p.lines * (line + LINE_STAGES) + own_line * LINE_FIRST;
    }
};

template <typename E, bool FIRST, int GROUPS>
__device__ __forceinline__ void across(const DomainStrips& p, const StripComponent& c, u32 block) {
    const u32 top = (block * (blockDim.x / 32) + threadIdx.x / 32) * p.lines;
    Rows<E, FIRST, GROUPS> rows(p, c, min(top, c.height - 1));
    if (top < c.height) rows.begin();
    Weights<E>::fill(p.table, blockDim.x);
    __syncthreads();
    if (top < c.height) rows.go();
}

template <int GROUPS>
__device__ __forceinline__ void across(const DomainStrips& p) {
    u32 block = blockIdx.x;
    const StripComponent& c = component_of(p.component, block);
    if (c.bytes) {
        p.is_first ? across<u8, true, GROUPS>(p, c, block) : across<u8, false, GROUPS>(p, c, block);
    } else {
        p.is_first ? across<u16, true, GROUPS>(p, c, block) : across<u16, false, GROUPS>(p, c, block);
    }
}
