/* A stub of AviSynth: clips of patterns, functions with checked arguments, frames with properties. */
#include "avisynth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PROPS = 64, MOST_FUNCTIONS = 128, PAD = 64 };

typedef struct {
    char key[48];
    int count, is_float;
    int64_t ints[300];
    double number;
} Prop;

struct Map {
    int count;
    Prop *props[MOST_PROPS];
};

struct Frame {
    volatile int refs;
    VideoInfo vi;
    unsigned char *data[3];
    int pitch[3];
    Map map;
};

struct Clip {
    volatile int refs;
    VideoInfo vi;
    Env *env;
    int seed, broken, odd;
    /* Of filters: what they registered. */
    int is_filter;
    FilterInfo info;
    const char *error;
};

typedef struct {
    char name[64], types[1024];
    Apply apply;
    void *data;
} Function;

typedef struct Text Text;
struct Text {
    Text *next;
    char text[];
};

/* What a call gets is an environment of its own, which is gone when the call returns, as AviSynth's are. */
struct Env {
    Env *script;
    int count;
    Function functions[MOST_FUNCTIONS];
    Text *texts;
};

static volatile int lives[2];

static int add(volatile int *count, int by) { return __atomic_add_fetch(count, by, __ATOMIC_SEQ_CST); }

int living(int which) { return lives[which]; }

static volatile int calls, failing = -1;

int fail_call(int at) {
    int made = calls;
    calls = 0, failing = at;
    return made;
}

static int fails(void) { return add(&calls, 1) - 1 == failing; }

Env *env_new(void) {
    Env *env = calloc(1, sizeof(Env));
    return env->script = env;
}

static Env *lend(Env *env) {
    Env *lent = malloc(sizeof *lent);
    lent->script = env->script;
    return lent;
}

/* AddressSanitizer reports one that is gone. */
static Env *script(Env *env) { return env->script; }

/* The stub's own calls have none. */
static void touch(Env *env) {
    if (env && !script(env)) abort();
}

void env_free(Env *env) {
    for (Text *text = env->texts, *next; text; text = next) next = text->next, free(text);
    free(env);
}

int env_functions(Env *env) { return env->count; }

static Function *function(Env *env, const char *name) {
    for (int i = 0; i < env->count; i++)
        if (!strcmp(env->functions[i].name, name)) return &env->functions[i];
    return NULL;
}

const char *env_types(Env *env, const char *name) {
    Function *found = function(env, name);
    return found ? found->types : "";
}

AVS_API int avs_add_function(Env *env, const char *name, const char *types, Apply apply, void *data) {
    env = script(env);
    Function *made = &env->functions[env->count++];
    if (env->count > MOST_FUNCTIONS || strlen(types) >= sizeof made->types) abort();
    strcpy(made->name, name), strcpy(made->types, types);
    made->apply = apply, made->data = data;
    return 0;
}

