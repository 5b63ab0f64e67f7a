/* Every entry point with arguments that nobody should give: each is refused with a status and a text, and nothing is
   touched that is not the caller's. Built with AddressSanitizer, which sees what the guard bytes here do not. */
#include <math.h>
#include <pthread.h>

#include "checks.h"

#define ENTRY(name) static __typeof__(&vramp_##name) name
ENTRY(last_error);
ENTRY(abi_version);
ENTRY(version);
ENTRY(set_log);
ENTRY(filter_count);
ENTRY(filter_get);
ENTRY(filter_parameter);
ENTRY(filter_preset);
ENTRY(chain_create);
ENTRY(chain_destroy);
ENTRY(chain_output);
ENTRY(chain_input_count);
ENTRY(chain_needs);
ENTRY(chain_frames);
ENTRY(chain_rate);
ENTRY(chain_prepare);
ENTRY(process);
ENTRY(process_frames);
ENTRY(last_record);
ENTRY(process_cuda);
ENTRY(queue_create);
ENTRY(queue_destroy);
ENTRY(queue_submit);
ENTRY(queue_submit_frames);
ENTRY(queue_receive);
static __typeof__(&vramp_alloc) alloc_block;
static __typeof__(&vramp_free) free_block;

static int failures;

#define EXPECT(want, call)                                                                                             \
    do {                                                                                                               \
        vramp_status got_ = (call);                                                                                    \
        const char *text_ = last_error();                                                                              \
        if (got_ != (want) || (got_ < 0) != (text_[0] != 0)) {                                                         \
            printf("line %d: %s gave %d \"%s\", not %d\n", __LINE__, #call, (int)got_, text_, (int)(want));            \
            ++failures;                                                                                                \
        }                                                                                                              \
    } while (0)

static void load(const char *path) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        printf("%s\n", dlerror());
        exit(2);
    }
#define LOAD(name) *(void **)&name = dlsym(library, "vramp_" #name)
    LOAD(last_error);
    LOAD(abi_version);
    LOAD(version);
    LOAD(set_log);
    LOAD(filter_count);
    LOAD(filter_get);
    LOAD(filter_parameter);
    LOAD(filter_preset);
    LOAD(chain_create);
    LOAD(chain_destroy);
    LOAD(chain_output);
    LOAD(chain_input_count);
    LOAD(chain_needs);
    LOAD(chain_frames);
    LOAD(chain_rate);
    LOAD(chain_prepare);
    LOAD(process);
    LOAD(process_frames);
    LOAD(last_record);
    LOAD(process_cuda);
    LOAD(queue_create);
    LOAD(queue_destroy);
    LOAD(queue_submit);
    LOAD(queue_submit_frames);
    LOAD(queue_receive);
    *(void **)&alloc_block = dlsym(library, "vramp_alloc");
    *(void **)&free_block = dlsym(library, "vramp_free");
}

static vramp_stream stream_of(vramp_layout layout, int32_t bit_depth, int32_t width, int32_t height) {
    vramp_stream stream = {sizeof stream, layout, bit_depth, VRAMP_RANGE_UNSPECIFIED, width, height};
    return stream;
}

static vramp_options on_cpu(void) {
    vramp_options options = {sizeof options, 1, "cpu", VRAMP_LAYOUT_DEFAULT, 0, NULL, 0, 0, NULL, 0, 0};
    return options;
}

static vramp_chain *chain_of(const char *text, vramp_stream stream) {
    vramp_chain *chain = NULL;
    vramp_options options = on_cpu();
    EXPECT(VRAMP_OK, chain_create(text, &stream, &options, &chain));
    return chain;
}

/* Poison round every plane, and in the gap behind every row. */
enum { GUARD = 64, POISON = 0xa5 };

typedef struct {
    unsigned char *block;
    size_t bytes;
    size_t row[3];
    size_t rows[3];
    vramp_planes planes;
} picture;

static picture picture_of(int planes, const size_t row[3], const size_t rows[3], size_t gap) {
    picture made = {0};
    made.planes.struct_size = sizeof made.planes;
    for (int i = 0; i < planes; i++) made.bytes += GUARD + (row[i] + gap) * rows[i] + GUARD;
    made.block = malloc(made.bytes);
    memset(made.block, POISON, made.bytes);
    unsigned char *at = made.block;
    for (int i = 0; i < planes; i++) {
        made.row[i] = row[i];
        made.rows[i] = rows[i];
        made.planes.data[i] = at + GUARD;
        made.planes.pitch[i] = (int64_t)(row[i] + gap);
        at += GUARD + (row[i] + gap) * rows[i] + GUARD;
    }
    return made;
}

static void fill(picture *picture, unsigned seed) {
    for (int i = 0; i < 3; i++)
        for (size_t y = 0; y < picture->rows[i]; y++)
            for (size_t x = 0; x < picture->row[i]; x++) {
                seed = seed * 1103515245u + 12345u;
                ((unsigned char *)picture->planes.data[i])[y * (size_t)picture->planes.pitch[i] + x] = (unsigned char)(seed >> 16);
            }
}

