// box of samples of eight bits by row sums, and sums of those.
//
// `box_across` sums the columns of every window, row by row, and totals these row sums sixteen rows at a time. `box_down` walks
// down: with each row one row sum enters a window and one leaves it; its first window is made of totals. So the work is nearly
// the same for every radius. Row sums have sixteen bits, and are read twice: worth it while the cache holds them.

#include "common/early.cuh"
#include "box.cuh"
#include "common/dot.cuh"

constexpr int STEP = 4;        // rows that are done at a time
constexpr int MOST_WARPS = 8;  // of a block of `box_across`
constexpr u32 ONES = 0x01010101;

extern __shared__ uint2 shared[];

// In every thread of a warp: the sum of its value and of those before it, for some values at a time. The exchange shows
// whether there is a thread so far to the left, which `__shfl_up_sync` keeps to itself.
__device__ __forceinline__ void sum_warp(u32 (&values)[STEP]) {
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
#pragma unroll
        for (int i = 0; i < STEP; i++) {
            // Volatile: all lanes must be there, so it must not be moved into a branch.
            asm volatile(
                "{ .reg .pred there; .reg .u32 left; shfl.sync.up.b32 left|there, %0, %1, 0, 0xffffffff;"
                " @there add.u32 %0, %0, left; }"
                : "+r"(values[i])
                : "r"(distance));
        }
    }
}

// A column to the right of a thread's first, or to the left.
struct Offset {
    int words;    // from the thread's first word to the one that the column is in
    u32 take;     // four bytes from it on, as a selector of that word and the next
    u32 earlier;  // ones for the bytes of that word before it

    __device__ __forceinline__ explicit Offset(int column)
        : words(column >> 2), take(0x3210 + 0x1111 * (column & 3)), earlier(ONES & ((1u << (column & 3) * 8) - 1)) {}

    // Eight bytes from it on, of a row of words.
    __device__ __forceinline__ uint2 bytes(const u32* row) const {
        return make_uint2(__byte_perm(row[0], row[1], take), __byte_perm(row[1], row[2], take));
    }
};

