//! VapourSynth's API 4.0, as far as it is used here. Written from its documentation; a test holds it against the header.
//!
//! Names are VapourSynth's without `VS`, functions in Rust's spelling. What is not used keeps its place as a gap.

#[cfg(test)]
mod tests;

use crate::opaque::opaque;
use std::ffi::{c_char, c_int, c_void};

opaque! {
    /// Everything that belongs to one run.
    Core;
    /// A plugin that is being loaded.
    Plugin;
    /// A clip.
    Node;
    /// A frame.
    Frame;
    /// Arguments, results or frame properties by name.
    Map;
    /// A request for a frame.
    FrameContext;
}

/// A function that is not used.
type Gap = *const c_void;

/// Version `major.minor` of the API, as VapourSynth counts.
pub const fn version(major: c_int, minor: c_int) -> c_int {
    major << 16 | minor
}

/// What the plugin asks for.
pub const API_VERSION: c_int = version(4, 0);

/// `ColorFamily`: unknown until a frame comes.
pub const UNDEFINED: c_int = 0;
/// `ColorFamily`: grey.
pub const GRAY: c_int = 1;
/// `ColorFamily`: R, G, B.
pub const RGB: c_int = 2;
/// `ColorFamily`: Y, Cb, Cr.
pub const YUV: c_int = 3;

/// `SampleType`: integers.
pub const INTEGER: c_int = 0;
/// `SampleType`: IEEE floating point.
pub const FLOAT: c_int = 1;

/// `FilterMode`: frames are asked for from any thread at once.
pub const PARALLEL: c_int = 0;

/// `ActivationReason`: say which frames are needed.
pub const INITIAL: c_int = 0;
/// `ActivationReason`: they are there.
pub const ALL_FRAMES_READY: c_int = 1;

/// `RequestPattern`: any frames, and some more than once.
pub const GENERAL: c_int = 0;
/// `RequestPattern`: frame n needs frame n and no other.
pub const STRICT_SPATIAL: c_int = 2;

/// `MapAppendMode`: what was there goes.
pub const REPLACE: c_int = 0;

/// A sample format.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VideoFormat {
    /// [`UNDEFINED`], [`GRAY`], [`RGB`] or [`YUV`].
    pub color_family: c_int,
    /// [`INTEGER`] or [`FLOAT`].
    pub sample_type: c_int,
    /// Significant bits.
    pub bits_per_sample: c_int,
    /// 1, 2 or 4.
    pub bytes_per_sample: c_int,
    /// log2 of the horizontal chroma subsampling.
    pub sub_sampling_w: c_int,
    /// log2 of the vertical chroma subsampling.
    pub sub_sampling_h: c_int,
    /// 1 or 3.
    pub num_planes: c_int,
}

/// What all frames of a clip share; zero where they do not.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct VideoInfo {
    /// The format.
    pub format: VideoFormat,
    /// Frames a second, numerator.
    pub fps_num: i64,
    /// Frames a second, denominator.
    pub fps_den: i64,
    /// Width in samples.
    pub width: c_int,
    /// Height in rows.
    pub height: c_int,
    /// Length in frames.
    pub num_frames: c_int,
}

/// A clip that a filter reads, and how.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct FilterDependency {
    /// The clip.
    pub source: *mut Node,
    /// [`GENERAL`] or [`STRICT_SPATIAL`].
    pub request_pattern: c_int,
}

/// A function that scripts call.
pub type PublicFunction =
    unsafe extern "C" fn(input: *const Map, out: *mut Map, data: *mut c_void, core: *mut Core, api: *const Api);

/// Makes frame `n`: called with [`INITIAL`], then with [`ALL_FRAMES_READY`].
pub type GetFrame = unsafe extern "C" fn(
    n: c_int,
    reason: c_int,
    instance: *mut c_void,
    frame_data: *mut *mut c_void,
    context: *mut FrameContext,
    core: *mut Core,
    api: *const Api,
) -> *const Frame;

/// Ends a filter.
pub type Free = unsafe extern "C" fn(instance: *mut c_void, core: *mut Core, api: *const Api);

