/* vramp in a C program whose frames stay in GPU memory: half floats of R, G, B, A, the bottom row first, in a CUDA context and a
 * stream of the program's own. It makes frames with bands, and prints how many values the chain changed.
 *
 *   cc -O2 -Iplugin-abi/include samples/c_abi_cuda.c -Ltarget/plugin -lvramp -Wl,-rpath,$PWD/target/plugin -ldl -o c_abi_cuda
 *   ./c_abi_cuda 1920 1080 "deband=range=16:sample=2"
 *
 * The driver's functions are declared here so that no toolkit is needed; a program of yours includes cuda.h.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "vramp.h"

enum { FRAMES = 8, NON_BLOCKING = 1 };

static int (*init)(unsigned), (*context_create)(void **, unsigned, int), (*context_destroy)(void *);
static int (*stream_create)(void **, unsigned), (*stream_synchronize)(void *);
static int (*memory_alloc)(unsigned long long *, size_t), (*memory_free)(unsigned long long);
static int (*upload)(unsigned long long, const void *, size_t, void *), (*download)(void *, unsigned long long, size_t, void *);

static int load_driver(void) {
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (!driver) return 0;
    *(void **)&init = dlsym(driver, "cuInit");
    *(void **)&context_create = dlsym(driver, "cuCtxCreate_v2");
    *(void **)&context_destroy = dlsym(driver, "cuCtxDestroy_v2");
    *(void **)&stream_create = dlsym(driver, "cuStreamCreate");
    *(void **)&stream_synchronize = dlsym(driver, "cuStreamSynchronize");
    *(void **)&memory_alloc = dlsym(driver, "cuMemAlloc_v2");
    *(void **)&memory_free = dlsym(driver, "cuMemFree_v2");
    *(void **)&upload = dlsym(driver, "cuMemcpyHtoDAsync_v2");
    *(void **)&download = dlsym(driver, "cuMemcpyDtoHAsync_v2");
    return init(0) == 0;
}

static int fail(const char *what) {
    fprintf(stderr, "%s: %s\n", what, vramp_last_error());
    return 1;
}

/* Rows from the bottom up: the first byte of the top row is that of the last in memory, and rows go back from there. */
static vramp_planes upward(unsigned long long start, size_t pitch, size_t height) {
    vramp_planes planes = {.struct_size = sizeof planes};
    planes.data[0] = (void *)(size_t)(start + (height - 1) * pitch);
    planes.pitch[0] = -(int64_t)pitch;
    return planes;
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: %s WIDTH HEIGHT CHAIN\n", argv[0]);
        return 2;
    }
    void *context, *stream;
    if (!load_driver() || context_create(&context, 0, 0) || stream_create(&stream, NON_BLOCKING)) {
        fprintf(stderr, "no CUDA device\n");
        return 3;
    }
    size_t width = (size_t)atoi(argv[1]), height = (size_t)atoi(argv[2]), pitch = width * 8, bytes = pitch * height;
    vramp_stream input = {.struct_size = sizeof input, .layout = VRAMP_RGBA, .bit_depth = VRAMP_DEPTH_HALF};
    input.width = (int32_t)width, input.height = (int32_t)height;
    /* In this context, and filtered as video: thresholds of filters are made for Y, Cb, Cr. */
    vramp_options options = {.struct_size = sizeof options, .cuda_context = context, .rgba = VRAMP_RGBA_YCBCR};
    vramp_chain *chain;
    if (vramp_chain_create(argv[3], &input, &options, &chain) < 0) return fail("chain");

    unsigned long long from, to;
    uint16_t *pixels = malloc(bytes), *result = malloc(bytes);
    if (!pixels || !result || memory_alloc(&from, bytes) || memory_alloc(&to, bytes)) return fail("memory");
    /* Halves of 0.25 to 0.5, in bands of sixteen columns. */
    for (size_t i = 0; i < width * height * 4; i++) pixels[i] = (uint16_t)(0x3400 + i / 4 % width / 16 * 4 % 1024);
    vramp_planes src = upward(from, pitch, height), dst = upward(to, pitch, height);
    size_t changed = 0;
    for (uint64_t index = 0; index < FRAMES; index++) {
        vramp_frame frame = {.struct_size = sizeof frame, .index = index};
        /* All in one stream: nothing is waited for until the result is here. */
        upload(from, pixels, bytes, stream);
        if (vramp_process_cuda(chain, &frame, &src, &dst, stream) < 0) return fail("frame");
        download(result, to, bytes, stream);
        if (stream_synchronize(stream)) return fail("GPU");
        for (size_t i = 0; i < width * height * 4; i++) changed += result[i] != pixels[i];
    }
    printf("%zu of %zu values changed\n", changed, FRAMES * width * height * 4);
    vramp_chain_destroy(chain);
    memory_free(from);
    memory_free(to);
    context_destroy(context);
    free(pixels);
    free(result);
    return 0;
}
