/* Frames in GPU memory, in contexts of the caller's: where the work goes, what is left behind, and what is refused. Runs with the
   stand-in for the driver, which refuses work in a wrong context or order. */
#define _POSIX_C_SOURCE 200809L

#include "checks.h"

#define ENTRY(name) static __typeof__(&vramp_##name) name
ENTRY(chain_create);
ENTRY(chain_destroy);
ENTRY(chain_output);
ENTRY(chain_prepare);
ENTRY(process);
ENTRY(process_cuda);
ENTRY(last_error);

static int (*context_create)(void **, unsigned, int), (*context_destroy)(void *), (*set_current)(void *);
static int (*get_current)(void **), (*alloc_memory)(unsigned long long *, size_t);
static int (*stream_create)(void **, unsigned), (*retain)(void **, int), (*init)(unsigned);
static int (*live)(void *);

static int failures;

enum { WIDTH = 40, HEIGHT = 20, ROW = WIDTH * 16, BYTES = ROW * HEIGHT };

static const vramp_frame FRAME = {sizeof FRAME, VRAMP_PROGRESSIVE, 0};
static const vramp_stream FLOATS = {sizeof FLOATS, VRAMP_RGBA, VRAMP_DEPTH_FLOAT, VRAMP_RANGE_UNSPECIFIED, WIDTH, HEIGHT};

static vramp_chain *chain_in(void *context, const vramp_stream *stream, uint32_t rgba) {
    vramp_options options = {.struct_size = sizeof options, .threads = 1, .cuda_context = context, .rgba = rgba};
    if (!context) options.device = "cuda";
    vramp_chain *chain = NULL;
    CHECK(chain_create("deband,gauss=1", stream, &options, &chain) == VRAMP_OK);
    return chain;
}

static void *memory(size_t bytes) {
    unsigned long long start = 0;
    CHECK(alloc_memory(&start, bytes) == 0);
    return (void *)(size_t)start;
}

static vramp_planes planes_at(void *data, int64_t pitch) {
    vramp_planes planes = {.struct_size = sizeof planes};
    planes.data[0] = data, planes.pitch[0] = pitch;
    return planes;
}

/* Two contexts at once, frames of the GPU and of the host in turns and in several streams: nothing overtakes. */
static void several_contexts(void) {
    void *contexts[3], *streams[3][2], *current;
    vramp_chain *chains[3];
    vramp_planes src[3], dst[3];
    int before[3];
    for (int i = 0; i < 3; i++) {
        /* The third is the primary one. */
        if (i < 2) context_create(&contexts[i], 0, 0);
        else retain(&contexts[i], 0), set_current(contexts[i]);
        src[i] = planes_at(memory(BYTES), ROW);
        /* From the bottom up. */
        dst[i] = planes_at((char *)memory(BYTES) + (HEIGHT - 1) * ROW, -ROW);
        streams[i][0] = NULL;
        stream_create(&streams[i][1], 1);
        before[i] = live(contexts[i]);
        chains[i] = chain_in(i < 2 ? contexts[i] : NULL, &FLOATS, VRAMP_RGBA_YCBCR);
        CHECK(live(contexts[i]) == before[i]);
    }
    static float here[2][WIDTH * HEIGHT * 4];
    vramp_planes host_src = planes_at(here[0], ROW), host_dst = planes_at(here[1], ROW);
    char mine;
    set_current(&mine);
    for (int i = 0; i < 3; i++) {
        setenv("STAND_IN_ORDERED", "1", 1);
        CHECK(chain_prepare(chains[i]) == VRAMP_OK);
        for (int turn = 0; turn < 6; turn++) {
            CHECK(process_cuda(chains[i], &FRAME, &src[i], &dst[i], streams[i][turn % 2]) == VRAMP_OK);
            if (turn % 3) CHECK(process(chains[i], &FRAME, &host_src, &host_dst) == VRAMP_OK);
        }
        CHECK(live(contexts[i]) > before[i]);
        get_current(&current);
        CHECK(current == &mine);
        setenv("STAND_IN_ORDERED", "0", 1);
    }
    for (int i = 0; i < 3; i++) {
        vramp_chain *other = chains[(i + 1) % 3];
        REFUSED(VRAMP_BAD_ARGUMENT, "another CUDA context", process_cuda(other, &FRAME, &src[i], &dst[i], NULL));
        void *theirs = streams[(i + 1) % 3][1];
        REFUSED(VRAMP_BAD_ARGUMENT, "stream", process_cuda(chains[i], &FRAME, &src[i], &dst[i], theirs));
    }
    for (int i = 0; i < 3; i++) {
        CHECK(chain_destroy(chains[i]) == VRAMP_OK);
        CHECK(live(contexts[i]) == before[i]);
    }
    context_destroy(contexts[0]);
    context_destroy(contexts[1]);
}

