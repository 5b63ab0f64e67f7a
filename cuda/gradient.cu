// gradient: four passes of symmetric pairs, each kept within a cell around the source's sample, and faded out by texture.
//
// Every stage is a plane of 16 bits. A warp takes 128 samples of a row, a thread every 32nd of them, at fixed distances from one
// address a tap, but for blocks beside a border, where pairs are closer. `gradient_open` widens the source; `gradient_first` looks
// for evidence of texture and does the first pass; `gradient_pass` does the next two; `gradient_cells` takes the means of cells;
// `gradient_last` finds levels, does the last pass, sums the evidence and blends.

#include "gradient.cuh"

// What pairs are compared with, from one sample: two samples count when both lie within `near` of it and, if `BUMPS`, their sum
// within `bump` of twice the sample.
struct Bounds {
    u32 near, bump;
};

// The sum of the pairs that count, and 65536 for each of them, in one number: a sum has fewer than 16 bits, sign and all.
// Each bound is one comparison: `base` is the sample less `near`, and `twice` its double less what both may differ by.
template <bool BUMPS>
__device__ __forceinline__ int add_pair(int tally, int a, int b, int centre, const Bounds& bounds) {
    const int base = centre - int(bounds.near), most = BUMPS ? bounds.bump : 2 * bounds.near, twice = 2 * centre - most;
    const u32 both = a + b - twice;
    const bool counts = max(u32(a - base), u32(b - base)) <= 2 * bounds.near && (!BUMPS || both <= 2 * bounds.bump);
    return counts ? tally + int(both) + (65536 - most) : tally;
}

__device__ __forceinline__ int share(int tally, const int* shares) {
    const int count = (tally + 32768) >> 16;
    return ((tally - (count << 16)) * shares[count] + 16384) >> 15;
}

// Where a thread's samples are in a stage, from a row of a block's on.
struct Place {
    int left, x, y;
    __device__ __forceinline__ Place(const Component& c, u32 block)
        : left(block % c.across * COLUMNS), x(left + threadIdx.x % 32), y(block / c.across * ROWS + threadIdx.x / 32) {}

    // Whether samples `reach` columns beside the block are inside the picture.
    __device__ __forceinline__ bool is_inside(const Component& c, int reach) const {
        return left >= reach && left + COLUMNS + reach <= int(c.src.width);
    }
};

// The samples of a pair, seen from a thread's in a row.
template <bool ACROSS>
struct Taps {
    PairDistance<ACROSS, true> distance;
    const u16 *a, *b;
    __device__ __forceinline__ Taps(const Component& c, const u16* plane, const Offset& pair, int x, int y)
        : distance(c, pair, x, y), a(plane + distance.same), b(plane - distance.same) {}
    __device__ __forceinline__ int first(int i) const { return __ldg(a + 32 * i + distance.columns_of(i)); }
    __device__ __forceinline__ int second(int i) const { return __ldg(b + 32 * i - distance.columns_of(i)); }
};

// How a pass moves a thread's samples, of which `level` gives what they are moved by besides.
template <bool ACROSS, typename Level>
__device__ __forceinline__ void smooth(
    const Component& c, const u16* source, const u16* plane, int x, int y, const Pass& pass, const int* shares, const Level& level,
    int (&own)[EACH], int (&value)[EACH]) {
    const Bounds bounds = {pass.near, pass.bump};
    const int limit = pass.limit;
    int centre[EACH], tally[EACH];
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        own[i] = __ldg(source + 32 * i);
        centre[i] = __ldg(plane + 32 * i);
        tally[i] = 0;
    }
#pragma unroll
    for (int pair = 0; pair < 3; pair++) {
        const Taps<ACROSS> taps(c, plane, pass.pairs[pair], x, y);
#pragma unroll
        for (int i = 0; i < EACH; i++) tally[i] = add_pair<true>(tally[i], taps.first(i), taps.second(i), centre[i], bounds);
    }
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        const int moved = centre[i] - own[i] + share(tally[i], shares) + level(i);
        value[i] = clamp(own[i] + clamp(moved, -limit, limit), 0, 65535);
    }
}

// Does pass `index` at row y of a block.
template <typename Level>
__device__ __forceinline__ void smooth(
    const Component& c, const Place& place, int y, const u16* from, int index, const int* shares, const Level& level,
    int (&own)[EACH], int (&value)[EACH]) {
    const int at = y * int(c.pitch) + place.x;
    const u16 *const source = c.source + at, *const plane = from + at;
    const Pass& pass = c.passes[index];
    if (place.is_inside(c, c.reach[index].columns)) {
        smooth<false>(c, source, plane, place.x, y, pass, shares, level, own, value);
    } else {
        smooth<true>(c, source, plane, place.x, y, pass, shares, level, own, value);
    }
}

