// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "deblock_thresholds.cuh"

struct DeblockConsts {
    DeblockThresholds thresholds;
    int block;
    u32 chroma;  // Bits of the components that are chroma of fewer samples than luma.
};
static_assert(sizeof(DeblockConsts) == 24 && alignof(DeblockConsts) == 4, "DeblockConsts differs from the host's");
LAYOUT(DeblockConsts, thresholds, 0);
LAYOUT(DeblockConsts, block, 16);
LAYOUT(DeblockConsts, chroma, 20);
