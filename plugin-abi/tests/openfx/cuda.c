/* Images in the memory of a CUDA device, rendered in the host's context and stream. On a GPU they are the bytes of images in host
 * memory; with the stand-in for the driver, whose kernels do nothing, it is seen to that all work is in its place. */
#include <math.h>
#include <stdint.h>

#include "host.h"

enum { WIDTH = 64, HEIGHT = 36 };

static int (*context_create)(void **, unsigned, int), (*context_destroy)(void *), (*set_current)(void *), (*get_current)(void **);
static int (*alloc_memory)(unsigned long long *, size_t), (*free_memory)(unsigned long long);
static int (*upload)(unsigned long long, const void *, size_t), (*download)(void *, unsigned long long, size_t);
static int (*stream_create)(void **, unsigned), (*synchronize)(void *), (*init)(unsigned);
/* Of the stand-in alone. */
static int (*live)(void *);

static const char *const DEPTHS[] = {kOfxBitDepthByte, kOfxBitDepthShort, kOfxBitDepthHalf, kOfxBitDepthFloat};

static size_t bytes_in(const Image *image) { return (size_t)image->row_bytes * (size_t)image->height; }

static unsigned long long address_of(Image *image) {
    return (unsigned long long)(size_t)make(&image->props, kOfxImagePropData, 0)->pointer;
}

/* The image with its pixels on the device, the bottom row first as the specification has it. */
static Image *on_device(const Image *image, const char *depth) {
    Image *copy = image_of(depth, image->width, image->height, 0);
    memcpy(copy->block, image->block, bytes_in(image));
    unsigned long long start = 0;
    CHECK(alloc_memory(&start, bytes_in(copy)) == 0 && upload(start, copy->block, bytes_in(copy)) == 0);
    make(&copy->props, kOfxImagePropData, 0)->pointer = (void *)(size_t)start;
    return copy;
}

static void free_on_device(Image *image) {
    CHECK(free_memory(address_of(image)) == 0);
    free_image(image);
}

/* Bands and a little noise; what is alpha goes from 0 to 1. */
static Image *source_of(const char *depth) {
    Image *image = image_of(depth, WIDTH, HEIGHT, 0);
    unsigned state = 1;
    for (int y = 0; y < HEIGHT; ++y)
        for (int i = 0; i < 4 * WIDTH; ++i) {
            state = state * 1664525 + 1013904223;
            double number = 0.2 + floor(i / 9.0 + y) / 150 + (state >> 24) / 60000.0;
            unsigned char *at = image->block + y * image->row_bytes + i * image->depth_bytes;
            uint16_t bits = (uint16_t)(!strcmp(depth, kOfxBitDepthHalf) ? 0x3000 + number * 2000 : number * 65535);
            float wide = (float)(i % 7 ? number : 3 * number - 1);
            if (image->depth_bytes == 1)
                *at = (unsigned char)(number * 255);
            else
                memcpy(at, image->depth_bytes == 2 ? (void *)&bits : (void *)&wide, (size_t)image->depth_bytes);
        }
    return image;
}

static OfxStatus render_on_device(OfxPlugin *plugin, OfxImageEffectHandle effect, Image **sources, int count, Image *target, double time,
                                  void *stream, const int *window) {
    connect_clip(&effect->source, sources, count);
    connect_clip(&effect->output, &target, 1);
    struct OfxPropertySetStruct in = arguments(time, 1, target->width, target->height);
    for (int i = 0; window && i < 4; ++i)
        put_number(&in, kOfxImageEffectPropRenderWindow, i, window[i]);
    put_number(&in, kOfxImageEffectPropCudaEnabled, 0, 1);
    if (stream)
        make(&in, kOfxImageEffectPropCudaStream, 0)->pointer = stream;
    void *before = NULL, *after = NULL;
    get_current(&before);
    OfxStatus status = act(plugin, kOfxImageEffectActionRender, effect, &in, NULL);
    get_current(&after);
    CHECK(before == after);
    clear_set(&in);
    return status;
}

static void set_param(OfxImageEffectHandle effect, const char *name, double value) {
    struct OfxParamStruct *param = param_of(&effect->params, name);
    CHECK(param != NULL);
    param->value = value;
}

/* The target has the bytes that a target in host memory has. The stand-in's kernels leave it as it was. */
static void expect(Image *target, const unsigned char *want, const char *what) {
    unsigned char *got = malloc(bytes_in(target));
    CHECK(download(got, address_of(target), bytes_in(target)) == 0);
    if (memcmp(got, live ? target->block : want, bytes_in(target))) {
        printf("%s differs\n", what);
        ++failures;
    }
    free(got);
}

