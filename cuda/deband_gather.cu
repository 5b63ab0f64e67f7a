// deband of what there are no tiles for: ranges whose surroundings do not fit a block's shared memory.
#include "deband.cuh"

extern "C" __global__ void __launch_bounds__(256) deband_gather(const Deband p) {
    const Component& c = p.component[blockIdx.z];
    const int x = blockIdx.x * 32 + threadIdx.x % 32, y = blockIdx.y * 8 + threadIdx.x / 32;
    if (x >= int(c.src.width) || y >= int(c.src.height)) return;
    const auto value_at = [&](int dx, int dy) { return load(c.src, x + dx, y + dy); };
    switch (p.sample) {
        case 0: filter_sample<0, false>(p, c, x, y, value_at); break;
        case 1: filter_sample<1, false>(p, c, x, y, value_at); break;
        case 2: filter_sample<2, false>(p, c, x, y, value_at); break;
        case 3: filter_sample<1, true>(p, c, x, y, value_at); break;
        default: filter_sample<2, true>(p, c, x, y, value_at);
    }
}
