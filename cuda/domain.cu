// domain: edge-aware smoothing by recursion along rows and columns, in 32-bit floats whose order is fixed.
//
// A warp goes along a few lines side by side, a thread along each, forth and back: every step waits for the one before, and takes
// eight cycles where nothing else is to do. So nothing else is: other warps bring it tiles of samples and weights in shared memory,
// and take away what it made of them. They read and write samples side by side, whichever way lines lie: rows are turned in shared
// memory alone, and samples stay where they are. Blocks are narrow, and so many: what passes through shared memory would bind a
// wide one before its steps do. The second dimension of the grid are frames.

#include "domain.cuh"

// As src/filters/domain/tuning.rs has them.
constexpr int LINES = 16, STAGES = 4, CARRIERS = 2;

constexpr int SWEEP_THREADS = TILE * (1 + STAGES * CARRIERS);
constexpr int SHARE = LINES / CARRIERS;  // samples of a tile that a carrier's thread takes
constexpr int AHEAD = 4;                 // pairs of samples that are read before they are needed

// Reads a tile of the source and of what steers it, four samples side by side a thread.
extern "C" __global__ void __launch_bounds__(OPEN_THREADS) domain_open(const Domain p) {
    u32 block = blockIdx.x;
    const Component& c = component_of(p.component, block);
    const Frame& frame = p.frame[blockIdx.y];
    const Plane &src = frame.src[c.index], &guide = frame.src[c.guide];
    const int across = c.pitch / TILE, left = block % across * TILE, top = block / across * TILE;
    if (!c.filters) {
        pass_on<TILE, OPEN_THREADS>(src, frame.dst[c.index], left, top, TILE);
        return;
    }
    const int x = left + threadIdx.x % (TILE / 4) * 4, row = top + threadIdx.x / (TILE / 4), y = inside(row, src.height);
    const uint4 four = four_lanes(src, x, y);
    uint4 steer = four;
    if (c.guide != c.index) {
        steer = make_uint4(steer_at(c, guide, x, y), steer_at(c, guide, x + 1, y), steer_at(c, guide, x + 2, y),
                           steer_at(c, guide, x + 3, y));
    }
    const u32 place = blockIdx.y * c.stride + u32(row) * c.pitch + x;
    *reinterpret_cast<float4*>(c.values + place) = make_float4(four.x, four.y, four.z, four.w);
    *reinterpret_cast<uint2*>(c.steers + place) = make_uint2(steer.x | steer.y << 16, steer.z | steer.w << 16);
}

// Tiles in flight, by pair of samples and line: values, each with what weighs the one made before it, and what was made. Rows of
// words meet other banks.
struct Belt {
    float4 tiles[STAGES][TILE / 2][LINES + 1];
    float2 made[STAGES][TILE / 2][LINES + 1];
    float4 table[STEPS / 4];

    __device__ __forceinline__ float weight(u32 difference) const {
        return reinterpret_cast<const float*>(table)[difference >> DROP];
    }
};

#ifndef VRAMP_WHOLE_BLOCK_BARRIERS
// A tile waits to be gone along, and to be filled again, by barriers of its stage.
struct Turns {
    static __device__ __forceinline__ int filled(int, int stage) { return 1 + stage; }
    static __device__ __forceinline__ int gone_along(int, int stage) { return 1 + STAGES + stage; }

    __device__ __forceinline__ void await(int barrier) {
        asm volatile("bar.sync %0, %1;" ::"r"(barrier), "n"(TILE * (1 + CARRIERS)) : "memory");
    }
    __device__ __forceinline__ void tell(int barrier) {
        asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "n"(TILE * (1 + CARRIERS)) : "memory");
    }
    __device__ __forceinline__ void end(int) {}
};
#else
// The same for tools that do not follow barriers of some warps: every warp is at a barrier of the block for each of these events, in
// the order in which the warp that goes along meets them.
struct Turns {
    int next = 0;

    static __device__ __forceinline__ int filled(int tile, int) { return max(2 * tile - 1, 0); }
    static __device__ __forceinline__ int gone_along(int tile, int) { return 2 * tile + 2; }

    __device__ __forceinline__ void await(int event) {
        for (; next <= event; next++) __syncthreads();
    }
    __device__ __forceinline__ void tell(int event) { await(event); }
    __device__ __forceinline__ void end(int tiles) { await(gone_along(tiles - 1, 0)); }
};
#endif

