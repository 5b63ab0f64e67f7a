// localtone: pyramids of light, and what is made of their levels. Guided filters of light are in localtone_people.cuh.
//
// Planes of a frame stay in the cache, which shares what neighbours read. A thread makes four samples of a level at a time: what they
// are between in the level above are the same ones. The first halving looks samples up and adds them across in registers. Small levels
// are made two by a launch, since launches follow one another more slowly than blocks make some samples twice; the smallest are made by
// one block. The last launch stores the result.

#include "common/early.cuh"
#include "localtone_far.cuh"
#include "localtone_methods.cuh"
#include "localtone_people.cuh"

constexpr int ALL_THREADS = 1024;  // of the block that makes the last levels
// Of the first halving: rows of a tile, columns that a row of a warp gives, and threads, two warps for each picture.
constexpr int FIRST_ROWS = 8, FIRST_COLUMNS = 60, FIRST_THREADS = LOOKED_UP * 2 * WIDE;

// The table that samples are looked up in, behind a frame's exposure.
extern "C" __global__ void __launch_bounds__(WIDE* DOWN) localtone_expose(const Localtone p) {
    wait_for_launch_before();
    const Place at;
    if (!at.inside(ONE / DOWN, DOWN)) return;
    const int index = at.y * (ONE / DOWN) + at.x;
    const u64 light = p.drop ? light_of(p, u16(index << p.drop)) : index, gain = p.exposing[*p.brightness >> 2];
    const u64 below = (u64(WHITE) << 16) - (light << 16) + gain * light;
    const u64 exposed = (gain * light * WHITE + below / 2) / below;
    if (p.base_curve != nullptr) {
        const int base = p.base_curve[exposed];
        p.curve[light] = base;
        p.slopes[light] = slope_of_base(base, light);
    }
    if (p.base_entries == nullptr || index >= 65536 >> p.drop) return;
    Entry entry = p.base_entries[exposed * gridDim.z + blockIdx.z];
    entry.light = light;
    p.entries[index * gridDim.z + blockIdx.z] = entry;
}

// The first half of the pictures of an entry. A warp looks a row up, four samples a lane, and adds it across, where lanes hand their
// neighbours what these lack; then two warps add a picture down, each half of its rows.
extern "C" __global__ void __launch_bounds__(FIRST_THREADS) localtone_first(const Localtone p) {
    wait_for_launch_before();
    constexpr int WARPS = FIRST_THREADS / WIDE, READ_ROWS = (2 * FIRST_ROWS + 3 + WARPS - 1) / WARPS * WARPS;
    constexpr int HALF_ROWS = FIRST_ROWS / 2;
    __shared__ int2 halved[LOOKED_UP][READ_ROWS][FIRST_COLUMNS / 2];
    const int height = p.heights[0], lane = threadIdx.x % WIDE, warp = threadIdx.x / WIDE;
    // The first lane and the last one are there for their neighbours.
    const bool own = lane > 0 && lane < WIDE - 1;
    const int left = 2 * (int(blockIdx.x) * FIRST_COLUMNS - 2) + 4 * lane, top = 2 * int(blockIdx.y) * FIRST_ROWS - 2;
    const Entry* const entries = p.entries + blockIdx.z;
#pragma unroll
    for (int i = 0; i < READ_ROWS; i += WARPS) {
        const int row = warp + i;
        int luma[4];
        load_four(p, left, clamp(top + row, 0, height - 1), luma);
        // Two pictures are a word: dot products take one of them.
        u32 words[4][3], next[3];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const uint4 entry = __ldg(reinterpret_cast<const uint4*>(entries + index_of(p, luma[i]) * gridDim.z));
            words[i][0] = entry.x, words[i][1] = entry.y, words[i][2] = entry.z;
        }
#pragma unroll
        for (int i = 0; i < 3; i++) next[i] = __shfl_down_sync(~0u, words[0][i], 1);
#pragma unroll
        for (int j = 0; j < LOOKED_UP; j++) {
            const auto add = [&](u32 (&sample)[3], u32 weight, int sum) {
                return dot_lower(sample[j / 2], weight << 8 * (j % 2), sum);
            };
            const int before = __shfl_up_sync(~0u, add(words[2], 1, add(words[3], 4, 0)), 1);
            const int even = add(words[0], 6, add(words[1], 4, add(words[2], 1, before)));
            const int near = add(words[1], 4, add(words[3], 4, 0));
            const int odd = add(words[0], 1, add(words[2], 6, add(next, 1, near)));
            if (own) halved[j][row][lane - 1] = make_int2(even, odd);
        }
    }
    __syncthreads();
    const int index = warp % LOOKED_UP, from = warp / LOOKED_UP * HALF_ROWS, level_y = blockIdx.y * FIRST_ROWS + from;
    const Pictures pictures(p);
    const Level level(p, pictures[blockIdx.z * LOOKED_UP + index], 1);
    if (!own) return;
    const int2(&rows)[READ_ROWS][FIRST_COLUMNS / 2] = halved[index];
    const int x = int(blockIdx.x) * FIRST_COLUMNS + 2 * (lane - 1);
    int2 a = rows[2 * from][lane - 1], b = rows[2 * from + 1][lane - 1], c = rows[2 * from + 2][lane - 1];
