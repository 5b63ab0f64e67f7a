// localtone for people: guided filters of light, of means of samples. Skin is spared.
//
// Launches take both filters, one behind the other in `blockIdx.z`, and what is made of skin behind them.
#pragma once

#include "localtone.cuh"

// As src/filters/localtone/plan.rs has them: samples of a mean, and of a block of skin, to each side.
constexpr int WIDE_MEAN = 4, FINE_MEAN = 2, SKIN_BLOCK = 4;

constexpr int FINE = 1, SKIN = 2;  // which of them `blockIdx.z` is

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
__device__ __forceinline__ void mean_skin(const Localtone& p, const Place& at) {
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

// Means of these.
__device__ __forceinline__ void blur_skin(const Localtone& p, const Place& at) {
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

// Means of light, and light itself.
extern "C" __global__ void __launch_bounds__(WIDE* DOWN) localtone_means(const Localtone p) {
    const Place at;
    if (blockIdx.z == SKIN) return mean_skin(p, at);
    const Guided& g = p.guided[blockIdx.z];
    if (!at.inside(g.width, g.height)) return;
    const int width = p.widths[0], side = g.mean;
    const int right = min((at.x + 1) * side, width), bottom = min((at.y + 1) * side, int(p.heights[0]));
    int sum = 0, count = 0;
    for (int y = at.y * side; y < bottom; y++) {
        for (int x = at.x * side; x < right; x++) {
            const int light = light_of(p, luma_at(p, x, y));
            if (blockIdx.z == FINE) p.light[y * width + x] = light;
            sum += light;
            count++;
        }
    }
    g.means[at.y * int(g.width) + at.x] = (sum + count / 2) / count;
}

// Sums of a window's row.
extern "C" __global__ void __launch_bounds__(WIDE* DOWN) localtone_sums(const Localtone p) {
    const Place at;
    if (blockIdx.z == SKIN) return blur_skin(p, at);
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

// Four samples of a plane that is TIMES as small, enlarged: they are between the same two by two, or three by three, of its samples.
template <int TIMES>
__device__ __forceinline__ void enlarge(const int* plane, int width, int height, const Quad& at, int (&v)[4]) {
    constexpr int NEAR = TIMES == 2 ? 3 : 2, ALL = 2 * TIMES;
    const int x = at.x + TIMES / 2, y = at.y + TIMES / 2, left = x / TIMES - 1, top = y / TIMES - 1;
    int across[NEAR][2];
#pragma unroll
    for (int i = 0; i < NEAR; i++) {
        const int* const row = plane + clamp(top + i, 0, height - 1) * width;
        int near[NEAR];
#pragma unroll
        for (int k = 0; k < NEAR; k++) near[k] = row[clamp(left + k, 0, width - 1)];
#pragma unroll
        for (int k = 0; k < 2; k++) {
            const int first = TIMES == 2 ? k : 0, weight = TIMES == 2 ? 3 - 2 * k : 2 * (x % TIMES + k) + 1;
            across[i][k] = (ALL - weight) * near[first] + weight * near[first + 1];
        }
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const int k = i / 2, first = TIMES == 2 ? k : 0, weight = TIMES == 2 ? 3 - 2 * k : 2 * (y % TIMES + k) + 1;
        v[i] = u32((ALL - weight) * across[first][i % 2] + weight * across[first + 1][i % 2] + ALL * ALL / 2) / (ALL * ALL);
    }
}

// The base of four samples of light.
template <int TIMES>
__device__ __forceinline__ void base_of(const Guided& g, const Quad& at, const int (&light)[4], int (&base)[4]) {
    int slope[4], offset[4];
    enlarge<TIMES>(g.smooth[0], g.width, g.height, at, slope);
    enlarge<TIMES>(g.smooth[1], g.width, g.height, at, offset);
#pragma unroll
    for (int i = 0; i < 4; i++) base[i] = (slope[i] * light[i] + (offset[i] << 10) + (1 << 13)) >> 14;
}

// A structure with its gain, in 256ths.
__device__ __forceinline__ int gained(const Localtone& p, int c, int elsewhere, int on_skin, int mask) {
    const int gain = elsewhere + (((on_skin - elsewhere) * mask + 128) >> 8);
    const int above = max(gain - 256, 0) * int(__ldg(p.gain + abs(c)));
    return c * (min(gain, 256) + ((above + 128) >> 8));
}

// What becomes of a sample of light between its bases.
__device__ __forceinline__ int made_of(const Localtone& p, int light, int wide, int fine, int mask) {
    const int base = __ldg(p.curve + wide);
    const int slope = 256 + (((clamp(u32((base + 512) * 256) / u32(wide + 512), 128, 512) - 256) * 160) >> 8);
    const int middle = gained(p, fine - wide, p.gains[0], p.gains[2], mask);
    const int detail = (middle + gained(p, light - fine, p.gains[1], p.gains[3], mask) + 128) >> 8;
    const int local = base + ((detail * slope + 128) >> 8);
    return bounded(p, light, local, __ldg(p.curve + light));
}

// The result, four samples by thread.
extern "C" __global__ void __launch_bounds__(WIDE* DOWN) localtone_people(const Localtone p) {
    const Place at;
    const Quad quad(p, 0, at.x, at.y);
    if (!quad.has(0)) return;
    int light[4], wide[4], fine[4], mask[4] = {}, made[4];
#pragma unroll
    for (int i = 0; i < 4; i++) light[i] = p.light[quad.place(i)];
    base_of<WIDE_MEAN>(p.guided[0], quad, light, wide);
    base_of<FINE_MEAN>(p.guided[1], quad, light, fine);
    if (p.skin_width > 0) enlarge<SKIN_BLOCK>(p.skin[1], p.skin_width, p.skin_height, quad, mask);
#pragma unroll
    for (int i = 0; i < 4; i++) made[i] = made_of(p, light[i], wide[i], fine[i], mask[i]);
    result(p, quad, light, made);
}
