// Steps of point filters over chunks of samples, and functions in shared memory for whole groups.
#pragma once

#include "point_tables.cuh"

enum Kind : u32 { TABLES = 0, MIX = 1, VIBRANCE = 2 };

constexpr int MIDDLE = 0x8000;

// The value of sample (x, y): v16, or YC48 with its sign bit flipped.
__device__ __forceinline__ u32 load_lane(const Plane& plane, int x, int y) {
    const int value = load(plane, x, y);
    return u16(plane.sample == SAMPLE_I16 ? value ^ 0x8000 : value);
}

__device__ __forceinline__ void store_lane(const Plane& plane, int x, int y, u32 lane) {
    store(plane, x, y, plane.sample == SAMPLE_I16 ? int(i16(lane ^ 0x8000)) : int(lane));
}

__device__ __forceinline__ bool in_vectors(const Plane& plane) {
    return plane.sample != SAMPLE_I16 && plane.height > 0 && vectors_fit(plane, 16);
}

// Whether all planes of a group can be read or written a chunk at a time.
template <int LANES>
__device__ __forceinline__ bool read_in_vectors(const PointComponent* c) {
    bool all = in_vectors(c[0].src);
    if (LANES > 1 && c[0].src.step == 1) all = all && in_vectors(c[1].src) && in_vectors(c[LANES - 1].src);
    return all;
}
template <int LANES>
__device__ __forceinline__ bool written_in_vectors(const PointComponent* c) {
    bool all = in_vectors(c[0].dst) && c[LANES - 1].dst.height > 0;
    if (LANES > 1 && c[0].dst.step == 1) all = all && in_vectors(c[1].dst) && in_vectors(c[LANES - 1].dst);
    return all;
}

template <int LANES>
__device__ __forceinline__ void read(const PointComponent* c, int x, int y, bool whole, u32 (&v)[LANES][CHUNK]) {
    if (!whole) {
        const int last = int(c->src.width) - 1;
#pragma unroll
        for (int l = 0; l < LANES; l++)
#pragma unroll
            for (int i = 0; i < CHUNK; i++) v[l][i] = load_lane(c[l].src, min(x + i, last), y);
    } else if constexpr (LANES == 3) {
#pragma unroll
        for (int l = 0; l < LANES; l++) {
            u32 one[1][CHUNK];
            read_chunk<1>(c + l, x, y, one);
#pragma unroll
            for (int i = 0; i < CHUNK; i++) v[l][i] = one[0][i];
        }
    } else {
        read_chunk<LANES>(c, x, y, v);
    }
}

template <int LANES>
__device__ __forceinline__ void write(const PointComponent* c, int x, int y, bool whole, u32 (&v)[LANES][CHUNK]) {
    if (!whole) {
#pragma unroll
        for (int l = 0; l < LANES; l++)
#pragma unroll
            for (int i = 0; i < CHUNK; i++)
                if (x + i < int(c[l].dst.width) && y < int(c[l].dst.height)) store_lane(c[l].dst, x + i, y, v[l][i]);
    } else if constexpr (LANES == 3) {
#pragma unroll
        for (int l = 0; l < LANES; l++) {
            u32 one[1][CHUNK];
#pragma unroll
            for (int i = 0; i < CHUNK; i++) one[0][i] = v[l][i];
            const u32 to[2] = {byte_offset(c[l].dst, x, y), 0};
            write_chunk<1>(c + l, to, true, one);
        }
    } else {
        const u32 to[2] = {byte_offset(c[0].dst, x, y), byte_offset(c[LANES - 1].dst, x, y)};
        write_chunk<LANES>(c, to, true, v);
    }
}

__device__ __forceinline__ u32 clamped(int value) { return min(max(value, 0), 0xffff); }

// What lies `distance` from `centre` with a gain in 1/16384.
__device__ __forceinline__ u32 strengthened(int centre, int distance, int gain) {
    return clamped(centre + ((gain * distance + (1 << 13)) >> 14));
}

__device__ __forceinline__ int gain_of(const PointStep& step, int strength) {
    return (1 << 14) + ((step.slope * (step.full - min(strength, step.full))) >> 14);
}

// A value by a table that is turned by `bits`.
__device__ __forceinline__ u32 look_up(const u16* table, u32 bits, u32 value) {
    return __ldg(table + (value * 0x10001u >> bits & 0xffffu));
}

