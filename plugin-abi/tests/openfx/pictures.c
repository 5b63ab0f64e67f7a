/* Effects of OpenFX render what the C ABI does with the same colours: in every depth, row order, size and colour space. */
#include <math.h>
#include <stdint.h>

#include "host.h"
#include "vramp.h"

enum { WIDTH = 75, HEIGHT = 40, SAMPLES = WIDTH * HEIGHT };

static __typeof__(&vramp_chain_create) chain_create;
static __typeof__(&vramp_chain_destroy) chain_destroy;
static __typeof__(&vramp_process) process;
static __typeof__(&vramp_last_error) last_error;

static const char *const DEPTHS[] = {kOfxBitDepthByte, kOfxBitDepthShort, kOfxBitDepthHalf, kOfxBitDepthFloat};

static void set_param(OfxImageEffectHandle effect, const char *name, double value) {
    struct OfxParamStruct *param = param_of(&effect->params, name);
    if (!param) {
        printf("there is no parameter %s\n", name);
        exit(2);
    }
    param->value = value;
}

/* The pixel of column x in row y from the top. */
static void *pixel(Image *image, int x, int y) {
    unsigned char *bottom = make(&image->props, kOfxImagePropData, 0)->pointer;
    int step = (int)number_of(&image->props, kOfxImagePropRowBytes, 0);
    return bottom + (long)(image->height - 1 - y) * step + 4 * x * image->depth_bytes;
}

/* Halves, by the definition of IEEE 754 and not by ours. */
static double half_value(uint16_t bits) {
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double size = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    return bits & 0x8000 ? -size : size;
}

static uint16_t half_of(double number) {
    double size = fabs(number);
    int exponent;
    frexp(size, &exponent);
    /* The step of halves of this size, and how many of them: half to even. */
    int step = exponent - 11 < -24 ? -24 : exponent - 11;
    int count = (int)nearbyint(ldexp(size, -step));
    int bits = step == -24 ? count : ((step + 24) << 10) + count;
    return (uint16_t)(bits | (number < 0 ? 0x8000 : 0));
}

static double get(Image *image, const char *depth, int x, int y, int component) {
    void *at = pixel(image, x, y);
    if (!strcmp(depth, kOfxBitDepthByte))
        return ((uint8_t *)at)[component] / 255.0;
    if (!strcmp(depth, kOfxBitDepthShort))
        return ((uint16_t *)at)[component] / 65535.0;
    return strcmp(depth, kOfxBitDepthHalf) ? ((float *)at)[component] : half_value(((uint16_t *)at)[component]);
}

static void put(Image *image, const char *depth, int x, int y, int component, double number) {
    void *at = pixel(image, x, y);
    if (!strcmp(depth, kOfxBitDepthByte))
        ((uint8_t *)at)[component] = (uint8_t)floor(number * 255 + 0.5);
    else if (!strcmp(depth, kOfxBitDepthShort))
        ((uint16_t *)at)[component] = (uint16_t)floor(number * 65535 + 0.5);
    else if (!strcmp(depth, kOfxBitDepthHalf))
        ((uint16_t *)at)[component] = half_of(number);
    else
        ((float *)at)[component] = (float)number;
}

/* A smooth picture with a little of everything: bands, an edge, dark and light corners. */
static double scene(int x, int y, int component, int time) {
    double smooth = 0.15 + 0.5 * x / WIDTH + 0.2 * y / HEIGHT + 0.05 * component;
    double bands = floor(smooth * 64) / 64;
    return component == 3 ? (double)((x * 7 + y * 3 + time) % 256) / 255 : x > 50 && y > 20 ? 0.9 - bands / 2 : bands + time / 255.0;
}

static Image *source_of(const char *depth, int top_first, int time) {
    Image *image = image_of(depth, WIDTH, HEIGHT, top_first);
    for (int y = 0; y < HEIGHT; ++y)
        for (int x = 0; x < WIDTH; ++x)
            for (int component = 0; component < 4; ++component)
                put(image, depth, x, y, component, scene(x, y, component, time));
    return image;
}

