// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "../common/plane.cuh"

struct SaturationConsts {
    int of_cb;
    int of_cr;
};
static_assert(sizeof(SaturationConsts) == 8 && alignof(SaturationConsts) == 4, "SaturationConsts differs from the host's");
LAYOUT(SaturationConsts, of_cb, 0);
LAYOUT(SaturationConsts, of_cr, 4);
