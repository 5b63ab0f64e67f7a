/* What the programs in C share: entry points by name, and checks that are counted and told by their line. */
#ifndef CHECKS_H
#define CHECKS_H

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vramp.h"

static inline void *symbol(void *library, const char *name) {
    void *found = library ? dlsym(library, name) : NULL;
    if (!found) {
        printf("%s: %s\n", name, dlerror());
        exit(2);
    }
    return found;
}

static inline int open_files(void) {
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (readdir(folder)) count++;
    closedir(folder);
    return count;
}

/* The program that uses the following has `failures`, which it counts in, and `last_error`, the library's. */

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("line %d: %s does not hold (\"%s\")\n", __LINE__, #condition, last_error());                        \
            ++failures;                                                                                                \
        }                                                                                                              \
    } while (0)

/* The call is refused, in one line with these words. */
#define REFUSED(want, words, call)                                                                                     \
    do {                                                                                                               \
        vramp_status got_ = (call);                                                                                    \
        if (got_ != (want) || !strstr(last_error(), words) || strchr(last_error(), '\n')) {                            \
            printf("line %d: %s gave %d \"%s\"\n", __LINE__, #call, (int)got_, last_error());                          \
            ++failures;                                                                                                \
        }                                                                                                              \
    } while (0)

#endif
