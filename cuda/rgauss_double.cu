// rgauss: columns, then rows, on devices with units for doubles.
//
// Blocks take columns four and more side by side, as vectors, so that nothing is turned. Threads read many samples before they put
// down the first: blocks read at about the same time, and what they wait is memory's time for one.
// On other devices rgauss.cu does the same, and lines that are too long for shared memory are those of rgauss_far.cu.

#include "rgauss_late.cuh"

// Vectors that a thread reads at a time.
constexpr int READ_DOWN = 10, READ_ACROSS = 10;

// Reads four bytes side by side of column and row `first` and every `step`th row below, and puts them in columns' lines.
__device__ __forceinline__ void read_bytes(const Plane& src, u32* column, int stride, int x, int first, int step) {
    const int height = src.height, shift = src.shift + EXTRA_BITS;
    const u8* const from = at<u8>(src, x, 0);
    for (int y = first; y < height; y += READ_DOWN * step) {
        u32 four[READ_DOWN];
#pragma unroll
        for (int k = 0; k < READ_DOWN; k++)
            if (y + k * step < height) four[k] = __ldg(reinterpret_cast<const u32*>(from + u64(y + k * step) * src.pitch));
#pragma unroll
        for (int k = 0; k < READ_DOWN; k++) {
            if (y + k * step >= height) continue;
#pragma unroll
            for (int i = 0; i < 4; i++) column[i * stride + y + k * step] = (four[k] >> 8 * i & 0xff) << shift;
        }
    }
}

// Reads a row of what the columns became to where its totals will be.
__device__ __forceinline__ void read_row(const uint4* columns, const Line& line) {
    const int vectors = (line.length + 3) / 4, threads = line.warps * WARP;
    for (int i = line.thread; i < vectors; i += READ_ACROSS * threads) {
        uint4 four[READ_ACROSS];
#pragma unroll
        for (int k = 0; k < READ_ACROSS; k++)
            if (i + k * threads < vectors) four[k] = __ldg(columns + i + k * threads);
#pragma unroll
        for (int k = 0; k < READ_ACROSS; k++) {
            if (i + k * threads >= vectors) continue;
            u32* const to = line.totals + 4 * (i + k * threads);
            put_two(to, four[k].x, four[k].y);
            put_two(to + 2, four[k].z, four[k].w);
        }
    }
}

// Rounds a line's samples and stores them.
__device__ __forceinline__ void store_row(const Plane& dst, const Line& line, int y) {
    const int width = dst.width, vectors = (width + 3) / 4, threads = line.warps * WARP;
    const auto four_of = [&](int i) {
        const uint2 a = two_of(line.totals + 4 * i), b = two_of(line.totals + 4 * i + 2);
        return make_uint4(a.x, a.y, b.x, b.y);
    };
    const bool bytes = dst.sample == SAMPLE_U8 && dst.step == 1 && vectors_fit(dst, 4) && dst.bit_depth == 8;
    const int whole = bytes ? width / 4 : 0;
    for (int i = line.thread; i < whole; i += threads) {
        // Twice rounded half up is once rounded half up, by both halves.
        constexpr u32 half = EXTRA_HALF + (1u << (7 + EXTRA_BITS));
        const uint4 v = four_of(i);
        u32 four = 0;
#pragma unroll
        for (int k = 0; k < 4; k++) four |= min((word(v, k) + half) >> (8 + EXTRA_BITS), 255u) << 8 * k;
        *at<u32>(dst, i, y) = four;
    }
    for (int i = whole + line.thread; i < vectors; i += threads) {
        const uint4 four = four_of(i);
        int v[4];
#pragma unroll
        for (int k = 0; k < 4; k++) v[k] = int((word(four, k) + EXTRA_HALF) >> EXTRA_BITS) - bias(dst);
        store_four(dst, 4 * i, y, v);
    }
}

// Columns of the source.
extern "C" __global__ void __launch_bounds__(MOST_THREADS, 2) rgauss_down(const Rgauss p) {
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
        read_bytes(c.src, column, stride, x, first, step);
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
        blur<26, 42, 74>(p, c, line);
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
extern "C" __global__ void __launch_bounds__(MOST_THREADS, 3) rgauss_across(const Rgauss p) {
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
    const int y = top + line.number;
    if (line.number >= 1 << c.lines || y >= height) return;
    read_row(reinterpret_cast<const uint4*>(c.columns + u64(y) * c.pitch), line);
    line.wait();
    blur<26, 30, 34>(p, c, line);
    line.wait();
    store_row(c.dst, line, y);
}
