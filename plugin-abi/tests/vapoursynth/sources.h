/* Clips that the host makes itself. Included by host.c alone. */
#ifndef SOURCES_H
#define SOURCES_H

#include <VapourSynth4.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* A source of raw planes. */
typedef struct {
    VSVideoInfo info;
    FILE *file;
    pthread_mutex_t lock;
} Raw;

static const VSFrame *VS_CC raw_frame(int n, int reason, void *data, void **frame_data, VSFrameContext *context,
                                      VSCore *core, const VSAPI *api) {
    Raw *raw = data;
    (void)frame_data;
    if (reason != arInitial)
        return NULL;
    VSFrame *frame = api->newVideoFrame(&raw->info.format, raw->info.width, raw->info.height, NULL, core);
    size_t whole = 0, offset = 0;
    for (int plane = 0; plane < raw->info.format.numPlanes; plane++)
        whole += (size_t)api->getFrameWidth(frame, plane) * api->getFrameHeight(frame, plane);
    whole *= raw->info.format.bytesPerSample;
    pthread_mutex_lock(&raw->lock);
    int read = fseek(raw->file, (long)(whole * n), SEEK_SET) == 0;
    for (int plane = 0; plane < raw->info.format.numPlanes; plane++) {
        size_t row = (size_t)api->getFrameWidth(frame, plane) * raw->info.format.bytesPerSample;
        for (int y = 0; y < api->getFrameHeight(frame, plane); y++, offset += row)
            read = read && fread(api->getWritePtr(frame, plane) + y * api->getStride(frame, plane), 1, row, raw->file) == row;
    }
    pthread_mutex_unlock(&raw->lock);
    if (!read) {
        api->freeFrame(frame);
        api->setFilterError("raw: the file is too short", context);
        return NULL;
    }
    return frame;
}

static void VS_CC raw_free(void *data, VSCore *core, const VSAPI *api) {
    Raw *raw = data;
    (void)core, (void)api;
    fclose(raw->file);
    free(raw);
}

/* A clip of the planes in a file: family, sample type, bits, subsampling, size, frames and path. NULL when it cannot be. */
static VSNode *raw_clip(char **words, VSCore *core, const VSAPI *api) {
    Raw *raw = calloc(1, sizeof *raw);
    VSVideoInfo info = {.fpsNum = 25, .fpsDen = 1};
    info.width = atoi(words[5]);
    info.height = atoi(words[6]);
    info.numFrames = atoi(words[7]);
    raw->file = fopen(words[8], "rb");
    if (!raw->file || !api->queryVideoFormat(&info.format, atoi(words[0]), atoi(words[1]), atoi(words[2]),
                                             atoi(words[3]), atoi(words[4]), core))
        return NULL;
    raw->info = info;
    pthread_mutex_init(&raw->lock, NULL);
    return api->createVideoFilter2("raw", &info, raw_frame, raw_free, fmParallel, NULL, 0, raw, core);
}

/* A source of frames that are there already. */
typedef struct {
    const VSFrame **frames;
    int count;
} Held;

static const VSFrame *VS_CC held_frame(int n, int reason, void *data, void **frame_data, VSFrameContext *context,
                                       VSCore *core, const VSAPI *api) {
    Held *held = data;
    (void)frame_data, (void)context, (void)core;
    return reason == arInitial ? api->addFrameRef(held->frames[n % held->count]) : NULL;
}

static void VS_CC held_free(void *data, VSCore *core, const VSAPI *api) {
    Held *held = data;
    (void)core;
    for (int i = 0; i < held->count; i++)
        api->freeFrame(held->frames[i]);
    free(held->frames);
    free(held);
}

/* The first `count` frames of a clip over and over, `frames` in all. NULL when one fails. */
static VSNode *held_clip(VSNode *clip, int count, int frames, VSCore *core, const VSAPI *api) {
    Held *held = calloc(1, sizeof *held);
    held->frames = calloc(count, sizeof *held->frames);
    for (; held->count < count; held->count++) {
        held->frames[held->count] = api->getFrame(held->count, clip, NULL, 0);
        if (!held->frames[held->count])
            return NULL;
    }
    VSVideoInfo info = *api->getVideoInfo(clip);
    info.numFrames = frames;
    return api->createVideoFilter2("held", &info, held_frame, held_free, fmParallel, NULL, 0, held, core);
}

#endif