// Row sums of sixteen rows of a strip, and their totals. Threads share their samples, and the sums of what is before each of
// their two words in the warp's columns.
__device__ __forceinline__ void sum_across(const Box& p, const Component& c, const Part& part) {
    __shared__ u32 of_warps[2][STEP][MOST_WARPS];
    const int threads = blockDim.x, thread = threadIdx.x;
    const Offset entering(p.radius_w + 1), leaving(-int(p.radius_w));
    const int in = 2 * thread + entering.words, out = 2 * thread + leaving.words;
    // Beside the plane its nearest sample is replicated. As selectors of bytes these cost less than `Columns::lanes` does.
    const bool inside = part.x >= 0 && part.x < int(c.src.width);
    const u32 low = inside ? 0x3210 : part.x < 0 ? 0 : 0x7777, high = inside ? 0x7654 : low;

    const Columns<u8> src(c.src, part.x);
    u16* to = c.row_sums + u64(part.top) * c.columns + part.x;
    u32 total[CHUNK] = {};
    Lines<u8, STEP> lines;
    src.read(part.top, lines);
#pragma unroll 1
    for (int step = 0; step < TOTAL_ROWS / STEP; step++) {
        // Others may still read the other half.
        uint2* const samples = shared + step % 2 * 2 * STEP * threads;
        uint2* const before = samples + STEP * threads;
        u32(&warps)[STEP][MOST_WARPS] = of_warps[step % 2];
        const int y = part.top + step * STEP;

        u32 first[STEP], own[STEP], upto[STEP];
#pragma unroll
        for (int r = 0; r < STEP; r++) {
            const uint2 words = lines.row[r];
            const uint2 eight = make_uint2(__byte_perm(words.x, words.y, low), __byte_perm(words.x, words.y, high));
            samples[r * threads + thread] = eight;
            first[r] = dot(eight.x, ONES, 0);
            own[r] = upto[r] = dot(eight.y, ONES, first[r]);
        }
        if (step + 1 < TOTAL_ROWS / STEP) src.read(y + STEP, lines);
        sum_warp(upto);
#pragma unroll
        for (int r = 0; r < STEP; r++) {
            if (thread % 32 == 31) warps[r][thread / 32] = upto[r];
            const u32 start = upto[r] - own[r];
            before[r * threads + thread] = make_uint2(start, start + first[r]);
        }
        __syncthreads();
        if (!part.writes) continue;

        u32 sums[STEP][CHUNK];
#pragma unroll
        for (int r = 0; r < STEP; r++) {
            const u32* const row = reinterpret_cast<const u32*>(before + r * threads);
            sums[r][0] = row[in] - row[out];
        }
        // From the warp that the window begins in to the one that it ends in, 64 words each.
#pragma unroll 1
        for (int w = out / 64; w < in / 64; w++) {
#pragma unroll
            for (int r = 0; r < STEP; r++) sums[r][0] += warps[r][w];
        }
#pragma unroll
        for (int r = 0; r < STEP; r++) {
            const u32* const row = reinterpret_cast<const u32*>(samples + r * threads);
            u32(&s)[CHUNK] = sums[r];
            s[0] = dot(row[in], entering.earlier, s[0]) - dot(row[out], leaving.earlier, 0);
            const uint2 plus = entering.bytes(row + in), minus = leaving.bytes(row + out);
#pragma unroll
            for (int i = 0; i + 1 < CHUNK; i++) {
                const u32 two = __byte_perm(word(plus, i / 4), word(minus, i / 4), i % 4 < 2 ? 0x5140 : 0x7362);
                s[i + 1] = dot_signed(two, i % 2 == 0 ? 0x0000ff01 : 0xff010000, s[i]);
            }
            if (y + r < part.end) {
                *reinterpret_cast<uint4*>(to + u64(r) * c.columns) =
                    make_uint4(even_u16(s[0], s[1]), even_u16(s[2], s[3]), even_u16(s[4], s[5]), even_u16(s[6], s[7]));
            }
        }
        to += u64(STEP) * c.columns;
        // Rows below the plane are its last one again, for `box_down` too. Two at a time are one addition of three numbers.
#pragma unroll
        for (int i = 0; i < CHUNK; i++) {
#pragma unroll
            for (int r = 0; r < STEP; r += 2) total[i] += sums[r][i] + sums[r + 1][i];
        }
    }
    if (!part.writes) return;
    uint4* const totals = reinterpret_cast<uint4*>(c.totals + u64(part.top / TOTAL_ROWS) * c.columns + part.x);
    totals[0] = make_uint4(total[0], total[1], total[2], total[3]);
    totals[1] = make_uint4(total[4], total[5], total[6], total[7]);
}

// The sums of eight windows, which move down. What enters them next, and what leaves, is read ahead.
struct Windows {
    const u16* const rows;
    const u32* const totals;
    const u32 columns;
    const int bottom, radius;
    u32 sums[CHUNK];
    uint4 entering[STEP], leaving[STEP];

    // From `start`, which is added to every sum.
    __device__ __forceinline__ Windows(const Box& p, const Component& c, const Part& part, u32 start)
        : rows(c.row_sums + part.x), totals(c.totals + part.x), columns(c.columns), bottom(c.src.height - 1), radius(p.radius_h) {
        read_ahead(part.top);
#pragma unroll
        for (int i = 0; i < CHUNK; i++) sums[i] = start;
        add_window(part.top - 1 - radius, part.top + radius);
    }

    // Row y, or the row of the border nearest to it.
    __device__ __forceinline__ uint4 row(int y) const {
        return __ldg(reinterpret_cast<const uint4*>(rows + u64(u32(min(max(y, 0), bottom))) * columns));
    }

    __device__ __forceinline__ void read_ahead(int y) {
#pragma unroll
        for (int r = 0; r < STEP; r++) {
            entering[r] = row(y + r + radius);
            leaving[r] = row(y + r - 1 - radius);
        }
    }

    // Moves to the row whose sums are number r of those that were read.
    __device__ __forceinline__ void move(int r) {
#pragma unroll
        for (int i = 0; i < CHUNK; i++) {
            const u32 two = __byte_perm(word(entering[r], i / 2), word(leaving[r], i / 2), i % 2 == 0 ? 0x5410 : 0x7632);
            sums[i] = dot_halves(two, 0xff01, sums[i]);
        }
    }

