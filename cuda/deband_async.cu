// deband with a pair of references, of planes of 16 bits that stay so.
//
// Tiles as in deband_tile.cuh, but copied to shared memory without registers between, which devices do from 8.0 on: a block
// filters its first rows while those below arrive.
#include "common/ahead.cuh"
#include "deband.cuh"

// Columns of a tile; rows that a block filters in a step, and the steps of a tile at most.
constexpr int COLUMNS = 64, STEP = 16, STEPS = 4;
constexpr int PER_ROW = COLUMNS / CHUNK, THREADS = PER_ROW * STEP;

// Asks for whole lines of 128 bytes in L2, of which the tile beside this one reads the rest: 1 to 3 % faster.
__device__ __forceinline__ void copy_async(u32 to, const void* from) {
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

// Loads by address: of a pointer the compiler adds the start of shared memory to each.
__device__ __forceinline__ u32 shared_u16(u32 at) {
    u16 v;
    asm volatile("ld.shared.u16 %0, [%1];" : "=h"(v) : "r"(at) : "memory");
    return v;
}
__device__ __forceinline__ uint4 shared_u128(u32 at) {
    uint4 v;
    asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "r"(at) : "memory");
    return v;
}

// `a` less `b`, which the compiler must not take apart: it would add a sample's column here, where the load does so for nothing.
__device__ __forceinline__ u32 less(u32 a, u32 b) {
    asm("sub.u32 %0, %0, %1;" : "+r"(a) : "r"(b));
    return a;
}

// Byte `i` of eight times `by`, which has 16 bits.
__device__ __forceinline__ u32 times_byte(const uint2& bytes, int i, u32 by) {
    const u32 four = word(bytes, i / 4), halves = i % 2 ? by << 16 : by;
    u32 out = 0;
    if (i & 2) {
        asm("dp2a.hi.u32.u32 %0, %1, %2, %0;" : "+r"(out) : "r"(halves), "r"(four));
    } else {
        asm("dp2a.lo.u32.u32 %0, %1, %2, %0;" : "+r"(out) : "r"(halves), "r"(four));
    }
    return out;
}

// Filters the chunk of `c` whose samples and references lie at the addresses `places`, `further` bytes on.
__device__ __forceinline__ uint4 filter_eight(const Component& c, const uint2& noise, const Places<2, 1>& places, u32 further) {
    const uint4 samples = shared_u128(places.own() + further);
    // The smallest result is taken off before a sample is chosen, so that results are clamped at zero, which costs nothing.
    const int round = c.round - 2 * c.low, kept = c.near_bias - c.dither - c.low, most = c.high - c.low;
    u32 out[CHUNK];
#pragma unroll
    for (int i = 0; i < CHUNK; i++) {
        const u32 at = places.reference(i, 0), opposite = less(2 * places.own() + further, at);
        const u32 first = shared_u16(at + further + 2 * i), second = shared_u16(opposite + 2 * i);
        const int bias = dot_halves(word(samples, i / 2), i % 2 ? 0xff00 : 0x00ff, c.near_bias);  // near_bias - own
        const u32 far = max(first + bias, second + bias);
        const int value = int(first + second + round) >> 1;
        const u32 drawn = times_byte(noise, i, 2 * c.dither + 1) >> 8;
        out[i] = max(min((far < c.near_limit ? value : kept - bias) + int(drawn), most), 0);
    }
    const u32 low = c.low * 0x10001;
    return make_uint4(even_u16(out[0], out[1]) + low, even_u16(out[2], out[3]) + low, even_u16(out[4], out[5]) + low,
                      even_u16(out[6], out[7]) + low);
}

// Begins to copy a tile and `reach` rows and whole pieces around it to address `tile`. What step k needs has arrived with
// group k.
template <int LANES>
__device__ __forceinline__ void copy_tile(const Component* c, const Group& g, int left, int top, int reach, u32 tile) {
    const int width = c->src.width;
    const u32 row_bytes = g.pieces * 16;
    const int first_row = max(top - reach, 0), limit = min(top + int(g.rows) + reach, int(c->src.height));
    const int first_column = max(left - c->range, 0), right = min(left + COLUMNS + c->range, width);
    const int whole = aligned<LANES>(c->src, c[LANES - 1].src) ? width & ~(CHUNK - 1) : 0;
    // Threads take the pieces of as many whole rows as there are threads for.
    const u32 line = threadIdx.x * g.pieces_inverse >> 16, piece = threadIdx.x - line * g.pieces;
    const u32 down = THREADS * g.pieces_inverse >> 16;
    const int x = left - int(g.halo) + int(piece) * CHUNK;
    const bool takes = line < down && x + CHUNK > first_column && x < right && x < whole;
    int y = takes ? first_row + int(line) : limit;
    u32 from[LANES], to = tile + (y - top + reach) * row_bytes + piece * 16;
#pragma unroll
    for (int l = 0; l < LANES; l++) from[l] = byte_offset(c[l].src, x, y);
#pragma unroll 1
    for (int k = 1; k <= STEPS; k++) {
        const int end = min(limit, top + k * STEP + reach);
#pragma unroll 1
        for (; y < end; y += down) {
#pragma unroll
            for (int l = 0; l < LANES; l++) {
                copy_async(to + l * g.component_bytes, c[l].src.data + from[l]);
                from[l] += down * c[l].src.pitch;
            }
            to += down * row_bytes;
        }
        end_of_copies();
    }
    // What is left of each row after its last whole piece, or all of it where vectors do not fit.
    const int rest = max(first_column, whole);
    if (rest >= right) return;
#pragma unroll 1
    for (int y = first_row + threadIdx.x / 16; y < limit; y += THREADS / 16) {
#pragma unroll 1
        for (int x = rest + threadIdx.x % 16; x < right; x += 16) {
            char* const to = tile_bytes() + (y - top + reach) * row_bytes + (x - left + int(g.halo)) * 2;
#pragma unroll 1
            for (int l = 0; l < LANES; l++) {
                *reinterpret_cast<u16*>(to + l * g.component_bytes) = __ldg(at<const u16>(c[l].src, x, y));
            }
        }
    }
}

