/* A host of OpenFX in one file: properties by name, the suites that effects need, one source clip and one output. Images are
 * the caller's. Every call of a suite is counted, and call number `fail_at` fails. */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../cc/load.h"
#include "ofxImageEffect.h"
#include "ofxMessage.h"
#include "ofxOpenGLRender.h"

static int failures;

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("line %d: %s does not hold (%s)\n", __LINE__, #condition, message);                                 \
            ++failures;                                                                                                \
        }                                                                                                              \
    } while (0)

/* A value of a property: in `text`, or in `number`, or a pointer. */
typedef struct {
    char name[64], text[1024];
    int index;
    double number;
    void *pointer;
} Value;

struct OfxPropertySetStruct {
    Value *values;
    int count, room;
};

struct OfxParamStruct {
    char name[64], type[32];
    struct OfxPropertySetStruct props;
    /* Numbers, and the text of strings. */
    double value;
    char *text;
};

struct OfxParamSetStruct {
    struct OfxParamStruct params[64];
    int count;
};

struct OfxImageClipStruct {
    struct OfxPropertySetStruct props;
    /* The image at each time from 0 on. */
    struct OfxPropertySetStruct *images[8];
    int count;
};

struct OfxImageEffectStruct {
    struct OfxPropertySetStruct props;
    struct OfxParamSetStruct params;
    struct OfxImageClipStruct source, output;
};

/* The effect's last message; images that were not given back; messages that were cleared. */
static char message[1024];
static int lent, cleared;
/* Calls of suites so far, and the one that fails. */
static int calls, fail_at = -1;

static int fails(void) { return __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED) == fail_at; }

#define FAIL_IF_ASKED                                                                                                  \
    do {                                                                                                               \
        if (fails())                                                                                                   \
            return kOfxStatErrUnknown;                                                                                 \
    } while (0)

static Value *find(OfxPropertySetHandle set, const char *name, int index) {
    for (int i = 0; i < set->count; ++i)
        if (set->values[i].index == index && !strcmp(set->values[i].name, name))
            return &set->values[i];
    return NULL;
}

static Value *make(OfxPropertySetHandle set, const char *name, int index) {
    Value *found = find(set, name, index);
    if (found)
        return found;
    if (set->count == set->room) {
        set->room = set->room ? 2 * set->room : 16;
        set->values = realloc(set->values, (size_t)set->room * sizeof *set->values);
    }
    Value *value = &set->values[set->count++];
    memset(value, 0, sizeof *value);
    snprintf(value->name, sizeof value->name, "%s", name);
    value->index = index;
    return value;
}

static void clear_set(OfxPropertySetHandle set) {
    free(set->values);
    memset(set, 0, sizeof *set);
}

static void put_text(OfxPropertySetHandle set, const char *name, int index, const char *text) {
    Value *value = make(set, name, index);
    snprintf(value->text, sizeof value->text, "%s", text);
}

static void put_number(OfxPropertySetHandle set, const char *name, int index, double number) {
    make(set, name, index)->number = number;
}

static double number_of(OfxPropertySetHandle set, const char *name, int index) {
    Value *value = find(set, name, index);
    return value ? value->number : -1e300;
}

static const char *text_of(OfxPropertySetHandle set, const char *name, int index) {
    Value *value = find(set, name, index);
    return value ? value->text : "";
}

/* The property suite. */
static OfxStatus set_pointer(OfxPropertySetHandle set, const char *name, int index, void *value) {
    FAIL_IF_ASKED;
    make(set, name, index)->pointer = value;
    return kOfxStatOK;
}

static OfxStatus set_string(OfxPropertySetHandle set, const char *name, int index, const char *value) {
    FAIL_IF_ASKED;
    put_text(set, name, index, value);
    return kOfxStatOK;
}

static OfxStatus set_double(OfxPropertySetHandle set, const char *name, int index, double value) {
    FAIL_IF_ASKED;
    put_number(set, name, index, value);
    return kOfxStatOK;
}

static OfxStatus set_int(OfxPropertySetHandle set, const char *name, int index, int value) {
    return set_double(set, name, index, value);
}

