// clahe: histograms of tiles, a curve of each, and for every sample the mean of the curves around it. Integers throughout, so
// the order in which blocks count does not matter.

#include "common/four.cuh"
#include "generated/clahe.cuh"

constexpr int BINS = 256, THREADS = 256, COLUMNS = 128, ROWS = 32;
constexpr int TABLES = 4;         // histograms of a block: two warps share one
constexpr int ONE = 256;          // a weight of one, by column or by row
constexpr u32 JOINED = 8;         // bits that joined curves have below a lane's

// The bin of a lane; as many as there are and more for what is not between black and white.
__device__ __forceinline__ u32 bin_of(const Clahe& p, u32 lane) { return (lane >> p.shift) - p.first; }

// Where part `i` of `count` of a side begins.
__device__ __forceinline__ int start(u32 i, u32 count, u32 size) { return int(u64(i) * size / count); }

// Counts the samples of a tile: a block takes some rows of it.
extern "C" __global__ void __launch_bounds__(THREADS) clahe_count(const Clahe p) {
    __shared__ u32 tables[TABLES][BINS];
    u32 block = blockIdx.x;
    const ClaheComponent& c = component_of(p.component, block);
    const u32 tile = block / c.across, part = block % c.across, column = tile % p.tiles_w, row = tile / p.tiles_w;
    const int left = start(column, p.tiles_w, c.src.width), right = start(column + 1, p.tiles_w, c.src.width);
    const int top = start(row, p.tiles_h, c.src.height), end = start(row + 1, p.tiles_h, c.src.height);
    const int thread = threadIdx.x % 32, warp = threadIdx.x / 32, warps = THREADS / 32;
    for (int i = threadIdx.x; i < TABLES * BINS; i += THREADS) tables[i / BINS][i % BINS] = 0;
    __syncthreads();

    u32* const table = tables[warp % TABLES];
    for (int y = top + part * warps + warp; y < end; y += c.across * warps) {
        u32 last = BINS, times = 0;  // a bin that was met, and how often in a row
        for (int x = (left & ~3) + 4 * thread; x < right; x += 4 * 32) {
            const uint4 four = four_lanes(c.src, x, y);
#pragma unroll
            for (int i = 0; i < 4; i++) {
                const u32 bin = bin_of(p, word(four, i) & 0xffff);
                if (x + i < left || x + i >= right || bin >= p.count) continue;
                if (bin != last && times > 0) atomicAdd(&table[last], times);
                times = bin == last ? times + 1 : 1;
                last = bin;
            }
        }
        if (times > 0) atomicAdd(&table[last], times);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < BINS; i += THREADS) {
        u32 sum = 0;
#pragma unroll
        for (int t = 0; t < TABLES; t++) sum += tables[t][i];
        if (sum > 0) atomicAdd(&c.counts[tile * BINS + i], sum);
    }
}

// The sums of a value over the threads of a block of BINS up to each. All threads take part.
__device__ __forceinline__ u64 sum_upto(u64 value) {
    __shared__ u64 ends[BINS / 32];
    const int thread = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
        const u64 left = __shfl_up_sync(~0u, value, distance);
        if (thread >= distance) value += left;
    }
    __syncthreads();
    if (thread == 31) ends[warp] = value;
    __syncthreads();
    for (int w = 0; w < warp; w++) value += ends[w];
    return value;
}

// The value at the edge before `bin`, as src/filters/clahe/table.rs has it.
__device__ __forceinline__ u32 edge(const Clahe& p, u64 below, u64 lanes, u32 bin) {
    const u64 all = lanes * p.count;
    const u64 above = all == 0 ? u64(bin) << p.shift : ((below << p.shift) + all / 2) / all;
    return u32(min((u64(p.first) << p.shift) + above, u64(0xffff)));
}

