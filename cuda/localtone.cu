// localtone: light on a working scale of 14 bits, pyramids or guided filters of it, and colours that follow.
//
// Every stage is a kernel over whole planes, a thread a sample: planes of a frame stay in the cache, which shares what
// neighbours read. Only the first halving, which looks samples up, keeps a tile in shared memory.

#include "common/plane.cuh"

// A value in three exposures, as it lies in the table: two weights, three values, and what the fusion makes of it alone.
struct Exposures {
    i16 dark, bright, values[3], base, unused[2];
};

#include "generated/localtone.cuh"

constexpr int WIDE = 32, DOWN = 8;  // threads of a block, and so samples
constexpr int ONE = 16384, WHITE = 16383;
constexpr int REMAPPED = 9;  // pictures of `scenery`; the tenth is what they are made of
constexpr int KNEE = 21504, ABOVE = 7168;

__device__ __forceinline__ int clamp(int value, int low, int high) { return min(max(value, low), high); }

struct Place {
    int x, y;
    __device__ __forceinline__ Place() : x(blockIdx.x * WIDE + threadIdx.x), y(blockIdx.y * DOWN + threadIdx.y) {}
    __device__ __forceinline__ bool inside(int width, int height) const { return x < width && y < height; }
};

// A level of a picture.
struct Level {
    const i16* samples;
    int width, height;

    __device__ __forceinline__ Level(const Localtone& p, const i16* picture, int level)
        : samples(picture + p.offsets[level]), width(p.widths[level]), height(p.heights[level]) {}

    __device__ __forceinline__ int at(int x, int y) const { return __ldg(samples + y * width + x); }

    // A row's part of what a sample of twice the size is between.
    __device__ __forceinline__ int across(int x, int y, bool odd) const {
        const int here = at(x, y), right = at(min(x + 1, width - 1), y);
        return odd ? 4 * (here + right) : at(max(x - 1, 0), y) + 6 * here + right;
    }

    // Sample (x, y) of twice the size.
    __device__ __forceinline__ int up(int x, int y) const {
        const int cx = x / 2, cy = y / 2;
        const bool odd = x % 2;
        const int here = across(cx, cy, odd), below = across(cx, min(cy + 1, height - 1), odd);
        const int sum = y % 2 ? 4 * (here + below) : across(cx, max(cy - 1, 0), odd) + 6 * here + below;
        return (sum + 32) >> 6;
    }
};

__device__ __forceinline__ const i16* picture(const Localtone& p, int index) { return p.pyramid + index * u64(p.stride); }

__device__ __forceinline__ u16 luma_of(const Localtone& p, const int (&colour)[3]) {
    return (p.luma[0] * colour[0] + p.luma[1] * colour[1] + p.luma[2] * colour[2] + (1 << 14)) >> 15;
}

__device__ __forceinline__ void load_colour(const Localtone& p, int x, int y, int (&colour)[3]) {
#pragma unroll
    for (int i = 0; i < 3; i++) colour[i] = load(p.src[i], x, y);
}

// Luma on the 16-bit scale.
__device__ __forceinline__ int luma_at(const Localtone& p, int x, int y) {
    if (!p.is_rgb) return load(p.src[0], x, y);
    int colour[3];
    load_colour(p, x, y, colour);
    return luma_of(p, colour);
}

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

// Light on the working scale, and what the pointwise curve makes of it where pyramids read that.
extern "C" __global__ void __launch_bounds__(WIDE* DOWN) localtone_light(const Localtone p) {
    const Place at;
    const int width = p.widths[0];
    if (!at.inside(width, p.heights[0])) return;
    const int light = clamp(((luma_at(p, at.x, at.y) - p.black) * p.scale + (1 << 15)) >> 16, 0, WHITE);
    p.light[at.y * width + at.x] = light;
    if (p.base != nullptr) p.base[at.y * width + at.x] = __ldg(p.curve + light);
}

// ---- Pyramids

// What each picture is of a value.
struct Remapped {
    static constexpr int PICTURES = REMAPPED + 1;
    static __device__ __forceinline__ const u16* source(const Localtone& p) { return reinterpret_cast<const u16*>(p.base); }
    static __device__ __forceinline__ int look_up(const Localtone& p, int picture, int value) {
        return picture < REMAPPED ? __ldg(p.remap + picture * ONE + value) : value;
    }
};

