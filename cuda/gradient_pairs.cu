// gradient of two samples in a word: the sample of row y, and that of row y + `half`.
//
// A stage is a plane of such words, so that a tap of both is one read, wherever it lies. Differences of samples are taken in
// halves of floats, as those of high and of low bytes: of samples that are near one another they need 11 bits, so all that
// decides and counts is exact. What both halves of the picture need of each other is written twice.

#include "common/early.cuh"
#include "gradient_look.cuh"

// Four samples of 8 bits of both rows, as words.
__device__ __forceinline__ uint4 four_words(u32 upper, u32 lower) {
    const u32 first = __byte_perm(upper, lower, 0x5140), second = __byte_perm(upper, lower, 0x7362);
    return make_uint4(
        __byte_perm(first, 0, 0x1404), __byte_perm(first, 0, 0x3424), __byte_perm(second, 0, 0x1404), __byte_perm(second, 0, 0x3424));
}

// Writes one half of row y, of which each thread of a warp has four samples side by side: a thread writes one of each 32 columns,
// so that a store of the warp fills as few sectors as it can.
__device__ __forceinline__ void put_half(const Side& to, const Place& place, int y, int side, u32 four) {
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        const u32 of_lane = __shfl_sync(~0u, four, (32 * i + lane) / 4);
        to.at(place.x + 32 * i, y, side) = (of_lane >> 8 * (lane % 4) & 0xff) << 8;
    }
}

// Widens a block's samples.
__device__ __forceinline__ void open_tile(const Component& c, u32 block, int rows) {
    const Plane& src = c.src;
    const Place place(c, block, rows);
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
            // The other half of the picture needs these, too.
            if (y < reach) put_half(to, place, y + half, 0, lower);
            if (y >= half - reach) put_half(to, place, y, 1, upper);
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
    const Component& c = component_of(p, block);
    wait_for_launch_before();
    // Borders begin first: they wait longest for memory.
    const u32 borders = c.blocks - c.tiles;
    if (block < borders) {
        continue_source(c, side_of(c, c.source), block);
    } else if (c.filters) {
        open_tile(c, block - borders, p.rows);
    } else {
        copy_tile(c, block - borders);
    }
}

constexpr int EVIDENCE_REACH = 6;

// Blocks that a multiprocessor holds at least: with three or five all in all takes up to 3 % longer.
constexpr int BLOCKS = 4;

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) gradient_first(const Gradient p) {
    // In memory, where a warp reads side by side: it would read one argument after the other.
    __shared__ u32 by_tally[TALLY_WORDS];
    for (int i = threadIdx.x; i < TALLY_WORDS; i += blockDim.x) by_tally[i] = __ldg(p.by_tally + i);
    __syncthreads();

    u32 block = blockIdx.x;
    const Component& c = component_of(p, block);
    const Place place(c, block, p.rows);
    wait_for_launch_before();
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
    const Component& c = component_of(p, block);
    const Place place(c, block, MEANS ? PAIR_ROWS : p.rows);
    let_next_launch_begin();
    // The launch before continued what the pass before made. The pass itself is over: see `gradient_borders`.
    if (!place.is_inside(c, c.reach[p.pass])) wait_for_writes_before();
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
    const Component& c = component_of(p, block);
    wait_before_next_launch_begins();
    const u32 borders = c.blocks - c.tiles;
    if (block < borders) {
        const int reach = c.reach[p.pass];
        const Side plane = side_of(c, c.made[(p.pass - 1) % 2]);
        continue_plane(c, plane, reach, block, ReadPair{plane});
    } else {
        find_levels(c, block - borders);
    }
}

// Levels of cells around a block, of both halves of the picture.
constexpr int LEVEL_ROWS = PAIR_ROWS / CELL + 2;
struct Levels {
    int of[2][LEVEL_ROWS][LINES + 1];
};

__device__ __forceinline__ void load_levels(const Component& c, const Place& place, Levels& levels) {
    const int across = c.cells_across, down = c.cells_down;
    static_assert(2 * LEVEL_ROWS * (LINES + 1) <= THREADS, "a thread loads one");
    // The last threads do, which sum no columns.
    const int i = THREADS - 1 - threadIdx.x;
    if (i >= 2 * LEVEL_ROWS * (LINES + 1)) return;
    const int x = i % (LINES + 1), row = i / (LINES + 1), side = row / LEVEL_ROWS;
    const int y = clamp((place.top + side * int(c.half)) / CELL + row % LEVEL_ROWS - 1, 0, down - 1);
    levels.of[side][row % LEVEL_ROWS][x] = __ldg(c.levels + y * across + clamp(place.left / CELL - 1 + x, 0, across - 1));
}