static vramp_planes planes_of(void *samples, int bytes) {
    vramp_planes planes = {sizeof planes, 0, {0}, {0}};
    for (int plane = 0; plane < 3; ++plane) {
        planes.data[plane] = (char *)samples + (size_t)plane * SAMPLES * (size_t)bytes;
        planes.pitch[plane] = WIDTH * bytes;
    }
    return planes;
}

/* What the C ABI makes of planes. */
static void filter(const char *text, vramp_layout layout, int bits, int range, uint64_t index, void *from, void *to) {
    vramp_stream stream = {sizeof stream, layout, bits, range, WIDTH, HEIGHT};
    vramp_options options = {sizeof options, 1, "cpu", VRAMP_LAYOUT_DEFAULT, bits, NULL, 0, 0, NULL, 0, 0};
    vramp_frame frame = {sizeof frame, VRAMP_PROGRESSIVE, index};
    vramp_planes src = planes_of(from, bits / 8), dst = planes_of(to, bits / 8);
    vramp_chain *chain = NULL;
    if (chain_create(text, &stream, &options, &chain) || process(chain, &frame, &src, &dst)) {
        printf("%s: %s\n", text, last_error());
        exit(2);
    }
    chain_destroy(chain);
}

/* In RGB, integers are the C ABI's to the bit. */
static void equal_codes(OfxPlugin *plugin, OfxImageEffectHandle effect, const char *depth, const char *text, int top_first, double time,
                        uint64_t index) {
    int bytes = bytes_of(depth);
    Image *source = source_of(depth, top_first, 0), *target = image_of(depth, WIDTH, HEIGHT, !top_first);
    set_param(effect, "working_colours", 1);
    CHECK(render(plugin, effect, &source, 1, target, time, 1) == kOfxStatOK);
    uint16_t *from = calloc(3 * SAMPLES, 2), *to = calloc(3 * SAMPLES, 2);
    for (int i = 0; i < 3 * SAMPLES; ++i)
        memcpy((char *)from + i * bytes, (char *)pixel(source, i % WIDTH, i % SAMPLES / WIDTH) + i / SAMPLES * bytes, (size_t)bytes);
    filter(text, VRAMP_RGB, 8 * bytes, VRAMP_RANGE_FULL, index, from, to);
    int wrong = 0;
    for (int i = 0; i < 3 * SAMPLES; ++i)
        wrong += memcmp((char *)to + i * bytes, (char *)pixel(target, i % WIDTH, i % SAMPLES / WIDTH) + i / SAMPLES * bytes, (size_t)bytes) != 0;
    for (int i = 0; i < SAMPLES; ++i)
        wrong += memcmp((char *)pixel(source, i % WIDTH, i / WIDTH) + 3 * bytes, (char *)pixel(target, i % WIDTH, i / WIDTH) + 3 * bytes,
                        (size_t)bytes) != 0;
    if (wrong) {
        printf("%s, %s: %d samples differ\n", text, depth, wrong);
        ++failures;
    }
    CHECK(memcmp(from, to, 3 * SAMPLES * (size_t)bytes));
    free(from), free(to);
    free_image(source), free_image(target);
}

