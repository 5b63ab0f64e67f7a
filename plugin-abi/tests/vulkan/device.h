/* A Vulkan device without a window, memory that other APIs can import, and timelines: as little as the tests need. */
#ifndef VULKAN_DEVICE_H
#define VULKAN_DEVICE_H

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

#define GLOBAL(call) call(CreateInstance)
#define INSTANCE(call)                                                                                                 \
    call(DestroyInstance) call(EnumeratePhysicalDevices) call(GetPhysicalDeviceProperties2)                           \
    call(GetPhysicalDeviceMemoryProperties) call(GetPhysicalDeviceQueueFamilyProperties) call(CreateDevice)           \
    call(GetDeviceProcAddr) call(EnumerateDeviceExtensionProperties)
#define DEVICE(call)                                                                                                   \
    call(DestroyDevice) call(GetDeviceQueue) call(AllocateMemory) call(FreeMemory) call(MapMemory) call(CreateBuffer)   \
    call(DestroyBuffer) call(GetBufferMemoryRequirements) call(BindBufferMemory) call(CreateCommandPool)                \
    call(DestroyCommandPool) call(AllocateCommandBuffers) call(BeginCommandBuffer) call(EndCommandBuffer)               \
    call(ResetCommandPool) call(CmdCopyBuffer) call(CmdPipelineBarrier) call(QueueSubmit) call(QueueWaitIdle)           \
    call(CreateSemaphore) call(DestroySemaphore) call(WaitSemaphores) call(SignalSemaphore)                             \
    call(GetSemaphoreCounterValue) call(GetMemoryFdKHR) call(GetSemaphoreFdKHR)

#define DECLARE(name) static PFN_vk##name vk##name;
GLOBAL(DECLARE)
INSTANCE(DECLARE)
DEVICE(DECLARE)

static VkInstance instance;
static VkPhysicalDevice physical;
static VkDevice vulkan;
static VkQueue queue;
static VkCommandPool pool;
static uint32_t family;
static VkPhysicalDeviceMemoryProperties memory_types;
static uint8_t device_uuid[16];
static char device_name[256];
static int has_semaphore_fd;

#define VK(call)                                                                                                       \
    do {                                                                                                               \
        VkResult result_ = (call);                                                                                     \
        if (result_ != VK_SUCCESS) {                                                                                   \
            printf("line %d: %s gave %d\n", __LINE__, #call, (int)result_);                                            \
            exit(2);                                                                                                   \
        }                                                                                                              \
    } while (0)

/* Opens the first device of the driver behind `library`; 0 when there is none. */
static int open_vulkan(const char *library) {
    void *loader = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!loader) return printf("vulkan: %s\n", dlerror()), 0;
    PFN_vkGetInstanceProcAddr resolve;
    *(void **)&resolve = dlsym(loader, "vkGetInstanceProcAddr");
    if (!resolve) return printf("vulkan: the loader is none\n"), 0;
#define FROM_NOTHING(name) vk##name = (PFN_vk##name)resolve(NULL, "vk" #name);
    GLOBAL(FROM_NOTHING)
    if (!vkCreateInstance) return printf("vulkan: no driver\n"), 0;
    VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_2};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app};
    VkResult made = vkCreateInstance(&info, NULL, &instance);
    if (made != VK_SUCCESS) return printf("vulkan: vkCreateInstance gave %d\n", (int)made), 0;
#define FROM_INSTANCE(name) vk##name = (PFN_vk##name)resolve(instance, "vk" #name);
    INSTANCE(FROM_INSTANCE)
    uint32_t count = 1;
    made = vkEnumeratePhysicalDevices(instance, &count, &physical);
    if ((made != VK_SUCCESS && made != VK_INCOMPLETE) || !count) return printf("vulkan: no device (%d)\n", (int)made), 0;
    VkPhysicalDeviceIDProperties ids = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &ids};
    vkGetPhysicalDeviceProperties2(physical, &properties);
    memcpy(device_uuid, ids.deviceUUID, 16);
    snprintf(device_name, sizeof device_name, "%.200s, Vulkan %u.%u.%u", properties.properties.deviceName,
             VK_API_VERSION_MAJOR(properties.properties.apiVersion), VK_API_VERSION_MINOR(properties.properties.apiVersion),
             VK_API_VERSION_PATCH(properties.properties.apiVersion));
    VkQueueFamilyProperties families[16];
    count = 16;
    vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families);
    while (family < count && !(families[family].queueFlags & VK_QUEUE_COMPUTE_BIT)) family++;
    if (family == count) return printf("vulkan: no queue\n"), 0;
    static VkExtensionProperties all[1024];
    uint32_t extensions_count = 1024;
    vkEnumerateDeviceExtensionProperties(physical, NULL, &extensions_count, all);
    for (uint32_t i = 0; i < extensions_count; i++)
        has_semaphore_fd |= !strcmp(all[i].extensionName, VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME);
    const char *extensions[] = {VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME, VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME};
    float priority = 1;
    VkDeviceQueueCreateInfo queues = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueFamilyIndex = family,
                                      .queueCount = 1, .pQueuePriorities = &priority};
    VkPhysicalDeviceTimelineSemaphoreFeatures timelines = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES, .timelineSemaphore = VK_TRUE};
    VkDeviceCreateInfo wanted = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .pNext = &timelines,
                                 .queueCreateInfoCount = 1, .pQueueCreateInfos = &queues,
                                 .enabledExtensionCount = has_semaphore_fd ? 2 : 1, .ppEnabledExtensionNames = extensions};
    VK(vkCreateDevice(physical, &wanted, NULL, &vulkan));
