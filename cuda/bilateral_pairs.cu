// bilateral where each weight is worked out once, for both of the samples that it is between: half of those of bilateral.cu.
//
// A block has a strip of columns of a band of rows, and each of its warps has a row of it: its lanes have N samples each
// ("own"). In each step one row of the picture ("passing") is weighed with the rows of radius_h + 1 warps, which are 0 to
// radius_h above it; the warp whose row is radius_h above is done with it, and has the next passing row next. The sums of a
// passing row, one for each row above, meet in shared memory, and are added up, from top to bottom, by the warp that has that
// row. So every sum is added up in the order that the definition has.
//
// Two such groups of warps have the upper and the lower rows of a band. What the last rows of the upper take from below, the
// lower group works out with its own sums, and hands over.
//
// Columns of all bands lie side by side, and strips are cut of all of them, so that they need not fit the width.
//
// No barrier ends a step, since warps have unlike work: with one, they waited for a third of the time. Barriers of phases say
// that a row is loaded, that its sums have met, and that they have been read.

#include "bilateral_passing.cuh"
#include "common/phase.cuh"
#include "generated/bilateral_pairs.cuh"

extern __shared__ uint4 shared[];

// Passing rows whose sums may meet at a time: a row's are added up while the next row passes. A warp that writes the sums of a
// step has waited for those of MEETINGS steps before to be read, and so for all who wrote them: no warp of its group is further
// behind. A ring of radius_h + MEETINGS rows is then long enough where radius_h is at least MEETINGS + 1.
constexpr int MEETINGS = 2;

// Steps from a row's load on to its own.
constexpr int EARLY = 2;

// Barriers of loaded rows, and of sums that meet: as many as make up for the steps that warps may be apart, since who waits
// knows an even phase from an odd one alone. Who adds up the sums of a step may be three ahead of those who write some.
constexpr int LOADS = 32, SUMS = 4;

// What a column of a strip is in the plane.
struct Column {
    int x, top;  // Which may lie beside it, and the first row of the band.
};

// Shared memory, in this order: as src/filters/bilateral/cuda/pairs.rs adds its words up.
template <int N>
struct Strip {
    static_assert(N % 2 == 0, "the first columns are weighed by twos");
    static constexpr int COLUMNS = 32 * N;
    static constexpr int COPIED = N + 2;  // Columns that a lane loads.
    static constexpr int TABLE = ((2 * MOST + 1) / N + 1) * LEVELS<N>;
    static constexpr int LEAD = 16;  // Words before the sums that meet, which lanes without a result read.

    float* levels;    // By the column of a window.
    Column* columns;  // Of the strip.
    // Of the group:
    float4* held;  // The sums of each warp's row so far.
    float* ring;   // Rows that pass or soon will.
    float2* met;   // The sums of passing rows.
    // Of both: the sums that the last rows of the upper group take from the first of the lower.
    float2* handed;
    // Barriers: rows are loaded, sums have met, they have been read; and the lower group has handed its sums over.
    u64 *loaded, *full, *empty, *over;

    __device__ __forceinline__ Strip(const BilateralPairs& p, int group) {
        const int radius_h = p.weights.radius_h;
        const int all_held = (radius_h + 1) * 2 * COLUMNS, all_rows = (radius_h + MEETINGS) * p.pitch + LEAD;
        const int words = (all_held + all_rows + MEETINGS * radius_h * COLUMNS * 2 + 3) & ~3;
        levels = reinterpret_cast<float*>(shared);
        columns = reinterpret_cast<Column*>(levels + TABLE);
        float* const groups = levels + TABLE + 2 * 32 * COPIED;
        held = reinterpret_cast<float4*>(groups + group * words);
        ring = groups + group * words + all_held;
        met = reinterpret_cast<float2*>(ring + all_rows);
        handed = reinterpret_cast<float2*>(groups + 2 * words);
        over = reinterpret_cast<u64*>(handed + radius_h * (radius_h + 1) / 2 * COLUMNS);
        loaded = over + 1 + group * (LOADS + 2 * SUMS), full = loaded + LOADS, empty = full + SUMS;
    }
};

// The same, but what is worked out from it is not kept from step to step: registers are few.
__device__ __forceinline__ int afresh(int value) {
    asm volatile("" : "+r"(value));
    return value;
}

