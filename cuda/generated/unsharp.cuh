// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "../common/plane.cuh"

struct UnsharpConsts {
    u32 radius;
    int amount;  // In 1/256.
};
static_assert(sizeof(UnsharpConsts) == 8 && alignof(UnsharpConsts) == 4, "UnsharpConsts differs from the host's");
LAYOUT(UnsharpConsts, radius, 0);
LAYOUT(UnsharpConsts, amount, 4);
