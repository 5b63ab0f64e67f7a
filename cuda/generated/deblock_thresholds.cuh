// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "../common/plane.cuh"

struct DeblockThresholds {
    int alpha;
    int beta;
    int tc0;
    int one;  // A code of eight bits.
};
static_assert(sizeof(DeblockThresholds) == 16 && alignof(DeblockThresholds) == 4, "DeblockThresholds differs from the host's");
LAYOUT(DeblockThresholds, alpha, 0);
LAYOUT(DeblockThresholds, beta, 4);
LAYOUT(DeblockThresholds, tc0, 8);
LAYOUT(DeblockThresholds, one, 12);
