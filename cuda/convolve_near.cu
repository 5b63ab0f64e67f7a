// convolve of small windows of 8-bit samples, with weights of a byte each: four products an instruction.
//
// A block is one warp, which walks down a strip as those of common/rows.cuh do: a thread has eight columns of a row, and its
// neighbours those beside them. A row's products are added to the sums of all rows of results that it is part of.

#include "common/dot.cuh"
#include "common/strip.cuh"
#include "convolve.cuh"
#include "generated/convolve_near.cuh"

constexpr int AHEAD = 4;  // rows that are read at a time

// Floats from 3 * 2^22 on are 2^22 around it apart by one: integers added to its bits are added to it.
constexpr float WHOLE = 12582912.0f;

// Four samples from each column around eight on: the first from `RADIUS` to the left on.
template <int RADIUS>
struct Windows {
    static constexpr int MANY = CHUNK + (RADIUS > 1 ? 4 : 0);
    u32 from[MANY];

    __device__ __forceinline__ explicit Windows(const uint2& own) {
        const u32 words[4] = {__shfl_up_sync(~0u, own.y, 1), own.x, own.y, __shfl_down_sync(~0u, own.x, 1)};
#pragma unroll
        for (int i = 0; i < MANY; i++) {
            const int first = 4 - RADIUS + i;
            from[i] = first % 4 == 0 ? words[first / 4] : __funnelshift_r(words[first / 4], words[min(first / 4 + 1, 3)], first % 4 * 8);
        }
    }
};

template <int RADIUS>
struct Sums {
    static constexpr int ROWS = 2 * RADIUS + 1;
    int row[ROWS][CHUNK];  // those that are to be complete first

    // Adds a row of samples: the last of the first row's windows, and the first of the last row's, which begins here.
    __device__ __forceinline__ void add(const ConvolveNear& p, const uint2& samples) {
        const Windows<RADIUS> windows(samples);
#pragma unroll
        for (int r = 0; r < ROWS; r++)
#pragma unroll
            for (int i = 0; i < CHUNK; i++) {
                const u32(&weights)[2] = p.weights[ROWS - 1 - r];
                int sum = r + 1 < ROWS ? row[r + 1][i] : p.begin;
                sum = dot_signed(windows.from[i], weights[0], sum);
                if (RADIUS > 1) sum = dot_signed(windows.from[i + 4], weights[1], sum);
                row[r][i] = sum;
            }
    }
};

// The code of a sum in the lowest byte: below 0 it is 0, and 255 above that.
__device__ __forceinline__ u32 short_quotient(const ConvolveNear& p, int sum) {
    const float part = __saturatef(__fmaf_rn(__int_as_float(sum) - WHOLE, p.step, p.half));
    // Rounded down at the point, and never up to 256.
    return __float_as_uint(__fmaf_rd(part, 255.99998474f, 8388608.0f));
}

__device__ __forceinline__ void write_sums(const ConvolveNear& p, const NearComponent& c, int x, int y, const int (&sums)[CHUNK]) {
    u32 v[1][CHUNK];
    if (p.is_short && c.dst.sample == SAMPLE_U8 && c.dst.step == 1 && x + CHUNK <= int(c.dst.width) && vectors_fit(c.dst, 8)) {
#pragma unroll
        for (int i = 0; i < CHUNK; i++) v[0][i] = short_quotient(p, sums[i]);
        *reinterpret_cast<uint2*>(at<u8>(c.dst, x, y)) =
            make_uint2(gather(v[0][0], v[0][1], v[0][2], v[0][3], 0x40), gather(v[0][4], v[0][5], v[0][6], v[0][7], 0x40));
        return;
    }
#pragma unroll
    for (int i = 0; i < CHUNK; i++) v[0][i] = quotient(p.quotient, int((u32(sums[i] - p.begin) << 8) - p.middle));
    write(c, x, y, true, v);
}

template <int RADIUS>
__device__ __forceinline__ void convolve(const ConvolveNear& p) {
    u32 block = blockIdx.x;
    const NearComponent& c = component_of(p.component, block);
    const Part part(c, 1, block);
    if (!c.computes) return copy<u8>(c, part.x, part.top, part.end, part.writes);
    const Columns<u8> src(c.src, part.x);
    Sums<RADIUS> sums = {};
    Lines<u8, 2 * RADIUS> above;
    Lines<u8, AHEAD> ahead;
    src.read(part.top - RADIUS, above);
    src.read(part.top + RADIUS, ahead);
#pragma unroll
    for (int r = 0; r < 2 * RADIUS; r++) sums.add(p, src.lanes(above.row[r]));
    for (int y = part.top; y < part.end; y += AHEAD) {
        const Lines<u8, AHEAD> now = ahead;
        if (y + AHEAD < part.end) src.read(y + AHEAD + RADIUS, ahead);
#pragma unroll
        for (int r = 0; r < AHEAD; r++) {
            sums.add(p, src.lanes(now.row[r]));
            if (part.writes && y + r < part.end) write_sums(p, c, part.x, y + r, sums.row[0]);
        }
    }
}

extern "C" __global__ void __launch_bounds__(32, 24) convolve_near_1(const ConvolveNear p) { convolve<1>(p); }
extern "C" __global__ void __launch_bounds__(32, 16) convolve_near_2(const ConvolveNear p) { convolve<2>(p); }
