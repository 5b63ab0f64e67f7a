/* What hosts ask of effects besides pictures: descriptions, answers, messages. And hosts that no effect should meet. */
#include <limits.h>

#include "host.h"

/* Every effect is described in full, and renders with its defaults. */
static void descriptions(void) {
    CHECK(plugin_count() > 15);
    for (int i = 0; i < plugin_count(); ++i) {
        OfxPlugin *plugin = plugin_at(i);
        CHECK(!strcmp(plugin->pluginApi, kOfxImageEffectPluginApi) && plugin->apiVersion == 1);
        CHECK(!strncmp(plugin->pluginIdentifier, "org.vramp.", 10) && !strchr(plugin->pluginIdentifier, ':'));
        OfxImageEffectHandle effect = effect_of(plugin);
        CHECK(!strncmp(text_of(&effect->props, kOfxPropLabel, 0), "vramp ", 6));
        CHECK(!strcmp(text_of(&effect->props, kOfxImageEffectPluginPropGrouping, 0), "vramp"));
        CHECK(*text_of(&effect->props, kOfxPropPluginDescription, 0));
        CHECK(!strcmp(text_of(&effect->props, kOfxImageEffectPropSupportedContexts, 0), kOfxImageEffectContextFilter));
        CHECK(!strcmp(text_of(&effect->props, kOfxImageEffectPropSupportedPixelDepths, 3), kOfxBitDepthFloat));
        CHECK(!strcmp(text_of(&effect->source.props, kOfxImageEffectPropSupportedComponents, 0), kOfxImageComponentRGBA));
        CHECK(number_of(&effect->props, kOfxImageEffectPropSupportsTiles, 0) == 0);
        struct OfxParamStruct *page = param_of(&effect->params, "controls");
        int shown = 0;
        for (int p = 0; p < effect->params.count; ++p) {
            struct OfxParamStruct *param = &effect->params.params[p];
            CHECK(*text_of(&param->props, kOfxPropLabel, 0));
            int is_layout = !strcmp(param->type, kOfxParamTypePage) || !strcmp(param->type, kOfxParamTypeGroup);
            CHECK(is_layout || *text_of(&param->props, kOfxParamPropHint, 0));
            CHECK(is_layout || !strcmp(text_of(&page->props, kOfxParamPropPageChild, shown++), param->name));
            double first = number_of(&param->props, kOfxParamPropDefault, 0);
            if (!strcmp(param->type, kOfxParamTypeInteger) || !strcmp(param->type, kOfxParamTypeDouble)) {
                CHECK(number_of(&param->props, kOfxParamPropMin, 0) <= first && first <= number_of(&param->props, kOfxParamPropMax, 0));
                CHECK(number_of(&param->props, kOfxParamPropDisplayMax, 0) > number_of(&param->props, kOfxParamPropDisplayMin, 0));
            }
            if (!strcmp(param->type, kOfxParamTypeChoice))
                CHECK(*text_of(&param->props, kOfxParamPropChoiceOption, (int)first));
        }
        Image *source = image_of(kOfxBitDepthFloat, 64, 48, 1), *target = image_of(kOfxBitDepthFloat, 64, 48, 0);
        OfxStatus status = render(plugin, effect, &source, 1, target, 0, 1);
        if (status != kOfxStatOK) {
            printf("%s: %d %s\n", plugin->pluginIdentifier, status, message);
            ++failures;
        }
        free_image(source), free_image(target);
        end(plugin, effect);
    }
}

static void units_and_choices(void) {
    OfxPlugin *plugin = plugin_of("deband");
    OfxImageEffectHandle effect = effect_of(plugin);
    struct OfxParamStruct *range = param_of(&effect->params, "range"), *sample = param_of(&effect->params, "field");
    CHECK(!strcmp(range->type, kOfxParamTypeInteger) && number_of(&range->props, kOfxParamPropMax, 0) == 127);
    CHECK(!strcmp(text_of(&range->props, kOfxPropLabel, 0), "Range (samples)"));
    CHECK(!strcmp(sample->type, kOfxParamTypeChoice));
    CHECK(!strcmp(param_of(&effect->params, "dither_auto")->type, kOfxParamTypeBoolean));
    CHECK(!strcmp(text_of(&param_of(&effect->params, "input_is_linear")->props, kOfxParamPropParent, 0), "colours"));
    end(plugin, effect);
}