#pragma unroll
    for (int i = 0; i < HALF_ROWS; i++) {
        const int2 d = rows[2 * (from + i) + 3][lane - 1], e = rows[2 * (from + i) + 4][lane - 1];
        const int first = (a.x + e.x + 4 * (b.x + d.x) + 6 * c.x + 128) >> 8;
        const int second = (a.y + e.y + 4 * (b.y + d.y) + 6 * c.y + 128) >> 8;
        level.put(x, level_y + i, first, second);
        a = c, b = d, c = e;
    }
}

// The half of level `p.level` of every picture; blocks of all of them lie behind one another.
extern "C" __global__ void __launch_bounds__(WIDE* DOWN) localtone_down(const Localtone p) {
    wait_for_launch_before();
    const Place at;
    down(p, Pictures(p)[blockIdx.z], p.level, at.x, at.y);
}

// Tiles of two halvings: samples of the second one to each side, of the first one that it is made of, and of what that is made of.
constexpr int TWICE = 14, HALF = 2 * TWICE + 4, READ = 2 * HALF + 4;
static_assert(HALF * HALF == 4 * WIDE * DOWN, "a thread makes two by two samples of the first halving");

// The half of level `p.level`, and the half of that, of every picture: a block makes a tile of what lies in shared memory.
extern "C" __global__ void __launch_bounds__(WIDE* DOWN) localtone_down_twice(const Localtone p) {
    wait_for_launch_before();
    constexpr int WORDS = READ / 2, THREADS = WIDE * DOWN;
    __shared__ int read[READ - 1][WORDS];
    __shared__ __align__(4) i16 half[HALF][HALF];
    i16* const samples = Pictures(p)[blockIdx.z];
    const Level from(p, samples, p.level), first(p, samples, p.level + 1), second(p, samples, p.level + 2);
    const int thread = threadIdx.y * WIDE + threadIdx.x, x = blockIdx.x * TWICE, y = blockIdx.y * TWICE;
    const int half_x = 2 * x - 2, half_y = 2 * y - 2;
#pragma unroll
    for (int i = thread; i < (READ - 1) * WORDS; i += THREADS) {
        read[i / WORDS][i % WORDS] = from.word(2 * half_x - 2 + i % WORDS * 2, 2 * half_y - 2 + i / WORDS);
    }
    __syncthreads();
    int words[7][4], made[4];
    const int column = thread % (HALF / 2) * 2, row = thread / (HALF / 2) * 2;
#pragma unroll
    for (int i = 0; i < 7 * 4; i++) words[i / 4][i % 4] = read[2 * row + i / 4][column + i % 4];
    halve(words, made);
    const bool is_inside = column >= 2 && column < HALF - 2 && row >= 2 && row < HALF - 2;
#pragma unroll
    for (int i = 0; i < 2; i++) {
        half[row + i][column] = made[2 * i], half[row + i][column + 1] = made[2 * i + 1];
        if (is_inside) first.put(half_x + column, half_y + row + i, made[2 * i], made[2 * i + 1]);
    }
    __syncthreads();
    // What is outside repeats what is inside, of this level too.
    if (half_x < 0 || half_y < 0 || half_x + HALF > first.width || half_y + HALF > first.height) {
        for (int i = thread; i < HALF * HALF; i += THREADS) {
            const int to_x = i % HALF, to_y = i / HALF;
            const int from_x = clamp(half_x + to_x, 0, first.width - 1) - half_x;
            const int from_y = clamp(half_y + to_y, 0, first.height - 1) - half_y;
            if (from_x != to_x || from_y != to_y) half[to_y][to_x] = half[from_y][from_x];
        }
        __syncthreads();
    }
    if (column >= TWICE || row >= TWICE) return;
#pragma unroll
    for (int i = 0; i < 7 * 4; i++) words[i / 4][i % 4] = words_of(&half[2 * row + i / 4][2 * column])[i % 4];
    halve(words, made);
    second.put(x + column, y + row, made[0], made[1]);
    second.put(x + column, y + row + 1, made[2], made[3]);
}