struct NoLevel {
    __device__ __forceinline__ int operator()(int) const { return 0; }
};

// Widens a block's samples.
__device__ __forceinline__ void open_tile(const Component& c, u32 block) {
    const Plane& src = c.src;
    const int width = src.width, height = src.height, pitch = c.pitch;
    const int left = block % c.across * COLUMNS, top = block / c.across * ROWS;
    if (src.sample == SAMPLE_U8 && src.step == 1 && left + COLUMNS <= width && vectors_fit(src, 4)) {
        // Four samples side by side.
        const int x = left + threadIdx.x % 32 * 4;
        for (int y = top + threadIdx.x / 32; y < min(top + ROWS, height); y += WARPS) {
            const u32 four = __ldg(reinterpret_cast<const u32*>(at<u8>(src, x, y)));
            const uint2 wide = make_uint2(__byte_perm(four, 0, 0x4140) << src.shift, __byte_perm(four, 0, 0x4342) << src.shift);
            *reinterpret_cast<uint2*>(c.source + y * pitch + x) = wide;
        }
        return;
    }
    for (int y = top + threadIdx.x / 32; y < min(top + ROWS, height); y += WARPS) {
        for (int x = left + threadIdx.x % 32; x < min(left + COLUMNS, width); x += 32) {
            c.source[y * pitch + x] = load(src, x, y);
        }
    }
}

extern "C" __global__ void __launch_bounds__(THREADS) gradient_open(const Gradient p) {
    u32 block = blockIdx.x;
    const Component& c = component_of(p, block);
    if (c.filters) {
        open_tile(c, block);
    } else {
        copy_tile(c, block);
    }
}

constexpr int EVIDENCE_REACH = 6;

// Evidence at a thread's samples of a row.
template <bool ACROSS>
__device__ __forceinline__ void look(
    const Gradient& p, const Component& c, const u16* source, int x, int y, const int* shares, u8 (&found)[EACH]) {
    int centre[EACH], tally[EACH];
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        centre[i] = __ldg(source + 32 * i);
        tally[i] = 0;
    }
#pragma unroll
    for (int pair = 0; pair < MOST_PAIRS; pair++) {
        const Taps<ACROSS> taps(c, source, p.pairs[pair], x, y);
#pragma unroll
        for (int i = 0; i < EACH; i++) tally[i] = add_pair<false>(tally[i], taps.first(i), taps.second(i), centre[i], {p.near, 0});
    }
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        const int away = abs(share(tally[i], shares)) - int(p.floor);
        found[i] = min(max(away, 0) * int(p.scale), 255);
    }
}

extern "C" __global__ void __launch_bounds__(THREADS) gradient_first(const Gradient p) {
    __shared__ int shares[MOST_PAIRS + 1];
    fill_shares(shares);
    u32 block = blockIdx.x;
    const Component& c = component_of(p, block);
    const int width = c.src.width, height = c.src.height, pitch = c.pitch;
    const Place place(c, block);
    const int last = min(int(block / c.across + 1) * ROWS, height);
    for (int y = place.y; y < last; y += WARPS) {
        const u16* const source = c.source + y * pitch + place.x;
        u8 found[EACH];
        if (place.is_inside(c, EVIDENCE_REACH)) {
            look<false>(p, c, source, place.x, y, shares, found);
        } else {
            look<true>(p, c, source, place.x, y, shares, found);
        }
        u8* const evidence = c.evidence + y * int(c.evidence_pitch);
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            const int x = place.x + 32 * i;
            if (x < width) evidence[x] = found[i];
            // The outermost samples are replicated for those beside them.
            if (x == 0) {
#pragma unroll
                for (int k = 1; k <= AROUND; k++) evidence[-k] = found[i];
            }
            if (x == width - 1) {
#pragma unroll
                for (int k = 1; k <= AROUND; k++) evidence[x + k] = found[i];
            }
        }

        int own[EACH], value[EACH];
        smooth(c, place, y, c.source, 0, shares, NoLevel{}, own, value);
        u16* const made = c.made[0] + y * pitch;
#pragma unroll
        for (int i = 0; i < EACH; i++)
            if (place.x + 32 * i < width) made[place.x + 32 * i] = value[i];
    }
}