/// What a plugin may call while it is loaded.
#[repr(C)]
pub struct PluginApi {
    /// The API that this VapourSynth has.
    pub get_api_version: unsafe extern "C" fn() -> c_int,
    /// Names the plugin. Zero when VapourSynth refuses.
    pub config_plugin: unsafe extern "C" fn(
        identifier: *const c_char,
        namespace: *const c_char,
        name: *const c_char,
        plugin_version: c_int,
        api_version: c_int,
        flags: c_int,
        plugin: *mut Plugin,
    ) -> c_int,
    /// Adds a function. Zero when VapourSynth refuses.
    pub register_function: unsafe extern "C" fn(
        name: *const c_char,
        args: *const c_char,
        return_type: *const c_char,
        function: PublicFunction,
        data: *mut c_void,
        plugin: *mut Plugin,
    ) -> c_int,
}

/// What a filter may call.
#[repr(C)]
pub struct Api {
    /// Makes a filter whose clip becomes `clip` in `out`.
    pub create_video_filter: unsafe extern "C" fn(
        out: *mut Map,
        name: *const c_char,
        info: *const VideoInfo,
        get_frame: GetFrame,
        free: Free,
        mode: c_int,
        dependencies: *const FilterDependency,
        dependency_count: c_int,
        instance: *mut c_void,
        core: *mut Core,
    ),
    /// The same for a filter whose clip is returned. Null when it cannot be made.
    pub create_video_filter2: unsafe extern "C" fn(
        name: *const c_char,
        info: *const VideoInfo,
        get_frame: GetFrame,
        free: Free,
        mode: c_int,
        dependencies: *const FilterDependency,
        dependency_count: c_int,
        instance: *mut c_void,
        core: *mut Core,
    ) -> *mut Node,
    _create: [Gap; 5],
    /// Gives a reference to a clip back.
    pub free_node: unsafe extern "C" fn(node: *mut Node),
    /// One more reference to a clip.
    pub add_node_ref: unsafe extern "C" fn(node: *mut Node) -> *mut Node,
    _node_type: Gap,
    /// What the frames of a clip share.
    pub get_video_info: unsafe extern "C" fn(node: *mut Node) -> *const VideoInfo,
    _audio_info: Gap,
    /// A new frame with the properties of `props`, if that is not null. Its samples are not set.
    pub new_video_frame: unsafe extern "C" fn(
        format: *const VideoFormat,
        width: c_int,
        height: c_int,
        props: *const Frame,
        core: *mut Core,
    ) -> *mut Frame,
    _new_frame: [Gap; 3],
    /// Gives a reference to a frame back.
    pub free_frame: unsafe extern "C" fn(frame: *const Frame),
    _add_frame_ref: Gap,
    /// A frame of its own with the same samples and properties, neither copied before it is written.
    pub copy_frame: unsafe extern "C" fn(frame: *const Frame, core: *mut Core) -> *mut Frame,
    /// A frame's properties.
    pub get_frame_properties_ro: unsafe extern "C" fn(frame: *const Frame) -> *const Map,
    /// A new frame's properties.
    pub get_frame_properties_rw: unsafe extern "C" fn(frame: *mut Frame) -> *mut Map,
    /// Bytes from one row to the next.
    pub get_stride: unsafe extern "C" fn(frame: *const Frame, plane: c_int) -> isize,
    /// The first sample of a plane. Null where it is not in host memory.
    pub get_read_ptr: unsafe extern "C" fn(frame: *const Frame, plane: c_int) -> *const u8,
    /// The first sample of a new frame's plane.
    pub get_write_ptr: unsafe extern "C" fn(frame: *mut Frame, plane: c_int) -> *mut u8,
    /// A frame's format.
    pub get_video_frame_format: unsafe extern "C" fn(frame: *const Frame) -> *const VideoFormat,
    _frame_kind: [Gap; 2],
    /// Width of a plane in samples.
    pub get_frame_width: unsafe extern "C" fn(frame: *const Frame, plane: c_int) -> c_int,
    /// Height of a plane in rows.
    pub get_frame_height: unsafe extern "C" fn(frame: *const Frame, plane: c_int) -> c_int,
    _frame_length: Gap,
    /// Writes the name of a format, at most 32 bytes with the zero that ends it. Zero when it has none.
    pub get_video_format_name: unsafe extern "C" fn(format: *const VideoFormat, name: *mut c_char) -> c_int,
    _audio_format_name: Gap,
    /// Fills in a format. Zero when there is none such.
    pub query_video_format: unsafe extern "C" fn(
        format: *mut VideoFormat,
        color_family: c_int,
        sample_type: c_int,
        bits_per_sample: c_int,
        sub_sampling_w: c_int,
        sub_sampling_h: c_int,
        core: *mut Core,
    ) -> c_int,
    _query: [Gap; 3],
    /// A frame, when it is there. `message` becomes why not, in at most `size` bytes. Not while a frame is made.
    pub get_frame: unsafe extern "C" fn(n: c_int, node: *mut Node, message: *mut c_char, size: c_int) -> *const Frame,
    _get_frame_async: Gap,
    /// The frame that was asked for, to be given back.
    pub get_frame_filter: unsafe extern "C" fn(n: c_int, node: *mut Node, context: *mut FrameContext) -> *const Frame,
    /// Asks for a frame.
    pub request_frame_filter: unsafe extern "C" fn(n: c_int, node: *mut Node, context: *mut FrameContext),
    _cache: [Gap; 2],
    /// Says why there is no frame.
    pub set_filter_error: unsafe extern "C" fn(message: *const c_char, context: *mut FrameContext),
    _functions: [Gap; 4],
    /// A new map, to be given back.
    pub create_map: unsafe extern "C" fn() -> *mut Map,
    /// Gives a map back.
    pub free_map: unsafe extern "C" fn(map: *mut Map),
    _maps: [Gap; 2],
    /// Says why there is no result.
    pub map_set_error: unsafe extern "C" fn(map: *mut Map, message: *const c_char),
    _map_get_error: Gap,
    /// How many keys there are.
    pub map_num_keys: unsafe extern "C" fn(map: *const Map) -> c_int,
    /// A key.
    pub map_get_key: unsafe extern "C" fn(map: *const Map, index: c_int) -> *const c_char,
    _map_delete_key: Gap,
    /// How many values a key has; −1 when there is no such key.
    pub map_num_elements: unsafe extern "C" fn(map: *const Map, key: *const c_char) -> c_int,
    _map_type: [Gap; 2],
    /// An integer. `error` becomes nonzero when there is none.
    pub map_get_int: unsafe extern "C" fn(map: *const Map, key: *const c_char, index: c_int, error: *mut c_int) -> i64,
    _map_get_int: [Gap; 2],
    /// Sets an integer.
    pub map_set_int: unsafe extern "C" fn(map: *mut Map, key: *const c_char, value: i64, append: c_int) -> c_int,
    /// Sets integers.
    pub map_set_int_array:
        unsafe extern "C" fn(map: *mut Map, key: *const c_char, values: *const i64, count: c_int) -> c_int,
    /// A number. `error` becomes nonzero when there is none.
    pub map_get_float:
        unsafe extern "C" fn(map: *const Map, key: *const c_char, index: c_int, error: *mut c_int) -> f64,
    _map_get_float: [Gap; 2],
    /// Sets a number.
    pub map_set_float: unsafe extern "C" fn(map: *mut Map, key: *const c_char, value: f64, append: c_int) -> c_int,
    _map_set_float_array: Gap,
    /// Bytes. `error` becomes nonzero when there are none.
    pub map_get_data:
        unsafe extern "C" fn(map: *const Map, key: *const c_char, index: c_int, error: *mut c_int) -> *const c_char,
    /// How many bytes.
    pub map_get_data_size:
        unsafe extern "C" fn(map: *const Map, key: *const c_char, index: c_int, error: *mut c_int) -> c_int,
    _map_data: [Gap; 2],
    /// A reference to a clip, to be given back. `error` becomes nonzero when there is none.
    pub map_get_node:
        unsafe extern "C" fn(map: *const Map, key: *const c_char, index: c_int, error: *mut c_int) -> *mut Node,
    /// Sets a clip, of which the map has a reference of its own.
    pub map_set_node: unsafe extern "C" fn(map: *mut Map, key: *const c_char, node: *mut Node, append: c_int) -> c_int,
    _map_objects: [Gap; 7],
    _register: [Gap; 2],
    /// A plugin by its namespace. Null when it is not loaded.
    pub get_plugin_by_namespace: unsafe extern "C" fn(namespace: *const c_char, core: *mut Core) -> *mut Plugin,
    _plugins: [Gap; 11],
    /// Calls a plugin's function. The map that it returns is to be given back.
    pub invoke: unsafe extern "C" fn(plugin: *mut Plugin, name: *const c_char, args: *const Map) -> *mut Map,
    _core: [Gap; 5],
    /// The API that this VapourSynth has.
    pub get_api_version: unsafe extern "C" fn() -> c_int,
    // More follows in newer versions: `gpu::ffi` has what is used of it.
}
