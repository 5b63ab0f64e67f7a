// deband with `blur_first`: samples are compared with the average of their references.
#include "deband_tile.cuh"

DEBAND_KERNEL(deband_s1_blur_u8, 1, 1) { filter_planes<u8, 1, true>(p); }
DEBAND_KERNEL(deband_s2_blur_u8, 1, 2) { filter_planes<u8, 2, true>(p); }
DEBAND_KERNEL(deband_s1_blur_u16, 1, 1) { filter_planes<u16, 1, true>(p); }
DEBAND_KERNEL(deband_s2_blur_u16, 1, 2) { filter_planes<u16, 2, true>(p); }
DEBAND_KERNEL(deband_s1_blur_s16x3, 3, 1) { filter_tile<i16, 3, 1, true>(p, p.component, p.group[0], blockIdx.x); }
DEBAND_KERNEL(deband_s2_blur_s16x3, 3, 2) { filter_tile<i16, 3, 2, true>(p, p.component, p.group[0], blockIdx.x); }
