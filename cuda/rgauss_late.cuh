// rgauss: an extended box, several times along a line that is in registers and shared memory, by few instructions.
//
// A few warps blur a line. Its samples stay in their registers for all passes: a thread has as many side by side, twice an odd
// number, so that pairs of them meet different banks of shared memory. Of each pass there are running totals along the line in
// shared memory: a window's sum is a difference of two of them, however wide it is. Totals wrap around, and their differences are
// right, since a window's sum fits 32 bits.
//
// One of the two totals a thread has itself. Of total number n it makes the sample whose window ends there, which is `shift` places
// before: behind a pass all samples are that much late. From total number n of these the next pass makes the sample whose window
// begins there, and what was late is in place again. So a pass writes and reads each total once, and distances are even: pairs fit.
#pragma once

#include "rgauss_line.cuh"

// A block's threads at most, as src/filters/rgauss/cuda/share.rs has them.
constexpr int MOST_THREADS = 256;

// The sum of the warps before this one.
__device__ __forceinline__ u32 sum_before(const Line& line) {
    if (line.warps == 1) return 0;
    const int lane = threadIdx.x % WARP, warp = line.thread / WARP;
    const u32 part = lane < line.warps ? line.own[lane] : 0;
    u32 upto = part;
#pragma unroll
    for (int distance = 1; distance < MOST_THREADS / WARP; distance *= 2) upto = add_before(upto, distance);
    return __shfl_sync(EVERYONE, upto - part, warp);
}

__device__ __forceinline__ void put_two(u32* to, u32 a, u32 b) { *reinterpret_cast<uint2*>(to) = make_uint2(a, b); }
__device__ __forceinline__ uint2 two_of(const u32* from) { return *reinterpret_cast<const uint2*>(from); }

template <int EACH>
__device__ __forceinline__ void put(u32* to, const u32 (&v)[EACH]) {
#pragma unroll
    for (int i = 0; i < EACH; i += 2) put_two(to + i, v[i], v[i + 1]);
}

template <int EACH>
__device__ __forceinline__ void take(const u32* from, u32 (&v)[EACH]) {
#pragma unroll
    for (int i = 0; i < EACH; i += 2) {
        const uint2 two = two_of(from + i);
        v[i] = two.x;
        v[i + 1] = two.y;
    }
}

// A window's mean, by its sum and that of the window which is two samples wider. Their weights give it as a whole number, whose
// bits are those of a tiny double. src/filters/rgauss/plan.rs shows that one multiplication and addition divides it.
struct Mean {
    double inverse;
    int first, second;

    __device__ __forceinline__ Mean(const Rgauss& p, bool late) : inverse(p.inverse_double) {
        const int whole = 256, ends = p.ends;
        // Late, sums come the other way round, and as less than nothing.
        first = late ? -ends : whole - ends;
        second = late ? ends - whole : ends;
    }

    __device__ __forceinline__ u32 operator()(u32 a, u32 b) const {
        const long long weighed = (long long)int(a) * first + (long long)int(b) * second;
        // Of doubles of this size, the lowest bit counts means.
        constexpr double place = 1.0 / 4096;
        return u32(__double_as_longlong(__fma_rn(__longlong_as_double(weighed), inverse, place)));
    }
};

// Continues the totals of a line, which has samples from place `left` on: a sample at a border is replicated beyond it, as far as
// windows reach. `before` is the total before this thread's own. The warp that has a border does it, and has stored what it reads.
template <int EACH>
__device__ __forceinline__ void go_beyond(const Line& line, int left, int shift, u32 before) {
    const int lane = threadIdx.x % WARP, warp = line.thread / WARP, right = left + line.length;
    if (warp == 0) {
        __syncwarp();
        u32* const at = line.totals + left;
        const u32 start = left > 0 ? at[-1] : 0, value = at[0] - start;
#pragma unroll 1
        for (int i = lane + (left > 0); i <= shift; i += WARP) at[-1 - i] = start - i * value;
    }
    const int edge = (right - 1) / EACH;
    if (warp == edge / WARP) {
        __syncwarp();
        u32* const at = line.totals + right;
        // The total before the last sample's may be another warp's.
        const u32 all = at[-1], other = edge * EACH == right - 1 ? __shfl_sync(EVERYONE, before, edge % WARP) : at[-2];
#pragma unroll 1
        for (int i = lane; i < shift; i += WARP) at[i] = all + (i + 1) * (all - other);
    }
}

// One pass. `v` are sums from the first of the thread's samples on, before and behind it.
template <int EACH>
__device__ __forceinline__ void pass(const Rgauss& p, const Line& line, u32 (&v)[EACH], bool late) {
    const int shift = p.radius + 1, from = line.thread * EACH, left = late ? shift : 0, right = left + line.length;
    const u32 sum = v[EACH - 1], upto = sum_upto(sum);
    if (line.warps > 1 && threadIdx.x % WARP == WARP - 1) line.own[line.thread / WARP] = upto;
    line.wait();
    const u32 before = sum_before(line) + upto - sum;
#pragma unroll
    for (int i = 0; i < EACH; i++) v[i] += before;
    // Totals beside the line are wrong, but for the one before it. Whole runs are stored, and then what is wrong of them again.
    u32* const totals = line.totals + from;
    if (from < right && from + EACH >= left) put(totals, v);
    go_beyond<EACH>(line, left, shift, before);
    line.wait();

    u32 older = before;
    if (late ? from < left : from + EACH > right) {
        older = totals[-1];
        take(totals, v);
    }
    // A thread without samples makes of its own totals what is not used.
    const bool makes = late ? from < line.length : from + EACH > shift && from < line.length + shift;
    const u32* const far = totals + (!makes ? 0 : late ? 2 * shift : -2 * shift);
    const Mean mean(p, late);
    u32 last = far[-1], total = 0;
#pragma unroll
    for (int k = 0; k < EACH; k += 2) {
        const uint2 two = two_of(far + k);
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const u32 other = i == 0 ? two.x : two.y, own = v[k + i];
            total += mean(older - other, own - last);
            v[k + i] = total;
            older = own;
            last = other;
        }
    }
}

// All passes over a line, which lies where totals will, and what is made of it as well.
template <int EACH>
__device__ __forceinline__ void blur(const Rgauss& p, const Line& line) {
    u32 v[EACH];
    u32* const samples = line.totals + line.thread * EACH;
    take(samples, v);
#pragma unroll
    for (int i = 1; i < EACH; i++) v[i] += v[i - 1];
#pragma unroll 1
    for (u32 i = 0; i < p.passes; i++) pass(p, line, v, i % 2 == 1);
    line.wait();
#pragma unroll
    for (int i = EACH - 1; i > 0; i--) v[i] -= v[i - 1];
    if (p.passes % 2 == 0) {
        put(samples, v);
        return;
    }
    u32* const late = samples - (p.radius + 1);
#pragma unroll
    for (int i = 0; i < EACH; i++) late[i] = v[i];
}

// As many samples a thread as the component has it: one of those that src/filters/rgauss/cuda/share.rs has for this direction.
template <int FEW, int SOME, int MANY>
__device__ __forceinline__ void blur(const Rgauss& p, const Component& c, const Line& line) {
    if (c.each == FEW) return blur<FEW>(p, line);
    if (c.each == SOME) return blur<SOME>(p, line);
    blur<MANY>(p, line);
}
