// deband of what the other kernels are not compiled for: the modes that f3kdb has beside AviUtl's, and borders where the nearest
// sample inside is a reference. A thread filters a sample, and reads its references where they lie.
#include "deband.cuh"

// A sample and what it may become.
struct Own {
    int own, threshold;
    bool blur_first;

    __device__ __forceinline__ int farther(int a, int b) const { return max(abs(own - a), abs(own - b)); }

    __device__ __forceinline__ int take(int value, int farthest) const {
        return (blur_first ? abs(own - value) : farthest) < threshold ? value : own;
    }

    __device__ __forceinline__ int pair(int p, int m) const { return take((p + m + 1) >> 1, farther(p, m)); }
};

extern "C" __global__ void __launch_bounds__(256) deband_direct(const DebandDirect p) {
    const Component& c = p.base.component[blockIdx.z];
    const int x = blockIdx.x * 32 + threadIdx.x % 32, y = blockIdx.y * 8 + threadIdx.x / 32;
    const int width = c.src.width, height = c.src.height;
    if (x >= width || y >= height) return;
    const u8* const bytes = p.base.offsets + u64(y) * p.base.offsets_pitch + 2 * x;
    const int noise = __ldg(c.noise + u64(y) * p.base.noise_pitch + x);
    const int above = y, below = height - 1 - y;
    const int n = p.extend ? c.range : min(c.range, min(min(x, width - 1 - x), min(above, below)));
    const int a = spread(__ldg(bytes), n), b = spread(__ldg(bytes + 1), n);
    const int room = p.sample == 0 ? above : min(above, below);
    const auto rows = [&](int offset) {
        return !p.base.by_field ? offset : p.extend ? offset & ~1 : within_field(offset, room);
    };
    // Outside, the nearest sample; in a field, that of the nearest of its rows.
    const int whole = p.base.by_field ? ~1 : ~0;
    const auto near = [&](int dx, int dy) {
        return load(c.src, min(max(x + dx, 0), width - 1), y + min(max(dy, -(above & whole)), below & whole));
    };
    const int own = near(0, 0), down = rows(a);
    const Own sample = {own, c.threshold, p.blur_first != 0};
    int value;
    if (p.sample == 0) {
        const int r = near(b, down);
        value = sample.take(r, abs(own - r));
    } else if (p.sample == 1) {
        value = sample.pair(near(b, down), near(-b, -down));
    } else if (p.sample == 3) {
        value = sample.pair(near(b, 0), near(-b, 0));
    } else {
        const bool is_cross = p.sample != 2;
        const int across = is_cross ? 0 : b, up = is_cross ? 0 : -rows(b), along = is_cross ? b : a;
        const int r0 = near(across, down), r1 = near(-across, -down);
        const int r2 = near(along, up), r3 = near(-along, -up);
        const int average = (r0 + r1 + r2 + r3 + 2) >> 2;
        const int farthest = max(sample.farther(r0, r1), sample.farther(r2, r3));
        if (p.sample == 2) {
            value = sample.take(average, farthest);
        } else if (p.sample == 4) {
            value = (sample.pair(r0, r1) + sample.pair(r2, r3) + 1) >> 1;
        } else {
            const int middle = sample.farther((r0 + r1 + 1) >> 1, (r2 + r3 + 1) >> 1);
            const bool is_band = abs(own - average) < c.threshold && farthest < p.farthest[blockIdx.z];
            value = is_band && middle < p.middle[blockIdx.z] ? average : own;
        }
    }
    store(c.dst, x, y, min(max(value + spread(noise, c.dither), c.low), c.high));
}
