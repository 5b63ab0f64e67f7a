// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "../common/plane.cuh"

struct DiffConsts {
    u32 adds;
    int amount;  // In 1/256.
};
static_assert(sizeof(DiffConsts) == 8 && alignof(DiffConsts) == 4, "DiffConsts differs from the host's");
LAYOUT(DiffConsts, adds, 0);
LAYOUT(DiffConsts, amount, 4);
