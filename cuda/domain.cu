// domain: edge-aware smoothing by recursion along rows and columns, in 32-bit floats whose order is fixed.
//
// A warp goes along 32 lines side by side, a thread along each, forth and back: every step waits for the one before, and takes eight
// cycles where nothing else is to do. So nothing else is: other warps bring it tiles of samples and weights in shared memory, and take
// away what it made of them. What lies line by line they read a row of a tile at a time, and write sample by sample: the first
// samples of all lines, then the second ones. So the plane is turned while the warp goes forth, all reads and writes are of
// neighbours, and back it goes along what was written. The sweep of the other direction finds its lines there, and turns
// the plane back: no other kernel turns it.

#include "common/four.cuh"
#include "generated/domain.cuh"

// As src/filters/domain/plan.rs has them.
constexpr int DROP = 4, STEPS = 1 << (16 - DROP);

// As src/filters/domain/cuda.rs has them.
constexpr int TILE = 32, OPEN_THREADS = 256, STAGES = 3, CARRIERS = 4;

constexpr int SWEEP_THREADS = TILE * (1 + STAGES * CARRIERS);
constexpr int SHARE = TILE / CARRIERS;  // lines, or samples of lines, of a tile that a carrier takes
constexpr int AHEAD = 8;                // samples that are read before they are needed

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

// Tiles in flight, by sample and line: a value, and what weighs the one made before it. Rows of words meet other banks.
struct Belt {
    float2 tiles[STAGES][TILE][TILE + 1];
    float table[STEPS];
};

// A tile waits to be gone along, to be taken away, and to be filled again, by barriers of its stage.
__device__ __forceinline__ int filled(int stage) { return 1 + stage; }
__device__ __forceinline__ int gone_along(int stage) { return 1 + STAGES + stage; }
__device__ __forceinline__ int taken_away(int stage) { return 1 + 2 * STAGES + stage; }

__device__ __forceinline__ void await(int barrier, int warps = 1 + CARRIERS) {
    asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(TILE * warps) : "memory");
}
__device__ __forceinline__ void tell(int barrier) {
    asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "n"(TILE * (1 + CARRIERS)) : "memory");
}

// Goes along tiles, line by thread, and leaves what it makes in place of the values.
__device__ __forceinline__ void go_along(Belt& belt, int tiles) {
    const int line = threadIdx.x % TILE;
    float2 ahead[AHEAD];
    const auto look = [&](int stage, int from) {
#pragma unroll
        for (int i = 0; i < AHEAD; i++) ahead[i] = belt.tiles[stage][from + i][line];
    };
    float near = 0;
    await(filled(0));
    look(0, 0);
    for (int tile = 0, stage = 0; tile < tiles; tile++) {
        const int next = stage + 1 == STAGES ? 0 : stage + 1;
#pragma unroll
        for (int from = 0; from < TILE; from += AHEAD) {
            float2 own[AHEAD];
#pragma unroll
            for (int i = 0; i < AHEAD; i++) own[i] = ahead[i];
            if (from + AHEAD < TILE) {
                look(stage, from + AHEAD);
            } else if (tile + 1 < tiles) {
                await(filled(next));
                look(next, 0);
            }
#pragma unroll
            for (int i = 0; i < AHEAD; i++) {
                near = step(near, own[i].x, own[i].y);
                belt.tiles[stage][from + i][line].x = near;
            }
        }
        tell(gone_along(stage));
        stage = next;
    }
}

// What a carrier reads of a tile: values, what steers them, and what steered the ones before.
struct Load {
    float value[SHARE];
    u32 steer[SHARE], near[SHARE];
};

// Nothing was before: the sample stays as it is.
constexpr u32 NOTHING = 0xffffffffu;

// Fills every STAGESth tile from number `stage` on and takes it away, once it was gone along. Of tile and `Load`, `read` reads it;
// `put` places SHARE samples in the tile; `take` takes the tile away.
template <typename Read, typename Put, typename Take>
__device__ __forceinline__ void carry(const Belt& belt, int stage, int tiles, Read read, Put put, Take take) {
    Load load;
    if (stage < tiles) read(stage, load);
    for (int tile = stage; tile < tiles; tile += STAGES) {
        float2 samples[SHARE];
#pragma unroll
        for (int i = 0; i < SHARE; i++) {
            const u32 difference = __usad(load.steer[i], load.near[i], 0);
            samples[i] = make_float2(load.value[i], load.near[i] == NOTHING ? 0.0f : belt.table[difference >> DROP]);
        }
        if (tile + STAGES < tiles) read(tile + STAGES, load);
        if (tile > stage) {
            await(gone_along(stage));
            take(tile - STAGES);
            // Carriers fill other parts than they take.
            await(taken_away(stage), CARRIERS);
        }
        put(samples);
        tell(filled(stage));
    }
    if (stage < tiles) {
        await(gone_along(stage));
        take((tiles - 1 - stage) / STAGES * STAGES + stage);
    }
}

