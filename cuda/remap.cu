// Samples that move and do not change: crop, pad, flips, turns, fields. One kernel where rows stay rows, one where they become
// columns.

#include "common/chunk.cuh"
#include "generated/remap.cuh"

// Sixteen bytes from any address on, all of them inside a row.
__device__ __forceinline__ uint4 load16(const u8* from) {
    if ((reinterpret_cast<u64>(from) & 15) == 0) return __ldg(reinterpret_cast<const uint4*>(from));
    const u32 beyond = u32(reinterpret_cast<u64>(from) & 3);
    const u32* const words = reinterpret_cast<const u32*>(from - beyond);
    const u32 a = __ldg(words), b = __ldg(words + 1), c = __ldg(words + 2), d = __ldg(words + 3);
    if (beyond == 0) return make_uint4(a, b, c, d);
    const u32 e = __ldg(words + 4), shift = 8 * beyond;
    return make_uint4(__funnelshift_r(a, b, shift), __funnelshift_r(b, c, shift), __funnelshift_r(c, d, shift),
                      __funnelshift_r(d, e, shift));
}

template <int UNIT>
struct Stored;
template <>
struct Stored<1> {
    typedef u8 type;
};
template <>
struct Stored<2> {
    typedef u16 type;
};
template <>
struct Stored<4> {
    typedef u32 type;
};

// The address of unit (x, y).
template <int UNIT>
__device__ __forceinline__ typename Stored<UNIT>::type* unit_at(const Plane& plane, int x, int y) {
    return reinterpret_cast<typename Stored<UNIT>::type*>(plane.data + u64(y) * plane.pitch) + x;
}

// The same units in reverse.
template <int UNIT>
__device__ __forceinline__ uint4 reversed(const uint4& v) {
    constexpr u32 order = UNIT == 1 ? 0x0123 : UNIT == 2 ? 0x1032 : 0x3210;
    return make_uint4(__byte_perm(v.w, 0, order), __byte_perm(v.z, 0, order), __byte_perm(v.y, 0, order),
                      __byte_perm(v.x, 0, order));
}

// The source's row that row y shows, where it is one: it is compared as unsigned.
__device__ __forceinline__ int source_row(const Component& c, int y) {
    const int row = c.row + c.row_step * y;
    return c.nearest ? min(max(row, 0), int(c.src.height) - 1) : row;
}

constexpr int WIDE = 32, DOWN = 8, ROWS = 4;  // threads of a block across and down, and rows of each

// Sixteen bytes of a row from any column on, as the words that they lie in. Words beside the row are its nearest.
struct Words {
    u32 words[5];
    u32 shift;

    __device__ __forceinline__ void read(const u8* row, int first, int bytes) {
        const int beyond = u32(reinterpret_cast<u64>(row)) & 3, at = first + beyond, last = (bytes + beyond - 1) >> 2;
        const u32* const from = reinterpret_cast<const u32*>(row - beyond);
#pragma unroll
        for (int i = 0; i < 5; i++) words[i] = __ldg(from + min(max((at >> 2) + i, 0), last));
        shift = (at & 3) * 8;
    }

    __device__ __forceinline__ uint4 bytes() const {
        return make_uint4(__funnelshift_r(words[0], words[1], shift), __funnelshift_r(words[1], words[2], shift),
                          __funnelshift_r(words[2], words[3], shift), __funnelshift_r(words[3], words[4], shift));
    }
};