/* Whether every byte that is not a sample's is still poison. */
static int is_whole(const picture *picture) {
    unsigned char *copy = malloc(picture->bytes);
    memcpy(copy, picture->block, picture->bytes);
    for (int i = 0; i < 3; i++)
        for (size_t y = 0; y < picture->rows[i]; y++)
            memset(copy + ((unsigned char *)picture->planes.data[i] - picture->block) + y * (size_t)picture->planes.pitch[i], POISON,
                   picture->row[i]);
    int whole = 1;
    for (size_t i = 0; i < picture->bytes; i++) whole &= copy[i] == POISON;
    free(copy);
    return whole;
}

static void library_itself(void) {
    CHECK(abi_version() >> 16 == VRAMP_ABI_VERSION >> 16);
    CHECK(strchr(version(), '.') != NULL);
    CHECK(last_error()[0] == 0);
    EXPECT(VRAMP_BAD_ARGUMENT, set_log(NULL, NULL, 5));
    EXPECT(VRAMP_BAD_ARGUMENT, set_log(NULL, NULL, -1));
    EXPECT(VRAMP_OK, set_log(NULL, NULL, VRAMP_LOG_INFO));
}

static void filters(void) {
    CHECK(filter_count() > 0);
    for (uint32_t filter = 0; filter < filter_count(); filter++) {
        vramp_filter_info info = {sizeof info, 0, 0, 0, NULL, NULL};
        EXPECT(VRAMP_OK, filter_get(filter, &info));
        CHECK(info.struct_size == sizeof info && info.name[0] && info.summary[0]);
        for (uint32_t i = 0; i < info.parameters; i++) {
            vramp_parameter_info parameter = {0};
            parameter.struct_size = sizeof parameter;
            EXPECT(VRAMP_OK, filter_parameter(filter, i, &parameter));
            CHECK(parameter.name[0] && parameter.doc[0] && parameter.default_value[0]);
            const int is_number = parameter.kind != VRAMP_CHOICE && parameter.kind != VRAMP_NAME && parameter.kind != VRAMP_TEXT;
            CHECK(!is_number || parameter.minimum < parameter.maximum);
            CHECK((parameter.kind == VRAMP_CHOICE) == (parameter.choices_count > 0));
            for (uint32_t word = 0; word < parameter.choices_count; word++) CHECK(parameter.choices[word][0]);
        }
        for (uint32_t i = 0; i < info.presets; i++) {
            vramp_preset_info preset = {sizeof preset, 0, NULL, NULL, NULL};
            EXPECT(VRAMP_OK, filter_preset(filter, i, &preset));
            CHECK(preset.name[0] && preset.doc[0] && preset.arguments[0] != '=');
        }
        vramp_parameter_info parameter = {0};
        parameter.struct_size = sizeof parameter;
        vramp_preset_info preset = {sizeof preset, 0, NULL, NULL, NULL};
        EXPECT(VRAMP_BAD_ARGUMENT, filter_parameter(filter, info.parameters, &parameter));
        EXPECT(VRAMP_BAD_ARGUMENT, filter_preset(filter, info.presets, &preset));
    }
    vramp_filter_info info = {sizeof info, 0, 0, 0, NULL, NULL};
    EXPECT(VRAMP_BAD_ARGUMENT, filter_get(filter_count(), &info));
    EXPECT(VRAMP_BAD_ARGUMENT, filter_get(UINT32_MAX, &info));
    EXPECT(VRAMP_BAD_ARGUMENT, filter_get(0, NULL));
    EXPECT(VRAMP_BAD_ARGUMENT, filter_parameter(UINT32_MAX, 0, NULL));
    EXPECT(VRAMP_BAD_ARGUMENT, filter_preset(UINT32_MAX, 0, NULL));
    info.struct_size = 0;
    EXPECT(VRAMP_BAD_ARGUMENT, filter_get(0, &info));
    info.struct_size = UINT32_MAX;
    EXPECT(VRAMP_BAD_ARGUMENT, filter_get(0, &info));
}

