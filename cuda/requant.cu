// depth and range: every sample is scaled exactly, gets a threshold added, and is cut to whole steps of the new depth.

#include "common/chunk.cuh"
#include "generated/requant.cuh"

// The scaled value of a v16 value, in units of 2^-guard.
__device__ __forceinline__ int scaled(const Component& c, u32 guard, u32 v16) {
    if (c.slope == 0) return min(v16 << guard, u32(c.top));
    const long long correction = (long long)(int(v16)) * c.slope + c.offset;
    return min(max(int(v16 << guard) + int(correction >> 32), 0), c.top);
}

// The sum of a scaled value and a threshold; where thresholds have a bias, kept within the codes that there are.
template <bool BIASED>
__device__ __forceinline__ u32 with_threshold(const Requant& p, const Component& c, int scaled, u32 threshold) {
    const u32 sum = scaled + threshold;
    if (!BIASED) return sum;
    return min(max(int(sum - p.bias), 0), c.top + (1 << (p.drop + p.guard)) - 1);
}

// The threshold at column x (from the pattern's own) of row y.
__device__ __forceinline__ const u16* threshold(const Component& c, int x, int y) {
    return c.pattern + ((c.row + y) % 64 * 64 + (c.column + x) % 64);
}

constexpr int WIDE = 32, DOWN = 8;  // chunks of a block

// Filters a block of chunks.
template <int LANES, bool BIASED>
__device__ __forceinline__ void requantise(const Requant& p, const Component* c, u32 index, u32 across) {
    const int width = c->src.width, height = c->src.height;
    const int x = (index % across * WIDE + threadIdx.x % WIDE) * CHUNK, y = index / across * DOWN + threadIdx.x / WIDE;
    if (x >= width || y >= height) return;
    const Component& last = c[LANES - 1];
    const u32 cut = p.drop + p.guard;
    if (x + CHUNK <= width && aligned<LANES>(c->src, last.src) && aligned<LANES>(c->dst, last.dst)) {
        u32 v[LANES][CHUNK];
        uint4 thresholds[LANES];
#pragma unroll
        for (int l = 0; l < LANES; l++) thresholds[l] = __ldg(reinterpret_cast<const uint4*>(threshold(c[l], x, y)));
        read_chunk<LANES>(c, x, y, v);
        // Codes of the new depth are stored as they are where the plane holds it.
        const bool round = 16u - c->dst.bit_depth > p.drop;
        const u32 up = round ? p.drop : p.drop - c->dst.shift;
#pragma unroll
        for (int l = 0; l < LANES; l++) {
#pragma unroll
            for (int i = 0; i < CHUNK; i++) {
                const u32 t = word(thresholds[l], i / 2) >> i % 2 * 16 & 0xffff;
                v[l][i] = with_threshold<BIASED>(p, c[l], scaled(c[l], p.guard, v[l][i]), t) >> cut << up;
            }
        }
        const u32 to[2] = {byte_offset(c->dst, x, y), byte_offset(last.dst, x, y)};
        write_chunk<LANES>(c, to, round, v);
        return;
    }
#pragma unroll 1
    for (int l = 0; l < LANES; l++) {
        const u16* const thresholds = threshold(c[l], x, y);
#pragma unroll 1
        for (int i = 0; i < min(CHUNK, width - x); i++) {
            const int value = scaled(c[l], p.guard, load(c[l].src, x + i, y));
            store(c[l].dst, x + i, y, with_threshold<BIASED>(p, c[l], value, __ldg(thresholds + i)) >> cut << p.drop);
        }
    }
}

template <bool BIASED>
__device__ __forceinline__ void requantise_picture(const Requant& p) {
    if (blockIdx.x < p.first_blocks) {
        requantise<1, BIASED>(p, p.component, blockIdx.x, p.across[0]);
    } else {
        requantise<2, BIASED>(p, p.component + 1, blockIdx.x - p.first_blocks, p.across[1]);
    }
}

// Thresholds without a bias; what takes one away costs a tenth of the time.
extern "C" __global__ void __launch_bounds__(WIDE* DOWN, 6) requant_pattern(const Requant p) {
    requantise_picture<false>(p);
}

// Thresholds with a bias.
extern "C" __global__ void __launch_bounds__(WIDE* DOWN, 6) requant_biased(const Requant p) {
    requantise_picture<true>(p);
}

// Error diffusion.
//
// A block diffuses a band of 32 rows. Its first warp does what is serial: each lane goes along a row, two columns
// behind the lane above it, so that the residue it needs from there (one column to the right) has just been made. The
// other warps read and scale for it, a group of columns ahead, and write, some groups behind, through a ring in shared
// memory. The last row's residues go to the next band through global memory, marked with the frame's parity, so that a
// residue is seen to be there or not. Blocks draw their bands in order, so the band above has always started.

constexpr int GROUP = 32, RING = 8 * GROUP;  // columns
constexpr int STEPS = 8;                      // of the serial warp at a time

typedef u32 (*Ring)[RING + 1];  // a row of the band; one more, so that lanes two columns apart use different banks

// What a band is and where it lies.
struct Band {
    const Component& c;
    int first, last;            // rows
    bool top, bottom;           // of the plane
    const volatile u16* above;  // marked residues of the row above
    volatile u16* below;        // and of the last row
    u16 mark;

    __device__ __forceinline__ void publish(int x, int residue) const { below[x] = u16(residue) | mark; }
};

// Reads, scales and writes the samples of every seventh row of a band from row `warp` on.
struct Feed {
    static constexpr int WARPS = 7, ROWS = (32 + WARPS - 1) / WARPS;
    u32 stored[ROWS];