// Goes along tiles, line by thread. Threads without a line step along, and leave shared memory's turns to others.
__device__ __forceinline__ void go_along(Belt& belt, int tiles) {
    constexpr int PAIRS = TILE / 2;
    const int line = threadIdx.x % LINES;
    const bool has_line = threadIdx.x < LINES;
    float4 ahead[AHEAD] = {};
    float near = 0;
    Turns turns;
    turns.await(turns.filled(0, 0));
#pragma unroll
    for (int i = 0; i < AHEAD; i++)
        if (has_line) ahead[i] = belt.tiles[0][i][line];
    for (int tile = 0, stage = 0; tile < tiles; tile++) {
        const int next = stage + 1 == STAGES ? 0 : stage + 1;
        // A tile ahead, so that nothing waits at its end.
        if (tile + 1 < tiles) turns.await(turns.filled(tile + 1, next));
#pragma unroll
        for (int pair = 0; pair < PAIRS; pair++) {
            float4& own = ahead[pair % AHEAD];
            const float first = step(near, own.x, own.y);
            near = step(first, own.z, own.w);
            if (has_line) {
                // Behind the last tile, what is read is not used.
                own = pair + AHEAD < PAIRS ? belt.tiles[stage][pair + AHEAD][line] : belt.tiles[next][pair + AHEAD - PAIRS][line];
                belt.made[stage][pair][line] = make_float2(first, near);
            }
        }
        turns.tell(turns.gone_along(tile, stage));
        stage = next;
    }
}

// Samples of a block's lines, in memory. DOWN: lines are columns. BACK: they are gone along from the end of their last tile.
template <bool DOWN, bool BACK>
struct Lines {
    float* values;
    const u16* steers;
    int length, last;
    // A thread of a carrier takes SHARE samples of a tile: of lines side by side, or of one. Of the first: its line of the block,
    // its place in the tile, and in memory.
    int line, sample;
    u32 place;
    // Distances in memory: of rows, of a thread's samples, and of tiles.
    u32 pitch, stride, advance;

    __device__ __forceinline__ Lines(const Component& c, int first, int thread, int part)
        : values(c.values), steers(c.steers), length(DOWN ? c.height : c.width), pitch(c.pitch) {
        last = (length + TILE - 1) / TILE * TILE - 1;
        line = DOWN ? thread % LINES : part * SHARE;
        sample = DOWN ? (part * (TILE / LINES) + thread / LINES) * SHARE : thread;
        const u32 from = BACK ? last - sample : sample;
        place = blockIdx.y * c.stride + (DOWN ? from * pitch + first + line : (first + line) * pitch + from);
        const u32 along = DOWN ? pitch : 1, forth = BACK ? 0 - along : along;
        stride = DOWN ? forth : pitch;
        advance = forth * TILE;
    }

    // What number i of a thread's samples has.
    __device__ __forceinline__ u32 place_of(int tile, int i) const { return place + tile * advance + i * stride; }
    __device__ __forceinline__ int line_of(int i) const { return DOWN ? line : line + i; }
    __device__ __forceinline__ int at(int tile, int i) const {
        const int n = tile * TILE + sample + (DOWN ? i : 0);
        return BACK ? last - n : n;
    }
    // Nothing is before a line's first sample.
    __device__ __forceinline__ bool is_first(int at) const { return BACK ? at + 1 >= length : at == 0; }

    // Puts a thread's samples in a tile, or takes what was made of them.
    __device__ __forceinline__ void put(float4 (&tile)[TILE / 2][LINES + 1], const float2 (&v)[SHARE]) const {
#pragma unroll
        for (int i = 0; i < SHARE; i += DOWN ? 2 : 1) {
            if (DOWN) {
                tile[(sample + i) / 2][line] = make_float4(v[i].x, v[i].y, v[i + 1].x, v[i + 1].y);
            } else {
                reinterpret_cast<float2*>(&tile[sample / 2][line + i])[sample % 2] = v[i];
            }
        }
    }
    __device__ __forceinline__ void take(const float2 (&made)[TILE / 2][LINES + 1], float (&v)[SHARE]) const {
#pragma unroll
        for (int i = 0; i < SHARE; i += DOWN ? 2 : 1) {
            if (DOWN) {
                const float2 two = made[(sample + i) / 2][line];
                v[i] = two.x;
                v[i + 1] = two.y;
            } else {
                v[i] = reinterpret_cast<const float*>(&made[sample / 2][line + i])[sample % 2];
            }
        }
    }
};