/* Every depth, in each kind of colours, in the host's stream and without one. */
static void all_depths(void) {
    void *stream;
    stream_create(&stream, 1);
    const int window[4] = {3, 5, WIDTH + 2, HEIGHT - 1};
    OfxPlugin *plugin = plugin_of("chain");
    OfxImageEffectHandle effect = effect_of(plugin);
    set_param_text(effect, "chain", "deband(range 9) > gauss(1.5)");
    for (int kind = 0; kind < 32; ++kind) {
        const char *depth = DEPTHS[kind % 4];
        set_param(effect, "working_colours", kind / 4 % 2);
        set_param(effect, "input_is_linear", kind / 8 % 2);
        Image *source = source_of(depth), *target = image_of(depth, WIDTH + 4, HEIGHT + 4, 0);
        if (kind / 16)
            put_text(&source->props, kOfxImageEffectPropPreMultiplication, 0, kOfxImagePreMultiplied);
        Image *there = on_device(source, depth), *result = on_device(target, depth);
        put_text(&there->props, kOfxImageEffectPropPreMultiplication, 0,
                 text_of(&source->props, kOfxImageEffectPropPreMultiplication, 0));
        connect_clip(&effect->source, &source, 1);
        connect_clip(&effect->output, &target, 1);
        struct OfxPropertySetStruct in = arguments(4, 1, WIDTH, HEIGHT);
        for (int i = 0; i < 4; ++i)
            put_number(&in, kOfxImageEffectPropRenderWindow, i, window[i]);
        CHECK(act(plugin, kOfxImageEffectActionRender, effect, &in, NULL) == kOfxStatOK);
        clear_set(&in);
        CHECK(render_on_device(plugin, effect, &there, 1, result, 4, kind % 3 ? stream : NULL, window) == kOfxStatOK);
        if (kind % 3)
            CHECK(synchronize(stream) == 0);
        expect(result, target->block, depth);
        free_on_device(there), free_on_device(result);
        free_image(source), free_image(target);
    }
    end(plugin, effect);
}

/* A median of three frames, which are converted one by one. */
static void other_times(void) {
    OfxPlugin *plugin = plugin_of("tmedian");
    OfxImageEffectHandle effect = effect_of(plugin);
    Image *here[3], *there[3], *target = image_of(kOfxBitDepthShort, WIDTH, HEIGHT, 0);
    for (int time = 0; time < 3; ++time) {
        here[time] = source_of(kOfxBitDepthShort);
        for (size_t i = 0; i < bytes_in(here[time]); i += 2)
            here[time]->block[i] ^= (unsigned char)(time * 37);
        there[time] = on_device(here[time], kOfxBitDepthShort);
    }
    Image *result = on_device(target, kOfxBitDepthShort);
    CHECK(render(plugin, effect, here, 3, target, 1, 1) == kOfxStatOK);
    CHECK(render_on_device(plugin, effect, there, 3, result, 1, NULL, NULL) == kOfxStatOK);
    expect(result, target->block, "tmedian");
    for (int time = 0; time < 3; ++time)
        free_image(here[time]), free_on_device(there[time]);
    free_image(target), free_on_device(result);
    end(plugin, effect);
}