#define GET(name_, type, from)                                                                                         \
    static OfxStatus name_(OfxPropertySetHandle set, const char *name, int index, type *value) {                       \
        FAIL_IF_ASKED;                                                                                                 \
        Value *found = find(set, name, index);                                                                         \
        if (!found)                                                                                                    \
            return kOfxStatErrUnknown;                                                                                 \
        *value = (type)(from);                                                                                         \
        return kOfxStatOK;                                                                                             \
    }
GET(get_pointer, void *, found->pointer)
GET(get_string, char *, found->text)
GET(get_double, double, found->number)
GET(get_int, int, found->number)

static OfxPropertySuiteV1 property_suite = {.propSetPointer = set_pointer, .propSetString = set_string,
    .propSetDouble = set_double, .propSetInt = set_int, .propGetPointer = get_pointer, .propGetString = get_string,
    .propGetDouble = get_double, .propGetInt = get_int};

/* The image effect suite. */
static OfxStatus get_property_set(OfxImageEffectHandle effect, OfxPropertySetHandle *set) {
    FAIL_IF_ASKED;
    *set = &effect->props;
    return kOfxStatOK;
}

static OfxStatus get_param_set(OfxImageEffectHandle effect, OfxParamSetHandle *set) {
    FAIL_IF_ASKED;
    *set = &effect->params;
    return kOfxStatOK;
}

static OfxStatus clip_get_handle(OfxImageEffectHandle effect, const char *name, OfxImageClipHandle *clip,
                                 OfxPropertySetHandle *set) {
    FAIL_IF_ASKED;
    *clip = strcmp(name, "Source") ? &effect->output : &effect->source;
    if (set)
        *set = &(*clip)->props;
    return kOfxStatOK;
}

static OfxStatus clip_define(OfxImageEffectHandle effect, const char *name, OfxPropertySetHandle *set) {
    OfxImageClipHandle clip;
    return clip_get_handle(effect, name, &clip, set);
}

static OfxStatus clip_get_image(OfxImageClipHandle clip, OfxTime time, const OfxRectD *region, OfxPropertySetHandle *image) {
    FAIL_IF_ASKED;
    (void)region;
    /* The output has one image for all times, and so has a source of one. */
    int place = clip->count == 1 ? 0 : (int)time;
    if (place < 0 || place >= clip->count)
        return kOfxStatFailed;
    *image = clip->images[place];
    __atomic_fetch_add(&lent, 1, __ATOMIC_RELAXED);
    return kOfxStatOK;
}

static OfxStatus clip_release_image(OfxPropertySetHandle image) {
    (void)image;
    __atomic_fetch_sub(&lent, 1, __ATOMIC_RELAXED);
    return kOfxStatOK;
}

static OfxImageEffectSuiteV1 effect_suite = {.getPropertySet = get_property_set, .getParamSet = get_param_set,
    .clipDefine = clip_define, .clipGetHandle = clip_get_handle, .clipGetImage = clip_get_image,
    .clipReleaseImage = clip_release_image};

/* The parameter suite. */
static struct OfxParamStruct *param_of(OfxParamSetHandle set, const char *name) {
    for (int i = 0; i < set->count; ++i)
        if (!strcmp(set->params[i].name, name))
            return &set->params[i];
    return NULL;
}

static OfxStatus param_define(OfxParamSetHandle set, const char *type, const char *name, OfxPropertySetHandle *props) {
    FAIL_IF_ASKED;
    if (param_of(set, name))
        return kOfxStatErrExists;
    struct OfxParamStruct *param = &set->params[set->count++];
    snprintf(param->name, sizeof param->name, "%s", name);
    snprintf(param->type, sizeof param->type, "%s", type);
    *props = &param->props;
    return kOfxStatOK;
}

static OfxStatus param_get_handle(OfxParamSetHandle set, const char *name, OfxParamHandle *param, OfxPropertySetHandle *props) {
    FAIL_IF_ASKED;
    *param = param_of(set, name);
    if (*param && props)
        *props = &(*param)->props;
    return *param ? kOfxStatOK : kOfxStatErrUnknown;
}

