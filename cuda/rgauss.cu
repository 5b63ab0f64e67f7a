// rgauss: an extended box, several times over columns and then over rows, in integers.
//
// A few warps blur a line. Its samples stay in their registers for all passes: a thread has as many side by side, an odd number, so
// that threads meet different banks of shared memory. Of each pass there are running totals along the line in shared memory: a
// window's sum is a difference of two of them, however wide it is, and so are single samples. Totals wrap around, and their
// differences are right, since a window's sum fits 32 bits. Blocks take columns four and more side by side, as vectors.
// Lines that are too long for that are those of rgauss_far.cu.

#include "rgauss_line.cuh"

// As src/filters/rgauss/cuda/share.rs has them.
constexpr int FEW = 15, MANY = 17, MOST_THREADS = 1024;

// Where a line has its first and last sample in shared memory, behind the sums of its warps.
constexpr int FIRST = WARP, LAST = WARP + 1;

// Sums of the warps before this one, and of all: `own` is that of this thread and those before it in its warp.
__device__ __forceinline__ u32 sum_before(const Line& line, u32 own, u32& all) {
    const int lane = threadIdx.x % WARP, warp = line.thread / WARP;
    if (line.warps == 1) {
        all = __shfl_sync(EVERYONE, own, WARP - 1);
        return 0;
    }
    const u32 part = lane < line.warps ? line.own[lane] : 0;
    u32 upto = part;
#pragma unroll
    for (int distance = 1; distance < 8; distance *= 2) upto = add_before(upto, distance);
    if (line.warps > 8) upto = add_before(add_before(upto, 8), 16);
    all = __shfl_sync(EVERYONE, upto, line.warps - 1);
    return __shfl_sync(EVERYONE, upto - part, warp);
}

// One pass over the samples of a line.
template <int EACH>
__device__ __forceinline__ void pass(const Rgauss& p, const Line& line, u32 (&v)[EACH]) {
    const int radius = p.radius, length = line.length, from = line.thread * EACH, here = length - from;
    u32 sum = 0;
#pragma unroll
    for (int i = 0; i < EACH; i++) sum += v[i];
    const u32 upto = sum_upto(sum);
    if (threadIdx.x % WARP == WARP - 1) line.own[line.thread / WARP] = upto;
    if (line.thread == 0) line.own[FIRST] = v[0];
    if (here > 0 && here <= EACH) {
#pragma unroll
        for (int i = 0; i < EACH; i++)
            if (i + 1 == here) line.own[LAST] = v[i];
    }
    line.wait();

    u32 all;
    u32 total = sum_before(line, upto, all) + upto - sum;
    u32* const totals = line.totals + from;
    if (here >= EACH) {
#pragma unroll
        for (int i = 0; i < EACH; i++) totals[i] = total += v[i];
    } else {
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            total += v[i];
            if (i < here) totals[i] = total;
        }
    }
    // A sample at the border is replicated beyond it.
    for (int i = line.thread; i <= radius + 1; i += line.warps * WARP) {
        line.totals[-1 - i] = -i * line.own[FIRST];
        line.totals[length + i] = all + (i + 1) * line.own[LAST];
    }
    line.wait();

    if (here <= 0) return;
    const u32* const low = totals - radius - 1;
    const u32* const high = totals + radius + 1;
    u32 older = low[-1], newer = high[-1];
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        const u32 leaving = low[i], next = high[i];
        const u32 window = newer - leaving;
        v[i] = mean(p, window, next - older - window);
        older = leaving;
        newer = next;
    }
    if (here >= EACH) return;
#pragma unroll
    for (int i = 0; i < EACH; i++)
        if (i >= here) v[i] = 0;
}

// All passes over a line, which lies where totals will.
template <int EACH>
__device__ __forceinline__ void blur(const Rgauss& p, const Line& line) {
    u32 v[EACH];
    u32* const samples = line.totals + line.thread * EACH;
    const int here = line.length - line.thread * EACH;
    if (here >= EACH) {
#pragma unroll
        for (int i = 0; i < EACH; i++) v[i] = samples[i];
    } else {
#pragma unroll
        for (int i = 0; i < EACH; i++) v[i] = i < here ? samples[i] : 0;
    }
    for (u32 i = 0; i < p.passes; i++) pass(p, line, v);
    line.wait();
    if (here >= EACH) {
#pragma unroll
        for (int i = 0; i < EACH; i++) samples[i] = v[i];
    } else {
#pragma unroll
        for (int i = 0; i < EACH; i++)
            if (i < here) samples[i] = v[i];
    }
}

__device__ __forceinline__ void blur(const Rgauss& p, const Component& c, const Line& line) {
    if (c.each == FEW) {
        blur<FEW>(p, line);
    } else {
        blur<MANY>(p, line);
    }
}