/* What a host may do wrong, and what it learns when the device fails. */
static void failures_of_the_device(void *other) {
    OfxPlugin *plugin = plugin_of("gauss");
    OfxImageEffectHandle effect = effect_of(plugin);
    void *own = NULL, *theirs;
    get_current(&own);
    Image *here = source_of(kOfxBitDepthFloat), *source = on_device(here, kOfxBitDepthFloat);
    Image *target = on_device(here, kOfxBitDepthFloat);
    CHECK(render_on_device(plugin, effect, &source, 1, target, 0, NULL, NULL) == kOfxStatOK);
    /* Memory of the host, called the device's. */
    CHECK(render_on_device(plugin, effect, &here, 1, target, 0, NULL, NULL) == kOfxStatGLRenderFailed);
    CHECK(strstr(message, "no memory of the GPU"));
    CHECK(render_on_device(plugin, effect, &source, 1, here, 0, NULL, NULL) == kOfxStatGLRenderFailed);
    /* More rows than the memory has. */
    put_number(&target->props, kOfxImagePropRowBytes, 0, target->row_bytes + 16);
    CHECK(render_on_device(plugin, effect, &source, 1, target, 0, NULL, NULL) == kOfxStatGLRenderFailed);
    CHECK(strstr(message, "beyond its memory"));
    put_number(&target->props, kOfxImagePropRowBytes, 0, target->row_bytes);
    /* A target and a stream of another context. */
    set_current(other);
    Image *elsewhere = on_device(here, kOfxBitDepthFloat);
    stream_create(&theirs, 1);
    set_current(own);
    CHECK(render_on_device(plugin, effect, &source, 1, elsewhere, 0, NULL, NULL) == kOfxStatGLRenderFailed);
    CHECK(strstr(message, "another CUDA context"));
    CHECK(render_on_device(plugin, effect, &source, 1, target, 0, theirs, NULL) == kOfxStatGLRenderFailed);
    CHECK(strstr(message, "the stream"));
    if (live) {
        setenv("STAND_IN_FAIL", "cuLaunchKernel=719", 1);
        CHECK(render_on_device(plugin, effect, &source, 1, target, 0, NULL, NULL) == kOfxStatGLRenderFailed);
        CHECK(act(plugin, kOfxActionPurgeCaches, NULL, NULL, NULL) == kOfxStatOK);
        setenv("STAND_IN_FAIL", "cuMemAlloc_v2=2", 1);
        CHECK(render_on_device(plugin, effect, &source, 1, target, 0, NULL, NULL) == kOfxStatGLOutOfMemory);
        setenv("STAND_IN_FAIL", "", 1);
    }
    CHECK(render_on_device(plugin, effect, &source, 1, target, 0, NULL, NULL) == kOfxStatOK);
    CHECK(message[0] == 0);
    set_current(other);
    free_on_device(elsewhere);
    set_current(own);
    free_image(here), free_on_device(source), free_on_device(target);
    end(plugin, effect);
}

/* Where the host has CUDA, effects have it; the word of the effect is the last. */
static void descriptions(void) {
    OfxPlugin *plugin = plugin_of("deband");
    for (int has = 0; has < 2; ++has) {
        put_text(&host_props, kOfxImageEffectPropCudaRenderSupported, 0, has ? "true" : "false");
        OfxImageEffectHandle effect = effect_of(plugin);
        CHECK(!strcmp(text_of(&effect->props, kOfxImageEffectPropCudaRenderSupported, 0), has ? "true" : "false"));
        CHECK(!strcmp(text_of(&effect->props, kOfxImageEffectPropCudaStreamSupported, 0), has ? "true" : "false"));
        end(plugin, effect);
    }
}

static void *driver;

static void *of_driver(const char *name) {
    void *found = dlsym(driver, name);
    if (!found) {
        printf("the driver has no %s\n", name);
        exit(2);
    }
    return found;
}

int main(int argc, char **argv) {
    if (argc != 2)
        return 2;
    driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!driver) {
        printf("%s\n", dlerror());
        return 2;
    }
#define DRIVER(name, theirs) *(void **)&name = of_driver(theirs)
    DRIVER(init, "cuInit");
    DRIVER(context_create, "cuCtxCreate_v2");
    DRIVER(context_destroy, "cuCtxDestroy_v2");
    DRIVER(set_current, "cuCtxSetCurrent");
    DRIVER(get_current, "cuCtxGetCurrent");
    DRIVER(alloc_memory, "cuMemAlloc_v2");
    DRIVER(free_memory, "cuMemFree_v2");
    DRIVER(upload, "cuMemcpyHtoD_v2");
    DRIVER(download, "cuMemcpyDtoH_v2");
    DRIVER(stream_create, "cuStreamCreate");
    DRIVER(synchronize, "cuStreamSynchronize");
    *(void **)&live = dlsym(driver, "stand_in_live");
    load(argv[1]);
    void *context, *other;
    CHECK(init(0) == 0 && context_create(&other, 0, 0) == 0 && context_create(&context, 0, 0) == 0);
    descriptions();
    setenv("STAND_IN_ORDERED", "1", 1);
    all_depths();
    setenv("STAND_IN_ORDERED", "0", 1);
    other_times();
    failures_of_the_device(other);
    CHECK(lent == 0);
    /* What is kept for a context goes with it. */
    CHECK(context_destroy(context) == 0);
    CHECK(act(plugin_of("deband"), kOfxActionPurgeCaches, NULL, NULL, NULL) == kOfxStatOK);
    CHECK(context_destroy(other) == 0);
    return failures != 0;
}