static OfxStatus param_get_value_at_time(OfxParamHandle param, OfxTime time, ...) {
    FAIL_IF_ASKED;
    va_list args;
    va_start(args, time);
    if (!strcmp(param->type, kOfxParamTypeString))
        *va_arg(args, char **) = param->text;
    else if (!strcmp(param->type, kOfxParamTypeDouble))
        *va_arg(args, double *) = param->value;
    else
        *va_arg(args, int *) = (int)param->value;
    va_end(args);
    return kOfxStatOK;
}

static OfxParameterSuiteV1 param_suite = {.paramDefine = param_define, .paramGetHandle = param_get_handle,
    .paramGetValueAtTime = param_get_value_at_time};

/* The message suite. */
static OfxStatus set_message(void *handle, const char *kind, const char *id, const char *format, ...) {
    (void)handle, (void)kind, (void)id;
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return kOfxStatOK;
}

static OfxStatus clear_message(void *handle) {
    (void)handle;
    message[0] = 0;
    ++cleared;
    return kOfxStatOK;
}

static OfxMessageSuiteV2 message_suite = {NULL, set_message, clear_message};

/* A suite that the host lacks. */
static const char *lacking = "";

static const void *fetch_suite(OfxPropertySetHandle host, const char *name, int version) {
    (void)host;
    if (!strcmp(name, lacking))
        return NULL;
    if (!strcmp(name, kOfxPropertySuite) && version == 1)
        return &property_suite;
    if (!strcmp(name, kOfxImageEffectSuite) && version == 1)
        return &effect_suite;
    if (!strcmp(name, kOfxParameterSuite) && version == 1)
        return &param_suite;
    return !strcmp(name, kOfxMessageSuite) && version == 2 ? &message_suite : NULL;
}

static struct OfxPropertySetStruct host_props;
static OfxHost host = {&host_props, fetch_suite};

/* The library. */
static void *vramp;
static int (*plugin_count)(void);
static OfxPlugin *(*plugin_at)(int);

static void load(const char *path) {
    vramp = library(path);
    *(void **)&plugin_count = vramp ? symbol(vramp, "OfxGetNumberOfPlugins") : NULL;
    *(void **)&plugin_at = vramp ? symbol(vramp, "OfxGetPlugin") : NULL;
    if (!plugin_count || !plugin_at) {
        printf("%s does not load, or has no effects\n", path);
        exit(2);
    }
    put_number(&host_props, kOfxImageEffectPropTemporalClipAccess, 0, 1);
}

/* The plugin called org.vramp.NAME. */
static OfxPlugin *plugin_of(const char *name) {
    for (int i = 0; i < plugin_count(); ++i)
        if (!strcmp(plugin_at(i)->pluginIdentifier + strlen("org.vramp."), name))
            return plugin_at(i);
    printf("there is no org.vramp.%s\n", name);
    exit(2);
}

static OfxStatus act(OfxPlugin *plugin, const char *action, OfxImageEffectHandle effect, OfxPropertySetHandle in,
                     OfxPropertySetHandle out) {
    return plugin->mainEntry(action, effect, in, out);
}

/* An effect in use, with its parameters at their defaults. */
static OfxImageEffectHandle effect_of(OfxPlugin *plugin) {
    OfxImageEffectHandle effect = calloc(1, sizeof *effect);
    struct OfxPropertySetStruct context = {0};
    put_text(&context, kOfxImageEffectPropContext, 0, kOfxImageEffectContextFilter);
    plugin->setHost(&host);
    CHECK(act(plugin, kOfxActionLoad, NULL, NULL, NULL) == kOfxStatOK);
    CHECK(act(plugin, kOfxActionDescribe, effect, NULL, NULL) == kOfxStatOK);
    CHECK(act(plugin, kOfxImageEffectActionDescribeInContext, effect, &context, NULL) == kOfxStatOK);
    CHECK(act(plugin, kOfxActionCreateInstance, effect, NULL, NULL) == kOfxStatOK);
    for (int i = 0; i < effect->params.count; ++i) {
        struct OfxParamStruct *param = &effect->params.params[i];
        param->value = number_of(&param->props, kOfxParamPropDefault, 0);
        param->text = strdup(text_of(&param->props, kOfxParamPropDefault, 0));
    }
    clear_set(&context);
    return effect;
}

