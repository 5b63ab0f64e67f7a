// erode, dilate, open, close, minmax of any size.

#include "common/early.cuh"
#include "morph.cuh"

MORPHS(u8, (THREADS), (THREADS), 2, u8, Bytes)
MORPHS(u8, (THREADS), (THREADS), 8, u8, Bytes)
MORPHS(u8, (THREADS), (THREADS), 16, u8, Bytes)
MORPHS(u16, (THREADS), (THREADS), 2, u16, Halves)
MORPHS(u16, (THREADS), (THREADS), 8, u16, Halves)
MORPHS(u16, (THREADS), (THREADS), 16, u16, Halves)