/* In YCbCr, and in floating point, a result is the source plus the difference that the C ABI makes. */
static void equal_difference(OfxPlugin *plugin, OfxImageEffectHandle effect, const char *depth, const char *text, int ycbcr, double step) {
    Image *source = source_of(depth, 1, 0), *target = image_of(depth, WIDTH, HEIGHT, 0);
    set_param(effect, "working_colours", !ycbcr);
    CHECK(render(plugin, effect, &source, 1, target, 3, 1) == kOfxStatOK);
    uint16_t *from = calloc(3 * SAMPLES, 2), *to = calloc(3 * SAMPLES, 2);
    const float gain[3] = {ycbcr ? 219 * 256 : 65535, ycbcr ? 224 * 256 : 65535, ycbcr ? 224 * 256 : 65535};
    const float zero[3] = {ycbcr ? 4096 : 0, ycbcr ? 32768 : 0, ycbcr ? 32768 : 0};
    for (int i = 0; i < SAMPLES; ++i) {
        float seen[3];
        for (int c = 0; c < 3; ++c)
            seen[c] = (float)get(source, depth, i % WIDTH, i / WIDTH, c);
        if (ycbcr) {
            float r = seen[0], b = seen[2], y = 0.2126f * r + (1.0f - 0.2126f - 0.0722f) * seen[1] + 0.0722f * b;
            seen[0] = y, seen[1] = (b - y) / (2.0f * (1.0f - 0.0722f)), seen[2] = (r - y) / (2.0f * (1.0f - 0.2126f));
        }
        for (int c = 0; c < 3; ++c)
            from[c * SAMPLES + i] = (uint16_t)(seen[c] * gain[c] + (zero[c] + 0.5f));
    }
    filter(text, ycbcr ? VRAMP_YUV444 : VRAMP_RGB, 16, ycbcr ? VRAMP_RANGE_LIMITED : VRAMP_RANGE_FULL, 3, from, to);
    double worst = 0;
    for (int i = 0; i < SAMPLES; ++i) {
        double grown[3];
        for (int c = 0; c < 3; ++c)
            grown[c] = (to[c * SAMPLES + i] - (double)from[c * SAMPLES + i]) / (double)gain[c];
        if (ycbcr) {
            double y = grown[0], r = y + 1.5748 * grown[2], b = y + 1.8556 * grown[1];
            grown[0] = r, grown[1] = (y - 0.2126 * r - 0.0722 * b) / 0.7152, grown[2] = b;
        }
        for (int c = 0; c < 3; ++c) {
            double want = get(source, depth, i % WIDTH, i / WIDTH, c) + grown[c];
            worst = fmax(worst, fabs(get(target, depth, i % WIDTH, i / WIDTH, c) - want));
        }
    }
    if (worst > step) {
        printf("%s, %s, %s: wrong by up to %g\n", text, depth, ycbcr ? "YCbCr" : "RGB", worst);
        ++failures;
    }
    CHECK(memcmp(from, to, 3 * SAMPLES * 2));
    free(from), free(to);
    free_image(source), free_image(target);
}

static void all_depths(void) {
    /* Half a step of each depth, and a little for sums: integers round, halves near 1 have steps of 2^-11. */
    const double steps[] = {0.501 / 255, 0.51 / 65535, 0.501 / 2048, 3e-7};
    OfxPlugin *deband = plugin_of("deband"), *gauss = plugin_of("gauss"), *chain = plugin_of("chain");
    OfxImageEffectHandle debanding = effect_of(deband), blurring = effect_of(gauss), both = effect_of(chain);
    set_param(blurring, "sigma", 1.5);
    set_param_text(both, "chain", "deband(range 9, rand_each_frame on) > box(2)");
    for (int depth = 0; depth < 4; ++depth) {
        for (int ycbcr = 0; ycbcr < 2; ++ycbcr) {
            if (!ycbcr && depth < 2)
                continue;
            equal_difference(deband, debanding, DEPTHS[depth], "deband", ycbcr, steps[depth]);
            equal_difference(gauss, blurring, DEPTHS[depth], "gauss=sigma=1.5", ycbcr, steps[depth]);
            equal_difference(chain, both, DEPTHS[depth], "deband=range=9:rand_each_frame=on,box=radius=2", ycbcr, steps[depth]);
        }
        for (int top_first = 0; depth < 2 && top_first < 2; ++top_first) {
            equal_codes(deband, debanding, DEPTHS[depth], "deband", top_first, 0, 0);
            equal_codes(gauss, blurring, DEPTHS[depth], "gauss=sigma=1.5", top_first, 0, 0);
            equal_codes(chain, both, DEPTHS[depth], "deband=range=9:rand_each_frame=on,box=radius=2", top_first, 5.2, 5);
            /* What moves repeats after 16 frames, before the first too. */
            equal_codes(chain, both, DEPTHS[depth], "deband=range=9:rand_each_frame=on,box=radius=2", top_first, -11, 5);
        }
    }
    end(deband, debanding), end(gauss, blurring), end(chain, both);
}

