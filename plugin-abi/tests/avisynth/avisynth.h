/* AviSynth's C interface as far as the tests need it, written from its documentation, and a stub of it (avisynth.c) to run functions
   of a plugin in. */
#pragma once
#include <stdint.h>

#ifdef _WIN32
#define AVS_API __declspec(dllexport)
#else
#define AVS_API __attribute__((visibility("default")))
#endif

typedef struct Env Env;
typedef struct Clip Clip;
typedef struct Frame Frame;
typedef struct Map Map;

typedef struct Value Value;
struct Value {
    short type, array_size;
    union {
        void *clip;
        char boolean;
        int integer;
        float floating;
        const char *string;
        const Value *array;
        int64_t number;
        double real;
    } d;
};

typedef struct {
    int width, height;
    unsigned fps_num, fps_den;
    int num_frames, pixel_type, audio_rate, sample_type;
    int64_t num_audio_samples;
    int channels, image_type;
} VideoInfo;

typedef struct FilterInfo FilterInfo;
struct FilterInfo {
    Clip *child;
    VideoInfo vi;
    Env *env;
    Frame *(*get_frame)(FilterInfo *, int n);
    int (*get_parity)(FilterInfo *, int n);
    int (*get_audio)(FilterInfo *, void *, int64_t start, int64_t count);
    int (*set_cache_hints)(FilterInfo *, int hint, int range);
    void (*free_filter)(FilterInfo *);
    const char *error;
    void *user_data;
};

typedef Value (*Apply)(Env *, Value args, void *user_data);

enum { Y = 1, U = 2, V = 4, R = 32, G = 64, B = 128 };

/* The stub's own. */
AVS_API Env *env_new(void);
AVS_API void env_free(Env *env);
AVS_API int env_functions(Env *env);
AVS_API const char *env_types(Env *env, const char *name);
/* A clip whose frames are patterns; frame `broken` is an error, and frame `odd` has another size. */
AVS_API Clip *source(Env *env, int pixel_type, int width, int height, int frames, int seed);
AVS_API void break_source(Clip *clip, int broken, int odd);
/* Calls a function with values by name, as in "range=20 planes=y", of the signature's types; null with `error` set where it fails. */
AVS_API Clip *call(Env *env, const char *name, Clip *clip, const char *chain, Clip **more, int count, Clip *named, const char *args,
                   const char **error);
AVS_API int planes_of(int pixel_type, int *planes);
AVS_API void plane_size(const VideoInfo *vi, int plane, int *row, int *rows);
/* What lives: clips, frames. */
AVS_API int living(int which);
AVS_API int hint(Clip *clip, int which);
/* Of the calls that may fail, number `at` from here on does; none for -1. How many there were before. */
AVS_API int fail_call(int at);

/* AviSynth's that the tests call. */
AVS_API const VideoInfo *avs_get_video_info(Clip *);
AVS_API Frame *avs_get_frame(Clip *, int n);
AVS_API const char *avs_clip_get_error(Clip *);
AVS_API void avs_release_clip(Clip *);
AVS_API void avs_release_video_frame(Frame *);
AVS_API int avs_get_pitch_p(const Frame *, int plane);
AVS_API const unsigned char *avs_get_read_ptr_p(const Frame *, int plane);
AVS_API const Map *avs_get_frame_props_ro(Env *, const Frame *);
AVS_API int64_t avs_prop_get_int(Env *, const Map *, const char *key, int index, int *error);
AVS_API int avs_prop_num_elements(Env *, const Map *, const char *key);
AVS_API int avs_get_audio(Clip *, void *, int64_t start, int64_t count);