// Makes the curve of a tile: a thread has a bin. Counts are zeros again afterwards, for the next frame.
extern "C" __global__ void __launch_bounds__(BINS) clahe_curve(const Clahe p) {
    __shared__ u64 all;
    u32 tile = blockIdx.x;
    const ClaheComponent& c = component_of(p.component, tile);
    const u32 bin = threadIdx.x, count = c.counts[tile * BINS + bin];
    c.counts[tile * BINS + bin] = 0;

    const u64 lanes_upto = sum_upto(count);
    if (bin == BINS - 1) all = lanes_upto;
    __syncthreads();
    const u64 lanes = all, most = lanes * p.clip >> 8, clipped = min(u64(count) * p.count, most);
    const u64 upto = sum_upto(clipped);
    if (bin == BINS - 1) all = upto;
    __syncthreads();
    const u64 shared = lanes * p.count - all;
    const u32 before = edge(p, (upto - clipped) * p.count + shared * bin, lanes, bin);
    const u32 after = edge(p, upto * p.count + shared * (bin + 1), lanes, bin + 1);
    if (bin < p.count) c.curves[tile * BINS + bin] = before | after << 16;
}

// The parts of a side whose centres a place lies between, and the weight of the second.
struct Between {
    int before, after, weight;

    __device__ __forceinline__ Between(int at, int tiles, int size) {
        // In tiles, twice the size of one: from the centre of the first, moved up by one to stay above nothing.
        const u32 place = u32(2 * at + 1) * tiles + size, all = 2 * u32(size);
        const int tile = int(place / all) - 1;
        before = min(max(tile, 0), tiles - 1);
        after = min(tile + 1, tiles - 1);
        weight = int((place % all * ONE + size) / all);
    }
};

// What becomes of a lane, by the curves of four tiles.
__device__ __forceinline__ u32 curved(const Clahe& p, const u32* const (&rows)[2], const Between& x, int weight_y, u32 lane) {
    const u32 bin = bin_of(p, lane);
    if (bin >= p.count) return lane;
    u32 low = 0, high = 0;  // at the edges before and after the bin
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const u32 weight = (i % 2 ? x.weight : ONE - x.weight) * (i / 2 ? weight_y : ONE - weight_y);
        const u32 edges = __ldg(rows[i / 2] + (i % 2 ? x.after : x.before) * BINS + bin);
        low += (edges & 0xffff) * weight;
        high += (edges >> 16) * weight;
    }
    const u32 step = lane & ((1u << p.shift) - 1);
    const u32 value = (low >> (16 - JOINED)) * ((1u << p.shift) - step) + (high >> (16 - JOINED)) * step;
    return (value + (1u << (p.shift + JOINED - 1))) >> (p.shift + JOINED);
}

extern "C" __global__ void __launch_bounds__(THREADS) clahe_make(const Clahe p) {
    u32 block = blockIdx.x;
    const ClaheComponent& c = component_of(p.component, block);
    const int left = block % c.across * COLUMNS, top = block / c.across * ROWS, height = c.src.height;
    if (!c.computes) return pass_on<COLUMNS, THREADS>(c.src, c.dst, left, top, ROWS);
    const int x = left + threadIdx.x % 32 * 4;
    if (x >= int(c.src.width)) return;
    const int width = c.src.width;
    const Between columns[4] = {Between(x, p.tiles_w, width), Between(x + 1, p.tiles_w, width),
                                Between(x + 2, p.tiles_w, width), Between(x + 3, p.tiles_w, width)};
    for (int y = top + threadIdx.x / 32; y < min(top + ROWS, height); y += THREADS / 32) {
        const Between row(y, p.tiles_h, height);
        const u32* const rows[2] = {c.curves + row.before * p.tiles_w * BINS, c.curves + row.after * p.tiles_w * BINS};
        const uint4 four = four_lanes(c.src, x, y);
        int lanes[4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            lanes[i] = int(curved(p, rows, columns[i], row.weight, word(four, i) & 0xffff)) - bias(c.src);
        }
        store_four(c.dst, x, y, lanes);
    }
}
