// banding: contrasts between levels, after the definition of CAMBI; integers throughout.
//
// `banding_codes` makes codes of ten bits, and `banding_mark` marks those of flat areas. `banding_modes` makes one scale of
// the one before. `banding_contrasts` looks for contrasts at all scales in one launch, and `banding_map` shows them.

#include "generated/banding.cuh"

constexpr int TILE = 32, THREADS = 256, DOWN = THREADS / TILE;  // columns and rows of a block; rows at a time
constexpr int TALL = 64;                                        // rows of a block that looks for contrasts
constexpr int AROUND = 3, WINDOW = 2 * AROUND + 1;              // whose neighbours say whether an area is flat
constexpr int SCALES = 5;
constexpr u32 FLAT = 0x8000, CODE = 1023, ALL_LANES = 0xffffffff;
__constant__ u32 WEIGHTS[SCALES] = {16, 8, 4, 2, 1};

// What all scales together weigh.
constexpr u32 WEIGHT = 31;

// The place of a block's first sample in a plane of `width` columns.
struct Corner {
    int left, top;
    __device__ __forceinline__ explicit Corner(u32 width) {
        const u32 across = (width + TILE - 1) / TILE;
        left = blockIdx.x % across * TILE;
        top = blockIdx.x / across * TILE;
    }
};

// The code of ten bits of a sample, which is rounded to the stream's depth first.
__device__ __forceinline__ u32 code_at(const Banding& p, int x, int y) {
    const u32 drop = 16 - p.depth;
    const u32 stored = min(u32(load(p.src, x, y)) + ((1u << drop) >> 1), 65535u) >> drop << drop;
    return min((stored + 32) >> 6, CODE);
}

extern "C" __global__ void __launch_bounds__(THREADS) banding_codes(const Banding p) {
    const int width = p.scale[0].width, height = p.scale[0].height;
    const Corner corner(width);
    const int x = corner.left + threadIdx.x % TILE;
    if (x >= width) return;
    for (int i = threadIdx.x / TILE; i < TILE; i += DOWN) {
        const int y = corner.top + i;
        if (y >= height) return;
        u32 code = code_at(p, x, y);
        if (p.smooths) {
            const bool right = x + 1 < width, below = y + 1 < height;
            if (right) code += code_at(p, x + 1, y);
            if (below) code += code_at(p, x, y + 1);
            if (right && below) code += code_at(p, x + 1, y + 1);
            code >>= int(right) + int(below);
        }
        p.codes[y * width + x] = code;
    }
}

extern "C" __global__ void __launch_bounds__(THREADS) banding_mark(const Banding p) {
    __shared__ u8 flats[TILE + 2 * AROUND][TILE + 2 * AROUND];
    __shared__ u8 sums[TILE][TILE + 2 * AROUND];
    const int width = p.scale[0].width, height = p.scale[0].height;
    const Corner corner(width);
    constexpr int ROOM = TILE + 2 * AROUND;
    for (int i = threadIdx.x; i < ROOM * ROOM; i += THREADS) {
        const int x = corner.left - AROUND + i % ROOM, y = corner.top - AROUND + i / ROOM;
        bool flat = false;
        if (x >= 0 && y >= 0 && x < width && y < height) {
            const u16* own = p.codes + y * width + x;
            flat = (x + 1 == width || own[0] == own[1]) && (y + 1 == height || own[0] == own[width]);
        }
        flats[i / ROOM][i % ROOM] = flat;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < TILE * ROOM; i += THREADS) {
        u32 sum = 0;
#pragma unroll
        for (int k = 0; k < WINDOW; k++) sum += flats[i / ROOM + k][i % ROOM];
        sums[i / ROOM][i % ROOM] = sum;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < TILE * TILE; i += THREADS) {
        const int x = corner.left + i % TILE, y = corner.top + i / TILE;
        if (x >= width || y >= height) continue;
        u32 sum = 0;
#pragma unroll
        for (int k = 0; k < WINDOW; k++) sum += sums[i / TILE][i % TILE + k];
        p.marked[y * width + x] = p.codes[y * width + x] | (sum > p.flat ? FLAT : 0);
    }
}

// The value that two of the three have, else the smallest.
__device__ __forceinline__ u32 mode(u32 a, u32 b, u32 c) {
    if (a == b || a == c) return a;
    return b == c ? b : min(a, min(b, c));
}

extern "C" __global__ void __launch_bounds__(THREADS) banding_modes(const Banding p) {
    const Scale& to = p.scale[p.making];
    const Scale& before = p.scale[max(int(p.making) - 1, 0)];
    const u16* from = p.making == 0 ? p.marked : before.map;
    const int step = p.making == 0 ? 1 : 2;
    const int width = to.width, height = to.height;
    const Corner corner(width);
    const int x = corner.left + threadIdx.x % TILE;
    if (x >= width) return;
    auto marked = [&](int x, int y) { return u32(from[step * y * int(before.width) + step * x]); };
    auto across = [&](int y) {
        const u32 own = marked(x, y) & CODE;
        return x == 0 || x + 1 == width ? own : mode(marked(x - 1, y) & CODE, own, marked(x + 1, y) & CODE);
    };
    for (int i = threadIdx.x / TILE; i < TILE; i += DOWN) {
        const int y = corner.top + i;
        if (y >= height) return;
        u32 value = marked(x, y);
        if (y > 0 && y + 1 < height) value = (value & FLAT) | mode(across(y - 1), across(y), across(y + 1));
        to.map[y * width + x] = value;
    }
}

