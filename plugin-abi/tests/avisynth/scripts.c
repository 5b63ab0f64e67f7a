/* Scripts of AviSynth with the plugin: the same pictures as the C ABI's, arguments, properties, sound, errors, threads and calls that no
   host should make. It prints a hash of each result, the same on every system. Argument: the library. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../cc/load.h"
#include "avisynth.h"
#include "vramp.h"

enum { WIDTH = 70, HEIGHT = 38, FRAMES = 7, GET_MT_MODE = 509, NICE_FILTER = 1 };

static int failures;
static Env *env;

#define CHECK(is)                                                \
    do {                                                         \
        if (!(is)) {                                             \
            printf("line %d: %s\n", __LINE__, #is), ++failures; \
        }                                                        \
    } while (0)

static __typeof__(&vramp_chain_create) chain_create;
static __typeof__(&vramp_chain_destroy) chain_destroy;
static __typeof__(&vramp_chain_needs) chain_needs;
static __typeof__(&vramp_process_frames) process_frames;
static __typeof__(&vramp_last_error) last_error;

/* The function of this name, which must be there. */
typedef void (*Entry)(void);
static Entry entry(void *library, const char *name) {
    void *found = symbol(library, name);
    Entry made;
    if (!found) printf("no %s\n", name), exit(1);
    memcpy(&made, &found, sizeof made);
    return made;
}

static const struct {
    const char *name;
    unsigned type;
    vramp_layout layout;
    int bits;
} FORMATS[] = {
    {"Y8", 0xe0000000, VRAMP_GRAY, 8},          {"YV12", 0xa0000008, VRAMP_YUV420, 8},   {"I420", 0xa0000010, VRAMP_YUV420, 8},
    {"YV16", 0xa0000308, VRAMP_YUV422, 8},      {"YV24", 0xa000030b, VRAMP_YUV444, 8},   {"YUV420P10", 0xa0050008, VRAMP_YUV420, 10},
    {"YUV444P12", 0xa006030b, VRAMP_YUV444, 12}, {"YUV422P14", 0xa0070308, VRAMP_YUV422, 14}, {"YUV420P16", 0xa0010008, VRAMP_YUV420, 16},
    {"Y16", 0xe0010000, VRAMP_GRAY, 16},        {"RGBP", 0x90000001, VRAMP_RGB, 8},      {"RGBP10", 0x90050001, VRAMP_RGB, 10},
    {"RGBP16", 0x90010001, VRAMP_RGB, 16},
};
enum { YV12 = 1, RGBP = 10, FORMAT_COUNT = 13 };

static uint64_t hash(uint64_t value, const void *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) value = (value ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3;
    return value;
}

/* The rows of a frame's planes, without what lies between them. */
static uint64_t hash_of(const VideoInfo *vi, const Frame *frame) {
    int planes[3], count = planes_of(vi->pixel_type, planes), row, rows;
    uint64_t value = 0xcbf29ce484222325;
    for (int i = 0; i < count; i++) {
        plane_size(vi, planes[i], &row, &rows);
        for (int y = 0; y < rows; y++) value = hash(value, avs_get_read_ptr_p(frame, planes[i]) + (size_t)y * (size_t)avs_get_pitch_p(frame, planes[i]), (size_t)row);
    }
    return value;
}

static Clip *must(const char *name, Clip *clip, const char *chain, Clip **more, int count, Clip *named, const char *args) {
    const char *error;
    Clip *made = call(env, name, clip, chain, more, count, named, args, &error);
    if (!made) printf("%s(%s %s): %s\n", name, chain ? chain : "", args, error), exit(1);
    return made;
}

static int64_t number(const Frame *frame, const char *key, int index) {
    int error;
    int64_t value = avs_prop_get_int(env, avs_get_frame_props_ro(env, frame), key, index, &error);
    return error ? -1000 : value;
}

static vramp_planes planes(const VideoInfo *vi, const unsigned char *(*at)(const void *, int), const void *of, int (*pitch)(const void *, int)) {
    int list[3], count = planes_of(vi->pixel_type, list);
    vramp_planes made = {.struct_size = sizeof made};
    for (int i = 0; i < count; i++) made.data[i] = (void *)at(of, list[i]), made.pitch[i] = pitch(of, list[i]);
    return made;
}

