// deband by rings: ranges whose surroundings fit no tile.
//
// A block filters a strip of a plane from above to below, and keeps the rows that references may lie in as a ring in shared
// memory: a row lies where one lay that no reference reaches any more. So every row of a strip is copied once, where a tile
// copies those around it as well. The rows of the next step are read while one is filtered.
#include "deband.cuh"

// One block fills a multiprocessor's shared memory.
constexpr int RING_THREADS = 512;

// The pieces of each component that a thread reads for a step, at most.
template <int LANES>
constexpr int PASSES = LANES == 1 ? 4 : 2;

// A place in a ring, of one that is below twice its bytes.
__device__ __forceinline__ u32 in_ring(u32 place, u32 ring_bytes) { return min(place, place - ring_bytes); }

// Where in a ring the references of a chunk lie. `place` is not wrapped: it counts on from the first row around the
// chunk, so that no reference lies before the ring's start, and what lies behind its end is wrapped where it is read.
template <int SIZE, int SAMPLE>
struct RingPlaces : Places<SIZE, SAMPLE> {
    using Base = Places<SIZE, SAMPLE>;
    u32 ring_bytes;

    __device__ __forceinline__ u32 own() const { return in_ring(Base::own(), ring_bytes); }
    __device__ __forceinline__ u32 reference(int i, int k) const { return in_ring(Base::reference(i, k), ring_bytes); }

    // Every reference may lie up to `n` away. A row has more bytes than fit in a byte, as `Places` has it.
    __device__ __forceinline__ void inside(const uint4& offsets, int n) {
        const int pitch = this->pitch, first = this->place - n * (pitch + SIZE), second = this->place + n * (pitch - SIZE);
#pragma unroll
        for (int i = 0; i < CHUNK; i++) {
            const u32 spread2 = Base::spread_two(offsets, i, n);
            const int down = __byte_perm(spread2, 0, 0x4441), across = spread2 >> 24;
            this->at[i][0] = first + across * SIZE + down * pitch;
            if (SAMPLE == 2) this->at[i][Base::PAIRS - 1] = second + down * SIZE - across * pitch;
        }
    }
};

// A strip: its first column, its rows, and how far above and below them references may lie.
struct Strip {
    int left, top, bottom, reach;
};

// Copies rows of a strip and of the columns around it to its ring: first to registers, later to shared memory.
template <typename T, int LANES>
struct Copier {
    static constexpr int SIZE = sizeof(T), PIECE = 16 / SIZE, N = PASSES<LANES>;
    const Component* c;
    const Group& g;
    uint4 piece[N][LANES];
    int y, limit;  // The next row, and where they end.
    int row, down;  // Of them this thread takes every `down`th, from the `row`th on.
    u32 start;  // Where in the ring the next row goes.
    u32 from, from_last;  // Where this thread's first piece comes from.
    bool reads;
    // The columns that are copied one by one: what is left of each row after its last whole piece, or all of it where
    // vectors do not fit.
    int left, rest, right;

    __device__ __forceinline__ Copier(const Component* c, const Group& g, const Strip& strip) : c(c), g(g), start(0) {
        const Plane &src = c->src, &last = c[LANES == 2].src;
        y = strip.top - strip.reach;
        limit = min(strip.bottom + strip.reach, int(src.height));
        // Threads take the pieces of as many whole rows as there are threads for.
        row = threadIdx.x * g.pieces_inverse >> 16;
        down = RING_THREADS * g.pieces_inverse >> 16;
        left = strip.left - int(g.halo);
        right = min(strip.left + int(g.columns) + c->range, int(src.width));
        const int whole = aligned<LANES>(src, last) ? int(src.width) & ~(PIECE - 1) : 0;
        const int first = max(strip.left - c->range, 0), x = left + (threadIdx.x - row * g.pieces) * PIECE;
        rest = max(first, whole);
        reads = row < down && x + PIECE > first && x < right && x < whole;
        from = byte_offset(src, x, y + row);
        from_last = byte_offset(last, x, y + row);
    }

