/* A host without Python: loads VapourSynth and one plugin, builds clips and writes frames, as the lines on standard
 * input say. Words are separated by tabs. What a line finds is printed; a refusal as "error MESSAGE".
 *
 *   threads N                       worker threads
 *   raw FAMILY TYPE BITS SSW SSH W H FRAMES PATH
 *                                   a clip of the planes in PATH, one after the other without padding
 *   call NAMESPACE FUNCTION [KEY=TYPE:VALUE]...
 *                                   TYPE is i, f, s, l (a list of texts: a,b) or c (clips: "clip" is the current one, "kept"
 *                                   the one that was kept); i takes a list: 0,1. The current clip becomes the result
 *   hold COUNT FRAMES               the current clip's first COUNT frames, over and over from memory
 *   keep, restore                   remember the current clip; go back to it
 *   info                            the current clip's format, size, length and rate, and "gpu" where its frames are there
 *   signature NAMESPACE FUNCTION    the function's arguments
 *   functions NAMESPACE             the names of all functions
 *   props N                         frame N's properties
 *   frames PATH N,N,...             asks for all these frames at once, and writes them to PATH in this order
 *   time N                          asks for the first N frames, as many at once as there are threads: frames a second. Of frames in
 *                                   GPU memory the last is then copied to the host's, which waits for the queue
 */
#define _GNU_SOURCE
#define VS_USE_LATEST_API
#include "sources.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST_WORDS 64

static const VSAPI *api;
static VSCore *core;
static VSNode *clip, *kept;
static int threads;

static void fail(const char *what, const char *detail) {
    fprintf(stderr, "host: %s: %s\n", what, detail ? detail : "?");
    exit(2);
}

static void replace(VSNode *node) {
    if (!node)
        fail("no clip", "a line could not be obeyed");
    api->freeNode(clip);
    clip = node;
}

static VSPlugin *plugin(const char *namespace) {
    VSPlugin *found = api->getPluginByNamespace(namespace, core);
    if (!found)
        fail("no such namespace", namespace);
    return found;
}

static VSPluginFunction *function(const char *namespace, const char *name) {
    VSPluginFunction *found = api->getPluginFunctionByName(name, plugin(namespace));
    if (!found)
        fail("no such function", name);
    return found;
}

static void add_argument(VSMap *args, char *word) {
    char *value = strchr(word, '=');
    if (!value || value[2] != ':')
        fail("no argument", word);
    *value = 0;
    char type = value[1];
    value += 3;
    if (type == 'c')
        for (char *item = strtok(value, ","); item; item = strtok(NULL, ","))
            api->mapSetNode(args, word, strcmp(item, "kept") == 0 ? kept : clip, maAppend);
    else if (type == 'i' && !*value)
        api->mapSetEmpty(args, word, ptInt);
    else if (type == 'i')
        for (char *item = strtok(value, ","); item; item = strtok(NULL, ","))
            api->mapSetInt(args, word, strtoll(item, NULL, 10), maAppend);
    else if (type == 'f')
        api->mapSetFloat(args, word, strtod(value, NULL), maReplace);
    else if (type == 'l')
        for (char *item = strtok(value, ","); item; item = strtok(NULL, ","))
            api->mapSetData(args, word, item, -1, dtUtf8, maAppend);
    else {
        // A word has no spaces: they are tildes.
        for (char *tilde = value; (tilde = strchr(tilde, '~'));)
            *tilde = ' ';
        api->mapSetData(args, word, value, -1, dtUtf8, maReplace);
    }
}

static void call(char **words, int count) {
    const char *takes = api->getPluginFunctionArguments(function(words[0], words[1]));
    VSMap *args = api->createMap();
    if (clip && strncmp(takes, "clip:vnode", 10) == 0)
        api->mapSetNode(args, "clip", clip, maReplace);
    for (int i = 2; i < count; i++)
        add_argument(args, words[i]);
    VSMap *result = api->invoke(plugin(words[0]), words[1], args);
    if (api->mapGetError(result))
        printf("error %s\n", api->mapGetError(result));
    else if (api->mapNumElements(result, "clip") > 0)
        replace(api->mapGetNode(result, "clip", 0, NULL));
    api->freeMap(result);
    api->freeMap(args);
}

