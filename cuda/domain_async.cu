// domain of frames that are many lines together: what cuda/domain.cu does, by warps that have nothing to do with one another.
//
// A thread goes along a line, forth and back. What a line became forth stays in shared memory, as far as there is room, for the way
// back. Values lie in strips of 32 columns, and are copied to shared memory a tile at a time, some tiles ahead: so no warp waits for
// another, and a warp's steps hide what it reads and writes. The second dimension of the grid are frames.

#include "common/early.cuh"
#include "domain_columns.cuh"
#include "domain_open.cuh"
#include "domain_rows.cuh"

template <typename E>
__device__ __forceinline__ void down(const DomainStrips& p, const StripComponent& c, u32 block) {
    const u32 strip = block * (blockDim.x / 32) + threadIdx.x / 32;
    Columns<E> columns(p, c, min(strip, c.strips - 1));
    if (strip < c.strips) columns.begin();
    Weights<E>::fill(p.table, blockDim.x);
    __syncthreads();
    if (strip >= c.strips) return;
    columns.forth();
    if (!p.is_last) {
        float* const to = columns.column;
        columns.back([to](int y, float made) { to[y * TILE] = made; });
        return;
    }
    const Plane& dst = p.frame[blockIdx.y].dst[c.index];
    const int x = strip * TILE + threadIdx.x % 32, width = c.width, height = c.height;
    const u64 pitch = dst.pitch;
    const bool is_inside = x < width;
    u8* to = dst.data + u64((height + TILE - 1) / TILE * TILE - 1) * pitch;
    if (dst.sample == SAMPLE_U8) {
        to += x * dst.step;
        columns.back([&](int y, float made) {
            // 2^23 and the result on the 16-bit scale, and half a code.
            const u32 v = min(__float_as_uint(__fadd_rz(__fadd_rn(made, 0.5f), 8388608.f + 128)) >> 8, 0x4b00ffu);
            if (is_inside && y < height) *to = v;
            to -= pitch;
        });
    } else {
        to += 2 * x * dst.step;
        const u32 drop = 16 - dst.bit_depth, half = (1u << drop) >> 1, most = (1u << dst.bit_depth) - 1, shift = drop - dst.shift;
        const bool is_signed = dst.sample == SAMPLE_I16;
        columns.back([&](int y, float made) {
            const u32 v = min(__float_as_uint(__fadd_rz(__fadd_rn(made, 0.5f), 8388608.f)) - 0x4b000000u, 65535u);
            const u32 stored = is_signed ? v - 0x8000 : min((v + half) >> drop, most) << shift;
            if (is_inside && y < height) *reinterpret_cast<u16*>(to) = stored;
            to -= pitch;
        });
    }
}

__device__ __forceinline__ void down(const DomainStrips& p) {
    u32 block = blockIdx.x;
    const StripComponent& c = component_of(p.component, block);
    if (c.bytes) {
        down<u8>(p, c, block);
    } else {
        down<u16>(p, c, block);
    }
}

extern "C" __global__ void __launch_bounds__(OPEN_THREADS) domain_strips_open(const DomainStrips p) {
    wait_for_launch_before();
    open(p);
}

extern "C" __global__ void __launch_bounds__(MOST_WARPS * 32, 1) domain_strips_across_3(const DomainStrips p) {
    wait_for_launch_before();
    across<3>(p);
}
extern "C" __global__ void __launch_bounds__(MOST_WARPS * 32, 1) domain_strips_across_5(const DomainStrips p) {
    wait_for_launch_before();
    across<5>(p);
}
extern "C" __global__ void __launch_bounds__(MOST_WARPS * 32, 1) domain_strips_across_6(const DomainStrips p) {
    wait_for_launch_before();
    across<6>(p);
}

extern "C" __global__ void __launch_bounds__(MOST_WARPS * 32, 1) domain_strips_down(const DomainStrips p) {
    wait_for_launch_before();
    down(p);
}