// Writes sums to shared memory, or reads them.
template <bool WRITES, int N>
__device__ __forceinline__ void hold(Sums<N>& sums, float4* at) {
#pragma unroll
    for (int i = 0; i < N; i += 2, at += 32) {
        if (WRITES) {
            *at = make_float4(sums.sum[i], sums.sum[i + 1], sums.total[i], sums.total[i + 1]);
        } else {
            const float4 four = *at;
            sums.sum[i] = four.x, sums.sum[i + 1] = four.y, sums.total[i] = four.z, sums.total[i + 1] = four.w;
        }
    }
}

// Adds up the sums of the rows above one that has passed, from top to bottom. `met` is where those of the lane are.
template <int N>
__device__ __forceinline__ Sums<N> add_met(const Weights& weights, const float2* met) {
    constexpr int COLUMNS = Strip<N>::COLUMNS;
    const int radius_w = afresh(weights.radius_w), radius_h = afresh(weights.radius_h);
    Sums<N> above;
    const float2* from[N];
#pragma unroll
    for (int i = 0; i < N; i++) {
        const u32 column = i - radius_w + 8 * N;  // As they lie: by columns of a lane, then lanes, and radius_w to the left.
        from[i] = met + (radius_h - 1) * COLUMNS + int(column % N * 32 + column / N) - 8;
    }
#pragma unroll 3
    for (int k = radius_h; k > 0; k--) {
        const float down = weights.down[k];
#pragma unroll
        for (int i = 0; i < N; i++) {
            const float2 both = *from[i];
            from[i] -= COLUMNS;
            above.sum[i] = __fmaf_rn(down, both.x, above.sum[i]);
            above.total[i] = __fmaf_rn(down, both.y, above.total[i]);
        }
    }
    return above;
}

// Stores what the whole windows of a warp's row give, radius_h rows above row `passing` of the band. It goes by way of shared
// memory, so that lanes side by side store samples side by side.
template <int N>
__device__ __forceinline__ void store_results(
    const Weights& weights, const StripComponent& c, const Column* columns, const Sums<N>& sums, const float (&minus)[N],
    int passing, float4* held) {
    constexpr int COLUMNS = Strip<N>::COLUMNS;
    const int flip = bias(c.src);
    int values[N];
#pragma unroll
    for (int i = 0; i < N; i++) {
        Own middle;
        middle.sample = -minus[i];
        const float mean = __fdiv_rn(sums.sum[i], sums.total[i]);
        const int value = middle.lane_of(weights) + __float2int_rd(__fmaf_rn(mean, weights.unscale, 0.5f));
        values[i] = min(max(value, 0), 0xffff) - flip;
    }
    __syncwarp();
    const int lane_id = afresh(threadIdx.x % 32), radius_w = afresh(weights.radius_w);
    int* const out = reinterpret_cast<int*>(held - lane_id);
#pragma unroll
    for (int i = 0; i < N; i += 2) *reinterpret_cast<int2*>(out + lane_id * N + i) = make_int2(values[i], values[i + 1]);
    __syncwarp();
#pragma unroll
    for (int i = lane_id; i < COLUMNS; i += 32) {
        const Column column = columns[radius_w + i];
        const int y = column.top + passing - int(weights.radius_h);
        const bool is_whole = i >= radius_w && i < COLUMNS - radius_w;
        if (is_whole && u32(column.x) < c.dst.width && u32(y) < c.dst.height) store(c.dst, column.x, y, out[i]);
    }
    __syncwarp();
}

