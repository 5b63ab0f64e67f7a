// convolve: what its kernels share.
#pragma once

#include "common/window.cuh"
#include "generated/convolve.cuh"

// The result of a sum, as src/filters/convolve/quotient.rs has it.
__device__ __forceinline__ int quotient(const ConvolveQuotient& q, int sum) {
    const int dividend = int(u32(min(max(sum, q.low), q.high)) + q.offset);
    const int near = __float2int_rz(__fmul_rn(__int2float_rn(dividend), q.inverse));
    const int rest = dividend - near * q.divisor;
    return near + (rest >= q.divisor) - (rest < 0);
}
