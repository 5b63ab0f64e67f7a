/* Frames of Vulkan: it uploads them, vramp filters them in its memory, and it reads them back; timelines keep the order, and the host
 * waits for nothing in between. The bytes are those of frames in host memory on the CPU.
 *
 *   cc -O2 -Iplugin-abi/include plugin-abi/tests/vulkan/frames.c -ldl -o frames
 *   ./frames target/plugin/libvramp.so libvulkan.so.1 [time]
 *
 * Where timelines cannot be exported, as by Mesa's software driver, the host waits. With the stand-in for CUDA's driver, whose kernels do
 * nothing, only the chain that copies is compared (`STAND_IN=1`).
 */
#define _POSIX_C_SOURCE 200809L
#include "device.h"
#include <time.h>
#include <unistd.h>

#include "../c/checks.h"

#define ENTRY(name) static __typeof__(&vramp_##name) name;
#define ENTRIES(call)                                                                                                  \
    call(chain_create) call(chain_destroy) call(chain_output) call(chain_needs) call(chain_prepare)                    \
    call(process_frames) call(process_frames_cuda) call(last_error) call(cuda_device) call(memory_import)              \
    call(memory_destroy) call(semaphore_import) call(semaphore_destroy)
ENTRIES(ENTRY)

static int (*finish)(void);
static int failures, is_stand_in;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* How pictures of a stream lie in a block: plane after plane, each row padded, from some offset on. */
typedef struct shape {
    vramp_stream stream;
    int planes;
    size_t start[3], pitch[3], rows[3], row[3], bytes;
} shape;

static shape shape_of(const vramp_stream *stream) {
    shape made = {.stream = *stream, .planes = stream->layout == VRAMP_RGBA ? 1 : 3, .bytes = 4096};
    size_t sample = stream->bit_depth == 8 ? 1 : stream->bit_depth == VRAMP_DEPTH_FLOAT ? 4 : 2;
    for (int i = 0; i < made.planes; i++) {
        int half = i && stream->layout == VRAMP_YUV420;
        size_t width = (size_t)(half ? (stream->width + 1) / 2 : stream->width);
        made.rows[i] = (size_t)(half ? (stream->height + 1) / 2 : stream->height);
        made.row[i] = width * sample * (stream->layout == VRAMP_RGBA ? 4 : 1);
        made.pitch[i] = (made.row[i] + 63) / 64 * 64 + 64;
        made.start[i] = made.bytes;
        made.bytes += made.pitch[i] * made.rows[i];
    }
    return made;
}

static vramp_planes planes_at(const shape *shape, void *start) {
    vramp_planes planes = {.struct_size = sizeof planes};
    for (int i = 0; i < shape->planes; i++)
        planes.data[i] = (char *)start + shape->start[i], planes.pitch[i] = (int64_t)shape->pitch[i];
    return planes;
}

/* Bands with a little noise, in the depth of the stream. */
static void draw(const shape *shape, void *start, uint64_t index) {
    uint32_t state = (uint32_t)index + 1;
    for (int plane = 0; plane < shape->planes; plane++)
        for (size_t y = 0; y < shape->rows[plane]; y++) {
            char *row = (char *)start + shape->start[plane] + y * shape->pitch[plane];
            size_t sample = shape->stream.bit_depth == 8 ? 1 : 2;
            for (size_t x = 0; x < shape->row[plane] / sample; x++) {
                state = state * 1664525u + 1013904223u;
                unsigned band = (unsigned)((x / 9 + y / 7 + 5 * index) % 200);
                if (sample == 1) ((unsigned char *)row)[x] = (unsigned char)(band + (state >> 31));
                /* Halves of 0.25 to 1, or 10 bits. */
                else if (shape->stream.layout == VRAMP_RGBA) ((uint16_t *)row)[x] = (uint16_t)(0x3400 + 10 * band + (state >> 30));
                else ((uint16_t *)row)[x] = (uint16_t)(4 * band + (state >> 30));
            }
        }
}

