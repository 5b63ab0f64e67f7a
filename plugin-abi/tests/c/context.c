/* Whatever is called, the thread's CUDA context stays what it was. Runs with the stand-in for the driver. */

#include "checks.h"

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), *vramp = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    int (*set_current)(void *), (*get_current)(void **);
    __typeof__(&vramp_chain_create) create;
    __typeof__(&vramp_chain_prepare) prepare;
    __typeof__(&vramp_process) process;
    __typeof__(&vramp_chain_destroy) destroy;
    __typeof__(&vramp_alloc) alloc_block;
    __typeof__(&vramp_free) free_block;
    __typeof__(&vramp_last_error) last_error;
    *(void **)&set_current = symbol(driver, "cuCtxSetCurrent");
    *(void **)&get_current = symbol(driver, "cuCtxGetCurrent");
    *(void **)&create = symbol(vramp, "vramp_chain_create");
    *(void **)&prepare = symbol(vramp, "vramp_chain_prepare");
    *(void **)&process = symbol(vramp, "vramp_process");
    *(void **)&destroy = symbol(vramp, "vramp_chain_destroy");
    *(void **)&alloc_block = symbol(vramp, "vramp_alloc");
    *(void **)&free_block = symbol(vramp, "vramp_free");
    *(void **)&last_error = symbol(vramp, "vramp_last_error");

    int failures = 0;
    char mine[2];
    void *const contexts[] = {&mine[0], NULL, &mine[1]};
    for (int round = 0; round < 3; round++) {
        static unsigned char pixels[2][64 * 36];
        vramp_stream stream = {sizeof stream, VRAMP_GRAY, 8, VRAMP_RANGE_UNSPECIFIED, 64, 36};
        vramp_options options = {sizeof options, 1, "cuda", VRAMP_LAYOUT_DEFAULT, 0, NULL, 0, 0, NULL, 0, 0};
        vramp_frame frame = {sizeof frame, VRAMP_PROGRESSIVE, 0};
        vramp_planes src = {sizeof src, 0, {pixels[0]}, {64}}, dst = {sizeof dst, 0, {pixels[1]}, {64}};
        vramp_chain *chain = NULL;
        void *block = NULL, *current = NULL;
        set_current(contexts[round]);
#define STEP(call)                                                                                                     \
    do {                                                                                                               \
        vramp_status status_ = (call);                                                                                 \
        get_current(&current);                                                                                         \
        if (status_ != VRAMP_OK || current != contexts[round]) {                                                       \
            printf("%s: %d \"%s\", context %p\n", #call, (int)status_, last_error(), current);                         \
            ++failures;                                                                                                \
        }                                                                                                              \
    } while (0)
        STEP(create("deband", &stream, &options, &chain));
        if (round) STEP(prepare(chain));
        STEP(process(chain, &frame, &src, &dst));
        STEP(alloc_block("cuda", 1000, &block));
        STEP(free_block(block));
        STEP(destroy(chain));
    }
    return failures != 0;
}