static void creation(void) {
    vramp_stream good = stream_of(VRAMP_YUV420, 8, 64, 36);
    vramp_options options = on_cpu();
    vramp_chain *chain = NULL;
    EXPECT(VRAMP_BAD_ARGUMENT, chain_create(NULL, &good, &options, &chain));
    EXPECT(VRAMP_BAD_ARGUMENT, chain_create("deband", NULL, &options, &chain));
    EXPECT(VRAMP_BAD_ARGUMENT, chain_create("deband", &good, &options, NULL));
    EXPECT(VRAMP_BAD_ARGUMENT, chain_create("deband", (vramp_stream *)((char *)&good + 1), &options, &chain));
    EXPECT(VRAMP_BAD_ARGUMENT, chain_create("\xff\xfe", &good, &options, &chain));
    EXPECT(VRAMP_BAD_ARGUMENT, chain_create("deband=range=\xc3(", &good, &options, &chain));
    EXPECT(VRAMP_BAD_ARGUMENT, chain_create("no-such-filter", &good, &options, &chain));
    EXPECT(VRAMP_BAD_ARGUMENT, chain_create("deband=range=999999999999999999999", &good, &options, &chain));
    EXPECT(VRAMP_BAD_ARGUMENT, chain_create("gauss=sigma=nan", &good, &options, &chain));
    char *endless = malloc(100000);
    memset(endless, ',', 100000);
    EXPECT(VRAMP_BAD_ARGUMENT, chain_create(endless, &good, &options, &chain));
    free(endless);

    const int32_t wild[] = {INT32_MIN, -1, 0, 1, 65536, INT32_MAX};
    for (size_t i = 0; i < sizeof wild / sizeof *wild; i++) {
        vramp_stream stream = good;
        stream.layout = wild[i];
        if (wild[i] != VRAMP_GRAY) EXPECT(VRAMP_BAD_ARGUMENT, chain_create("deband", &stream, &options, &chain));
        stream = good;
        stream.bit_depth = wild[i];
        EXPECT(VRAMP_BAD_ARGUMENT, chain_create("deband", &stream, &options, &chain));
        stream = good;
        stream.range = wild[i];
        if (wild[i] != 0 && wild[i] != 1) EXPECT(VRAMP_BAD_ARGUMENT, chain_create("deband", &stream, &options, &chain));
        stream = good;
        stream.width = wild[i];
        if (wild[i] != 1) EXPECT(VRAMP_BAD_ARGUMENT, chain_create("deband", &stream, &options, &chain));
        stream.width = good.width;
        stream.height = wild[i];
        if (wild[i] != 1) EXPECT(VRAMP_BAD_ARGUMENT, chain_create("deband", &stream, &options, &chain));
        vramp_options odd = options;
        odd.threads = wild[i];
        if (wild[i] != 0 && wild[i] != 1) EXPECT(VRAMP_BAD_ARGUMENT, chain_create("deband", &good, &odd, &chain));
        odd = options;
        odd.output_layout = wild[i];
        odd.output_bit_depth = 10;
        if (wild[i] == VRAMP_GRAY)
            EXPECT(VRAMP_UNSUPPORTED, chain_create("deband", &good, &odd, &chain));
        else if (wild[i] != 0)
            EXPECT(VRAMP_BAD_ARGUMENT, chain_create("deband", &good, &odd, &chain));
        odd = options;
        odd.output_bit_depth = wild[i];
        if (wild[i] != 0) EXPECT(VRAMP_BAD_ARGUMENT, chain_create("deband", &good, &odd, &chain));
    }
    vramp_stream large = stream_of(VRAMP_GRAY, 8, 65535, 65535);
    EXPECT(VRAMP_BAD_ARGUMENT, chain_create("deband", &large, &options, &chain));
    vramp_options odd = options;
    const char *devices[] = {"", "gpu", "cuda:-1", "cuda:99999999999999999999", "\xff"};
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        odd.device = devices[i];
        EXPECT(VRAMP_BAD_ARGUMENT, chain_create("deband", &good, &odd, &chain));
    }
    odd = options;
    odd.output_layout = VRAMP_RGBA;
    odd.output_bit_depth = 8;
    EXPECT(VRAMP_UNSUPPORTED, chain_create("deband", &good, &odd, &chain));
    CHECK(chain == NULL);
}

/* A struct as a caller of another version has it. */
static void versions(void) {
    vramp_stream good = stream_of(VRAMP_GRAY, 8, 8, 8);
    vramp_chain *chain = NULL;
    struct {
        vramp_options known;
        uint64_t later[4];
    } options = {on_cpu(), {0}};
    for (uint32_t size = 0; size <= sizeof options; size++) {
        options.known.struct_size = size;
        int at_a_field = size == 4 || size == 8 || size == 16 || size == 20 || size == 24 || size == 32 || size == 36 || size == 40 || size == 48 ||
                         size == 52 || size >= 56;
        EXPECT(at_a_field ? VRAMP_OK : VRAMP_BAD_ARGUMENT, chain_create("deband", &good, &options.known, &chain));
        if (at_a_field) EXPECT(VRAMP_OK, chain_destroy(chain));
    }
    options.known.struct_size = sizeof options;
    for (size_t byte = sizeof options.known; byte < sizeof options; byte++) {
        ((unsigned char *)&options)[byte] = 1;
        EXPECT(VRAMP_UNSUPPORTED, chain_create("deband", &good, &options.known, &chain));
        ((unsigned char *)&options)[byte] = 0;
    }
    options.known.struct_size = UINT32_MAX;
    EXPECT(VRAMP_BAD_ARGUMENT, chain_create("deband", &good, &options.known, &chain));
    for (uint32_t size = 0; size < sizeof good; size++) {
        good.struct_size = size;
        EXPECT(VRAMP_BAD_ARGUMENT, chain_create("deband", &good, NULL, &chain));
    }

    /* What is filled in: no byte behind the caller's struct, and zero in what the library does not know. */
    chain = chain_of("deband", stream_of(VRAMP_GRAY, 8, 8, 8));
    struct {
        vramp_stream known;
        unsigned char later[16];
        unsigned char beyond[16];
    } output;
    memset(&output, POISON, sizeof output);
    output.known.struct_size = sizeof output.known + sizeof output.later;
    EXPECT(VRAMP_OK, chain_output(chain, &output.known));
    CHECK(output.known.width == 8 && output.known.struct_size == sizeof output.known + sizeof output.later);
    for (int i = 0; i < 16; i++) CHECK(output.later[i] == 0 && output.beyond[i] == POISON);
    EXPECT(VRAMP_OK, chain_destroy(chain));
}

