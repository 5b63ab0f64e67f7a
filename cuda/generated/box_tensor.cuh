// Generated from the structs in src/filters: `make bless` writes it anew.
#pragma once

#include "box.cuh"
#include "tensor.cuh"

struct BoxTensor {
    Box args;
    Walk walk;
};
static_assert(sizeof(BoxTensor) == 320 && alignof(BoxTensor) == 8, "BoxTensor differs from the host's");
LAYOUT(BoxTensor, args, 0);
LAYOUT(BoxTensor, walk, 304);