// Goes forth and back along 32 lines.
extern "C" __global__ void __launch_bounds__(SWEEP_THREADS) domain_sweep(const Domain p) {
    __shared__ Belt belt;
    u32 block = blockIdx.x;
    const Component& c = component_of(p.component, block);
    const Lines rows = {c.rows, c.guide_rows, c.width}, columns = {c.columns, c.guide_columns, c.height};
    // Line by line, and sample by sample.
    const Lines from = p.down ? columns : rows, to = p.down ? rows : columns;
    const int length = p.down ? c.src.height : c.src.width, tiles = (length + TILE - 1) / TILE;
    const int thread = threadIdx.x % TILE, warp = threadIdx.x / TILE, first = block * TILE, line = first + thread;
    // Carriers of a stage take turns in it: both fill a part of a tile, and take away a part.
    const int stage = (warp - 1) / CARRIERS, part = (warp - 1) % CARRIERS * SHARE;
    for (int i = threadIdx.x; i < STEPS; i += SWEEP_THREADS) belt.table[i] = __ldg(p.table + i);
    __syncthreads();

    // Forth: a thread takes samples side by side of several lines, and then of a line each.
    if (warp == 0) {
        go_along(belt, tiles);
    } else {
        carry(
            belt, stage, tiles,
            [&](int tile, Load& load) {
                const int at = tile * TILE + thread;
#pragma unroll
                for (int i = 0; i < SHARE; i++) {
                    const u32 place = u32(first + part + i) * from.pitch + at;
                    load.value[i] = __ldg(from.values + place);
                    load.steer[i] = __ldg(from.guide + place);
                    load.near[i] = at == 0 ? NOTHING : __ldg(from.guide + place - 1);
                }
            },
            [&](const float2 (&samples)[SHARE]) {
#pragma unroll
                for (int i = 0; i < SHARE; i++) belt.tiles[stage][thread][part + i] = samples[i];
            },
            [&](int tile) {
                // Beyond the end of a line there is room, up to a whole tile.
#pragma unroll
                for (int i = 0; i < SHARE; i++) {
                    to.values[u32(tile * TILE + part + i) * to.pitch + line] = belt.tiles[stage][part + i][thread].x;
                }
            });
    }
    __syncthreads();

    // Back, from the end of the last tile.
    const int last = tiles * TILE - 1;
    if (warp == 0) {
        go_along(belt, tiles);
    } else {
        carry(
            belt, stage, tiles,
            [&](int tile, Load& load) {
                const int top = last - tile * TILE - part;
                u32 before = top + 1 < length ? __ldg(to.guide + u32(top + 1) * to.pitch + line) : NOTHING;
#pragma unroll
                for (int i = 0; i < SHARE; i++) {
                    const u32 place = u32(top - i) * to.pitch + line;
                    load.value[i] = to.values[place];
                    load.steer[i] = __ldg(to.guide + place);
                    load.near[i] = before;
                    before = top - i < length ? load.steer[i] : NOTHING;
                }
            },
            [&](const float2 (&samples)[SHARE]) {
#pragma unroll
                for (int i = 0; i < SHARE; i++) belt.tiles[stage][part + i][thread] = samples[i];
            },
            [&](int tile) {
                const int top = last - tile * TILE - part;
                for (int i = 0; i < SHARE; i++) {
                    const float made = belt.tiles[stage][part + i][thread].x;
                    const int at = top - i;
                    if (!p.last) {
                        to.values[u32(at) * to.pitch + line] = made;
                    } else if (at < length && line < int(c.src.width)) {
                        const u32 rounded = min(__float2uint_rz(__fadd_rn(made, 0.5f)), 65535u);
                        store(c.dst, line, at, int(rounded) - bias(c.dst));
                    }
                }
            });
    }
}
