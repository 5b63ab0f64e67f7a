// rgauss: an extended box, several times over columns and then over rows, in integers.
//
// A warp blurs a line in shared memory, all passes of it. Of each pass it makes running totals along the line: a window's sum is
// a difference of two of them, however wide it is, and so are single samples. Totals wrap around, and their differences are
// right, since a window's sum fits 32 bits. Threads take as many samples side by side, an odd number, so that they meet
// different banks. Blocks of columns are read and written as wide as a sector of memory.

#include "common/four.cuh"
#include "generated/rgauss.cuh"

// As src/filters/rgauss/plan.rs has them.
constexpr u32 EXTRA_BITS = 4, EXTRA_HALF = 1u << (EXTRA_BITS - 1);

constexpr int WARP = 32, MOST_LINES = 8;
constexpr u32 EVERYONE = 0xffffffffu;

extern __shared__ u32 shared[];

// Where line `line` of the block has its samples, behind its totals and those that continue them on both sides.
__device__ __forceinline__ u32* samples_of(const Rgauss& p, u32 line, int length) {
    u32* const block = p.scratch ? p.scratch + (u64(blockIdx.x) << p.lines) * p.stride : shared;
    return block + line * p.stride + length + 2 * p.radius + 3;
}

// The sum of `value` over this thread and those before it.
__device__ __forceinline__ u32 sum_upto(u32 value, int thread) {
#pragma unroll
    for (int distance = 1; distance < WARP; distance *= 2) {
        const u32 before = __shfl_up_sync(EVERYONE, value, distance);
        if (thread >= distance) value += before;
    }
    return value;
}

// `ExtendedBox::mean` of src/filters/rgauss/plan.rs, where it is shown to be exact.
__device__ __forceinline__ u32 mean(const Rgauss& p, u32 sum, u32 beyond) {
    const u32 rest = p.ends * beyond + p.half;
    const u32 estimate = __umulhi(sum + (rest >> 8), p.inverse);
    const u32 left = (sum << 7) + (rest >> 1) - estimate * p.half;
    return estimate + (left >= p.half);
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
        const u32 upto = sum_upto(sum, thread), all = __shfl_sync(EVERYONE, upto, WARP - 1);
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
extern "C" __global__ void __launch_bounds__(WARP* MOST_LINES) rgauss_down(const Rgauss p) {
    u32 block = blockIdx.x;
    const Component& c = component_of(p.component, block);
    const int width = c.src.width, height = c.src.height;
    const u32 lines = 1u << p.lines;
    // Threads side by side take columns side by side.
    const int column = threadIdx.x & (lines - 1), x = (block << p.lines) + column;
    const int first = threadIdx.x >> p.lines, step = WARP;
    u32* const own = samples_of(p, column, height);
    if (x < width) {
        for (int y = first; y < height; y += step) own[y] = lane(c.src, x, y) << EXTRA_BITS;
    }
    __syncthreads();
    // Columns beyond the plane are blurred too, and not used.
    blur(p, samples_of(p, threadIdx.x / WARP, height), height);
    __syncthreads();
    if (x < width) {
        for (int y = first; y < height; y += step) c.columns[u64(y) * c.pitch + x] = own[y];
    }
}

// Rows of what the columns became, and copies of planes that are not blurred.
extern "C" __global__ void __launch_bounds__(WARP* MOST_LINES) rgauss_across(const Rgauss p) {
    u32 block = blockIdx.x;
    const Component& c = component_of(p.component, block);
    const int width = c.src.width, warp = threadIdx.x / WARP, thread = threadIdx.x % WARP;
    const int y = (block << p.lines) + warp;
    if (y >= int(c.src.height)) return;
    if (!c.blurs) {
        // The warp's own row alone.
        for (int left = 0; left < width; left += WARP) pass_on<WARP, WARP>(c.src, c.dst, left, y - warp, warp + 1);
        return;
    }
    u32* const samples = samples_of(p, warp, width);
    const u32* const columns = c.columns + u64(y) * c.pitch;
    for (int x = thread; x < width; x += WARP) samples[x] = __ldg(columns + x);
    blur(p, samples, width);
    for (int x = thread; x < width; x += WARP) {
        store(c.dst, x, y, int((samples[x] + EXTRA_HALF) >> EXTRA_BITS) - bias(c.dst));
    }
}
