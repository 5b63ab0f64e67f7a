// localtone: pyramids of light, and what is made of their levels. Guided filters of light are in localtone_people.cuh.
//
// Planes of a frame stay in the cache, which shares what neighbours read. A thread makes four samples of a level at a time: what they
// are between in the level above are the same nine. The first halving looks samples up and adds them across in registers. Levels that
// one block makes faster than launches follow one another are one launch. The last one stores the result.

#include "localtone_people.cuh"

constexpr int REMAPPED = 9;         // pictures of `scenery`; the tenth is what they are made of
constexpr int REMAPPED_WORDS = 16;  // that a value has in their table: they are looked up at once
constexpr int ALL_THREADS = 1024;   // of the block that makes the last levels
constexpr int FIRST_ROWS = 14, FIRST_PART = 4;  // rows of a tile of the first halving, and samples that a thread adds across

// The table that light is looked up in, behind a frame's exposure.
extern "C" __global__ void __launch_bounds__(WIDE* DOWN) localtone_expose(const Localtone p) {
    const Place at;
    if (!at.inside(ONE / DOWN, DOWN)) return;
    const u64 light = at.y * (ONE / DOWN) + at.x, gain = p.exposing[*p.brightness >> 2];
    const u64 below = (u64(WHITE) << 16) - (light << 16) + gain * light;
    const u64 exposed = (gain * light * WHITE + below / 2) / below;
    if (p.base_curve != nullptr) p.curve[light] = p.base_curve[exposed];
    if (p.base_exposures != nullptr) p.exposures[light] = p.base_exposures[exposed];
}

// ---- Levels

// A level of a picture.
struct Level {
    const i16* samples;
    int width, height;

    __device__ __forceinline__ Level(const Localtone& p, const i16* picture, int level)
        : samples(picture + p.offsets[level]), width(p.widths[level]), height(p.heights[level]) {}

    __device__ __forceinline__ int at(int x, int y) const { return samples[y * width + x]; }

    // The four samples of twice the size that lie at twice (x, y).
    __device__ __forceinline__ void up(int x, int y, int (&v)[4]) const {
        const int left = max(x - 1, 0), right = min(x + 1, width - 1);
        int even[3], odd[3];
#pragma unroll
        for (int i = 0; i < 3; i++) {
            const i16* const row = samples + clamp(y + i - 1, 0, height - 1) * width;
            const int here = row[x], next = row[right];
            even[i] = row[left] + 6 * here + next;
            odd[i] = 4 * (here + next);
        }
        v[0] = (even[0] + 6 * even[1] + even[2] + 32) >> 6;
        v[1] = (odd[0] + 6 * odd[1] + odd[2] + 32) >> 6;
        v[2] = (4 * (even[1] + even[2]) + 32) >> 6;
        v[3] = (4 * (odd[1] + odd[2]) + 32) >> 6;
    }

    // Stores sample (x, 2y), and the one below it, of `half`, which has half the size.
    __device__ __forceinline__ void down(int x, int y, const Level& half, i16* to) const {
        int columns[5], rows[7];
#pragma unroll
        for (int i = 0; i < 5; i++) columns[i] = clamp(2 * x + i - 2, 0, width - 1);
#pragma unroll
        for (int i = 0; i < 7; i++) {
            const i16* const v = samples + clamp(4 * y + i - 2, 0, height - 1) * width;
            rows[i] = v[columns[0]] + v[columns[4]] + 4 * (v[columns[1]] + v[columns[3]]) + 6 * v[columns[2]];
        }
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const int* const v = rows + 2 * i;
            const int sum = v[0] + v[4] + 4 * (v[1] + v[3]) + 6 * v[2];
            if (2 * y + i < half.height) to[(2 * y + i) * half.width + x] = (sum + 128) >> 8;
        }
    }
};

__device__ __forceinline__ i16* picture(const Localtone& p, int index) { return p.pyramid + index * u64(p.stride); }

// A coefficient, stronger or weaker by its level's amount.
__device__ __forceinline__ int amplify(const Localtone& p, int level, int c) {
    const int share = __ldg(p.gain + abs(c));
    return c + ((((c * p.amounts[level] + 128) >> 8) * share + 128) >> 8);
}