/* The rows alone: what lies between them is nobody's. */
static int same_picture(const shape *shape, const void *one, const void *other) {
    for (int plane = 0; plane < shape->planes; plane++)
        for (size_t y = 0; y < shape->rows[plane]; y++) {
            size_t at = shape->start[plane] + y * shape->pitch[plane];
            if (memcmp((const char *)one + at, (const char *)other + at, shape->row[plane])) return 0;
        }
    return 1;
}

enum { SLOTS = 5, MOST_FRAMES = 64 };

/* A place for a frame: host memory that Vulkan uploads from and reads back to, and exported memory that vramp has imported. */
typedef struct slot {
    block up, down, source, target;
    vramp_memory *held[2];
    void *at[2];
} slot;

static void import_block(vramp_chain *chain, const block *made, vramp_memory **memory, void **at) {
    int fd = memory_fd(made);
    vramp_handle handle = {.struct_size = sizeof handle, .kind = VRAMP_HANDLE_FD, .handle = fd, .bytes = made->bytes};
    CHECK(memory_import(chain, &handle, memory, at) == VRAMP_OK);
    close(fd);
}

static slot make_slot(vramp_chain *chain, const shape *in, const shape *out) {
    const VkMemoryPropertyFlags host = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    slot made = {make_block(in->bytes, host, 0), make_block(out->bytes, host, 0),
                 make_block(in->bytes, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 1),
                 make_block(out->bytes, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 1), {0}, {0}};
    import_block(chain, &made.source, &made.held[0], &made.at[0]);
    import_block(chain, &made.target, &made.held[1], &made.at[1]);
    memset(made.down.mapped, 0x5a, out->bytes);
    return made;
}

static void free_slot(slot *slot) {
    for (int i = 0; i < 2; i++) CHECK(memory_destroy(slot->held[i]) == VRAMP_OK);
    block *blocks[] = {&slot->up, &slot->down, &slot->source, &slot->target};
    for (int i = 0; i < 4; i++) free_block(blocks[i]);
}

static vramp_chain *chain_on(const char *device, const char *text, const vramp_stream *stream) {
    vramp_options options = {.struct_size = sizeof options, .device = device, .threads = 2};
    vramp_chain *chain = NULL;
    CHECK(chain_create(text, stream, &options, &chain) == VRAMP_OK);
    return chain;
}

/* Result `n` of the chain, made of the frames around it that there are, with `order` on the GPU, or on the CPU. */
static void make_frame(vramp_chain *chain, uint64_t n, uint64_t count, vramp_planes (*place)(uint64_t), const vramp_planes *to,
                       const vramp_order *order) {
    uint64_t first, last;
    CHECK(chain_needs(chain, n, 0, &first, &last) == VRAMP_OK);
    if (last >= count) last = count - 1;
    vramp_frame frames[MOST_FRAMES], result = {.struct_size = sizeof result};
    vramp_planes planes[MOST_FRAMES];
    vramp_input_frame list[MOST_FRAMES];
    uint32_t given = 0;
    for (uint64_t i = first; i <= last; i++, given++) {
        frames[given] = (vramp_frame){sizeof *frames, VRAMP_PROGRESSIVE, i};
        planes[given] = place(i);
        list[given] = (vramp_input_frame){sizeof *list, 0, &frames[given], &planes[given]};
    }
    if (order) CHECK(process_frames_cuda(chain, n, list, given, to, order, &result) == VRAMP_OK);
    else CHECK(process_frames(chain, n, list, given, to, &result) == VRAMP_OK);
    CHECK(result.index == n);
}

static slot slots[MOST_FRAMES];
static shape in, out;
static int slot_count;
static vramp_planes on_device(uint64_t n) { return planes_at(&in, slots[n % slot_count].at[0]); }
static vramp_planes in_host(uint64_t n) { return planes_at(&in, slots[n % slot_count].up.mapped); }