// Units of sixteen bytes that lie from column `low` on, and `fill` for those beside a row of `width`.
template <int UNIT>
__device__ __forceinline__ uint4 filled(const uint4& v, int low, int width, u32 fill) {
    u32 words[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (int k = 0; k < 16 / UNIT; k++) {
        const u32 mask = UNIT == 4 ? ~0u : ((1u << 8 * UNIT % 32) - 1) << k * UNIT % 4 * 8;
        u32& word = words[k * UNIT / 4];
        if (u32(low + k) >= u32(width)) word = word & ~mask | fill & mask;
    }
    return make_uint4(words[0], words[1], words[2], words[3]);
}

// Moves a block of rows as they are stored: every thread 16 bytes of each of its rows. All rows are asked for before the first
// is looked at, at the borders too: one wait for each row or sample would last as long as all the rest.
template <int UNIT>
__device__ __forceinline__ void move_rows(const Component& c, u32 index) {
    constexpr int N = 16 / UNIT;
    const int width = c.dst.width, height = c.dst.height, from = c.src.width;
    const int x = (index % c.across * WIDE + threadIdx.x % WIDE) * N;
    const int y = index / c.across * (DOWN * ROWS) + threadIdx.x / WIDE;
    if (x >= width) return;
    const bool forwards = c.column_step > 0;
    const int low = forwards ? c.column + x : c.column - x - (N - 1);  // the source's first column
    const bool inside = low >= 0 && low + N <= from;
    const uint4 fill = make_uint4(c.fill, c.fill, c.fill, c.fill);
    uint4 v[ROWS];
    if (inside && vectors_fit(c.src, 16) && low * UNIT % 16 == 0) {
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
            const int row = source_row(c, y + i * DOWN);
            v[i] = u32(row) < c.src.height ? __ldg(reinterpret_cast<const uint4*>(unit_at<UNIT>(c.src, low, row))) : fill;
        }
    } else {
        Words words[ROWS];
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
            const int row = min(max(source_row(c, y + i * DOWN), 0), int(c.src.height) - 1);
            words[i].read(c.src.data + u64(row) * c.src.pitch, low * UNIT, from * UNIT);
        }
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
            v[i] = inside ? words[i].bytes() : filled<UNIT>(words[i].bytes(), low, from, c.fill);
            if (u32(source_row(c, y + i * DOWN)) >= c.src.height) v[i] = fill;
        }
    }
    const bool whole = x + N <= width && vectors_fit(c.dst, 16);
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
        if (y + i * DOWN >= height) break;
        if (!forwards) v[i] = reversed<UNIT>(v[i]);
        typename Stored<UNIT>::type* const to = unit_at<UNIT>(c.dst, x, y + i * DOWN);
        if (whole) {
            *reinterpret_cast<uint4*>(to) = v[i];
            continue;
        }
#pragma unroll
        for (int k = 0; k < N; k++)
            if (x + k < width) to[k] = word(v[i], k * UNIT / 4) >> k * UNIT % 4 * 8;
    }
}

// Writes eight values (v16, or YC48's own) from (x, y) on, as far as the row goes.
__device__ __forceinline__ void write_values(const Component& c, int x, int y, u32 (&v)[1][CHUNK]) {
    if (x + CHUNK <= int(c.dst.width) && c.dst.step == 1 && vectors_fit(c.dst, 16)) {
        const u32 to[2] = {byte_offset(c.dst, x, y), 0};
        write_chunk<1>(&c, to, true, v);
        return;
    }
#pragma unroll
    for (int k = 0; k < CHUNK; k++)
        if (x + k < int(c.dst.width)) store(c.dst, x + k, y, int(v[0][k]));
}

// Moves a block of rows from one storage to another: every thread eight samples of each of its rows.
__device__ __forceinline__ void convert_rows(const Component& c, u32 index) {
    const int x = (index % c.across * WIDE + threadIdx.x % WIDE) * CHUNK;
    const int y = index / c.across * (DOWN * ROWS) + threadIdx.x / WIDE;
    if (x >= int(c.dst.width)) return;
#pragma unroll 1
    for (int i = 0; i < ROWS && y + i * DOWN < int(c.dst.height); i++) {
        const int row = source_row(c, y + i * DOWN);
        u32 v[1][CHUNK];
#pragma unroll
        for (int k = 0; k < CHUNK; k++) {
            const int column = c.column + c.column_step * (x + k);
            const bool shown = u32(row) < c.src.height && u32(column) < c.src.width;
            v[0][k] = shown ? u32(load(c.src, column, row)) : c.fill;
        }
        write_values(c, x, y + i * DOWN, v);
    }
}