static void end(OfxPlugin *plugin, OfxImageEffectHandle effect) {
    CHECK(act(plugin, kOfxActionDestroyInstance, effect, NULL, NULL) == kOfxStatOK);
    for (int i = 0; i < effect->params.count; ++i) {
        free(effect->params.params[i].text);
        clear_set(&effect->params.params[i].props);
    }
    clear_set(&effect->props);
    clear_set(&effect->source.props);
    clear_set(&effect->output.props);
    free(effect);
}

static void set_param_text(OfxImageEffectHandle effect, const char *name, const char *text) {
    struct OfxParamStruct *param = param_of(&effect->params, name);
    free(param->text);
    param->text = strdup(text);
}

/* An image: pixels in a block that is exactly theirs, bottom row first or last. */
typedef struct {
    struct OfxPropertySetStruct props;
    unsigned char *block;
    int width, height, depth_bytes, row_bytes;
} Image;

static int bytes_of(const char *depth) {
    return !strcmp(depth, kOfxBitDepthByte) ? 1 : !strcmp(depth, kOfxBitDepthFloat) ? 4 : 2;
}

static Image *image_of(const char *depth, int width, int height, int top_first) {
    Image *image = calloc(1, sizeof *image);
    image->width = width, image->height = height, image->depth_bytes = bytes_of(depth);
    image->row_bytes = (4 * width + 4) * image->depth_bytes;
    size_t bytes = (size_t)image->row_bytes * (size_t)height;
    image->block = malloc(bytes);
    memset(image->block, 0x5a, bytes);
    int step = top_first ? -image->row_bytes : image->row_bytes;
    OfxPropertySetHandle props = &image->props;
    make(props, kOfxImagePropData, 0)->pointer = image->block + (top_first ? (size_t)(height - 1) * (size_t)image->row_bytes : 0);
    put_number(props, kOfxImagePropRowBytes, 0, step);
    int bounds[4] = {0, 0, width, height};
    for (int i = 0; i < 4; ++i)
        put_number(props, kOfxImagePropBounds, i, bounds[i]);
    put_text(props, kOfxImageEffectPropPixelDepth, 0, depth);
    put_text(props, kOfxImageEffectPropComponents, 0, kOfxImageComponentRGBA);
    put_text(props, kOfxImageEffectPropPreMultiplication, 0, kOfxImageUnPreMultiplied);
    return image;
}

static void free_image(Image *image) {
    clear_set(&image->props);
    free(image->block);
    free(image);
}

static void connect_clip(OfxImageClipHandle clip, Image **images, int count) {
    clip->count = count;
    for (int i = 0; i < count; ++i)
        clip->images[i] = &images[i]->props;
}

/* What an action gets: the time, the scale, and a window of width x height. */
static struct OfxPropertySetStruct arguments(double time, double scale, int width, int height) {
    struct OfxPropertySetStruct in = {0};
    put_number(&in, kOfxPropTime, 0, time);
    put_number(&in, kOfxImageEffectPropRenderScale, 0, scale);
    put_number(&in, kOfxImageEffectPropRenderScale, 1, scale);
    int window[4] = {0, 0, width, height};
    for (int i = 0; i < 4; ++i)
        put_number(&in, kOfxImageEffectPropRenderWindow, i, window[i]);
    put_text(&in, kOfxImageEffectPropFieldToRender, 0, kOfxImageFieldNone);
    return in;
}

/* Renders `source` at `time` to `target`. */
static OfxStatus render(OfxPlugin *plugin, OfxImageEffectHandle effect, Image **sources, int count, Image *target, double time,
                        double scale) {
    connect_clip(&effect->source, sources, count);
    connect_clip(&effect->output, &target, 1);
    struct OfxPropertySetStruct in = arguments(time, scale, target->width, target->height);
    OfxStatus status = act(plugin, kOfxImageEffectActionRender, effect, &in, NULL);
    clear_set(&in);
    return status;
}
