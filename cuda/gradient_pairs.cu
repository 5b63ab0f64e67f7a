// gradient of two samples in a word: one of row y, and the one of its column that is as far from the lower border as that from the upper.
//
// A stage is a plane of such words, so that a tap of both is one read: both samples have as much room for their pairs up and down.
// Below its last row lie words the other way round, as many rows as pairs reach: these are written twice. Differences of samples are
// taken in halves of floats, as those of high and of low bytes: of samples that are near one another they need 11 bits, so all that
// decides and counts is exact.

#include "common/early.cuh"
#include "gradient_look.cuh"

// Four samples of 8 bits of both rows, as words.
__device__ __forceinline__ uint4 four_words(u32 upper, u32 lower) {
    const u32 first = __byte_perm(upper, lower, 0x5140), second = __byte_perm(upper, lower, 0x7362);
    return make_uint4(
        __byte_perm(first, 0, 0x1404), __byte_perm(first, 0, 0x3424), __byte_perm(second, 0, 0x1404), __byte_perm(second, 0, 0x3424));
}

// Widens a block's samples.
__device__ __forceinline__ void open_tile(const Component& c, u32 block, int rows) {
    const Plane& src = c.src;
    const Place place(c, block, rows);
    const int width = src.width, height = src.height, reach = c.reach[0].rows;
    const bool whole = place.left + COLUMNS <= width && place.last <= height;
    if (whole && src.sample == SAMPLE_U8 && src.step == 1 && vectors_fit(src, 4)) {
        // Four samples side by side.
        const int x = place.left + threadIdx.x % 32 * 4;
        const auto words_at = [&](int y) { return reinterpret_cast<uint4*>(reinterpret_cast<u32*>(c.source) + y * int(c.pitch) + x); };
        for (int y = place.y; y < place.last; y += WARPS) {
            const int opposite = row_of(c, y, 1);
            const u32 first = __ldg(reinterpret_cast<const u32*>(at<u8>(src, x, y)));
            const u32 second = __ldg(reinterpret_cast<const u32*>(at<u8>(src, x, opposite)));
            *words_at(y) = four_words(first, second);
            if (is_read_swapped(c, y, reach)) *words_at(opposite) = four_words(second, first);
        }
        return;
    }
    for (int y = place.y; y < min(place.last, height); y += WARPS) {
        u32 words[EACH];
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            const int x = min(place.x + 32 * i, width - 1);
            words[i] = load(src, x, y) | load(src, x, row_of(c, y, 1)) << 16;
        }
        put_words(c, c.source, place.x, y, reach, words);
    }
}

extern "C" __global__ void __launch_bounds__(THREADS) gradient_open(const Gradient p) {
    u32 block = blockIdx.x;
    const Component& c = component_of(p, block);
    wait_for_launch_before();
    if (c.filters) {
        open_tile(c, block, p.rows);
    } else {
        copy_tile(c, block);
    }
}

// Blocks that a multiprocessor holds at least: with three or five all in all takes up to 3 % longer.
constexpr int BLOCKS = 4;

// Looks for evidence and does the first pass, in a block of samples that differ by so much.
template <int UNIT>
struct FirstRows {
    const Gradient& p;
    const Component& c;
    const Place& place;
    const u8* by_tally;

    template <bool ACROSS, bool DOWN>
    __device__ __forceinline__ void run() const {
        const int x = place.x;
        for (int y = place.y; y < place.last; y += WARPS) {
            Found found[EACH];
            look<UNIT == STEPS, ACROSS, DOWN>(p, c, x, y, by_tally, found);
#pragma unroll
            for (int side = 0; side < 2; side++) put_evidence(c, place, y, side, found);
            u32 own[EACH], words[EACH];
            Halves moved[EACH];
            smooth<UNIT, false, ACROSS, DOWN>(c, p.exponents, c.source, x, y, c.passes[0], NoLevel{}, own, moved);
            move(own, moved, words);
            put_words(c, c.made[0], x, y, c.reach[1].rows, words);
        }
    }
};

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) gradient_first(const Gradient p) {
    // In memory, where a warp reads side by side: it would read one argument after the other.
    __shared__ TallyTable table;
    for (int i = threadIdx.x; i < sizeof(TallyTable) / 4; i += blockDim.x) table.words[i] = __ldg(p.by_tally->words + i);
    __syncthreads();

    u32 block = blockIdx.x;
    const Component& c = component_of(p, block);
    const Place place(c, block, p.rows);
    wait_for_launch_before();
    const u8* const by_tally = reinterpret_cast<const u8*>(table.words);
    if (c.src.sample == SAMPLE_U8) {
        by_borders(c, place, c.reach[0], FirstRows<STEPS>{p, c, place, by_tally});
    } else {
        by_borders(c, place, c.reach[0], FirstRows<QUARTERS>{p, c, place, by_tally});
    }
}