struct Exposed {
    static constexpr int PICTURES = 5;
    static __device__ __forceinline__ const u16* source(const Localtone& p) { return p.light; }
    static __device__ __forceinline__ int look_up(const Localtone& p, int picture, int value) {
        return __ldg(reinterpret_cast<const i16*>(p.exposures + value) + picture);
    }
};

// The first half of every picture. A tile is looked up and halved across, then down, picture by picture.
template <typename Pictures>
__device__ __forceinline__ void first(const Localtone& p) {
    constexpr int READ_W = 2 * WIDE + 3, READ_H = 2 * DOWN + 3, THREADS = WIDE * DOWN;
    __shared__ u16 values[READ_H][READ_W];
    __shared__ i16 looked_up[READ_H][READ_W];
    __shared__ int halved[READ_H][WIDE];
    const int width = p.widths[0], height = p.heights[0];
    const int left = 2 * int(blockIdx.x) * WIDE - 2, top = 2 * int(blockIdx.y) * DOWN - 2;
    const int thread = threadIdx.y * WIDE + threadIdx.x;
    const u16* const source = Pictures::source(p);
    for (int i = thread; i < READ_W * READ_H; i += THREADS) {
        const int x = clamp(left + i % READ_W, 0, width - 1), y = clamp(top + i / READ_W, 0, height - 1);
        values[i / READ_W][i % READ_W] = __ldg(source + y * width + x);
    }
    const Place at;
    const bool inside = at.inside(p.widths[1], p.heights[1]);
    i16* const to = p.pyramid + p.offsets[1] + at.y * int(p.widths[1]) + at.x;
    for (int picture = 0; picture < Pictures::PICTURES; picture++) {
        __syncthreads();
        for (int i = thread; i < READ_W * READ_H; i += THREADS) {
            looked_up[i / READ_W][i % READ_W] = Pictures::look_up(p, picture, values[i / READ_W][i % READ_W]);
        }
        __syncthreads();
        for (int i = thread; i < WIDE * READ_H; i += THREADS) {
            const i16* const v = &looked_up[i / WIDE][2 * (i % WIDE)];
            halved[i / WIDE][i % WIDE] = v[0] + v[4] + 4 * (v[1] + v[3]) + 6 * v[2];
        }
        __syncthreads();
        const int x = threadIdx.x, y = 2 * threadIdx.y;
        const int sum = halved[y][x] + halved[y + 4][x] + 4 * (halved[y + 1][x] + halved[y + 3][x]) + 6 * halved[y + 2][x];
        if (inside) to[picture * u64(p.stride)] = (sum + 128) >> 8;
    }
}

extern "C" __global__ void __launch_bounds__(WIDE* DOWN) localtone_first_scenery(const Localtone p) { first<Remapped>(p); }
extern "C" __global__ void __launch_bounds__(WIDE* DOWN) localtone_first_mixed(const Localtone p) { first<Exposed>(p); }

// The half of level `p.level` of every picture; blocks of all of them lie behind one another.
extern "C" __global__ void __launch_bounds__(WIDE* DOWN) localtone_down(const Localtone p) {
    const Place at;
    const int next = p.level + 1, width = p.widths[next];
    if (!at.inside(width, p.heights[next])) return;
    const i16* const from = picture(p, blockIdx.z);
    const Level level(p, from, p.level);
    int sum = 0;
#pragma unroll
    for (int dy = -2; dy <= 2; dy++) {
        const int y = clamp(2 * at.y + dy, 0, level.height - 1);
        int v[5];
#pragma unroll
        for (int dx = -2; dx <= 2; dx++) v[dx + 2] = level.at(clamp(2 * at.x + dx, 0, level.width - 1), y);
        const int row = v[0] + v[4] + 4 * (v[1] + v[3]) + 6 * v[2];
        sum += dy == 0 ? 6 * row : dy % 2 ? 4 * row : row;
    }
    p.pyramid[blockIdx.z * u64(p.stride) + p.offsets[next] + at.y * width + at.x] = (sum + 128) >> 8;
}

// A coefficient, stronger or weaker by its level's amount.
__device__ __forceinline__ int amplify(const Localtone& p, int c) {
    const int share = __ldg(p.gain + abs(c));
    return c + ((((c * p.amounts[p.level] + 128) >> 8) * share + 128) >> 8);
}

