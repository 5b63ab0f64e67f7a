/* libvulkan.so.1 in a few lines: the driver that VULKAN_DRIVER names, without layers or other drivers. VapourSynth asks for a loader
 * of Vulkan 1.4, and distributions have older ones.
 *
 * Semaphores of Mesa's software driver stay until their device goes. Mesa 22.3 tells that work is done before its queue has let go of
 * the timelines that the work waited for, so that a program which then destroys one ends by SIGSEGV: one run in a thousand on a busy
 * machine. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void (*function)(void);
typedef function (*resolver)(void *, const char *);

static function known(const char *name, function of_driver);

static resolver open_driver(void) {
    const char *path = getenv("VULKAN_DRIVER");
    void *driver = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!driver) {
        fprintf(stderr, "libvulkan: %s\n", path ? dlerror() : "VULKAN_DRIVER names no driver");
        return NULL;
    }
    int (*negotiate)(uint32_t *);
    uint32_t version = 5;
    *(void **)&negotiate = dlsym(driver, "vk_icdNegotiateLoaderICDInterfaceVersion");
    if (negotiate) negotiate(&version);
    resolver of_driver;
    *(void **)&of_driver = dlsym(driver, "vk_icdGetInstanceProcAddr");
    return of_driver;
}

__attribute__((visibility("default"))) function vkGetInstanceProcAddr(void *instance, const char *name);

function vkGetInstanceProcAddr(void *instance, const char *name) {
    static resolver of_driver;
    if (!of_driver) of_driver = open_driver();
    return of_driver ? known(name, of_driver(instance, name)) : (function)0;
}

static resolver of_device;
static void (*destroy_semaphore)(void *device, void *semaphore, const void *allocator);
static void (*destroy_device)(void *device, const void *allocator);

static pthread_mutex_t alone = PTHREAD_MUTEX_INITIALIZER;
static struct kept {
    void *device, *semaphore;
    const void *allocator;
    struct kept *next;
} *kept;

static void keep_semaphore(void *device, void *semaphore, const void *allocator) {
    struct kept *one = malloc(sizeof *one);
    if (!one) abort();
    pthread_mutex_lock(&alone);
    *one = (struct kept){device, semaphore, allocator, kept};
    kept = one;
    pthread_mutex_unlock(&alone);
}

static void destroy_all(void *device, const void *allocator) {
    pthread_mutex_lock(&alone);
    for (struct kept **at = &kept; *at;) {
        struct kept *one = *at;
        if (one->device != device) {
            at = &one->next;
            continue;
        }
        destroy_semaphore(device, one->semaphore, one->allocator);
        *at = one->next;
        free(one);
    }
    pthread_mutex_unlock(&alone);
    destroy_device(device, allocator);
}

static function get_device_function(void *device, const char *name) { return known(name, of_device(device, name)); }

/* What programs get for a function of the driver: itself, or what stands before it here. */
static function known(const char *name, function of_driver) {
    if (!of_driver) return of_driver;
    if (!strcmp(name, "vkGetDeviceProcAddr")) {
        *(function *)&of_device = of_driver;
        return (function)get_device_function;
    }
    const char *driver = getenv("VULKAN_DRIVER");
    if (!driver || !strstr(driver, "lvp")) return of_driver;
    if (!strcmp(name, "vkDestroySemaphore")) {
        *(function *)&destroy_semaphore = of_driver;
        return (function)keep_semaphore;
    }
    if (!strcmp(name, "vkDestroyDevice")) {
        *(function *)&destroy_device = of_driver;
        return (function)destroy_all;
    }
    return of_driver;
}