static void handles(void) {
    vramp_chain *chain = chain_of("deband", stream_of(VRAMP_GRAY, 8, 8, 8));
    vramp_queue *queue = NULL;
    EXPECT(VRAMP_OK, queue_create(chain, 2, &queue));
    uint32_t count = 9;
    uint64_t first = 9, last = 9;
    vramp_stream output = stream_of(0, 0, 0, 0);
    void *wild[] = {NULL, (void *)8, (void *)-1, (void *)&output, (void *)queue, (void *)((char *)chain + 1)};
    for (size_t i = 0; i < sizeof wild / sizeof *wild; i++) {
        vramp_chain *none = wild[i];
        EXPECT(wild[i] ? VRAMP_BAD_ARGUMENT : VRAMP_OK, chain_destroy(none));
        EXPECT(VRAMP_BAD_ARGUMENT, chain_output(none, &output));
        EXPECT(VRAMP_BAD_ARGUMENT, chain_input_count(none, &count));
        EXPECT(VRAMP_BAD_ARGUMENT, chain_needs(none, 0, 0, &first, &last));
        EXPECT(VRAMP_BAD_ARGUMENT, chain_frames(none, 1, &first));
        EXPECT(VRAMP_BAD_ARGUMENT, chain_rate(none, &first, &last));
        EXPECT(VRAMP_BAD_ARGUMENT, process_frames(none, 0, NULL, 0, NULL, NULL));
        EXPECT(VRAMP_BAD_ARGUMENT, chain_prepare(none));
        EXPECT(VRAMP_BAD_ARGUMENT, process(none, NULL, NULL, NULL));
        EXPECT(VRAMP_BAD_ARGUMENT, process_cuda(none, NULL, NULL, NULL, NULL));
        vramp_queue *another = NULL;
        EXPECT(VRAMP_BAD_ARGUMENT, queue_create(none, 2, &another));
    }
    void *wild_queues[] = {NULL, (void *)8, (void *)chain};
    for (size_t i = 0; i < sizeof wild_queues / sizeof *wild_queues; i++) {
        vramp_queue *none = wild_queues[i];
        EXPECT(wild_queues[i] ? VRAMP_BAD_ARGUMENT : VRAMP_OK, queue_destroy(none));
        EXPECT(VRAMP_BAD_ARGUMENT, queue_submit(none, NULL, NULL, NULL, NULL));
        EXPECT(VRAMP_BAD_ARGUMENT, queue_submit_frames(none, 0, NULL, 0, NULL, NULL));
        EXPECT(VRAMP_BAD_ARGUMENT, queue_receive(none, 0, NULL));
    }
    EXPECT(VRAMP_BAD_ARGUMENT, chain_output(chain, NULL));
    EXPECT(VRAMP_BAD_ARGUMENT, chain_input_count(chain, NULL));
    EXPECT(VRAMP_BAD_ARGUMENT, chain_needs(chain, 3, 0, NULL, &last));
    EXPECT(VRAMP_BAD_ARGUMENT, chain_needs(chain, 3, 0, &first, NULL));
    EXPECT(VRAMP_BAD_ARGUMENT, chain_needs(chain, 3, 1, &first, &last));
    EXPECT(VRAMP_BAD_ARGUMENT, chain_needs(chain, 3, UINT32_MAX, &first, &last));
    EXPECT(VRAMP_BAD_ARGUMENT, chain_frames(chain, 3, NULL));
    EXPECT(VRAMP_BAD_ARGUMENT, chain_rate(chain, NULL, &last));
    EXPECT(VRAMP_BAD_ARGUMENT, chain_rate(chain, &first, NULL));
    CHECK(count == 9 && first == 9 && last == 9);
    EXPECT(VRAMP_OK, chain_input_count(chain, &count));
    EXPECT(VRAMP_OK, chain_needs(chain, UINT64_MAX, 0, &first, &last));
    CHECK(count == 1 && first == UINT64_MAX && last == UINT64_MAX);
    EXPECT(VRAMP_OK, chain_frames(chain, 100, &first));
    CHECK(first == 100);
    EXPECT(VRAMP_OK, chain_rate(chain, &first, &last));
    CHECK(first == 1 && last == 1);
    EXPECT(VRAMP_BAD_ARGUMENT, queue_create(chain, 0, &queue));
    EXPECT(VRAMP_BAD_ARGUMENT, queue_create(chain, UINT32_MAX, &queue));
    EXPECT(VRAMP_BAD_ARGUMENT, queue_create(chain, 2, NULL));
    EXPECT(VRAMP_BAD_ARGUMENT, queue_receive(queue, 2, NULL));
    EXPECT(VRAMP_BAD_ARGUMENT, queue_receive(queue, -1, NULL));
    EXPECT(VRAMP_EMPTY, queue_receive(queue, 0, NULL));
    EXPECT(VRAMP_EMPTY, queue_receive(queue, 1, NULL));
    EXPECT(VRAMP_OK, chain_destroy(chain));
    EXPECT(VRAMP_BAD_ARGUMENT, chain_destroy(chain));
    EXPECT(VRAMP_BAD_ARGUMENT, chain_prepare(chain));
    EXPECT(VRAMP_OK, queue_destroy(queue));
    EXPECT(VRAMP_BAD_ARGUMENT, queue_destroy(queue));
}

