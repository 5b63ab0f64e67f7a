// Puts samples in strips of TILE columns, each row by row, and how they differ from those to their left and above them: the latter by
// column, 16 bytes of samples below one another in a vector.
#pragma once

#include "domain.cuh"
#include "generated/domain_async.cuh"

// What a block opens, as src/filters/domain/tuning.rs has it: strips side by side, and rows.
constexpr int OPEN_STRIPS = 4, OPEN_ROWS = 128;

// Bytes that steer themselves: a thread has four columns and sixteen rows.
__device__ __forceinline__ void open_bytes(const StripComponent& c, const Plane& src, int strip, int top) {
    constexpr int ROWS = 16;
    const int thread = threadIdx.x % 32, warp = threadIdx.x / 32, side = thread % 8;
    strip += warp % OPEN_STRIPS;
    const int row = top + warp / OPEN_STRIPS * (4 * ROWS) + thread / 8 * ROWS, x = strip * TILE + side * 4;
    const bool is_there = strip < int(c.strips) && row < int(c.rows), is_whole = x + 4 <= int(src.width);
    const int left = inside(x - 1, src.width);
    const auto read = [&](int y) {
        y = inside(y, src.height);
        if (is_whole) return __ldg(at<u32>(src, 0, y) + x / 4);
        u32 four = 0;
#pragma unroll
        for (int i = 0; i < 4; i++) four |= u32(__ldg(at<u8>(src, inside(x + i, src.width), y))) << 8 * i;
        return four;
    };
    const u32 strip_at = blockIdx.y * c.stride + u32(strip) * c.rows * TILE, place = strip_at + row * TILE + side * 4;
    u32 above = read(row - 1), down[4][ROWS / 4];
#pragma unroll
    for (int q = 0; q < ROWS / 4; q++) {
        u32 below[4], columns[4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int y = row + 4 * q + i;
            const u32 four = read(y);
            u32 beside = __shfl_up_sync(0xffffffffu, four, 1);
            if (side == 0) beside = u32(__ldg(at<u8>(src, left, inside(y, src.height)))) << 24;
            below[i] = __vabsdiffu4(four, above);
            above = four;
            if (is_there) {
                const u32 to = place + (4 * q + i) * TILE;
                *reinterpret_cast<u32*>(c.first + to) = four;
                *reinterpret_cast<u32*>(c.across + to) = __vabsdiffu4(four, __funnelshift_l(beside, four, 8));
            }
        }
        transpose(below[0], below[1], below[2], below[3], columns);
#pragma unroll
        for (int i = 0; i < 4; i++) down[i][q] = columns[i];
    }
    if (!is_there) return;
    // Vectors of a tile's upper rows lie before those of its lower ones.
    u8* const to = c.down + strip_at + row / TILE * (TILE * TILE) + row % TILE / ROWS * (TILE * ROWS) + side * 4 * ROWS;
#pragma unroll
    for (int i = 0; i < 4; i++) *reinterpret_cast<uint4*>(to + i * ROWS) = make_uint4(down[i][0], down[i][1], down[i][2], down[i][3]);
}

