// domain: edge-aware smoothing by recursion along rows and columns, in 32-bit floats whose order is fixed.
//
// A thread goes along a line, forth and back, and a warp along 32 lines side by side. What lies line by line it reads in tiles
// through shared memory, a row of a tile at a time, and writes sample by sample: the first samples of all lines, then the second
// ones. So it turns the plane while it goes forth, all reads and writes are of neighbours, and back it goes along what it
// wrote. The sweep of the other direction finds its lines there, and turns the plane back: no other kernel turns it.
//
// Each step waits for the one before; reads and weights do not, and are made a tile ahead.

#include "common/four.cuh"
#include "generated/domain.cuh"

// As src/filters/domain/plan.rs has it.
constexpr int DROP = 4;

// As src/filters/domain/cuda.rs has them.
constexpr int TILE = 32, OPEN_THREADS = 256;

constexpr int BACK = 16;  // samples that are read at a time while it goes back

// The mean of the guide's samples that sample (x, y) covers, rounded half up.
__device__ __forceinline__ u32 steer_at(const Component& c, int x, int y) {
    const int w = c.subsampling_w, h = c.subsampling_h;
    u32 sum = 0;
    for (int v = 0; v < 1 << h; v++)
        for (int u = 0; u < 1 << w; u++)
            sum += lane(c.guide, inside((x << w) + u, c.guide.width), inside((y << h) + v, c.guide.height));
    return (sum + ((1u << (w + h)) >> 1)) >> (w + h);
}

// Reads a tile of the source and of what steers it.
extern "C" __global__ void __launch_bounds__(OPEN_THREADS) domain_open(const Domain p) {
    __shared__ u16 tile[TILE][TILE + 2];
    u32 block = blockIdx.x;
    const Component& c = component_of(p.component, block);
    const int across = c.width / TILE, left = block % across * TILE, top = block / across * TILE;
    if (!c.filters) {
        pass_on<TILE, OPEN_THREADS>(c.src, c.dst, left, top, TILE);
        return;
    }
    const int column = threadIdx.x % TILE;
    for (int row = threadIdx.x / TILE; row < TILE; row += OPEN_THREADS / TILE) {
        const int x = inside(left + column, c.src.width), y = inside(top + row, c.src.height);
        const u32 steer = steer_at(c, x, y);
        const u32 place = u32(top + row) * c.width + left + column;
        c.rows[place] = float(lane(c.src, x, y));
        c.guide_rows[place] = tile[row][column] = steer;
    }
    __syncthreads();
    for (int row = threadIdx.x / TILE; row < TILE; row += OPEN_THREADS / TILE) {
        c.guide_columns[u32(left + row) * c.height + top + column] = tile[column][row];
    }
}

// What neighbours weigh.
__device__ __forceinline__ float weight(const Domain& p, u32 a, u32 b) { return __ldg(p.table + (__usad(a, b, 0) >> DROP)); }

// A step to the neighbour `value` of what was made last.
__device__ __forceinline__ float step(float near, float value, float weight) {
    return __fmaf_rn(weight, __fsub_rn(near, value), value);
}

// One direction's samples and guides.
struct Lines {
    float* values;
    u16* guide;
    u32 pitch;
};

// Goes forth and back along 32 lines.
extern "C" __global__ void __launch_bounds__(TILE) domain_sweep(const Domain p) {
    __shared__ float values[TILE][TILE + 1];
    __shared__ u32 steers[TILE][TILE + 1];
    u32 block = blockIdx.x;
    const Component& c = component_of(p.component, block);
    const Lines rows = {c.rows, c.guide_rows, c.width}, columns = {c.columns, c.guide_columns, c.height};
    // Line by line, and sample by sample.
    const Lines from = p.down ? columns : rows, to = p.down ? rows : columns;
    const int length = p.down ? c.src.height : c.src.width;
    const u32 thread = threadIdx.x, first = block * TILE, line = first + thread;

    float value[TILE], weights[TILE];
    u32 steer[TILE];
    const auto fetch = [&](u32 left) {
#pragma unroll
        for (u32 i = 0; i < TILE; i++) {
            const u32 place = (first + i) * from.pitch + left + thread;
            value[i] = __ldg(from.values + place);
            steer[i] = __ldg(from.guide + place);
        }
    };
    fetch(0);
    float near = 0;
    u32 near_steer = 0;
    for (int left = 0; left < length; left += TILE) {
        __syncwarp();
#pragma unroll
        for (int i = 0; i < TILE; i++) {
            values[i][thread] = value[i];
            steers[i][thread] = steer[i];
        }
        __syncwarp();
        if (left + TILE < length) fetch(left + TILE);
        if (left == 0) {
            // The first sample of a line stays.
            near = values[thread][0];
            near_steer = steers[thread][0];
        }
        float own[TILE];
#pragma unroll
        for (int i = 0; i < TILE; i++) {
            const u32 next = steers[thread][i];
            own[i] = values[thread][i];
            weights[i] = weight(p, next, near_steer);
            near_steer = next;
        }
        // Beyond the end of a line there is room, up to a whole tile.
#pragma unroll
        for (int i = 0; i < TILE; i++) {
            near = step(near, own[i], weights[i]);
            to.values[u32(left + i) * to.pitch + line] = near;
        }
    }

    const auto fetch_back = [&](int top) {
#pragma unroll
        for (int i = 0; i < BACK; i++) {
            const u32 place = u32(max(top - i, 0)) * to.pitch + line;
            value[i] = to.values[place];
            steer[i] = __ldg(to.guide + place);
        }
    };
    fetch_back(length - 1);
    near = value[0];
    near_steer = steer[0];
    const bool stores = p.last && line < c.src.width;
    for (int top = length - 1; top >= 0; top -= BACK) {
        float own[BACK];
#pragma unroll
        for (int i = 0; i < BACK; i++) {
            own[i] = value[i];
            weights[i] = weight(p, steer[i], near_steer);
            near_steer = steer[i];
        }
        fetch_back(top - BACK);
#pragma unroll
        for (int i = 0; i < BACK; i++) {
            near = step(near, own[i], weights[i]);
            if (i > top) continue;
            if (!p.last) {
                to.values[u32(top - i) * to.pitch + line] = near;
            } else if (stores) {
                const u32 rounded = min(__float2uint_rz(__fadd_rn(near, 0.5f)), 65535u);
                store(c.dst, line, top - i, int(rounded) - bias(c.dst));
            }
        }
    }
}
