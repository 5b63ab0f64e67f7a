// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "../common/plane.cuh"

struct LevelsConsts {
    u32 by_table;
};
static_assert(sizeof(LevelsConsts) == 4 && alignof(LevelsConsts) == 4, "LevelsConsts differs from the host's");
LAYOUT(LevelsConsts, by_table, 0);
