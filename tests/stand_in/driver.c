// A stand-in for NVIDIA's driver: a device whose memory is the host's, where copies copy and kernels do nothing.
//
// STAND_IN_FAIL="NAME=CODE" makes every call of a function fail, "NAME:N=CODE" those from the Nth on.
// STAND_IN_CUDA, STAND_IN_MAJOR, STAND_IN_MINOR and STAND_IN_MIB are the driver's version, the device's compute capability
// and its memory; STAND_IN_PTX=1 makes it a driver that takes no machine code.
// STAND_IN_DEVICES is the number of devices, of which CUDA_VISIBLE_DEVICES shows one, with its number in its name.
// STAND_IN_MEMORY is what it takes the host's memory for: 1 is page-locked.

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

static int make(void **handle) {
    *handle = malloc(1);
    return 0;
}

static int drop(void *handle) {
    free(handle);
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
                                : 4)
CALL(cuDevicePrimaryCtxSetFlags_v2, (int device, unsigned flags), (void)0)
CALL(cuDevicePrimaryCtxRetain, (void **context, int device), make(context))
CALL(cuDevicePrimaryCtxRelease_v2, (int device), (void)0)
CALL(cuCtxSetCurrent, (void *context), current = context)
CALL(cuCtxGetCurrent, (void **context), *context = current)
CALL(cuGetErrorName, (int code, const char **name), *name = "STAND_IN_ERROR")

CALL(cuMemGetInfo_v2, (size_t *free, size_t *total), *free = *total = (size_t)setting("STAND_IN_MIB", 1024) << 20)
CALL(cuMemAlloc_v2, (address *start, size_t bytes), *start = (address)block(bytes))
CALL(cuMemFree_v2, (address start), drop((void *)start))
CALL(cuMemAllocHost_v2, (void **start, size_t bytes), *start = block(bytes))
CALL(cuMemFreeHost, (void *start), drop(start))
CALL(cuPointerGetAttribute, (unsigned *kind, unsigned attribute, address pointer),
     *kind = setting("STAND_IN_MEMORY", 1))
CALL(cuMemsetD8_v2, (address start, unsigned char value, size_t bytes), memset((void *)start, value, bytes))
CALL(cuMemcpyHtoD_v2, (address to, const void *from, size_t bytes), memcpy((void *)to, from, bytes))
CALL(cuMemcpyDtoH_v2, (void *to, address from, size_t bytes), memcpy(to, (void *)from, bytes))
CALL(cuMemcpyHtoDAsync_v2, (address to, const void *from, size_t bytes, void *stream), memcpy((void *)to, from, bytes))
CALL(cuMemcpyDtoHAsync_v2, (void *to, address from, size_t bytes, void *stream), memcpy(to, (void *)from, bytes))
CALL(cuMemcpyDtoDAsync_v2, (address to, address from, size_t bytes, void *stream),
     memcpy((void *)to, (void *)from, bytes))

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

CALL(cuMemcpy2DAsync_v2, (const struct copy *copy, void *stream), copy_rows(copy))

CALL(cuStreamCreate, (void **stream, unsigned flags), make(stream))
CALL(cuStreamSynchronize, (void *stream), (void)0)
CALL(cuStreamWaitEvent, (void *stream, void *event, unsigned flags), (void)0)
CALL(cuStreamDestroy_v2, (void *stream), drop(stream))
CALL(cuEventCreate, (void **event, unsigned flags), make(event))
CALL(cuEventRecord, (void *event, void *stream), (void)0)
CALL(cuEventQuery, (void *event), (void)0)
CALL(cuEventSynchronize, (void *event), (void)0)
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
                      unsigned shared, void *stream, void **parameters, void **extra), (void)0)