static void memory(void) {
    void *block = NULL;
    EXPECT(VRAMP_BAD_ARGUMENT, alloc_block("cpu", 0, &block));
    EXPECT(VRAMP_BAD_ARGUMENT, alloc_block("cpu", 16, NULL));
    EXPECT(VRAMP_BAD_ARGUMENT, alloc_block("gpu", 16, &block));
    EXPECT(VRAMP_OUT_OF_MEMORY, alloc_block("cpu", SIZE_MAX, &block));
    EXPECT(VRAMP_OUT_OF_MEMORY, alloc_block("cpu", SIZE_MAX / 2, &block));
    EXPECT(VRAMP_OUT_OF_MEMORY, alloc_block("cpu", SIZE_MAX / 4, &block));
    CHECK(block == NULL);
    EXPECT(VRAMP_OK, alloc_block("cpu", 1000, &block));
    CHECK((uintptr_t)block % 64 == 0);
    for (int i = 0; i < 1000; i++) CHECK(((unsigned char *)block)[i] == 0);
    memset(block, 1, 1000);
    EXPECT(VRAMP_BAD_ARGUMENT, free_block((char *)block + 1));
    EXPECT(VRAMP_OK, free_block(block));
    EXPECT(VRAMP_BAD_ARGUMENT, free_block(block));
    EXPECT(VRAMP_OK, free_block(NULL));
    EXPECT(VRAMP_BAD_ARGUMENT, free_block(&block));
    EXPECT(VRAMP_OK, alloc_block(NULL, 1000, &block));
    EXPECT(VRAMP_OK, free_block(block));
}

static void frames(void) {
    vramp_chain *chain = chain_of("deband,depth=10", stream_of(VRAMP_YUV420, 8, 33, 17));
    const size_t in_row[] = {33, 17, 17}, out_row[] = {66, 34, 34}, rows[] = {17, 9, 9};
    picture src = picture_of(3, in_row, rows, 5), dst = picture_of(3, out_row, rows, 6);
    fill(&src, 1);
    vramp_frame frame = {sizeof frame, VRAMP_PROGRESSIVE, 7};
    EXPECT(VRAMP_OK, process(chain, &frame, &src.planes, &dst.planes));
    CHECK(is_whole(&src) && is_whole(&dst));
    CHECK(memcmp(dst.planes.data[0], (unsigned char[2]){POISON, POISON}, 2) != 0);

    EXPECT(VRAMP_BAD_ARGUMENT, process(chain, NULL, &src.planes, &dst.planes));
    EXPECT(VRAMP_BAD_ARGUMENT, process(chain, &frame, NULL, &dst.planes));
    EXPECT(VRAMP_BAD_ARGUMENT, process(chain, &frame, &src.planes, NULL));
    EXPECT(VRAMP_UNSUPPORTED, process_cuda(chain, &frame, &src.planes, &dst.planes, NULL));
    vramp_frame odd = frame;
    odd.field_order = 3;
    EXPECT(VRAMP_BAD_ARGUMENT, process(chain, &odd, &src.planes, &dst.planes));
    odd.field_order = -1;
    EXPECT(VRAMP_BAD_ARGUMENT, process(chain, &odd, &src.planes, &dst.planes));
    odd = frame;
    odd.struct_size = 8;
    EXPECT(VRAMP_BAD_ARGUMENT, process(chain, &odd, &src.planes, &dst.planes));
    odd = frame;
    odd.index = UINT64_MAX;
    EXPECT(VRAMP_OK, process(chain, &odd, &src.planes, &dst.planes));

    for (int side = 0; side < 2; side++) {
        for (int plane = 0; plane < 3; plane++) {
            const int64_t row = (int64_t)(side ? out_row : in_row)[plane];
            const int64_t pitches[] = {INT64_MIN, -row, -1, 0, 1, row - 1, (int64_t)INT32_MAX + 1, INT64_MAX, side ? row + 1 : 0};
            for (size_t i = 0; i < sizeof pitches / sizeof *pitches; i++) {
                vramp_planes wild = side ? dst.planes : src.planes;
                wild.pitch[plane] = pitches[i];
                EXPECT(VRAMP_BAD_ARGUMENT, process(chain, &frame, side ? &src.planes : &wild, side ? &wild : &dst.planes));
            }
            vramp_planes wild = side ? dst.planes : src.planes;
            wild.data[plane] = NULL;
            EXPECT(VRAMP_BAD_ARGUMENT, process(chain, &frame, side ? &src.planes : &wild, side ? &wild : &dst.planes));
            wild.data[plane] = (void *)(UINTPTR_MAX - 63);
            EXPECT(VRAMP_BAD_ARGUMENT, process(chain, &frame, side ? &src.planes : &wild, side ? &wild : &dst.planes));
        }
        vramp_planes wild = side ? dst.planes : src.planes;
        wild.data[3] = &wild;
        EXPECT(VRAMP_BAD_ARGUMENT, process(chain, &frame, side ? &src.planes : &wild, side ? &wild : &dst.planes));
        wild = side ? dst.planes : src.planes;
        wild.pitch[3] = 1;
        EXPECT(VRAMP_BAD_ARGUMENT, process(chain, &frame, side ? &src.planes : &wild, side ? &wild : &dst.planes));
        wild = side ? dst.planes : src.planes;
        wild.reserved = 1;
        EXPECT(VRAMP_BAD_ARGUMENT, process(chain, &frame, side ? &src.planes : &wild, side ? &wild : &dst.planes));
    }
    vramp_planes odd_address = dst.planes;
    odd_address.data[0] = (char *)odd_address.data[0] + 1;
    EXPECT(VRAMP_BAD_ARGUMENT, process(chain, &frame, &src.planes, &odd_address));
    vramp_planes twice = dst.planes;
    twice.data[2] = twice.data[1];
    EXPECT(VRAMP_BAD_ARGUMENT, process(chain, &frame, &src.planes, &twice));
    EXPECT(VRAMP_BAD_ARGUMENT, process(chain, &frame, &dst.planes, &dst.planes));
    CHECK(is_whole(&src) && is_whole(&dst));
    free(src.block);
    free(dst.block);
    EXPECT(VRAMP_OK, chain_destroy(chain));
}