extern "C" __global__ void __launch_bounds__(WIDE* DOWN) remap_rows(const Remap p) {
    u32 index = blockIdx.x;
    const Component& c = component_of(p.component, index);
    switch (c.unit) {
        case 1: move_rows<1>(c, index); break;
        case 2: move_rows<2>(c, index); break;
        case 4: move_rows<4>(c, index); break;
        default: convert_rows(c, index);
    }
}

constexpr int TURNERS = 64;                   // threads of a block that turns a tile
constexpr int TILE_WORDS = 64 * 17 + 3 * 8;  // a word more a row than it has, and eight every sixteen rows of bytes

// The first word of a tile's row: so that the words that a warp reads at once lie in different banks.
template <int UNIT>
__device__ __forceinline__ int tile_row(int row) {
    return row * 17 + (UNIT == 1 ? row / 16 * 8 : 0);
}

// Up to sixteen bytes from (x, y) on, where not all of them are inside the source.
template <int UNIT>
__device__ __forceinline__ uint4 load_some(const Plane& src, int x, int y) {
    u32 words[4] = {};
#pragma unroll
    for (int k = 0; k < 16 / UNIT; k++) {
        if (u32(x + k) < src.width) {
            words[k * UNIT / 4] |= u32(__ldg(unit_at<UNIT>(src, x + k, y))) << k * UNIT % 4 * 8;
        }
    }
    return make_uint4(words[0], words[1], words[2], words[3]);
}

// Turns the words of 16 / UNIT rows: sixteen bytes of each of the 4 / UNIT columns that share a word.
template <int UNIT>
__device__ __forceinline__ void turn(const u32 (&rows)[16 / UNIT], u32 (&columns)[4 / UNIT][4]) {
#pragma unroll
    for (int q = 0; q < 4; q++) {
        if constexpr (UNIT == 1) {
            u32 four[4];
            transpose(rows[4 * q], rows[4 * q + 1], rows[4 * q + 2], rows[4 * q + 3], four);
#pragma unroll
            for (int i = 0; i < 4; i++) columns[i][q] = four[i];
        } else if constexpr (UNIT == 2) {
            columns[0][q] = even_u16(rows[2 * q], rows[2 * q + 1]);
            columns[1][q] = odd_u16(rows[2 * q], rows[2 * q + 1]);
        } else {
            columns[0][q] = rows[q];
        }
    }
}

