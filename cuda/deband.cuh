// deband: every sample is compared with, and may become, the average of references at random places around it.
//
// The reads at random places are what deband costs. A block copies a part of the picture with its surroundings to shared
// memory, where they are cheap: a tile (deband_tile.cuh), or the rows of a strip in turn (deband_ring.cu). A thread filters
// eight samples side by side, which hides what waiting is left and lets it read and write vectors; what does not fill eight
// is filtered one by one, as the definition has it.
//
// LANES are components that share their offsets: luma alone, or Cb and Cr, or all of YC48.
#pragma once

#include "common/chunk.cuh"
#include "common/dot.cuh"
#include "generated/deband.cuh"

// Cb and Cr of 16 bits lie in turn in a tile, so that one read fetches both: the samples of a place in it. To take 8 bits apart
// costs more than that gains.
template <typename T, int LANES>
constexpr int PAIR = LANES == 2 && sizeof(T) == 2 ? 2 : 1;

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

// Reads sixteen bytes of each component: of the first from `first` bytes into its plane on, of a last one in a plane of its own
// from `last` bytes into that. Those of a pair are made to lie in turn.
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
    } else if constexpr (LANES == 2) {
        const bool in_turn = c->src.step == 2;
        const uint4 v = __ldg(from), w = __ldg(in_turn ? from + 1 : reinterpret_cast<const uint4*>(c[1].src.data + last));
        piece[0] = v;
        piece[1] = w;
        if (PAIR<T, LANES> == 1) {
            if (in_turn) piece[0] = even_u8(v, w), piece[1] = odd_u8(v, w);
        } else if (!in_turn) {
            piece[0] = make_uint4(even_u16(v.x, w.x), odd_u16(v.x, w.x), even_u16(v.y, w.y), odd_u16(v.y, w.y));
            piece[1] = make_uint4(even_u16(v.z, w.z), odd_u16(v.z, w.z), even_u16(v.w, w.w), odd_u16(v.w, w.w));
        }
    } else {
        piece[0] = __ldg(from);
    }
}

// What lies in one place of a tile: a sample, or those of a pair.
template <int BYTES>
struct Word;
template <>
struct Word<1> {
    typedef u8 Type;
};
template <>
struct Word<2> {
    typedef u16 Type;
};
template <>
struct Word<4> {
    typedef u32 Type;
};

// Sample `l` of a place.
template <typename T>
__device__ __forceinline__ int sample_of(u32 place, int l) {
    return T(place >> l * int(sizeof(T)) * 8);
}

// Eight places side by side.
template <int BYTES>
struct Eight {
    u32 words[2 * BYTES];
    __device__ __forceinline__ Eight(const char* from) {
        if (BYTES == 1) {
            const uint2 v = *reinterpret_cast<const uint2*>(from);
            words[0] = v.x, words[1] = v.y;
        } else {
#pragma unroll
            for (int i = 0; i < BYTES / 2; i++) {
                const uint4 v = reinterpret_cast<const uint4*>(from)[i];
#pragma unroll
                for (int j = 0; j < 4; j++) words[4 * i + j] = word(v, j);
            }
        }
    }
    __device__ __forceinline__ u32 operator[](int i) const { return words[i * BYTES / 4] >> i * BYTES % 4 * 8; }
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
// whose opposite lies as far on the other side of `place`, the chunk's own byte. `pitch` is the bytes in a row. All of one
// component: where two lie in turn, there are twice as many.
template <int SIZE, int SAMPLE>
struct Places {
    static constexpr int PAIRS = SAMPLE == 2 ? 2 : 1;
    int place, pitch;
    int at[CHUNK][PAIRS];

    __device__ __forceinline__ int own() const { return place; }

    // Reference `k` of sample `i`.
    __device__ __forceinline__ int reference(int i, int k) const {
        const int first = at[i][k / 2];
        return k % 2 ? 2 * place - first : first;
    }

    // Both bytes of pixel `i` spread at once: bytes 1 and 3 of the product are a + n and b + n.
    static __device__ __forceinline__ u32 spread_two(const uint4& offsets, int i, int n) {
        return __byte_perm(word(offsets, i / 2), 0, i % 2 ? 0x4342 : 0x4140) * (2 * n + 1);
    }

    // Every reference may lie up to `n` away.
    __device__ __forceinline__ void inside(const uint4& offsets, int n) {
#pragma unroll
        for (int i = 0; i < CHUNK; i++) {
            const u32 spread2 = spread_two(offsets, i, n);
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
        const uint4& offsets, const Plane& src, int range, bool by_field, int x, int y) {
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

// Filters the chunk whose samples and references lie at `places` of shared memory, those of the next component
// `component_bytes` further, to `to` bytes into its planes.
template <typename T, int LANES, int SAMPLE, bool BLUR_FIRST, typename Places>
__device__ __forceinline__ void filter_chunk(
    const Component* c, const Draws<LANES>& draws, const Places& places, u32 component_bytes, const u32 (&to)[2]) {
    constexpr int SIZE = sizeof(T), COUNT = SAMPLE == 0 ? 1 : SAMPLE == 1 ? 2 : 4, PAIRED = PAIR<T, LANES>;
    constexpr int BYTES = SIZE * PAIRED;
    u32 out[LANES][CHUNK];
#pragma unroll
    for (int l = 0; l < LANES; l++) {
        const char* const tile = tile_bytes() + (PAIRED == 1 ? l * component_bytes : 0);
        const Eight<BYTES> samples(tile + places.own() * PAIRED);
        const int lane = PAIRED == 2 ? l : 0, dither = c[l].dither, near_bias = c[l].near_bias;
#pragma unroll
        for (int i = 0; i < CHUNK; i++) {
            const int own = sample_of<T>(samples[i], lane), bias = near_bias - own;
            int sum = 0;
            u32 far = 0;
#pragma unroll
            for (int k = 0; k < COUNT; k++) {
                const char* const at = tile + places.reference(i, k) * PAIRED + i * BYTES;
                const int reference = sample_of<T>(*reinterpret_cast<const typename Word<BYTES>::Type*>(at), lane);
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