// Sums of words over the columns of each cell of a row, by a warp. Every fourth thread then has one.
__device__ __forceinline__ u32 sum_of_cell(const u32 (&words)[EACH]) {
    const int lane = threadIdx.x % 32;
    // Each step halves the threads that a cell's words are spread over: a thread keeps what is of its cells and gives away the rest.
    const auto halve = [&](u32 a, u32 b, int distance) {
        const bool keeps_b = lane & distance;
        return (keeps_b ? b : a) + __shfl_xor_sync(~0u, keeps_b ? a : b, distance);
    };
    u32 sum = halve(halve(words[0], words[2], 8), halve(words[1], words[3], 8), 4);
    sum += __shfl_xor_sync(~0u, sum, 2);
    return sum + __shfl_xor_sync(~0u, sum, 1);
}

// Which cell of a block a thread then has the sum of.
__device__ __forceinline__ int cell_of_sum() { return threadIdx.x % 16 / 4 * 2 + threadIdx.x % 32 / 16; }

// Sums of a block's cells, of both samples of words: `sums` of each row's, in both halves of a word, are what samples were moved by, and
// 512 more for each. A cell of second samples lies in two blocks, which give it a sum each.
__device__ __forceinline__ void put_sums(const Component& c, const Place& place, const u32 (&sums)[PAIR_ROWS][CELLS_ACROSS]) {
    const int part = threadIdx.x / CELLS_ACROSS, column = threadIdx.x % CELLS_ACROSS, left = place.left / CELL + column;
    if (part >= 3 || left >= int(c.cells_across)) return;
    // The block's rows that are of the cell: all, those up to where cells of second samples meet, or the others.
    const int row = row_of(c, place.top, part > 0), meet = row % CELL + 1;
    const int first = part == 2 ? meet : 0, last = part == 1 ? meet : PAIR_ROWS;
    if (!owns(c, place.top + first, part > 0)) return;
    u32 sum = 0;
    for (int i = first; i < last; i++) sum += sums[i][column] >> (part > 0 ? 16 : 0) & 0xffff;
    const int cell = (row / CELL - (part == 2)) * int(c.cells_across) + left;
    c.cells[cell + (part == 2 ? c.cells_across * c.cells_down : 0)] = sum;
}

// Does the second or third pass in a block. With `MEANS` it also sums what samples of each cell are moved by in each row.
template <bool MEANS>
struct PassRows {
    const Gradient& p;
    const Component& c;
    const Place& place;
    u32 (*sums)[CELLS_ACROSS];

    template <bool ACROSS, bool DOWN>
    __device__ __forceinline__ void run() const {
        for (int y = place.y; y < place.last; y += WARPS) {
            u32 own[EACH], words[EACH];
            Halves moved[EACH];
            smooth<QUARTERS, true, ACROSS, DOWN>(
                c, p.exponents, c.made[(p.pass - 1) % 2], place.x, y, c.passes[p.pass], NoLevel{}, own, moved);
            move(own, moved, words);
            put_words(c, c.made[p.pass % 2], place.x, y, c.reach[p.pass + 1].rows, words);
            if (!MEANS) continue;
            const u32 counts = (owns(c, y, 0) ? 0x000003ff : 0) | (owns(c, y, 1) ? 0x03ff0000 : 0);
            u32 by[EACH];
#pragma unroll
            for (int i = 0; i < EACH; i++) by[i] = (moved[i] + both(MIDDLE)).bits & (place.x + 32 * i < int(c.src.width) ? counts : 0);
            const u32 sum = sum_of_cell(by);
            if (threadIdx.x % 4 == 0) sums[y - place.top][cell_of_sum()] = sum;
        }
    }
};

// The second pass, of a block.
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) gradient_second(const Gradient p) {
    u32 block = blockIdx.x;
    const Component& c = component_of(p, block);
    const Place place(c, block, p.rows);
    wait_for_launch_before();
    by_borders(c, place, c.reach[1], PassRows<false>{p, c, place, nullptr});
}

// The third pass, of a block, and sums of its cells.
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) gradient_third(const Gradient p) {
    __shared__ u32 sums[PAIR_ROWS][CELLS_ACROSS];
    u32 block = blockIdx.x;
    const Component& c = component_of(p, block);
    const Place place(c, block);
    wait_for_launch_before();
    by_borders(c, place, c.reach[2], PassRows<true>{p, c, place, sums});
    __syncthreads();
    put_sums(c, place, sums);
}