/* A context that ends before its chains. */
static void ended_contexts(void) {
    void *context, *next;
    vramp_chain *used, *fresh, *none = NULL;
    context_create(&context, 0, 0);
    vramp_planes src = planes_at(memory(BYTES), ROW), dst = planes_at(memory(BYTES), ROW);
    used = chain_in(context, &FLOATS, 0), fresh = chain_in(context, &FLOATS, 0);
    CHECK(process_cuda(used, &FRAME, &src, &dst, NULL) == VRAMP_OK);
    context_destroy(context);
    context_create(&next, 0, 0);
    REFUSED(VRAMP_BAD_ARGUMENT, "was destroyed", process_cuda(used, &FRAME, &src, &dst, NULL));
    REFUSED(VRAMP_BAD_ARGUMENT, "was destroyed", process_cuda(fresh, &FRAME, &src, &dst, NULL));
    REFUSED(VRAMP_BAD_ARGUMENT, "was destroyed", chain_prepare(fresh));
    vramp_options options = {.struct_size = sizeof options, .cuda_context = context};
    REFUSED(VRAMP_BAD_ARGUMENT, "was destroyed", chain_create("deband", &FLOATS, &options, &none));
    int before = live(next);
    CHECK(chain_destroy(used) == VRAMP_OK && chain_destroy(fresh) == VRAMP_OK);
    CHECK(live(next) == before);
    context_destroy(next);
}

