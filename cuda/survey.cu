// survey: how bright a frame is, and what it looks like, in a few numbers; and what those of the frames around one come to. What
// blocks count is added up by integer atomics, whose order does not matter.

#include "common/plane.cuh"
#include "generated/survey.cuh"

constexpr int WIDE = 32, DOWN = 8;                             // threads of a block that measures a cell
constexpr int LEVELS = 1024, LEVEL_SHIFT = 6;                  // counts of levels of 16 bits
constexpr int BLACK_LEVELS = 10;                               // those of them that means leave out
constexpr int BINS = 64, BIN_SHIFT = 8;                        // of light
constexpr int LEVEL = 0, HISTOGRAM = 1, CELLS = 1 + BINS;      // where words lie; the mean is the upper half of the level's
constexpr int WHITE = 16383, BITS = 14, TOP = 65535, NEUTRAL = 32768;
constexpr u32 ALL_LANES = 0xffffffff;

__device__ __forceinline__ u64 warp_sum(u64 value) {
#pragma unroll
    for (int step = WIDE / 2; step > 0; step /= 2) value += __shfl_down_sync(ALL_LANES, value, step);
    return value;
}

__device__ __forceinline__ void write_word(const Plane& survey, int word, u32 value) {
    store(survey, 2 * word, 0, value & 0xffff);
    store(survey, 2 * word + 1, 0, value >> 16);
}

// The code of weighed components: what passes 32 bits upwards is above every code.
__device__ __forceinline__ u32 code_of(const Survey& p, int value, int of_chroma) {
    const int light = (value - p.code_black) * p.code_gain + (1 << (BITS - 1));
    const int sum = min(of_chroma, 0x7fffffff - max(light, 0)) + light;
    return min(max(sum >> BITS, 0), TOP);
}

// Light, and the level of 16 bits, of sample (x, y).
__device__ __forceinline__ void brightness(const Survey& p, int x, int y, u32& light, u32& level) {
    const int first = load(p.src[0], x, y);
    int luma = first, most = first, of_chroma = 0;
    if (p.is_rgb) {
        const int second = load(p.src[1], x, y), third = load(p.src[2], x, y);
        luma = (p.luma[0] * first + p.luma[1] * second + p.luma[2] * third + (1 << 14)) >> 15;
        most = max(max(first, second), third);
    }
    light = min(max(((luma - p.black) * p.factor + (1 << 15)) >> 16, 0), WHITE);
    if (!p.by_code) {
        level = light << 2;
        return;
    }
    if (!p.is_rgb) {
        const int cb = load(p.src[1], x >> p.halved_w, y >> p.halved_h) - NEUTRAL;
        const int cr = load(p.src[2], x >> p.halved_w, y >> p.halved_h) - NEUTRAL;
        of_chroma = cb * p.chroma[0][0] + cr * p.chroma[0][1];
#pragma unroll
        for (int i = 1; i < 3; i++) of_chroma = max(of_chroma, cb * p.chroma[i][0] + cr * p.chroma[i][1]);
    }
    level = code_of(p, most, of_chroma);
}

// Where part `part` of `parts` begins among `size` samples.
__device__ __forceinline__ int start_of(u32 part, u32 parts, u32 size) { return (u64(part) * size + parts - 1) / parts; }

// A block measures a cell.
extern "C" __global__ void __launch_bounds__(WIDE* DOWN) survey_measure(const Survey p) {
    __shared__ u32 levels[LEVELS], bins[BINS];
    __shared__ u64 total;
    for (int i = threadIdx.x; i < LEVELS; i += WIDE * DOWN) levels[i] = 0;
    if (threadIdx.x < BINS) bins[threadIdx.x] = 0;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();

    const u32 column = blockIdx.x % p.columns, row = blockIdx.x / p.columns;
    const int left = start_of(column, p.columns, p.src[0].width), right = start_of(column + 1, p.columns, p.src[0].width);
    const int top = start_of(row, p.rows, p.src[0].height), bottom = start_of(row + 1, p.rows, p.src[0].height);
    u64 sum = 0;
    for (int y = top + threadIdx.x / WIDE; y < bottom; y += DOWN)
        for (int x = left + threadIdx.x % WIDE; x < right; x += WIDE) {
            u32 light, level;
            brightness(p, x, y, light, level);
            sum += light;
            atomicAdd(&bins[light >> BIN_SHIFT], 1);
            atomicAdd(&levels[level >> LEVEL_SHIFT], 1);
        }
    sum = warp_sum(sum);
    if (threadIdx.x % WIDE == 0) atomicAdd(&total, sum);
    __syncthreads();

    for (int i = threadIdx.x; i < LEVELS; i += WIDE * DOWN)
        if (levels[i] > 0) atomicAdd(&p.counts[i], levels[i]);
    if (threadIdx.x < BINS && bins[threadIdx.x] > 0) atomicAdd(&p.counts[LEVELS + threadIdx.x], bins[threadIdx.x]);
    if (threadIdx.x == 0) {
        const u64 count = u64(right - left) * u64(bottom - top);
        write_word(p.dst, CELLS + blockIdx.x, u32((total + count / 2) / count));
    }
}

