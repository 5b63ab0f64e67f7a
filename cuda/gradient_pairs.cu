// gradient of two samples in a word: the sample of row y, and that of row y + `half`.
//
// A stage is a plane of such words, so that a tap of both is one read, wherever it lies. Differences of samples are taken in
// halves of floats, as those of high and of low bytes: of samples that are near one another they need 11 bits, so all that
// decides and counts is exact. What both halves of the picture need of each other is written twice.

#include "gradient_look.cuh"

// Four samples of 8 bits of both rows, as words.
__device__ __forceinline__ uint4 four_words(u32 upper, u32 lower) {
    const u32 first = __byte_perm(upper, lower, 0x5140), second = __byte_perm(upper, lower, 0x7362);
    return make_uint4(
        __byte_perm(first, 0, 0x1404), __byte_perm(first, 0, 0x3424), __byte_perm(second, 0, 0x1404), __byte_perm(second, 0, 0x3424));
}

// Widens a block's samples.
__device__ __forceinline__ void open_tile(const Component& c, u32 block) {
    const Plane& src = c.src;
    const Place place(c, block);
    const int width = src.width, height = src.height, half = c.half, reach = c.reach[0];
    const Side to = side_of(c, c.source);
    const bool whole = place.left + COLUMNS <= width && place.last + half <= height;
    if (whole && src.sample == SAMPLE_U8 && src.step == 1 && vectors_fit(src, 4)) {
        // Four samples side by side.
        const int x = place.left + threadIdx.x % 32 * 4;
        for (int y = place.y; y < place.last; y += WARPS) {
            const u32 upper = __ldg(reinterpret_cast<const u32*>(at<u8>(src, x, y)));
            const u32 lower = __ldg(reinterpret_cast<const u32*>(at<u8>(src, x, y + half)));
            const uint4 words = four_words(upper, lower);
            *reinterpret_cast<uint4*>(&to.at(x, y, 0)) = words;
            const u32 each[] = {words.x, words.y, words.z, words.w};
#pragma unroll
            for (int i = 0; i < 4; i++) {
                if (y < reach) to.at(x + i, y + half, 0) = each[i] >> 16;
                if (y >= half - reach) to.at(x + i, y, 1) = each[i];
            }
        }
        return;
    }
    for (int y = place.y; y < place.last; y += WARPS) {
        for (int side = 0; side < 2; side++) {
            const int row = y + side * half;
            if (row >= height) continue;
            for (int x = place.x; x < min(place.left + COLUMNS, width); x += 32) to.put(x, row, reach, load(src, x, row));
        }
    }
}

extern "C" __global__ void __launch_bounds__(THREADS) gradient_open(const Gradient p) {
    u32 block = blockIdx.x;
    const Component& c = component_of(p.component, block);
    // Borders begin first: they wait longest for memory.
    const u32 borders = c.blocks - c.tiles;
    if (block < borders) {
        continue_plane(c, side_of(c, c.source), c.reach[0], block, ReadSource{c.src});
    } else if (c.filters) {
        open_tile(c, block - borders);
    } else {
        copy_tile(c, block - borders);
    }
}

constexpr int EVIDENCE_REACH = 6;

// Blocks that a multiprocessor holds at least: with three or five all in all takes up to 3 % longer.
constexpr int BLOCKS = 4;

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) gradient_first(const Gradient p) {
    __shared__ u32 by_tally[sizeof(p.by_tally) / 4];
    if (threadIdx.x < sizeof(p.by_tally) / 4) by_tally[threadIdx.x] = p.by_tally[threadIdx.x];
    __syncthreads();

    u32 block = blockIdx.x;
    const Component& c = component_of(p.component, block);
    const Place place(c, block);
    const bool of_8_bits = c.src.sample == SAMPLE_U8;
    const bool inside = of_8_bits && place.is_inside(c, EVIDENCE_REACH), far_inside = of_8_bits && place.is_inside(c, c.reach[0]);
    for (int y = place.y; y < place.last; y += WARPS) {
        const u32* const source = reinterpret_cast<const u32*>(c.source) + y * int(c.pitch) + place.x;
        Found found[EACH];
        if (inside) {
            look_inside(p.exponents, source, c.offsets, Bounds(p.near, 0, STEPS), reinterpret_cast<const u8*>(by_tally), found);
        } else {
            look(p, source, c.offsets, Bounds(p.near, 0, QUARTERS), found);
        }
#pragma unroll
        for (int side = 0; side < 2; side++) put_evidence(c, place, y + side * int(c.half), side, found);
        u32 own[EACH], words[EACH];
        Halves moved[EACH];
        if (far_inside) {
            smooth<STEPS, false>(c, p.exponents, source, source, c.passes[0], NoLevel{}, own, moved);
        } else {
            smooth<QUARTERS, false>(c, p.exponents, source, source, c.passes[0], NoLevel{}, own, moved);
        }
        move(own, moved, words);
        put_words(side_of(c, c.made[0]), place.x, y, c.reach[1], words);
    }
}

