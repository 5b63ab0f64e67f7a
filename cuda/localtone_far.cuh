// localtone for people: windows that are too wide for tiles (localtone_windows.cuh). Sums of rows lie in device memory.
#pragma once

#include "localtone_windows.cuh"

// Sums of a window's row.
extern "C" __global__ void __launch_bounds__(WIDE* DOWN) localtone_far_sums(const Localtone p) {
    wait_for_launch_before();
    const Place at;
    const Guided& g = p.guided[blockIdx.z];
    if (!at.inside(g.width, g.height)) return;
    const int width = g.width, reach = g.reach;
    const u16* const row = g.means + at.y * width;
    u64 sum = 0, squares = 0;
    for (int dx = -reach; dx <= reach; dx++) {
        const u32 v = row[clamp(at.x + dx, 0, width - 1)];
        sum += v;
        squares += v * v;
    }
    g.sums[0][at.y * width + at.x] = sum;
    g.sums[1][at.y * width + at.x] = squares;
}

// Lines of windows.
extern "C" __global__ void __launch_bounds__(WIDE* DOWN) localtone_far_lines(const Localtone p) {
    wait_for_launch_before();
    const Place at;
    const Guided& g = p.guided[blockIdx.z];
    if (!at.inside(g.width, g.height)) return;
    const int width = g.width, height = g.height, reach = g.reach;
    u64 sum = 0, squares = 0;
    for (int dy = -reach; dy <= reach; dy++) {
        const int i = clamp(at.y + dy, 0, height - 1) * width + at.x;
        sum += g.sums[0][i];
        squares += g.sums[1][i];
    }
    const u32 slope = slope_of_window(g, g.count * squares - sum * sum);
    g.lines[at.y * width + at.x] = line_of(slope, ((ONE - slope) * sum + 512 * g.count) / (1024 * g.count));
}

// Both parts of lines, added up across.
extern "C" __global__ void __launch_bounds__(WIDE* DOWN) localtone_far_across(const Localtone p) {
    wait_for_launch_before();
    const Place at;
    const Guided& g = p.guided[blockIdx.z];
    if (!at.inside(g.width, g.height)) return;
    const int width = g.width, reach = g.reach;
    const u32* const row = g.lines + at.y * width;
    u64 slopes = 0, offsets = 0;
    for (int dx = -reach; dx <= reach; dx++) {
        const u32 line = row[clamp(at.x + dx, 0, width - 1)];
        slopes += slope_of(line);
        offsets += offset_of(line);
    }
    g.sums[0][at.y * width + at.x] = slopes;
    g.sums[1][at.y * width + at.x] = offsets;
}

// And down: means of lines.
extern "C" __global__ void __launch_bounds__(WIDE* DOWN) localtone_far_smooth(const Localtone p) {
    wait_for_launch_before();
    const Place at;
    const Guided& g = p.guided[blockIdx.z];
    if (!at.inside(g.width, g.height)) return;
    const int width = g.width, height = g.height, reach = g.reach;
    u64 slopes = g.count / 2, offsets = g.count / 2;
    for (int dy = -reach; dy <= reach; dy++) {
        const int i = clamp(at.y + dy, 0, height - 1) * width + at.x;
        slopes += g.sums[0][i];
        offsets += g.sums[1][i];
    }
    g.smooth[at.y * width + at.x] = line_of(slopes / g.count, offsets / g.count);
}

// Means of skin, which `localtone_lines` makes otherwise.
extern "C" __global__ void __launch_bounds__(WIDE* DOWN) localtone_skin(const Localtone p) {
    wait_for_launch_before();
    const Place at;
    blur_skin(p, at.x, at.y);
}