// One block: the level at the rank, the mean, and the histogram.
extern "C" __global__ void __launch_bounds__(LEVELS) survey_finish(const Survey p) {
    __shared__ u32 ends[LEVELS];
    __shared__ u64 total, counted;
    const int i = threadIdx.x;
    const u32 own = p.counts[i];
    ends[i] = own;
    if (i == 0) total = counted = 0;
    __syncthreads();
    if (p.has_mean) {
        const u64 bright = i < BLACK_LEVELS ? 0 : own;
        const u64 sum = warp_sum(bright * ((i << LEVEL_SHIFT) + (1 << (LEVEL_SHIFT - 1)))), count = warp_sum(bright);
        if (i % WIDE == 0) {
            atomicAdd(&total, sum);
            atomicAdd(&counted, count);
        }
    }
    for (int step = 1; step < LEVELS; step *= 2) {
        const u32 before = i >= step ? ends[i - step] : 0;
        __syncthreads();
        ends[i] += before;
        __syncthreads();
    }
    const u64 before = ends[i] - own;
    if (before < p.rank && p.rank <= before + own) {
        const u64 level = (u64(i) << LEVEL_SHIFT) + ((p.rank - before) << LEVEL_SHIFT) / own;
        const u64 mean = counted > 0 ? total / counted : 0;
        write_word(p.dst, LEVEL, u32(min(level, u64(TOP)) | mean << 16));
    }
    if (i < BINS) write_word(p.dst, HISTOGRAM + i, p.counts[LEVELS + i]);
}

__device__ __forceinline__ u32 word_of(const u16* survey, int word) {
    return u32(survey[2 * word]) | u32(survey[2 * word + 1]) << 16;
}

// How far `count` words from `first` on are apart, in the first thread of a warp.
__device__ __forceinline__ u64 apart(const u16* a, const u16* b, int first, int count) {
    u64 sum = 0;
    for (int i = threadIdx.x % WIDE; i < count; i += WIDE) {
        const u32 one = word_of(a, first + i), other = word_of(b, first + i);
        sum += max(one, other) - min(one, other);
    }
    return warp_sum(sum);
}

// One block: the level of the middle one of frames and the mean, from those of its shot. Warps look for cuts.
extern "C" __global__ void __launch_bounds__(LEVELS) survey_smooth(const Smooth p) {
    constexpr int MOST = sizeof(p.surveys) / sizeof(p.surveys[0]);
    __shared__ u32 level[MOST], mean[MOST], begins[MOST], sum, weights, mean_sum, mean_weights;
    __shared__ int first, last;
    const int here = p.frames / 2, radius = p.radius;

    for (int frame = threadIdx.x / WIDE; frame < int(p.frames); frame += LEVELS / WIDE) {
        u64 histogram = 0, picture = 0;
        if (frame > 0) {
            histogram = apart(p.surveys[frame - 1], p.surveys[frame], HISTOGRAM, BINS);
            picture = apart(p.surveys[frame - 1], p.surveys[frame], CELLS, p.cells);
        }
        if (threadIdx.x % WIDE == 0) {
            level[frame] = p.surveys[frame][2 * LEVEL];
            mean[frame] = p.surveys[frame][2 * LEVEL + 1];
            begins[frame] = histogram * 1000 >= 160 * 2 * p.samples && picture * 219 >= 22 * u64(WHITE) * p.cells;
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        sum = weights = mean_sum = mean_weights = 0;
        first = here;
        while (first > 0 && !begins[first]) first--;
        last = here;
        while (last + 1 < int(p.frames) && !begins[last + 1]) last++;
    }
    __syncthreads();
    const int frame = here - radius + int(threadIdx.x);
    if (int(threadIdx.x) <= 2 * radius && frame >= first && frame <= last) {
        u32 own = level[frame];
        if (p.crest)
            for (int i = max(first, frame - radius); i <= min(last, frame + radius); i++) own = max(own, level[i]);
        const u32 weight = radius + 1 - abs(frame - here);
        atomicAdd(&sum, weight * own);
        atomicAdd(&weights, weight);
        if (mean[frame] > 0) {
            atomicAdd(&mean_sum, weight * mean[frame]);
            atomicAdd(&mean_weights, weight);
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        p.level[0] = sum / weights;
        p.level[1] = mean_weights > 0 ? mean_sum / mean_weights : 0;
    }
}
