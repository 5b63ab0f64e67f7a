// OpenFX's own classes for hosts find the bundle below OFX_PLUGIN_PATH, make every effect in it, and render.
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <map>
#include <memory>

#include "ofxCore.h"
#include "ofxImageEffect.h"
#include "ofxPixels.h"

#include "ofxhBinary.h"
#include "ofxhPropertySuite.h"
#include "ofxhClip.h"
#include "ofxhParam.h"
#include "ofxhMemory.h"
#include "ofxhImageEffect.h"
#include "ofxhPluginAPICache.h"
#include "ofxhPluginCache.h"
#include "ofxhHost.h"
#include "ofxhImageEffectAPI.h"

#include "../examples/hostDemoHostDescriptor.h"
#include "../examples/hostDemoEffectInstance.h"
#include "../examples/hostDemoClipInstance.h"

namespace Ofx = OFX::Host;

/// A parameter that has one value at all times, at first that of its description.
template <class Base, class T> struct Remembered : Base {
    T value;

    Remembered(Ofx::Param::Descriptor &descriptor, Ofx::Param::SetInstance *set, T first) : Base(descriptor, set), value(first) {}
    OfxStatus get(T &to) override { to = value; return kOfxStatOK; }
    OfxStatus get(OfxTime, T &to) override { return get(to); }
};

template <class Base, class T> struct Number : Remembered<Base, T> {
    using Remembered<Base, T>::Remembered;
    OfxStatus set(T to) override { this->value = to; return kOfxStatOK; }
    OfxStatus set(OfxTime, T to) override { return set(to); }
};

struct Double : Number<Ofx::Param::DoubleInstance, double> {
    using Number::Number;
    OfxStatus derive(OfxTime, double &) override { return kOfxStatErrMissingHostFeature; }
    OfxStatus integrate(OfxTime, OfxTime, double &) override { return kOfxStatErrMissingHostFeature; }
};

struct Text : Remembered<Ofx::Param::StringInstance, std::string> {
    using Remembered::Remembered;
    OfxStatus set(const char *to) override { value = to; return kOfxStatOK; }
    OfxStatus set(OfxTime, const char *to) override { return set(to); }
};

/// The example's effect, with parameters of its own values.
struct Effect : MyHost::MyEffectInstance {
    using MyEffectInstance::MyEffectInstance;

    Ofx::Param::Instance *newParam(const std::string &, Ofx::Param::Descriptor &descriptor) override {
        const std::string &type = descriptor.getType();
        Ofx::Property::Set &props = descriptor.getProperties();
        auto first = [&] { return props.getIntProperty(kOfxParamPropDefault); };
        if (type == kOfxParamTypeInteger)
            return new Number<Ofx::Param::IntegerInstance, int>(descriptor, this, first());
        if (type == kOfxParamTypeChoice)
            return new Number<Ofx::Param::ChoiceInstance, int>(descriptor, this, first());
        if (type == kOfxParamTypeBoolean)
            return new Number<Ofx::Param::BooleanInstance, bool>(descriptor, this, first() != 0);
        if (type == kOfxParamTypeDouble)
            return new Double(descriptor, this, props.getDoubleProperty(kOfxParamPropDefault));
        if (type == kOfxParamTypeString)
            return new Text(descriptor, this, props.getStringProperty(kOfxParamPropDefault));
        return MyEffectInstance::newParam("", descriptor);
    }
};

struct Host : MyHost::Host {
    Ofx::ImageEffect::Instance *newInstance(void *, Ofx::ImageEffect::ImageEffectPlugin *plugin,
                                            Ofx::ImageEffect::Descriptor &descriptor, const std::string &context) override {
        return new Effect(plugin, descriptor, context);
    }
};

static int failures;

static void check(bool holds, const std::string &what) {
    if (!holds) {
        std::cout << what << "\n";
        ++failures;
    }
}

/// How many pixels of the result at `time` differ from the source; −1 where there is none.
static int rendered(Effect &effect, const std::string &name, double time) {
    const OfxPointD whole = {1.0, 1.0};
    const OfxRectI window = {0, 0, 720, 576};
    std::map<Ofx::ImageEffect::ClipInstance *, std::vector<OfxRangeD>> frames;
    check(effect.getClipPreferences(), name + ": no clip preferences");
    OfxStatus needed = effect.getFrameNeededAction(time, frames);
    check(needed == kOfxStatOK || needed == kOfxStatReplyDefault, name + ": no frames needed");
    effect.beginRenderAction(time, time, 1.0, false, whole, true, false);
    OfxStatus status = effect.renderAction(time, kOfxImageFieldNone, window, whole, true, false, false);
    effect.endRenderAction(time, time, 1.0, false, whole, true, false);
    check(status == kOfxStatOK, name + ": not rendered");
    if (status != kOfxStatOK)
        return -1;
    auto clip = [&](const char *clip) { return dynamic_cast<MyHost::MyClipInstance *>(effect.getClip(clip)); };
    std::unique_ptr<MyHost::MyImage> source(dynamic_cast<MyHost::MyImage *>(clip("Source")->getImage(time, NULL)));
    int different = 0;
    for (int i = 0; i < 720 * 576; ++i)
        different += memcmp(source->pixel(i % 720, i / 720), clip("Output")->getOutputImage()->pixel(i % 720, i / 720), 4) != 0;
    return different;
}

int main() {
    Host host;
    Ofx::ImageEffect::PluginCache cache(host);
    cache.registerInCache(*Ofx::PluginCache::getPluginCache());
    Ofx::PluginCache::getPluginCache()->scanPluginFiles();
    check(cache.getPlugins().size() > 15, "too few effects are found");
    for (Ofx::ImageEffect::ImageEffectPlugin *plugin : cache.getPlugins()) {
        const std::string name = plugin->getIdentifier();
        std::unique_ptr<Effect> effect(dynamic_cast<Effect *>(plugin->createInstance(kOfxImageEffectContextFilter, NULL)));
        check(effect && effect->createInstanceAction() == kOfxStatOK, name + ": no instance");
        if (effect && name == "org.vramp.deband")
            check(rendered(*effect, name, 3) > 1000, "deband changes nothing");
        if (effect && name == "org.vramp.chain") {
            auto set = [&](const char *chain) { static_cast<Text *>(effect->getParams().at("chain"))->set(chain); };
            set("");
            check(rendered(*effect, name, 3) == 0, "an empty chain changes pixels");
            // Along the edges of the digits, and nowhere else.
            set("box(1)");
            int edges = rendered(*effect, name, 3);
            check(edges > 500 && edges < 20000, "box changes " + std::to_string(edges) + " pixels");
        }
    }
    Ofx::PluginCache::clearPluginCache();
    return failures != 0;
}
