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
        "api" | "gpu" | "luid" | "ro" | "rw" | "uuid" => name + &word.to_uppercase(),
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
        query_video_format, get_frame, get_frame_filter, request_frame_filter, set_filter_error, create_map, free_map, map_set_error,
        map_num_keys, map_get_key, map_num_elements, map_get_int,
        map_set_int, map_set_int_array, map_set_float, map_get_float, map_get_data, map_get_data_size, map_get_node, map_set_node,
        get_plugin_by_namespace, invoke, get_api_version);
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

fn ours_of_gpu_memory() -> Vec<Fact> {
    use super::super::gpu::ffi::*;
    let mut facts = Vec::new();
    offsets!(facts, NewerApi, "VSAPI": get_core_info2, create_video_filter_ex, create_video_filter_ex2, get_vulkan_api,
        get_node_residency);
    layout!(facts, CoreInfo2, "VSCoreInfo2": version_string, core_version, api_version, creation_flags, num_threads,
        max_framebuffer_size, used_framebuffer_size);
    layout!(facts, VulkanCoreInfo, "VSVulkanCoreInfo": device_name, device_memory, budget, allocated, limit, device_uuid,
        device_luid, device_node_mask, device_luid_valid, export_handle_type, semaphore_export_handle_type, unified_memory);
    layout!(facts, PlaneInfo, "VSVulkanPlaneInfo": buffer, buffer_size, ready_semaphore, ready_value);
    layout!(facts, ExportedMemory, "VSVulkanExportedMemory": memory_id, memory_size, memory_type_index, offset, size,
        handle_type, handle);
    layout!(facts, ExportedSemaphore, "VSVulkanExportedSemaphore": handle_type, handle);
    layout!(facts, VulkanApi, "VSVULKANAPI": get_vulkan_core_info, new_gpu_video_frame, get_gpu_plane, set_gpu_plane_producer,
        create_gpu_timeline, free_gpu_timeline, get_gpu_timeline_semaphore, reserve_gpu_memory,
        update_gpu_memory_reservation, release_gpu_memory_reservation, export_gpu_plane, export_gpu_semaphore,
        wait_gpu_frame, get_exportable_frame_filter);
    constants!(facts: GPU_OUTPUT => "ffGPUOutput", ON_GPU => "nrGPU");
    facts
}

/// As much of Vulkan's header as VapourSynth's needs: types, all of the size of a pointer or of 64 or 32 bits.
fn vulkan_types() -> String {
    let header = std::fs::read_to_string(format!("{HEADERS}/VSVulkan4.h")).unwrap();
    let mut text = String::from("#define VK_UUID_SIZE 16\n#define VK_LUID_SIZE 8\n#include <stdint.h>\n");
    let functions = header.lines().filter_map(|line| line.trim().strip_prefix("FN(VS_VK_")?.split([',', ')']).nth(2));
    for name in functions.map(str::trim).chain(["GetInstanceProcAddr"]) {
        text += &format!("typedef void (*PFN_vk{name})(void);\n");
    }
    for name in ["Instance", "PhysicalDevice", "Device", "Buffer", "Semaphore", "DeviceMemory", "CommandBuffer"] {
        text += &format!("typedef struct Vk{name}_T *Vk{name};\n");
    }
    for name in ["DeviceSize", "DeviceAddress"] {
        text += &format!("typedef uint64_t Vk{name};\n");
    }
    for name in ["MemoryPropertyFlags", "BufferUsageFlags", "MemoryRequirements"] {
        text += &format!("typedef uint32_t Vk{name};\n");
    }
    text
}

/// What the C compiler says of the same expressions, after `includes`.
fn theirs(name: &str, includes: &str, facts: &[Fact]) -> Vec<Fact> {
    assert!(Path::new(HEADERS).exists(), "VapourSynth is not there: run scripts/setup_hosts.sh");
    let folder = std::env::temp_dir().join(format!("vramp-vapoursynth-{name}-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("vulkan")).unwrap();
    std::fs::write(folder.join("vulkan/vulkan_core.h"), vulkan_types()).unwrap();
    let (source, program) = (folder.join("facts.c"), folder.join("facts"));
    let lines: String =
        facts.iter().map(|(expression, _)| format!("    printf(\"%lld\\n\", (long long)({expression}));\n")).collect();
    let text = format!("{includes}\n#include <stdio.h>\nint main(void) {{\n{lines}    return 0;\n}}\n");
    std::fs::write(&source, text).unwrap();
    let mut command = Command::new("cc");
    let compiler = command.arg("-I").arg(&folder).args(["-I", HEADERS, "-o"]).args([&program, &source]).output();
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
    assert_eq!(ours, theirs("header", "#include <VapourSynth4.h>", &ours));
}

/// The header is that of the version that is known, and moves functions in others.
#[test]
fn the_declarations_of_gpu_memory_are_the_headers() {
    let ours = ours_of_gpu_memory();
    assert!(ours.len() > 50);
    assert_eq!(ours, theirs("gpu", "#define VS_USE_LATEST_API\n#include <VSVulkan4.h>", &ours));
}
