/* Opens the library, filters a frame and closes it, again and again: nothing may grow. */
#define _POSIX_C_SOURCE 199309L
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "vramp.h"

enum { ROUNDS = 1000, WARM = 100, WIDTH = 64, HEIGHT = 36 };

static long resident_pages(void) {
    long size = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld %ld", &size, &resident) != 2) exit(2);
    fclose(file);
    return resident;
}

static int threads(void) {
    int count = 0;
    DIR *folder = opendir("/proc/self/task");
    if (!folder) exit(2);
    for (struct dirent *entry; (entry = readdir(folder));) count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

static int once(const char *path) {
    static unsigned char src[WIDTH * HEIGHT], dst[WIDTH * HEIGHT];
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        printf("%s\n", dlerror());
        return 1;
    }
    __typeof__(&vramp_chain_create) create;
    __typeof__(&vramp_process) process;
    __typeof__(&vramp_chain_destroy) destroy;
    *(void **)&create = dlsym(library, "vramp_chain_create");
    *(void **)&process = dlsym(library, "vramp_process");
    *(void **)&destroy = dlsym(library, "vramp_chain_destroy");
    vramp_chain *chain = NULL;
    vramp_stream stream = {sizeof stream, VRAMP_GRAY, 8, VRAMP_RANGE_UNSPECIFIED, WIDTH, HEIGHT};
    vramp_options options = {sizeof options, 2, "cpu", VRAMP_LAYOUT_DEFAULT, 0, NULL, 0, 0, NULL, 0, 0};
    vramp_frame frame = {sizeof frame, VRAMP_PROGRESSIVE, 0};
    vramp_planes from = {sizeof from, 0, {src}, {WIDTH}}, to = {sizeof to, 0, {dst}, {WIDTH}};
    int failed = create("deband", &stream, &options, &chain) || process(chain, &frame, &from, &to) || destroy(chain);
    return dlclose(library) || failed;
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    long pages = 0;
    for (int round = 0; round < ROUNDS; round++) {
        if (once(argv[1])) return 1;
        if (round == WARM) pages = resident_pages();
    }
    /* Threads of the last chains may still be ending. */
    const struct timespec moment = {0, 10 * 1000 * 1000};
    for (int i = 0; i < 1000 && threads() > 1; i++) nanosleep(&moment, NULL);
    long growth = resident_pages() - pages;
    printf("%ld pages more after %d rounds, and %d threads\n", growth, ROUNDS - WARM, threads());
    return growth > 256 || threads() > 1;
}