// Weighed sums of the components at place i.
template <int LANES, int FIRST>
__device__ __forceinline__ void mix(const PointStep& step, u32 (&v)[LANES][CHUNK], int i) {
    int from_middle[LANES];
#pragma unroll
    for (int l = 0; l < LANES; l++) from_middle[l] = int(v[l][i]) - MIDDLE;
#pragma unroll
    for (int l = 0; l < LANES; l++) {
        int sum = 1 << step.bits >> 1;
#pragma unroll
        for (int k = 0; k < LANES; k++) sum += step.of[FIRST + l][FIRST + k] * from_middle[k];
        v[l][i] = clamped(MIDDLE + (sum >> step.bits));
    }
}

// Vibrance at place i.
template <int LANES>
__device__ __forceinline__ void strengthen(const PointStep& step, u32 (&v)[LANES][CHUNK], int i) {
    if constexpr (LANES == 2) {
        const int b = int(v[0][i]) - MIDDLE, r = int(v[1][i]) - MIDDLE;
        const int gain = gain_of(step, max(abs(b), abs(r)));
        v[0][i] = strengthened(MIDDLE, b, gain);
        v[1][i] = strengthened(MIDDLE, r, gain);
    } else {
        const int r = v[0][i], g = v[1][i], b = v[2][i];
        const int gain = gain_of(step, max(max(r, g), b) - min(min(r, g), b));
        const int luma = (6966 * r + 23436 * g + 2366 * b + (1 << 14)) >> 15;
        v[0][i] = strengthened(luma, r - luma, gain);
        v[1][i] = strengthened(luma, g - luma, gain);
        v[2][i] = strengthened(luma, b - luma, gain);
    }
}

// One step over a chunk of the components from FIRST on.
template <int LANES, int FIRST>
__device__ __forceinline__ void apply(const PointStep& step, u32 (&v)[LANES][CHUNK]) {
    if (step.kind == TABLES) {
#pragma unroll
        for (int l = 0; l < LANES; l++) {
            const u16* const table = step.table[FIRST + l];
            if (!table) continue;
#pragma unroll
            for (int i = 0; i < CHUNK; i++) v[l][i] = look_up(table, step.bits, v[l][i]);
        }
    } else if constexpr (LANES > 1) {
        if (step.kind == MIX) {
#pragma unroll
            for (int i = 0; i < CHUNK; i++) mix<LANES, FIRST>(step, v, i);
        } else {
#pragma unroll
            for (int i = 0; i < CHUNK; i++) strengthen<LANES>(step, v, i);
        }
    }
}

// A block of chunks of the components from FIRST on: ROWS of them below one another for each thread, which are read before
// the first is worked on.
template <int LANES, int FIRST, int ROWS>
__device__ __forceinline__ void points(const Points& p, u32 block, u32 across) {
    const PointComponent* const c = p.component + FIRST;
    const int width = c->src.width, height = c->src.height;
    const int x = (block % across * WIDE + threadIdx.x % WIDE) * CHUNK;
    const int top = block / across * (DOWN * ROWS) + threadIdx.x / WIDE;
    if (x >= width) return;
    const bool inside = x + CHUNK <= width;
    const bool reads_whole = inside && read_in_vectors<LANES>(c);
    const bool writes_whole = inside && written_in_vectors<LANES>(c);
    u32 v[ROWS][LANES][CHUNK];
#pragma unroll
    for (int r = 0; r < ROWS; r++) read<LANES>(c, x, min(top + r * DOWN, height - 1), reads_whole, v[r]);
    const PointStep* const step = p.step + (FIRST > 0 ? p.steps[0] : 0);
    for (u32 s = 0; s < p.steps[FIRST > 0]; s++) {
#pragma unroll
        for (int r = 0; r < ROWS; r++) apply<LANES, FIRST>(step[s], v[r]);
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const int y = top + r * DOWN;
        if (y < height) write<LANES>(c, x, y, writes_whole, v[r]);
    }
}

// The same by tables in shared memory, for one component after the other: true where that is all there is to do.
__device__ __forceinline__ bool by_tables(const Points& p, u32 block, u32 group, u32 first) {
    const u32 blocks = p.blocks_by_tables[group];
    if (blocks == 0) return false;
    const u32 component = first + block / blocks;
    const u16* const stored = p.step[group > 0 ? p.steps[0] : 0].table[component];
    look_up(p.component[component], reinterpret_cast<const uint4*>(stored), block % blocks, p.across[group]);
    return true;
}