    // The number of the total that begins nearest to row y.
    static __device__ __forceinline__ int nearest(int y) {
        static_assert(TOTAL_ROWS == 1 << 4, "shifting rounds down, above the plane too");
        return (y + TOTAL_ROWS / 2) >> 4;
    }

    // Adds the rows from `first` up to `end`, beyond the plane too: by sixteens, and what they lack or have too much at either
    // end by itself.
    __device__ __forceinline__ void add_window(int first, int end) {
        const int from = nearest(first), to = nearest(end), count = bottom / TOTAL_ROWS + 1;
        add_totals(max(from, 0), min(to, count));
        add_rows(first, from * TOTAL_ROWS);
        add_rows(to * TOTAL_ROWS, end);
        // Above the plane is its first row, again and again, and below it the last one.
        if (from < 0) add(row(0), TOTAL_ROWS * (min(to, 0) - from));
        if (to > count) add(row(bottom), TOTAL_ROWS * (to - max(from, count)));
    }

    // Adds the rows from `first` up to `end`; takes them away where `end` comes before `first`.
    __device__ __forceinline__ void add_rows(int first, int end) {
        const int low = min(first, end), high = max(first, end);
#pragma unroll 1
        for (int y = low; y < high; y += STEP) {
            uint4 some[STEP];
#pragma unroll
            for (int r = 0; r < STEP; r++) some[r] = row(y + r);
#pragma unroll
            for (int r = 0; r < STEP; r++) {
                if (y + r < high) add(some[r], first < end ? 1 : -1);
            }
        }
    }

    __device__ __forceinline__ void add(const uint4& row, int times) {
#pragma unroll
        for (int i = 0; i < CHUNK; i++) sums[i] += Chunk<u16>::sample(row, i) * times;
    }

    // Adds totals from number `from` up to number `to`.
    __device__ __forceinline__ void add_totals(int from, int to) {
#pragma unroll 1
        for (int t = from; t < to; t += STEP) {
            uint4 low[STEP], high[STEP];
#pragma unroll
            for (int i = 0; i < STEP; i++) {
                const uint4* const total = reinterpret_cast<const uint4*>(totals + u64(min(t + i, to - 1)) * columns);
                low[i] = __ldg(total);
                high[i] = __ldg(total + 1);
            }
#pragma unroll
            for (int i = 0; i < STEP; i++) {
                if (t + i >= to) continue;
#pragma unroll
                for (int j = 0; j < CHUNK; j++) sums[j] += word(j < 4 ? low[i] : high[i], j % 4);
            }
        }
    }
};

// Walks down some rows of eight columns.
__device__ __forceinline__ void sum_down(const Box& p, const Component& c, const Part& part) {
    if (!part.writes) return;
    // From eight bits to eight bits sums have what rounds them from the start.
    const bool eight = c.eight && part.x + CHUNK <= int(c.dst.width);
    const u32 start = eight ? p.bias8 : 0;
    Windows windows(p, c, part, start);
    u8* to = at<u8>(c.dst, part.x, part.top);
    const u32 pitch = c.dst.pitch;
    for (int y = part.top; y < part.end; y += STEP) {
        u32 sums[STEP][CHUNK];
#pragma unroll
        for (int r = 0; r < STEP; r++) {
            windows.move(r);
#pragma unroll
            for (int i = 0; i < CHUNK; i++) sums[r][i] = windows.sums[i];
        }
        if (y + STEP < part.end) windows.read_ahead(y + STEP);
#pragma unroll
        for (int r = 0; r < STEP; r++) {
            if (y + r >= part.end) break;
            if (eight) {
                write_eight(p, to + u64(r * pitch), sums[r]);
            } else {
                write_any(p, c, part.x, y + r, 8, sums[r]);
            }
        }
        to += u64(STEP * pitch);
    }
}

extern "C" __global__ void __launch_bounds__(32 * MOST_WARPS, 3) box_across(const Box p) {
    wait_for_launch_before();
    blur_part<u8>(p.component, p.halo, [&](const Component& c, const Part& part) { sum_across(p, c, part); });
}

extern "C" __global__ void __launch_bounds__(32) box_down(const Box p) {
    wait_for_launch_before();
    u32 block = blockIdx.x;
    const Component& c = component_of(p.component, block);
    sum_down(p, c, Part(c, 0, block));
}