static int is_on_gpu(void) {
    return api->getAPIVersion() >= VAPOURSYNTH_API_VERSION && api->getNodeResidency(clip) == nrGPU;
}

static void print_info(void) {
    const VSVideoInfo *info = api->getVideoInfo(clip);
    char name[32] = "variable";
    api->getVideoFormatName(&info->format, name);
    printf("info %s %dx%d %d %lld/%lld%s\n", name, info->width, info->height, info->numFrames, (long long)info->fpsNum,
           (long long)info->fpsDen, is_on_gpu() ? " gpu" : "");
}

static void print_functions(const char *namespace) {
    VSPlugin *owner = plugin(namespace);
    for (VSPluginFunction *f = api->getNextPluginFunction(NULL, owner); f; f = api->getNextPluginFunction(f, owner))
        printf("function %s\n", api->getPluginFunctionName(f));
}

static void print_props(int n) {
    char error[1024];
    const VSFrame *frame = api->getFrame(n, clip, error, sizeof error);
    if (!frame) {
        printf("error %s\n", error);
        return;
    }
    const VSMap *props = api->getFramePropertiesRO(frame);
    for (int i = 0; i < api->mapNumKeys(props); i++) {
        const char *key = api->mapGetKey(props, i);
        if (api->mapGetType(props, key) == ptInt)
            printf("prop %s %lld\n", key, (long long)api->mapGetInt(props, key, 0, NULL));
        else if (api->mapGetType(props, key) == ptFloat)
            printf("prop %s %g\n", key, api->mapGetFloat(props, key, 0, NULL));
        else
            printf("prop %s %s\n", key, api->mapGetData(props, key, 0, NULL));
    }
    api->freeFrame(frame);
}

/* Frames that are on their way. */
typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    const VSFrame **frames;
    const int *order;
    int asked, done, count, keep;
} Flight;

static void VS_CC landed(void *data, const VSFrame *frame, int n, VSNode *node, const char *error) {
    Flight *flight = data;
    (void)node;
    pthread_mutex_lock(&flight->lock);
    if (error)
        printf("error frame %d: %s\n", n, error);
    int next = flight->asked < flight->count ? flight->asked++ : -1;
    if (flight->keep)
        for (int i = 0; i < flight->count; i++) {
            if (flight->order[i] == n && !flight->frames[i]) {
                flight->frames[i] = frame;
                break;
            }
        }
    else
        api->freeFrame(frame);
    if (++flight->done == flight->count)
        pthread_cond_signal(&flight->changed);
    pthread_mutex_unlock(&flight->lock);
    if (next >= 0)
        api->getFrameAsync(flight->order[next], clip, landed, flight);
}

static void fly(Flight *flight, int at_once) {
    pthread_mutex_init(&flight->lock, NULL);
    pthread_cond_init(&flight->changed, NULL);
    flight->asked = at_once < flight->count ? at_once : flight->count;
    for (int i = 0, first = flight->asked; i < first; i++)
        api->getFrameAsync(flight->order[i], clip, landed, flight);
    pthread_mutex_lock(&flight->lock);
    while (flight->done < flight->count)
        pthread_cond_wait(&flight->changed, &flight->lock);
    pthread_mutex_unlock(&flight->lock);
}

static void write_frame(const VSFrame *frame, FILE *file) {
    const VSVideoFormat *format = api->getVideoFrameFormat(frame);
    for (int plane = 0; plane < format->numPlanes; plane++)
        for (int y = 0; y < api->getFrameHeight(frame, plane); y++)
            fwrite(api->getReadPtr(frame, plane) + y * api->getStride(frame, plane), format->bytesPerSample,
                   api->getFrameWidth(frame, plane), file);
}

static void write_frames(const char *path, char *list) {
    int order[4096];
    Flight flight = {.order = order, .keep = 1};
    for (char *item = strtok(list, ","); item; item = strtok(NULL, ","))
        order[flight.count++] = atoi(item);
    flight.frames = calloc(flight.count, sizeof *flight.frames);
    fly(&flight, flight.count);
    FILE *file = fopen(path, "wb");
    if (!file)
        fail("cannot write", path);
    for (int i = 0; i < flight.count; i++) {
        if (flight.frames[i])
            write_frame(flight.frames[i], file);
        api->freeFrame(flight.frames[i]);
    }
    fclose(file);
    free(flight.frames);
}