static const unsigned char *frame_at(const void *frame, int plane) { return avs_get_read_ptr_p(frame, plane); }
static int frame_pitch(const void *frame, int plane) { return avs_get_pitch_p(frame, plane); }

/* What the C ABI makes of the same clips by `text`, as a hash for frame `n`. */
static uint64_t by_c_abi(int format, Clip *clip, Clip *other, const char *text, const VideoInfo *result, uint64_t n) {
    vramp_stream stream = {sizeof stream, FORMATS[format].layout, FORMATS[format].bits, 0, WIDTH, HEIGHT};
    vramp_input beside = {.struct_size = sizeof beside, .name = "other", .stream = &stream};
    vramp_options options = {.struct_size = sizeof options, .threads = 1, .device = "cpu", .inputs = &beside, .input_count = other ? 1 : 0};
    vramp_chain *chain = NULL;
    if (chain_create(text, &stream, &options, &chain)) printf("%s: %s\n", text, last_error()), exit(1);
    Frame *frames[32];
    vramp_frame numbers[32];
    vramp_planes places[32];
    vramp_input_frame given[32];
    uint32_t count = 0;
    for (uint32_t input = 0; input < (other ? 2u : 1u); input++) {
        uint64_t first, last;
        chain_needs(chain, n, input, &first, &last);
        for (uint64_t at = first; at <= last && at < FRAMES; at++, count++) {
            frames[count] = avs_get_frame(input ? other : clip, (int)at);
            numbers[count] = (vramp_frame){sizeof(vramp_frame), VRAMP_PROGRESSIVE, at};
            places[count] = planes(avs_get_video_info(clip), frame_at, frames[count], frame_pitch);
            given[count] = (vramp_input_frame){.struct_size = sizeof *given, .input = input, .frame = &numbers[count], .planes = &places[count]};
        }
    }
    int list[3], planes_count = planes_of(result->pixel_type, list), row, rows;
    vramp_planes to = {.struct_size = sizeof to};
    for (int i = 0; i < planes_count; i++) {
        plane_size(result, list[i], &row, &rows);
        to.data[i] = calloc((size_t)rows, (size_t)row), to.pitch[i] = row;
    }
    if (process_frames(chain, n, given, count, &to, NULL)) printf("%s: %s\n", text, last_error()), exit(1);
    uint64_t value = 0xcbf29ce484222325;
    for (int i = 0; i < planes_count; i++) {
        plane_size(result, list[i], &row, &rows);
        value = hash(value, to.data[i], (size_t)row * (size_t)rows);
        free(to.data[i]);
    }
    while (count) avs_release_video_frame(frames[--count]);
    chain_destroy(chain);
    return value;
}

/* Frames of a script are the C ABI's by `text`. */
static void equal(int format, const char *name, const char *args, const char *text, int beside) {
    Clip *clip = source(env, (int)FORMATS[format].type, WIDTH, HEIGHT, FRAMES, 0);
    Clip *other = beside ? source(env, (int)FORMATS[format].type, WIDTH, HEIGHT, FRAMES, 40) : NULL;
    int is_chain = !strcmp(name, "vramp_chain");
    Clip *made = must(name, clip, text, &other, is_chain && beside, other, args);
    const VideoInfo *vi = avs_get_video_info(made);
    uint64_t all = 0;
    for (int n = 0; n < vi->num_frames; n += 2) {
        Frame *frame = avs_get_frame(made, n);
        if (!frame) printf("%s: %s\n", text, avs_clip_get_error(made)), exit(1);
        uint64_t got = hash_of(vi, frame);
        if (got != by_c_abi(format, clip, other, text, vi, (uint64_t)n)) printf("%s, %s, frame %d differs\n", FORMATS[format].name, text, n), ++failures;
        all = hash(all, &got, sizeof got);
        avs_release_video_frame(frame);
    }
    printf("%s %s(%s): %dx%d, %d frames, %016llx\n", FORMATS[format].name, name, is_chain ? text : args, vi->width, vi->height, vi->num_frames,
           (unsigned long long)all);
    avs_release_clip(made), avs_release_clip(clip);
    if (other) avs_release_clip(other);
}