// Adds coefficients to what lies above them, and stores what they make of a level, or of the FIRST one the result.
template <bool FIRST>
__device__ __forceinline__ void collapse(const Localtone& p, int level, const Quad& at, const Level& above,
                                         const int (&coefficients)[4], int (&light)[4], const int (&base)[4]) {
    int made[4];
    above.up(at.x / 2, at.y / 2, made);
#pragma unroll
    for (int i = 0; i < 4; i++) {
        made[i] = clamp(amplify(p, level, coefficients[i]) + made[i], -32768, 32767);
        if (FIRST) {
            made[i] = bounded(p, light[i], made[i], base[i]);
        } else if (at.has(i)) {
            p.results[p.offsets[level] + at.place(i)] = made[i];
        }
    }
    if (FIRST) result(p, at, light, made);
}

// ---- What both methods are

struct Scenery {
    static constexpr int PICTURES = REMAPPED + 1;

    // What light is halved of.
    static __device__ __forceinline__ int value_of(const Localtone& p, int light, int place, bool own) {
        const int base = __ldg(p.curve + light);
        if (own) p.base[place] = base;
        return base;
    }

    static __device__ __forceinline__ void look_up(const Localtone& p, int value, int (&v)[PICTURES]) {
        const uint4* const entry = reinterpret_cast<const uint4*>(p.remap + value * REMAPPED_WORDS);
        const uint4 first = __ldg(entry);
        const int four[4] = {int(first.x), int(first.y), int(first.z), int(first.w)};
#pragma unroll
        for (int i = 0; i < 8; i++) v[i] = i % 2 ? four[i / 2] >> 16 : i16(four[i / 2]);
        v[8] = i16(__ldg(reinterpret_cast<const u32*>(entry + 1)));
        v[9] = value;
    }

    static __device__ __forceinline__ void top(const Localtone&, int) {}

    template <bool FIRST>
    static __device__ __forceinline__ void make(const Localtone& p, int level, const Quad& at) {
        i16* const guides = picture(p, REMAPPED);
        int guide[4], light[4], between[4], least = REMAPPED, most = 0;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            guide[i] = FIRST ? int(p.base[at.place(i)]) : guides[p.offsets[level] + at.place(i)];
            light[i] = FIRST ? p.light[at.place(i)] : 0;
            between[i] = 1024;
            least = min(least, guide[i] >> 11);
            most = max(most, guide[i] >> 11);
        }
        // Each sample is between two pictures, and neighbours mostly between the same ones.
        for (int j = least; j <= most + 1; j++) {
            int above[4];
            Level(p, picture(p, j), level + 1).up(at.x / 2, at.y / 2, above);
#pragma unroll
            for (int i = 0; i < 4; i++) {
                const int after = j - (guide[i] >> 11), part = guide[i] & 2047;
                if (after != 0 && after != 1) continue;
                const int own = FIRST ? int(__ldg(p.remap + guide[i] * REMAPPED_WORDS + j))
                                      : int(picture(p, j)[p.offsets[level] + at.place(i)]);
                between[i] += (own - above[i]) * (after ? part : 2048 - part);
            }
        }
#pragma unroll
        for (int i = 0; i < 4; i++) between[i] = clamp(between[i] >> 11, -32767, 32767);
        const Level above(p, level + 1 == int(p.depth) ? guides : p.results, level + 1);
        collapse<FIRST>(p, level, at, above, between, light, guide);
    }
};

__device__ __forceinline__ int fused(int dark, int bright, const int (&values)[3]) {
    return (dark * values[0] + (ONE - dark - bright) * values[1] + bright * values[2] + 8192) >> 14;
}

struct Mixed {
    static constexpr int PICTURES = 5;

    static __device__ __forceinline__ int value_of(const Localtone&, int light, int, bool) { return light; }

    static __device__ __forceinline__ int look_up(const Localtone& p, int value, int (&v)[PICTURES]) {
        const uint4 entry = __ldg(reinterpret_cast<const uint4*>(p.exposures + value));
        v[0] = i16(entry.x), v[1] = int(entry.x) >> 16;
        v[2] = i16(entry.y), v[3] = int(entry.y) >> 16;
        v[4] = i16(entry.z);
        return int(entry.z) >> 16;
    }