/* A frame as one of a list, and lists that are none. */
static void lists(void) {
    vramp_chain *chain = chain_of("deband,depth=10", stream_of(VRAMP_YUV420, 8, 33, 17));
    const size_t in_row[] = {33, 17, 17}, out_row[] = {66, 34, 34}, rows[] = {17, 9, 9};
    picture src = picture_of(3, in_row, rows, 5), dst = picture_of(3, out_row, rows, 6), want = picture_of(3, out_row, rows, 6);
    fill(&src, 1);
    vramp_frame frame = {sizeof frame, VRAMP_TOP_FIRST, 7}, result = {sizeof result, 0, 0};
    vramp_input_frame list[2] = {{sizeof *list, 0, &frame, &src.planes}, {sizeof *list, 0, &frame, &src.planes}};
    EXPECT(VRAMP_OK, process(chain, &frame, &src.planes, &want.planes));
    EXPECT(VRAMP_OK, process_frames(chain, 7, list, 1, &dst.planes, &result));
    CHECK(result.index == 7 && result.field_order == VRAMP_TOP_FIRST && last_record()[0] == 0);
    CHECK(memcmp(dst.block, want.block, dst.bytes) == 0 && is_whole(&src) && is_whole(&dst));
    EXPECT(VRAMP_OK, process_frames(chain, 7, list, 1, &dst.planes, NULL));

    EXPECT(VRAMP_BAD_ARGUMENT, process_frames(chain, 8, list, 1, &dst.planes, NULL));
    EXPECT(VRAMP_BAD_ARGUMENT, process_frames(chain, 7, list, 0, &dst.planes, NULL));
    EXPECT(VRAMP_BAD_ARGUMENT, process_frames(chain, 7, NULL, 1, &dst.planes, NULL));
    EXPECT(VRAMP_BAD_ARGUMENT, process_frames(chain, 7, list, 2, &dst.planes, NULL));
    EXPECT(VRAMP_BAD_ARGUMENT, process_frames(chain, 7, list, UINT32_MAX, &dst.planes, NULL));
    EXPECT(VRAMP_BAD_ARGUMENT, process_frames(chain, 7, list, 1, NULL, NULL));
    EXPECT(VRAMP_BAD_ARGUMENT, process_frames(chain, 7, (vramp_input_frame *)((char *)list + 1), 1, &dst.planes, NULL));
    result.struct_size = 5;
    EXPECT(VRAMP_BAD_ARGUMENT, process_frames(chain, 7, list, 1, &dst.planes, &result));
    vramp_input_frame odd = list[0];
    odd.input = 1;
    EXPECT(VRAMP_BAD_ARGUMENT, process_frames(chain, 7, &odd, 1, &dst.planes, NULL));
    odd = list[0];
    odd.frame = NULL;
    EXPECT(VRAMP_BAD_ARGUMENT, process_frames(chain, 7, &odd, 1, &dst.planes, NULL));
    odd = list[0];
    odd.planes = &dst.planes;
    EXPECT(VRAMP_BAD_ARGUMENT, process_frames(chain, 7, &odd, 1, &dst.planes, NULL));
    for (uint32_t size = 0; size < sizeof odd; size++) {
        odd = list[0];
        odd.struct_size = size;
        EXPECT(VRAMP_BAD_ARGUMENT, process_frames(chain, 7, &odd, 1, &dst.planes, NULL));
    }
    list[1].struct_size = 16;
    EXPECT(VRAMP_BAD_ARGUMENT, process_frames(chain, 7, list, 2, &dst.planes, NULL));

    /* Longer structs of a newer caller, whose step is their own. */
    struct {
        vramp_input_frame known;
        uint64_t later;
    } longer = {{sizeof longer, 0, &frame, &src.planes}, 0};
    memset(dst.block, POISON, dst.bytes);
    EXPECT(VRAMP_OK, process_frames(chain, 7, &longer.known, 1, &dst.planes, NULL));
    CHECK(memcmp(dst.block, want.block, dst.bytes) == 0);
    longer.later = 1;
    EXPECT(VRAMP_UNSUPPORTED, process_frames(chain, 7, &longer.known, 1, &dst.planes, NULL));

    vramp_queue *queue = NULL;
    EXPECT(VRAMP_OK, queue_create(chain, 2, &queue));
    memset(dst.block, POISON, dst.bytes);
    EXPECT(VRAMP_OK, queue_submit_frames(queue, 7, list, 1, &dst.planes, &src));
    EXPECT(VRAMP_BAD_ARGUMENT, queue_submit_frames(queue, 7, NULL, 1, &dst.planes, NULL));
    void *user = NULL;
    EXPECT(VRAMP_OK, queue_receive(queue, 1, &user));
    CHECK(user == &src && memcmp(dst.block, want.block, dst.bytes) == 0);
    EXPECT(VRAMP_OK, queue_submit_frames(queue, 8, list, 1, &dst.planes, &dst));
    EXPECT(VRAMP_BAD_ARGUMENT, queue_receive(queue, 1, &user));
    CHECK(user == &dst);
    EXPECT(VRAMP_OK, queue_destroy(queue));
    EXPECT(VRAMP_OK, chain_destroy(chain));
    free(src.block);
    free(dst.block);
    free(want.block);
}

