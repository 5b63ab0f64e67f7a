//! The declarations against OpenFX's own headers, as a C compiler reads them.

use super::*;
use std::mem::{offset_of, size_of};
use std::path::Path;
use std::process::Command;

/// The folder of ofxCore.h.
const HEADERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/openfx/include");

/// `prop_get_int` as OpenFX spells it.
fn camel(snake: &str) -> String {
    let mut words = snake.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |name, word| name + &word[..1].to_uppercase() + &word[1..])
}

/// An assertion for each field: it lies where the header has it.
macro_rules! offsets {
    ($ours:ty, $theirs:literal: $($field:ident),+ $(,)?) => {
        [$(format!(
            "_Static_assert(offsetof({0}, {1}) == {2}, \"{0}.{1}\");\n",
            $theirs, camel(stringify!($field)), offset_of!($ours, $field)
        )),+].concat()
    };
}

fn assertions() -> String {
    let mut text = String::new();
    let mut sizes =
        |theirs: &str, size: usize| text += &format!("_Static_assert(sizeof({theirs}) == {size}, \"{theirs}\");\n");
    sizes("OfxRectI", size_of::<RectI>());
    sizes("OfxHost", size_of::<Host>());
    sizes("OfxPlugin", size_of::<Plugin>());
    sizes("OfxMessageSuiteV2", size_of::<MessageSuite>());
    text += &offsets!(RectI, "OfxRectI": x1, y1, x2, y2);
    text += &offsets!(Host, "OfxHost": host, fetch_suite);
    text += &offsets!(Plugin, "OfxPlugin": plugin_api, api_version, plugin_identifier, plugin_version_major,
        plugin_version_minor, set_host, main_entry);
    text += &offsets!(PropertySuite, "OfxPropertySuiteV1": prop_set_pointer, prop_set_string, prop_set_double, prop_set_int,
        prop_get_pointer, prop_get_string, prop_get_double, prop_get_int);
    text += &offsets!(ImageEffectSuite, "OfxImageEffectSuiteV1": get_property_set, get_param_set, clip_define,
        clip_get_handle, clip_get_image, clip_release_image);
    text += &offsets!(ParameterSuite, "OfxParameterSuiteV1": param_define, param_get_handle, param_get_value_at_time);
    text += &offsets!(MessageSuite, "OfxMessageSuiteV2": set_persistent_message, clear_persistent_message);
    for (theirs, ours) in [
        ("kOfxStatOK", OK),
        ("kOfxStatFailed", FAILED),
        ("kOfxStatErrMissingHostFeature", MISSING_HOST_FEATURE),
        ("kOfxStatErrMemory", NO_MEMORY),
        ("kOfxStatReplyDefault", REPLY_DEFAULT),
        ("kOfxStatGLOutOfMemory", GPU_OUT_OF_MEMORY),
        ("kOfxStatGLRenderFailed", GPU_RENDER_FAILED),
        ("kOfxImageEffectPluginApiVersion", PLUGIN_API_VERSION),
    ] {
        text += &format!("_Static_assert({theirs} == {ours}, \"{theirs}\");\n");
    }
    text
}

/// The program finds each name that is another in the header.
fn comparisons() -> String {
    let all = names::ALL.iter().copied().chain([("kOfxImageEffectPluginApi", PLUGIN_API)]);
    let compare = |(theirs, ours): (&str, &std::ffi::CStr)| {
        format!("    if (strcmp({theirs}, {ours:?})) {{ puts(\"{theirs}\"); wrong = 1; }}\n")
    };
    all.map(compare).collect()
}

#[test]
fn structs_and_names_are_those_of_the_headers() {
    assert!(Path::new(HEADERS).exists(), "{HEADERS} is not there: scripts/setup_hosts.sh fetches it");
    let folder = std::env::temp_dir().join(format!("vramp-openfx-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (source, program) = (folder.join("facts.c"), folder.join("facts"));
    let text = format!(
        "#include <limits.h>\n#include <stddef.h>\n#include <stdio.h>\n#include <string.h>\n#include \"ofxImageEffect.h\"\n\
         #include \"ofxMessage.h\"\n#include \"ofxOpenGLRender.h\"\n{}int main(void) {{\n    int wrong = 0;\n{}    return wrong;\n}}\n",
        assertions(),
        comparisons()
    );
    std::fs::write(&source, text).unwrap();
    let built = Command::new("cc").arg("-I").arg(HEADERS).arg(&source).arg("-o").arg(&program).output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let ran = Command::new(&program).output().unwrap();
    assert!(ran.status.success(), "other names in the headers: {}", String::from_utf8_lossy(&ran.stdout));
    std::fs::remove_dir_all(&folder).unwrap();
}