/* Puts frame `n` on its way: up, with `uploaded` as the last frame that is needed there, through the chain, and back. */
static void put(vramp_chain *chain, vramp_semaphore *timeline, VkSemaphore raw, uint64_t n, uint64_t count, uint64_t *value) {
    slot *slot = &slots[n % slot_count];
    vramp_planes to = planes_at(&out, slot->at[1]);
    vramp_point wait = {sizeof wait, 0, timeline, *value}, signal = {sizeof signal, 0, timeline, *value + 1};
    vramp_order order = {.struct_size = sizeof order};
    if (timeline) order.waits = &wait, order.wait_count = 1, order.signals = &signal, order.signal_count = 1;
    else VK(vkQueueWaitIdle(queue));
    make_frame(chain, n, count, on_device, &to, &order);
    if (timeline) *value += 1;
    else CHECK(finish() == 0);
    copy_block(&slot->target, &slot->down, out.bytes, raw, timeline ? *value : 0, *value + 1);
    *value += 1;
}

/* Every frame is in Vulkan's memory when the first is filtered; none is waited for before the last. */
static void compare(const char *device, const char *text, const vramp_stream *stream) {
    enum { COUNT = SLOTS };
    vramp_chain *cpu = chain_on("cpu", text, stream), *gpu = chain_on(device, text, stream);
    vramp_stream made = {.struct_size = sizeof made};
    CHECK(chain_output(gpu, &made) == VRAMP_OK);
    in = shape_of(stream), out = shape_of(&made), slot_count = COUNT;
    for (int i = 0; i < COUNT; i++) slots[i] = make_slot(gpu, &in, &out), draw(&in, slots[i].up.mapped, (uint64_t)i);
    VkSemaphore raw = make_timeline(has_semaphore_fd);
    vramp_semaphore *timeline = NULL;
    if (has_semaphore_fd) {
        int fd = semaphore_fd(raw);
        vramp_handle handle = {.struct_size = sizeof handle, .kind = VRAMP_HANDLE_FD, .handle = fd};
        CHECK(semaphore_import(gpu, &handle, &timeline) == VRAMP_OK);
        close(fd);
    }
    CHECK(chain_prepare(gpu) == VRAMP_OK);
    uint64_t value = 0;
    for (int i = 0; i < COUNT; i++) copy_block(&slots[i].up, &slots[i].source, in.bytes, raw, 0, ++value);
    for (uint64_t n = 0; n < COUNT; n++) put(gpu, timeline, raw, n, COUNT, &value);
    CHECK(wait_for_value(raw, value));
    void *expected = malloc(out.bytes);
    for (uint64_t n = 0; n < COUNT; n++) {
        vramp_planes to = planes_at(&out, expected);
        make_frame(cpu, n, COUNT, in_host, &to, NULL);
        int is_same = same_picture(&out, expected, slots[n].down.mapped);
        int needs_kernels = *text || stream->layout == VRAMP_RGBA;
        if (!is_same && !(is_stand_in && needs_kernels)) printf("'%s': frame %d differs\n", text, (int)n), failures++;
    }
    free(expected);
    for (int i = 0; i < COUNT; i++) free_slot(&slots[i]);
    CHECK(semaphore_destroy(timeline) == VRAMP_OK);
    vkDestroySemaphore(vulkan, raw, NULL);
    VK(vkResetCommandPool(vulkan, pool, 0));
    CHECK(chain_destroy(cpu) == VRAMP_OK && chain_destroy(gpu) == VRAMP_OK);
}

