//! The declarations against VapourSynth's own headers, as a C compiler reads them.

use super::*;
use std::mem::{offset_of, size_of};
use std::path::Path;
use std::process::Command;

/// The folder of VSScript4.h, once scripts/setup_hosts.sh has fetched it.
const HEADERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/target/vapoursynth/unpacked/vapoursynth/include");

/// C expressions, and what they are here.
fn ours() -> Vec<(String, i64)> {
    let mut facts = Vec::new();
    macro_rules! offsets {
        ($ours:ty, $theirs:literal: $($field:ident = $name:ident),+ $(,)?) => {
            $(facts.push((format!("offsetof({}, {})", $theirs, stringify!($name)), offset_of!($ours, $field) as i64));)+
        };
    }
    offsets!(VideoInfo, "VSVideoInfo": format = format, fps_num = fpsNum, fps_den = fpsDen, width = width,
        height = height, num_frames = numFrames);
    offsets!(VideoFormat, "VSVideoFormat": color_family = colorFamily, sample_type = sampleType,
        bits_per_sample = bitsPerSample, sub_sampling_w = subSamplingW, sub_sampling_h = subSamplingH,
        num_planes = numPlanes);
    offsets!(CoreInfo, "VSCoreInfo": num_threads = numThreads, used_framebuffer_size = usedFramebufferSize);
    offsets!(ScriptApi, "VSSCRIPTAPI": get_vsapi = getVSAPI, create_script = createScript, get_core = getCore,
        evaluate_file = evaluateFile, get_error = getError, set_variables = setVariables,
        get_output_node = getOutputNode, get_output_alpha_node = getOutputAlphaNode, free_script = freeScript,
        eval_set_working_dir = evalSetWorkingDir);
    offsets!(Api, "VSAPI": free_node = freeNode, get_node_type = getNodeType, get_video_info = getVideoInfo,
        free_frame = freeFrame, get_frame_properties_ro = getFramePropertiesRO, get_stride = getStride,
        get_read_ptr = getReadPtr, get_frame_height = getFrameHeight, get_frame_async = getFrameAsync,
        create_map = createMap, free_map = freeMap, map_get_int = mapGetInt, map_set_data = mapSetData,
        get_core_info = getCoreInfo, get_api_version = getAPIVersion);
    let sizes = [("VSVideoInfo", size_of::<VideoInfo>()), ("VSCoreInfo", size_of::<CoreInfo>())];
    facts.extend(sizes.map(|(name, size)| (format!("sizeof({name})"), size as i64)));
    let constants = [
        ("VSSCRIPT_API_VERSION", SCRIPT_API),
        ("VAPOURSYNTH_API_VERSION", API),
        ("cfUndefined", UNDEFINED),
        ("cfGray", GRAY),
        ("cfRGB", RGB),
        ("stInteger", INTEGER),
        ("mtVideo", VIDEO),
        ("dtUtf8", UTF8),
        ("maReplace", REPLACE),
    ];
    facts.extend(constants.map(|(name, value)| (name.to_owned(), value.into())));
    facts
}

#[test]
fn the_declarations_are_the_headers() {
    if !Path::new(HEADERS).exists() {
        println!("skipped: scripts/setup_hosts.sh has not fetched VapourSynth");
        return;
    }
    let ours = ours();
    let folder = std::env::temp_dir().join(format!("vramp-script-headers-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (source, program) = (folder.join("facts.c"), folder.join("facts"));
    let lines: String = ours.iter().map(|(fact, _)| format!("printf(\"%lld\\n\", (long long)({fact}));\n")).collect();
    let text = format!("#include <VSScript4.h>\n#include <stdio.h>\nint main(void) {{\n{lines}return 0;\n}}\n");
    std::fs::write(&source, text).unwrap();
    let compiler = Command::new("cc").args(["-I", HEADERS, "-o"]).args([&program, &source]).output().unwrap();
    assert!(compiler.status.success(), "{}", String::from_utf8_lossy(&compiler.stderr));
    let printed = String::from_utf8(Command::new(&program).output().unwrap().stdout).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let theirs = ours.iter().map(|(fact, _)| fact.clone()).zip(printed.lines().map(|line| line.parse().unwrap()));
    assert_eq!(ours, theirs.collect::<Vec<(String, i64)>>());
}
