// deblock: the edges of blocks, upright ones first, then level ones.

#include "common/window.cuh"
#include "generated/deblock.cuh"

// As src/filters/deblock has them.
constexpr int OUTPUTS = 4, RADIUS = 4;

constexpr int ROWS = BLOCK_ROWS<OUTPUTS>, PITCH = COLUMNS + 2 * RADIUS, HIGH = ROWS + 2 * RADIUS;

__device__ __forceinline__ int limited(int value, int most) { return min(max(value, -most), most); }

// What becomes of v[1] to v[4] of the samples p2, p1, p0, q0, q1 and q2.
__device__ __forceinline__ void filter(const DeblockThresholds& t, bool is_chroma, int (&v)[6]) {
    const int p2 = v[0], p1 = v[1], p0 = v[2], q0 = v[3], q1 = v[4], q2 = v[5];
    if (abs(p0 - q0) >= t.alpha || abs(p1 - p0) >= t.beta || abs(q1 - q0) >= t.beta) return;
    const bool is_flat_p = !is_chroma && abs(p2 - p0) < t.beta, is_flat_q = !is_chroma && abs(q2 - q0) < t.beta;
    const int delta = limited((4 * (q0 - p0) + p1 - q1 + 4) >> 3, t.tc0 + (int(is_flat_p) + int(is_flat_q) + int(is_chroma)) * t.one);
    const int middle = (p0 + q0 + 1) >> 1;
    if (is_flat_p) v[1] = p1 + limited((p2 + middle - 2 * p1) >> 1, t.tc0);
    v[2] = min(max(p0 + delta, 0), 0xffff);
    v[3] = min(max(q0 - delta, 0), 0xffff);
    if (is_flat_q) v[4] = q1 + limited((q2 + middle - 2 * q1) >> 1, t.tc0);
}

// The first multiple of `block` that is no less than `least`, and above 0.
__device__ __forceinline__ int first_edge(int least, int block) { return (max(least, 1) + block - 1) / block * block; }

extern "C" __global__ void __launch_bounds__(THREADS) deblock(const WindowArgs args, const DeblockConsts consts) {
    const Place place(args, ROWS, blockIdx.x);
    const WindowComponent& c = place.c;
    if (!c.computes) return pass_on<COLUMNS, THREADS>(c.src, c.dst, place.left, place.top, ROWS);
    const bool is_chroma = consts.chroma >> (&c - args.component) & 1;
    int* const source = reinterpret_cast<int*>(shared);
    int* const upright = source + PITCH * HIGH;
    fill(place, RADIUS, RADIUS, HIGH, PITCH, source, [](u32 lane) { return int(lane & 0xffff); });
    __syncthreads();
    for (int i = threadIdx.x; i < PITCH * HIGH; i += THREADS) upright[i] = source[i];
    __syncthreads();
    // Of the edges that lie beside a column of the tile, which are at most 17, each thread has those of some rows.
    const int end = min(place.left + COLUMNS + 2, int(c.src.width));
    const int first = first_edge(place.left - 1, consts.block);
    const int count = first < end ? (end - first + consts.block - 1) / consts.block : 0;
    for (int i = threadIdx.x; i < count * HIGH; i += THREADS) {
        const int edge = first + i / HIGH * consts.block;
        const int at = i % HIGH * PITCH + edge - 3 - place.left + RADIUS;
        int v[6];
#pragma unroll
        for (int k = 0; k < 6; k++) v[k] = source[at + k];
        filter(consts.thresholds, is_chroma, v);
#pragma unroll
        for (int k = 1; k < 5; k++) upright[at + k] = v[k];
    }
    __syncthreads();
    const int x = threadIdx.x % (COLUMNS / OUTPUTS) * OUTPUTS, y = threadIdx.x / (COLUMNS / OUTPUTS);
    const int row = place.top + y, height = c.src.height;
    if (place.left + x >= int(c.dst.width) || row >= int(c.dst.height)) return;
    const int* const here = upright + (y + RADIUS) * PITCH + x + RADIUS;
    const int behind = row % consts.block, before = consts.block - behind;
    // How many rows further down the edge is that this row lies beside.
    const int away = behind < 2 ? -behind : before;
    const bool is_beside = behind < 2 ? row + away > 0 : before <= 2 && row + away < height;
    int lanes[OUTPUTS];
#pragma unroll
    for (int i = 0; i < OUTPUTS; i++) {
        lanes[i] = here[i];
        if (!is_beside) continue;
        int v[6];
#pragma unroll
        for (int k = 0; k < 6; k++) v[k] = here[i + (away + k - 3) * PITCH];
        filter(consts.thresholds, is_chroma, v);
        // The row is v[3 - away].
        lanes[i] = away == 2 ? v[1] : away == 1 ? v[2] : away == 0 ? v[3] : v[4];
    }
    store_lanes(place, x, y, lanes);
}