/* Frames a second of a chain whose frames stay in Vulkan's memory. */
static void measure(const char *device, const char *text, const vramp_stream *stream) {
    enum { COUNT = 400 };
    vramp_chain *gpu = chain_on(device, text, stream);
    vramp_stream made = {.struct_size = sizeof made};
    chain_output(gpu, &made);
    in = shape_of(stream), out = shape_of(&made), slot_count = SLOTS;
    for (int i = 0; i < SLOTS; i++) slots[i] = make_slot(gpu, &in, &out), draw(&in, slots[i].up.mapped, (uint64_t)i);
    VkSemaphore raw = make_timeline(1);
    int fd = semaphore_fd(raw);
    vramp_handle handle = {.struct_size = sizeof handle, .kind = VRAMP_HANDLE_FD, .handle = fd};
    vramp_semaphore *timeline = NULL;
    CHECK(semaphore_import(gpu, &handle, &timeline) == VRAMP_OK);
    close(fd);
    uint64_t value = 0;
    for (int i = 0; i < SLOTS; i++) copy_block(&slots[i].up, &slots[i].source, in.bytes, raw, 0, ++value);
    CHECK(wait_for_value(raw, value));
    double begin = 0;
    for (uint64_t n = 0; n < COUNT + 20; n++) {
        if (n == 20) {
            CHECK(wait_for_value(raw, value));
            begin = now();
        }
        vramp_planes to = planes_at(&out, slots[n % SLOTS].at[1]);
        vramp_point wait = {sizeof wait, 0, timeline, value}, signal = {sizeof signal, 0, timeline, value + 1};
        vramp_order order = {.struct_size = sizeof order, .wait_count = 1, .waits = &wait, .signals = &signal, .signal_count = 1};
        make_frame(gpu, n, COUNT + 20, on_device, &to, &order);
        value++;
    }
    double put_in = now() - begin;
    CHECK(wait_for_value(raw, value));
    printf("%-44s %7.0f frames a second, %.1f us a call\n", text, COUNT / (now() - begin), put_in / COUNT * 1e6);
    for (int i = 0; i < SLOTS; i++) free_slot(&slots[i]);
    semaphore_destroy(timeline);
    vkDestroySemaphore(vulkan, raw, NULL);
    chain_destroy(gpu);
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    if (!strcmp(argv[1], "uuid")) {
        if (!open_vulkan(argv[2])) return 3;
        for (int i = 0; i < 16; i++) printf("%02x", device_uuid[i]);
        return printf("\n"), 0;
    }
    void *vramp = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL), *cuda = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!vramp || !cuda) return printf("skipped: %s\n", dlerror()), 3;
    /* It says why. */
    if (!open_vulkan(argv[2])) return 3;
#define LOAD(name) *(void **)&name = dlsym(vramp, "vramp_" #name);
    ENTRIES(LOAD)
    *(void **)&finish = dlsym(cuda, "cuCtxSynchronize");
    is_stand_in = getenv("STAND_IN") != NULL;
    uint32_t number = 99;
    char device[16];
    CHECK(cuda_device(device_uuid, &number) == VRAMP_OK);
    snprintf(device, sizeof device, "cuda:%u", (unsigned)number);
    printf("%s is %s; timelines %s\n", device_name, device, has_semaphore_fd ? "are exported" : "stay");
    vramp_stream streams[] = {{sizeof *streams, VRAMP_YUV420, 8, VRAMP_RANGE_UNSPECIFIED, 317, 181},
                              {sizeof *streams, VRAMP_YUV444, 10, VRAMP_RANGE_FULL, 640, 360},
                              {sizeof *streams, VRAMP_RGBA, VRAMP_DEPTH_HALF, VRAMP_RANGE_UNSPECIFIED, 203, 77}};
    const char *chains[] = {"", "deband=range=16:rand_each_frame=on", "gauss=sigma=2,depth=16", "tmedian,deband", "transpose"};
    int before = 0;
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 5; k++) {
                if (streams[i].layout == VRAMP_RGBA && (k == 2 || k == 4)) continue;
                compare(device, chains[k], &streams[i]);
            }
        if (!round) before = open_files();
    }
    CHECK(open_files() == before);
    if (argc > 3 && has_semaphore_fd) {
        vramp_stream uhd = {sizeof uhd, VRAMP_YUV420, 8, VRAMP_RANGE_UNSPECIFIED, 3840, 2160};
        const char *timed[] = {"", "deband=range=16", "deband=range=16,depth=10", "gauss=sigma=2", "tmedian,deband"};
        for (int k = 0; k < 5; k++) measure(device, timed[k], &uhd);
    }
    vkDestroyCommandPool(vulkan, pool, NULL);
    vkDestroyDevice(vulkan, NULL);
    vkDestroyInstance(instance, NULL);
    printf("%s\n", failures ? "FAILED" : "every byte is the CPU's");
    return failures != 0;
}