/* Scene-linear and HDR values survive, and what is not touched comes out to the bit. */
static void floats_survive(void) {
    OfxPlugin *plugin = plugin_of("deband");
    OfxImageEffectHandle effect = effect_of(plugin);
    for (int linear = 0; linear < 2; ++linear) {
        Image *source = source_of(kOfxBitDepthFloat, 1, 0), *target = image_of(kOfxBitDepthFloat, WIDTH, HEIGHT, 1);
        for (int i = 0; i < SAMPLES / 2; ++i)
            for (int c = 0; c < 3; ++c)
                put(source, kOfxBitDepthFloat, i % WIDTH, i / WIDTH, c, c == 1 ? -0.25 : 3.3 + 0.1 * c);
        set_param(effect, "input_is_linear", linear);
        set_param(effect, "dither_auto", 0);
        set_param(effect, "dither", 0);
        CHECK(render(plugin, effect, &source, 1, target, 0, 1) == kOfxStatOK);
        int kept = 0, changed = 0;
        for (int i = 0; i < SAMPLES; ++i) {
            int same = !memcmp(pixel(source, i % WIDTH, i / WIDTH), pixel(target, i % WIDTH, i / WIDTH), 16);
            kept += i < SAMPLES / 3 && same;
            changed += i > 2 * SAMPLES / 3 && !same;
        }
        CHECK(kept == SAMPLES / 3);
        CHECK(changed > 100);
        free_image(source), free_image(target);
    }
    end(plugin, effect);
}

/* Nothing appears where a premultiplied image has nothing. */
static void premultiplied(void) {
    OfxPlugin *plugin = plugin_of("gauss");
    OfxImageEffectHandle effect = effect_of(plugin);
    set_param(effect, "sigma", 3);
    Image *source = image_of(kOfxBitDepthFloat, WIDTH, HEIGHT, 1), *target = image_of(kOfxBitDepthFloat, WIDTH, HEIGHT, 1);
    for (int i = 0; i < SAMPLES; ++i)
        for (int c = 0; c < 4; ++c)
            put(source, kOfxBitDepthFloat, i % WIDTH, i / WIDTH, c, i % WIDTH > 40);
    put_text(&source->props, kOfxImageEffectPropPreMultiplication, 0, kOfxImagePreMultiplied);
    CHECK(render(plugin, effect, &source, 1, target, 0, 1) == kOfxStatOK);
    for (int c = 0; c < 4; ++c)
        CHECK(get(target, kOfxBitDepthFloat, 40, 7, c) == 0);
    CHECK(get(target, kOfxBitDepthFloat, 41, 7, 0) < 0.9 && get(target, kOfxBitDepthFloat, 41, 7, 3) == 1);
    free_image(source), free_image(target);
    end(plugin, effect);
}

/* A proxy of half the size is filtered by half the distances. */
static void proxies(void) {
    OfxPlugin *plugin = plugin_of("gauss");
    OfxImageEffectHandle effect = effect_of(plugin);
    Image *source = source_of(kOfxBitDepthShort, 1, 0);
    Image *half = image_of(kOfxBitDepthShort, WIDTH, HEIGHT, 1), *full = image_of(kOfxBitDepthShort, WIDTH, HEIGHT, 1);
    set_param(effect, "sigma", 3);
    CHECK(render(plugin, effect, &source, 1, half, 0, 0.5) == kOfxStatOK);
    set_param(effect, "sigma", 1.5);
    CHECK(render(plugin, effect, &source, 1, full, 0, 1) == kOfxStatOK);
    CHECK(!memcmp(half->block, full->block, (size_t)full->row_bytes * HEIGHT));
    free_image(source), free_image(half), free_image(full);
    end(plugin, effect);
}