// Levels of a warp's two rows: lines of both halves of the picture, in the bits of a half of a float above `MIDDLE`.
__device__ __forceinline__ void find_lines(const Levels& levels, int4 (&lines)[2 * LINES]) {
    const int lane = threadIdx.x % 32;
    if (lane < 2 * LINES) {
        const int y = threadIdx.x / 32 + lane / LINES * WARPS, x = lane % LINES;
        const int above = (y + CELL / 2) / CELL, part = 2 * ((y + CELL / 2) % CELL) + 1;
        Line line[2];
#pragma unroll
        for (int side = 0; side < 2; side++) {
            const auto between = [&](int x) {
                return (levels.of[side][above][x] * (32 - part) + levels.of[side][above + 1][x] * part + 16) >> 5;
            };
            const int start = between(x);
            line[side] = {32 * start + 128 + int(MIDDLE_BITS << 8), between(x + 1) - start};
        }
        lines[lane] = make_int4(line[0].start, line[0].step, line[1].start, line[1].step);
    }
    __syncwarp();
}

// Sums of seven rows of evidence in each column of a block, and of four columns on both sides: a word holds those of both
// halves of the picture. A thread takes four columns and some rows: half of the warps then do all, with fewer rows to read twice.
constexpr int SUMS = COLUMNS + 8, QUADS = SUMS / 4, PARTS = 4, PART_ROWS = PAIR_ROWS / PARTS;
static_assert(PARTS * QUADS <= THREADS, "there are threads for all parts");

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
        *reinterpret_cast<uint4*>(&sums[first + row][4 * quad]) = make_uint4(
            __byte_perm(even_sum[0], even_sum[1], 0x5410), __byte_perm(odd_sum[0], odd_sum[1], 0x5410),
            __byte_perm(even_sum[0], even_sum[1], 0x7632), __byte_perm(odd_sum[0], odd_sum[1], 0x7632));
#pragma unroll
        for (int side = 0; side < 2; side++) {
            even_sum[side] -= even[side][row];
            odd_sum[side] -= odd[side][row];
        }
    }
}

// Makes a row's sums of columns sums of 7x7, by a warp. Returns whether one of them, of either half of the picture, is less than
// `end`.
__device__ __forceinline__ bool sum_row(u32 (&sums)[SUMS], u32 end) {
    static_assert(AROUND == 3 && COLUMNS == 4 * 32, "a thread sums around four columns");
    uint4* const at = reinterpret_cast<uint4*>(sums) + threadIdx.x % 32;
    const uint4 a = at[0], b = at[1], c = at[2];
    uint4 s;
    s.x = a.y + a.z + a.w + b.x + b.y + b.z + b.w;
    s.y = s.x - a.y + c.x;
    s.z = s.y - a.z + c.y;
    s.w = s.z - a.w + c.z;
    __syncwarp();
    at[1] = s;
    __syncwarp();
    // Sums have 14 bits, so that the highest bit of a half is left where one is no less.
    const u32 less = 0x80008000 - (end << 16 | end);
    return ((s.x + less) & (s.y + less) & (s.z + less) & (s.w + less) & 0x80008000) != 0x80008000;
}

// Fades samples out by the evidence around them, and stores them. All is exact in floats: sums above 2^23, weights in 32768ths,
// of which 32768 do as 32767 since no sample moves by more than 500, and samples in quarters above 2^21.
struct Blend {
    float end, gain, low, high, scale, offset;
    // The bits of 2^23 and 2^21, which the compiler must not know, as `Bytes` says of these exponents.
    static constexpr u32 EXPONENTS = 0x64645c5c;
    u32 up, sum_bits, sample_bits;
    __device__ __forceinline__ Blend(const Gradient& p, const Component& c)
        : end(float(int(p.end)) + 8388608.0f), gain(float(int(p.gain)) / 32768), sum_bits(p.exponents ^ EXPONENTS ^ 0x4b000000),
          sample_bits(p.exponents ^ EXPONENTS ^ 0x4a000000) {
        const Plane& dst = c.dst;
        const u32 drop = 16 - dst.bit_depth, half = (1u << drop) >> 1;
        low = __uint_as_float(sample_bits | c.low);
        high = __uint_as_float(sample_bits | min(c.high, 65535 - half));
        // From 2^21 and quarters to 2^23 and what is stored.
        scale = __uint_as_float((127 + 2 - drop) << 23);
        offset = 8388608.0f - __uint_as_float((127 + 23 - drop) << 23) + (drop == 0 ? 0.0f : 0.5f);
        up = drop - dst.shift;
    }
    __device__ __forceinline__ float sample(u32 own, int side) const {
        return __uint_as_float(__byte_perm(own, sample_bits, side == 0 ? 0x7610 : 0x7632));
    }
    __device__ __forceinline__ float moved(u32 own, Halves by, u32 sum, int side) const {
        const float weight = __saturatef((end - __uint_as_float(__byte_perm(sum, sum_bits, side == 0 ? 0x7610 : 0x7632))) * gain);
        return __fadd_rd(sample(own, side), __fmaf_rn(number(by.bits >> 16 * side), weight, 0.125f));
    }
    // What is stored, in the bits that a store takes.
    __device__ __forceinline__ u32 code(float value) const {
        return __float_as_uint(__fmaf_rd(fminf(fmaxf(value, low), high), scale, offset)) << up;
    }
};

