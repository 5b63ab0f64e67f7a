// Memory and timelines of other APIs. Memory is a file that can be mapped, such as a memfd; that of Mesa's software driver begins with a
// page that says in its second word where the memory is. A timeline is such a file with a number of 64 bits.

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OPAQUE_FD = 1, TIMELINE_FD = 9 };

struct memory_handle {
    int kind;
    union {
        int fd;
        void *pair[2];
    } of;
    unsigned long long bytes;
    unsigned flags, reserved[16];
};

struct buffer {
    unsigned long long offset, bytes;
    unsigned flags, reserved[16];
};

struct semaphore_handle {
    int kind;
    union {
        int fd;
        void *pair[2];
    } of;
    unsigned flags, reserved[16];
};

struct point {
    unsigned long long value, rest[17];
};

// Maps a file, which is the driver's from then on.
static int map_file(void **handle, int fd, size_t least) {
    struct stat file;
    if (fstat(fd, &file) || !S_ISREG(file.st_mode) || (size_t)file.st_size < least) return INVALID_VALUE;
    void *mapped = mmap(NULL, file.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (mapped == MAP_FAILED) return INVALID_VALUE;
    close(fd);
    make(handle);
    struct thing *thing = *handle;
    thing->mapped = mapped, thing->length = file.st_size;
    return 0;
}

static int import_memory(void **memory, const struct memory_handle *handle) {
    return handle->kind == OPAQUE_FD ? map_file(memory, handle->of.fd, handle->bytes) : INVALID_VALUE;
}

static int map_buffer(address *start, struct thing *memory, const struct buffer *buffer) {
    size_t first = memory->length > buffer->bytes ? ((const size_t *)memory->mapped)[1] : 0;
    if (first + buffer->offset + buffer->bytes > memory->length) return INVALID_VALUE;
    struct thing *made;
    make((void **)&made);
    made->mapped = memory->mapped, made->bytes = buffer->bytes;
    made->start = *start = (address)(memory->mapped + first + buffer->offset);
    return 0;
}

static int import_semaphore(void **semaphore, const struct semaphore_handle *handle) {
    return handle->kind == TIMELINE_FD ? map_file(semaphore, handle->of.fd, sizeof(unsigned long long)) : INVALID_VALUE;
}

static int unmap(struct thing *imported) {
    munmap(imported->mapped, imported->length);
    return drop(imported);
}

// Work is done when it is put into a stream, so that this waits.
static int wait_points(void *const *semaphores, const struct point *points, unsigned count, struct thing *stream) {
    for (unsigned i = 0; i < count; i++) {
        struct thing *semaphore = semaphores[i];
        if (semaphore->context != current) return INVALID_HANDLE;
        while (__atomic_load_n((unsigned long long *)semaphore->mapped, __ATOMIC_ACQUIRE) < points[i].value) usleep(100);
    }
    return enqueue(stream);
}

static int signal_points(void *const *semaphores, const struct point *points, unsigned count, struct thing *stream) {
    for (unsigned i = 0; i < count; i++) {
        struct thing *semaphore = semaphores[i];
        unsigned long long *value = (unsigned long long *)semaphore->mapped;
        if (semaphore->context != current) return INVALID_HANDLE;
        if (__atomic_exchange_n(value, points[i].value, __ATOMIC_RELEASE) >= points[i].value) return ILLEGAL_ADDRESS;
    }
    return enqueue(stream);
}

static int finished_all(void) {
    finished(default_stream);
    for (struct thing *thing = things; thing; thing = thing->next)
        if (thing->context == current) finished(thing->before);
    return 0;
}

static void identity(unsigned char *uuid, int device) {
    const char *text = getenv("STAND_IN_UUID");
    memset(uuid, device, 16);
    for (int i = 0; text && device == 0 && i < 16; i++) sscanf(text + 2 * i, "%2hhx", &uuid[i]);
}
