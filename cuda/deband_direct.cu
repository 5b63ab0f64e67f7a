// deband of what the other kernels are not compiled for: the modes that f3kdb has beside AviUtl's, and borders where the nearest
// sample inside is a reference. In modes 6 and 7 a sample goes a share of the distance to the average. A thread filters a sample, and reads its references where they lie.
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

// The product of two shares.
__device__ __forceinline__ u32 times(u32 a, u32 b) { return (a * b + (1 << 14)) >> 15; }

// The share of a sample that differs so from the average, the farthest reference and the middles of both pairs.
__device__ __forceinline__ u32 share(const DebandDirect& p, bool is_steady, u32 average, u32 farthest, u32 first, u32 second) {
    const u16* const tables = p.shares + u64(blockIdx.z * 6 + (is_steady ? 3 : 0)) * p.shares_count;
    const auto of = [&](int table, u32 difference) -> u32 {
        return difference < p.shares_count ? __ldg(tables + table * p.shares_count + difference) : 0;
    };
    return times(times(of(0, average), of(1, farthest)), times(of(2, first), of(2, second)));
}

// The angle of the gradient around (x, y), 65536 to half a turn. In a field, `whole` leaves out the last bit of a number of rows.
__device__ __forceinline__ int angle(const DebandDirect& p, const Plane& src, int x, int y, int whole) {
    constexpr int REACH = 20, STEEPEST = 65535;
    const int columns[3] = {max(x - REACH, 0), x, min(x + REACH, int(src.width) - 1)};
    const int rows[3] = {y - min(REACH, y & whole), y, y + min(REACH, (int(src.height) - 1 - y) & whole)};
    const auto at = [&](int i, int j) -> int { return load(src, columns[i], rows[j]); };
    const int left = at(0, 0) + 2 * at(0, 1) + at(0, 2), right = at(2, 0) + 2 * at(2, 1) + at(2, 2);
    const int above = at(0, 0) + 2 * at(1, 0) + at(2, 0), below = at(0, 2) + 2 * at(1, 2) + at(2, 2);
    const int across = right - left, up = above - below;
    if (across == 0) return STEEPEST;
    const u32 run = abs(across), rise = abs(up);
    const bool is_flat = rise <= run;
    const u32 slope = is_flat ? (rise << 12) / run : (run << 12) / rise;
    const int arc = __ldg(p.arcs + slope), turn = is_flat ? arc : min(32768 - arc, 32767);
    return (across < 0) != (up < 0) ? 32768 - turn : 32768 + turn;
}

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
    const auto column = [&](int dx) { return min(max(x + dx, 0), width - 1); };
    const auto row = [&](int dy) { return y + min(max(dy, -(above & whole)), below & whole); };
    const auto near = [&](int dx, int dy) -> int { return load(c.src, column(dx), row(dy)); };
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
        } else if (p.sample == 5) {
            const int middle = sample.farther((r0 + r1 + 1) >> 1, (r2 + r3 + 1) >> 1);
            const bool is_band = abs(own - average) < c.threshold && farthest < p.farthest[blockIdx.z];
            value = is_band && middle < p.middle[blockIdx.z] ? average : own;
        } else {
            bool is_steady = false;
            if (p.sample == 7) {
                const int angle_here = angle(p, c.src, x, y, whole);
                const auto differs = [&](int dx, int dy) -> int {
                    return abs(angle(p, c.src, column(dx), row(dy), whole) - angle_here);
                };
                const int most = max(max(differs(0, down), differs(0, -down)), max(differs(b, 0), differs(-b, 0)));
                is_steady = u32(most) <= p.max_angle;
            }
            const int first = abs(own - ((r0 + r1 + 1) >> 1)), second = abs(own - ((r2 + r3 + 1) >> 1));
            const u32 part = share(p, is_steady, abs(own - average), farthest, first, second);
            value = own + (part == 0 ? 0 : ((average - own) * int(part) + (1 << 14)) >> 15);
        }
    }
    store(c.dst, x, y, min(max(value + spread(noise, c.dither), c.low), c.high));
}
