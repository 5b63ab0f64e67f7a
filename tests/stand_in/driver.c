// A stand-in for NVIDIA's driver: a device whose memory is the host's, where copies copy and kernels do nothing.
//
// STAND_IN_FAIL="NAME=CODE" makes every call of a function fail, "NAME:N=CODE" those from the Nth on.
// STAND_IN_CUDA, STAND_IN_MAJOR, STAND_IN_MINOR and STAND_IN_MIB are the driver's version, the device's compute capability
// and its memory; STAND_IN_PTX=1 makes it a driver that takes no machine code.
// STAND_IN_DEVICES is the number of devices, of which CUDA_VISIBLE_DEVICES shows one, with its number in its name.
// STAND_IN_MEMORY is what it takes the host's memory for: 1 is page-locked.
// STAND_IN_ORDERED=1 refuses asynchronous work that need not come after all such work before it, as a program with one frame
// at a time in one memory must see to.
// STAND_IN_UUID is the identity of its first device, in 32 digits; STAND_IN_TIMELINES=0 makes it one that takes no timelines.
// stand_in_live(CONTEXT) counts what was made in a context and is there still.

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long address;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int setting(const char *name, int otherwise) {
    const char *text = getenv(name);
    return text ? atoi(text) : otherwise;
}

// The code with which this call of `name` fails; 0 when it does not.
static int failure(const char *name) {
    static int calls;
    const char *wish = getenv("STAND_IN_FAIL");
    size_t length = strlen(name);
    if (!wish || strncmp(wish, name, length) || (wish[length] != ':' && wish[length] != '=')) return 0;
    int first = wish[length] == ':' ? atoi(wish + length + 1) : 1;
    pthread_mutex_lock(&lock);
    int failed = ++calls >= first;
    pthread_mutex_unlock(&lock);
    return failed ? atoi(strchr(wish, '=') + 1) : 0;
}