#define FROM_DEVICE(name) vk##name = (PFN_vk##name)vkGetDeviceProcAddr(vulkan, "vk" #name);
    DEVICE(FROM_DEVICE)
    vkGetDeviceQueue(vulkan, family, 0, &queue);
    vkGetPhysicalDeviceMemoryProperties(physical, &memory_types);
    VkCommandPoolCreateInfo pools = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .queueFamilyIndex = family};
    VK(vkCreateCommandPool(vulkan, &pools, NULL, &pool));
    return 1;
}

/* A buffer with memory of its own. */
typedef struct block {
    VkBuffer buffer;
    VkDeviceMemory memory;
    VkDeviceSize bytes; /* of the memory */
    void *mapped;       /* where the host reaches it */
} block;

static block make_block(VkDeviceSize bytes, VkMemoryPropertyFlags flags, int exported) {
    block made = {0};
    VkExternalMemoryBufferCreateInfo external = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
                                                 .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .pNext = exported ? &external : NULL,
                               .size = bytes, .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    VK(vkCreateBuffer(vulkan, &info, NULL, &made.buffer));
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(vulkan, made.buffer, &needs);
    uint32_t type = 0;
    while (type < memory_types.memoryTypeCount && (!(needs.memoryTypeBits & 1u << type) ||
                                                   (memory_types.memoryTypes[type].propertyFlags & flags) != flags)) type++;
    VkExportMemoryAllocateInfo export = {.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
                                         .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
    VkMemoryAllocateInfo allocation = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .pNext = exported ? &export : NULL,
                                       .allocationSize = needs.size, .memoryTypeIndex = type};
    VK(vkAllocateMemory(vulkan, &allocation, NULL, &made.memory));
    VK(vkBindBufferMemory(vulkan, made.buffer, made.memory, 0));
    made.bytes = needs.size;
    if (flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) VK(vkMapMemory(vulkan, made.memory, 0, VK_WHOLE_SIZE, 0, &made.mapped));
    return made;
}

static void free_block(block *made) {
    vkDestroyBuffer(vulkan, made->buffer, NULL);
    vkFreeMemory(vulkan, made->memory, NULL);
}

static int memory_fd(const block *made) {
    VkMemoryGetFdInfoKHR info = {.sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR, .memory = made->memory,
                                 .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
    int fd = -1;
    VK(vkGetMemoryFdKHR(vulkan, &info, &fd));
    return fd;
}

static VkSemaphore make_timeline(int exported) {
    VkExportSemaphoreCreateInfo export = {.sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO,
                                          .handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
    VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                      .pNext = exported ? &export : NULL, .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
    VkSemaphore semaphore;
    VK(vkCreateSemaphore(vulkan, &info, NULL, &semaphore));
    return semaphore;
}

static int semaphore_fd(VkSemaphore semaphore) {
    VkSemaphoreGetFdInfoKHR info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR, .semaphore = semaphore,
                                    .handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
    int fd = -1;
    VK(vkGetSemaphoreFdKHR(vulkan, &info, &fd));
    return fd;
}

/* Copies `bytes` bytes on the device, after `wait` of the timeline and before `signal`; 0 is neither. */
static void copy_block(const block *from, const block *to, VkDeviceSize bytes, VkSemaphore timeline, uint64_t wait, uint64_t signal) {
    VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = pool,
                                        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY, .commandBufferCount = 1};
    VkCommandBuffer commands;
    VK(vkAllocateCommandBuffers(vulkan, &info, &commands));
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VK(vkBeginCommandBuffer(commands, &begin));
    VkBufferCopy region = {0, 0, bytes};
    vkCmdCopyBuffer(commands, from->buffer, to->buffer, 1, &region);
    VkMemoryBarrier seen = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                            .dstAccessMask = VK_ACCESS_HOST_READ_BIT | VK_ACCESS_MEMORY_READ_BIT};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT,
                         0, 1, &seen, 0, NULL, 0, NULL);
    VK(vkEndCommandBuffer(commands));
    VkTimelineSemaphoreSubmitInfo values = {.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                            .waitSemaphoreValueCount = wait != 0, .pWaitSemaphoreValues = &wait,
                                            .signalSemaphoreValueCount = signal != 0, .pSignalSemaphoreValues = &signal};
    VkPipelineStageFlags stage = VK_PIPELINE_STAGE_TRANSFER_BIT;
    VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .pNext = &values, .waitSemaphoreCount = wait != 0,
                           .pWaitSemaphores = &timeline, .pWaitDstStageMask = &stage, .commandBufferCount = 1,
                           .pCommandBuffers = &commands, .signalSemaphoreCount = signal != 0, .pSignalSemaphores = &timeline};
    VK(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE));
}

/* Waits on the host; 0 when the value does not come in ten seconds. */
static int wait_for_value(VkSemaphore timeline, uint64_t value) {
    VkSemaphoreWaitInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, .semaphoreCount = 1,
                                .pSemaphores = &timeline, .pValues = &value};
    return vkWaitSemaphores(vulkan, &info, 10000000000ull) == VK_SUCCESS;
}

#endif
