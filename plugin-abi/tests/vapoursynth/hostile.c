/* A stub of VapourSynth that does what VapourSynth never does: clips, arguments and frames that cannot be, and every call of it that
 * may fail fails once. What cannot be done is refused in one line, and every reference goes back. Behind each plane is a page that
 * nobody may touch, and a plane that was given back is gone, beside what AddressSanitizer sees. */
#define _GNU_SOURCE
#include <VapourSynth4.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { MOST = 16, WIDTH = 64, HEIGHT = 48, FRAMES = 6 };

static int failures;
static const char *doing = "";

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("line %d, %s: %s does not hold\n", __LINE__, doing, #condition);                                    \
            ++failures;                                                                                                \
        }                                                                                                              \
    } while (0)

/* Calls that may fail are counted, and one of them fails. */
static int calls, fail_at = -1;

static int fails(void) { return calls++ == fail_at; }

typedef struct {
    char key[64];
    char type;
    int count;
    int64_t ints[MOST];
    double floats[MOST];
    const char *data[MOST];
    int sizes[MOST];
    VSNode *nodes[MOST];
} Entry;

struct VSMap {
    Entry entries[MOST];
    int count;
    char error[2048];
};

struct VSNode {
    VSVideoInfo info;
    int refs;
    VSFilterGetFrame get;
    VSFilterFree free;
    void *instance;
};

struct VSFrame {
    VSVideoFormat format;
    int width, height, refs;
    uint8_t *planes[3];
    VSMap props;
};

struct VSFrameContext {
    char error[2048];
    int asked;
};

/* References that were not given back. */
static int live_nodes, live_frames, live_maps;
/* What frames of sources have. */
static int other_size, other_format, no_memory;

static const VSAPI api;
static VSCore *const core = (VSCore *)&live_nodes;

/* Maps. */

static VSMap *VS_CC create_map(void) {
    ++live_maps;
    return calloc(1, sizeof(VSMap));
}

static void VS_CC free_map(VSMap *map) {
    --live_maps;
    for (int i = 0; i < map->count; ++i)
        for (int n = 0; n < map->entries[i].count; ++n)
            if (map->entries[i].nodes[n]) api.freeNode(map->entries[i].nodes[n]);
    free(map);
}

static Entry *find(const VSMap *map, const char *key) {
    for (int i = 0; i < map->count; ++i)
        if (!strcmp(map->entries[i].key, key)) return (Entry *)&map->entries[i];
    return NULL;
}

/* A value more of `key`, or its only one. */
static Entry *value(VSMap *map, const char *key, char type, int append) {
    Entry *entry = find(map, key);
    if (!entry && map->count < MOST) {
        entry = &map->entries[map->count++];
        snprintf(entry->key, sizeof entry->key, "%s", key);
    }
    if (!entry) exit(2);
    entry->type = type;
    entry->count = append == maAppend && entry->count < MOST ? entry->count + 1 : 1;
    return entry;
}

static const Entry *item(const VSMap *map, const char *key, char type, int index, int *error) {
    const Entry *entry = find(map, key);
    *error = fails() || !entry || entry->type != type || index < 0 || index >= entry->count;
    return *error ? NULL : entry;
}

static void VS_CC set_error(VSMap *map, const char *text) { snprintf(map->error, sizeof map->error, "%s", text); }
static int VS_CC num_keys(const VSMap *map) { return map->count; }
static const char *VS_CC get_key(const VSMap *map, int index) { return map->entries[index].key; }

static int VS_CC num_elements(const VSMap *map, const char *key) {
    const Entry *entry = find(map, key);
    return entry && !fails() ? entry->count : -1;
}

static int64_t VS_CC get_int(const VSMap *map, const char *key, int index, int *error) {
    const Entry *entry = item(map, key, 'i', index, error);
    return entry ? entry->ints[index] : 0;
}

static double VS_CC get_float(const VSMap *map, const char *key, int index, int *error) {
    const Entry *entry = item(map, key, 'f', index, error);
    return entry ? entry->floats[index] : 0;
}

static const char *VS_CC get_data(const VSMap *map, const char *key, int index, int *error) {
    const Entry *entry = item(map, key, 's', index, error);
    return entry ? entry->data[index] : NULL;
}