// Stores what was made of a level.
__device__ __forceinline__ void store(const Level& level, const Quad& at, const Made& made) {
    level.put(at.x, at.y, made.made[0], made.made[1]);
    level.put(at.x, at.y + 1, made.made[2], made.made[3]);
}

// Level `level`, made of the one above it.
template <typename Method>
__device__ __forceinline__ void make_level(const Localtone& p, const Pictures& pictures, int level, int x, int y) {
    const Quad at(p, level, x, y);
    Made made;
    if (!at.has(0)) return;
    Method::template make<false>(Step(p, pictures, level, at, Method::made(p, pictures, level + 1)), made);
    store(Level(p, pictures.results, level), at, made);
}

// One block makes all levels from `p.level` on, and collapses them down to it, in shared memory.
template <typename Method>
__device__ __forceinline__ void last(const Localtone& p) {
    const Pictures all(p);
    const int from = p.offsets[p.level], stride = all.stride - from, count = pitch_of(p.widths[p.level]) * p.heights[p.level] / 2;
    // Offsets are those of device memory.
    i16* const begin = reinterpret_cast<i16*>(shared);
    const Pictures near(begin - from, begin + Method::PICTURES * stride - from, stride);
#pragma unroll 4
    for (int i = threadIdx.x; i < count * Method::PICTURES; i += ALL_THREADS) {
        const int index = i / count, word = i % count;
        reinterpret_cast<u32*>(near[index] + from)[word] = __ldg(reinterpret_cast<const u32*>(all[index] + from) + word);
    }
    __syncthreads();
    for (int level = p.level; level < int(p.depth); level++) {
        const int width = (p.widths[level + 1] + 1) / 2, count = width * ((p.heights[level + 1] + 1) / 2);
        for (int i = threadIdx.x; i < count * Method::PICTURES; i += ALL_THREADS) {
            down(p, near[i / count], level, i % count % width, i % count / width);
        }
        __syncthreads();
    }
    const int tops = pitch_of(p.widths[p.depth]) * p.heights[p.depth];
    for (int i = threadIdx.x; i < tops; i += ALL_THREADS) Method::top(p, near, i);
    for (int level = int(p.depth) - 1; level >= int(p.level); level--) {
        __syncthreads();
        const int width = p.widths[level + 1], count = width * p.heights[level + 1];
        for (int i = threadIdx.x; i < count; i += ALL_THREADS) make_level<Method>(p, near, level, i % width, i / width);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < count; i += ALL_THREADS) {
        reinterpret_cast<u32*>(all.results + from)[i] = reinterpret_cast<const u32*>(near.results + from)[i];
    }
}

extern "C" __global__ void __launch_bounds__(ALL_THREADS) localtone_last_scenery(const Localtone p) {
    wait_for_launch_before();
    last<Scenery>(p);
}
extern "C" __global__ void __launch_bounds__(ALL_THREADS) localtone_last_mixed(const Localtone p) {
    wait_for_launch_before();
    last<Mixed>(p);
}