/* Only the window is written; what the source does not have is transparent. */
static void windows(void) {
    OfxPlugin *plugin = plugin_of("deband");
    OfxImageEffectHandle effect = effect_of(plugin);
    Image *source = source_of(kOfxBitDepthByte, 0, 0), *whole = image_of(kOfxBitDepthByte, WIDTH, HEIGHT, 0);
    Image *target = image_of(kOfxBitDepthByte, WIDTH + 8, HEIGHT + 8, 0);
    CHECK(render(plugin, effect, &source, 1, whole, 0, 1) == kOfxStatOK);
    connect_clip(&effect->source, &source, 1);
    connect_clip(&effect->output, &target, 1);
    struct OfxPropertySetStruct in = arguments(0, 1, 0, 0);
    const int window[4] = {10, 5, WIDTH + 4, HEIGHT + 3};
    for (int i = 0; i < 4; ++i)
        put_number(&in, kOfxImageEffectPropRenderWindow, i, window[i]);
    CHECK(act(plugin, kOfxImageEffectActionRender, effect, &in, NULL) == kOfxStatOK);
    int wrong = 0;
    for (int y = 0; y < HEIGHT + 8; ++y)
        for (int x = 0; x < WIDTH + 8; ++x) {
            const unsigned char nothing[4] = {0, 0, 0, 0}, untouched[4] = {0x5a, 0x5a, 0x5a, 0x5a};
            /* Rows count from the bottom here. */
            int is_in = x >= window[0] && x < window[2] && y >= window[1] && y < window[3];
            const void *want = !is_in ? untouched : x < WIDTH && y < HEIGHT ? pixel(whole, x, HEIGHT - 1 - y) : nothing;
            wrong += memcmp(pixel(target, x, HEIGHT + 7 - y), want, 4) != 0;
        }
    CHECK(wrong == 0);
    clear_set(&in);
    free_image(source), free_image(whole), free_image(target);
    end(plugin, effect);
}

/* The same by several threads at once, in instances of their own. */
static void *in_a_thread(void *expected) {
    OfxPlugin *plugin = plugin_of("deband");
    OfxImageEffectHandle effect = effect_of(plugin);
    for (int round = 0; round < 10; ++round) {
        Image *source = source_of(kOfxBitDepthFloat, 1, 0), *target = image_of(kOfxBitDepthFloat, WIDTH, HEIGHT, 1);
        CHECK(render(plugin, effect, &source, 1, target, 0, 1) == kOfxStatOK);
        CHECK(!memcmp(target->block, ((Image *)expected)->block, (size_t)target->row_bytes * HEIGHT));
        free_image(source), free_image(target);
    }
    end(plugin, effect);
    return NULL;
}

static void threads(void) {
    OfxPlugin *plugin = plugin_of("deband");
    OfxImageEffectHandle effect = effect_of(plugin);
    Image *source = source_of(kOfxBitDepthFloat, 1, 0), *expected = image_of(kOfxBitDepthFloat, WIDTH, HEIGHT, 1);
    CHECK(render(plugin, effect, &source, 1, expected, 0, 1) == kOfxStatOK);
    pthread_t all[4];
    for (int i = 0; i < 4; ++i)
        pthread_create(&all[i], NULL, in_a_thread, expected);
    for (int i = 0; i < 4; ++i)
        pthread_join(all[i], NULL);
    free_image(source), free_image(expected);
    end(plugin, effect);
}