// The sum of four samples, and `sum`. Those from `left` on are none of the plane's.
__device__ __forceinline__ u32 add_four(uint2 four, int left, u32 sum) {
    if (left < 4) {
        four.x &= left < 1 ? 0 : left < 2 ? 0xffff : ~0u;
        four.y &= left < 3 ? 0 : 0xffff;
    }
    return sum + (four.x & 0xffff) + (four.x >> 16) + (four.y & 0xffff) + (four.y >> 16);
}

// Means over a row's cells of what passes took off the source, by a warp: a thread takes four columns of a cell.
__device__ __forceinline__ void take_means(const Component& c, const u16* plane, u32 block) {
    const int at = block * WARPS + threadIdx.x / 32, lane = threadIdx.x % 32, pitch = c.pitch;
    const int x = at % int(c.across) * COLUMNS + 4 * lane, top = at / int(c.across) * CELL;
    const int rows = min(int(c.src.height) - top, CELL), left = int(c.src.width) - x;
    if (rows <= 0) return;
    u32 source = 0, made = 0;
#pragma unroll 8
    for (int i = 0; i < rows; i++) {
        const int from = (top + i) * pitch + x;
        source = add_four(__ldg(reinterpret_cast<const uint2*>(c.source + from)), left, source);
        made = add_four(__ldg(reinterpret_cast<const uint2*>(plane + from)), left, made);
    }
    int sum = int(source - made);
    sum += __shfl_xor_sync(~0u, sum, 1);
    sum += __shfl_xor_sync(~0u, sum, 2);
    if (lane % 4 == 0 && left > 0) {
        c.cells[top / CELL * int(c.cells_across) + x / CELL] = rounded(LEVEL_PARTS * sum, min(left, CELL) * rows);
    }
}

extern "C" __global__ void __launch_bounds__(THREADS) gradient_cells(const Gradient p) {
    u32 block = blockIdx.x;
    const Component& c = component_of(p, block);
    take_means(c, c.made[(p.pass - 1) % 2], block);
}

extern "C" __global__ void __launch_bounds__(THREADS) gradient_pass(const Gradient p) {
    __shared__ int shares[MOST_PAIRS + 1];
    fill_shares(shares);
    u32 block = blockIdx.x;
    const Component& c = component_of(p, block);
    const int width = c.src.width, height = c.src.height, pitch = c.pitch;
    const u16* const from = c.made[(p.pass - 1) % 2];
    u16* const to = c.made[p.pass % 2];
    const Place place(c, block);
    const int last = min(int(block / c.across + 1) * ROWS, height);
    for (int y = place.y; y < last; y += WARPS) {
        int own[EACH], value[EACH];
        smooth(c, place, y, from, p.pass, shares, NoLevel{}, own, value);
#pragma unroll
        for (int i = 0; i < EACH; i++)
            if (place.x + 32 * i < width) to[y * pitch + place.x + 32 * i] = value[i];
    }
}

// Levels of a block: along each row a straight line from each cell's middle to the next.
struct Levels {
    Line (*lines)[LINES];

    __device__ __forceinline__ void find(const Component& c, u32 block) {
        constexpr int AROUND_ACROSS = CELLS_ACROSS + 2, AROUND_DOWN = CELLS_DOWN + 2, MOST = 2 * (MOST_WINDOW - 1);
        __shared__ i16 cells[AROUND_DOWN + MOST][AROUND_ACROSS + MOST];
        __shared__ i16 rows[AROUND_DOWN + MOST][AROUND_ACROSS];
        __shared__ int levels[AROUND_DOWN][AROUND_ACROSS];
        const int across = c.cells_across, down = c.cells_down, window = c.window;
        const int left = block % c.across * CELLS_ACROSS - 1, top = int(block / c.across) * CELLS_DOWN - 1;
        const int begin = max(left - window + 1, 0), end = min(left + AROUND_ACROSS - 1 + window, across);
        const int first = max(top - window + 1, 0), last = min(top + AROUND_DOWN - 1 + window, down);
        for (int y = threadIdx.x / 32; y < last - first; y += WARPS) {
            for (int x = threadIdx.x % 32; x < end - begin; x += 32) {
                cells[y][x] = __ldg(c.cells + (first + y) * across + begin + x);
            }
        }
        __syncthreads();
        for (int i = threadIdx.x; i < (last - first) * AROUND_ACROSS; i += THREADS) {
            const int x = clamp(left + i % AROUND_ACROSS, 0, across - 1), y = i / AROUND_ACROSS;
            rows[y][i % AROUND_ACROSS] = mean_around(x, across, window, [&](int x) { return cells[y][x - begin]; });
        }
        __syncthreads();
        for (int i = threadIdx.x; i < AROUND_DOWN * AROUND_ACROSS; i += THREADS) {
            const int x = i % AROUND_ACROSS, y = clamp(top + i / AROUND_ACROSS, 0, down - 1);
            levels[i / AROUND_ACROSS][x] = mean_around(y, down, window, [&](int y) { return rows[y - first][x]; });
        }
        __syncthreads();
        for (int i = threadIdx.x; i < ROWS * LINES; i += THREADS) {
            const int x = i % LINES, y = i / LINES, above = (y + CELL / 2) / CELL;
            const int part = 2 * ((y + CELL / 2) % CELL) + 1;
            const auto between = [&](int x) { return (levels[above][x] * (32 - part) + levels[above + 1][x] * part + 16) >> 5; };
            const int start = between(x);
            lines[y][x] = {32 * start + 128, between(x + 1) - start};
        }
    }