// What a carrier reads of a tile: values, what steers them, and what steered the ones before.
struct Load {
    float value[SHARE];
    u32 steer[SHARE], near[SHARE];
};

// Fills every STAGESth tile from number `stage` on. What was made of it, once it was gone along, goes to `store`.
template <bool DOWN, bool BACK, typename Store>
__device__ __forceinline__ void carry(Belt& belt, const Lines<DOWN, BACK>& lines, int stage, int tiles, Store store) {
    Load load;
    Turns turns;
    const auto read = [&](int tile) {
#pragma unroll
        for (int i = 0; i < SHARE; i++) {
            const u32 place = lines.place_of(tile, i);
            const u16* const steer = lines.steers + place;
            load.value[i] = lines.values[place];
            load.steer[i] = __ldg(steer);
            // Before a line's first sample there is memory, and what is read there does not count.
            if (DOWN && i > 0) {
                load.near[i] = load.steer[i - 1];
            } else {
                const u32 step = DOWN ? lines.pitch : 1;
                load.near[i] = __ldg(BACK ? steer + step : steer - step);
            }
        }
    };
    const auto take = [&](int tile) {
        turns.await(turns.gone_along(tile, stage));
        float made[SHARE];
        lines.take(belt.made[stage], made);
#pragma unroll
        for (int i = 0; i < SHARE; i++) store(tile, i, made[i]);
    };
    if (stage < tiles) read(stage);
    for (int tile = stage; tile < tiles; tile += STAGES) {
        float2 samples[SHARE];
#pragma unroll
        for (int i = 0; i < SHARE; i++) {
            samples[i] = make_float2(load.value[i], belt.weight(__usad(load.steer[i], load.near[i], 0)));
        }
        if (tile == 0) {
#pragma unroll
            for (int i = 0; i < SHARE; i++)
                if (lines.is_first(lines.at(0, i))) samples[i].y = 0;
        }
        if (tile + STAGES < tiles) read(tile + STAGES);
        if (tile > stage) take(tile - STAGES);
        lines.put(belt.tiles[stage], samples);
        turns.tell(turns.filled(tile, stage));
    }
    if (stage < tiles) take((tiles - 1 - stage) / STAGES * STAGES + stage);
    turns.end(tiles);
}

// Goes along the lines of a block in one direction. FINAL: what is made is stored.
template <bool DOWN, bool BACK, bool FINAL>
__device__ __forceinline__ void go(Belt& belt, const Component& c, int block, const Plane& dst) {
    const int length = DOWN ? c.height : c.width, tiles = (length + TILE - 1) / TILE;
    const int thread = threadIdx.x % TILE, warp = threadIdx.x / TILE;
    if (warp == 0) {
        go_along(belt, tiles);
        return;
    }
    // Carriers of a stage take a part of its tiles each.
    const int first = block * LINES;
    const Lines<DOWN, BACK> lines(c, first, thread, (warp - 1) % CARRIERS);
    carry(belt, lines, (warp - 1) / CARRIERS, tiles, [&](int tile, int i, float made) {
        if (!FINAL) {
            lines.values[lines.place_of(tile, i)] = made;
            return;
        }
        const int x = first + lines.line_of(i), y = lines.at(tile, i);
        if (x < int(c.width) && y < int(c.height)) {
            const u32 rounded = min(__float2uint_rz(__fadd_rn(made, 0.5f)), 65535u);
            store(dst, x, y, int(rounded) - bias(dst));
        }
    });
}

// Forth and back along lines.
template <bool DOWN>
__device__ __forceinline__ void sweep(const Domain& p) {
    __shared__ Belt belt;
    u32 block = blockIdx.x;
    const Component& c = component_of(p.component, block);
    const Plane& dst = p.frame[blockIdx.y].dst[c.index];
    const float4* const table = reinterpret_cast<const float4*>(p.table);
    for (int i = threadIdx.x; i < STEPS / 4; i += SWEEP_THREADS) belt.table[i] = __ldg(table + i);
    __syncthreads();
    go<DOWN, false, false>(belt, c, block, dst);
    __syncthreads();
    if (DOWN && p.last) {
        go<DOWN, true, true>(belt, c, block, dst);
    } else {
        go<DOWN, true, false>(belt, c, block, dst);
    }
}

extern "C" __global__ void __launch_bounds__(SWEEP_THREADS, 3) domain_across(const Domain p) { sweep<false>(p); }
extern "C" __global__ void __launch_bounds__(SWEEP_THREADS, 3) domain_down(const Domain p) { sweep<true>(p); }