// Means of a block's cells, of both halves of the picture: `sums` of a thread's columns, in both halves of a word, are what its
// samples were moved by, and 512 more for each.
__device__ __forceinline__ void take_means(const Component& c, const Place& place, u32 (&sums)[EACH]) {
    __shared__ u32 parts[WARPS][CELLS_ACROSS];
    const int width = c.src.width, height = c.src.height, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < EACH; i++) {
#pragma unroll
        for (int distance = CELL / 2; distance > 0; distance /= 2) sums[i] += __shfl_xor_sync(~0u, sums[i], distance);
        if (lane % CELL == 0) parts[warp][2 * i + lane / CELL] = sums[i];
    }
    __syncthreads();
    if (threadIdx.x >= 2 * CELLS_ACROSS) return;
    const int column = threadIdx.x % CELLS_ACROSS, side = threadIdx.x / CELLS_ACROSS;
    const int left = place.left + CELL * column, top = place.top + side * int(c.half);
    if (left >= width || top >= height) return;
    int sum = 0;
#pragma unroll
    for (int i = 0; i < WARPS; i++) sum += parts[i][column] >> 16 * side & 0xffff;
    const int count = min(width - left, CELL) * min(height - top, CELL);
    c.cells[top / CELL * int(c.cells_across) + left / CELL] = rounded(LEVEL_PARTS * (512 * count - sum), count);
}

// The second or third pass, of a block; the third one takes means, too.
template <bool MEANS>
__device__ __forceinline__ void pass_tile(const Gradient& p) {
    u32 block = blockIdx.x;
    const Component& c = component_of(p.component, block);
    const Place place(c, block);
    const Side made = side_of(c, c.made[p.pass % 2]);
    const int width = c.src.width, height = c.src.height, half = c.half;
    u32 sums[EACH] = {};
    for (int y = place.y; y < place.last; y += WARPS) {
        const int at = y * int(c.pitch) + place.x;
        const u32* const source = reinterpret_cast<const u32*>(c.source) + at;
        const u32* const plane = reinterpret_cast<const u32*>(c.made[(p.pass - 1) % 2]) + at;
        u32 own[EACH], words[EACH];
        Halves moved[EACH];
        smooth<QUARTERS, true>(c, p.exponents, source, plane, c.passes[p.pass], NoLevel{}, own, moved);
        move(own, moved, words);
        put_words(made, place.x, y, c.reach[p.pass + 1], words);
        if (!MEANS) continue;
        const u32 counts = (y < height ? 0x000003ff : 0) | (y + half < height ? 0x03ff0000 : 0);
#pragma unroll
        for (int i = 0; i < EACH; i++) sums[i] += (moved[i] + both(MIDDLE)).bits & (place.x + 32 * i < width ? counts : 0);
    }
    if (MEANS) take_means(c, place, sums);
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) gradient_second(const Gradient p) { pass_tile<false>(p); }

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) gradient_third(const Gradient p) { pass_tile<true>(p); }

