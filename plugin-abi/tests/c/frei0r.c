/* A host of frei0r has room for a picture of the size that it gave: chains that would make another are refused, the picture
   passes, and the reason is said once. Behind each target is a page that nobody may touch, beside what AddressSanitizer
   sees. */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "checks.h"

enum { WIDTH = 64, HEIGHT = 48, BYTES = WIDTH * HEIGHT * 4 };

static void *(*construct)(unsigned, unsigned);
static void (*destruct)(void *);
static void (*set_param)(void *, void *, int);
static void (*update)(void *, double, const uint32_t *, uint32_t *);

static int failures, heard;
static char last[1024];

static void hear(void *user, vramp_log_level level, const char *text) {
    (void)user, (void)level;
    heard++;
    snprintf(last, sizeof last, "%s", text);
}

/* So many bytes, right before a page that cannot be written. */
static unsigned char *before_a_wall(size_t bytes) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = (bytes + page - 1) / page * page;
    unsigned char *start = mmap(NULL, whole + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED || mprotect(start + whole, page, PROT_NONE)) exit(2);
    return start + whole - bytes;
}

static void expect(int holds, const char *chain, const char *what) {
    if (holds) return;
    printf("%s: %s; heard %d, at last \"%s\"\n", chain, what, heard, last);
    failures++;
}

/* Filters three frames; `reason` is what is said when the chain is refused, and NULL when it is not. */
static void try_chain(const char *chain, const char *reason) {
    unsigned char *src = malloc(BYTES), *targets[] = {malloc(BYTES), before_a_wall(BYTES)};
    for (int i = 0; i < BYTES; i++) src[i] = (unsigned char)(i * 7 + i / 251);
    void *instance = construct(WIDTH, HEIGHT);
    heard = 0;
    set_param(instance, &chain, 0);
    for (int frame = 0; frame < 3; frame++) {
        unsigned char *dst = targets[frame % 2];
        memset(dst, 0, BYTES);
        update(instance, frame / 25.0, (const uint32_t *)(void *)src, (uint32_t *)(void *)dst);
        expect((memcmp(src, dst, BYTES) == 0) == (reason != NULL), chain, "the picture passes when it is not filtered");
    }
    expect(heard == (reason != NULL), chain, "a reason is said once");
    expect(!reason || strstr(last, reason), chain, "the reason");
    destruct(instance);
    free(src);
    free(targets[0]);
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    *(void **)&construct = symbol(library, "f0r_construct");
    *(void **)&destruct = symbol(library, "f0r_destruct");
    *(void **)&set_param = symbol(library, "f0r_set_param_value");
    *(void **)&update = symbol(library, "f0r_update");
    vramp_status (*set_log)(vramp_log_callback, void *, vramp_log_level);
    *(void **)&set_log = symbol(library, "vramp_set_log");
    set_log(hear, NULL, VRAMP_LOG_ERROR);

    try_chain("hflip", NULL);
    try_chain("box(2)", NULL);
    try_chain("transpose > transpose > vflip", NULL);
    const char *size = "give and take one size";
    try_chain("pad(w 640, h 480)", size);
    try_chain("pad(h 49)", size);
    try_chain("crop(w 16, h 16)", size);
    try_chain("transpose", size);
    try_chain("rotate(90)", size);
    try_chain("box(2) > pad(w 65) > gauss(0.5)", size);
    printf("%d failures\n", failures);
    return failures != 0;
}
