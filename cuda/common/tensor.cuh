// Sums of windows as products of matrices of bytes, which tensor cores take from compute capability 8.0 on.
//
// A warp takes a band of sixteen rows and walks along it, a patch of 32 columns at a time. First a matrix of weights times
// the samples around the patch sums columns; then these sums, as bytes, times another matrix sum rows. Which sample of a
// fragment stands for which column is ours to choose, as long as the weights agree: so what one product leaves in a
// lane's registers is what the next one wants there, and nothing passes through shared memory.
//
// Lane 4 * g + t reads columns 4 * g to 4 * g + 3 of a patch, and gets the sums of columns 8 * t to 8 * t + 7 of its rows
// g and g + 8. Fragments: "Matrix Fragments for mma.m16n8k32" in the PTX manual.
#pragma once

#include "strip.cuh"
#include "../generated/tensor.cuh"

constexpr int BAND = 16;   // rows
constexpr int PATCH = 32;  // columns
constexpr int TILES = 4;   // of a patch, each every fourth column
constexpr int WARPS = 4;   // of a block, one band below the other

// sums += a * b: sixteen rows of 32 bytes, times eight columns of as many; or of sixteen. All lanes must be there: volatile
// keeps the products out of branches that they are not in.
__device__ __forceinline__ void multiply(u32 (&sums)[4], u32 a0, u32 a1, u32 a2, u32 a3, u32 b0, u32 b1) {
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+r"(sums[0]), "+r"(sums[1]), "+r"(sums[2]), "+r"(sums[3])
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}
__device__ __forceinline__ void multiply(u32 (&sums)[4], u32 a0, u32 a1, u32 b) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.s32.u8.u8.s32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
        : "+r"(sums[0]), "+r"(sums[1]), "+r"(sums[2]), "+r"(sums[3])
        : "r"(a0), "r"(a1), "r"(b));
}

// Four samples of a row as they are stored, and the bytes of their values: as stored, or of sixteen bits as v16.
template <typename T>
struct Four;

template <>
struct Four<u8> {
    typedef u32 Words;
    static __device__ __forceinline__ void put(Words& words, int i, u32 sample) { words |= sample << 8 * i; }
    // Every other one of four pairs.
    static __device__ __forceinline__ Words every_other(const u8* from, bool second) {
        const uint2 two = __ldg(reinterpret_cast<const uint2*>(from));
        return __byte_perm(two.x, two.y, second ? 0x7531 : 0x6420);
    }
    static __device__ __forceinline__ u32 bytes(const Words& words, int, u32) { return words; }
};

template <>
struct Four<u16> {
    typedef uint2 Words;
    static __device__ __forceinline__ void put(Words& words, int i, u32 sample) { (i < 2 ? words.x : words.y) |= sample << i % 2 * 16; }
    static __device__ __forceinline__ Words every_other(const u8* from, bool second) {
        const uint4 w = __ldg(reinterpret_cast<const uint4*>(from));
        const u32 take = second ? 0x7632 : 0x5410;
        return make_uint2(__byte_perm(w.x, w.y, take), __byte_perm(w.z, w.w, take));
    }
    static __device__ __forceinline__ u32 bytes(const Words& words, int byte, u32 shift) {
        return __byte_perm(widen_two(words.x, shift), widen_two(words.y, shift), byte == 0 ? 0x6420 : 0x7531);
    }
};

// GROUPS times sixteen rows of a plane of samples T, a patch at a time: of each group a lane has four rows. Beyond the plane
// the nearest sample is replicated.
template <typename T, int GROUPS>
struct Samples {
    typedef typename Four<T>::Words Words;
    struct Rows {
        Words row[GROUPS][4];
    };
    struct Offsets {
        u32 row[GROUPS][4];
    };
    Rows words;  // what was read last: of every row four columns

    const u8* from;
    Offsets offsets;
    int column, last, step;
    u32 shift;
    bool second;      // of pairs: which sample
    bool in_vectors;  // whether rows are aligned for words of samples

    __device__ __forceinline__ Samples(const Plane& src, int first)
        : from(src.data), last(src.width - 1), step(src.step), shift(src.shift) {
        const int lane = threadIdx.x % 32;
        column = lane / 4 * 4;
#pragma unroll
        for (int q = 0; q < GROUPS; q++)
#pragma unroll
            for (int r = 0; r < 4; r++) {
                const int y = first + q * BAND + lane % 4 * 4 + r;
                offsets.row[q][r] = u32(min(max(y, 0), int(src.height) - 1)) * src.pitch;
            }
        second = step == 2 && u64(from) & sizeof(T);
        in_vectors = step <= 2 && ((u64(from - second * sizeof(T)) | src.pitch) & (step * sizeof(Words) - 1)) == 0;
    }

