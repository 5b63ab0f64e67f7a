// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "../common/plane.cuh"

struct MedianConsts {
    u32 radius;
};
static_assert(sizeof(MedianConsts) == 4 && alignof(MedianConsts) == 4, "MedianConsts differs from the host's");
LAYOUT(MedianConsts, radius, 0);