// Turns a tile of 64 bytes a row, and as many rows as units in it. It is read in the source's order; the order of the result
// decides where each part goes.
template <int UNIT>
__device__ __forceinline__ void turn_tile(const Component& c, u32 index, u32* tile) {
    constexpr int TILE = 64 / UNIT, N = 16 / UNIT, SHARED = 4 / UNIT;  // units of a row, of 16 bytes, of a word
    const int x0 = index % c.across * TILE, y0 = index / c.across * TILE;
    const int column = c.column_step > 0 ? c.column + y0 : c.column - y0 - (TILE - 1);
    const int row = c.row_step > 0 ? c.row + x0 : c.row - x0 - (TILE - 1);
    uint4 read[TILE * 4 / TURNERS];
#pragma unroll
    for (int i = 0; i < TILE * 4 / TURNERS; i++) {
        const int part = threadIdx.x + i * TURNERS, x = column + part % 4 * N, y = row + part / 4;
        read[i] = make_uint4(0, 0, 0, 0);
        if (u32(y) >= c.src.height) continue;
        read[i] = x >= 0 && x + N <= int(c.src.width) ? load16(c.src.data + u64(y) * c.src.pitch + x * UNIT)
                                                      : load_some<UNIT>(c.src, x, y);
    }
#pragma unroll
    for (int i = 0; i < TILE * 4 / TURNERS; i++) {
        const int part = threadIdx.x + i * TURNERS;
        u32* const to = tile + tile_row<UNIT>(part / 4) + part % 4 * 4;
        to[0] = read[i].x;
        to[1] = read[i].y;
        to[2] = read[i].z;
        to[3] = read[i].w;
    }
    __syncthreads();
    const int first = threadIdx.x % 4 * N, word = threadIdx.x / 4;  // of the columns, and of the rows, that are written
    u32 rows[N], columns[SHARED][4];
#pragma unroll
    for (int k = 0; k < N; k++) {
        const int from = c.row_step > 0 ? first + k : TILE - 1 - first - k;
        rows[k] = tile[tile_row<UNIT>(from) + word];
    }
    turn<UNIT>(rows, columns);
    const int x = x0 + first, width = c.dst.width;
    const bool whole = x + N <= width && vectors_fit(c.dst, 16);
#pragma unroll
    for (int i = 0; i < SHARED; i++) {
        const int from = word * SHARED + i, y = y0 + (c.column_step > 0 ? from : TILE - 1 - from);
        if (y >= int(c.dst.height)) continue;
        if (whole) {
            *reinterpret_cast<uint4*>(unit_at<UNIT>(c.dst, x, y)) =
                make_uint4(columns[i][0], columns[i][1], columns[i][2], columns[i][3]);
            continue;
        }
#pragma unroll
        for (int k = 0; k < N; k++) {
            if (x + k < width) *unit_at<UNIT>(c.dst, x + k, y) = columns[i][k * UNIT / 4] >> k * UNIT % 4 * 8;
        }
    }
}

// Turns a tile of 32 by 32 samples from one storage to another.
__device__ __forceinline__ void convert_tile(const Component& c, u32 index, u32* shared) {
    constexpr int TILE = 32, ROW = TILE + 2;
    u16* const tile = reinterpret_cast<u16*>(shared);
    const int x0 = index % c.across * TILE, y0 = index / c.across * TILE;
    const int column = c.column_step > 0 ? c.column + y0 : c.column - y0 - (TILE - 1);
    const int row = c.row_step > 0 ? c.row + x0 : c.row - x0 - (TILE - 1);
    const int x = column + threadIdx.x % TILE;
#pragma unroll 4
    for (int r = threadIdx.x / TILE; r < TILE; r += TURNERS / TILE) {
        const bool shown = u32(row + r) < c.src.height && u32(x) < c.src.width;
        tile[r * ROW + threadIdx.x % TILE] = shown ? u16(load(c.src, x, row + r)) : 0;
    }
    __syncthreads();
    const int first = threadIdx.x % 4 * CHUNK;
    if (x0 + first >= int(c.dst.width)) return;
#pragma unroll
    for (int from = threadIdx.x / 4; from < TILE; from += TURNERS / 4) {
        const int y = y0 + (c.column_step > 0 ? from : TILE - 1 - from);
        if (y >= int(c.dst.height)) continue;
        u32 v[1][CHUNK];
#pragma unroll
        for (int k = 0; k < CHUNK; k++) {
            const u16 value = tile[(c.row_step > 0 ? first + k : TILE - 1 - first - k) * ROW + from];
            v[0][k] = c.src.sample == SAMPLE_I16 ? u32(int(i16(value))) : value;
        }
        write_values(c, x0 + first, y, v);
    }
}

extern "C" __global__ void __launch_bounds__(TURNERS) remap_swap(const Remap p) {
    __shared__ u32 tile[TILE_WORDS];
    u32 index = blockIdx.x;
    const Component& c = component_of(p.component, index);
    switch (c.unit) {
        case 1: turn_tile<1>(c, index, tile); break;
        case 2: turn_tile<2>(c, index, tile); break;
        case 4: turn_tile<4>(c, index, tile); break;
        default: convert_tile(c, index, tile);
    }
}
