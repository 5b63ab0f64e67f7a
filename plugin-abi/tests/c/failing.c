/* A device that fails is reported once in a frei0r host, and the CPU filters from that frame on, with the same bytes. Runs with the
   stand-in for the driver, whose kernels do nothing: a picture that is right is the CPU's. */
#define _DEFAULT_SOURCE
#include <stdint.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "checks.h"

enum { FRAMES = 12, PIXELS = 64 * 48 };

typedef uint32_t picture[PIXELS];

/* Filters FRAMES pictures by a library of this process's own, and writes what it logs to `messages`. */
static void filter(const char *path, const char *device, const char *failing, picture *made, FILE *messages) {
    setenv("VRAMP_DEVICE", device, 1);
    setenv("STAND_IN_FAIL", failing, 1);
    if (dup2(fileno(messages), STDERR_FILENO) < 0) exit(2);
    void *vramp = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *(*construct)(unsigned, unsigned);
    void (*destruct)(void *), (*set)(void *, void *, int), (*update)(void *, double, const uint32_t *, uint32_t *);
    *(void **)&construct = symbol(vramp, "f0r_construct");
    *(void **)&destruct = symbol(vramp, "f0r_destruct");
    *(void **)&set = symbol(vramp, "f0r_set_param_value");
    *(void **)&update = symbol(vramp, "f0r_update");
    static picture src;
    void *instance = construct(64, 48);
    for (int frame = 0; frame < FRAMES; frame++) {
        for (uint32_t i = 0; i < PIXELS; i++) src[i] = (i + (uint32_t)frame) * 2654435761u;
        /* As MLT does before every frame. */
        const char *chain = "gauss(2)";
        set(instance, &chain, 0);
        update(instance, frame, src, made[frame]);
    }
    destruct(instance);
}

/* As `filter`, in a process of its own: a driver is loaded once. Gives its messages, and how many lines they are. */
static int lines(const char *path, const char *device, const char *failing, picture *made, char *text, size_t room) {
    FILE *messages = tmpfile();
    fflush(stdout);
    pid_t child = messages ? fork() : -1;
    if (child == 0) {
        filter(path, device, failing, made, messages);
        exit(0);
    }
    int status = -1, count = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || status) {
        printf("%s, %s: ended with %d\n", device, failing, status);
        exit(2);
    }
    rewind(messages);
    text[fread(text, 1, room - 1, messages)] = 0;
    fclose(messages);
    for (const char *at = text; *at; at++) count += *at == '\n';
    return count;
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    /* What the driver fails at, whether that is at the first frame, and what the message has of it. */
    const struct {
        const char *call;
        int at_once;
        const char *words;
    } all[] = {
        {"cuInit=803", 1, "the NVIDIA driver does not start"},
        {"cuMemAlloc_v2=2", 1, "where 1024 MiB are free"},
        {"cuLaunchKernel:7=700", 0, "launching a kernel"},
        {"cuMemcpy2DAsync_v2:27=719", 0, "loading a frame"},
    };
    const char *start = "vramp: VRAMP_DEVICE cannot be used, so the CPU filters, with the same bytes: ";
    picture *made = mmap(NULL, 2 * FRAMES * sizeof *made, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED) return 2;
    picture *expected = made + FRAMES;
    static char text[65536];
    int failures = lines(argv[1], "cpu", "", expected, text, sizeof text) != 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        memset(made, 0, FRAMES * sizeof *made);
        int count = lines(argv[1], "cuda", all[i].call, made, text, sizeof text), right = FRAMES;
        while (right > 0 && !memcmp(made[right - 1], expected[right - 1], sizeof *made)) right--;
        int in_time = all[i].at_once ? right == 0 : right > 0 && right < FRAMES;
        if (count != 1 || !in_time || strncmp(text, start, strlen(start)) || !strstr(text, all[i].words)) {
            printf("%s: %d lines, right from frame %d on: %s", all[i].call, count, right, text);
            failures++;
        }
    }
    return failures != 0;
}