// Levels of some columns of cells: means of rows around each cell, then of columns around it.
constexpr int LEVEL_COLUMNS = 2;
__device__ __forceinline__ void find_levels(const Component& c, u32 block) {
    const int across = c.cells_across, down = c.cells_down, window = c.window;
    const int left = block * LEVEL_COLUMNS, columns = min(across - left, LEVEL_COLUMNS);
    int* const rows = c.cells + across * down;
    for (int i = threadIdx.x; i < down * columns; i += THREADS) {
        const int x = left + i % columns, first = i / columns * across;
        rows[first + x] = mean_around(x, across, window, [&](int x) { return __ldg(c.cells + first + x); });
    }
    __syncthreads();
    for (int i = threadIdx.x; i < down * columns; i += THREADS) {
        const int x = left + i % columns, y = i / columns;
        c.levels[y * across + x] = mean_around(y, down, window, [&](int y) { return rows[y * across + x]; });
    }
}

extern "C" __global__ void __launch_bounds__(THREADS) gradient_borders(const Gradient p) {
    u32 block = blockIdx.x;
    const Component& c = component_of(p.component, block);
    const u32 borders = c.blocks - c.tiles;
    if (block < borders) {
        const int reach = c.reach[p.pass];
        const Side plane = side_of(c, c.made[(p.pass - 1) % 2]);
        continue_plane(c, plane, reach, block, ReadPair{plane});
    } else {
        find_levels(c, block - borders);
    }
}

// Levels of a block's samples along each row, of both halves of the picture.
__device__ __forceinline__ void find_lines(const Component& c, const Place& place, Line (&lines)[2][PAIR_ROWS][LINES]) {
    constexpr int DOWN = PAIR_ROWS / CELL + 2;
    __shared__ int levels[2][DOWN][LINES + 1];
    const int across = c.cells_across, down = c.cells_down;
    for (int i = threadIdx.x; i < 2 * DOWN * (LINES + 1); i += THREADS) {
        const int x = i % (LINES + 1), row = i / (LINES + 1), side = row / DOWN;
        const int y = clamp((place.top + side * int(c.half)) / CELL + row % DOWN - 1, 0, down - 1);
        levels[side][row % DOWN][x] = __ldg(c.levels + y * across + clamp(place.left / CELL - 1 + x, 0, across - 1));
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 2 * PAIR_ROWS * LINES; i += THREADS) {
        const int x = i % LINES, row = i / LINES, side = row / PAIR_ROWS, y = row % PAIR_ROWS;
        const int above = (y + CELL / 2) / CELL, part = 2 * ((y + CELL / 2) % CELL) + 1;
        const auto between = [&](int x) {
            return (levels[side][above][x] * (32 - part) + levels[side][above + 1][x] * part + 16) >> 5;
        };
        const int start = between(x);
        lines[side][y][x] = {32 * start + 128, between(x + 1) - start};
    }
}

// Sums of seven rows of evidence in each column of a block, and of four columns on both sides: a word holds those of both
// halves of the picture. A thread takes four columns and some rows.
constexpr int SUMS = COLUMNS + 8, QUADS = SUMS / 4, PARTS = THREADS / QUADS, PART_ROWS = (PAIR_ROWS + PARTS - 1) / PARTS;

__device__ __forceinline__ void sum_columns(const Component& c, const Place& place, u32 (&sums)[PAIR_ROWS][SUMS]) {
    const int quad = threadIdx.x % QUADS, first = threadIdx.x / QUADS * PART_ROWS;
    if (first >= PAIR_ROWS) return;
    const int bottom = c.src.height - 1, pitch = c.pitch;
    const u8* const evidence = c.evidence + place.left - 4 + 4 * quad;
    // Of each word the first and third column, and the second and fourth.
    u32 even[2][PART_ROWS + 2 * AROUND], odd[2][PART_ROWS + 2 * AROUND];
#pragma unroll
    for (int side = 0; side < 2; side++) {
#pragma unroll
        for (int i = 0; i < PART_ROWS + 2 * AROUND; i++) {
            const int y = clamp(place.top + side * int(c.half) + first - AROUND + i, 0, bottom);
            const u32 four = __ldg(reinterpret_cast<const u32*>(evidence + y * pitch));
            even[side][i] = four & 0x00ff00ff;
            odd[side][i] = four >> 8 & 0x00ff00ff;
        }
    }
    u32 even_sum[2] = {}, odd_sum[2] = {};
#pragma unroll
    for (int i = 0; i < PART_ROWS + 2 * AROUND; i++) {
#pragma unroll
        for (int side = 0; side < 2; side++) {
            even_sum[side] += even[side][i];
            odd_sum[side] += odd[side][i];
        }
        const int row = i - 2 * AROUND;
        if (row < 0) continue;
        if (first + row < PAIR_ROWS) {
            *reinterpret_cast<uint4*>(&sums[first + row][4 * quad]) = make_uint4(
                __byte_perm(even_sum[0], even_sum[1], 0x5410), __byte_perm(odd_sum[0], odd_sum[1], 0x5410),
                __byte_perm(even_sum[0], even_sum[1], 0x7632), __byte_perm(odd_sum[0], odd_sum[1], 0x7632));
        }
#pragma unroll
        for (int side = 0; side < 2; side++) {
            even_sum[side] -= even[side][row];
            odd_sum[side] -= odd[side][row];
        }
    }
}

