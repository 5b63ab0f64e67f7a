// deband of 8-bit planes.
#include "deband_tile.cuh"

DEBAND_KERNEL(deband_s0_u8, 1, 0) { filter_planes<u8, 0, false>(p); }
DEBAND_KERNEL(deband_s1_u8, 1, 1) { filter_planes<u8, 1, false>(p); }
DEBAND_KERNEL(deband_s2_u8, 1, 2) { filter_planes<u8, 2, false>(p); }