    // Of the i-th sample of a thread in row `y`.
    __device__ __forceinline__ int at(int y, int i) const {
        const int x = threadIdx.x % 32 + CELL / 2;
        const Line line = lines[y][2 * i + x / CELL];
        return (line.start + line.step * (2 * (x % CELL) + 1)) >> 8;
    }
};

// Sums of columns of evidence: of each row of a block seven, for its samples and four on both sides. A thread takes four
// columns and some rows.
constexpr int SUMS = COLUMNS + 8, QUADS = SUMS / 4, PARTS = THREADS / QUADS, PART_ROWS = (ROWS + PARTS - 1) / PARTS;

__device__ __forceinline__ void sum_columns(const Component& c, int left, int top, u16 (&sums)[ROWS][SUMS]) {
    const int quad = threadIdx.x % QUADS, part = threadIdx.x / QUADS, first = part * PART_ROWS;
    if (part >= PARTS) return;
    const int bottom = c.src.height - 1, pitch = c.evidence_pitch;
    // Of each word the first and third column, and the second and fourth.
    u32 even[PART_ROWS + 2 * AROUND], odd[PART_ROWS + 2 * AROUND];
#pragma unroll
    for (int i = 0; i < PART_ROWS + 2 * AROUND; i++) {
        const int y = clamp(top + first - AROUND + i, 0, bottom);
        const u32 four = __ldg(reinterpret_cast<const u32*>(c.evidence + y * pitch + left - 4 + 4 * quad));
        even[i] = four & 0x00ff00ff;
        odd[i] = four >> 8 & 0x00ff00ff;
    }
    u32 even_sum = 0, odd_sum = 0;
#pragma unroll
    for (int i = 0; i < 2 * AROUND; i++) {
        even_sum += even[i];
        odd_sum += odd[i];
    }
#pragma unroll
    for (int i = 0; i < PART_ROWS; i++) {
        even_sum += even[i + 2 * AROUND];
        odd_sum += odd[i + 2 * AROUND];
        if (first + i < ROWS) {
            *reinterpret_cast<uint2*>(&sums[first + i][4 * quad]) =
                make_uint2(__byte_perm(even_sum, odd_sum, 0x5410), __byte_perm(even_sum, odd_sum, 0x7632));
        }
        even_sum -= even[i];
        odd_sum -= odd[i];
    }
}

extern "C" __global__ void __launch_bounds__(THREADS) gradient_last(const Gradient p) {
    __shared__ int shares[MOST_PAIRS + 1];
    __shared__ __align__(8) u16 sums[ROWS][SUMS];
    __shared__ __align__(8) Line lines[ROWS][LINES];
    Levels levels = {lines};
    u32 block = blockIdx.x;
    const Component& c = component_of(p, block);
    const Place place(c, block);
    const int top = block / c.across * ROWS;
    sum_columns(c, block % c.across * COLUMNS, top, sums);
    levels.find(c, block);
    fill_shares(shares);  // which waits for the sums and levels too

    const int width = c.src.width;
    const int last = min(top + ROWS, int(c.src.height));
    for (int y = place.y; y < last; y += WARPS) {
        int own[EACH], value[EACH];
        const auto level = [&](int i) { return levels.at(y - top, i); };
        smooth(c, place, y, c.made[0], 3, shares, level, own, value);
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            const u16* const columns = &sums[y - top][threadIdx.x % 32 + 32 * i + 4 - AROUND];
            int sum = 0;
#pragma unroll
            for (int k = 0; k <= 2 * AROUND; k++) sum += columns[k];
            const int weight = clamp((int(p.end) - sum) * int(p.gain), 0, 32767);
            const int result = own[i] + (((value[i] - own[i]) * weight + 16384) >> 15);
            if (place.x + 32 * i < width) store(c.dst, place.x + 32 * i, y, clamp(result, c.low, c.high));
        }
    }
}