// Fades a sample out by the evidence around it.
struct Blend {
    const Gradient& p;
    const Component& c;
    __device__ __forceinline__ int at(u32 own, Halves moved, u32 sum, int side) const {
        const int by = int((moved + both(MIDDLE)).bits >> 16 * side & 0xffff) - int(MIDDLE_BITS);
        const int weight = clamp((int(p.end) - int(sum >> 16 * side & 0xffff)) * int(p.gain), 0, 32767);
        return clamp(int(own >> 16 * side & 0xffff) + ((by * weight + 16384) >> 15), c.low, c.high);
    }
};

// Stores a thread's samples of a row.
__device__ __forceinline__ void store_row(const Plane& dst, const Place& place, int y, const int (&values)[EACH]) {
    const int width = dst.width;
    if (dst.sample == SAMPLE_U16 && dst.step == 1 && place.left + COLUMNS <= width) {
        u16* const to = at<u16>(dst, place.x, y);
#pragma unroll
        for (int i = 0; i < EACH; i++) to[32 * i] = narrow(dst, values[i]);
        return;
    }
#pragma unroll 1
    for (int i = 0; i < EACH; i++)
        if (place.x + 32 * i < width) store(dst, place.x + 32 * i, y, values[i]);
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) gradient_last(const Gradient p) {
    __shared__ __align__(16) u32 sums[PAIR_ROWS][SUMS];
    __shared__ __align__(8) Line lines[2][PAIR_ROWS][LINES];
    u32 block = blockIdx.x;
    const Component& c = component_of(p.component, block);
    const Place place(c, block);
    sum_columns(c, place, sums);
    find_lines(c, place, lines);
    __syncthreads();

    const int height = c.src.height, half = c.half;
    const int lane = threadIdx.x % 32, part = 2 * ((lane + CELL / 2) % CELL) + 1;
    for (int y = place.y; y < place.last; y += WARPS) {
        const int row = y - place.top;
        const auto with_level = [&](int i, Halves by) {
            u32 levels = MIDDLE_BITS << 16 | MIDDLE_BITS;
#pragma unroll
            for (int side = 0; side < 2; side++) {
                const Line line = lines[side][row][2 * i + (lane + CELL / 2) / CELL];
                levels += (line.start + line.step * part >> 8) << 16 * side;
            }
            return by + (Halves{levels} - both(MIDDLE));
        };
        const int at = y * int(c.pitch) + place.x;
        const u32* const source = reinterpret_cast<const u32*>(c.source) + at;
        const u32* const plane = reinterpret_cast<const u32*>(c.made[0]) + at;
        u32 own[EACH];
        Halves moved[EACH];
        smooth<QUARTERS, true>(c, p.exponents, source, plane, c.passes[3], with_level, own, moved);
        u32 sums_around[EACH];
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            const u32* const columns = &sums[row][lane + 32 * i + 4 - AROUND];
            sums_around[i] = 0;
#pragma unroll
            for (int k = 0; k <= 2 * AROUND; k++) sums_around[i] += columns[k];
        }
        const Blend blend = {p, c};
#pragma unroll
        for (int side = 0; side < 2; side++) {
            if (y + side * half >= height) continue;
            int results[EACH];
#pragma unroll
            for (int i = 0; i < EACH; i++) results[i] = blend.at(own[i], moved[i], sums_around[i], side);
            store_row(c.dst, place, y + side * half, results);
        }
    }
}