// The last level, where no block makes it.
extern "C" __global__ void __launch_bounds__(WIDE* DOWN) localtone_top(const Localtone p) {
    wait_for_launch_before();
    const Place at;
    const int width = p.widths[p.depth];
    if (at.inside(width, p.heights[p.depth])) Mixed::top(p, Pictures(p), at.y * pitch_of(width) + at.x);
}

// Level `p.level` of the picture that is made.
template <typename Method>
__device__ __forceinline__ void middle(const Localtone& p) {
    const Place at;
    make_level<Method>(p, Pictures(p), p.level, at.x, at.y);
}

extern "C" __global__ void __launch_bounds__(WIDE* DOWN) localtone_scenery(const Localtone p) {
    wait_for_launch_before();
    middle<Scenery>(p);
}
extern "C" __global__ void __launch_bounds__(WIDE* DOWN) localtone_mixed(const Localtone p) {
    wait_for_launch_before();
    middle<Mixed>(p);
}

// The same, by way of the level above it, which lies in shared memory.
template <typename Method>
__device__ __forceinline__ void twice(const Localtone& p) {
    constexpr int UPPER_WIDE = WIDE / 2 + 2, UPPER_DOWN = DOWN / 2 + 2, PITCH = 2 * UPPER_WIDE;
    __shared__ __align__(4) i16 tile[2 * UPPER_DOWN * PITCH];
    const Pictures pictures(p);
    const int level = p.level, thread = threadIdx.y * WIDE + threadIdx.x;
    const int left = int(blockIdx.x) * (WIDE / 2) - 1, top = int(blockIdx.y) * (DOWN / 2) - 1;
    i16* const begin = tile - (2 * top * PITCH + 2 * left);
    Made made;
    if (thread < UPPER_WIDE * UPPER_DOWN) {
        const int x = left + thread % UPPER_WIDE, y = top + thread / UPPER_WIDE;
        const Quad at(p, level + 1, x, y);
        if (x >= 0 && y >= 0 && at.has(0)) {
            Method::template make<false>(Step(p, pictures, level + 1, at, Method::made(p, pictures, level + 2)), made);
            store(Level(p, begin, level + 1, PITCH), at, made);
        }
    }
    __syncthreads();
    const Place place;
    const Quad at(p, level, place.x, place.y);
    if (!at.has(0)) return;
    Method::template make<false>(Step(p, pictures, level, at, Level(p, begin, level + 1, PITCH)), made);
    store(Level(p, pictures.results, level), at, made);
}

extern "C" __global__ void __launch_bounds__(WIDE* DOWN) localtone_twice_scenery(const Localtone p) {
    wait_for_launch_before();
    twice<Scenery>(p);
}
extern "C" __global__ void __launch_bounds__(WIDE* DOWN) localtone_twice_mixed(const Localtone p) {
    wait_for_launch_before();
    twice<Mixed>(p);
}

// The result.
template <typename Method, bool USUAL>
__device__ __forceinline__ void make_result(const Localtone& p) {
    const Place place;
    const Quad at(p, 0, place.x, place.y);
    if (!at.has(0)) return;
    const Pictures pictures(p);
    Made made;
    load_luma<USUAL>(p, at, made.luma);
    Method::template make<true>(Step(p, pictures, 0, at, Method::made(p, pictures, 1)), made);
    result<USUAL>(p, at, made.luma, made.light, made.made);
}

extern "C" __global__ void __launch_bounds__(WIDE* DOWN, RESULT_BLOCKS - 1) localtone_result_scenery(const Localtone p) {
    wait_for_launch_before();
    p.words == 2 ? make_result<Scenery, true>(p) : make_result<Scenery, false>(p);
}
extern "C" __global__ void __launch_bounds__(WIDE* DOWN, RESULT_BLOCKS) localtone_result_mixed(const Localtone p) {
    wait_for_launch_before();
    p.words == 2 ? make_result<Mixed, true>(p) : make_result<Mixed, false>(p);
}