/* What no context has, and options that do not go together. */
static void refusals(void) {
    void *context;
    context_create(&context, 0, 0);
    char *from = memory(BYTES), *to = memory(BYTES);
    static float here[WIDTH * HEIGHT * 4];
    vramp_chain *chain = chain_in(context, &FLOATS, VRAMP_RGBA_LINEAR | VRAMP_RGBA_PREMULTIPLIED), *none = NULL;
    vramp_planes src = planes_at(from, ROW), dst = planes_at(to, ROW);
    CHECK(process_cuda(chain, &FRAME, &src, &dst, NULL) == VRAMP_OK);

    /* Rows upward from the first byte, rows further apart than the memory is long, and memory that begins too late. */
    vramp_planes odd = planes_at(to, -ROW);
    REFUSED(VRAMP_BAD_ARGUMENT, "the target", process_cuda(chain, &FRAME, &src, &odd, NULL));
    odd = planes_at(from, -ROW);
    REFUSED(VRAMP_BAD_ARGUMENT, "the source", process_cuda(chain, &FRAME, &odd, &dst, NULL));
    odd = planes_at(from, ROW + 16);
    REFUSED(VRAMP_BAD_ARGUMENT, "beyond its memory", process_cuda(chain, &FRAME, &odd, &dst, NULL));
    odd = planes_at(from + 4, ROW);
    REFUSED(VRAMP_BAD_ARGUMENT, "beyond its memory", process_cuda(chain, &FRAME, &odd, &dst, NULL));
    odd = planes_at(here, ROW);
    REFUSED(VRAMP_BAD_ARGUMENT, "no memory of the GPU", process_cuda(chain, &FRAME, &odd, &dst, NULL));
    odd = planes_at((char *)16, -ROW);
    REFUSED(VRAMP_BAD_ARGUMENT, "beyond the end of memory", process_cuda(chain, &FRAME, &odd, &dst, NULL));
    odd = planes_at(from, INT64_MIN);
    REFUSED(VRAMP_BAD_ARGUMENT, "has a pitch of", process_cuda(chain, &FRAME, &odd, &dst, NULL));
    odd = planes_at(from, 16 - ROW);
    REFUSED(VRAMP_BAD_ARGUMENT, "has a pitch of", process_cuda(chain, &FRAME, &odd, &dst, NULL));
    odd = planes_at(from, ROW + 2);
    REFUSED(VRAMP_BAD_ARGUMENT, "multiples of 4", process_cuda(chain, &FRAME, &odd, &dst, NULL));
    REFUSED(VRAMP_BAD_ARGUMENT, "overlaps", process_cuda(chain, &FRAME, &src, &src, NULL));
    vramp_stream result = {.struct_size = sizeof result};
    CHECK(chain_output(chain, &result) == VRAMP_OK && result.layout == VRAMP_RGBA && result.bit_depth == VRAMP_DEPTH_FLOAT);
    CHECK(chain_destroy(chain) == VRAMP_OK);

    vramp_options options = {.struct_size = sizeof options, .device = "cpu", .cuda_context = context};
    REFUSED(VRAMP_BAD_ARGUMENT, "device is cpu", chain_create("deband", &FLOATS, &options, &none));
    options.device = "cuda:1";
    REFUSED(VRAMP_BAD_ARGUMENT, "device is cuda:1", chain_create("deband", &FLOATS, &options, &none));
    options = (vramp_options){.struct_size = sizeof options, .rgba = 8};
    REFUSED(VRAMP_BAD_ARGUMENT, "rgba is 0x8", chain_create("deband", &FLOATS, &options, &none));
    options.rgba = 0, options.reserved_too = 1;
    REFUSED(VRAMP_BAD_ARGUMENT, "reserved", chain_create("deband", &FLOATS, &options, &none));
    options = (vramp_options){.struct_size = sizeof options, .rgba = VRAMP_RGBA_YCBCR};
    REFUSED(VRAMP_UNSUPPORTED, "the matrix", chain_create("matrix=to=smpte170m", &FLOATS, &options, &none));
    options.output_bit_depth = 8;
    REFUSED(VRAMP_UNSUPPORTED, "the depth that it went in", chain_create("deband", &FLOATS, &options, &none));
    vramp_stream stream = FLOATS;
    options = (vramp_options){.struct_size = sizeof options};
    stream.range = VRAMP_RANGE_LIMITED;
    REFUSED(VRAMP_BAD_ARGUMENT, "full range", chain_create("deband", &stream, &options, &none));
    stream = FLOATS, stream.bit_depth = 10;
    REFUSED(VRAMP_BAD_ARGUMENT, "VRAMP_DEPTH_HALF", chain_create("deband", &stream, &options, &none));
    stream.layout = VRAMP_RGB, stream.bit_depth = VRAMP_DEPTH_HALF;
    REFUSED(VRAMP_BAD_ARGUMENT, "32 for float", chain_create("deband", &stream, &options, &none));
    CHECK(none == NULL);
    context_destroy(context);
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), *vramp = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
#define LOAD(name) *(void **)&name = symbol(vramp, "vramp_" #name)
    LOAD(chain_create);
    LOAD(chain_destroy);
    LOAD(chain_output);
    LOAD(chain_prepare);
    LOAD(process);
    LOAD(process_cuda);
    LOAD(last_error);
#define DRIVER(name, theirs) *(void **)&name = symbol(driver, theirs)
    DRIVER(context_create, "cuCtxCreate_v2");
    DRIVER(context_destroy, "cuCtxDestroy_v2");
    DRIVER(set_current, "cuCtxSetCurrent");
    DRIVER(get_current, "cuCtxGetCurrent");
    DRIVER(alloc_memory, "cuMemAlloc_v2");
    DRIVER(stream_create, "cuStreamCreate");
    DRIVER(retain, "cuDevicePrimaryCtxRetain");
    DRIVER(init, "cuInit");
    DRIVER(live, "stand_in_live");
    init(0);
    several_contexts();
    ended_contexts();
    refusals();
    return failures != 0;
}