static void refused(const char *name, Clip *clip, const char *chain, Clip **more, int count, const char *args, const char *why) {
    const char *error;
    Clip *made = call(env, name, clip, chain, more, count, NULL, args, &error);
    if (made || !strstr(error, why) || strncmp(error, name, strlen(name)) || strchr(error, '\n')) {
        printf("%s(%s): '%s', not '%s'\n", name, args, made ? "a clip" : error, why), ++failures;
    }
    if (made) avs_release_clip(made);
}

static void properties(void) {
    Clip *clip = source(env, (int)FORMATS[YV12].type, WIDTH, HEIGHT, FRAMES, 0);
    Clip *made = must("vramp_deband", clip, NULL, NULL, 0, NULL, "range=20");
    Clip *full = must("vramp_range", clip, NULL, NULL, 0, NULL, "to=full"), *stats = must("vramp_stats", clip, NULL, NULL, 0, NULL, "");
    Clip *half = must("vramp_chain", clip, "select(cycle 2)", NULL, 0, NULL, "");
    Frame *frame = avs_get_frame(made, 3), *wide = avs_get_frame(full, 3), *measured = avs_get_frame(stats, 3), *later = avs_get_frame(half, 2);
    CHECK(number(frame, "note", 0) == 3 && number(frame, "_Matrix", 0) == 1 && number(frame, "_ColorRange", 0) == -1000);
    CHECK(number(wide, "_ColorRange", 0) == 0 && number(wide, "note", 0) == 3);
    CHECK(avs_prop_num_elements(env, avs_get_frame_props_ro(env, measured), "vramp_stats_min") == 1
          || avs_prop_num_elements(env, avs_get_frame_props_ro(env, measured), "vramp_stats_y_min") == 1);
    /* Half the frames, each for twice the time; the sound stays. */
    const VideoInfo *vi = avs_get_video_info(half);
    CHECK(vi->num_frames == 4 && vi->fps_num == 12000 && vi->fps_den == 1001);
    CHECK(number(later, "note", 0) == 4 && number(later, "_DurationNum", 0) == 1001 && number(later, "_DurationDen", 0) == 12000);
    CHECK(vi->audio_rate == 48000 && vi->num_audio_samples == 12345 && vi->channels == 2);
    unsigned char sound[4];
    CHECK(avs_get_audio(half, sound, 7, 4) == 0 && sound[0] == 7 && sound[3] == 10);
    CHECK(hint(made, GET_MT_MODE) == NICE_FILTER && hint(made, 10) == 0);
    avs_release_video_frame(frame), avs_release_video_frame(wide), avs_release_video_frame(measured), avs_release_video_frame(later);
    avs_release_clip(made), avs_release_clip(full), avs_release_clip(stats), avs_release_clip(half), avs_release_clip(clip);
}

/* Several clips beside the first, by their names, one of which is shorter: its last frame goes on. */
static void more_clips(void) {
    int type = (int)FORMATS[YV12].type;
    Clip *clip = source(env, type, WIDTH, HEIGHT, FRAMES, 0), *longer = source(env, type, WIDTH, HEIGHT, FRAMES, 40);
    Clip *shorter = source(env, type, WIDTH, HEIGHT, 3, 40), *logo = source(env, type, 16, 8, 1, 9);
    Clip *both[2] = {shorter, logo}, *all[2] = {longer, logo};
    const char *text = "merge(with b) > overlay(with logo)";
    Clip *made = must("vramp_chain", clip, text, both, 2, NULL, "names=b,logo"), *other = must("vramp_chain", clip, text, all, 2, NULL, "names=b,logo");
    for (int n = 0; n < FRAMES; n++) {
        Frame *one = avs_get_frame(made, n), *two = avs_get_frame(other, n);
        if (!one || !two) printf("frame %d: %s\n", n, avs_clip_get_error(one ? other : made)), exit(1);
        CHECK((hash_of(avs_get_video_info(made), one) == hash_of(avs_get_video_info(other), two)) == (n < 3));
        avs_release_video_frame(one), avs_release_video_frame(two);
    }
    avs_release_clip(made), avs_release_clip(other), avs_release_clip(clip), avs_release_clip(longer), avs_release_clip(shorter), avs_release_clip(logo);
}