    // Reads the patch from column x on, where the whole warp is.
    __device__ __forceinline__ void read(int x) {
        const int at = x + column;
        if (!in_vectors || x < 0 || x + PATCH > last + 1) {
#pragma unroll
            for (int q = 0; q < GROUPS; q++)
#pragma unroll
                for (int r = 0; r < 4; r++) words.row[q][r] = singles(from + offsets.row[q][r], at, last, step);
        } else if (step == 1) {
#pragma unroll
            for (int q = 0; q < GROUPS; q++)
#pragma unroll
                for (int r = 0; r < 4; r++) {
                    const u8* const four = from + offsets.row[q][r] + at * int(sizeof(T));
                    words.row[q][r] = __ldg(reinterpret_cast<const Words*>(four));
                }
        } else {
            words = every_other(offsets, from + (2 * at - second) * int(sizeof(T)), second);
        }
    }

    // Every other sample of pairs. Not inlined, for that would cost registers where there are no pairs.
    static __device__ __noinline__ Rows every_other(Offsets offsets, const u8* from, bool second) {
        Rows words;
#pragma unroll
        for (int q = 0; q < GROUPS; q++)
#pragma unroll
            for (int r = 0; r < 4; r++) words.row[q][r] = Four<T>::every_other(from + offsets.row[q][r], second);
        return words;
    }

    // Four samples one by one. Few patches need it, so it is no part of the loops that call it.
    static __device__ __noinline__ Words singles(const u8* row, int x, int last, int step) {
        Words four = {};
        for (int i = 0; i < 4; i++) {
            Four<T>::put(four, i, __ldg(reinterpret_cast<const T*>(row) + min(max(x + i, 0), last) * step));
        }
        return four;
    }

    // Byte number `byte` of the values that were read: of each group a word of rows for each of four columns.
    __device__ __forceinline__ void columns(int byte, u32 (&columns)[GROUPS][4]) const {
#pragma unroll
        for (int q = 0; q < GROUPS; q++) {
            const Words(&row)[4] = words.row[q];
            transpose(Four<T>::bytes(row[0], byte, shift), Four<T>::bytes(row[1], byte, shift), Four<T>::bytes(row[2], byte, shift),
                      Four<T>::bytes(row[3], byte, shift), columns[q]);
        }
    }
};

// A band of weights for GROUPS times sixteen rows around sixteen.
template <int GROUPS>
struct Down {
    u32 word[GROUPS][2];

    // Takes its fragments from `fragments`, which then are those behind them.
    __device__ __forceinline__ explicit Down(const u32*& fragments) {
#pragma unroll
        for (int i = 0; i < GROUPS * 2; i++, fragments += 32) word[i / 2][i % 2] = __ldg(fragments + threadIdx.x % 32);
    }

    // Adds the weighted sums of a tile's columns.
    __device__ __forceinline__ void add(const u32 (&columns)[GROUPS][4], int tile, u32 (&sums)[4]) const {
#pragma unroll
        for (int q = 0; q + 1 < GROUPS; q += 2) {
            multiply(sums, word[q][0], word[q][1], word[q + 1][0], word[q + 1][1], columns[q][tile], columns[q + 1][tile]);
        }
        if (GROUPS % 2 == 1) multiply(sums, word[GROUPS - 1][0], word[GROUPS - 1][1], columns[GROUPS - 1][tile]);
    }
};

// A band of weights for the columns of two patches, around those of 32 columns in their middle.
struct Across {
    u32 word[2][TILES][2];

    __device__ __forceinline__ explicit Across(const u32*& fragments) {
#pragma unroll
        for (int i = 0; i < 2 * TILES * 2; i++, fragments += 32) {
            word[i / 8][i / 2 % 4][i % 2] = __ldg(fragments + threadIdx.x % 32);
        }
    }

    // Adds the weighted sums of bytes of patch `patch` to those of a tile's columns.
    __device__ __forceinline__ void add(const uint4& bytes, int patch, int tile, u32 (&sums)[4]) const {
        multiply(sums, bytes.x, bytes.y, bytes.z, bytes.w, word[patch][tile][0], word[patch][tile][1]);
    }
};