static int VS_CC get_data_size(const VSMap *map, const char *key, int index, int *error) {
    const Entry *entry = item(map, key, 's', index, error);
    return entry ? entry->sizes[index] : -1;
}

static VSNode *VS_CC get_node(const VSMap *map, const char *key, int index, int *error) {
    const Entry *entry = item(map, key, 'c', index, error);
    return entry && entry->nodes[index] ? api.addNodeRef(entry->nodes[index]) : NULL;
}

static int VS_CC set_int(VSMap *map, const char *key, int64_t number, int append) {
    Entry *entry = value(map, key, 'i', append);
    entry->ints[entry->count - 1] = number;
    return fails();
}

static int VS_CC set_ints(VSMap *map, const char *key, const int64_t *numbers, int count) {
    for (int i = 0; i < count; ++i) set_int(map, key, numbers[i], i ? maAppend : maReplace);
    return 0;
}

static int VS_CC set_float(VSMap *map, const char *key, double number, int append) {
    Entry *entry = value(map, key, 'f', append);
    entry->floats[entry->count - 1] = number;
    return fails();
}

static int VS_CC set_node(VSMap *map, const char *key, VSNode *node, int append) {
    Entry *entry = value(map, key, 'c', append);
    entry->nodes[entry->count - 1] = node ? api.addNodeRef(node) : NULL;
    return 0;
}

static void set_bytes(VSMap *map, const char *key, const char *bytes, int size, int append) {
    Entry *entry = value(map, key, 's', append);
    entry->data[entry->count - 1] = bytes;
    entry->sizes[entry->count - 1] = size;
}

static void set_text(VSMap *map, const char *key, const char *text) { set_bytes(map, key, text, (int)strlen(text), maReplace); }

/* Clips. */

static VSNode *node_of(const VSVideoInfo *info) {
    VSNode *node = calloc(1, sizeof *node);
    node->info = *info;
    node->refs = 1;
    ++live_nodes;
    return node;
}

static VSNode *VS_CC add_node_ref(VSNode *node) {
    ++node->refs;
    ++live_nodes;
    return node;
}

static void VS_CC free_node(VSNode *node) {
    --live_nodes;
    if (--node->refs) return;
    if (node->free) node->free(node->instance, core, &api);
    free(node);
}

static const VSVideoInfo *VS_CC get_video_info(VSNode *node) { return &node->info; }

static VSNode *VS_CC create_filter2(const char *name, const VSVideoInfo *info, VSFilterGetFrame get, VSFilterFree end, int mode,
                                    const VSFilterDependency *reads, int count, void *instance, VSCore *of) {
    (void)mode, (void)of;
    CHECK(name[0] && count > 0 && reads[0].source && info->width > 0 && info->numFrames > 0);
    if (fails()) {
        end(instance, core, &api);
        return NULL;
    }
    VSNode *node = node_of(info);
    node->get = get, node->free = end, node->instance = instance;
    return node;
}

static void VS_CC create_filter(VSMap *out, const char *name, const VSVideoInfo *info, VSFilterGetFrame get, VSFilterFree end,
                                int mode, const VSFilterDependency *reads, int count, void *instance, VSCore *of) {
    VSNode *node = create_filter2(name, info, get, end, mode, reads, count, instance, of);
    if (!node) {
        set_error(out, "no filter");
        return;
    }
    set_node(out, "clip", node, maReplace);
    free_node(node);
}

/* Frames. */

static int width_of(const VSFrame *frame, int plane) { return plane ? frame->width >> frame->format.subSamplingW : frame->width; }
static int height_of(const VSFrame *frame, int plane) { return plane ? frame->height >> frame->format.subSamplingH : frame->height; }
static ptrdiff_t stride_of(const VSFrame *frame, int plane) { return (width_of(frame, plane) * frame->format.bytesPerSample + 63) / 64 * 64; }
static size_t bytes_of(const VSFrame *frame, int plane) { return (size_t)stride_of(frame, plane) * (size_t)height_of(frame, plane); }
static size_t pages_of(const VSFrame *frame, int plane) { return (bytes_of(frame, plane) + 4095) / 4096 * 4096; }

