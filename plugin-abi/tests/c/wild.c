/* Calls that no host of frei0r makes, of an effect with text and of one with numbers: nothing happens, and pictures pass or are filtered
   as before. Arguments: the library, and a copy that is called vramp_deband. */
#define _DEFAULT_SOURCE
#include <float.h>
#include <limits.h>
#include <math.h>

#include "checks.h"

enum { WIDTH = 61, HEIGHT = 33, PIXELS = WIDTH * HEIGHT };

typedef struct {
    const char *name, *author;
    int type, color_model, version, major, minor, parameters;
    const char *explanation;
} effect_info;

typedef struct {
    const char *name;
    int type;
    const char *explanation;
} parameter_info;

static void (*get_info)(effect_info *);
static void (*get_parameter)(parameter_info *, int);
static void *(*construct)(unsigned, unsigned);
static void (*destruct)(void *);
static void (*set)(void *, void *, int);
static void (*get)(void *, void *, int);
static void (*update)(void *, double, const uint32_t *, uint32_t *);
static const char *(*last_error)(void);
static int failures;

static void load(const char *path) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    *(void **)&get_info = symbol(library, "f0r_get_plugin_info");
    *(void **)&get_parameter = symbol(library, "f0r_get_param_info");
    *(void **)&construct = symbol(library, "f0r_construct");
    *(void **)&destruct = symbol(library, "f0r_destruct");
    *(void **)&set = symbol(library, "f0r_set_param_value");
    *(void **)&get = symbol(library, "f0r_get_param_value");
    *(void **)&update = symbol(library, "f0r_update");
    *(void **)&last_error = symbol(library, "vramp_last_error");
    vramp_status (*set_log)(vramp_log_callback, void *, vramp_log_level);
    *(void **)&set_log = symbol(library, "vramp_set_log");
    set_log(NULL, NULL, VRAMP_LOG_OFF);
}

/* Pictures of exactly their size, so that what is beyond them is seen. */
static uint32_t *picture(uint32_t seed) {
    uint32_t *made = malloc(PIXELS * sizeof *made);
    for (uint32_t i = 0; i < PIXELS; i++) made[i] = (i ^ seed) * 2654435761u;
    return made;
}

static void wild_calls(const char *path) {
    load(path);
    const unsigned sizes[][2] = {{0, 0}, {0, 48}, {64, 0}, {UINT_MAX, UINT_MAX}, {1u << 20, 1}, {INT_MAX, 2}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) CHECK(!construct(sizes[i][0], sizes[i][1]));
    get_info(NULL);
    destruct(NULL);
    effect_info info;
    get_info(&info);
    void *instance = construct(WIDTH, HEIGHT);
    uint32_t *src = picture(1), *dst = picture(2), *before = picture(2), *want = picture(3);
    update(instance, 0, src, want);

    /* Parameters that are none, and values that are nowhere. */
    double untouched[2] = {0.5, 0.5};
    const int wild[] = {INT_MIN, -1, info.parameters, INT_MAX};
    for (int i = 0; i < 4; i++) {
        parameter_info parameter = {"none", 7, NULL};
        get_parameter(NULL, wild[i]);
        get_parameter(&parameter, wild[i]);
        set(instance, untouched, wild[i]);
        get(instance, untouched, wild[i]);
        CHECK(!strcmp(parameter.name, "none") && untouched[0] == 0.5 && untouched[1] == 0.5);
    }
    void *const handles[] = {instance, NULL};
    for (int h = 0; h < 2; h++) {
        for (int i = 0; i < info.parameters; i++) {
            get_parameter(NULL, i);
            set(handles[h], NULL, i);
            get(handles[h], NULL, i);
        }
        update(handles[h], 0, NULL, dst);
        update(handles[h], 0, src, NULL);
    }
    update(NULL, 0, src, dst);
    CHECK(!memcmp(dst, before, PIXELS * sizeof *dst));
    update(instance, 0, src, dst);
    CHECK(!memcmp(dst, want, PIXELS * sizeof *dst));

    /* Values that are no values, one after the other; then the picture is what it was. */
    char *endless = malloc(100001);
    memset(endless, '(', 100000), endless[100000] = 0;
    const char *texts[] = {NULL, "", "\xff\xfe", "debnad", "gauss(sigma %s%n)", "deband\n\x01", endless};
    double numbers[] = {NAN, INFINITY, -INFINITY, -DBL_MAX, DBL_MAX, -0.0, 7, DBL_TRUE_MIN};
    for (int i = 0; i < info.parameters; i++) {
        parameter_info parameter;
        get_parameter(&parameter, i);
        if (parameter.type == 4) {
            const char *first;
            get(instance, &first, i);
            char *kept = strdup(first);
            for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
                set(instance, &texts[t], i);
                update(instance, 1e300, src, dst);
                get(instance, &first, i);
                CHECK(first != NULL);
            }
            set(instance, &kept, i);
            free(kept);
        } else {
            double first = -1, now;
            get(instance, &first, i);
            CHECK(first >= 0 && first <= 1);
            for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++) {
                set(instance, &numbers[n], i);
                update(instance, numbers[n], src, dst);
                get(instance, &now, i);
            }
            set(instance, &first, i);
        }
    }
    update(instance, 0, src, dst);
    CHECK(!memcmp(dst, want, PIXELS * sizeof *dst));

    /* A source that is the target too cannot be filtered: it stays. */
    memcpy(dst, src, PIXELS * sizeof *dst);
    update(instance, 0, dst, dst);
    CHECK(!memcmp(dst, src, PIXELS * sizeof *dst));
    destruct(instance);
    free(src), free(dst), free(before), free(want), free(endless);
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    wild_calls(argv[1]);
    wild_calls(argv[2]);
    printf("%d failures\n", failures);
    return failures != 0;
}