template <int DEGREE, int N>
__device__ __forceinline__ void filter_pairs(const BilateralPairs& p, const StripComponent& c, int strip) {
    constexpr int COLUMNS = Strip<N>::COLUMNS, COPIED = Strip<N>::COPIED;
    const Weights& weights = p.weights;
    const int radius_w = weights.radius_w, radius_h = weights.radius_h, pitch = p.pitch;
    const int lane_id = threadIdx.x % 32;
    int away = __shfl_sync(0xffffffff, int(threadIdx.x / 32), 0);  // How far the passing row is from the warp's own.
    const bool is_upper = away <= radius_h;
    if (!is_upper) away -= radius_h + 1;
    const int top = is_upper ? 0 : p.upper, rows = is_upper ? p.upper : p.rows - p.upper;  // Of the group.
    const int end = is_upper ? rows : rows + radius_h;  // Of the rows that pass.
    const Strip<N> at(p, !is_upper);
    const int ring_rows = radius_h + MEETINGS, ring_end = ring_rows * pitch;
    // Rows are stored so that those columns of a window begin at a multiple of N words that are weighed in turns of N.
    const int before = N - p.first, width = COLUMNS + 2 * radius_w;
    float4* const held = at.held + away * COLUMNS / 2 + lane_id;
    float2* const met = at.met + lane_id;
    // What the row `below` the upper group takes from its own row, which is `away` above.
    const auto handed = [&](int below, int away) {
        return at.handed + (below * radius_h - below * (below - 1) / 2 + away - below - 1) * COLUMNS + lane_id;
    };

    for (int i = threadIdx.x; i < Strip<N>::TABLE; i += blockDim.x) {
        const int column = i / LEVELS<N> * N + min(i % LEVELS<N>, N - 1) - before;
        at.levels[i] = weights.across[min(abs(column - radius_w), radius_w)];
    }
    const int start = strip * (COLUMNS - 2 * radius_w);
    for (int i = threadIdx.x; i < 32 * COPIED; i += blockDim.x) {
        const u32 column = max(start + i - radius_w, 0), band = column / c.padded;
        at.columns[i] = {int(column - band * c.padded) - radius_w, int(band * p.rows)};
    }
    if (lane_id == 0 && away == 0) {
        for (int i = 0; i < LOADS; i++) phase_init(at.loaded + i, 1);
        for (int i = 0; i < SUMS; i++) phase_init(at.full + i, radius_h), phase_init(at.empty + i, 1);
        if (is_upper) phase_init(at.over, radius_h + 1);
    }
    __syncthreads();

    // A warp loads a row of the group, and puts it in the ring when there is time to.
    const auto load_row = [&](u32 (&stored)[COPIED], int row) {
        const int lane_id = afresh(threadIdx.x % 32), size = c.src.sample == SAMPLE_U8 ? 1 : 2;
#pragma unroll
        for (int k = 0; k < COPIED; k++) {
            const Column column = at.columns[lane_id + 32 * k];
            const int x = inside(column.x, c.src.width) * c.src.step, y = inside(column.top + top + row, c.src.height);
            const u8* const from = c.src.data + u64(u32(y)) * c.src.pitch + u32(x * size);
            stored[k] = size == 1 ? u32(__ldg(from)) : u32(__ldg(reinterpret_cast<const u16*>(from)));
        }
    };
    const auto put_row = [&](const u32 (&stored)[COPIED], float* ring_row) {
        const int lane_id = afresh(threadIdx.x % 32);
        float* const to = ring_row + before + lane_id;
#pragma unroll
        for (int k = 0; k < COPIED; k++) {
            const u32 lane = (stored[k] << c.src.shift & 0xffff) ^ bias(c.src);
            if (lane_id + 32 * k < width) to[32 * k] = __uint_as_float(Own::of(lane, weights));
        }
    };
    const auto put_early = [&](const u32 (&stored)[COPIED], int passing) {
        const int offset = passing + EARLY * pitch;
        put_row(stored, at.ring + (offset >= ring_end ? offset - ring_end : offset));
    };
#pragma unroll 1
    for (int row = away - radius_h; row < EARLY; row += radius_h + 1) {
        u32 stored[COPIED];
        load_row(stored, row);
        put_row(stored, at.ring + (row < 0 ? row + ring_rows : row) * pitch);
    }
    __syncthreads();
    float minus[N];  // The warp's samples, negated.
    {
        const float* const own = at.ring + (away > 0 ? ring_rows - away : 0) * pitch + before + radius_w + lane_id * N;
#pragma unroll
        for (int i = 0; i < N; i++) minus[i] = -own[i];
    }
    __syncthreads();

    int passing = 0;  // Where the passing row is in the ring.
#pragma unroll 1
    for (int row = 0;;) {
        const float* const from = at.ring + passing + lane_id * N;
        Sums<N> row_sums;
        const bool is_handed = is_upper && row >= rows;
        if (row >= EARLY && !is_handed) phase_wait(at.loaded + row % LOADS, row / LOADS - (row % LOADS < EARLY));
        if (away == 0 || row >= rows) {
            // The warp's own row passes, or one below the group.
            const bool loads = away == 0 && row + EARLY < end;
            u32 stored[COPIED] = {};
            if (loads) load_row(stored, row + EARLY);
            if (away == 0) {
#pragma unroll
                for (int i = 0; i < N; i++) minus[i] = -from[before + radius_w + i];
            }
            if (is_handed) {
                phase_wait(at.over, 0);
                const float2* const sums = handed(row - rows, away);
#pragma unroll
                for (int i = 0; i < N; i++) {
                    const float2 both = sums[i * 32];
                    row_sums.sum[i] = both.x, row_sums.total[i] = both.y;
                }
            } else {
                Passing<N, OWN_SIDE> samples;
                samples.template run<DEGREE>(weights, p.first, p.turns, minus, row_sums, at.levels, from);
            }
            if (away == 0) hold<true>(row_sums, held);
            if (loads) {
                put_early(stored, passing);
                phase_arrive_by_warp(at.loaded + (row + EARLY) % LOADS);
            }
        } else {
            float2* const to = met + (row % MEETINGS * radius_h + away - 1) * COLUMNS;
            const auto meet = [&](const float (&sum)[N], const float (&total)[N]) {
                if (row >= MEETINGS) phase_wait(at.empty + (row - MEETINGS) % SUMS, (row - MEETINGS) / SUMS);
#pragma unroll
                for (int i = 0; i < N; i++) to[i * 32] = make_float2(sum[(i + N - 1) % N], total[(i + N - 1) % N]);
                phase_arrive_by_warp(at.full + row % SUMS);
            };
            if (is_upper && row < away) {
                // The warp's row is above the band, and no window's middle.
                Passing<N, PASSING_SIDE> samples;
                samples.template run<DEGREE>(weights, p.first, p.turns, minus, row_sums, at.levels, from);
                meet(samples.sum, samples.total);
            } else {
                Passing<N, BOTH_SIDES> samples;
                samples.template run<DEGREE>(weights, p.first, p.turns, minus, row_sums, at.levels, from);
                meet(samples.sum, samples.total);
            }
            if (!is_upper && row < away) {
                // The warp's row is one of the upper group.
                float2* const to = handed(row, away);
#pragma unroll
                for (int i = 0; i < N; i++) to[i * 32] = make_float2(row_sums.sum[i], row_sums.total[i]);
            }
        }
        if (away > 0) {
            Sums<N> sums;
            hold<false>(sums, held);
            if (away == 1 && row > 0) {
                // The rows above, then one's own, which has waited.
                const int ended = row - 1;
                phase_wait(at.full + ended % SUMS, ended / SUMS);
                Sums<N> above = add_met<N>(weights, met + ended % MEETINGS * radius_h * COLUMNS);
                phase_arrive_by_warp(at.empty + ended % SUMS);
                above.add_row(sums, weights.down[0]);
                sums = above;
            }
            sums.add_row(row_sums, weights.down[away]);
            if (away < radius_h) {
                hold<true>(sums, held);
            } else if (row >= radius_h) {
                store_results(weights, c, at.columns, sums, minus, top + row, held);
            }
        }
        row++;
        passing = passing + pitch == ring_end ? 0 : passing + pitch;
        away = away == radius_h ? 0 : away + 1;
        if (!is_upper && row == radius_h) phase_arrive_by_warp(at.over);
        if (away == 0 && row >= rows) {
            // The warp has no row left. It loads one of those below for the others.
            if (row + EARLY < end) {
                u32 stored[COPIED];
                load_row(stored, row + EARLY);
                put_early(stored, passing);
                phase_arrive_by_warp(at.loaded + (row + EARLY) % LOADS);
            }
            return;
        }
    }
}

// Radii of up to 9 rows, with which a multiprocessor has room for a block of 96 registers a thread.
#define PAIRS(name, degree, n)                                                                             \
    extern "C" __global__ void __launch_bounds__(640, 1) bilateral_pairs_##name(const BilateralPairs p) { \
        u32 strip = blockIdx.x;                                                                            \
        const StripComponent& c = component_of(p.component, strip);                                        \
        filter_pairs<degree, n>(p, c, strip);                                                              \
    }
PAIRS(cubic, 3, 6)
PAIRS(quartic, 4, 6)