    // A sample of the last level.
    static __device__ __forceinline__ void top(const Localtone& p, int i) {
        int own[PICTURES];
#pragma unroll
        for (int k = 0; k < PICTURES; k++) own[k] = picture(p, k)[p.offsets[p.depth] + i];
        const int values[3] = {own[2], own[3], own[4]};
        p.results[p.offsets[p.depth] + i] = fused(own[0], own[1], values);
    }

    template <bool FIRST>
    static __device__ __forceinline__ void make(const Localtone& p, int level, const Quad& at) {
        int above[3][4], light[4], base[4], coefficients[4];
#pragma unroll
        for (int k = 0; k < 3; k++) Level(p, picture(p, k + 2), level + 1).up(at.x / 2, at.y / 2, above[k]);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            int own[PICTURES];
            light[i] = base[i] = 0;
            if (FIRST) {
                light[i] = p.light[at.place(i)];
                base[i] = look_up(p, light[i], own);
            } else {
#pragma unroll
                for (int k = 0; k < PICTURES; k++) own[k] = picture(p, k)[p.offsets[level] + at.place(i)];
            }
            const int fine[3] = {own[2] - above[0][i], own[3] - above[1][i], own[4] - above[2][i]};
            coefficients[i] = fused(own[0], own[1], fine);
        }
        collapse<FIRST>(p, level, at, Level(p, p.results, level + 1), coefficients, light, base);
    }
};

// ---- Kernels

// Light, and the first half of every picture of it. A thread looks a part of a row up and adds it across, then a warp adds columns
// of a picture down.
template <typename Method>
__device__ __forceinline__ void first(const Localtone& p) {
    constexpr int PICTURES = Method::PICTURES, READ_ROWS = 2 * FIRST_ROWS + 3, READ = 2 * FIRST_PART + 3;
    __shared__ __align__(16) int halved[PICTURES][READ_ROWS][WIDE];
    const int width = p.widths[0], height = p.heights[0], thread = threadIdx.y * WIDE + threadIdx.x;
    const int part = thread % (WIDE / FIRST_PART) * FIRST_PART, row = thread / (WIDE / FIRST_PART);
    const int left = 2 * (int(blockIdx.x) * WIDE + part) - 2, line = 2 * int(blockIdx.y) * FIRST_ROWS - 2 + row;
    if (row < READ_ROWS) {
        const int y = clamp(line, 0, height - 1);
        const bool own_row = row >= 2 && row < READ_ROWS - 1 && line < height;
        int luma[READ], sums[FIRST_PART][PICTURES] = {};
        // Words are most common, and are read without a question each.
        if (!p.is_rgb && p.src[0].sample == SAMPLE_U16 && p.src[0].step == 1) {
            const u16* const words = at<u16>(p.src[0], 0, y);
#pragma unroll
            for (int i = 0; i < READ; i++) luma[i] = u16(__ldg(words + clamp(left + i, 0, width - 1)) << p.src[0].shift);
        } else {
#pragma unroll
            for (int i = 0; i < READ; i++) luma[i] = luma_at(p, clamp(left + i, 0, width - 1), y);
        }
#pragma unroll
        for (int i = 0; i < READ; i++) {
            const int place = y * width + left + i;
            const bool own = own_row && i >= 2 && i < READ - 1 && left + i < width;
            const int light = light_of(p, luma[i]);
            if (own) p.light[place] = light;
            int v[PICTURES];
            Method::look_up(p, Method::value_of(p, light, place, own), v);
#pragma unroll
            for (int k = 0; k < FIRST_PART; k++) {
                const int tap = i - 2 * k;
                if (tap < 0 || tap > 4) continue;
                const int weight = tap == 2 ? 6 : tap % 2 ? 4 : 1;
#pragma unroll
                for (int j = 0; j < PICTURES; j++) sums[k][j] += weight * v[j];
            }
        }
#pragma unroll
        for (int j = 0; j < PICTURES; j++) {
            *reinterpret_cast<int4*>(&halved[j][row][part]) = make_int4(sums[0][j], sums[1][j], sums[2][j], sums[3][j]);
        }
    }
    __syncthreads();
    const int x = blockIdx.x * WIDE + threadIdx.x;
    if (x >= int(p.widths[1])) return;
    for (int item = threadIdx.y; item < 2 * PICTURES; item += DOWN) {
        constexpr int ROWS = FIRST_ROWS / 2;
        const int from = item % 2 * ROWS, top = blockIdx.y * FIRST_ROWS + from;
        const int(&rows)[READ_ROWS][WIDE] = halved[item / 2];
        i16* const to = picture(p, item / 2) + p.offsets[1] + x;
        int a = rows[2 * from][threadIdx.x], b = rows[2 * from + 1][threadIdx.x], c = rows[2 * from + 2][threadIdx.x];
#pragma unroll
        for (int y = 0; y < ROWS; y++) {
            const int d = rows[2 * (from + y) + 3][threadIdx.x], e = rows[2 * (from + y) + 4][threadIdx.x];
            if (top + y < int(p.heights[1])) to[(top + y) * int(p.widths[1])] = (a + e + 4 * (b + d) + 6 * c + 128) >> 8;
            a = c, b = d, c = e;
        }
    }
}

