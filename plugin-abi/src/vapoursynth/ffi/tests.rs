//! The declarations against VapourSynth's own header, as a C compiler reads it.

use super::*;
use std::mem::{offset_of, size_of};
use std::path::Path;
use std::process::Command;

/// The folder of VapourSynth4.h.
const HEADERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/vapoursynth/unpacked/vapoursynth/include");

/// A C expression and what it is here.
type Fact = (String, i64);

/// `get_frame_filter` as VapourSynth spells it: getFrameFilter. Acronyms stay in capitals.
fn camel(snake: &str) -> String {
    let mut words = snake.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |name, word| match word {
        "api" | "ro" | "rw" => name + &word.to_uppercase(),
        _ => name + &word[..1].to_uppercase() + &word[1..],
    })
}

/// Size and offsets of a struct.
macro_rules! layout {
    ($facts:ident, $ours:ty, $theirs:literal: $($field:ident),+ $(,)?) => {
        $facts.push((format!("sizeof({})", $theirs), size_of::<$ours>() as i64));
        offsets!($facts, $ours, $theirs: $($field),+);
    };
}

macro_rules! offsets {
    ($facts:ident, $ours:ty, $theirs:literal: $($field:ident),+ $(,)?) => {
        $($facts.push((
            format!("offsetof({}, {})", $theirs, camel(stringify!($field))),
            offset_of!($ours, $field) as i64,
        ));)+
    };
}

macro_rules! constants {
    ($facts:ident: $($ours:expr => $theirs:literal),+ $(,)?) => {
        $($facts.push(($theirs.to_owned(), i64::from($ours)));)+
    };
}

fn ours() -> Vec<Fact> {
    let mut facts = Vec::new();
    layout!(facts, VideoFormat, "VSVideoFormat": color_family, sample_type, bits_per_sample, bytes_per_sample,
        sub_sampling_w, sub_sampling_h, num_planes);
    layout!(facts, VideoInfo, "VSVideoInfo": format, fps_num, fps_den, width, height, num_frames);
    layout!(facts, FilterDependency, "VSFilterDependency": source, request_pattern);
    layout!(facts, PluginApi, "VSPLUGINAPI": get_api_version, config_plugin, register_function);
    offsets!(facts, Api, "VSAPI": create_video_filter, create_video_filter2, free_node, add_node_ref, get_video_info, new_video_frame,
        free_frame, copy_frame, get_frame_properties_ro, get_frame_properties_rw, get_stride, get_read_ptr,
        get_write_ptr, get_video_frame_format, get_frame_width, get_frame_height, get_video_format_name,
        query_video_format, get_frame, get_frame_filter, request_frame_filter, set_filter_error, map_set_error,
        map_num_keys, map_get_key, map_num_elements, map_get_int,
        map_set_int, map_set_int_array, map_set_float, map_get_float, map_get_data, map_get_data_size, map_get_node,
        get_api_version);
    constants!(facts:
        API_VERSION => "VAPOURSYNTH_API_VERSION",
        version(3, 5) => "VS_MAKE_VERSION(3, 5)",
        UNDEFINED => "cfUndefined", GRAY => "cfGray", RGB => "cfRGB", YUV => "cfYUV",
        INTEGER => "stInteger", FLOAT => "stFloat",
        PARALLEL => "fmParallel",
        INITIAL => "arInitial", ALL_FRAMES_READY => "arAllFramesReady",
        GENERAL => "rpGeneral", STRICT_SPATIAL => "rpStrictSpatial",
        REPLACE => "maReplace",
    );
    facts
}

/// What the C compiler says of the same expressions.
fn theirs(facts: &[Fact]) -> Vec<Fact> {
    assert!(Path::new(HEADERS).exists(), "VapourSynth is not there: run scripts/setup_hosts.sh");
    let folder = std::env::temp_dir().join(format!("vramp-vapoursynth-header-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (source, program) = (folder.join("facts.c"), folder.join("facts"));
    let lines: String =
        facts.iter().map(|(expression, _)| format!("    printf(\"%lld\\n\", (long long)({expression}));\n")).collect();
    let text = format!("#include <VapourSynth4.h>\n#include <stdio.h>\nint main(void) {{\n{lines}    return 0;\n}}\n");
    std::fs::write(&source, text).unwrap();
    let compiler = Command::new("cc").args(["-I", HEADERS, "-o"]).args([&program, &source]).output();
    let compiler = compiler.expect("a C compiler is installed");
    assert!(compiler.status.success(), "{}", String::from_utf8_lossy(&compiler.stderr));
    let printed = Command::new(&program).output().unwrap().stdout;
    std::fs::remove_dir_all(&folder).unwrap();
    let numbers = std::str::from_utf8(&printed).unwrap().lines().map(|line| line.parse().unwrap());
    facts.iter().map(|(expression, _)| expression.clone()).zip(numbers).collect()
}

#[test]
fn the_declarations_are_the_headers() {
    let ours = ours();
    assert!(ours.len() > 50);
    assert_eq!(ours, theirs(&ours));
}