// What light becomes where the local method made `local` of it and the pointwise one `base`.
__device__ __forceinline__ int bounded(const Localtone& p, int light, int local, int base) {
    const int delta = local - base, size = abs(delta);
    const int head = delta > 0 ? min(WHITE - base, 3 * base) : base;
    const int kept = 2 * size <= head ? size : max(head - head * head / (4 * size), 0);
    const int made = base + (delta > 0 ? kept : -kept);
    const int mixed = light + (((made - light) * p.strength + 128) >> 8);
    return __ldg(p.last + clamp(mixed, 0, WHITE));
}

// Adds the coefficient of a sample to what lies above it, and writes the level, or light itself.
__device__ __forceinline__ void collapse(const Localtone& p, const Place& at, const Level& above, int coefficient, int base) {
    const int made = clamp(amplify(p, coefficient) + above.up(at.x, at.y), -32768, 32767);
    const int i = at.y * int(p.widths[p.level]) + at.x;
    if (p.level == 0) {
        p.made[i] = bounded(p, p.light[i], made, base);
    } else {
        p.results[p.offsets[p.level] + i] = made;
    }
}

extern "C" __global__ void __launch_bounds__(WIDE* DOWN) localtone_scenery(const Localtone p) {
    const Place at;
    const int level = p.level, width = p.widths[level];
    if (!at.inside(width, p.heights[level])) return;
    const i16* const guides = picture(p, REMAPPED);
    const int i = at.y * width + at.x;
    const int guide = level == 0 ? __ldg(p.base + i) : Level(p, guides, level).at(at.x, at.y);
    const int j = guide >> 11, part = guide & 2047;
    int c[2];
#pragma unroll
    for (int k = 0; k < 2; k++) {
        const i16* const from = picture(p, j + k);
        const int own = level == 0 ? __ldg(p.remap + (j + k) * ONE + guide) : Level(p, from, level).at(at.x, at.y);
        c[k] = own - Level(p, from, level + 1).up(at.x, at.y);
    }
    const int between = clamp((c[0] * (2048 - part) + c[1] * part + 1024) >> 11, -32767, 32767);
    collapse(p, at, Level(p, level + 1 == int(p.depth) ? guides : p.results, level + 1), between, guide);
}

__device__ __forceinline__ int fused(int dark, int bright, const int (&values)[3]) {
    return (dark * values[0] + (ONE - dark - bright) * values[1] + bright * values[2] + 8192) >> 14;
}

// The last level.
extern "C" __global__ void __launch_bounds__(WIDE* DOWN) localtone_top(const Localtone p) {
    const Place at;
    const int width = p.widths[p.depth];
    if (!at.inside(width, p.heights[p.depth])) return;
    int own[5];
#pragma unroll
    for (int k = 0; k < 5; k++) own[k] = Level(p, picture(p, k), p.depth).at(at.x, at.y);
    const int values[3] = {own[2], own[3], own[4]};
    p.results[p.offsets[p.depth] + at.y * width + at.x] = fused(own[0], own[1], values);
}

extern "C" __global__ void __launch_bounds__(WIDE* DOWN) localtone_mixed(const Localtone p) {
    const Place at;
    const int level = p.level, width = p.widths[level];
    if (!at.inside(width, p.heights[level])) return;
    int own[5], base = 0;
    if (level == 0) {
        const Exposures* const entry = p.exposures + p.light[at.y * width + at.x];
#pragma unroll
        for (int k = 0; k < 5; k++) own[k] = __ldg(reinterpret_cast<const i16*>(entry) + k);
        base = __ldg(&entry->base);
    } else {
#pragma unroll
        for (int k = 0; k < 5; k++) own[k] = Level(p, picture(p, k), level).at(at.x, at.y);
    }
    int fine[3];
#pragma unroll
    for (int k = 0; k < 3; k++) fine[k] = own[k + 2] - Level(p, picture(p, k + 2), level + 1).up(at.x, at.y);
    collapse(p, at, Level(p, p.results, level + 1), fused(own[0], own[1], fine), base);
}

// ---- Guided filters: `blockIdx.z` is which of the two