    __device__ __forceinline__ bool takes(int k, int end) const {
        const int at = y + row + k * down;
        return reads && at >= 0 && at < end;
    }

    // Reads the next `rows` rows, at most N * down.
    __device__ __forceinline__ void read(int rows) {
        const int end = min(y + rows, limit);
#pragma unroll
        for (int k = 0; k < N; k++) {
            if (takes(k, end)) {
                const u32 further = from_last + k * down * c[LANES == 2].src.pitch;
                read_piece<T, LANES>(c, from + k * down * c->src.pitch, further, piece[k]);
            }
        }
    }

    // Writes them.
    __device__ __forceinline__ void write(int rows) {
        const u32 pitch = g.pieces * 16, shift = c->src.shift;
        const int end = min(y + rows, limit);
#pragma unroll
        for (int k = 0; k < N; k++) {
            if (!takes(k, end)) continue;
            const u32 place = in_ring(start + k * down * pitch + threadIdx.x * 16, g.ring_bytes);
            char* const to = tile_bytes() + place * PAIR<T, LANES>;
#pragma unroll
            for (int l = 0; l < LANES; l++) {
                const uint4 v = SIZE == 2 && shift != 0 ? widen(piece[k][l], shift) : piece[k][l];
                *reinterpret_cast<uint4*>(to + l * (PAIR<T, LANES> == 2 ? 16 : g.ring_bytes)) = v;
            }
        }
        if (rest < right) copy_rest(end);
        y += rows;
        start = in_ring(start + rows * pitch, g.ring_bytes);
        from += rows * c->src.pitch;
        from_last += rows * c[LANES == 2].src.pitch;
    }

    __device__ __forceinline__ void copy_rest(int end) {
#pragma unroll 1
        for (int at_row = max(y, 0) + threadIdx.x / 16; at_row < end; at_row += RING_THREADS / 16) {
            const u32 place = in_ring(start + (at_row - y) * g.pieces * 16, g.ring_bytes);
#pragma unroll 1
            for (int x = rest + threadIdx.x % 16; x < right; x += 16) {
#pragma unroll 1
                for (int l = 0; l < LANES; l++) {
                    const T stored = __ldg(at<const T>(c[l].src, x, at_row));
                    char* const to = tile_bytes() + (place + (x - left) * SIZE) * PAIR<T, LANES> +
                                     l * (PAIR<T, LANES> == 2 ? SIZE : g.ring_bytes);
                    *reinterpret_cast<T*>(to) = SIZE == 1 ? stored : stored << c[l].src.shift;
                }
            }
        }
    }
};

