// deband by tiles: a block copies a tile of the picture with its surroundings, and filters it.
#pragma once

#include "deband.cuh"

// What was measured to be fastest, by the components of a group: the threads of a block; the blocks that a
// multiprocessor shall hold, which limits registers; the pieces of 16 bytes of each component that a thread copies at a
// time; and whether random bytes are read a row ahead, which takes registers that three components do not leave.
template <int LANES>
constexpr int THREADS = LANES == 3 ? 256 : 128;
template <int LANES, int SAMPLE>
constexpr int BLOCKS = LANES == 3 ? 4 : SAMPLE == 2 ? 7 : 8;
template <int LANES>
constexpr int AT_ONCE = LANES == 3 ? 1 : LANES == 2 ? 3 : 6;
template <int LANES>
constexpr bool AHEAD = LANES != 3;

// Where a tile lies: its first sample, its rows, and how many rows above and below it are copied.
struct Tile {
    int left, top, rows, reach;
};

// Copies a tile and its surroundings to shared memory, 8-bit samples as they are and others in v16.
template <typename T, int LANES>
__device__ __forceinline__ void copy_tile(const Component* c, const Group& g, const Tile& tile) {
    constexpr int SIZE = sizeof(T), PIECE = 16 / SIZE;  // samples copied at a time
    constexpr int N = AT_ONCE<LANES>;
    const Plane &src = c->src, &last = c[LANES == 2].src;
    // Bytes from a row of the tile to the next, and from a piece or sample of a component to the next one's.
    const u32 shift = src.shift, row_bytes = g.pieces * 16 * PAIR<T, LANES>;
    const u32 next_piece = PAIR<T, LANES> == 2 ? 16 : g.component_bytes;
    const u32 next_sample = PAIR<T, LANES> == 2 ? SIZE : g.component_bytes;
    const int top = max(tile.top - tile.reach, 0), bottom = min(tile.top + tile.rows + tile.reach, int(src.height));
    const int left = max(tile.left - c->range, 0), right = min(tile.left + int(g.columns) + c->range, int(src.width));
    const int whole = aligned<LANES>(src, last) ? int(src.width) & ~(PIECE - 1) : 0;
    char* const first = tile_bytes() + (top - tile.top + tile.reach) * row_bytes;

    // Threads take the pieces of as many whole rows as there are threads for.
    const u32 row = threadIdx.x * g.pieces_inverse >> 16, piece_index = threadIdx.x - row * g.pieces;
    const u32 down = THREADS<LANES> * g.pieces_inverse >> 16;
    const int x = tile.left - int(g.halo) + int(piece_index) * PIECE;
    if (row < down && x + PIECE > left && x < right && x < whole) {
        int y = top + row;
        u32 from = byte_offset(src, x, y), from_last = byte_offset(last, x, y);
        char* to = first + row * row_bytes + piece_index * 16 * PAIR<T, LANES>;
        while (y < bottom) {
            uint4 piece[N][LANES];
#pragma unroll
            for (int k = 0; k < N; k++) {
                if (y + k * int(down) < bottom) {
                    read_piece<T, LANES>(c, from + k * down * src.pitch, from_last + k * down * last.pitch, piece[k]);
                }
            }
            if (SIZE == 2 && LANES != 3 && shift != 0) {
#pragma unroll
                for (int k = 0; k < N; k++)
#pragma unroll
                    for (int l = 0; l < LANES; l++) piece[k][l] = widen(piece[k][l], shift);
            }
#pragma unroll
            for (int k = 0; k < N; k++) {
                if (y + k * int(down) < bottom) {
#pragma unroll
                    for (int l = 0; l < LANES; l++) {
                        *reinterpret_cast<uint4*>(to + k * down * row_bytes + l * next_piece) = piece[k][l];
                    }
                }
            }
            y += N * down;
            from += N * down * src.pitch;
            from_last += N * down * last.pitch;
            to += N * down * row_bytes;
        }
    }
    // What is left of each row after its last whole piece, or all of it where vectors do not fit.
    const int rest = max(left, whole);
    if (rest >= right) return;
#pragma unroll 1
    for (int y = threadIdx.x / 16; y < bottom - top; y += THREADS<LANES> / 16) {
#pragma unroll 1
        for (int x = rest + threadIdx.x % 16; x < right; x += 16) {
#pragma unroll 1
            for (int l = 0; l < LANES; l++) {
                const T stored = __ldg(at<const T>(c[l].src, x, top + y));
                const int column = (x - tile.left + int(g.halo)) * SIZE * PAIR<T, LANES>;
                char* const to = first + y * row_bytes + column + l * next_sample;
                *reinterpret_cast<T*>(to) = SIZE == 1 ? stored : stored << c[l].src.shift;
            }
        }
    }
}