// Stores a thread's samples of a row.
__device__ __forceinline__ void store_row(
    const Plane& dst, const Blend& blend, const Place& place, int y, const float (&values)[EACH]) {
    const int width = dst.width;
    if (dst.sample == SAMPLE_U16 && dst.step == 1 && place.left + COLUMNS <= width) {
        u16* const to = at<u16>(dst, place.x, y);
#pragma unroll
        for (int i = 0; i < EACH; i++) to[32 * i] = blend.code(values[i]);
        return;
    }
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        const int x = place.x + 32 * i;
        if (x >= width) continue;
        if (dst.sample == SAMPLE_U8) {
            *at<u8>(dst, x, y) = blend.code(values[i]);
        } else {
            *at<u16>(dst, x, y) = blend.code(values[i]);
        }
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) gradient_last(const Gradient p) {
    __shared__ __align__(16) u32 sums[PAIR_ROWS][SUMS];
    __shared__ int4 lines[WARPS][2 * LINES];
    __shared__ Levels levels;
    u32 block = blockIdx.x;
    const Component& c = component_of(p, block);
    const Place place(c, block);
    let_next_launch_begin();
    // Evidence is of the first pass, which is over. Levels and borders are of the launch before.
    sum_columns(c, place, sums);
    wait_for_writes_before();
    load_levels(c, place, levels);
    __syncthreads();
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const bool inside = place.left + 4 * lane < int(c.src.width);
    // Whether anything is left of the filter in each row. Where nothing is, as in texture, the row stays as it is, without a tap.
    const auto is_live = [&](int row) { return __any_sync(~0u, sum_row(sums[warp + row * WARPS], p.end) && inside) != 0; };
    const bool live[] = {is_live(0), is_live(1)};
    if (live[0] || live[1]) find_lines(levels, lines[warp]);

    const int height = c.src.height, half = c.half, part = 2 * ((lane + CELL / 2) % CELL) + 1;
    const Blend blend(p, c);
#pragma unroll 1
    for (int row = 0; row < 2; row++) {
        const int y = place.y + row * WARPS, at = y * int(c.pitch) + place.x;
        const u32* const source = reinterpret_cast<const u32*>(c.source) + at;
        u32 own[EACH];
        if (row == 0 ? !live[0] : !live[1]) {
#pragma unroll
            for (int i = 0; i < EACH; i++) own[i] = __ldg(source + 32 * i);
#pragma unroll
            for (int side = 0; side < 2; side++) {
                if (y + side * half >= height) continue;
                float results[EACH];
#pragma unroll
                for (int i = 0; i < EACH; i++) results[i] = blend.sample(own[i], side);
                store_row(c.dst, blend, place, y + side * half, results);
            }
            continue;
        }
        const int4* const lines_of_row = lines[warp] + row * LINES + (lane + CELL / 2) / CELL;
        const auto with_level = [&](int i, Halves by) {
            const int4 line = lines_of_row[2 * i];
            return by + (Halves{__byte_perm(line.x + line.y * part, line.z + line.w * part, 0x6521)} - both(MIDDLE));
        };
        const u32* const plane = reinterpret_cast<const u32*>(c.made[0]) + at;
        Halves moved[EACH];
        smooth<QUARTERS, true>(c, p.exponents, source, plane, c.passes[3], with_level, own, moved);
        u32 sums_around[EACH];
#pragma unroll
        for (int i = 0; i < EACH; i++) sums_around[i] = sums[warp + row * WARPS][4 + lane + 32 * i];
#pragma unroll
        for (int side = 0; side < 2; side++) {
            if (y + side * half >= height) continue;
            float results[EACH];
#pragma unroll
            for (int i = 0; i < EACH; i++) results[i] = blend.moved(own[i], moved[i], sums_around[i], side);
            store_row(c.dst, blend, place, y + side * half, results);
        }
    }
}