/* A median over time of three frames, at the ends too, by the frames that the host is asked for. */
static void other_times(void) {
    OfxPlugin *plugin = plugin_of("tmedian");
    OfxImageEffectHandle effect = effect_of(plugin);
    Image *sources[3], *target = image_of(kOfxBitDepthByte, WIDTH, HEIGHT, 1);
    for (int time = 0; time < 3; ++time)
        sources[time] = source_of(kOfxBitDepthByte, 1, time == 1 ? 40 : time);
    struct OfxPropertySetStruct in = arguments(1, 1, WIDTH, HEIGHT), out = {0};
    CHECK(act(plugin, kOfxImageEffectActionGetFramesNeeded, effect, &in, &out) == kOfxStatOK);
    CHECK(number_of(&out, "OfxImageClipPropFrameRange_Source", 0) == 0 && number_of(&out, "OfxImageClipPropFrameRange_Source", 1) == 2);
    put_number(&effect->source.props, kOfxImageEffectPropFrameRange, 0, 0);
    put_number(&effect->source.props, kOfxImageEffectPropFrameRange, 1, 2);
    for (int time = 0; time < 3; ++time) {
        CHECK(render(plugin, effect, sources, 3, target, time, 1) == kOfxStatOK);
        /* Of 0, 0, 40 and so on, where the nearest is repeated. */
        int median = time == 1 ? 2 : time;
        CHECK(fabs(get(target, kOfxBitDepthByte, 5, 5, 0) - get(sources[median == 1 ? 2 : median], kOfxBitDepthByte, 5, 5, 0)) < 0.001);
    }
    /* The same of a clip that begins at another time. */
    put_number(&effect->source.props, kOfxImageEffectPropFrameRange, 0, 1);
    CHECK(render(plugin, effect, sources, 3, target, 1, 1) == kOfxStatOK);
    CHECK(fabs(get(target, kOfxBitDepthByte, 5, 5, 0) - get(sources[1], kOfxBitDepthByte, 5, 5, 0)) < 0.001);
    put_number(&effect->source.props, kOfxImageEffectPropFrameRange, 0, 0);
    /* A host that has none of them is refused a wrong picture. */
    put_number(&host_props, kOfxImageEffectPropTemporalClipAccess, 0, 0);
    CHECK(act(plugin, kOfxActionLoad, NULL, NULL, NULL) == kOfxStatOK);
    CHECK(render(plugin, effect, sources, 3, target, 1, 1) == kOfxStatFailed);
    CHECK(strstr(message, "gives one at a time"));
    put_number(&host_props, kOfxImageEffectPropTemporalClipAccess, 0, 1);
    CHECK(act(plugin, kOfxActionLoad, NULL, NULL, NULL) == kOfxStatOK);
    for (int time = 0; time < 3; ++time)
        free_image(sources[time]);
    free_image(target);
    clear_set(&in), clear_set(&out);
    end(plugin, effect);
}

static uint64_t hash(uint64_t value, const void *bytes, size_t count) {
    for (size_t i = 0; i < count; ++i)
        value = (value ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3;
    return value;
}

static const uint64_t HASH = 0xcbf29ce484222325;

/* Prints every effect, with its parameters, their types and defaults as a hash. */
static void describe(void) {
    for (int i = 0; i < plugin_count(); ++i) {
        OfxPlugin *plugin = plugin_at(i);
        OfxImageEffectHandle effect = effect_of(plugin);
        uint64_t value = HASH;
        for (int at = 0; at < effect->params.count; ++at) {
            struct OfxParamStruct *param = &effect->params.params[at];
            value = hash(hash(value, param->name, strlen(param->name)), param->type, strlen(param->type));
            value = hash(hash(value, &param->value, sizeof param->value), param->text, strlen(param->text));
        }
        printf("%s: %d parameters, %016llx\n", plugin->pluginIdentifier, effect->params.count, (unsigned long long)value);
        end(plugin, effect);
    }
}

/* Prints what effects make of a picture, in every depth and both spaces of colours. */
static void hashes(void) {
    const char *const names[] = {"deband", "gauss", "gradient"};
    for (int i = 0; i < 3; ++i) {
        OfxPlugin *plugin = plugin_of(names[i]);
        OfxImageEffectHandle effect = effect_of(plugin);
        for (int depth = 0; depth < 4; ++depth)
            for (int colours = 0; colours < 2; ++colours) {
                Image *source = source_of(DEPTHS[depth], 1, 0), *target = image_of(DEPTHS[depth], WIDTH, HEIGHT, 1);
                set_param(effect, "working_colours", colours);
                CHECK(render(plugin, effect, &source, 1, target, 3, 1) == kOfxStatOK);
                uint64_t value = hash(HASH, target->block, (size_t)target->row_bytes * HEIGHT);
                printf("%s, %s, colours %d: %016llx\n", names[i], DEPTHS[depth], colours, (unsigned long long)value);
                free_image(source), free_image(target);
            }
        end(plugin, effect);
    }
}

int main(int argc, char **argv) {
    (void)argc;
    load(argv[1]);
    *(void **)&chain_create = symbol(vramp, "vramp_chain_create");
    *(void **)&chain_destroy = symbol(vramp, "vramp_chain_destroy");
    *(void **)&process = symbol(vramp, "vramp_process");
    *(void **)&last_error = symbol(vramp, "vramp_last_error");
    all_depths();
    floats_survive();
    premultiplied();
    proxies();
    windows();
    threads();
    other_times();
    describe();
    hashes();
    CHECK(lent == 0);
    return failures != 0;
}