static void errors(void) {
    Clip *clip = source(env, (int)FORMATS[YV12].type, WIDTH, HEIGHT, FRAMES, 0), *yuy2 = source(env, 0x60000004, WIDTH, HEIGHT, FRAMES, 0);
    Clip *wide = source(env, (int)FORMATS[YV12].type, WIDTH + 2, HEIGHT, FRAMES, 0);
    refused("vramp_deband", clip, NULL, NULL, 0, "range=300", "range must be a whole number from 0 to 127");
    refused("vramp_deband", clip, NULL, NULL, 0, "planes=yx", "planes must be one of");
    refused("vramp_deband", clip, NULL, NULL, 0, "device=gpu", "use auto, cpu");
    refused("vramp_deband", clip, NULL, NULL, 0, "depth=17", "depth must be a whole number from 8 to 16");
    refused("vramp_deband", NULL, NULL, NULL, 0, "", "the clip is missing");
    refused("vramp_deband", yuy2, NULL, NULL, 0, "", "ConvertToYUV422()");
    refused("vramp_chain", clip, "debnad", NULL, 0, "", "did you mean 'deband'");
    refused("vramp_chain", clip, "", &wide, 1, "", "1 more clips have 0 names");
    refused("vramp_chain", clip, "merge(with other)", &wide, 1, "names=other", "");
    refused("vramp_chain", clip, "merge(with other)", &yuy2, 1, "names=other", "the clip 'other'");
    refused("vramp_chain", clip, "deband > depth(9)", NULL, 0, "", "AviSynth does not have");
    refused("vramp_chain", clip, "crop(w 33)", NULL, 0, "", "");
    break_source(clip, 4, 5);
    Clip *made = must("vramp_deband", clip, NULL, NULL, 0, NULL, "device=cpu"), *window = must("vramp_tmedian", clip, NULL, NULL, 0, NULL, "");
    Frame *none = avs_get_frame(made, 4), *odd = avs_get_frame(made, 5), *around = avs_get_frame(window, 3), *good = avs_get_frame(made, 6);
    CHECK(!none && !odd && !around && good);
    avs_get_frame(made, 4);
    CHECK(strstr(avs_clip_get_error(made), "vramp_deband: frame 4 of the source: the disc is scratched"));
    avs_get_frame(made, 5);
    CHECK(strstr(avs_clip_get_error(made), "another format or size than its clip"));
    CHECK(strstr(avs_clip_get_error(window), "vramp_tmedian: frame 4 of the source"));
    avs_release_video_frame(good);
    avs_release_clip(made), avs_release_clip(window), avs_release_clip(clip), avs_release_clip(yuy2), avs_release_clip(wide);
}

/* Every call of the plugin's that may fail fails once, in the making of a clip and of two frames: what was lent goes back. */
static void failing_host(void) {
    Clip *clip = source(env, (int)FORMATS[YV12].type, WIDTH, HEIGHT, FRAMES, 0);
    const int clips = living(0), frames = living(1);
    int most = 1;
    for (int at = -1; at < most; at++) {
        const char *error;
        fail_call(at);
        Clip *made = call(env, "vramp_chain", clip, "merge(with b) > tmedian > stats", &clip, 1, NULL, "names=b device=cpu", &error);
        CHECK(made || at >= 0);
        for (int n = 0; made && n < 2; n++) {
            Frame *frame = avs_get_frame(made, n);
            CHECK(frame || at >= 0);
            avs_release_video_frame(frame);
        }
        if (made) avs_release_clip(made);
        int count = fail_call(-1);
        most = count > most ? count : most;
        CHECK(living(0) == clips && living(1) == frames);
    }
    CHECK(most > 30);
    avs_release_clip(clip);
}

typedef struct {
    Clip *clip;
    const uint64_t *expected;
    int start, wrong;
} Asking;