/* Texts are kept by a lock-free list: filters of several threads save them. */
AVS_API char *avs_save_string(Env *env, const char *text, int length) {
    if (fails()) return NULL;
    size_t size = length < 0 ? strlen(text) : (size_t)length;
    env = script(env);
    Text *made = malloc(sizeof *made + size + 1);
    memcpy(made->text, text, size);
    made->text[size] = 0;
    made->next = __atomic_load_n(&env->texts, __ATOMIC_SEQ_CST);
    while (!__atomic_compare_exchange_n(&env->texts, &made->next, made, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {}
    return made->text;
}

static int bytes_of(int pixel_type) { return (pixel_type >> 16 & 7) ? 2 : 1; }

static int bits_of(int pixel_type) {
    static const int bits[8] = {8, 16, 32, 0, 0, 10, 12, 14};
    return bits[pixel_type >> 16 & 7];
}

int planes_of(int pixel_type, int *planes) {
    static const int rgb[3] = {R, G, B}, yuv[3] = {Y, U, V};
    memcpy(planes, pixel_type & 1 << 28 ? rgb : yuv, sizeof rgb);
    return pixel_type & 1 << 30 ? 1 : 3;
}

static int log2_of(int code) { return code == 3 ? 0 : code == 0 ? 1 : 2; }

void plane_size(const VideoInfo *vi, int plane, int *row, int *rows) {
    int planes[3], count = planes_of(vi->pixel_type, planes), has = 0;
    for (int i = 0; i < count; i++) has |= planes[i] == plane;
    int chroma = plane == U || plane == V;
    *row = has ? (vi->width >> (chroma ? log2_of(vi->pixel_type & 7) : 0)) * bytes_of(vi->pixel_type) : 0;
    *rows = has ? vi->height >> (chroma ? log2_of(vi->pixel_type >> 8 & 7) : 0) : 0;
}

static int place(const Frame *frame, int plane) {
    int planes[3], count = planes_of(frame->vi.pixel_type, planes);
    for (int i = 0; i < count; i++)
        if (planes[i] == plane || plane == 0) return i;
    return -1;
}

static Frame *frame_new(const VideoInfo *vi) {
    Frame *frame = calloc(1, sizeof *frame);
    int planes[3], count = planes_of(vi->pixel_type, planes), row, rows;
    frame->refs = 1, frame->vi = *vi;
    for (int i = 0; i < count; i++) {
        plane_size(vi, planes[i], &row, &rows);
        frame->pitch[i] = (row + PAD - 1) / PAD * PAD;
        /* To the byte, so that a sanitizer sees what is beyond the last row. */
        frame->data[i] = malloc((size_t)frame->pitch[i] * (size_t)(rows - 1) + (size_t)row);
    }
    add(&lives[1], 1);
    return frame;
}

static Prop *prop(const Map *map, const char *key) {
    for (int i = 0; i < map->count; i++)
        if (!strcmp(map->props[i]->key, key)) return map->props[i];
    return NULL;
}

static Prop *prop_made(Map *map, const char *key) {
    Prop *found = prop(map, key);
    if (!found) {
        if (map->count == MOST_PROPS || strlen(key) >= sizeof found->key) abort();
        found = map->props[map->count++] = calloc(1, sizeof *found);
        strcpy(found->key, key);
    }
    return found;
}

AVS_API int avs_prop_set_int_array(Env *env, Map *map, const char *key, const int64_t *values, int count) {
    touch(env);
    if (count > 300 || fails()) return 1;
    Prop *made = prop_made(map, key);
    made->count = count, made->is_float = 0;
    memcpy(made->ints, values, (size_t)count * sizeof *values);
    return 0;
}

AVS_API int avs_prop_set_int(Env *env, Map *map, const char *key, int64_t value, int append) {
    (void)append;
    return avs_prop_set_int_array(env, map, key, &value, 1);
}

AVS_API int avs_prop_set_float(Env *env, Map *map, const char *key, double value, int append) {
    touch(env), (void)append;
    if (fails()) return 1;
    Prop *made = prop_made(map, key);
    made->count = 1, made->is_float = 1, made->number = value;
    return 0;
}

int avs_prop_num_elements(Env *env, const Map *map, const char *key) {
    touch(env);
    Prop *found = prop(map, key);
    return found && !fails() ? found->count : -1;
}

int64_t avs_prop_get_int(Env *env, const Map *map, const char *key, int index, int *error) {
    touch(env);
    Prop *found = prop(map, key);
    *error = !found || fails() ? 1 : found->is_float ? 2 : index >= found->count ? 4 : 0;
    return *error ? 0 : found->ints[index];
}

AVS_API double avs_prop_get_float(Env *env, const Map *map, const char *key, int index, int *error) {
    touch(env);
    Prop *found = prop(map, key);
    *error = !found ? 1 : !found->is_float ? 2 : index >= found->count ? 4 : 0;
    return *error ? 0 : found->number;
}

AVS_API int avs_prop_num_keys(Env *env, const Map *map) { return touch(env), map->count; }
AVS_API const char *avs_prop_get_key(Env *env, const Map *map, int i) { return touch(env), map->props[i]->key; }
const Map *avs_get_frame_props_ro(Env *env, const Frame *frame) { return touch(env), fails() ? NULL : &frame->map; }
AVS_API Map *avs_get_frame_props_rw(Env *env, Frame *frame) { return touch(env), fails() ? NULL : &frame->map; }

AVS_API Frame *avs_new_video_frame_a(Env *env, const VideoInfo *vi, int align) {
    script(env);
    if (align != 64) abort();
    return fails() ? NULL : frame_new(vi);
}

AVS_API void avs_copy_frame_props(Env *env, const Frame *from, Frame *to) {
    script(env);
    for (int i = 0; i < from->map.count; i++) *prop_made(&to->map, from->map.props[i]->key) = *from->map.props[i];
}

void avs_release_video_frame(Frame *frame) {
    if (!frame || add(&frame->refs, -1)) return;
    for (int i = 0; i < 3; i++) free(frame->data[i]);
    for (int i = 0; i < frame->map.count; i++) free(frame->map.props[i]);
    free(frame);
    add(&lives[1], -1);
}

int avs_get_pitch_p(const Frame *frame, int plane) { return place(frame, plane) < 0 ? 0 : frame->pitch[place(frame, plane)]; }
const unsigned char *avs_get_read_ptr_p(const Frame *frame, int plane) {
    return place(frame, plane) < 0 ? NULL : frame->data[place(frame, plane)];
}
AVS_API unsigned char *avs_get_write_ptr_p(Frame *frame, int plane) { return (unsigned char *)avs_get_read_ptr_p(frame, plane); }
AVS_API int avs_get_row_size_p(const Frame *frame, int plane) {
    int row, rows;
    return plane_size(&frame->vi, plane, &row, &rows), row;
}
AVS_API int avs_get_height_p(const Frame *frame, int plane) {
    int row, rows;
    return plane_size(&frame->vi, plane, &row, &rows), rows;
}

static Clip *clip_new(Env *env, VideoInfo vi) {
    Clip *clip = calloc(1, sizeof *clip);
    clip->refs = 1, clip->env = script(env), clip->vi = vi, clip->broken = clip->odd = -1;
    add(&lives[0], 1);
    return clip;
}

Clip *source(Env *env, int pixel_type, int width, int height, int frames, int seed) {
    VideoInfo vi = {width, height, 24000, 1001, frames, pixel_type, 48000, 2, 12345, 2, 0};
    Clip *clip = clip_new(env, vi);
    clip->seed = seed;
    return clip;
}

void break_source(Clip *clip, int broken, int odd) { clip->broken = broken, clip->odd = odd; }

/* Bands with a slope, a little noise, and something that moves. */
static void draw(Frame *frame, int n, int seed) {
    int planes[3], count = planes_of(frame->vi.pixel_type, planes), bits = bits_of(frame->vi.pixel_type), row, rows;
    for (int i = 0; i < count; i++) {
        plane_size(&frame->vi, planes[i], &row, &rows);
        for (int y = 0; y < rows; y++)
            for (int x = 0; x < row / bytes_of(frame->vi.pixel_type); x++) {
                unsigned value = (unsigned)(60 + i * 20 + x / 16 + y / 9 + (x * 7 + y * 13 + n * 3 + seed) % 3 + (x == 5 * n + seed ? 90 : 0));
                value <<= bits - 8;
                unsigned char *at = frame->data[i] + (size_t)y * (size_t)frame->pitch[i];
                if (bits == 8) at[x] = (unsigned char)value;
                else at[2 * x] = (unsigned char)value, at[2 * x + 1] = (unsigned char)(value >> 8);
            }
    }
}

const VideoInfo *avs_get_video_info(Clip *clip) { return clip->is_filter ? &clip->info.vi : &clip->vi; }
const char *avs_clip_get_error(Clip *clip) { return clip->error; }

Frame *avs_get_frame(Clip *clip, int n) {
    int end = avs_get_video_info(clip)->num_frames - 1;
    n = n < 0 ? 0 : n > end ? end : n;
    if (clip->is_filter) {
        FilterInfo info = clip->info;
        info.error = NULL, info.env = lend(clip->env);
        Frame *made = info.get_frame(&info, n);
        clip->error = info.error;
        free(info.env);
        return made;
    }
    clip->error = n == clip->broken ? "the disc is scratched" : NULL;
    if (clip->error || fails()) return NULL;
    VideoInfo vi = clip->vi;
    if (n == clip->odd) vi.width += 16;
    Frame *frame = frame_new(&vi);
    draw(frame, n, clip->seed);
    avs_prop_set_int(NULL, &frame->map, "_Matrix", 1, 0);
    avs_prop_set_int(NULL, &frame->map, "note", n, 0);
    avs_prop_set_int(NULL, &frame->map, "_DurationNum", 1001, 0);
    avs_prop_set_int(NULL, &frame->map, "_DurationDen", 24000, 0);
    return frame;
}

void avs_release_clip(Clip *clip) {
    if (!clip || add(&clip->refs, -1)) return;
    if (clip->is_filter) {
        if (clip->info.free_filter) clip->info.free_filter(&clip->info);
        avs_release_clip(clip->info.child);
    }
    free(clip);
    add(&lives[0], -1);
}

AVS_API Clip *avs_take_clip(Value value, Env *env) {
    (void)env;
    Clip *clip = value.d.clip;
    if (fails()) return NULL;
    return add(&clip->refs, 1), clip;
}

AVS_API void avs_set_to_clip(Value *value, Clip *clip) {
    add(&clip->refs, 1);
    value->type = 'c', value->d.clip = clip;
}

AVS_API Clip *avs_new_c_filter(Env *env, FilterInfo **info, Value child, int store) {
    if (fails()) return NULL;
    Clip *from = child.d.clip, *clip = clip_new(env, *avs_get_video_info(from));
    clip->is_filter = 1;
    clip->info.vi = *avs_get_video_info(from), clip->info.env = env;
    if (store) clip->info.child = avs_take_clip(child, env);
    *info = &clip->info;
    return clip;
}

int avs_get_audio(Clip *clip, void *to, int64_t start, int64_t count) {
    if (clip->is_filter) return clip->info.get_audio ? clip->info.get_audio(&clip->info, to, start, count) : avs_get_audio(clip->info.child, to, start, count);
    for (int64_t i = 0; i < count; i++) ((unsigned char *)to)[i] = (unsigned char)(start + i);
    return 0;
}

int hint(Clip *clip, int which) { return clip->info.set_cache_hints ? clip->info.set_cache_hints(&clip->info, which, 0) : 0; }

/* The value that `text` is for a parameter of `type`. */
static Value value_of(char type, const char *text, Clip *named) {
    Value value = {type, 0, {0}};
    if (type == 'c') value.d.clip = named;
    else if (type == 'b') value.d.boolean = !strcmp(text, "true");
    else if (type == 'i') value.d.integer = atoi(text);
    else if (type == 'f') value.d.floating = (float)atof(text);
    else value.d.string = text;
    return value;
}

Clip *call(Env *env, const char *name, Clip *clip, const char *chain, Clip **more, int count, Clip *named, const char *args,
           const char **error) {
    static const Value nothing = {'v', 0, {0}};
    Function *called = function(env, name);
    Value values[96], list[8];
    int given = 0;
    char copy[512], *words[16];
    int used = 0;
    *error = NULL;
    strncpy(copy, args, sizeof copy - 1), copy[sizeof copy - 1] = 0;
    for (char *word = strtok(copy, " "); word && used < 16; word = strtok(NULL, " ")) words[used++] = word;
    for (const char *at = called->types; *at; at++) {
        Value value = nothing;
        if (*at == '[') {
            const char *end = strchr(at, ']');
            size_t length = (size_t)(end - at) - 1;
            for (int i = 0; i < used; i++)
                if (!strncmp(words[i], at + 1, length) && words[i][length] == '=') value = value_of(end[1], words[i] + length + 1, named);
            at = end + 1;
        } else if (at[1] == '*') {
            for (int i = 0; i < count; i++) list[i] = (Value){'c', 0, {more[i]}};
            value = (Value){'a', (short)count, {0}};
            value.d.array = count ? list : NULL;
            at++;
        } else if (*at == 'c') {
            value = (Value){clip ? 'c' : 'v', 0, {clip}};
        } else {
            value.type = 's', value.d.string = chain;
        }
        values[given++] = value;
    }
    Value all = {'a', (short)given, {0}};
    all.d.array = values;
    Env *own = lend(env);
    Value made = called->apply(own, all, called->data);
    free(own);
    if (made.type != 'c') {
        *error = made.type == 'e' ? made.d.string : "neither clip nor error";
        return NULL;
    }
    return made.d.clip;
}