// Filters strip `index` of a group.
template <typename T, int LANES, int SAMPLE>
__device__ __forceinline__ void filter_strip(const Deband& p, const Component* c, const Group& g, u32 index) {
    constexpr int SIZE = sizeof(T);
    const int width = c->src.width, height = c->src.height, range = c->range;
    const u32 down = g.across == 1 ? index : __umulhi(index, g.across_inverse), pitch = g.pieces * 16;
    Strip strip;
    strip.left = (index - down * g.across) * g.columns;
    strip.top = down * g.rows;
    strip.bottom = min(strip.top + int(g.rows), height);
    // Rounding down to even reaches one row further.
    strip.reach = range + (p.by_field ? 1 : 0);

    // The chunk of this thread in a step.
    const u32 shift = g.chunks_shift;
    const int row = threadIdx.x >> shift, column = (threadIdx.x & ((1 << shift) - 1)) * CHUNK, step = RING_THREADS >> shift;
    const int x = strip.left + column;

    Copier<T, LANES> copier(c, g, strip);
    for (int rows = 2 * strip.reach + step; rows > 0; rows -= copier.N * copier.down) {
        const int some = min(rows, copier.N * copier.down);
        copier.read(some);
        copier.write(some);
    }
    const Component& last = c[LANES == 2];
    const bool whole = x + CHUNK <= width && aligned<LANES>(c->dst, last.dst);
    const bool inside = x >= range && x + CHUNK <= width - range && !p.by_field;
    u32 offset = (strip.top + row) * p.offsets_pitch + 2 * x, noise = (strip.top + row) * p.noise_pitch + x;
    u32 to[2] = {byte_offset(c->dst, x, strip.top + row), byte_offset(last.dst, x, strip.top + row)};
    // The first row of the step's surroundings in the ring, and from there the corner of the chunk's.
    u32 start = 0;
    const u32 to_corner = row * pitch + (g.halo + column - range) * SIZE, to_own = strip.reach * pitch + range * SIZE;
    Draws<LANES> next;
    if (x < width && strip.top + row < strip.bottom) next.read(p, c, offset, noise);
    __syncthreads();
    for (int top = strip.top;; top += step) {
        const int y = top + row;
        const bool is_last = top + step >= strip.bottom;
        if (!is_last) copier.read(step);
        const Draws<LANES> draws = next;
        offset += step * p.offsets_pitch;
        noise += step * p.noise_pitch;
        if (x < width && y + step < strip.bottom) next.read(p, c, offset, noise);
        if (x < width && y < strip.bottom) {
            const int place = in_ring(start + to_corner, g.ring_bytes) + to_own;
            RingPlaces<SIZE, SAMPLE> places = {{place, int(pitch)}, g.ring_bytes};
            if (whole) {
                if (inside && y >= range && y < height - range) {
                    places.inside(draws.offsets, range);
                } else {
                    places.at_edge(draws.offsets, c->src, range, p.by_field, x, y);
                }
                filter_chunk<T, LANES, SAMPLE, false>(c, draws, places, g.ring_bytes, to);
            } else {
#pragma unroll 1
                for (int l = 0; l < LANES; l++) {
#pragma unroll 1
                    for (int i = 0; i < min(CHUNK, width - x); i++) {
                        filter_sample<SAMPLE, false>(p, c[l], x + i, y, [=](int dx, int dy) {
                            const u32 near = in_ring(place + dy * int(pitch) + (i + dx) * SIZE, g.ring_bytes);
                            const char* const at = tile_bytes() + near * PAIR<T, LANES> +
                                                   l * (PAIR<T, LANES> == 2 ? SIZE : g.ring_bytes);
                            return *reinterpret_cast<const T*>(at) << (SIZE == 1 ? 8 : 0);
                        });
                    }
                }
            }
        }
        if (is_last) return;
        to[0] += step * c->dst.pitch;
        to[1] += step * last.dst.pitch;
        __syncthreads();
        copier.write(step);
        __syncthreads();
        start = in_ring(start + step * pitch, g.ring_bytes);
    }
}

// Luma (or grey), and the two chroma components, which share their offsets.
template <typename T, int SAMPLE>
__device__ __forceinline__ void filter_strips(const Deband& p) {
    const u32 block = blockIdx.x;
    if (block < p.first_blocks) {
        filter_strip<T, 1, SAMPLE>(p, p.component, p.group[0], block);
    } else {
        filter_strip<T, 2, SAMPLE>(p, p.component + 1, p.group[1], block - p.first_blocks);
    }
}

#define RING_KERNEL(name, type, sample)                                               \
    extern "C" __global__ void __launch_bounds__(RING_THREADS) name(const Deband p) { \
        filter_strips<type, sample>(p);                                                \
    }

RING_KERNEL(deband_ring_s0_u8, u8, 0)
RING_KERNEL(deband_ring_s1_u8, u8, 1)
RING_KERNEL(deband_ring_s2_u8, u8, 2)
RING_KERNEL(deband_ring_s0_u16, u16, 0)
RING_KERNEL(deband_ring_s1_u16, u16, 1)
RING_KERNEL(deband_ring_s2_u16, u16, 2)