static void *ask(void *of) {
    Asking *asking = of;
    for (int i = 0; i < 5 * FRAMES; i++) {
        int n = (asking->start + 3 * i) % FRAMES;
        Frame *frame = avs_get_frame(asking->clip, n);
        asking->wrong += !frame || hash_of(avs_get_video_info(asking->clip), frame) != asking->expected[n];
        avs_release_video_frame(frame);
    }
    return NULL;
}

/* MT_NICE_FILTER: threads share one instance. */
static void threads(void) {
    Clip *clip = source(env, (int)FORMATS[YV12].type, WIDTH, HEIGHT, FRAMES, 0);
    Clip *made = must("vramp_chain", clip, "deband(rand_each_frame on) > tmedian", NULL, 0, NULL, "device=cpu");
    uint64_t expected[FRAMES];
    for (int n = 0; n < FRAMES; n++) {
        Frame *frame = avs_get_frame(made, n);
        expected[n] = hash_of(avs_get_video_info(made), frame);
        avs_release_video_frame(frame);
    }
    pthread_t list[4];
    Asking asking[4];
    for (int i = 0; i < 4; i++) asking[i] = (Asking){made, expected, i, 0}, pthread_create(&list[i], NULL, ask, &asking[i]);
    for (int i = 0; i < 4; i++) pthread_join(list[i], NULL), failures += asking[i].wrong;
    avs_release_clip(made), avs_release_clip(clip);
}

int main(int argc, char **argv) {
    setbuf(stdout, NULL);
    void *opened = argc == 2 ? library(argv[1]) : NULL;
    if (!opened) return printf("the library does not load\n"), 1;
    const char *(*init)(Env *) = (const char *(*)(Env *))entry(opened, "avisynth_c_plugin_init");
    const char *(*init2)(Env *) = (const char *(*)(Env *))entry(opened, "avisynth_c_plugin_init2");
    chain_create = (__typeof__(chain_create))entry(opened, "vramp_chain_create");
    chain_destroy = (__typeof__(chain_destroy))entry(opened, "vramp_chain_destroy");
    chain_needs = (__typeof__(chain_needs))entry(opened, "vramp_chain_needs");
    process_frames = (__typeof__(process_frames))entry(opened, "vramp_process_frames");
    last_error = (__typeof__(last_error))entry(opened, "vramp_last_error");
    /* Scripts follow one another in a process. */
    for (int i = 0; i < 3; i++) {
        env = env_new();
        const char *name = i == 1 ? init(env) : init2(env);
        CHECK(name && strstr(name, "vramp"));
        if (i < 2) env_free(env);
    }
    printf("%d functions, deband %s\n", env_functions(env), env_types(env, "vramp_deband"));
    CHECK(!strcmp(env_types(env, "vramp_chain"), "csc*[names]s[device]s[depth]i"));
    for (int format = 0; format < FORMAT_COUNT; format++) {
        equal(format, "vramp_deband", "range=20 sample=2 blur_first=true seed=-1 device=cpu", "deband(range 20, sample 2, blur_first on, seed -1)", 0);
        equal(format, "vramp_chain", "device=cpu", "gauss(1.5) > deband(rand_each_frame on)", 0);
        equal(format, "vramp_deband", "depth=16 device=cpu", "deband > depth(16)", 0);
    }
    for (int format = YV12; format <= RGBP; format += RGBP - YV12) {
        equal(format, "vramp_gauss", "sigma=0.7 planes=y", "gauss(0.7, planes y)", 0);
        equal(format, "vramp_tmedian", "device=cpu", "tmedian", 0);
        equal(format, "vramp_chain", "device=cpu", "crop(w 32, h 20) > deband", 0);
        equal(format, "vramp_chain", "device=cpu", "tmedian > select(cycle 3) > deband(rand_each_frame on)", 0);
        equal(format, "vramp_merge", "with=other", "merge(with other)", 1);
        equal(format, "vramp_chain", "names=other device=cpu", "gauss(1) > merge(with other)", 1);
    }
    properties();
    more_clips();
    errors();
    failing_host();
    threads();
    env_free(env);
    CHECK(living(0) == 0 && living(1) == 0);
    printf("%d failures\n", failures);
    return failures != 0;
}