// Values of a lane: eight columns of two rows.
typedef u32 Values[2][CHUNK];

// Puts what a tile's product left in a lane among its values.
__device__ __forceinline__ void put(Values& values, int tile, const u32 (&tile_values)[4]) {
    values[0][tile] = tile_values[0];
    values[0][TILES + tile] = tile_values[1];
    values[1][tile] = tile_values[2];
    values[1][TILES + tile] = tile_values[3];
}

// Byte number `byte` of each value, as the next product wants them.
__device__ __forceinline__ uint4 bytes_of(const Values& values, int byte) {
    const u32 pair = byte | (4 + byte) << 4;
    u32 word[2][2];
#pragma unroll
    for (int r = 0; r < 2; r++)
#pragma unroll
        for (int half = 0; half < 2; half++) {
            const u32* const four = values[r] + 4 * half;
            word[r][half] = gather(four[0], four[1], four[2], four[3], pair);
        }
    return make_uint4(word[0][0], word[1][0], word[0][1], word[1][1]);
}

// A warp's walk. `Filter` has
//   Sample, GROUPS, for radii by row up to 8 * (GROUPS - 1), and BYTES of a column's sum;
//   down(columns, sums): the sums of columns, of their samples' bytes;
//   across(before, now, results): of their bytes in two patches, the results of the 32 columns in the middle;
//   write(x, y, results): takes eight of a row.
template <typename Filter, typename Component>
__device__ __forceinline__ void walk(const Filter& filter, const Component& c, const Walk& walk, int radius_h, u32 block) {
    const int lane = threadIdx.x % 32, width = c.src.width, height = c.src.height;
    const int left = int(block % c.across * walk.steps) * PATCH;
    const int top = int(block / c.across * WARPS + threadIdx.x / 32) * BAND;
    if (top >= height) return;
    const int results = min(int(walk.steps), (width - left + PATCH - 1) / PATCH);
    typedef typename Filter::Sample Sample;
    Samples<Sample, Filter::GROUPS> samples(c.src, top - radius_h);
    uint4 before[Filter::BYTES];
    int x = left - PATCH / 2;
    samples.read(x);
#pragma unroll 1
    for (int step = 0; step <= results; step++) {
        u32 columns[sizeof(Sample)][Filter::GROUPS][4];
#pragma unroll
        for (int b = 0; b < int(sizeof(Sample)); b++) samples.columns(b, columns[b]);
        x += PATCH;
        if (step < results) samples.read(x);
        Values sums;
        filter.down(columns, sums);
        uint4 now[Filter::BYTES];
#pragma unroll
        for (int b = 0; b < Filter::BYTES; b++) now[b] = bytes_of(sums, b);
        if (step > 0) {
            filter.across(before, now, sums);
            const int at = x - 3 * PATCH / 2 + lane % 4 * CHUNK;
#pragma unroll
            for (int r = 0; r < 2; r++) {
                const int y = top + lane / 4 + r * 8;
                if (at < width && y < height) filter.write(at, y, sums[r]);
            }
        }
#pragma unroll
        for (int b = 0; b < Filter::BYTES; b++) before[b] = now[b];
    }
}

// Copies what a walk would filter.
template <typename T, typename Component>
__device__ __forceinline__ void copy_band(const Component& c, const Walk& walk, u32 block) {
    const int left = int(block % c.across * walk.steps) * PATCH;
    const int top = int(block / c.across * WARPS + threadIdx.x / 32) * BAND;
    const int chunks = walk.steps * PATCH / CHUNK, end = min(top + BAND, int(c.src.height));
    for (int first = 0; first < chunks; first += 32) {
        const int chunk = first + threadIdx.x % 32, x = left + (chunk < chunks ? chunk : 0) * CHUNK;
        copy<T>(c, x, top, end, chunk < chunks && x < int(c.src.width));
    }
}

// What a block does: walks with `filter_of(component)` where the component is blurred, and else it passes its band on.
template <typename T, typename Component, typename FilterOf>
__device__ __forceinline__ void walk_or_copy(const Component (&components)[3], const Walk& w, int radius, FilterOf filter_of) {
    u32 block = blockIdx.x;
    const Component& c = component_of(components, block);
    if (c.blurs) {
        walk(filter_of(c), c, w, radius, block);
    } else {
        copy_band<T>(c, w, block);
    }
}
