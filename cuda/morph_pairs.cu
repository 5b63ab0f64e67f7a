// erode, dilate, open, close, minmax of radii from 4 on, of bytes in pairs. In smaller windows there is less to compare than to
// put in pairs.

#include "common/early.cuh"
#include "morph.cuh"

MORPHS(u8, (128, 10), (THREADS, 2), 8, u8, BytePairs)
MORPHS(u8, (128, 10), (THREADS, 3), 16, u8, BytePairs)
