// Point filters: src/filters/tiers/point is the other side. A thread has eight samples of every component that lies at their places,
// and takes them through all steps. Where a function of each sample is all, and samples have few values, a block puts into shared
// memory what becomes of each value, as it is stored.

#include "point_steps.cuh"

// Luma or grey, and chroma.
extern "C" __global__ void __launch_bounds__(WIDE* DOWN) point_planes(const Points p) {
    const u32 group = blockIdx.x < p.blocks[0] ? 0 : 1, block = blockIdx.x - group * p.blocks[0];
    if (by_tables(p, block, group, group)) return;
    if (group == 0) points<1, 0, 2>(p, block, p.across[0]);
    else points<2, 1, 1>(p, block, p.across[1]);
}

// Groups of which each is looked up: with fewer registers.
extern "C" __global__ void __launch_bounds__(WIDE* DOWN, 8) point_tables(const Points p) {
    const u32 group = blockIdx.x < p.blocks[0] ? 0 : 1;
    by_tables(p, blockIdx.x - group * p.blocks[0], group, group);
}

extern "C" __global__ void __launch_bounds__(WIDE* DOWN) point_rgb(const Points p) {
    if (!by_tables(p, blockIdx.x, 0, 0)) points<3, 0, 1>(p, blockIdx.x, p.across[0]);
}
