/* Memory and timelines of other APIs: what is imported, whose the handles are, how work is ordered, and what is refused. Runs with the
   stand-in for the driver, for which memory is any file that can be mapped, and a timeline one with a number in it. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "checks.h"

#define ENTRY(name) static __typeof__(&vramp_##name) name;
#define ENTRIES(call)                                                                                                  \
    call(chain_create) call(chain_destroy) call(process_frames_cuda) call(last_error) call(cuda_device)                \
    call(memory_import) call(memory_destroy) call(semaphore_import) call(semaphore_destroy)
ENTRIES(ENTRY)

static int (*context_create)(void **, unsigned, int), (*context_destroy)(void *), (*set_current)(void *);
static int (*get_current)(void **), (*init)(unsigned), (*live)(void *);

static int failures;

/* The same while the driver is another. */
#define REFUSED_WHILE(variable, value, want, words, call)                                                              \
    do {                                                                                                               \
        setenv(variable, value, 1);                                                                                    \
        REFUSED(want, words, call);                                                                                    \
        unsetenv(variable);                                                                                            \
    } while (0)

enum { WIDTH = 40, HEIGHT = 20, PITCH = 64, PLANE = PITCH * HEIGHT, START = 4096, BYTES = START + 2 * PLANE };

static const vramp_stream GREY = {sizeof GREY, VRAMP_GRAY, 8, VRAMP_RANGE_UNSPECIFIED, WIDTH, HEIGHT};
static const vramp_frame FRAME = {sizeof FRAME, VRAMP_PROGRESSIVE, 7};

/* A file in memory, as another API would export it. */
typedef struct file {
    int fd;
    unsigned char *bytes;
    vramp_handle handle;
} file;

static file make_file(size_t bytes, int is_memory) {
    file made = {.fd = memfd_create("test", 0)};
    if (ftruncate(made.fd, (off_t)bytes)) exit(2);
    made.bytes = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, made.fd, 0);
    made.handle = (vramp_handle){.struct_size = sizeof made.handle, .kind = VRAMP_HANDLE_FD, .handle = made.fd};
    if (is_memory) made.handle.bytes = bytes;
    return made;
}

static void free_file(file *file, size_t bytes) {
    munmap(file->bytes, bytes);
    close(file->fd);
}

static uint64_t value_of(const file *timeline) { return __atomic_load_n((uint64_t *)timeline->bytes, __ATOMIC_ACQUIRE); }

static void *raise_later(void *timeline) {
    usleep(30000);
    __atomic_store_n((uint64_t *)((file *)timeline)->bytes, 5, __ATOMIC_RELEASE);
    return NULL;
}

static vramp_chain *chain_in(void *context, const char *text) {
    vramp_options options = {.struct_size = sizeof options, .threads = 1, .cuda_context = context};
    if (!context) options.device = "cpu";
    vramp_chain *chain = NULL;
    CHECK(chain_create(text, &GREY, &options, &chain) == VRAMP_OK);
    return chain;
}

static vramp_planes plane_at(void *start) {
    vramp_planes planes = {.struct_size = sizeof planes};
    planes.data[0] = start, planes.pitch[0] = PITCH;
    return planes;
}

static vramp_status copy(vramp_chain *chain, char *at, const vramp_order *order) {
    vramp_planes src = plane_at(at + START), dst = plane_at(at + START + PLANE);
    vramp_input_frame frame = {sizeof frame, 0, &FRAME, &src};
    vramp_frame result = {.struct_size = sizeof result};
    vramp_status status = process_frames_cuda(chain, 7, &frame, 1, &dst, order, &result);
    CHECK(status != VRAMP_OK || result.index == 7);
    return status;
}