extern "C" __global__ void __launch_bounds__(WIDE* DOWN) localtone_means(const Localtone p) {
    const Place at;
    const Guided& g = p.guided[blockIdx.z];
    if (!at.inside(g.width, g.height)) return;
    const int width = p.widths[0], side = g.mean;
    const int right = min((at.x + 1) * side, width), bottom = min((at.y + 1) * side, int(p.heights[0]));
    int sum = 0, count = 0;
    for (int y = at.y * side; y < bottom; y++) {
        for (int x = at.x * side; x < right; x++) {
            sum += p.light[y * width + x];
            count++;
        }
    }
    g.means[at.y * int(g.width) + at.x] = (sum + count / 2) / count;
}

// Sums of a window's row.
extern "C" __global__ void __launch_bounds__(WIDE* DOWN) localtone_sums(const Localtone p) {
    const Place at;
    const Guided& g = p.guided[blockIdx.z];
    if (!at.inside(g.width, g.height)) return;
    const int width = g.width, reach = g.reach;
    const int* const row = g.means + at.y * width;
    u64 sum = 0, squares = 0;
    for (int dx = -reach; dx <= reach; dx++) {
        const u32 v = row[clamp(at.x + dx, 0, width - 1)];
        sum += v;
        squares += v * v;
    }
    g.sums[at.y * width + at.x] = sum;
    g.squares[at.y * width + at.x] = squares;
}

// How much of the guide the base follows in a window, and what is added.
extern "C" __global__ void __launch_bounds__(WIDE* DOWN) localtone_lines(const Localtone p) {
    const Place at;
    const Guided& g = p.guided[blockIdx.z];
    if (!at.inside(g.width, g.height)) return;
    const int width = g.width, height = g.height, reach = g.reach;
    u64 sum = 0, squares = 0;
    for (int dy = -reach; dy <= reach; dy++) {
        const int i = clamp(at.y + dy, 0, height - 1) * width + at.x;
        sum += g.sums[i];
        squares += g.squares[i];
    }
    const u64 n = g.count;
    const u64 variance = n * squares - sum * sum;
    const float follows = __fdiv_rn(__ull2float_rn(variance), __ull2float_rn(variance + g.edge));
    const u32 slope = __fadd_rn(__fmul_rn(follows, 16384.0f), 0.5f);
    g.lines[0][at.y * width + at.x] = slope;
    g.lines[1][at.y * width + at.x] = ((ONE - slope) * sum + 512 * n) / (1024 * n);
}

// Both parts of lines, added up across.
extern "C" __global__ void __launch_bounds__(WIDE* DOWN) localtone_across(const Localtone p) {
    const Place at;
    const Guided& g = p.guided[blockIdx.z];
    if (!at.inside(g.width, g.height)) return;
    const int width = g.width, reach = g.reach;
#pragma unroll
    for (int k = 0; k < 2; k++) {
        const int* const row = g.lines[k] + at.y * width;
        int sum = 0;
        for (int dx = -reach; dx <= reach; dx++) sum += row[clamp(at.x + dx, 0, width - 1)];
        g.across[k][at.y * width + at.x] = sum;
    }
}

// And down: their means.
extern "C" __global__ void __launch_bounds__(WIDE* DOWN) localtone_blur(const Localtone p) {
    const Place at;
    const Guided& g = p.guided[blockIdx.z];
    if (!at.inside(g.width, g.height)) return;
    const int width = g.width, height = g.height, reach = g.reach;
#pragma unroll
    for (int k = 0; k < 2; k++) {
        u64 sum = g.count / 2;
        for (int dy = -reach; dy <= reach; dy++) sum += g.across[k][clamp(at.y + dy, 0, height - 1) * width + at.x];
        g.smooth[k][at.y * width + at.x] = sum / g.count;
    }
}

// How much a colour is one of skin, in 256ths.
__device__ __forceinline__ int skin_of(const Localtone& p, int cb, int cr) {
    const int of_cb = __ldg(p.skin_cb + clamp((32768 + cb) >> 6, 0, 1023));
    const int of_cr = __ldg(p.skin_cr + clamp((32768 + cr) >> 6, 0, 1023));
    return (of_cb * of_cr + 128) >> 8;
}

// Cb and Cr about 0 of a colour.
__device__ __forceinline__ void chroma_of(const Localtone& p, const int (&colour)[3], int luma, int& cb, int& cr) {
    cb = ((colour[2] - luma) * p.chroma[0] + (1 << 13)) >> 14;
    cr = ((colour[0] - luma) * p.chroma[1] + (1 << 13)) >> 14;
}