// The mean of what passes took off a cell's samples, of its sum or of both its sums.
__device__ __forceinline__ int mean_of_cell(const Component& c, int x, int y) {
    const int across = c.cells_across, top = CELL * y, height = c.src.height;
    const int* const sums = c.cells + y * across + x;
    // Cells of second samples have two, but for those of the last row.
    const bool has_two = top >= int(c.word_rows) && top + CELL < height;
    const int sum = __ldg(sums) + (has_two ? __ldg(sums + across * int(c.cells_down)) : 0);
    const int count = min(int(c.src.width) - CELL * x, CELL) * min(height - top, CELL);
    return rounded(LEVEL_PARTS * (512 * count - sum), count);
}

// Levels of some columns of cells: means of rows around each cell, then of columns around it.
constexpr int LEVEL_COLUMNS = 2;
__device__ __forceinline__ void find_levels(const Component& c, u32 block) {
    const int across = c.cells_across, down = c.cells_down, window = c.window;
    const int left = block * LEVEL_COLUMNS, columns = min(across - left, LEVEL_COLUMNS);
    int* const rows = c.cells + 2 * across * down;
    for (int i = threadIdx.x; i < down * columns; i += THREADS) {
        const int x = left + i % columns, first = i / columns * across;
        rows[first + x] = mean_around(x, across, window, [&](int x) { return mean_of_cell(c, x, i / columns); });
    }
    __syncthreads();
    for (int i = threadIdx.x; i < down * columns; i += THREADS) {
        const int x = left + i % columns, y = i / columns;
        c.levels[y * across + x] = mean_around(y, down, window, [&](int y) { return rows[y * across + x]; });
    }
}

extern "C" __global__ void __launch_bounds__(THREADS) gradient_cells(const Gradient p) {
    u32 block = blockIdx.x;
    const Component& c = component_of(p, block);
    wait_before_next_launch_begins();
    find_levels(c, block);
}

// Levels of cells around a block, of both samples of words.
constexpr int LEVEL_ROWS = PAIR_ROWS / CELL + 2;
struct Levels {
    int of[2][LEVEL_ROWS][LINES + 1];
};

// The row of the cell whose middle is above a sample's, or in its row.
__device__ __forceinline__ int cell_above(int row) { return (row - CELL / 2) >> CELL_BITS; }

// The first row of cells that samples of a block lie below.
__device__ __forceinline__ int first_cell(const Component& c, const Place& place, int side) {
    return cell_above(row_of(c, side == 0 ? place.top : place.last - 1, side));
}

__device__ __forceinline__ void load_levels(const Component& c, const Place& place, Levels& levels) {
    const int across = c.cells_across, down = c.cells_down;
    static_assert(2 * LEVEL_ROWS * (LINES + 1) <= THREADS, "a thread loads one");
    // The last threads do, which sum no columns.
    const int i = THREADS - 1 - threadIdx.x;
    if (i >= 2 * LEVEL_ROWS * (LINES + 1)) return;
    const int x = i % (LINES + 1), row = i / (LINES + 1) % LEVEL_ROWS, side = i / (LINES + 1) / LEVEL_ROWS;
    const int y = clamp(first_cell(c, place, side) + row, 0, down - 1);
    levels.of[side][row][x] = __ldg(c.levels + y * across + clamp(place.left / CELL - 1 + x, 0, across - 1));
}