/* Memory is the other API's own, the handle stays the caller's, and both may go before what was imported. */
static void memory_is_shared(void *context) {
    char mine;
    void *address = NULL, *current;
    set_current(&mine);
    vramp_chain *chain = chain_in(context, "");
    file memory = make_file(BYTES, 1);
    int files = open_files(), before = live(context);
    vramp_memory *held = NULL;
    CHECK(memory_import(chain, &memory.handle, &held, &address) == VRAMP_OK && held && address);
    CHECK(open_files() == files);
    for (int i = 0; i < PLANE; i++) memory.bytes[START + i] = (unsigned char)(i * 7);
    CHECK(copy(chain, address, NULL) == VRAMP_OK);
    for (int y = 0; y < HEIGHT; y++)
        CHECK(!memcmp(memory.bytes + START + y * PITCH, memory.bytes + START + PLANE + y * PITCH, WIDTH));
    REFUSED(VRAMP_BAD_ARGUMENT, "beyond its memory", copy(chain, (char *)address + PITCH, NULL));
    CHECK(chain_destroy(chain) == VRAMP_OK);
    CHECK(live(context) > before);
    chain = chain_in(context, "");
    CHECK(copy(chain, address, NULL) == VRAMP_OK);
    CHECK(memory_destroy(held) == VRAMP_OK && memory_destroy(NULL) == VRAMP_OK);
    CHECK(live(context) == before);
    REFUSED(VRAMP_BAD_ARGUMENT, "was destroyed", memory_destroy(held));
    REFUSED(VRAMP_BAD_ARGUMENT, "no memory of the GPU", copy(chain, address, NULL));
    CHECK(chain_destroy(chain) == VRAMP_OK);
    get_current(&current);
    CHECK(current == &mine && open_files() == files);
    free_file(&memory, BYTES);
}

/* Work begins when what it waits for is reached, and signals when it is done, but not when it failed. */
static void timelines_order_the_work(void *context) {
    vramp_chain *chain = chain_in(context, "");
    file memory = make_file(BYTES, 1), timeline = make_file(8, 0);
    int files = open_files(), before = live(context);
    vramp_memory *held;
    vramp_semaphore *semaphore = NULL;
    void *address;
    CHECK(memory_import(chain, &memory.handle, &held, &address) == VRAMP_OK);
    CHECK(semaphore_import(chain, &timeline.handle, &semaphore) == VRAMP_OK && semaphore);
    vramp_point wait = {sizeof wait, 0, semaphore, 5}, signals[] = {{sizeof wait, 0, semaphore, 6}, {sizeof wait, 0, semaphore, 9}};
    vramp_order order = {.struct_size = sizeof order, .wait_count = 1, .waits = &wait, .signal_count = 2, .signals = signals};
    pthread_t other;
    pthread_create(&other, NULL, raise_later, &timeline);
    memory.bytes[START] = 99;
    CHECK(copy(chain, address, &order) == VRAMP_OK);
    CHECK(memory.bytes[START + PLANE] == 99 && value_of(&timeline) == 9);
    pthread_join(other, NULL);
    wait.value = 9, signals[0].value = 10, order.signal_count = 1;
    REFUSED_WHILE("STAND_IN_FAIL", "cuMemcpy2DAsync_v2=700", VRAMP_DEVICE, "", copy(chain, address, &order));
    CHECK(value_of(&timeline) == 9);
    CHECK(copy(chain, address, &order) == VRAMP_OK && value_of(&timeline) == 10);

    order.reserved = 1;
    REFUSED(VRAMP_BAD_ARGUMENT, "reserved", copy(chain, address, &order));
    order.reserved = 0, signals[0].reserved = 1;
    REFUSED(VRAMP_BAD_ARGUMENT, "reserved", copy(chain, address, &order));
    signals[0].reserved = 0, order.wait_count = 2, order.waits = NULL;
    REFUSED(VRAMP_BAD_ARGUMENT, "NULL", copy(chain, address, &order));
    order.wait_count = 5000, order.waits = &wait;
    REFUSED(VRAMP_BAD_ARGUMENT, "4096", copy(chain, address, &order));
    order.wait_count = 1, order.struct_size = 12;
    REFUSED(VRAMP_BAD_ARGUMENT, "struct_size", copy(chain, address, &order));
    order.struct_size = sizeof order, wait.semaphore = (vramp_semaphore *)held;
    REFUSED(VRAMP_BAD_ARGUMENT, "no imported semaphore", copy(chain, address, &order));
    wait.semaphore = NULL;
    REFUSED(VRAMP_BAD_ARGUMENT, "semaphore is NULL", copy(chain, address, &order));
    wait.semaphore = semaphore;

    void *theirs;
    context_create(&theirs, 0, 0);
    vramp_chain *elsewhere = chain_in(theirs, "");
    file other_memory = make_file(BYTES, 1);
    vramp_memory *other_held;
    void *other_address;
    CHECK(memory_import(elsewhere, &other_memory.handle, &other_held, &other_address) == VRAMP_OK);
    REFUSED(VRAMP_BAD_ARGUMENT, "semaphore was imported into another", copy(elsewhere, other_address, &order));
    REFUSED(VRAMP_BAD_ARGUMENT, "another CUDA context", copy(elsewhere, address, NULL));
    CHECK(value_of(&timeline) == 10);
    /* What was imported into a context that is gone went with it. */
    context_destroy(theirs);
    REFUSED(VRAMP_BAD_ARGUMENT, "was destroyed", copy(elsewhere, other_address, NULL));
    REFUSED(VRAMP_BAD_ARGUMENT, "was destroyed", semaphore_import(elsewhere, &timeline.handle, &semaphore));
    CHECK(memory_destroy(other_held) == VRAMP_OK && chain_destroy(elsewhere) == VRAMP_OK);
    free_file(&other_memory, BYTES);

    semaphore = wait.semaphore;
    CHECK(semaphore_destroy(semaphore) == VRAMP_OK && semaphore_destroy(NULL) == VRAMP_OK);
    REFUSED(VRAMP_BAD_ARGUMENT, "was destroyed", semaphore_destroy(semaphore));
    REFUSED(VRAMP_BAD_ARGUMENT, "was destroyed", copy(chain, address, &order));
    CHECK(memory_destroy(held) == VRAMP_OK && chain_destroy(chain) == VRAMP_OK);
    CHECK(live(context) == before && open_files() == files);
    free_file(&memory, BYTES);
    free_file(&timeline, 8);
}