// Reads a tile of the source and of what steers it, four samples side by side a thread.
__device__ __forceinline__ void open_tile(
    const StripComponent& c, const Plane& src, const Plane& guide, int strip, int top, u16 (&steers)[TILE + 1][TILE + 4]) {
    const bool own = c.guide == c.index;
    const auto steer_of = [&](int x, int y) {
        return own ? lane(src, inside(x, src.width), inside(y, src.height)) : steer_at(c, guide, x, y);
    };
    const int thread = threadIdx.x, left = strip * TILE, side = thread % (TILE / 4) * 4, down = thread / (TILE / 4), x = left + side,
              y = top + down;
    const uint4 four = four_lanes(src, x, inside(y, src.height));
    uint4 steer = four;
    if (!own) steer = make_uint4(steer_of(x, y), steer_of(x + 1, y), steer_of(x + 2, y), steer_of(x + 3, y));
    __syncthreads();
    *reinterpret_cast<uint2*>(&steers[down + 1][side + 4]) = make_uint2(steer.x | steer.y << 16, steer.z | steer.w << 16);
    if (thread < TILE) {
        steers[0][thread + 4] = steer_of(left + thread, top - 1);
    } else if (thread < 2 * TILE) {
        steers[thread - TILE + 1][3] = steer_of(left - 1, top + thread - TILE);
    }
    __syncthreads();
    const u32 tile = blockIdx.y * c.stride + (u32(strip) * c.rows + top) * TILE, place = tile + thread * 4;
    const auto across = [&](int k) { return __usad(steers[down + 1][side + 4 + k], steers[down + 1][side + 3 + k], 0); };
    const auto below = [&](int x, int y) { return __usad(steers[y + 1][x + 4], steers[y][x + 4], 0); };
    // A thread's vector of a column.
    const int column = thread % TILE, row = thread / TILE * (c.bytes ? 16 : 8);
    const auto by_place = [](u32 difference) { return difference >> DROP << 2; };
    if (c.bytes) {
        const auto bytes = [](u32 a, u32 b, u32 c, u32 d) { return (a >> 8) | b >> 8 << 8 | c >> 8 << 16 | d >> 8 << 24; };
        *reinterpret_cast<u32*>(c.first + place) = bytes(four.x, four.y, four.z, four.w);
        *reinterpret_cast<u32*>(c.across + place) = bytes(across(0), across(1), across(2), across(3));
        if (row < TILE) {
            u32 v[4];
#pragma unroll
            for (int i = 0; i < 4; i++)
                v[i] = bytes(below(column, row + 4 * i), below(column, row + 4 * i + 1), below(column, row + 4 * i + 2),
                             below(column, row + 4 * i + 3));
            *reinterpret_cast<uint4*>(c.down + tile + thread * 16) = make_uint4(v[0], v[1], v[2], v[3]);
        }
    } else {
        *reinterpret_cast<uint2*>(c.first + 2 * place) = make_uint2(four.x | four.y << 16, four.z | four.w << 16);
        *reinterpret_cast<uint2*>(c.across + 2 * place) = make_uint2(
            by_place(across(0)) | by_place(across(1)) << 16, by_place(across(2)) | by_place(across(3)) << 16);
        if (row < TILE) {
            u32 v[4];
#pragma unroll
            for (int i = 0; i < 4; i++)
                v[i] = by_place(below(column, row + 2 * i)) | by_place(below(column, row + 2 * i + 1)) << 16;
            *reinterpret_cast<uint4*>(c.down + 2 * tile + thread * 16) = make_uint4(v[0], v[1], v[2], v[3]);
        }
    }
}

// Reads the source and what steers it, or copies planes that are not filtered.
__device__ __forceinline__ void open(const DomainStrips& p) {
    __shared__ __align__(8) u16 steers[TILE + 1][TILE + 4];  // behind a row and four columns of neighbours
    u32 block = blockIdx.x;
    const StripComponent& c = component_of(p.component, block);
    const Frame& frame = p.frame[blockIdx.y];
    const Plane &src = frame.src[c.index], &guide = frame.src[c.guide];
    const u32 blocks = (c.strips + OPEN_STRIPS - 1) / OPEN_STRIPS;
    const int first = block % blocks * OPEN_STRIPS, top = block / blocks * OPEN_ROWS;
    if (!c.filters) {
        pass_on<OPEN_STRIPS * TILE, OPEN_THREADS>(src, frame.dst[c.index], first * TILE, top, OPEN_ROWS);
    } else if (c.bytes && c.guide == c.index && src.step == 1 && vectors_fit(src, 4)) {
        open_bytes(c, src, first, top);
    } else {
#pragma unroll 1
        for (int y = top; y < min(top + OPEN_ROWS, int(c.rows)); y += TILE)
#pragma unroll 1
            for (int strip = first; strip < min(first + OPEN_STRIPS, int(c.strips)); strip++) open_tile(c, src, guide, strip, y, steers);
    }
}
