/* A frei0r parameter that changes each frame opens the device once. Runs with the stand-in for the driver, whose kernels
   leave what they should write as it was: a picture that comes as it went was passed on after an error. */
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>

#include "checks.h"

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    setenv("VRAMP_DEVICE", "cuda", 1);
    setenv("STAND_IN_FAIL", "cuDevicePrimaryCtxRetain:2=2", 1);
    void *vramp = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    void *(*construct)(unsigned, unsigned);
    void (*destruct)(void *), (*set)(void *, void *, int), (*update)(void *, double, const uint32_t *, uint32_t *);
    *(void **)&construct = symbol(vramp, "f0r_construct");
    *(void **)&destruct = symbol(vramp, "f0r_destruct");
    *(void **)&set = symbol(vramp, "f0r_set_param_value");
    *(void **)&update = symbol(vramp, "f0r_update");

    static uint32_t src[64 * 48], dst[64 * 48];
    for (uint32_t i = 0; i < 64 * 48; i++) src[i] = i * 2654435761u;
    int failures = 0;
    void *instance = construct(64, 48);
    for (int frame = 0; frame < 4; frame++) {
        char text[32], *chain = text;
        snprintf(text, sizeof text, "gauss(%d)", frame + 1);
        set(instance, &chain, 0);
        update(instance, frame, src, dst);
        if (!memcmp(src, dst, sizeof src)) {
            printf("frame %d was not filtered\n", frame);
            failures++;
        }
    }
    destruct(instance);
    return failures != 0;
}