/* Waits until frame `n`, which is in GPU memory, is in the host's. */
static void download(int n) {
    VSMap *args = api->createMap();
    api->mapSetNode(args, "clip", clip, maReplace);
    VSMap *result = api->invoke(plugin("std"), "GPUDownload", args);
    VSNode *downloaded = api->mapGetNode(result, "clip", 0, NULL);
    if (!downloaded)
        fail("GPUDownload", api->mapGetError(result));
    char error[1024];
    const VSFrame *frame = api->getFrame(n, downloaded, error, sizeof error);
    if (!frame)
        printf("error %s\n", error);
    api->freeFrame(frame);
    api->freeNode(downloaded);
    api->freeMap(result);
    api->freeMap(args);
}

static void print_speed(int count) {
    int *order = malloc(count * sizeof *order);
    for (int i = 0; i < count; i++)
        order[i] = i;
    struct timespec from, to;
    Flight flight = {.order = order, .count = count};
    clock_gettime(CLOCK_MONOTONIC, &from);
    fly(&flight, threads);
    if (is_on_gpu())
        download(count - 1);
    clock_gettime(CLOCK_MONOTONIC, &to);
    printf("speed %.2f\n", count / (to.tv_sec - from.tv_sec + (to.tv_nsec - from.tv_nsec) * 1e-9));
    free(order);
}

static void obey(char **words, int count) {
    const char *verb = words[0];
    if (!strcmp(verb, "threads"))
        threads = api->setThreadCount(atoi(words[1]), core);
    else if (!strcmp(verb, "raw") && count == 10)
        replace(raw_clip(words + 1, core, api));
    else if (!strcmp(verb, "call") && count >= 3)
        call(words + 1, count - 1);
    else if (!strcmp(verb, "hold") && count == 3)
        replace(held_clip(clip, atoi(words[1]), atoi(words[2]), core, api));
    else if (!strcmp(verb, "keep"))
        api->freeNode(kept), kept = api->addNodeRef(clip);
    else if (!strcmp(verb, "restore"))
        replace(api->addNodeRef(kept));
    else if (!strcmp(verb, "info"))
        print_info();
    else if (!strcmp(verb, "signature") && count == 3)
        printf("signature %s\n", api->getPluginFunctionArguments(function(words[1], words[2])));
    else if (!strcmp(verb, "functions"))
        print_functions(words[1]);
    else if (!strcmp(verb, "props"))
        print_props(atoi(words[1]));
    else if (!strcmp(verb, "frames") && count == 3)
        write_frames(words[1], words[2]);
    else if (!strcmp(verb, "time"))
        print_speed(atoi(words[1]));
    else
        fail("no such line", verb);
}

static void load_plugin(const char *path) {
    VSMap *args = api->createMap();
    api->mapSetData(args, "path", path, -1, dtUtf8, maReplace);
    VSMap *result = api->invoke(plugin("std"), "LoadPlugin", args);
    if (api->mapGetError(result))
        fail("cannot load the plugin", api->mapGetError(result));
    api->freeMap(result);
    api->freeMap(args);
}

int main(int argc, char **argv) {
    if (argc != 3)
        fail("usage", "host LIBVAPOURSYNTH PLUGIN");
    void *library = dlopen(argv[1], RTLD_NOW);
    if (!library)
        fail("cannot load VapourSynth", dlerror());
    VSGetVapourSynthAPI get_api;
    *(void **)&get_api = dlsym(library, "getVapourSynthAPI");
    api = get_api ? get_api(VAPOURSYNTH_API_VERSION) : NULL;
    if (!api)
        fail("no API", argv[1]);
    core = api->createCore(ccfDisableAutoLoading);
    threads = api->setThreadCount(0, core);
    load_plugin(argv[2]);
    char line[65536];
    while (fgets(line, sizeof line, stdin)) {
        char *words[MOST_WORDS], *rest = line;
        int count = 0;
        line[strcspn(line, "\n")] = 0;
        for (char *word; count < MOST_WORDS && (word = strsep(&rest, "\t"));)
            words[count++] = word;
        obey(words, count);
        fflush(stdout);
    }
    api->freeNode(clip);
    api->freeNode(kept);
    api->freeCore(core);
    return 0;
}
