// localtone for people: means of light, and of skin, which is spared.
#pragma once

#include "localtone.cuh"

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
__device__ __forceinline__ void blur_skin(const Localtone& p, int x, int y) {
    const int width = p.skin_width, height = p.skin_height;
    if (x >= width || y >= height) return;
    int sum = 0;
#pragma unroll
    for (int dy = -2; dy <= 2; dy++) {
        const u16* const row = p.skin[0] + clamp(y + dy, 0, height - 1) * width;
#pragma unroll
        for (int dx = -2; dx <= 2; dx++) sum += row[clamp(x + dx, 0, width - 1)];
    }
    p.skin[1][y * width + x] = (sum + 12) / 25;
}

// A mean of light, as far as there is a picture.
__device__ __forceinline__ void mean(const Localtone& p, const Guided& g, int at_x, int at_y) {
    if (at_x >= int(g.width) || at_y >= int(g.height)) return;
    const int side = g.mean, right = min((at_x + 1) * side, int(p.widths[0])), bottom = min((at_y + 1) * side, int(p.heights[0]));
    int sum = 0, count = 0;
    for (int y = at_y * side; y < bottom; y++) {
        for (int x = at_x * side; x < right; x++) {
            sum += light_of(p, luma_at(p, x, y));
            count++;
        }
    }
    g.means[at_y * int(g.width) + at_x] = (sum + count / 2) / count;
}

// The same means of 4x4 words of luma, and of the 2x2 of chroma that cover them.
__device__ __forceinline__ void means_usual(const Localtone& p, const Place& at) {
    int all = 8;
    u32 fine[2][2];
#pragma unroll
    for (int i = 0; i < 2; i++) {
        int left = 0, right = 0;
#pragma unroll
        for (int y = 0; y < 2; y++) {
            const uint2 four = __ldg(at_words<const uint2>(p.src[0], 4 * at.x, 4 * at.y + 2 * i + y));
            left += light_of(p, u16(four.x << p.src[0].shift)) + light_of(p, u16(four.x >> 16 << p.src[0].shift));
            right += light_of(p, u16(four.y << p.src[0].shift)) + light_of(p, u16(four.y >> 16 << p.src[0].shift));
        }
        all += left + right;
        fine[i][0] = (left + 2) >> 2, fine[i][1] = (right + 2) >> 2;
    }
    p.guided[0].means[at.y * int(p.guided[0].width) + at.x] = all >> 4;
#pragma unroll
    for (int i = 0; i < 2; i++) {
        u16* const two = p.guided[1].means + (2 * at.y + i) * int(p.guided[1].width) + 2 * at.x;
        *reinterpret_cast<u32*>(two) = fine[i][0] | fine[i][1] << 16;
    }
    int skin = 2;
#pragma unroll
    for (int y = 0; y < 2; y++) {
        const u32 cb = __ldg(at_words<const u32>(p.src[1], 2 * at.x, 2 * at.y + y));
        const u32 cr = __ldg(at_words<const u32>(p.src[2], 2 * at.x, 2 * at.y + y));
        const u32 b = p.src[1].shift, r = p.src[2].shift;
        skin += skin_of(p, u16(cb << b) - 32768, u16(cr << r) - 32768);
        skin += skin_of(p, u16(cb >> 16 << b) - 32768, u16(cr >> 16 << r) - 32768);
    }
    p.skin[0][at.y * int(p.skin_width) + at.x] = skin >> 2;
}

// Means of light, and of skin: a thread makes one of the wide filter, those of the fine one that it covers, and a block of skin.
extern "C" __global__ void __launch_bounds__(WIDE* DOWN) localtone_means(const Localtone p) {
    wait_for_launch_before();
    const Place at;
    if (!at.inside(p.guided[0].width, p.guided[0].height)) return;
    if (p.words == 2 && 4 * at.x + 3 < int(p.widths[0]) && 4 * at.y + 3 < int(p.heights[0]) && p.guided[1].width % 2 == 0) {
        return means_usual(p, at);
    }
    mean(p, p.guided[0], at.x, at.y);
    for (int i = 0; i < 4; i++) mean(p, p.guided[1], 2 * at.x + i % 2, 2 * at.y + i / 2);
    if (p.skin_width > 0) mean_skin(p, at);
}