__device__ __forceinline__ int skin_at(const Localtone& p, int x, int y) {
    int cb, cr;
    if (p.is_rgb) {
        int colour[3];
        load_colour(p, x, y, colour);
        chroma_of(p, colour, luma_of(p, colour), cb, cr);
    } else {
        cb = load(p.src[1], x, y) - 32768;
        cr = load(p.src[2], x, y) - 32768;
    }
    return skin_of(p, cb, cr);
}

// Skin in blocks of 4x4 samples of luma.
extern "C" __global__ void __launch_bounds__(WIDE* DOWN) localtone_skin(const Localtone p) {
    const Place at;
    if (!at.inside(p.skin_width, p.skin_height)) return;
    const int across = 4 >> p.halved_w, down = 4 >> p.halved_h;
    const int right = min((at.x + 1) * across, int(p.src[1].width));
    const int bottom = min((at.y + 1) * down, int(p.src[1].height));
    int sum = 0, count = 0;
    for (int y = at.y * down; y < bottom; y++) {
        for (int x = at.x * across; x < right; x++) {
            sum += skin_at(p, x, y);
            count++;
        }
    }
    p.skin[0][at.y * int(p.skin_width) + at.x] = (sum + count / 2) / count;
}

extern "C" __global__ void __launch_bounds__(WIDE* DOWN) localtone_skin_blur(const Localtone p) {
    const Place at;
    const int width = p.skin_width, height = p.skin_height;
    if (!at.inside(width, height)) return;
    int sum = 0;
    for (int dy = -2; dy <= 2; dy++) {
        for (int dx = -2; dx <= 2; dx++) {
            sum += p.skin[0][clamp(at.y + dy, 0, height - 1) * width + clamp(at.x + dx, 0, width - 1)];
        }
    }
    p.skin[1][at.y * width + at.x] = (sum + 12) / 25;
}

// Where a sample lies between two of a plane that is `times` as small.
struct Between {
    int first, second, weight;
    __device__ __forceinline__ Between(int at, int times, int size) {
        const int place = at + times / 2, before = place / times - 1;
        weight = 2 * (place % times) + 1;
        first = clamp(before, 0, size - 1);
        second = clamp(before + 1, 0, size - 1);
    }
};

__device__ __forceinline__ int enlarged(const int* plane, int width, const Between& x, const Between& y, int times) {
    const int all = 2 * times;
    const int* const above = plane + y.first * width;
    const int* const below = plane + y.second * width;
    const int first = (all - x.weight) * above[x.first] + x.weight * above[x.second];
    const int second = (all - x.weight) * below[x.first] + x.weight * below[x.second];
    return ((all - y.weight) * first + y.weight * second + all * all / 2) / (all * all);
}

// The base of a sample of light.
__device__ __forceinline__ int base_of(const Guided& g, const Place& at, int light) {
    const Between x(at.x, g.mean, g.width), y(at.y, g.mean, g.height);
    const int slope = enlarged(g.smooth[0], g.width, x, y, g.mean);
    const int offset = enlarged(g.smooth[1], g.width, x, y, g.mean);
    return (slope * light + (offset << 10) + (1 << 13)) >> 14;
}

// A structure with its gain, in 256ths.
__device__ __forceinline__ int gained(const Localtone& p, int c, int elsewhere, int on_skin, int mask) {
    const int gain = elsewhere + (((on_skin - elsewhere) * mask + 128) >> 8);
    const int above = max(gain - 256, 0) * int(__ldg(p.gain + abs(c)));
    return c * (min(gain, 256) + ((above + 128) >> 8));
}

extern "C" __global__ void __launch_bounds__(WIDE* DOWN) localtone_people(const Localtone p) {
    const Place at;
    const int width = p.widths[0];
    if (!at.inside(width, p.heights[0])) return;
    const int light = p.light[at.y * width + at.x];
    const int wide = base_of(p.guided[0], at, light), fine = base_of(p.guided[1], at, light);
    int mask = 0;
    if (p.skin_width > 0) {
        const Between x(at.x, 4, p.skin_width), y(at.y, 4, p.skin_height);
        mask = enlarged(p.skin[1], p.skin_width, x, y, 4);
    }
    const int base = __ldg(p.curve + wide);
    const int slope = 256 + (((clamp((base + 512) * 256 / (wide + 512), 128, 512) - 256) * 160) >> 8);
    const int middle = gained(p, fine - wide, p.gains[0], p.gains[2], mask);
    const int detail = (middle + gained(p, light - fine, p.gains[1], p.gains[3], mask) + 128) >> 8;
    const int local = base + ((detail * slope + 128) >> 8);
    p.made[at.y * width + at.x] = bounded(p, light, local, __ldg(p.curve + light));
}

