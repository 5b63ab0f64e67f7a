/* A stub of AviUtl2 with a filter of the plugin: its items, pictures equal to the C ABI's, the log, and calls that no host should make.
   It prints hashes, the same on every system. Arguments: the library as vramp_deband, as vramp_deband_en, and as vramp_chain. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../cc/load.h"
#include "vramp.h"

/* The interface, written from the SDK's documentation. */
typedef const uint16_t *Text;
typedef struct {
    Text type, name;
    double value, s, e, step;
    Text zero_display;
    double slider_ratio;
} Track;
typedef struct {
    Text type, name;
    bool value;
} Check;
typedef struct {
    Text name;
    int value;
} Choice;
typedef struct {
    Text type, name;
    int value;
    const Choice *items;
} Select;
typedef struct {
    Text type, name, value;
} String;
typedef struct {
    Text type, name;
    bool visible;
} Group;
typedef struct {
    int64_t id;
    int frame, frame_total;
    double time, time_total;
    int width, height;
    char more[128];
} Object;
typedef struct {
    const void *scene;
    const Object *object;
    const void *between[29];
    bool (*get_data)(Text, void *, int width, int height, int pitch, int format);
    bool (*set_data)(Text, const void *, int width, int height, int pitch, int format);
    const void *more[9];
} Video;
typedef struct {
    int flag;
    Text name, label, information;
    void **items;
    bool (*proc_video)(Video *);
    void *audio, *create, *destroy;
} Table;
typedef struct Log Log;
struct Log {
    void (*log)(Log *, Text), (*info)(Log *, Text), (*warn)(Log *, Text), (*error)(Log *, Text), (*verbose)(Log *, Text);
};

enum { WIDTH = 75, HEIGHT = 40, SAMPLES = WIDTH * HEIGHT, PA64 = 11 };

static int failures, sets, gives = 1;
static char said[512];
static int lines;
static uint16_t picture[SAMPLES][4];

