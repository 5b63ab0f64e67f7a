// rgauss of lines that are too long for a block's registers or shared memory: a warp blurs a line in global memory, all passes of it.
//
// As in rgauss.cu, a window's sum is a difference of running totals. Threads take as many samples side by side. Blocks of columns
// are read and written as wide as a sector of memory.

#include "rgauss.cuh"

constexpr int MOST_LINES = 8;

// Where line `line` of the block has its samples, behind its totals and those that continue them on both sides.
__device__ __forceinline__ u32* samples_of(const Rgauss& p, const Component& c, u32 line, int length) {
    return p.scratch + ((u64(blockIdx.x) << c.lines) + line) * c.stride + length + 2 * p.radius + 3;
}

// Blurs a line: all passes, by one warp.
__device__ void blur(const Rgauss& p, u32* samples, int length) {
    const int thread = threadIdx.x % WARP, radius = p.radius;
    u32* const totals = samples - length - (radius + 1);
    const int each = (length + WARP - 1) / WARP | 1;
    const int from = min(thread * each, length), to = min(from + each, length);
    for (u32 pass = 0; pass < p.passes; pass++) {
        __syncwarp();
        u32 sum = 0;
        for (int i = from; i < to; i++) sum += samples[i];
        const u32 upto = sum_upto(sum), all = __shfl_sync(EVERYONE, upto, WARP - 1);
        u32 total = upto - sum;
        for (int i = from; i < to; i++) totals[i] = total += samples[i];
        // A sample at the border is replicated beyond it.
        const u32 first = samples[0], last = samples[length - 1];
        for (int i = thread; i <= radius + 1; i += WARP) {
            totals[-1 - i] = -i * first;
            if (i > 0) totals[length - 1 + i] = all + i * last;
        }
        __syncwarp();
        if (from < to) {
            u32 older = totals[from - radius - 2], upto_end = totals[from + radius];
#pragma unroll 4
            for (int i = from; i < to; i++) {
                const u32 before = totals[i - radius - 1], next = totals[i + radius + 1];
                samples[i] = mean(p, upto_end - before, before - older + next - upto_end);
                older = before;
                upto_end = next;
            }
        }
    }
    __syncwarp();
}

// Columns of the source.
extern "C" __global__ void __launch_bounds__(WARP* MOST_LINES) rgauss_far_down(const Rgauss p) {
    u32 block = blockIdx.x;
    const Component& c = component_of(p.component, block);
    const int width = c.src.width, height = c.src.height;
    const u32 lines = 1u << c.lines;
    // Threads side by side take columns side by side.
    const int column = threadIdx.x & (lines - 1), x = (block << c.lines) + column;
    const int first = threadIdx.x >> c.lines, step = WARP;
    u32* const own = samples_of(p, c, column, height);
    if (x < width) {
        for (int y = first; y < height; y += step) own[y] = lane(c.src, x, y) << EXTRA_BITS;
    }
    __syncthreads();
    // Columns beyond the plane are blurred too, and not used.
    blur(p, samples_of(p, c, threadIdx.x / WARP, height), height);
    __syncthreads();
    if (x < width) {
        for (int y = first; y < height; y += step) c.columns[u64(y) * c.pitch + x] = own[y];
    }
}

// Rows of what the columns became, and copies of planes that are not blurred.
extern "C" __global__ void __launch_bounds__(WARP* MOST_LINES) rgauss_far_across(const Rgauss p) {
    u32 block = blockIdx.x;
    const Component& c = component_of(p.component, block);
    const int width = c.src.width, warp = threadIdx.x / WARP, thread = threadIdx.x % WARP;
    const int y = (block << c.lines) + warp;
    if (y >= int(c.src.height)) return;
    if (!c.blurs) {
        // The warp's own row alone.
        for (int left = 0; left < width; left += WARP) pass_on<WARP, WARP>(c.src, c.dst, left, y - warp, warp + 1);
        return;
    }
    u32* const samples = samples_of(p, c, warp, width);
    const u32* const columns = c.columns + u64(y) * c.pitch;
    for (int x = thread; x < width; x += WARP) samples[x] = __ldg(columns + x);
    blur(p, samples, width);
    for (int x = thread; x < width; x += WARP) {
        store(c.dst, x, y, int((samples[x] + EXTRA_HALF) >> EXTRA_BITS) - bias(c.dst));
    }
}