// ---- The result

// What becomes of a colour: a factor in 4096ths, and what warmth adds.
struct Recolour {
    int factor, warm;

    __device__ __forceinline__ Recolour(const Localtone& p, int light, int made, int cb, int cr) {
        int follow = (made + 160) * 4096 / (light + 160);
        follow = clamp(4096 + (((follow - 4096) * p.follow) >> 12), 1024, 12288);
        const int size = max(abs(cb), abs(cr));
        const int dull = p.vibrance * clamp(28672 - 2 * size, 0, 28672);
        // Rounded down, below 0 too.
        int saturation = p.saturation + (dull >= 0 ? dull / 28672 : -((28671 - dull) / 28672));
        saturation -= ((saturation - 4096) * ((skin_of(p, cb, cr) * p.spared) >> 8)) >> 8;
        factor = (follow * saturation + 2048) >> 12;
        const int grown = (size * factor + 2048) >> 12;
        if (grown > KNEE) {
            const int over = grown - KNEE;
            factor = (KNEE + over * ABOVE / (over + ABOVE)) * 4096 / size;
        }
        factor = (factor * p.kept + 128) >> 8;
        warm = (((made * (ONE - made)) >> 12) * p.warmth) >> 14;
    }

    __device__ __forceinline__ int scaled(int chroma) const { return (chroma * factor + 2048) >> 12; }
};

__device__ __forceinline__ int new_luma(const Localtone& p, int v16, int light, int made) {
    return clamp(v16 + (((made - light) * p.span + (1 << 13)) >> 14), 0, 65535);
}

__device__ __forceinline__ void result_rgb(const Localtone& p, int x, int y) {
    int colour[3], cb, cr;
    load_colour(p, x, y, colour);
    const int i = y * int(p.widths[0]) + x, light = p.light[i], made = p.made[i], luma = luma_of(p, colour);
    chroma_of(p, colour, luma, cb, cr);
    const Recolour to(p, light, made, cb, cr);
    const int after = new_luma(p, luma, light, made);
#pragma unroll
    for (int k = 0; k < 3; k++) {
        const int warm = (to.warm * p.warm[k] + (1 << 13)) >> 14;
        store(p.dst[k], x, y, clamp(after + to.scaled(colour[k] - luma) + warm, 0, 65535));
    }
}

// A sample of chroma, and those of luma that it covers; of grey and R, G, B one place.
extern "C" __global__ void __launch_bounds__(WIDE* DOWN) localtone_result(const Localtone p) {
    const Place at;
    const int width = p.widths[0], height = p.heights[0];
    const int across = 1 << p.halved_w, down = 1 << p.halved_h;
    if (!at.inside((width + across - 1) / across, (height + down - 1) / down)) return;
    if (p.is_rgb) return result_rgb(p, at.x, at.y);
    int light_sum = 0, made_sum = 0;
    for (int dy = 0; dy < down; dy++) {
        for (int dx = 0; dx < across; dx++) {
            const int x = min(at.x * across + dx, width - 1), y = min(at.y * down + dy, height - 1);
            const int light = p.light[y * width + x], made = p.made[y * width + x];
            light_sum += light;
            made_sum += made;
            if (x == at.x * across + dx && y == at.y * down + dy) {
                store(p.dst[0], x, y, new_luma(p, load(p.src[0], x, y), light, made));
            }
        }
    }
    if (!p.has_chroma) return;
    const int count = across * down;
    const int light = (light_sum + count / 2) / count, made = (made_sum + count / 2) / count;
    const int cb = load(p.src[1], at.x, at.y) - 32768, cr = load(p.src[2], at.x, at.y) - 32768;
    const Recolour to(p, light, made, cb, cr);
    store(p.dst[1], at.x, at.y, clamp(32768 + to.scaled(cb) - to.warm, 0, 65535));
    store(p.dst[2], at.x, at.y, clamp(32768 + to.scaled(cr) + to.warm, 0, 65535));
}