#define CHECK(is)                                                \
    do {                                                         \
        if (!(is)) {                                             \
            printf("line %d: %s\n", __LINE__, #is), ++failures; \
        }                                                        \
    } while (0)

typedef void (*Entry)(void);
static Entry entry(void *library, const char *name) {
    void *found = symbol(library, name);
    Entry made;
    if (!found) printf("no %s\n", name), exit(1);
    memcpy(&made, &found, sizeof made);
    return made;
}

/* UTF-16 as UTF-8; there are no letters beyond its first plane. */
static char *utf8(Text text, char *to) {
    char *at = to;
    for (; *text; text++) {
        if (*text < 0x80) *at++ = (char)*text;
        else if (*text < 0x800) *at++ = (char)(0xc0 | *text >> 6), *at++ = (char)(0x80 | (*text & 63));
        else *at++ = (char)(0xe0 | *text >> 12), *at++ = (char)(0x80 | (*text >> 6 & 63)), *at++ = (char)(0x80 | (*text & 63));
    }
    *at = 0;
    return to;
}

static void error(Log *log, Text text) {
    (void)log;
    utf8(text, said), ++lines;
}

static bool is_object(Text name) {
    char text[64];
    return !strcmp(utf8(name, text), "object");
}

static bool get_data(Text name, void *to, int width, int height, int pitch, int format) {
    if (!gives || !is_object(name) || width != WIDTH || height != HEIGHT || pitch != 8 * WIDTH || format != PA64) return false;
    memcpy(to, picture, sizeof picture);
    return true;
}

static bool set_data(Text name, const void *from, int width, int height, int pitch, int format) {
    if (gives != 1 || !is_object(name) || width != WIDTH || height != HEIGHT || pitch != 8 * WIDTH || format != PA64) return false;
    memcpy(picture, from, sizeof picture);
    ++sets;
    return true;
}

static void draw(void) {
    for (int i = 0; i < SAMPLES; i++) {
        int x = i % WIDTH, y = i / WIDTH, alpha = x == 3 ? 0 : x < 9 ? 40000 : 65535;
        for (int c = 0; c < 3; c++) picture[i][c] = (uint16_t)((int64_t)(12000 + 3000 * c + 500 * (x / 12) + 257 * (y / 9)) * alpha / 65535);
        picture[i][3] = (uint16_t)alpha;
    }
}

static uint64_t hash(const void *bytes, size_t count) {
    uint64_t value = 0xcbf29ce484222325;
    for (size_t i = 0; i < count; i++) value = (value ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3;
    return value;
}

/* The item of this name. */
static void *item(const Table *table, const char *name) {
    char text[256];
    for (int i = 0; table->items[i]; i++)
        if (!strcmp(utf8(((Check *)table->items[i])->name, text), name)) return table->items[i];
    printf("there is no item %s\n", name), exit(1);
}

static void list(const Table *table) {
    char type[32], name[256];
    printf("%s, flags %d\n", utf8(table->name, name), table->flag);
    for (int i = 0; table->items[i]; i++) {
        Check *check = table->items[i];
        Track *track = table->items[i];
        printf("  %s %s", utf8(check->type, type), utf8(check->name, name));
        if (!strcmp(type, "track2")) printf(": %g, from %g to %g by %g\n", track->value, track->s, track->e, track->step);
        else if (!strcmp(type, "string")) printf(": %s\n", utf8(((String *)table->items[i])->value, name));
        else if (!strcmp(type, "select")) {
            printf(": %d of", ((Select *)table->items[i])->value);
            for (const Choice *choice = ((Select *)table->items[i])->items; choice->name; choice++) printf(" %s", utf8(choice->name, name));
            printf("\n");
        } else printf(": %d\n", check->value);
    }
}

/* In RGB the picture is the C ABI's to the bit, and alpha stays. */
static void equal(void *opened, const Table *table, Video *video, const char *text, int frame) {
    __typeof__(&vramp_chain_create) create = (__typeof__(create))entry(opened, "vramp_chain_create");
    __typeof__(&vramp_process) process = (__typeof__(process))entry(opened, "vramp_process");
    __typeof__(&vramp_chain_destroy) destroy = (__typeof__(destroy))entry(opened, "vramp_chain_destroy");
    static uint16_t from[3][SAMPLES], to[3][SAMPLES];
    vramp_stream stream = {sizeof stream, VRAMP_RGB, 16, VRAMP_RANGE_FULL, WIDTH, HEIGHT};
    vramp_options options = {.struct_size = sizeof options, .threads = 1, .device = "cpu", .output_bit_depth = 16};
    vramp_frame number = {sizeof number, VRAMP_PROGRESSIVE, (uint64_t)frame};
    vramp_planes planes[2] = {{.struct_size = sizeof *planes}, {.struct_size = sizeof *planes}};
    vramp_chain *chain = NULL;
    draw();
    for (int c = 0; c < 3; c++) {
        for (int i = 0; i < SAMPLES; i++) from[c][i] = picture[i][c];
        planes[0].data[c] = from[c], planes[1].data[c] = to[c], planes[0].pitch[c] = planes[1].pitch[c] = 2 * WIDTH;
    }
    Object object = {.frame = frame, .width = WIDTH, .height = HEIGHT};
    video->object = &object;
    CHECK(!create(text, &stream, &options, &chain) && !process(chain, &number, &planes[0], &planes[1]));
    destroy(chain);
    CHECK(table->proc_video(video));
    int wrong = 0;
    for (int i = 0; i < SAMPLES; i++) {
        int x = i % WIDTH;
        for (int c = 0; c < 3; c++) wrong += picture[i][c] != to[c][i];
        wrong += picture[i][3] != (x == 3 ? 0 : x < 9 ? 40000 : 65535);
    }
    printf("%s, frame %d: %016llx\n", text, frame, (unsigned long long)hash(picture, sizeof picture));
    if (wrong) printf("%d samples differ\n", wrong), ++failures;
    CHECK(memcmp(from, to, sizeof from));
}

/* The host says false, and why, once. */
static void refused(const Table *table, Video *video, const char *why) {
    int before = lines;
    CHECK(!table->proc_video(video));
    CHECK(lines == before + 1);
    if (!strstr(said, why) || strchr(said, '\n')) printf("'%s', not '%s'\n", said, why), ++failures;
    CHECK(!table->proc_video(video) && lines == before + 1);
}

static const Table *table_of(void *opened) {
    static Log log = {.error = error};
    ((void (*)(Log *))entry(opened, "InitializeLogger"))(&log);
    return ((const Table *(*)(void))entry(opened, "GetFilterPluginTable"))();
}

int main(int argc, char **argv) {
    setbuf(stdout, NULL);
    void *opened[3] = {0};
    for (int i = 0; i < 3; i++)
        if (argc != 4 || !(opened[i] = library(argv[i + 1]))) return printf("the libraries do not load\n"), 1;
    const Table *deband = table_of(opened[0]), *english = table_of(opened[1]), *chain = table_of(opened[2]);
    list(deband), list(english), list(chain);
    Video video = {.get_data = get_data, .set_data = set_data};
    Object object = {.width = WIDTH, .height = HEIGHT};
    video.object = &object;

    /* As YCbCr, which is what the filter's thresholds are made for: alpha stays, nothing appears where nothing is. */
    draw();
    CHECK(deband->proc_video(&video) && sets == 1 && !lines);
    printf("YCbCr: %016llx\n", (unsigned long long)hash(picture, sizeof picture));
    for (int i = 0; i < SAMPLES; i++)
        if (i % WIDTH == 3) CHECK(!picture[i][0] && !picture[i][1] && !picture[i][2] && !picture[i][3]);

    ((Select *)item(deband, "処理する色空間"))->value = 1;
    equal(opened[0], deband, &video, "deband", 0);
    ((Track *)item(deband, "range"))->value = 25;
    ((Track *)item(deband, "Y"))->value = 31;
    ((Track *)item(deband, "ditherY"))->value = 4;
    ((Track *)item(deband, "sample"))->value = 2;
    ((Track *)item(deband, "seed"))->value = 5;
    ((Check *)item(deband, "ブラー処理を先に"))->value = true;
    ((Check *)item(deband, "毎フレーム乱数を生成"))->value = true;
    equal(opened[0], deband, &video, "deband(range 25, y 31, dither_y 4, sample 2, seed 5, blur_first on, rand_each_frame on)", 7);
    ((Select *)item(english, "working colours"))->value = 1;
    ((Check *)item(english, "blur first"))->value = true;
    equal(opened[1], english, &video, "deband(blur_first on)", 3);
    static const uint16_t text[] = u"gauss(2) > deband(range 30)", nothing[] = u"", typo[] = u"debnad", window[] = u"tmedian", smaller[] = u"crop(w 32)";
    String *line = item(chain, "フィルタ");
    ((Select *)item(chain, "処理する色空間"))->value = 1;
    const Text first = line->value;
    line->value = text;
    equal(opened[2], chain, &video, "gauss(2) > deband(range 30)", 0);

    /* What is nothing to do touches nothing; what is wrong stops the host and says why. */
    int before = sets;
    video.object = &object;
    line->value = nothing;
    CHECK(chain->proc_video(&video) && sets == before);
    line->value = NULL;
    CHECK(chain->proc_video(&video) && sets == before);
    line->value = typo;
    refused(chain, &video, "did you mean 'deband'");
    line->value = window;
    refused(chain, &video, "gives one at a time");
    line->value = smaller;
    refused(chain, &video, "makes 32x40 of 75x40");
    line->value = text;
    gives = 0;
    refused(chain, &video, "gives no picture");
    gives = 2;
    refused(chain, &video, "takes no picture");
    gives = 1;
    object.width = 0;
    refused(chain, &video, "0x40 pixels");
    object.width = 1 << 30;
    refused(chain, &video, "pixels");
    object = (Object){.frame = -3, .width = WIDTH, .height = HEIGHT};
    CHECK(chain->proc_video(&video) && sets == before + 1);
    video.get_data = NULL;
    refused(chain, &video, "update AviUtl2");
    video.object = NULL;
    refused(chain, &video, "no object");
    CHECK(!chain->proc_video(NULL));
    line->value = first;
    printf("%d failures\n", failures);
    return failures != 0;
}
