// erode, dilate, open, close, minmax of any size.

#include "morph.cuh"

MORPHS(u8, u8, Bytes)
MORPHS(u16, u16, Halves)