/* Streams beside the chain's own that no chain can have. */
static void inputs(void) {
    vramp_stream good = stream_of(VRAMP_GRAY, 8, 8, 8), bad = stream_of(VRAMP_GRAY, 7, 8, 8);
    vramp_input input = {sizeof input, 0, "other", &good}, odd = input;
    vramp_options options = on_cpu();
    vramp_chain *chain = NULL;
    options.inputs = &input;
    EXPECT(VRAMP_OK, chain_create("deband", &good, &options, &chain));
    EXPECT(VRAMP_OK, chain_destroy(chain));
    chain = NULL;
    options.input_count = 1;
    EXPECT(VRAMP_BAD_ARGUMENT, chain_create("deband", &good, &options, &chain));
    CHECK(strstr(last_error(), "'other'") != NULL);
    /* As where a compiler evaluates printf's last argument first. */
    const char *before = last_error();
    chain_create("debnad", &good, NULL, &chain);
    CHECK(strstr(before, "'other'") != NULL && strstr(last_error(), "'other'") == NULL);
    options.input_count = UINT32_MAX;
    EXPECT(VRAMP_BAD_ARGUMENT, chain_create("deband", &good, &options, &chain));
    options.input_count = 1;
    options.inputs = NULL;
    EXPECT(VRAMP_BAD_ARGUMENT, chain_create("deband", &good, &options, &chain));
    options.inputs = &odd;
    odd.name = NULL;
    EXPECT(VRAMP_BAD_ARGUMENT, chain_create("deband", &good, &options, &chain));
    odd.name = "\xff";
    EXPECT(VRAMP_BAD_ARGUMENT, chain_create("deband", &good, &options, &chain));
    odd = input;
    odd.stream = NULL;
    EXPECT(VRAMP_BAD_ARGUMENT, chain_create("deband", &good, &options, &chain));
    odd.stream = &bad;
    EXPECT(VRAMP_BAD_ARGUMENT, chain_create("deband", &good, &options, &chain));
    odd = input;
    odd.reserved = 1;
    EXPECT(VRAMP_BAD_ARGUMENT, chain_create("deband", &good, &options, &chain));
    options = on_cpu();
    options.reserved = 1;
    EXPECT(VRAMP_BAD_ARGUMENT, chain_create("deband", &good, &options, &chain));
    CHECK(chain == NULL);
}

/* Float with values that are none. */
static void floats(void) {
    vramp_chain *chain = chain_of("deband", stream_of(VRAMP_YUV444, 32, 5, 3));
    const size_t row[] = {20, 20, 20}, rows[] = {3, 3, 3};
    picture src = picture_of(3, row, rows, 4), dst = picture_of(3, row, rows, 8);
    const float wild[] = {NAN, INFINITY, -INFINITY, 1e30f, -0.0f};
    for (int plane = 0; plane < 3; plane++)
        for (int y = 0; y < 3; y++) memcpy((char *)src.planes.data[plane] + y * src.planes.pitch[plane], wild, sizeof wild);
    vramp_frame frame = {sizeof frame, VRAMP_PROGRESSIVE, 0};
    EXPECT(VRAMP_OK, process(chain, &frame, &src.planes, &dst.planes));
    CHECK(is_whole(&src) && is_whole(&dst));
    for (int plane = 0; plane < 3; plane++)
        for (int y = 0; y < 3; y++)
            for (int x = 0; x < 5; x++) {
                float value;
                memcpy(&value, (char *)dst.planes.data[plane] + y * dst.planes.pitch[plane] + 4 * x, sizeof value);
                /* A number stays beyond 16 bits; what is none becomes one. */
                CHECK(x == 3 ? value > 0.9e30f && value < 1.1e30f : value > -1.0f && value < 1.2f);
            }
    vramp_planes odd = src.planes;
    odd.data[1] = (char *)odd.data[1] + 2;
    EXPECT(VRAMP_BAD_ARGUMENT, process(chain, &frame, &odd, &dst.planes));
    free(src.block);
    free(dst.block);
    EXPECT(VRAMP_OK, chain_destroy(chain));
}

/* Eight threads, each with chains of its own sizes and one that all share; results are those of one thread. */
typedef struct {
    vramp_chain *shared;
    const picture *src;
    const picture *want;
    int number;
} job;