// Filters tile `index` of a group.
template <typename T, int LANES, int SAMPLE, bool BLUR_FIRST>
__device__ __forceinline__ void filter_tile(const Deband& p, const Component* c, const Group& g, u32 index) {
    constexpr int SIZE = sizeof(T);
    const int width = c->src.width, height = c->src.height, range = c->range;
    Tile tile;
    const u32 down = g.across == 1 ? index : __umulhi(index, g.across_inverse);
    tile.left = (index - down * g.across) * g.columns;
    tile.top = down * g.rows;
    tile.rows = min(int(g.rows), height - tile.top);
    // Rounding down to even reaches one row further.
    tile.reach = range + (p.by_field ? 1 : 0);

    // The chunk of this thread: eight in 64 columns, or four in 32.
    const u32 shift = 2 + g.columns / 64;
    const int column = (threadIdx.x & ((1 << shift) - 1)) * CHUNK, step = THREADS<LANES> >> shift;
    const int x = tile.left + column;
    int row = threadIdx.x >> shift;
    u32 offset = (tile.top + row) * p.offsets_pitch + 2 * x, noise = (tile.top + row) * p.noise_pitch + x;
    Draws<LANES> next;
    if (AHEAD<LANES> && x < width && row < tile.rows) next.read(p, c, offset, noise);
    copy_tile<T, LANES>(c, g, tile);
    __syncthreads();
    if (x >= width) return;

    const Component& last = c[LANES == 2];
    const bool whole = x + CHUNK <= width && aligned<LANES>(c->dst, last.dst);
    const bool inside = x >= range && x + CHUNK <= width - range && !p.by_field;
    const u32 pitch = g.pieces * 16;
    int place = (row + tile.reach) * pitch + (g.halo + column) * SIZE;
    u32 to[2] = {byte_offset(c->dst, x, tile.top + row), byte_offset(last.dst, x, tile.top + row)};
    for (; row < tile.rows; row += step) {
        const int y = tile.top + row;
        if (!AHEAD<LANES>) next.read(p, c, offset, noise);
        const Draws<LANES> draws = next;
        offset += step * p.offsets_pitch;
        noise += step * p.noise_pitch;
        if (AHEAD<LANES> && row + step < tile.rows) next.read(p, c, offset, noise);
        if (whole) {
            Places<SIZE, SAMPLE> places = {place, int(pitch)};
            if (inside && y >= range && y < height - range) {
                places.inside(draws.offsets, range);
            } else {
                places.at_edge(draws.offsets, c->src, range, p.by_field, x, y);
            }
            filter_chunk<T, LANES, SAMPLE, BLUR_FIRST>(c, draws, places, g.component_bytes, to);
        } else {
#pragma unroll 1
            for (int l = 0; l < LANES; l++) {
                const char* own = tile_bytes() + place * PAIR<T, LANES> + l * (PAIR<T, LANES> == 2 ? SIZE : g.component_bytes);
#pragma unroll 1
                for (int i = x; i < min(x + CHUNK, width); i++, own += SIZE * PAIR<T, LANES>) {
                    filter_sample<SAMPLE, BLUR_FIRST>(p, c[l], i, y, [=](int dx, int dy) {
                        const char* const at = own + (dy * int(pitch) + dx * SIZE) * PAIR<T, LANES>;
                        return *reinterpret_cast<const T*>(at) << (SIZE == 1 ? 8 : 0);
                    });
                }
            }
        }
        place += step * pitch;
        to[0] += step * c->dst.pitch;
        to[1] += step * last.dst.pitch;
    }
}

// Luma (or grey), and the two chroma components, which share their offsets.
template <typename T, int SAMPLE, bool BLUR_FIRST>
__device__ __forceinline__ void filter_planes(const Deband& p) {
    const u32 block = blockIdx.x;
    if (block < p.first_blocks) {
        filter_tile<T, 1, SAMPLE, BLUR_FIRST>(p, p.component, p.group[0], block);
    } else {
        filter_tile<T, 2, SAMPLE, BLUR_FIRST>(p, p.component + 1, p.group[1], block - p.first_blocks);
    }
}

#define DEBAND_KERNEL(name, lanes, sample) \
    extern "C" __global__ void __launch_bounds__(THREADS<lanes>, BLOCKS<lanes, sample>) name(const Deband p)