/* Handles that are none, structs that are not right, and drivers that cannot. Nothing is left behind. */
static void refusals(void *context) {
    vramp_chain *chain = chain_in(context, ""), *on_cpu = chain_in(NULL, "");
    file memory = make_file(BYTES, 1), timeline = make_file(8, 0);
    int ends[2], files, before = live(context);
    if (pipe(ends)) exit(2);
    files = open_files();
    vramp_memory *held = NULL;
    vramp_semaphore *semaphore = NULL;
    void *address = NULL;
    vramp_handle handle = memory.handle, number = timeline.handle;
#define MEMORY memory_import(chain, &handle, &held, &address)
#define TIMELINE semaphore_import(chain, &number, &semaphore)
    REFUSED(VRAMP_BAD_ARGUMENT, "the chain is NULL", memory_import(NULL, &handle, &held, &address));
    REFUSED(VRAMP_BAD_ARGUMENT, "NULL", memory_import(chain, NULL, &held, &address));
    REFUSED(VRAMP_BAD_ARGUMENT, "memory is NULL", memory_import(chain, &handle, NULL, &address));
    REFUSED(VRAMP_BAD_ARGUMENT, "address is NULL", memory_import(chain, &handle, &held, NULL));
    REFUSED(VRAMP_BAD_ARGUMENT, "semaphore is NULL", semaphore_import(chain, &number, NULL));
    REFUSED(VRAMP_UNSUPPORTED, "runs on the CPU", memory_import(on_cpu, &handle, &held, &address));
    REFUSED(VRAMP_UNSUPPORTED, "runs on the CPU", semaphore_import(on_cpu, &number, &semaphore));
    handle.handle = -1, number.handle = -1;
    REFUSED(VRAMP_BAD_ARGUMENT, "-1 is no file descriptor", MEMORY);
    REFUSED(VRAMP_BAD_ARGUMENT, "-1 is no file descriptor", TIMELINE);
    handle.handle = 98765;
    REFUSED(VRAMP_BAD_ARGUMENT, "98765 is no file descriptor", MEMORY);
    handle.handle = 1ll << 40;
    REFUSED(VRAMP_BAD_ARGUMENT, "is no file descriptor", MEMORY);
    handle.handle = ends[0], number.handle = ends[0];
    REFUSED(VRAMP_BAD_ARGUMENT, "does not take the handle as memory", MEMORY);
    REFUSED(VRAMP_BAD_ARGUMENT, "does not take the handle as a timeline", TIMELINE);
    handle = memory.handle, number = timeline.handle;
    handle.bytes = 0;
    REFUSED(VRAMP_BAD_ARGUMENT, "no bytes", MEMORY);
    handle.bytes = 1ull << 60;
    REFUSED(VRAMP_BAD_ARGUMENT, "does not take the handle as memory", MEMORY);
    handle = memory.handle, handle.kind = 0;
    REFUSED(VRAMP_BAD_ARGUMENT, "no kind of handle 0", MEMORY);
    handle.kind = VRAMP_HANDLE_WIN32;
    REFUSED(VRAMP_UNSUPPORTED, "no handles of that kind", MEMORY);
    handle = memory.handle, handle.flags = 6;
    REFUSED(VRAMP_BAD_ARGUMENT, "no such flags", MEMORY);
    handle.flags = 0, handle.reserved = 1;
    REFUSED(VRAMP_BAD_ARGUMENT, "reserved", MEMORY);
    handle = memory.handle, handle.struct_size = 9;
    REFUSED(VRAMP_BAD_ARGUMENT, "struct_size", MEMORY);
    handle = memory.handle, number.bytes = 8;
    REFUSED(VRAMP_BAD_ARGUMENT, "a semaphore has no bytes", TIMELINE);
    number = timeline.handle, number.flags = VRAMP_MEMORY_DEDICATED;
    REFUSED(VRAMP_BAD_ARGUMENT, "no flags of memory", TIMELINE);
    number = timeline.handle;
    REFUSED_WHILE("STAND_IN_FAIL", "cuImportExternalMemory=34", VRAMP_UNSUPPORTED, "too old", MEMORY);
    REFUSED_WHILE("STAND_IN_FAIL", "cuImportExternalMemory=801", VRAMP_UNSUPPORTED, "does not import memory", MEMORY);
    REFUSED_WHILE("STAND_IN_FAIL", "cuImportExternalMemory=2", VRAMP_OUT_OF_MEMORY, "importing memory", MEMORY);
    REFUSED_WHILE("STAND_IN_FAIL", "cuExternalMemoryGetMappedBuffer=1", VRAMP_BAD_ARGUMENT, "does not take", MEMORY);
    REFUSED_WHILE("STAND_IN_FAIL", "cuImportExternalSemaphore=34", VRAMP_UNSUPPORTED, "too old", TIMELINE);
    REFUSED_WHILE("STAND_IN_CUDA", "11010", VRAMP_UNSUPPORTED, "a driver of CUDA 11.2, and this one has 11.1", TIMELINE);
    REFUSED_WHILE("STAND_IN_TIMELINES", "0", VRAMP_UNSUPPORTED, "takes no timeline semaphores", TIMELINE);
    CHECK(held == NULL && semaphore == NULL && address == NULL);
    CHECK(open_files() == files && live(context) == before);
    handle.flags = VRAMP_MEMORY_DEDICATED;
    CHECK(MEMORY == VRAMP_OK && TIMELINE == VRAMP_OK);
    CHECK(memory_destroy(held) == VRAMP_OK && semaphore_destroy(semaphore) == VRAMP_OK);
    CHECK(chain_destroy(chain) == VRAMP_OK && chain_destroy(on_cpu) == VRAMP_OK);
    free_file(&memory, BYTES);
    free_file(&timeline, 8);
    close(ends[0]);
    close(ends[1]);
}