static VSFrame *frame_of(const VSVideoFormat *format, int width, int height) {
    VSFrame *frame = calloc(1, sizeof *frame);
    frame->format = *format, frame->width = width, frame->height = height, frame->refs = 1;
    ++live_frames;
    for (int i = 0; i < format->numPlanes; ++i) {
        size_t whole = pages_of(frame, i);
        uint8_t *start = mmap(NULL, whole + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (start == MAP_FAILED || mprotect(start + whole, 4096, PROT_NONE)) exit(2);
        frame->planes[i] = start + whole - bytes_of(frame, i);
    }
    return frame;
}

static VSFrame *VS_CC new_frame(const VSVideoFormat *format, int width, int height, const VSFrame *like, VSCore *of) {
    (void)of;
    if (fails()) return NULL;
    VSFrame *frame = frame_of(format, width, height);
    if (like) frame->props = like->props;
    return frame;
}

static VSFrame *VS_CC copy_frame(const VSFrame *from, VSCore *of) {
    VSFrame *frame = new_frame(&from->format, from->width, from->height, from, of);
    for (int i = 0; frame && i < frame->format.numPlanes; ++i) memcpy(frame->planes[i], from->planes[i], bytes_of(frame, i));
    return frame;
}

static void VS_CC free_frame(const VSFrame *given) {
    VSFrame *frame = (VSFrame *)given;
    --live_frames;
    if (--frame->refs) return;
    for (int i = 0; i < frame->format.numPlanes; ++i)
        munmap(frame->planes[i] + bytes_of(frame, i) - pages_of(frame, i), pages_of(frame, i) + 4096);
    free(frame);
}

static const VSMap *VS_CC props_ro(const VSFrame *frame) { return &frame->props; }
static VSMap *VS_CC props_rw(VSFrame *frame) { return &frame->props; }
static ptrdiff_t VS_CC get_stride(const VSFrame *frame, int plane) { return stride_of(frame, plane); }
static const uint8_t *VS_CC read_ptr(const VSFrame *frame, int plane) { return no_memory ? NULL : frame->planes[plane]; }
static uint8_t *VS_CC write_ptr(VSFrame *frame, int plane) { return frame->planes[plane]; }
static const VSVideoFormat *VS_CC frame_format(const VSFrame *frame) { return &frame->format; }
static int VS_CC frame_width(const VSFrame *frame, int plane) { return width_of(frame, plane); }
static int VS_CC frame_height(const VSFrame *frame, int plane) { return height_of(frame, plane); }

/* Frame `n` of a clip: noise, or what its filter makes of the frames that it asks for. */
static const VSFrame *made(int n, VSNode *node, char *why, int size) {
    VSFrameContext context = {0};
    void *data = NULL;
    if (node->get) {
        CHECK(!node->get(n, arInitial, node->instance, &data, &context, core, &api));
        CHECK(context.asked > 0);
        const VSFrame *frame = node->get(n, arAllFramesReady, node->instance, &data, &context, core, &api);
        CHECK(!frame == !!context.error[0] && !strchr(context.error, '\n'));
        if (why) snprintf(why, (size_t)size, "%s", context.error);
        return frame;
    }
    VSVideoFormat format = node->info.format;
    if (other_format) format.bitsPerSample = 16, format.bytesPerSample = 2;
    VSFrame *frame = frame_of(&format, node->info.width + other_size, node->info.height);
    set_int(&frame->props, "_Range", 77, maReplace);
    for (int i = 0; i < format.numPlanes; ++i)
        for (size_t at = 0; at < bytes_of(frame, i); ++at) frame->planes[i][at] = (uint8_t)((at * 2654435761u + (unsigned)n) >> 13);
    return frame;
}

static const VSFrame *VS_CC get_frame(int n, VSNode *node, char *why, int size) {
    if (!fails()) return made(n, node, why, size);
    snprintf(why, (size_t)size, "no such frame");
    return NULL;
}

static const VSFrame *VS_CC get_frame_filter(int n, VSNode *node, VSFrameContext *context) {
    CHECK(context->asked > 0 && n >= 0 && n < node->info.numFrames);
    return fails() ? NULL : made(n, node, NULL, 0);
}

static void VS_CC request_frame(int n, VSNode *node, VSFrameContext *context) {
    CHECK(n >= 0 && n < node->info.numFrames);
    ++context->asked;
}

static void VS_CC set_filter_error(const char *text, VSFrameContext *context) {
    snprintf(context->error, sizeof context->error, "%s", text);
}

/* Formats. */

static int VS_CC format_name(const VSVideoFormat *format, char *name) {
    (void)format;
    memset(name, 'x', 31), name[31] = 0;
    return !fails();
}

static int VS_CC query_format(VSVideoFormat *format, int family, int type, int bits, int w, int h, VSCore *of) {
    (void)of;
    *format = (VSVideoFormat){family, type, bits, bits > 8 ? type == stFloat ? 4 : 2 : 1, w, h, family == cfGray ? 1 : 3};
    return !fails();
}

static int VS_CC api_version(void) { return VS_MAKE_VERSION(4, 2); }
static VSPlugin *VS_CC no_plugin(const char *name, VSCore *of) { return (void)name, (void)of, NULL; }

static const VSAPI api = {
    .createVideoFilter = create_filter,
    .createVideoFilter2 = create_filter2,
    .freeNode = free_node,
    .addNodeRef = add_node_ref,
    .getVideoInfo = get_video_info,
    .newVideoFrame = new_frame,
    .freeFrame = free_frame,
    .copyFrame = copy_frame,
    .getFramePropertiesRO = props_ro,
    .getFramePropertiesRW = props_rw,
    .getStride = get_stride,
    .getReadPtr = read_ptr,
    .getWritePtr = write_ptr,
    .getVideoFrameFormat = frame_format,
    .getFrameWidth = frame_width,
    .getFrameHeight = frame_height,
    .getVideoFormatName = format_name,
    .queryVideoFormat = query_format,
    .getFrame = get_frame,
    .getFrameFilter = get_frame_filter,
    .requestFrameFilter = request_frame,
    .setFilterError = set_filter_error,
    .createMap = create_map,
    .freeMap = free_map,
    .mapSetError = set_error,
    .mapNumKeys = num_keys,
    .mapGetKey = get_key,
    .mapNumElements = num_elements,
    .mapGetInt = get_int,
    .mapSetInt = set_int,
    .mapSetIntArray = set_ints,
    .mapGetFloat = get_float,
    .mapSetFloat = set_float,
    .mapGetData = get_data,
    .mapGetDataSize = get_data_size,
    .mapGetNode = get_node,
    .mapSetNode = set_node,
    .getPluginByNamespace = no_plugin,
    .getAPIVersion = api_version,
};

/* The plugin. */

static struct {
    char name[64];
    VSPublicFunction function;
    void *data;
} functions[128];
static int function_count, registered;

static int VS_CC configure(const char *id, const char *space, const char *name, int version, int wanted, int flags, VSPlugin *plugin) {
    (void)id, (void)space, (void)name, (void)version, (void)wanted, (void)flags, (void)plugin;
    return registered;
}

static int VS_CC add(const char *name, const char *args, const char *result, VSPublicFunction function, void *data, VSPlugin *plugin) {
    (void)args, (void)result, (void)plugin;
    if (!registered || function_count == 128) return 0;
    snprintf(functions[function_count].name, sizeof functions->name, "%s", name);
    functions[function_count].function = function;
    functions[function_count++].data = data;
    return 1;
}

static VSVideoInfo yuv(void) {
    VSVideoInfo info = {{cfYUV, stInteger, 8, 1, 1, 1, 3}, 25, 1, WIDTH, HEIGHT, FRAMES};
    return info;
}

/* A map with a clip of `info`. */
static VSMap *arguments(VSVideoInfo info) {
    VSMap *map = create_map();
    VSNode *node = node_of(&info);
    set_node(map, "clip", node, maReplace);
    free_node(node);
    set_text(map, "device", "cpu");
    return map;
}

/* Calls a function and ends `args`. The clip that it makes; NULL where it refuses, with the reason in `why`. */
static char why[2048];

static VSNode *call(const char *name, VSMap *args) {
    VSMap *out = create_map();
    int known = 0, none;
    for (int i = 0; i < function_count; ++i)
        if (!strcmp(functions[i].name, name)) known = 1, functions[i].function(args, out, functions[i].data, core, &api);
    CHECK(known);
    Entry *clip = find(out, "clip");
    VSNode *node = clip ? add_node_ref(clip->nodes[0]) : NULL;
    snprintf(why, sizeof why, "%s", out->error);
    none = !node;
    CHECK(none == !!why[0] && !strchr(why, '\n'));
    free_map(args);
    free_map(out);
    return node;
}

static void ended(void) {
    CHECK(live_nodes == 0 && live_frames == 0 && live_maps == 0);
    live_nodes = live_frames = live_maps = 0;
}

/* The call is refused, with these words. */
static void refused(const char *name, VSMap *args, const char *words) {
    VSNode *node = call(name, args);
    if (node || !strstr(why, words)) printf("%s: \"%s\" and not \"%s\"\n", doing, why, words), ++failures;
    if (node) free_node(node);
    ended();
}

static void clips(void) {
    static const struct {
        const char *what;
        VSVideoFormat format;
    } formats[] = {
        {"no family", {77, stInteger, 8, 1, 1, 1, 3}},        {"negative family", {-3, stInteger, 8, 1, 1, 1, 3}},
        {"no type", {cfYUV, 9, 8, 1, 1, 1, 3}},               {"no bits", {cfYUV, stInteger, 0, 1, 1, 1, 3}},
        {"negative bits", {cfYUV, stInteger, -8, 1, 1, 1, 3}}, {"many bits", {cfYUV, stInteger, INT_MAX, 1, 1, 1, 3}},
        {"subsampling", {cfYUV, stInteger, 8, 1, 31, 31, 3}}, {"negative subsampling", {cfYUV, stInteger, 8, 1, -1, INT_MIN, 3}},
        {"half", {cfRGB, stFloat, 16, 2, 0, 0, 3}},           {"32 bits", {cfGray, stInteger, 32, 4, 0, 0, 1}},
        {"varying", {0, 0, 0, 0, 0, 0, 0}},
    };
    for (size_t i = 0; i < sizeof formats / sizeof *formats; ++i) {
        VSVideoInfo info = yuv();
        doing = formats[i].what, info.format = formats[i].format;
        refused("Deband", arguments(info), "filtered");
    }
    static const int sizes[] = {INT_MIN, -1, 0, INT_MAX};
    for (int i = 0; i < 4; ++i) {
        VSVideoInfo wide = yuv(), high = yuv();
        wide.width = high.height = sizes[i];
        doing = "width", refused("Deband", arguments(wide), "");
        doing = "height", refused("Chain", arguments(high), "");
    }
    static const int counts[] = {INT_MIN, -1, 0};
    for (int i = 0; i < 3; ++i) {
        VSVideoInfo info = yuv();
        doing = "frames", info.numFrames = counts[i];
        refused("Deband", arguments(info), "frames");
    }
    /* Rates that are none: a clip has them, or is refused. */
    static const int64_t rates[] = {INT64_MIN, -1, 0, INT64_MAX};
    for (int i = 0; i < 16; ++i) {
        VSVideoInfo info = yuv();
        doing = "rate", info.fpsNum = rates[i % 4], info.fpsDen = rates[i / 4];
        VSMap *args = arguments(info);
        set_text(args, "chain", "select(cycle 2)");
        VSNode *node = call("Chain", args);
        if (node) free_node(node);
        ended();
    }
    doing = "no clip";
    refused("Deband", create_map(), "the clip is missing");
    VSMap *args = create_map();
    set_node(args, "clip", NULL, maReplace);
    refused("Deband", args, "the clip is missing");
}

static void wrong_arguments(void) {
    static const int64_t ints[] = {INT64_MIN, -1, 128, INT64_MAX};
    for (int i = 0; i < 4; ++i) {
        doing = "numbers";
        VSMap *args = arguments(yuv());
        set_int(args, "range", ints[i], maReplace);
        refused("Deband", args, "range must be");
    }
    doing = "planes";
    VSMap *args = arguments(yuv());
    for (int i = 0; i < MOST; ++i) set_int(args, "planes", i * 1000000007LL, maAppend);
    refused("Deband", args, "planes");
    char *endless = malloc(100001);
    memset(endless, '(', 100000), endless[100000] = 0;
    const struct {
        const char *bytes;
        int size;
    } texts[] = {{"debnad", 6}, {"\xff\xfe(", 3}, {"gauss(sigma %s%n)", 17}, {"deband\0(", 8}, {endless, 100000}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        doing = "text";
        args = arguments(yuv());
        set_bytes(args, "chain", texts[i].bytes, texts[i].size, maReplace);
        refused("Chain", args, "Chain: ");
    }
    free(endless);
    /* Bytes that are nowhere, and of no size. */
    const int sizes[] = {INT_MIN, -1, 0, 5};
    for (int i = 0; i < 4; ++i) {
        doing = "nowhere";
        args = arguments(yuv());
        set_bytes(args, "chain", NULL, sizes[i], maReplace);
        VSNode *node = call("Chain", args);
        if (node) free_node(node);
        ended();
    }
    doing = "inputs";
    args = arguments(yuv());
    set_text(args, "chain", "merge(with b)"), set_text(args, "names", "b");
    refused("Chain", args, "0 inputs have 1 names");
}

/* Frames that are not what their clip states. */
static void wrong_frames(void) {
    int *const wrong[] = {&other_size, &other_format, &no_memory};
    for (int i = 0; i < 3; ++i) {
        doing = "frames";
        VSNode *node = call("Deband", arguments(yuv()));
        CHECK(node);
        if (!node) continue;
        for (int round = 0; round < 2; ++round) {
            *wrong[i] = !round;
            const VSFrame *frame = made(1, node, why, sizeof why);
            CHECK(!frame == !round);
            if (frame) free_frame(frame);
        }
        /* Reasons that are none. */
        VSFrameContext context = {0};
        void *data = NULL;
        CHECK(!node->get(0, arError, node->instance, &data, &context, core, &api));
        CHECK(!node->get(0, 77, node->instance, &data, &context, core, &api) && !context.asked);
        free_node(node);
        ended();
    }
}

/* Every call that may fail fails once, in the making of a clip and of two frames. */
static void failing(const char *name, const char *chain) {
    int most = 1;
    doing = chain;
    for (int at = -1; at < most; ++at) {
        calls = 0, fail_at = at;
        VSMap *args = arguments(yuv());
        if (strcmp(name, "Chain") == 0) set_text(args, "chain", chain);
        if (strstr(chain, "with")) {
            set_node(args, "inputs", find(args, "clip")->nodes[0], maReplace);
            set_text(args, "names", "b");
        }
        calls = 0;
        VSNode *node = call(name, args);
        CHECK(node || at >= 0);
        const int last = node ? node->info.numFrames - 1 : -1;
        for (int n = 0; n <= last; n += last) {
            const VSFrame *frame = made(n, node, why, sizeof why);
            CHECK(frame || at >= 0);
            if (frame) free_frame(frame);
        }
        if (node) free_node(node);
        most = calls > most ? calls : most;
        ended();
    }
    fail_at = -1;
    CHECK(most > 10);
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    void (*start)(VSPlugin *, const VSPLUGINAPI *) = NULL;
    if (library) *(void **)&start = dlsym(library, "VapourSynthPluginInit2");
    if (!start) {
        printf("%s\n", dlerror());
        return 2;
    }
    setbuf(stdout, NULL);
    const VSPLUGINAPI plugin = {.getAPIVersion = api_version, .configPlugin = configure, .registerFunction = add};
    start(NULL, NULL);
    /* A host that takes nothing, and one that does. */
    start(NULL, &plugin);
    CHECK(function_count == 0);
    registered = 1;
    start(NULL, &plugin);
    CHECK(function_count > 40);
    clips();
    wrong_arguments();
    wrong_frames();
    failing("Deband", "deband");
    failing("Chain", "");
    failing("Chain", "deband > depth(10)");
    failing("Chain", "tmedian > gauss(1) > tmedian");
    failing("Chain", "merge(with b) > select(cycle 2)");
    printf("%d failures\n", failures);
    return failures != 0;
}
