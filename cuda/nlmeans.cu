// nlmeans: means of samples whose surroundings are alike. src/filters/nlmeans is the other side.
//
// A block has a tile. For one offset after the other it makes the squares of differences in the tile and around it, sums along
// rows, and sums of those down the columns, each through shared memory.

#include "common/plane.cuh"
#include "generated/nlmeans.cuh"

// As src/filters/nlmeans/cuda.rs has them.
constexpr int WIDE = 32, HIGH = 16, THREADS = 256;

constexpr int EACH = WIDE * HIGH / THREADS;  // samples of a thread, one below the other
constexpr u32 LAST = 4096;                   // of the table

extern __shared__ u32 shared[];

__device__ __forceinline__ int nearest(const Plane& plane, int x, int y) {
    return load(plane, min(max(x, 0), int(plane.width) - 1), min(max(y, 0), int(plane.height) - 1));
}

// The 12 bits that are compared.
__device__ __forceinline__ int compared(int lane) { return (lane + 8) >> 4; }

struct Mean {
    float weights, sum, largest;
};

// Adds the samples of `other` that lie (dx, dy) from the tile's to the means. All threads of a block must be there.
__device__ __forceinline__ void add(const NlmeansArgs& p, const Plane& own, const Plane& other, int left, int top, int dx, int dy,
                                    Mean (&means)[EACH]) {
    const int patch = p.patch, wide = WIDE + 2 * patch, high = HIGH + 2 * patch;
    const u32* const samples = shared;
    u32* const squares = shared + wide * high;
    u32* const rows = squares + wide * high;
    for (int i = threadIdx.x; i < wide * high; i += THREADS) {
        // Places beside the plane have the nearest sample of both frames.
        const int x = left - patch + i % wide + dx, y = top - patch + i / wide + dy;
        const int difference = int(samples[i]) - compared(nearest(other, x, y));
        squares[i] = u32(difference * difference);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < WIDE * high; i += THREADS) {
        const u32* const first = squares + i / WIDE * wide + i % WIDE;
        u32 sum = 0;
        for (int k = 0; k <= 2 * patch; k++) sum += first[k];
        rows[i] = sum;
    }
    __syncthreads();
    const int x = threadIdx.x % WIDE;
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        const int y = threadIdx.x / WIDE * EACH + e;
        u32 sum = 0;
        for (int k = 0; k <= 2 * patch; k++) sum += rows[(y + k) * WIDE + x];
        const u64 place = u64(sum) * p.factor >> p.shift;
        const float weight = __ldg(p.table + (place < LAST ? u32(place) : LAST));
        const int difference = nearest(other, left + x + dx, top + y + dy) - nearest(own, left + x, top + y);
        Mean& mean = means[e];
        mean.weights = mean.weights + weight;
        mean.sum = __fmaf_rn(weight, float(difference), mean.sum);
        mean.largest = weight > mean.largest ? weight : mean.largest;
    }
}

extern "C" __global__ void __launch_bounds__(THREADS) nlmeans(const NlmeansArgs p) {
    u32 block = blockIdx.x;
    const NlmeansComponent& c = component_of(p.component, block);
    const int left = block % c.across * WIDE, top = block / c.across * HIGH;
    const Plane& own = c.src[p.frames];
    const int x = left + threadIdx.x % WIDE, y = top + threadIdx.x / WIDE * EACH;
    Mean means[EACH] = {};
    if (c.computes) {
        const int patch = p.patch, wide = WIDE + 2 * patch, high = HIGH + 2 * patch;
        for (int i = threadIdx.x; i < wide * high; i += THREADS) {
            shared[i] = u32(compared(nearest(own, left - patch + i % wide, top - patch + i / wide)));
        }
        // `add` begins with the threads' own samples, and has all of them make its sums after its first barrier.
        const int side = 2 * p.search + 1, plane = side * side;
        for (int i = plane / 2 + 1; i < (p.frames + 1) * plane; i++) {
            const int frame = i / plane, dx = i % side - p.search, dy = i % plane / side - p.search;
            add(p, own, c.src[p.frames + frame], left, top, dx, dy, means);
            add(p, own, c.src[p.frames - frame], left, top, -dx, -dy, means);
        }
    }
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        if (x >= int(c.dst.width) || y + e >= int(c.dst.height)) continue;
        const Mean& mean = means[e];
        const float weights = mean.weights + p.wref * mean.largest;
        const float change = weights > 0.0f ? floorf(mean.sum / weights + 0.5f) : 0.0f;
        store(c.dst, x, y + e, min(max(load(own, x, y + e) + int(change), 0), 0xffff));
    }
}