/* The number of a device that other APIs know by its identity. */
static void identities(void) {
    uint8_t uuid[16] = {0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10, 1, 2, 3, 4, 5, 6, 7, 8};
    uint32_t number = 77;
    REFUSED(VRAMP_UNSUPPORTED, "no CUDA device has this identity", cuda_device(uuid, &number));
    CHECK(number == 77);
    setenv("STAND_IN_UUID", "fedcba98765432100102030405060708", 1);
    CHECK(cuda_device(uuid, &number) == VRAMP_OK && number == 0);
    REFUSED(VRAMP_BAD_ARGUMENT, "uuid is NULL", cuda_device(NULL, &number));
    REFUSED(VRAMP_BAD_ARGUMENT, "number is NULL", cuda_device(uuid, NULL));
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), *vramp = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
#define LOAD(name) *(void **)&name = symbol(vramp, "vramp_" #name);
    ENTRIES(LOAD)
#define DRIVER(name, theirs) *(void **)&name = symbol(driver, theirs)
    DRIVER(context_create, "cuCtxCreate_v2");
    DRIVER(context_destroy, "cuCtxDestroy_v2");
    DRIVER(set_current, "cuCtxSetCurrent");
    DRIVER(get_current, "cuCtxGetCurrent");
    DRIVER(init, "cuInit");
    DRIVER(live, "stand_in_live");
    init(0);
    void *context;
    context_create(&context, 0, 0);
    memory_is_shared(context);
    timelines_order_the_work(context);
    refusals(context);
    identities();
    context_destroy(context);
    return failures != 0;
}