extern "C" __global__ void __launch_bounds__(WIDE* DOWN) localtone_first_scenery(const Localtone p) { first<Scenery>(p); }
extern "C" __global__ void __launch_bounds__(WIDE* DOWN) localtone_first_mixed(const Localtone p) { first<Mixed>(p); }

// The half of a level of a picture: a thread makes two samples of it, one below the other.
__device__ __forceinline__ void down(const Localtone& p, int index, int level, int x, int y) {
    i16* const samples = picture(p, index);
    const Level half(p, samples, level + 1);
    if (x < half.width && 2 * y < half.height) Level(p, samples, level).down(x, y, half, samples + p.offsets[level + 1]);
}

// The half of level `p.level` of every picture; blocks of all of them lie behind one another.
extern "C" __global__ void __launch_bounds__(WIDE* DOWN) localtone_down(const Localtone p) {
    const Place at;
    down(p, blockIdx.z, p.level, at.x, at.y);
}

// One block makes all levels from `p.level` on, and collapses them down to it.
template <typename Method>
__device__ __forceinline__ void last(const Localtone& p) {
    for (int level = p.level; level < int(p.depth); level++) {
        const int width = p.widths[level + 1], count = width * ((p.heights[level + 1] + 1) / 2);
        for (int i = threadIdx.x; i < count * Method::PICTURES; i += ALL_THREADS) {
            down(p, i / count, level, i % count % width, i % count / width);
        }
        __syncthreads();
    }
    const int tops = p.widths[p.depth] * p.heights[p.depth];
    for (int i = threadIdx.x; i < tops; i += ALL_THREADS) Method::top(p, i);
    for (int level = int(p.depth) - 1; level >= int(p.level); level--) {
        __syncthreads();
        const int width = p.widths[level + 1], count = width * p.heights[level + 1];
        for (int i = threadIdx.x; i < count; i += ALL_THREADS) {
            Method::template make<false>(p, level, Quad(p, level, i % width, i / width));
        }
    }
}

extern "C" __global__ void __launch_bounds__(ALL_THREADS) localtone_last_scenery(const Localtone p) { last<Scenery>(p); }
extern "C" __global__ void __launch_bounds__(ALL_THREADS) localtone_last_mixed(const Localtone p) { last<Mixed>(p); }

// Level `p.level` of the picture that is made, or the result.
template <typename Method, bool FIRST>
__device__ __forceinline__ void make(const Localtone& p) {
    const Place at;
    const int level = FIRST ? 0 : p.level;
    const Quad quad(p, level, at.x, at.y);
    if (quad.has(0)) Method::template make<FIRST>(p, level, quad);
}

extern "C" __global__ void __launch_bounds__(WIDE* DOWN) localtone_scenery(const Localtone p) { make<Scenery, false>(p); }
extern "C" __global__ void __launch_bounds__(WIDE* DOWN) localtone_mixed(const Localtone p) { make<Mixed, false>(p); }
extern "C" __global__ void __launch_bounds__(WIDE* DOWN) localtone_result_scenery(const Localtone p) { make<Scenery, true>(p); }
extern "C" __global__ void __launch_bounds__(WIDE* DOWN) localtone_result_mixed(const Localtone p) { make<Mixed, true>(p); }