/* Whether there is anything to do, and whether it moves. */
static void answers(void) {
    OfxPlugin *plugin = plugin_of("chain");
    OfxImageEffectHandle effect = effect_of(plugin);
    struct OfxPropertySetStruct in = arguments(7, 1, 64, 48), out = {0};
    const struct {
        const char *chain;
        OfxStatus identity;
        int varies;
    } cases[] = {
        {"deband", kOfxStatReplyDefault, 0},
        {"", kOfxStatOK, 0},
        {"gauss(radius 0)", kOfxStatOK, 0},
        {"deband(rand_each_frame on)", kOfxStatReplyDefault, 1},
        {"debnad", kOfxStatReplyDefault, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        set_param_text(effect, "chain", cases[i].chain);
        clear_set(&out);
        CHECK(act(plugin, kOfxImageEffectActionIsIdentity, effect, &in, &out) == cases[i].identity);
        CHECK(cases[i].identity != kOfxStatOK || !strcmp(text_of(&out, kOfxPropName, 0), "Source"));
        CHECK(cases[i].identity != kOfxStatOK || number_of(&out, kOfxPropTime, 0) == 7);
        CHECK(act(plugin, kOfxImageEffectActionGetClipPreferences, effect, NULL, &out) == kOfxStatOK);
        CHECK(number_of(&out, kOfxImageEffectFrameVarying, 0) == cases[i].varies);
        CHECK(act(plugin, kOfxImageEffectActionGetFramesNeeded, effect, &in, &out) == kOfxStatReplyDefault);
    }
    clear_set(&in), clear_set(&out);
    end(plugin, effect);
}

/* A wrong chain is explained in one line, which goes when the chain is right. */
static void messages(void) {
    OfxPlugin *plugin = plugin_of("chain");
    OfxImageEffectHandle effect = effect_of(plugin);
    Image *source = image_of(kOfxBitDepthByte, 64, 48, 1), *target = image_of(kOfxBitDepthByte, 64, 48, 1);
    const struct {
        const char *chain, *why;
    } wrong[] = {
        {"debnad", "did you mean 'deband'"},
        {"gauss(sigma %s%n)", "sigma"},
        {"crop(w 32)", "the same size"},
        {"select(cycle 2)", "number of frames"},
        {"merge(with other)", "other"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        set_param_text(effect, "chain", wrong[i].chain);
        CHECK(render(plugin, effect, &source, 1, target, 0, 1) == kOfxStatFailed);
        CHECK(!strncmp(message, "vramp chain: ", 13) && strstr(message, wrong[i].why) && !strchr(message, '\n'));
        cleared = 0;
        set_param_text(effect, "chain", "box(1)");
        CHECK(render(plugin, effect, &source, 1, target, 0, 1) == kOfxStatOK);
        CHECK(cleared == 1 && !message[0]);
    }
    set_param_text(effect, "chain", "box(\xff)");
    CHECK(render(plugin, effect, &source, 1, target, 0, 1) == kOfxStatFailed);
    free_image(source), free_image(target);
    end(plugin, effect);
}

/* Calls that no host should make. */
static void wild_calls(void) {
    OfxPlugin *plugin = plugin_of("deband");
    OfxImageEffectHandle effect = effect_of(plugin);
    const char *const actions[] = {kOfxActionDescribe, kOfxImageEffectActionDescribeInContext, kOfxImageEffectActionRender,
                                   kOfxImageEffectActionIsIdentity, kOfxImageEffectActionGetClipPreferences,
                                   kOfxImageEffectActionGetFramesNeeded};
    CHECK(act(plugin, NULL, effect, NULL, NULL) == kOfxStatFailed);
    CHECK(act(plugin, "OfxActionNobodyKnows", effect, NULL, NULL) == kOfxStatReplyDefault);
    for (size_t i = 0; i < sizeof actions / sizeof *actions; ++i)
        CHECK(act(plugin, actions[i], NULL, NULL, NULL) == kOfxStatFailed);
    CHECK(act(plugin, kOfxImageEffectActionRender, effect, NULL, NULL) == kOfxStatFailed);
    CHECK(act(plugin, kOfxActionDestroyInstance, NULL, NULL, NULL) == kOfxStatOK);
    CHECK(act(plugin, kOfxActionPurgeCaches, effect, NULL, NULL) == kOfxStatOK);
    CHECK(act(plugin, kOfxActionUnload, NULL, NULL, NULL) == kOfxStatOK);
    CHECK(!plugin_at(-1) && !plugin_at(plugin_count()) && !plugin_at(INT_MAX));
    const char *const suites[] = {kOfxPropertySuite, kOfxImageEffectSuite, kOfxParameterSuite};
    for (int i = 0; i < 3; ++i) {
        lacking = suites[i];
        CHECK(act(plugin, kOfxActionLoad, NULL, NULL, NULL) == kOfxStatErrMissingHostFeature);
    }
    lacking = "";
    plugin->setHost(NULL);
    CHECK(act(plugin, kOfxActionLoad, NULL, NULL, NULL) == kOfxStatErrMissingHostFeature);
    plugin->setHost(&host);
    CHECK(act(plugin, kOfxActionLoad, NULL, NULL, NULL) == kOfxStatOK);
    end(plugin, effect);
}

/* Images that are not what they should be. */
static void wrong_images(void) {
    OfxPlugin *plugin = plugin_of("deband");
    OfxImageEffectHandle effect = effect_of(plugin);
    const struct {
        const char *name;
        int index;
        double number;
        const char *text;
    } wrong[] = {
        {kOfxImagePropRowBytes, 0, 0, ""},
        {kOfxImagePropRowBytes, 0, 64 * 16 - 4, ""},
        {kOfxImagePropRowBytes, 0, -3, ""},
        {kOfxImagePropRowBytes, 0, 64 * 16 + 17, ""},
        {kOfxImagePropBounds, 2, 0, ""},
        {kOfxImagePropBounds, 2, -5, ""},
        {kOfxImagePropBounds, 3, 2e9, ""},
        {kOfxImagePropBounds, 1, -2e9, ""},
        {kOfxImageEffectPropPixelDepth, 0, 0, "OfxBitDepthNone"},
        {kOfxImageEffectPropComponents, 0, 0, "OfxImageComponentAlpha"},
        {kOfxImagePropData, 0, 0, ""},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i)
        for (int which = 0; which < 2; ++which) {
            Image *source = image_of(kOfxBitDepthFloat, 64, 48, 1), *target = image_of(kOfxBitDepthFloat, 64, 48, 1);
            Image *one = which ? source : target;
            int width = one->width, height = one->height;
            Value *value = make(&one->props, wrong[i].name, wrong[i].index);
            value->number = wrong[i].number, value->pointer = NULL;
            snprintf(value->text, sizeof value->text, "%s", wrong[i].text);
            message[0] = 0;
            one->width = width, one->height = height;
            CHECK(render(plugin, effect, &source, 1, target, 0, 1) == kOfxStatFailed);
            CHECK(message[0]);
            free_image(source), free_image(target);
        }
    Image *source = image_of(kOfxBitDepthByte, 64, 48, 1), *target = image_of(kOfxBitDepthShort, 64, 48, 1);
    CHECK(render(plugin, effect, &source, 1, target, 0, 1) == kOfxStatFailed);
    CHECK(render(plugin, effect, &source, 1, source, 0, 1) == kOfxStatFailed);
    CHECK(render(plugin, effect, &source, 0, target, 0, 1) == kOfxStatFailed);
    /* A window beyond the output, times and scales that are none. */
    Image *bytes = image_of(kOfxBitDepthByte, 64, 48, 1);
    bytes->width = 65;
    CHECK(render(plugin, effect, &source, 1, bytes, 0, 1) == kOfxStatFailed);
    bytes->width = 64;
    const double wild[] = {1e300, -1e300, 0.0 / 1e-300, 1e-300};
    for (int i = 0; i < 4; ++i)
        CHECK(render(plugin, effect, &source, 1, bytes, wild[i], wild[i]) == kOfxStatOK);
    free_image(source), free_image(target), free_image(bytes);
    end(plugin, effect);
}

/* Each call that an effect makes fails once: nothing is lost, nothing breaks, and images go back. */
static void failing_host(void) {
    OfxPlugin *plugin = plugin_of("deband");
    OfxImageEffectHandle effect = effect_of(plugin);
    Image *source = image_of(kOfxBitDepthByte, 64, 48, 1), *target = image_of(kOfxBitDepthByte, 64, 48, 1);
    struct OfxPropertySetStruct in = arguments(0, 1, 64, 48), out = {0};
    int made = 1;
    for (int at = 0; at < made; ++at) {
        calls = 0, fail_at = at;
        render(plugin, effect, &source, 1, target, 0, 1);
        act(plugin, kOfxImageEffectActionIsIdentity, effect, &in, &out);
        act(plugin, kOfxImageEffectActionGetClipPreferences, effect, NULL, &out);
        act(plugin, kOfxActionDescribe, effect, NULL, NULL);
        made = calls > made && calls < 2000 ? calls : made;
        CHECK(lent == 0);
    }
    CHECK(made > 50);
    fail_at = -1;
    CHECK(render(plugin, effect, &source, 1, target, 0, 1) == kOfxStatOK);
    clear_set(&in), clear_set(&out);
    free_image(source), free_image(target);
    end(plugin, effect);
}

int main(int argc, char **argv) {
    (void)argc;
    load(argv[1]);
    descriptions();
    units_and_choices();
    answers();
    messages();
    wild_calls();
    wrong_images();
    failing_host();
    CHECK(lent == 0);
    return failures != 0;
}