// Columns of the source.
extern "C" __global__ void __launch_bounds__(MOST_THREADS) rgauss_down(const Rgauss p) {
    u32 block = blockIdx.x;
    const Component& c = component_of(p.component, block);
    const int height = c.src.height, lines = 1 << c.lines, stride = c.stride;
    // Threads side by side take vectors side by side, and blocks of fewer columns than a vector one at a time.
    const int vectors = max(int(c.lines) - 2, 0), left = block << c.lines, side = threadIdx.x & ((1 << vectors) - 1);
    const int first = threadIdx.x >> vectors, step = blockDim.x >> vectors;
    const int x = left + 4 * side;
    u32* const column = reinterpret_cast<u32*>(shared) + p.front + 4 * side * stride;
    const bool bytes = c.src.sample == SAMPLE_U8 && c.src.step == 1 && vectors_fit(c.src, 4) && lines >= 4;
    if (bytes && x + 4 <= int(c.src.width)) {
        const int shift = c.src.shift + EXTRA_BITS;
        const u8* const from = at<u8>(c.src, x, 0);
#pragma unroll 4
        for (int y = first; y < height; y += step) {
            const u32 four = __ldg(reinterpret_cast<const u32*>(from + u64(y) * c.src.pitch));
#pragma unroll
            for (int i = 0; i < 4; i++) column[i * stride + y] = (four >> 8 * i & 0xff) << shift;
        }
    } else if (lines >= 4) {
        for (int y = first; y < height; y += step) {
            const uint4 four = four_lanes(c.src, x, y);
#pragma unroll
            for (int i = 0; i < 4; i++) column[i * stride + y] = word(four, i) << EXTRA_BITS;
        }
    } else {
        for (int i = 0; i < lines; i++)
            for (int y = first; y < height; y += step)
                column[i * stride + y] = lane(c.src, inside(left + i, c.src.width), y) << EXTRA_BITS;
    }
    __syncthreads();
    const Line line(p, c, height);
    // Columns beyond the plane are blurred too, and not used: rows of what is blurred have room for them.
    if (line.number < lines) {
        blur(p, c, line);
    } else {
        line.stand_by(p);
    }
    __syncthreads();
    u32* const to = c.columns + x;
    if (lines >= 4) {
#pragma unroll 4
        for (int y = first; y < height; y += step) {
            *reinterpret_cast<uint4*>(to + u64(y) * c.pitch) =
                make_uint4(column[y], column[stride + y], column[2 * stride + y], column[3 * stride + y]);
        }
    } else {
        for (int i = 0; i < lines; i++)
            for (int y = first; y < height; y += step) to[u64(y) * c.pitch + i] = column[i * stride + y];
    }
}

// Rows of what the columns became, and copies of planes that are not blurred.
extern "C" __global__ void __launch_bounds__(MOST_THREADS) rgauss_across(const Rgauss p) {
    u32 block = blockIdx.x;
    const Component& c = component_of(p.component, block);
    const int width = c.src.width, height = c.src.height, top = block << c.lines;
    if (!c.blurs) {
        // Each warp columns of its own, a row at a time.
        const int warp = threadIdx.x / WARP;
        for (int y = top; y < min(top + (1 << c.lines), height); y++)
            for (int x = warp * WARP; x < width; x += blockDim.x) pass_on<WARP, WARP>(c.src, c.dst, x, y - warp, warp + 1);
        return;
    }
    const Line line(p, c, width);
    const int y = top + line.number, vectors = (width + 3) / 4, threads = line.warps * WARP;
    if (line.number >= 1 << c.lines || y >= height) return;
    uint4* const samples = reinterpret_cast<uint4*>(line.totals);
    const uint4* const columns = reinterpret_cast<const uint4*>(c.columns + u64(y) * c.pitch);
#pragma unroll 4
    for (int i = line.thread; i < vectors; i += threads) samples[i] = __ldg(columns + i);
    line.wait();
    blur(p, c, line);
    line.wait();
    const bool bytes = c.dst.sample == SAMPLE_U8 && c.dst.step == 1 && vectors_fit(c.dst, 4) && c.dst.bit_depth == 8;
    const int whole = bytes ? width / 4 : 0;
    for (int i = line.thread; i < whole; i += threads) {
        // Twice rounded half up is once rounded half up, by both halves.
        constexpr u32 half = EXTRA_HALF + (1u << (7 + EXTRA_BITS));
        const uint4 v = samples[i];
        u32 four = 0;
#pragma unroll
        for (int k = 0; k < 4; k++) four |= min((word(v, k) + half) >> (8 + EXTRA_BITS), 255u) << 8 * k;
        *at<u32>(c.dst, i, y) = four;
    }
    for (int i = whole + line.thread; i < vectors; i += threads) {
        const uint4 four = samples[i];
        int v[4];
#pragma unroll
        for (int k = 0; k < 4; k++) v[k] = int((word(four, k) + EXTRA_HALF) >> EXTRA_BITS) - bias(c.dst);
        store_four(c.dst, 4 * i, y, v);
    }
}
