// deband of YC48.
#include "deband_tile.cuh"

DEBAND_KERNEL(deband_s0_s16x3, 3, 0) { filter_tile<i16, 3, 0, false>(p, p.component, p.group[0], blockIdx.x); }
DEBAND_KERNEL(deband_s1_s16x3, 3, 1) { filter_tile<i16, 3, 1, false>(p, p.component, p.group[0], blockIdx.x); }
DEBAND_KERNEL(deband_s2_s16x3, 3, 2) { filter_tile<i16, 3, 2, false>(p, p.component, p.group[0], blockIdx.x); }