// Levels of a warp's two rows: lines of both samples of words, in the bits of a half of a float above `MIDDLE`.
__device__ __forceinline__ void find_lines(
    const Component& c, const Place& place, const Levels& levels, int4 (&lines)[2 * LINES]) {
    const int lane = threadIdx.x % 32;
    if (lane < 2 * LINES) {
        const int y = place.y + lane / LINES * WARPS, x = lane % LINES;
        Line line[2];
#pragma unroll
        for (int side = 0; side < 2; side++) {
            const int row = row_of(c, y, side), above = cell_above(row) - first_cell(c, place, side);
            const int part = 2 * (row - CELL / 2 & CELL - 1) + 1;
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
// samples. A thread takes four columns and some rows: half of the warps then do all, with fewer rows to read twice.
constexpr int SUMS = COLUMNS + 8, QUADS = SUMS / 4, PARTS = 4, PART_ROWS = PAIR_ROWS / PARTS;
static_assert(PARTS * QUADS <= THREADS, "there are threads for all parts");

__device__ __forceinline__ void sum_columns(const Component& c, const Place& place, u32 (&sums)[PAIR_ROWS][SUMS]) {
    const int quad = threadIdx.x % QUADS, first = threadIdx.x / QUADS * PART_ROWS;
    if (first >= PAIR_ROWS) return;
    const int bottom = c.src.height - 1, pitch = c.evidence_pitch;
    const u8* const evidence = c.evidence + place.left - 4 + 4 * quad;
    // Of each word the first and third column, and the second and fourth.
    u32 even[2][PART_ROWS + 2 * AROUND], odd[2][PART_ROWS + 2 * AROUND];
#pragma unroll
    for (int side = 0; side < 2; side++) {
#pragma unroll
        for (int i = 0; i < PART_ROWS + 2 * AROUND; i++) {
            const int y = clamp(row_of(c, place.top + first - AROUND + i, side), 0, bottom);
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

// Makes a row's sums of columns sums of 7x7, by a warp. Returns whether one of them, of either sample of words, is less than
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

// Does the last pass in a block and blends: sums of evidence are there, and of rows of which something is left, which are `live`,
// levels.
struct LastRows {
    const Gradient& p;
    const Component& c;
    const Place& place;
    const bool (&live)[2];
    const u32 (&sums)[PAIR_ROWS][SUMS];
    const int4 (&lines)[2 * LINES];

    template <bool ACROSS, bool DOWN>
    __device__ __forceinline__ void run() const {
        const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        const int part = 2 * ((lane + CELL / 2) % CELL) + 1;
        const Blend blend(p, c);
#pragma unroll 1
        for (int row = 0; row < 2; row++) {
            const int y = place.y + row * WARPS;
            u32 own[EACH];
            if (row == 0 ? !live[0] : !live[1]) {
                const u32* const source = reinterpret_cast<const u32*>(c.source) + y * int(c.pitch) + place.x;
#pragma unroll
                for (int i = 0; i < EACH; i++) own[i] = __ldg(source + 32 * i);
#pragma unroll
                for (int side = 0; side < 2; side++) {
                    if (!owns(c, y, side)) continue;
                    float results[EACH];
#pragma unroll
                    for (int i = 0; i < EACH; i++) results[i] = blend.sample(own[i], side);
                    store_row(c.dst, blend, place, row_of(c, y, side), results);
                }
                continue;
            }
            const int4* const lines_of_row = lines + row * LINES + (lane + CELL / 2) / CELL;
            const auto with_level = [&](int i, Halves by) {
                const int4 line = lines_of_row[2 * i];
                return by + (Halves{__byte_perm(line.x + line.y * part, line.z + line.w * part, 0x6521)} - both(MIDDLE));
            };
            Halves moved[EACH];
            smooth<QUARTERS, true, ACROSS, DOWN>(c, p.exponents, c.made[0], place.x, y, c.passes[3], with_level, own, moved);
            u32 sums_around[EACH];
#pragma unroll
            for (int i = 0; i < EACH; i++) sums_around[i] = sums[warp + row * WARPS][4 + lane + 32 * i];
#pragma unroll
            for (int side = 0; side < 2; side++) {
                if (!owns(c, y, side)) continue;
                float results[EACH];
#pragma unroll
                for (int i = 0; i < EACH; i++) results[i] = blend.moved(own[i], moved[i], sums_around[i], side);
                store_row(c.dst, blend, place, row_of(c, y, side), results);
            }
        }
    }
};

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) gradient_last(const Gradient p) {
    __shared__ __align__(16) u32 sums[PAIR_ROWS][SUMS];
    __shared__ int4 lines[WARPS][2 * LINES];
    __shared__ Levels levels;
    u32 block = blockIdx.x;
    const Component& c = component_of(p, block);
    const Place place(c, block);
    let_next_launch_begin();
    // Evidence is of the first pass, which is over, since `gradient_cells` waits before it lets this launch begin. Levels are its own.
    sum_columns(c, place, sums);
    wait_for_writes_before();
    load_levels(c, place, levels);
    __syncthreads();
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const bool inside = place.left + 4 * lane < int(c.src.width);
    // Whether anything is left of the filter in each row. Where nothing is, as in texture, the row stays as it is, without a tap.
    const auto is_live = [&](int row) { return __any_sync(~0u, sum_row(sums[warp + row * WARPS], p.end) && inside) != 0; };
    const bool live[] = {is_live(0), is_live(1)};
    if (live[0] || live[1]) find_lines(c, place, levels, lines[warp]);

    by_borders(c, place, c.reach[3], LastRows{p, c, place, live, sums, lines[warp]});
}