// A warp has a strip of columns, and every thread counts the samples of each code in the window around its own column. The
// counts of a code lie side by side. A row that enters a window or leaves it is read by all threads, and what differs
// between both is counted one after the other: of flat areas, little does.
struct Strip {
    const Banding& p;
    const Scale& scale;
    u16* counts;
    int left, lane;

    __device__ __forceinline__ u16& count(int row) const { return counts[row * p.wide + lane]; }

    // The sample of a row that is counted in column `x`; 0: none.
    __device__ __forceinline__ u32 counted(int x, int y) const {
        if (x < 0 || y < 0 || x >= int(scale.width) || y >= int(scale.height)) return 0;
        const u32 marked = scale.map[y * scale.width + x];
        return (marked & FLAT) && (marked & CODE) <= p.ceiling ? marked : 0;
    }

    // Windows move on: row `leaves` leaves them, and row `enters` enters. A row outside the plane has nothing.
    __device__ __forceinline__ void slide(int leaves, int enters) const {
        const int radius = p.radius, end = left + int(p.wide) + radius;
        for (int first = left - radius; first < end; first += TILE) {
            const u32 less = counted(first + lane, leaves), more = counted(first + lane, enters);
            u32 differ = __ballot_sync(ALL_LANES, less != more);
            while (differ) {
                const int at = __ffs(differ) - 1;
                differ &= differ - 1;
                const u32 out = __shfl_sync(ALL_LANES, less, at), in = __shfl_sync(ALL_LANES, more, at);
                if (lane < int(p.wide) && abs(first + at - left - lane) <= radius) {
                    if (out) count((out & CODE) + p.step_count)--;
                    if (in) count((in & CODE) + p.step_count)++;
                }
            }
        }
    }

    // The contrast of the thread's sample of row `y`.
    __device__ __forceinline__ u32 contrast(int y) const {
        const u32 marked = counted(left + lane, y);
        if (!marked) return 0;
        const u32 code = marked & CODE;
        const int middle = code + p.step_count;
        const u32 own = count(middle);
        // The highest of fractions, which is divided once.
        u32 high = 0, low = 1;
        for (int i = 0; i < int(p.step_count); i++) {
            const Step step = p.steps[i];
            if (code < step.lowest || code > step.highest) continue;
            const u32 other = max(count(middle + i + 1), count(middle - i - 1));
            const u32 weighed = step.weight * other, both = own + other;
            if (weighed * low > high * both) {
                high = weighed;
                low = both;
            }
        }
        return high * own * p.gain / low;
    }
};

extern "C" __global__ void __launch_bounds__(TILE) banding_contrasts(const Banding p) {
    extern __shared__ u32 shared[];
    u32 block = blockIdx.x, index = 0;
    while (block >= p.scale[index].blocks) block -= p.scale[index++].blocks;
    const Scale& scale = p.scale[index];
    const int lane = threadIdx.x, radius = p.radius;
    const int left = block % scale.across * p.wide, top = block / scale.across * TALL;
    const int bottom = min(top + TALL, int(scale.height));
    const Strip strip = {p, scale, reinterpret_cast<u16*>(shared), left, lane};

    const u32 words = (p.ceiling + 1 + 2 * p.step_count) * p.wide / 2;
    for (u32 i = lane; i < words; i += TILE) shared[i] = 0;
    __syncthreads();
    constexpr int NONE = -1;
    for (int y = max(top - radius, 0); y < top + radius; y++) strip.slide(NONE, y);

    const bool has_column = lane < int(p.wide) && left + lane < int(scale.width);
    u32 last = 0, run = 0;  // a contrast that was met, and how often in a row
    for (int y = top; y < bottom; y++) {
        strip.slide(y > top ? y - radius - 1 : NONE, y + radius);
        if (!has_column) continue;
        const u32 contrast = strip.contrast(y);
        if (scale.contrasts) scale.contrasts[y * scale.width + left + lane] = contrast;
        if (contrast != last) {
            if (last > 0) atomicAdd(scale.counts + last, run);
            last = contrast;
            run = 0;
        }
        run++;
    }
    if (last > 0) atomicAdd(scale.counts + last, run);
}

extern "C" __global__ void __launch_bounds__(THREADS) banding_map(const Banding p) {
    const Corner corner(p.scale[0].width);
    for (int i = threadIdx.x; i < TILE * TILE; i += THREADS) {
        const int x = corner.left + i % TILE, y = corner.top + i / TILE;
        if (x < int(p.dst[0].width) && y < int(p.dst[0].height)) {
            u32 sum = 0;
#pragma unroll
            for (int s = 0; s < SCALES; s++) {
                sum += WEIGHTS[s] * p.scale[s].contrasts[(y >> s) * p.scale[s].width + (x >> s)];
            }
            const u32 mean = (sum + WEIGHT / 2) / WEIGHT;
            store(p.dst[0], x, y, p.black + (mean * (p.white - p.black) + 32767) / 65535);
        }
        // Chroma has no colour.
#pragma unroll
        for (int plane = 1; plane < 3; plane++) {
            if (x < int(p.dst[plane].width) && y < int(p.dst[plane].height)) store(p.dst[plane], x, y, 0x8000);
        }
    }
}