#define CALL(name, parameters, work) \
    int name parameters { \
        int failed = failure(#name); \
        if (!failed) work; \
        return failed; \
    }

static _Thread_local void *current;

enum { STREAMS = 256, INVALID_VALUE = 1, INVALID_CONTEXT = 201, INVALID_HANDLE = 400, ILLEGAL_ADDRESS = 700, DESTROYED = 709 };

// What was made in a context: a stream, an event, a module, a graph, or memory.
struct thing {
    struct thing *next;
    void *context;
    // Of memory.
    address start;
    size_t bytes;
    // Imported, of all kinds: what the file descriptor was mapped to, and how much of it.
    char *mapped;
    size_t length;
    // Of a stream, its number; of streams and events, how much work of each stream comes before.
    int number;
    unsigned before[STREAMS];
};

static struct thing *things;

static int make(void **handle) {
    struct thing *thing = calloc(1, sizeof *thing);
    thing->context = current;
    pthread_mutex_lock(&lock);
    thing->next = things;
    things = thing;
    pthread_mutex_unlock(&lock);
    *handle = thing;
    return 0;
}

static void forget(struct thing *thing) {
    for (struct thing **at = &things; *at; at = &(*at)->next)
        if (*at == thing) {
            *at = thing->next;
            break;
        }
    free(thing);
}

static int drop(void *handle) {
    pthread_mutex_lock(&lock);
    forget(handle);
    pthread_mutex_unlock(&lock);
    return 0;
}

static struct thing *memory_at(address place) {
    struct thing *thing;
    pthread_mutex_lock(&lock);
    for (thing = things; thing; thing = thing->next)
        if (thing->start && place >= thing->start && place < thing->start + thing->bytes) break;
    pthread_mutex_unlock(&lock);
    return thing;
}

int stand_in_live(void *context) {
    int count = 0;
    for (struct thing *thing = things; thing; thing = thing->next) count += thing->context == context;
    return count;
}

// Contexts that were made here; those of others are whatever the caller says.
struct context {
    struct context *next;
    unsigned long long id;
    int device, destroyed;
};

static struct context *contexts;
static struct context primary[16];
static int retained[16];

static struct context *known(void *handle) {
    struct context *context;
    for (int i = 0; i < 16; i++)
        if (handle == &primary[i]) return &primary[i];
    pthread_mutex_lock(&lock);
    for (context = contexts; context && context != handle; context = context->next);
    pthread_mutex_unlock(&lock);
    return context;
}

static int create(void **handle, int device) {
    static unsigned long long last = 100;
    struct context *context = calloc(1, sizeof *context);
    pthread_mutex_lock(&lock);
    *context = (struct context){contexts, ++last, device, 0};
    contexts = context;
    pthread_mutex_unlock(&lock);
    *handle = current = context;
    return 0;
}

static int destroy(void *handle) {
    struct context *context = known(handle);
    if (!context || context->destroyed) return INVALID_CONTEXT;
    pthread_mutex_lock(&lock);
    for (struct thing *thing = things, *next; thing; thing = next) {
        next = thing->next;
        if (thing->context == handle) forget(thing);
    }
    pthread_mutex_unlock(&lock);
    context->destroyed = 1;
    if (current == handle) current = NULL;
    return 0;
}

static int set_current(void *handle) {
    struct context *context = known(handle);
    if (context && context->destroyed) return DESTROYED;
    current = handle;
    return 0;
}

static int id_of(void *handle, unsigned long long *id) {
    struct context *context = known(handle);
    if (!context || context->destroyed) return INVALID_CONTEXT;
    *id = context->id;
    return 0;
}

// Work in streams, and what the host has seen the end of.
static unsigned host[STREAMS], default_stream[STREAMS];
static int last_stream = -1;

static unsigned *before(struct thing *stream) { return stream ? stream->before : default_stream; }

static void join(unsigned *to, const unsigned *from) {
    for (int i = 0; i < STREAMS; i++)
        if (to[i] < from[i]) to[i] = from[i];
}

static int make_stream(void **stream) {
    static int made;
    make(stream);
    pthread_mutex_lock(&lock);
    ((struct thing *)*stream)->number = ++made % STREAMS;
    pthread_mutex_unlock(&lock);
    return 0;
}

static int record(struct thing *event, struct thing *stream) {
    if (event->context != (stream ? stream->context : current)) return INVALID_HANDLE;
    pthread_mutex_lock(&lock);
    memcpy(event->before, before(stream), sizeof event->before);
    pthread_mutex_unlock(&lock);
    return 0;
}

static int ordered(struct thing *stream, struct thing *event) {
    pthread_mutex_lock(&lock);
    join(before(stream), event->before);
    pthread_mutex_unlock(&lock);
    return 0;
}

static int finished(const unsigned *work) {
    pthread_mutex_lock(&lock);
    join(host, work);
    pthread_mutex_unlock(&lock);
    return 0;
}

// Puts work into a stream: refused where it need not come after the work before.
static int enqueue(struct thing *stream) {
    static unsigned last;
    if (stream && stream->context != current) return INVALID_CONTEXT;
    if (!setting("STAND_IN_ORDERED", 0)) return 0;
    int number = stream ? stream->number : 0;
    pthread_mutex_lock(&lock);
    unsigned *own = before(stream);
    join(own, host);
    int comes_after = last_stream < 0 || own[last_stream] >= last;
    last = ++own[number];
    last_stream = number;
    pthread_mutex_unlock(&lock);
    return comes_after ? 0 : ILLEGAL_ADDRESS;
}

static int attributes(unsigned count, const unsigned *names, void **values, address pointer) {
    struct thing *memory = memory_at(pointer);
    for (unsigned i = 0; i < count; i++) switch (names[i]) {
            case 1: *(void **)values[i] = memory ? memory->context : NULL; break;
            case 2: *(unsigned *)values[i] = memory ? 2 : 0; break;
            case 8: *(unsigned *)values[i] = 0; break;
            case 11: *(address *)values[i] = memory ? memory->start : 0; break;
            case 12: *(size_t *)values[i] = memory ? memory->bytes : 0; break;
            default: return INVALID_VALUE;
        }
    return 0;
}

static int attribute(void *value, unsigned name, address pointer) {
    if (memory_at(pointer)) return attributes(1, &name, &value, pointer);
    if (name != 2) return INVALID_VALUE;
    *(unsigned *)value = setting("STAND_IN_MEMORY", 1);
    return 0;
}

static const char *shown(void) {
    static char name[32];
    const char *number = getenv("CUDA_VISIBLE_DEVICES");
    if (number) snprintf(name, sizeof name, " %s", number);
    return name;
}

static void *block(size_t bytes) {
    return aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
}

static int allocate(address *start, size_t bytes) {
    struct thing *memory;
    make((void **)&memory);
    memory->bytes = bytes;
    memory->start = *start = (address)block(bytes);
    return 0;
}

static int release(address start) {
    struct thing *memory = memory_at(start);
    if (!memory) return INVALID_VALUE;
    if (!memory->mapped) free((void *)start);
    return drop(memory);
}

#include "external.h"

CALL(cuInit, (unsigned flags), (void)0)
CALL(cuDriverGetVersion, (int *version), *version = setting("STAND_IN_CUDA", 13000))
CALL(cuDeviceGetCount, (int *count), *count = getenv("CUDA_VISIBLE_DEVICES") ? 1 : setting("STAND_IN_DEVICES", 1))
CALL(cuDeviceGet, (int *device, int ordinal), *device = ordinal)
CALL(cuDeviceGetName, (char *name, int bytes, int device), snprintf(name, bytes, "stand-in%s", shown()))
CALL(cuDeviceTotalMem_v2, (size_t *bytes, int device), *bytes = (size_t)setting("STAND_IN_MIB", 1024) << 20)
CALL(cuDeviceGetAttribute, (int *value, int attribute, int device),
     *value = attribute == 75   ? setting("STAND_IN_MAJOR", 9)
              : attribute == 76 ? setting("STAND_IN_MINOR", 0)
              : attribute == 38 ? 50 << 20
              : attribute == 97 ? 227 << 10
              : attribute == 114 ? setting("STAND_IN_TIMELINES", 1)
                                : 4)
CALL(cuDeviceGetUuid, (unsigned char *uuid, int device), identity(uuid, device))
CALL(cuDevicePrimaryCtxSetFlags_v2, (int device, unsigned flags), (void)0)
CALL(cuDevicePrimaryCtxRetain, (void **context, int device),
     (primary[device].id = 1 + device, primary[device].device = device, retained[device]++, *context = &primary[device]))
CALL(cuDevicePrimaryCtxRelease_v2, (int device), retained[device]--)
CALL(cuDevicePrimaryCtxGetState, (int device, unsigned *flags, int *active), (*flags = 0, *active = retained[device] > 0))
CALL(cuCtxCreate_v2, (void **context, unsigned flags, int device), failed = create(context, device))
CALL(cuCtxDestroy_v2, (void *context), failed = destroy(context))
CALL(cuCtxSetCurrent, (void *context), failed = set_current(context))
CALL(cuCtxGetCurrent, (void **context), *context = current)
CALL(cuCtxGetDevice, (int *device), *device = known(current) ? known(current)->device : 0)
CALL(cuCtxSynchronize, (void), failed = finished_all())
CALL(cuCtxGetId, (void *context, unsigned long long *id), failed = id_of(context, id))
CALL(cuGetErrorName, (int code, const char **name), *name = "STAND_IN_ERROR")

CALL(cuMemGetInfo_v2, (size_t *free, size_t *total), *free = *total = (size_t)setting("STAND_IN_MIB", 1024) << 20)
CALL(cuMemAlloc_v2, (address *start, size_t bytes), failed = allocate(start, bytes))
CALL(cuMemFree_v2, (address start), failed = release(start))
CALL(cuMemAllocHost_v2, (void **start, size_t bytes), *start = block(bytes))
CALL(cuMemFreeHost, (void *start), free(start))
// A system that gives the driver no such memory locks none of the process's either.
CALL(cuMemHostRegister_v2, (void *start, size_t bytes, unsigned flags), failed = failure("cuMemAllocHost_v2"))
CALL(cuMemHostUnregister, (void *start), (void)0)
CALL(cuPointerGetAttribute, (void *value, unsigned name, address pointer), failed = attribute(value, name, pointer))
CALL(cuPointerGetAttributes, (unsigned count, const unsigned *names, void **values, address pointer),
     failed = attributes(count, names, values, pointer))
CALL(cuMemsetD8_v2, (address start, unsigned char value, size_t bytes), memset((void *)start, value, bytes))
CALL(cuMemsetD8Async, (address start, unsigned char value, size_t bytes, void *stream),
     (memset((void *)start, value, bytes), failed = enqueue(stream)))
CALL(cuMemcpyHtoD_v2, (address to, const void *from, size_t bytes), memcpy((void *)to, from, bytes))
CALL(cuMemcpyDtoH_v2, (void *to, address from, size_t bytes), memcpy(to, (void *)from, bytes))
CALL(cuMemcpyHtoDAsync_v2, (address to, const void *from, size_t bytes, void *stream),
     (memcpy((void *)to, from, bytes), failed = enqueue(stream)))
CALL(cuMemcpyDtoHAsync_v2, (void *to, address from, size_t bytes, void *stream),
     (memcpy(to, (void *)from, bytes), failed = enqueue(stream)))
CALL(cuMemcpyDtoDAsync_v2, (address to, address from, size_t bytes, void *stream),
     (memcpy((void *)to, (void *)from, bytes), failed = enqueue(stream)))

struct side {
    size_t x, y;
    int kind;
    const void *host;
    address device;
    void *array;
    size_t pitch;
};

struct copy {
    struct side from, to;
    size_t bytes, rows;
};

static void copy_rows(const struct copy *copy) {
    const struct side *from = &copy->from, *to = &copy->to;
    const char *source = from->kind == 1 ? from->host : (const char *)from->device;
    char *target = to->kind == 1 ? (char *)to->host : (char *)to->device;
    for (size_t y = 0; y < copy->rows; y++) memcpy(target + y * to->pitch, source + y * from->pitch, copy->bytes);
}

CALL(cuMemcpy2DAsync_v2, (const struct copy *copy, void *stream), (copy_rows(copy), failed = enqueue(stream)))

CALL(cuImportExternalMemory, (void **memory, const struct memory_handle *handle), failed = import_memory(memory, handle))
CALL(cuExternalMemoryGetMappedBuffer, (address *start, void *memory, const struct buffer *buffer),
     failed = map_buffer(start, memory, buffer))
CALL(cuDestroyExternalMemory, (void *memory), failed = unmap(memory))
CALL(cuImportExternalSemaphore, (void **semaphore, const struct semaphore_handle *handle),
     failed = import_semaphore(semaphore, handle))
CALL(cuDestroyExternalSemaphore, (void *semaphore), failed = unmap(semaphore))
CALL(cuWaitExternalSemaphoresAsync, (void *const *semaphores, const struct point *points, unsigned count, void *stream),
     failed = wait_points(semaphores, points, count, stream))
CALL(cuSignalExternalSemaphoresAsync, (void *const *semaphores, const struct point *points, unsigned count, void *stream),
     failed = signal_points(semaphores, points, count, stream))

CALL(cuStreamCreate, (void **stream, unsigned flags), make_stream(stream))
CALL(cuStreamGetCtx, (void *stream, void **context), *context = stream ? ((struct thing *)stream)->context : current)
CALL(cuStreamSynchronize, (void *stream), finished(before(stream)))
CALL(cuStreamWaitEvent, (void *stream, void *event, unsigned flags), ordered(stream, event))
CALL(cuStreamDestroy_v2, (void *stream), drop(stream))
CALL(cuEventCreate, (void **event, unsigned flags), make(event))
CALL(cuEventRecord, (void *event, void *stream), failed = record(event, stream))
CALL(cuEventQuery, (void *event), finished(((struct thing *)event)->before))
CALL(cuEventSynchronize, (void *event), finished(((struct thing *)event)->before))
CALL(cuEventElapsedTime, (float *milliseconds, void *begin, void *end), *milliseconds = 0.5f)
CALL(cuEventDestroy_v2, (void *event), drop(event))

CALL(cuStreamBeginCapture_v2, (void *stream, unsigned mode), (void)0)
CALL(cuStreamEndCapture, (void *stream, void **graph), make(graph))
CALL(cuGraphInstantiateWithFlags, (void **exec, void *graph, unsigned long long flags), make(exec))
CALL(cuGraphLaunch, (void *exec, void *stream), (void)0)
CALL(cuGraphExecDestroy, (void *exec), drop(exec))
CALL(cuGraphDestroy, (void *graph), drop(graph))

// Machine code runs on devices of its major number, from its minor number on. Which that is, its ELF header says.
static int suits(const unsigned char *image) {
    if (memcmp(image, "\177ELF", 4)) return 1;
    int compute = image[8] < 8 ? image[48] : image[49];
    return !setting("STAND_IN_PTX", 0) && compute / 10 == setting("STAND_IN_MAJOR", 9) &&
           compute % 10 <= setting("STAND_IN_MINOR", 0);
}

enum { NO_BINARY_FOR_GPU = 209 };

CALL(cuModuleLoadDataEx, (void **module, const void *image, unsigned count, int *options, void **values),
     failed = suits(image) ? make(module) : NO_BINARY_FOR_GPU)
CALL(cuModuleUnload, (void *module), drop(module))
CALL(cuModuleGetFunction, (void **function, void *module, const char *name), *function = module)
CALL(cuFuncSetAttribute, (void *function, unsigned attribute, int value), (void)0)
CALL(cuOccupancyMaxActiveBlocksPerMultiprocessor, (int *blocks, void *function, int threads, size_t shared), *blocks = 8)
CALL(cuLaunchKernel, (void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                      unsigned shared, void *stream, void **parameters, void **extra),
     failed = ((struct thing *)function)->context == current ? enqueue(stream) : INVALID_CONTEXT)

// CUlaunchConfig, up to its stream.
struct launch {
    unsigned grid[3], block[3], shared;
    void *stream;
};

CALL(cuLaunchKernelEx, (const struct launch *config, void *function, void **parameters, void **extra),
     failed = ((struct thing *)function)->context == current ? enqueue(config->stream) : INVALID_CONTEXT)
