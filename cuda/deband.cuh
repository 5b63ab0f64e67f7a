// deband: every sample is compared with, and may become, the average of references at random places around it.
//
// The reads at random places are what deband costs. A block copies a tile of the picture with its surroundings to
// shared memory, where they are cheap. A thread filters eight samples side by side, which hides what waiting is left
// and lets it read and write vectors; what does not fill eight is filtered one by one, as the definition has it.
//
// LANES are components that share their offsets: luma alone, or Cb and Cr, or all of YC48.
#pragma once

#include "common/chunk.cuh"
#include "common/dot.cuh"
#include "generated/deband.cuh"

// What was measured to be fastest, by the components of a group: the threads of a block; the blocks that a
// multiprocessor shall hold, which limits registers; the pieces of 16 bytes of each component that a thread copies at a
// time; and whether random bytes are read a row ahead, which takes registers that three components do not leave.
template <int LANES>
constexpr int THREADS = LANES == 3 ? 256 : 128;
template <int LANES>
constexpr int BLOCKS = LANES == 3 ? 4 : 7;
template <int LANES>
constexpr int AT_ONCE = LANES == 3 ? 1 : LANES == 2 ? 3 : 6;
template <int LANES>
constexpr bool AHEAD = LANES != 3;

constexpr int WIDE = 4;  // chunks side by side in a warp: few, so that few warps touch a border

extern __shared__ uint4 shared[];

__device__ __forceinline__ char* tile_bytes() { return reinterpret_cast<char*>(shared); }

// Maps a random byte to -n..n.
__device__ __forceinline__ int spread(int byte, int n) { return ((2 * n + 1) * byte >> 8) - n; }

// A vertical offset rounded down to even, so that it stays within a field; two more where that passes `room` rows.
__device__ __forceinline__ int within_field(int offset, int room) {
    const int even = offset & ~1;
    return even < -room ? even + 2 : even;
}

// The rows that an offset may span: one reference lies above only where its offset is negative, a pair lies as far
// below as above.
template <int SAMPLE>
__device__ __forceinline__ int room_for(int above, int below) {
    return SAMPLE == 0 ? above : min(above, below);
}

// Filters the sample (x, y) of component `c` by the definition. `value_at(dx, dy)` reads a neighbour.
template <int SAMPLE, bool BLUR_FIRST, typename ValueAt>
__device__ __forceinline__ void filter_sample(const Deband& p, const Component& c, int x, int y, ValueAt value_at) {
    const u8* const pair = p.offsets + u64(y) * p.offsets_pitch + 2 * x;
    const int noise = __ldg(c.noise + u64(y) * p.noise_pitch + x);
    const int above = y, below = c.src.height - 1 - y;
    const int n = min(c.range, min(min(x, int(c.src.width) - 1 - x), min(above, below)));
    const int a = spread(__ldg(pair), n), b = spread(__ldg(pair + 1), n);
    const int room = room_for<SAMPLE>(above, below);
    const int a_rows = p.by_field ? within_field(a, room) : a;
    const int own = value_at(0, 0);
    int value = value_at(b, a_rows);
    int far = abs(own - value);
    if (SAMPLE != 0) {
        const int opposite = value_at(-b, -a_rows);
        far = max(far, abs(own - opposite));
        if (SAMPLE == 1) {
            value = (value + opposite + 1) >> 1;
        } else {
            const int b_rows = p.by_field ? within_field(b, room) : b;
            const int third = value_at(a, -b_rows), fourth = value_at(-a, b_rows);
            far = max(far, max(abs(own - third), abs(own - fourth)));
            value = (value + opposite + third + fourth + 2) >> 2;
        }
    }
    const int difference = BLUR_FIRST ? abs(own - value) : far;
    const int debanded = difference < c.threshold ? value : own;
    store(c.dst, x, y, min(max(debanded + spread(noise, c.dither), c.low), c.high));
}