static void *work(void *argument) {
    const job *job = argument;
    const size_t row[] = {64, 32, 32}, rows[] = {36, 18, 18};
    for (int round = 0; round < 6; round++) {
        size_t width = (size_t)(1 + 13 * job->number + round), height = (size_t)(1 + 7 * round + job->number);
        const size_t own_row[] = {width, 0, 0}, own_rows[] = {height, 0, 0};
        vramp_chain *own = chain_of("box=radius=3,deband", stream_of(VRAMP_GRAY, 8, (int32_t)width, (int32_t)height));
        picture from = picture_of(1, own_row, own_rows, 0), to = picture_of(1, own_row, own_rows, 3);
        fill(&from, (unsigned)round);
        vramp_frame frame = {sizeof frame, VRAMP_PROGRESSIVE, (uint64_t)round};
        EXPECT(VRAMP_OK, process(own, &frame, &from.planes, &to.planes));
        CHECK(is_whole(&to));
        EXPECT(VRAMP_OK, chain_destroy(own));
        free(from.block);
        free(to.block);

        picture dst = picture_of(3, row, rows, 0);
        frame.index = 3;
        EXPECT(VRAMP_OK, process(job->shared, &frame, &job->src->planes, &dst.planes));
        CHECK(memcmp(dst.block, job->want->block, dst.bytes) == 0);
        free(dst.block);
        EXPECT(VRAMP_BAD_ARGUMENT, chain_prepare((vramp_chain *)8));
        CHECK(strstr(last_error(), "no chain") != NULL);
    }
    return NULL;
}

static void threads(void) {
    const size_t row[] = {64, 32, 32}, rows[] = {36, 18, 18};
    vramp_chain *shared = chain_of("deband=rand_each_frame=on", stream_of(VRAMP_YUV420, 8, 64, 36));
    picture src = picture_of(3, row, rows, 0), want = picture_of(3, row, rows, 0);
    fill(&src, 5);
    vramp_frame frame = {sizeof frame, VRAMP_PROGRESSIVE, 3};
    EXPECT(VRAMP_OK, process(shared, &frame, &src.planes, &want.planes));
    pthread_t thread[8];
    job jobs[8];
    for (int i = 0; i < 8; i++) {
        jobs[i] = (job){shared, &src, &want, i};
        CHECK(pthread_create(&thread[i], NULL, work, &jobs[i]) == 0);
    }
    for (int i = 0; i < 8; i++) pthread_join(thread[i], NULL);
    EXPECT(VRAMP_OK, chain_destroy(shared));
    free(src.block);
    free(want.block);
}

static void queues(void) {
    enum { DEPTH = 3, FRAMES = 20 };
    const size_t row[] = {64, 32, 32}, rows[] = {36, 18, 18};
    vramp_chain *chain = chain_of("deband=rand_each_frame=on", stream_of(VRAMP_YUV420, 8, 64, 36));
    vramp_queue *queue = NULL;
    EXPECT(VRAMP_OK, queue_create(chain, DEPTH, &queue));
    picture src = picture_of(3, row, rows, 0), dst[FRAMES], want = picture_of(3, row, rows, 0);
    fill(&src, 5);
    int received = 0;
    for (int i = 0; i < FRAMES; i++) {
        dst[i] = picture_of(3, row, rows, 0);
        vramp_frame frame = {sizeof frame, VRAMP_PROGRESSIVE, (uint64_t)i};
        vramp_planes wild = dst[i].planes;
        wild.pitch[1] = 3;
        EXPECT(VRAMP_BAD_ARGUMENT, queue_submit(queue, &frame, &src.planes, &wild, NULL));
        while (queue_submit(queue, &frame, &src.planes, &dst[i].planes, &dst[i]) == VRAMP_AGAIN) {
            CHECK(i - received == DEPTH);
            void *user = NULL;
            EXPECT(VRAMP_OK, queue_receive(queue, 1, &user));
            CHECK(user == &dst[received++]);
        }
    }
    void *user = NULL;
    while (queue_receive(queue, 1, &user) == VRAMP_OK) CHECK(user == &dst[received++]);
    CHECK(received == FRAMES);
    for (int i = 0; i < FRAMES; i++) {
        vramp_frame frame = {sizeof frame, VRAMP_PROGRESSIVE, (uint64_t)i};
        EXPECT(VRAMP_OK, process(chain, &frame, &src.planes, &want.planes));
        CHECK(memcmp(dst[i].block, want.block, want.bytes) == 0);
    }
    /* Destroyed with frames in it, and after its chain. */
    for (int i = 0; i < DEPTH; i++) {
        vramp_frame frame = {sizeof frame, VRAMP_PROGRESSIVE, (uint64_t)i};
        EXPECT(VRAMP_OK, queue_submit(queue, &frame, &src.planes, &dst[i].planes, NULL));
    }
    EXPECT(VRAMP_OK, chain_destroy(chain));
    EXPECT(VRAMP_OK, queue_destroy(queue));
    for (int i = 0; i < FRAMES; i++) free(dst[i].block);
    free(src.block);
    free(want.block);
}

static int heard;

static void hear(void *user, vramp_log_level level, const char *text) {
    CHECK(user == &heard && level >= VRAMP_LOG_ERROR && level <= VRAMP_LOG_DEBUG && strchr(text, '\n') == NULL);
    heard++;
}

static void messages(void) {
    EXPECT(VRAMP_OK, set_log(hear, &heard, VRAMP_LOG_DEBUG));
    void *block = NULL;
    EXPECT(VRAMP_OK, alloc_block("auto", 64, &block));
    EXPECT(VRAMP_OK, free_block(block));
    EXPECT(VRAMP_OK, set_log(NULL, NULL, VRAMP_LOG_OFF));
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    load(argv[1]);
    library_itself();
    filters();
    creation();
    versions();
    handles();
    memory();
    frames();
    lists();
    inputs();
    floats();
    threads();
    queues();
    messages();
    printf("%d failures\n", failures);
    return failures != 0;
}