    // Reads column x as it is stored.
    __device__ __forceinline__ void read(const Band& band, int warp, int x) {
        const Plane& src = band.c.src;
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
            const int y = band.first + warp + i * WARPS;
            stored[i] = 0;
            if (x < int(src.width) && y < band.last) {
                stored[i] = src.sample == SAMPLE_U8 ? __ldg(at<u8>(src, x, y)) : __ldg(at<u16>(src, x, y));
            }
        }
    }

    // Puts the column in the ring: 16 times its scaled values, and what rounds them.
    __device__ __forceinline__ void put(const Requant& p, const Band& band, int warp, int x, Ring ring) {
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
            const int row = warp + i * WARPS;
            const u32 v16 = stored[i] << band.c.src.shift & 0xffff;
            if (row < 32) ring[row][x & (RING - 1)] = 16 * scaled(band.c, p.guard, v16) + 8;
        }
    }

    // Writes column x from the ring.
    static __device__ __forceinline__ void write(const Requant& p, const Band& band, int warp, int x, Ring ring) {
        const Plane& dst = band.c.dst;
        if (x < 0 || x >= int(dst.width)) return;
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
            const int row = warp + i * WARPS, y = band.first + row;
            if (y >= band.last) break;
            const u32 value = narrow(dst, ring[row][x & (RING - 1)] >> (p.drop + p.guard) << p.drop);
            if (dst.sample == SAMPLE_U8) {
                *at<u8>(dst, x, y) = value;
            } else {
                *at<u16>(dst, x, y) = value;
            }
        }
    }
};

// The residue of column x of the row above, once it is there; outside the plane there is no error.
__device__ __forceinline__ int residue_above(const Band& band, int x, int no_error) {
    if (band.top || x >= int(band.c.src.width)) return no_error;
    u16 marked;
    do {
        marked = band.above[x];
    } while ((marked ^ band.mark) & 0x8000);
    return marked & 0x7fff;
}

extern "C" __global__ void __launch_bounds__(32 + 32 * Feed::WARPS) requant_diffuse(const Requant p) {
    __shared__ u32 ring[32][RING + 1];
    __shared__ int above[2][GROUP];  // residues of the row above, for this group and the next
    __shared__ u32 ticket;
    if (threadIdx.x == 0) ticket = atomicAdd(p.tickets, 1) - p.first_ticket;
    __syncthreads();
    int component = 0, index = ticket;
    while (component < 2 && index >= int(p.bands[component])) index -= p.bands[component++];
    const Component& c = p.component[component];
    const int width = c.src.width, height = c.src.height;
    u16* const residues = c.residues + u64(index) * width;
    const int first = index * 32, last = min(first + 32, height);
    const Band band = {c, first, last, first == 0, last == height, residues - width, residues, u16(p.epoch << 15)};

    const int lane = threadIdx.x % 32, warp = int(threadIdx.x / 32) - 1;
    const u32 cut = p.drop + p.guard;
    const int no_error = 1 << cut >> 1, mask = (1 << cut) - 1;
    const int weight = lane == 0 ? 0 : 3;  // of the residue that comes from the lane above
    Feed feed;
    int left = no_error, up = no_error, up_left = no_error;
    if (warp >= 0) {
        feed.read(band, warp, lane);
        feed.put(p, band, warp, lane, ring);
        feed.read(band, warp, lane + GROUP);
        if (warp == 0) above[0][lane] = residue_above(band, lane + 1, no_error);
    } else if (lane == 0) {
        up = residue_above(band, 0, no_error);
    }
    __syncthreads();
    // Lane l is at column s - 2l at step s; the last one ends 62 steps after the first.
    const int groups = (width + 62 + GROUP - 1) / GROUP;
    for (int g = 0; g < groups + 3; g++) {
        if (warp >= 0) {
            const int x = g * GROUP + lane;
            feed.put(p, band, warp, x + GROUP, ring);
            feed.read(band, warp, x + 2 * GROUP);
            if (warp == 0 && g + 1 < groups) above[(g + 1) % 2][lane] = residue_above(band, x + GROUP + 1, no_error);
            Feed::write(p, band, warp, x - 3 * GROUP, ring);
        } else if (g < groups) {
            const int from_band = above[g % 2][lane];
            u32* const row = ring[lane];
#pragma unroll 1
            for (int k = 0; k < GROUP; k += STEPS) {
                const int x = g * GROUP + k - 2 * lane;
                int parts[STEPS], keep[STEPS], set[STEPS];
#pragma unroll
                for (int i = 0; i < STEPS; i++) {
                    const bool inside = u32(x + i) < u32(width);
                    parts[i] = row[(x + i) & (RING - 1)];
                    // Outside the plane the residue is set to no error.
                    keep[i] = inside ? mask : 0;
                    set[i] = inside ? 0 : no_error;
                }
#pragma unroll
                for (int i = 0; i < STEPS; i++) {
                    const int of_band = __shfl_sync(~0u, from_band, k + i), of_lane = __shfl_up_sync(~0u, left, 1);
                    // Nothing but the two newest residues is left to wait for.
                    const int rest = parts[i] + up_left + 5 * up + (lane == 0 ? 3 * of_band : 0) + 7 * left;
                    const int sum = (rest + weight * of_lane) >> 4;
                    left = (sum & keep[i]) | set[i];
                    up_left = up;
                    up = lane == 0 ? of_band : of_lane;
                    parts[i] = sum;
                    if (lane == 31 && !band.bottom && keep[i] != 0) band.publish(x + i, left);
                }
#pragma unroll
                for (int i = 0; i < STEPS; i++) row[(x + i) & (RING - 1)] = parts[i];
            }
        }
        __syncthreads();
    }
}