// Filters tile `index` of a group.
template <int LANES>
__device__ __forceinline__ void filter_tile(const Deband& p, const Component* c, const Group& g, u32 index) {
    const int width = c->src.width, height = c->src.height, range = c->range;
    const u32 tiles_above = g.across == 1 ? index : __umulhi(index, g.across_inverse);
    const int left = (index - tiles_above * g.across) * COLUMNS, top = tiles_above * g.rows;
    const int bottom = min(top + int(g.rows), height);
    // Rounding down to even reaches one row further.
    const int reach = range + (p.by_field ? 1 : 0);

    // The chunk of this thread.
    const int column = threadIdx.x % PER_ROW * CHUNK, row = threadIdx.x / PER_ROW, x = left + column;
    int y = top + row;
    u32 offset = y * p.offsets_pitch + 2 * x, noise = y * p.noise_pitch + x;
    Draws<LANES> next;
    if (x < width && y < bottom) next.read(p, c, offset, noise);
    const u32 tile = shared_address(tile_bytes());
    copy_tile<LANES>(c, g, left, top, reach, tile);

    const bool whole = x + CHUNK <= width && aligned<LANES>(c->dst, c[LANES - 1].dst);
    const bool inside = x >= range && x + CHUNK <= width - range && !p.by_field;
    const int pitch = g.pieces * 16;
    int place = (row + reach) * pitch + (g.halo + column) * 2;
    u32 to[LANES];
#pragma unroll
    for (int l = 0; l < LANES; l++) to[l] = byte_offset(c[l].dst, x, y);
#pragma unroll 1
    for (int step_top = top; step_top < bottom; step_top += STEP) {
        await_copies<STEPS - 1>();
        __syncthreads();
        // An empty group, so that the next step waits for as many.
        end_of_copies();
        if (x < width && y < bottom) {
            const Draws<LANES> draws = next;
            offset += STEP * p.offsets_pitch;
            noise += STEP * p.noise_pitch;
            if (y + STEP < bottom) next.read(p, c, offset, noise);
            if (whole) {
                Places<2, 1> places = {int(tile) + place, pitch};
                if (inside && y >= range && y < height - range) {
                    places.inside(draws.offsets, range);
                } else {
                    places.at_edge(draws.offsets, c->src, range, p.by_field, x, y);
                }
#pragma unroll
                for (int l = 0; l < LANES; l++) {
                    uint4* const out = reinterpret_cast<uint4*>(c[l].dst.data + to[l]);
                    *out = filter_eight(c[l], draws.noise[l], places, l * g.component_bytes);
                }
            } else {
#pragma unroll 1
                for (int l = 0; l < LANES; l++) {
                    const char* own = tile_bytes() + place + l * g.component_bytes;
#pragma unroll 1
                    for (int i = x; i < min(x + CHUNK, width); i++, own += 2) {
                        filter_sample<1, false>(p, c[l], i, y, [=](int dx, int dy) {
                            return int(*reinterpret_cast<const u16*>(own + dy * pitch + dx * 2));
                        });
                    }
                }
            }
        }
        y += STEP;
        place += STEP * pitch;
#pragma unroll
        for (int l = 0; l < LANES; l++) to[l] += STEP * c[l].dst.pitch;
    }
}

// Luma (or grey), and the two chroma components, which share their offsets. As many blocks as were measured to be fastest.
extern "C" __global__ void __launch_bounds__(THREADS, 10) deband_async(const Deband p) {
    const u32 block = blockIdx.x;
    if (block < p.first_blocks) {
        filter_tile<1>(p, p.component, p.group[0], block);
    } else {
        filter_tile<2>(p, p.component + 1, p.group[1], block - p.first_blocks);
    }
}
