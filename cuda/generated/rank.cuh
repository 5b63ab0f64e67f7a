// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "../common/plane.cuh"

struct RankConsts {
    u32 before;  // Samples of the window that are in order before the result.
};
static_assert(sizeof(RankConsts) == 4 && alignof(RankConsts) == 4, "RankConsts differs from the host's");
LAYOUT(RankConsts, before, 0);
