/* Loads the library and prints what its entry points give, as hashes: the same lines on every system.
   Arguments: the library, and a copy of it that is called vramp_deband. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../cc/load.h"
#include "vramp.h"

enum { WIDTH = 130, HEIGHT = 70 };

static uint64_t hash(const void *bytes, size_t count) {
    uint64_t value = 0xcbf29ce484222325;
    for (size_t i = 0; i < count; i++) value = (value ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3;
    return value;
}

/* The entry point `name`, which must be there. */
static void *entry(void *library, const char *name) {
    void *found = symbol(library, name);
    if (!found) {
        printf("no %s\n", name);
        exit(1);
    }
    return found;
}

/* A slope with bands, of samples of `bytes` bytes. */
static void fill(unsigned char *plane, size_t bytes) {
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        unsigned value = (unsigned)(60 + (i % WIDTH) / 16 + (i / WIDTH) / 9) << (bytes == 2 ? 8 : 0);
        plane[(size_t)i * bytes] = (unsigned char)value;
        if (bytes == 2) plane[(size_t)i * 2 + 1] = (unsigned char)(value >> 8);
    }
}

/* The C ABI: a chain on 4:4:4, frame by frame. */
static void chain(void *library, const char *text, int depth) {
    __typeof__(&vramp_chain_create) create = (__typeof__(create))entry(library, "vramp_chain_create");
    __typeof__(&vramp_process) process = (__typeof__(process))entry(library, "vramp_process");
    __typeof__(&vramp_chain_destroy) destroy = (__typeof__(destroy))entry(library, "vramp_chain_destroy");
    __typeof__(&vramp_last_error) last_error = (__typeof__(last_error))entry(library, "vramp_last_error");
    size_t bytes = depth > 8 ? 2 : 1, plane = (size_t)WIDTH * HEIGHT * bytes;
    unsigned char *memory[2] = {calloc(3, plane), calloc(3, plane)};
    vramp_planes planes[2] = {{.struct_size = sizeof(vramp_planes)}, {.struct_size = sizeof(vramp_planes)}};
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < 3; i++) {
            planes[side].data[i] = memory[side] + (size_t)i * plane;
            planes[side].pitch[i] = (int64_t)(WIDTH * bytes);
            if (side == 0) fill(planes[0].data[i], bytes);
        }
    vramp_stream input = {.struct_size = sizeof input, .layout = VRAMP_YUV444, .bit_depth = depth, .width = WIDTH, .height = HEIGHT};
    vramp_options options = {.struct_size = sizeof options, .device = "cpu", .output_bit_depth = depth};
    vramp_chain *made = NULL;
    int status = create(text, &input, &options, &made);
    printf("%s, %d bits: %d %s\n", text, depth, status, last_error());
    for (uint64_t index = 0; status == 0 && index < 3; index++) {
        vramp_frame frame = {.struct_size = sizeof frame, .index = index};
        status = process(made, &frame, &planes[0], &planes[1]);
        printf("  frame %d: %d %016llx\n", (int)index, status, (unsigned long long)hash(memory[1], 3 * plane));
    }
    if (made) destroy(made);
    free(memory[0]);
    free(memory[1]);
}

typedef struct {
    const char *name, *author;
    int type, color_model, version, major, minor, parameters;
    const char *explanation;
} effect_info;

/* frei0r: which effect the file is, and a picture of it with its defaults and with other values. */
static void effect(void *library) {
    void (*get_info)(effect_info *) = (void (*)(effect_info *))entry(library, "f0r_get_plugin_info");
    void *(*construct)(unsigned, unsigned) = (void *(*)(unsigned, unsigned))entry(library, "f0r_construct");
    void (*destruct)(void *) = (void (*)(void *))entry(library, "f0r_destruct");
    void (*set)(void *, void *, int) = (void (*)(void *, void *, int))entry(library, "f0r_set_param_value");
    void (*update)(void *, double, const uint32_t *, uint32_t *) =
        (void (*)(void *, double, const uint32_t *, uint32_t *))entry(library, "f0r_update");
    effect_info info;
    get_info(&info);
    printf("%s: %d parameters\n", info.name, info.parameters);
    static uint32_t from[WIDTH * HEIGHT], to[WIDTH * HEIGHT];
    for (int i = 0; i < WIDTH * HEIGHT; i++) from[i] = 0x01010101u * (uint32_t)(60 + (i % WIDTH) / 16);
    void *instance = construct(WIDTH, HEIGHT);
    update(instance, 0.0, from, to);
    printf("  defaults: %016llx\n", (unsigned long long)hash(to, sizeof to));
    double range = 0.5;
    const char *text = "deband(range 30, sample 2) > gauss(2)";
    if (info.parameters == 1) set(instance, &text, 0);
    else set(instance, &range, 0);
    update(instance, 0.0, from, to);
    printf("  set: %016llx\n", (unsigned long long)hash(to, sizeof to));
    destruct(instance);
}

typedef struct {
    int (*version)(void);
    int (*configure)(const char *, const char *, const char *, int, int, int, void *);
    int (*add)(const char *, const char *, const char *, void *, void *, void *);
} vapoursynth_api;

static int version(void) { return 4 << 16; }
static int configure(const char *identifier, const char *space, const char *name, int number, int api, int flags, void *plugin) {
    (void)name, (void)number, (void)flags, (void)plugin;
    printf("%s as %s, API %d\n", identifier, space, api >> 16);
    return 1;
}
static int add(const char *name, const char *arguments, const char *result, void *make, void *data, void *plugin) {
    (void)make, (void)data, (void)plugin;
    printf("  %s: %016llx %s\n", name, (unsigned long long)hash(arguments, strlen(arguments)), result);
    return 1;
}

int main(int argc, char **argv) {
    void *first = argc == 3 ? library(argv[1]) : NULL, *second = first ? library(argv[2]) : NULL;
    if (!second) {
        printf("the libraries do not load\n");
        return 1;
    }
    chain(first, "deband(range 20, rand_each_frame on)", 8);
    chain(first, "deband(sample 2) > gauss(1.5) > depth(16)", 16);
    chain(first, "gradient > box(3)", 10);
    chain(first, "debnad", 8);
    effect(first);
    effect(second);
    void (*init)(void *, const vapoursynth_api *) = (void (*)(void *, const vapoursynth_api *))entry(first, "VapourSynthPluginInit2");
    vapoursynth_api api = {version, configure, add};
    init(&api, &api);
    return 0;
}