// Reads sixteen bytes of each component, as they are stored: of the first from `first` bytes into its plane on, of a
// last one in a plane of its own from `last` bytes into that.
template <typename T, int LANES>
__device__ __forceinline__ void read_piece(const Component* c, u32 first, u32 last, uint4 (&piece)[LANES]) {
    const uint4* const from = reinterpret_cast<const uint4*>(c->src.data + first);
    if constexpr (LANES == 3) {
        // Every three words hold two pixels: y0 u0, v0 y1, u1 v1.
        const uint4 v[3] = {__ldg(from), __ldg(from + 1), __ldg(from + 2)};
        u32 w[12];
#pragma unroll
        for (int i = 0; i < 12; i++) w[i] = word(v[i / 4], i % 4);
        u32 out[3][4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            out[0][i] = __byte_perm(w[3 * i], w[3 * i + 1], 0x7610);
            out[1][i] = __byte_perm(w[3 * i], w[3 * i + 2], 0x5432);
            out[2][i] = __byte_perm(w[3 * i + 1], w[3 * i + 2], 0x7610);
        }
#pragma unroll
        for (int l = 0; l < 3; l++) piece[l] = make_uint4(out[l][0], out[l][1], out[l][2], out[l][3]);
    } else if (LANES == 2 && c->src.step == 2) {
        const uint4 v = __ldg(from), w = __ldg(from + 1);
        if (sizeof(T) == 1) {
            piece[0] = even_u8(v, w);
            piece[LANES - 1] = odd_u8(v, w);
        } else {
            piece[0] = even_u16(v, w);
            piece[LANES - 1] = odd_u16(v, w);
        }
    } else {
        piece[0] = __ldg(from);
        if (LANES == 2) piece[LANES - 1] = __ldg(reinterpret_cast<const uint4*>(c[LANES - 1].src.data + last));
    }
}

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
    const u32 shift = src.shift, row_bytes = g.pieces * 16;
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
        char* to = first + row * row_bytes + piece_index * 16;
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
                        *reinterpret_cast<uint4*>(to + k * down * row_bytes + l * g.component_bytes) = piece[k][l];
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
                T* const to = reinterpret_cast<T*>(first + y * row_bytes + l * g.component_bytes) + x - tile.left + int(g.halo);
                *to = SIZE == 1 ? stored : stored << c[l].src.shift;
            }
        }
    }
}

// Eight samples side by side.
template <typename T>
struct Eight {
    uint4 v;
    __device__ __forceinline__ Eight(const char* from) : v(*reinterpret_cast<const uint4*>(from)) {}
    __device__ __forceinline__ int operator[](int i) const { return T(word(v, i / 2) >> i % 2 * 16); }
};
template <>
struct Eight<u8> {
    uint2 v;
    __device__ __forceinline__ Eight(const char* from) : v(*reinterpret_cast<const uint2*>(from)) {}
    __device__ __forceinline__ int operator[](int i) const { return byte_of(v, i); }
};

// The random bytes of a chunk, `offset` and `noise_offset` bytes into the frame's.
template <int LANES>
struct Draws {
    uint4 offsets;
    uint2 noise[LANES];

    __device__ __forceinline__ void read(const Deband& p, const Component* c, u32 offset, u32 noise_offset) {
        offsets = __ldg(reinterpret_cast<const uint4*>(p.offsets + offset));
#pragma unroll
        for (int l = 0; l < LANES; l++) noise[l] = __ldg(reinterpret_cast<const uint2*>(c[l].noise + noise_offset));
    }
};

// Where in the tile the references of a chunk lie, as bytes less those of the sample's column: of each pair the first,
// whose opposite lies as far on the other side of `place`, the chunk's own byte. `pitch` is the bytes in a row.
template <int SIZE, int SAMPLE>
struct Places {
    static constexpr int PAIRS = SAMPLE == 2 ? 2 : 1;
    int at[CHUNK][PAIRS];

    // Every reference may lie up to `n` away.
    __device__ __forceinline__ void inside(const uint4& offsets, int n, int place, int pitch) {
#pragma unroll
        for (int i = 0; i < CHUNK; i++) {
            // Both bytes of a pixel spread at once: bytes 1 and 3 of the product are a + n and b + n.
            const u32 spread2 = __byte_perm(word(offsets, i / 2), 0, i % 2 ? 0x4342 : 0x4140) * (2 * n + 1);
            at[i][0] = dot(spread2, pitch << 8 | SIZE << 24, place - n * (pitch + SIZE));
            if (SAMPLE == 2) {
                // A pitch does not fit a signed byte, its half does.
                const u32 half = -(pitch / 2) & 255;
                const int once = dot_signed(spread2, half << 24 | SIZE << 8, place + n * (pitch - SIZE));
                at[i][PAIRS - 1] = dot_signed(spread2, half << 24, once);
            }
        }
    }

