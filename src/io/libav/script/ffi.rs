//! VapourSynth's API 4.0 and VSScript's 4.1, as far as a script is read with them. Written from their documentation; a test
//! holds it against the headers.
//!
//! Names are theirs without `VS`, functions in Rust's spelling. What is not used keeps its place as a gap.

#[cfg(test)]
mod tests;

use std::ffi::{c_char, c_int, c_void};

/// Declares types that only VapourSynth knows.
macro_rules! opaque {
    ($($(#[doc = $doc:literal])+ $name:ident;)+) => {
        $(
            $(#[doc = $doc])+
            #[repr(C)]
            pub struct $name {
                _opaque: [u8; 0],
            }
        )+
    };
}

opaque! {
    /// A script and what it has made.
    Script;
    /// What runs its filters.
    Core;
    /// A clip.
    Node;
    /// A frame.
    Frame;
    /// Values by name.
    Map;
}

/// A function that is not used.
type Gap = Option<unsafe extern "C" fn()>;

/// Version `major.minor` of an API, as VapourSynth counts.
pub const fn version(major: c_int, minor: c_int) -> c_int {
    major << 16 | minor
}

/// `VSScript`'s API that is asked for.
pub const SCRIPT_API: c_int = version(4, 1);
/// VapourSynth's API that is asked for.
pub const API: c_int = version(4, 0);

/// `ColorFamily`: it varies.
pub const UNDEFINED: c_int = 0;
/// `ColorFamily`: grey.
pub const GRAY: c_int = 1;
/// `ColorFamily`: R, G, B.
pub const RGB: c_int = 2;
/// `SampleType`: integers.
pub const INTEGER: c_int = 0;
/// `MediaType`: pictures.
pub const VIDEO: c_int = 1;
/// `DataTypeHint`: text.
pub const UTF8: c_int = 1;
/// `MapAppendMode`: what was there goes.
pub const REPLACE: c_int = 0;

/// A sample format.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct VideoFormat {
    /// [`UNDEFINED`], [`GRAY`], [`RGB`], or 3 for Y, Cb, Cr.
    pub color_family: c_int,
    /// [`INTEGER`], or 1 for floats.
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

/// What runs filters, and how.
#[repr(C)]
pub struct CoreInfo {
    /// Version and copyright.
    pub version_string: *const c_char,
    /// The version.
    pub core: c_int,
    /// Version of the API.
    pub api: c_int,
    /// Threads that make frames.
    pub num_threads: c_int,
    /// Bytes that frames may take before caches shrink.
    pub max_framebuffer_size: i64,
    /// Bytes that they take.
    pub used_framebuffer_size: i64,
}

/// Called on a thread of VapourSynth's with a frame to be given back, or null and why.
pub type FrameDone =
    unsafe extern "C" fn(data: *mut c_void, frame: *const Frame, n: c_int, node: *mut Node, error: *const c_char);

/// What runs scripts.
#[repr(C)]
pub struct ScriptApi {
    _get_api_version: Gap,
    /// VapourSynth's API of a version. Null when it has another.
    pub get_vsapi: unsafe extern "C" fn(version: c_int) -> *const Api,
    /// A script that nothing is read of yet, with a core of its own for null.
    pub create_script: unsafe extern "C" fn(core: *mut Core) -> *mut Script,
    /// The script's core.
    pub get_core: unsafe extern "C" fn(script: *mut Script) -> *mut Core,
    _evaluate_buffer: Gap,
    /// Runs a file. Not zero when it fails.
    pub evaluate_file: unsafe extern "C" fn(script: *mut Script, name: *const c_char) -> c_int,
    /// Why it failed.
    pub get_error: unsafe extern "C" fn(script: *mut Script) -> *const c_char,
    _get_exit_code: Gap,
    _get_variable: Gap,
    /// Sets every value of a map as a variable. Not zero when that fails.
    pub set_variables: unsafe extern "C" fn(script: *mut Script, variables: *const Map) -> c_int,
    /// A reference to an output, to be given back. Null when there is none of that number.
    pub get_output_node: unsafe extern "C" fn(script: *mut Script, index: c_int) -> *mut Node,
    /// The same for its alpha.
    pub get_output_alpha_node: unsafe extern "C" fn(script: *mut Script, index: c_int) -> *mut Node,
    _get_alt_output_mode: Gap,
    /// Ends a script of which nothing is held any more.
    pub free_script: unsafe extern "C" fn(script: *mut Script),
    /// Whether a script runs in its own folder.
    pub eval_set_working_dir: unsafe extern "C" fn(script: *mut Script, set: c_int),
    // More follows, of which nothing is used.
}

/// What reads clips.
#[repr(C)]
pub struct Api {
    _create: [Gap; 7],
    /// Gives a reference to a clip back.
    pub free_node: unsafe extern "C" fn(node: *mut Node),
    _add_node_ref: Gap,
    /// [`VIDEO`], or 2 for sound.
    pub get_node_type: unsafe extern "C" fn(node: *mut Node) -> c_int,
    /// What the frames of a clip share.
    pub get_video_info: unsafe extern "C" fn(node: *mut Node) -> *const VideoInfo,
    _audio_and_new: [Gap; 5],
    /// Gives a reference to a frame back.
    pub free_frame: unsafe extern "C" fn(frame: *const Frame),
    _frame_refs: [Gap; 2],
    /// A frame's properties.
    pub get_frame_properties_ro: unsafe extern "C" fn(frame: *const Frame) -> *const Map,
    _properties_rw: Gap,
    /// Bytes from one row to the next.
    pub get_stride: unsafe extern "C" fn(frame: *const Frame, plane: c_int) -> isize,
    /// The first sample of a plane.
    pub get_read_ptr: unsafe extern "C" fn(frame: *const Frame, plane: c_int) -> *const u8,
    _frame: [Gap; 5],
    /// Height of a plane in rows.
    pub get_frame_height: unsafe extern "C" fn(frame: *const Frame, plane: c_int) -> c_int,
    _formats: [Gap; 8],
    /// Asks for a frame, which `done` gets with `data`.
    pub get_frame_async: unsafe extern "C" fn(n: c_int, node: *mut Node, done: FrameDone, data: *mut c_void),
    _filters: [Gap; 9],
    /// An empty map, to be freed.
    pub create_map: unsafe extern "C" fn() -> *mut Map,
    /// Frees a map.
    pub free_map: unsafe extern "C" fn(map: *mut Map),
    _maps: [Gap; 10],
    /// An integer. `error` becomes nonzero when there is none.
    pub map_get_int: unsafe extern "C" fn(map: *const Map, key: *const c_char, index: c_int, error: *mut c_int) -> i64,
    _numbers: [Gap; 12],
    /// Sets bytes, copied. Not zero when that fails.
    pub map_set_data: unsafe extern "C" fn(
        map: *mut Map,
        key: *const c_char,
        data: *const c_char,
        size: c_int,
        hint: c_int,
        append: c_int,
    ) -> c_int,
    _objects: [Gap; 28],
    /// What runs filters, and how.
    pub get_core_info: unsafe extern "C" fn(core: *mut Core, info: *mut CoreInfo),
    /// The API that this VapourSynth has.
    pub get_api_version: unsafe extern "C" fn() -> c_int,
    // More follows, of which nothing is used.
}
