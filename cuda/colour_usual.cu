// colour of what is usual: HDR of 4:2:0 in words, PQ to SDR with the default curve's measure and gamut. What is known to the
// compiler takes no instruction, so that two blocks of twice the threads fit a multiprocessor.

#define COLOUR_ROWS 62
#define COLOUR_THREADS 1023
#include "colour_light.cuh"

// The arguments with what is usual as constants: src/filters/colour/cuda.rs looks for it.
__device__ __forceinline__ Colour usual(const Colour& p) {
    Colour made = p;
#pragma unroll
    for (int i = 0; i < 3; i++) made.src[i].sample = made.dst[i].sample = SAMPLE_U16;
    made.src[0].step = made.dst[0].step = 1;
    made.takes_rgb = made.gives_rgb = 0;
    made.system = nullptr;
    made.strength = 0.0f;
    made.measure = MAX;
    made.has_matrix = 1;
    made.gamut = SOFT;
    made.read_across = made.read_down = made.made_across = FIRST;
    made.made_down = BETWEEN;
    return made;
}

extern "C" __global__ void __launch_bounds__(THREADS, 2) colour_usual(const Colour p) { colour<true>(usual(p)); }
