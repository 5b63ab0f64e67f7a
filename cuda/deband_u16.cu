// deband of planes of 9 to 16 bits.
#include "deband_tile.cuh"

DEBAND_KERNEL(deband_s0_u16, 1, 0) { filter_planes<u16, 0, false>(p); }
DEBAND_KERNEL(deband_s1_u16, 1, 1) { filter_planes<u16, 1, false>(p); }
DEBAND_KERNEL(deband_s2_u16, 1, 2) { filter_planes<u16, 2, false>(p); }
