/* libvulkan.so.1 in a few lines: the driver that VULKAN_DRIVER names, without layers or other drivers. VapourSynth asks for a loader
 * of Vulkan 1.4, and distributions have older ones. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef void (*function)(void);
typedef function (*resolver)(void *, const char *);

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
    return of_driver ? of_driver(instance, name) : (function)0;
}