    // The chunk at (x, y) is near a border, or references stay within a field.
    __device__ __forceinline__ void at_edge(
        const uint4& offsets, const Plane& src, int range, bool by_field, int x, int y, int place, int pitch) {
        const int above = y, below = src.height - 1 - y, right = src.width - 1 - x;
        const int near = min(range, min(above, below)), room = room_for<SAMPLE>(above, below);
#pragma unroll
        for (int i = 0; i < CHUNK; i++) {
            const int n = max(min(near, min(x + i, right - i)), 0);
            const u32 two = word(offsets, i / 2) >> i % 2 * 16;
            const int a = spread(two & 255, n), b = spread(two >> 8 & 255, n);
            at[i][0] = place + (by_field ? within_field(a, room) : a) * pitch + b * SIZE;
            if (SAMPLE == 2) at[i][PAIRS - 1] = place - (by_field ? within_field(b, room) : b) * pitch + a * SIZE;
        }
    }
};

// Filters the chunk that lies at byte `place` of a tile of `component_bytes` bytes, to `to` bytes into its planes.
template <typename T, int LANES, int SAMPLE, bool BLUR_FIRST>
__device__ __forceinline__ void filter_chunk(
    const Component* c, const Draws<LANES>& draws, const Places<sizeof(T), SAMPLE>& places, u32 component_bytes, int place,
    const u32 (&to)[2]) {
    constexpr int SIZE = sizeof(T), COUNT = SAMPLE == 0 ? 1 : SAMPLE == 1 ? 2 : 4;
    u32 out[LANES][CHUNK];
#pragma unroll
    for (int l = 0; l < LANES; l++) {
        const Eight<T> samples(tile_bytes() + place + l * component_bytes);
        const int dither = c[l].dither, near_bias = c[l].near_bias;
#pragma unroll
        for (int i = 0; i < CHUNK; i++) {
            const int own = samples[i], bias = near_bias - own;
            int sum = 0;
            u32 far = 0;
#pragma unroll
            for (int k = 0; k < COUNT; k++) {
                const int first = places.at[i][k / 2], at = k % 2 ? 2 * place - first : first;
                const int reference = *reinterpret_cast<const T*>(tile_bytes() + at + l * component_bytes + i * SIZE);
                sum += reference;
                far = max(far, u32(reference + bias));
            }
            // The noise's lower end is taken off before a sample is chosen, where it costs nothing.
            int value, kept;
            if (SIZE == 1) {
                value = sum * (256 / COUNT) - dither;
                kept = own * 256 - dither;
            } else {
                value = (sum + c[l].round) >> (COUNT / 2);
                kept = own - dither;
            }
            if (BLUR_FIRST) far = value - kept + near_bias;
            const u32 noise = byte_of(draws.noise[l], i) * (2 * dither + 1) >> 8;
            out[l][i] = min(max((far < c[l].near_limit ? value : kept) + int(noise), c[l].low), c[l].high);
        }
    }
    write_chunk<LANES>(c, to, true, out);
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

    // The chunk of this thread: 64 columns are two warps, 32 are one.
    const u32 warp = threadIdx.x / 32, thread = threadIdx.x % 32, wide = g.columns / 64;
    const int column = ((warp & wide) * WIDE + thread % WIDE) * CHUNK;
    const int x = tile.left + column;
    const int step = THREADS<LANES> / WIDE >> wide;
    int row = (warp >> wide) * (32 / WIDE) + thread / WIDE;
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
            Places<SIZE, SAMPLE> places;
            if (inside && y >= range && y < height - range) {
                places.inside(draws.offsets, range, place, pitch);
            } else {
                places.at_edge(draws.offsets, c->src, range, p.by_field, x, y, place, pitch);
            }
            filter_chunk<T, LANES, SAMPLE, BLUR_FIRST>(c, draws, places, g.component_bytes, place, to);
        } else {
#pragma unroll 1
            for (int l = 0; l < LANES; l++) {
                const char* own = tile_bytes() + place + l * g.component_bytes;
#pragma unroll 1
                for (int i = x; i < min(x + CHUNK, width); i++, own += SIZE) {
                    filter_sample<SAMPLE, BLUR_FIRST>(p, c[l], i, y, [=](int dx, int dy) {
                        return *reinterpret_cast<const T*>(own + dy * int(pitch) + dx * SIZE) << (SIZE == 1 ? 8 : 0);
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

#define DEBAND_KERNEL(name, lanes) \
    extern "C" __global__ void __launch_bounds__(THREADS<lanes>, BLOCKS<lanes>) name(const Deband p)
