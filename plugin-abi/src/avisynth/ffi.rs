//! AviSynth+'s C interface, as far as it is used here: version 8 (AviSynth+ 3.6) and newer. Written from its documentation,
//! <https://avisynthplus.readthedocs.io/en/latest/avisynthdoc/FilterSDK/FilterSDK.html>.
//!
//! Structs are AviSynth's without `AVS_`. The functions are looked up in the library that loads the plugin: the plugin works
//! without one in other hosts.

#[cfg(test)]
mod tests;

use crate::opaque::opaque;
use std::ffi::{CStr, c_char, c_int, c_void};

opaque! {
    /// What scripts run in.
    ScriptEnvironment;
    /// A clip.
    Clip;
    /// A frame.
    VideoFrame;
    /// The properties of a frame.
    Map;
}

/// What a clip's frames and samples share.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VideoInfo {
    /// Samples in a row; 0 is no video.
    pub width: c_int,
    /// Rows.
    pub height: c_int,
    /// Frames in `fps_denominator` seconds.
    pub fps_numerator: u32,
    /// See there.
    pub fps_denominator: u32,
    /// Frames.
    pub num_frames: c_int,
    /// Bits of the constants in [`pixel`].
    pub pixel_type: c_int,
    /// Of the sound; 0 is none.
    pub audio_samples_per_second: c_int,
    /// As above.
    pub sample_type: c_int,
    /// As above.
    pub num_audio_samples: i64,
    /// As above.
    pub nchannels: c_int,
    /// Field order and speakers.
    pub image_type: c_int,
}

/// Bits of `VideoInfo::pixel_type`.
pub mod pixel {
    use std::ffi::c_int;

    /// A plane a component.
    pub const PLANAR: c_int = 1 << 31;
    /// Samples side by side; with `PLANAR` and `YUV`: luma alone.
    pub const INTERLEAVED: c_int = 1 << 30;
    /// Y, Cb, Cr.
    pub const YUV: c_int = 1 << 29;
    /// R, G, B.
    pub const BGR: c_int = 1 << 28;
    /// Y, Cb, Cr and alpha.
    pub const YUVA: c_int = 1 << 27;
    /// With `BGR`: without alpha.
    pub const RGB_TYPE: c_int = 1;
    /// V lies before U in memory.
    pub const V_FIRST: c_int = 1 << 3;
    /// How much narrower chroma is: [`SUBSAMPLINGS`] by its logarithm.
    pub const WIDTH_MASK: c_int = 7;
    /// How much lower chroma is, in bits from this one.
    pub const HEIGHT_SHIFT: c_int = 8;
    /// The codes of full, half and a quarter of the size.
    pub const SUBSAMPLINGS: [c_int; 3] = [3, 0, 1];
    /// The depth, in bits from this one.
    pub const DEPTH_SHIFT: c_int = 16;
    /// Codes of depths in bits. 2 is floating point.
    pub const DEPTHS: [(c_int, u8); 5] = [(0, 8), (5, 10), (6, 12), (7, 14), (1, 16)];
}

/// Planes by their bits.
pub mod plane {
    use std::ffi::c_int;

    /// Y, Cb, Cr.
    pub const YUV: [c_int; 3] = [1, 2, 4];
    /// R, G, B.
    pub const RGB: [c_int; 3] = [1 << 5, 1 << 6, 1 << 7];
}

/// Rows of frames begin at multiples of so many bytes: AviSynth+'s own choice.
pub const FRAME_ALIGN: c_int = 64;

/// The question of [`FilterInfo::set_cache_hints`] how many threads may ask a filter for frames.
pub const GET_MT_MODE: c_int = 509;
/// The answer: any number, of one instance.
pub const MT_NICE_FILTER: c_int = 1;
/// A property is set, whatever it was.
pub const REPLACE: c_int = 0;

/// A value of a script.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Value {
    /// A letter for the type; see [`Value::kind`].
    pub kind: i16,
    /// Values of an array.
    pub array_size: i16,
    /// The value.
    pub data: Data,
}

/// What a [`Value`] holds.
#[repr(C)]
#[derive(Clone, Copy)]
pub union Data {
    /// `c`.
    pub clip: *mut c_void,
    /// `b`: not 0 is true.
    pub boolean: c_char,
    /// `i`.
    pub integer: c_int,
    /// `f`.
    pub float: f32,
    /// `s`, and the message of `e`.
    pub string: *const c_char,
    /// `a`.
    pub array: *const Value,
    /// `l`.
    pub long: i64,
    /// `d`.
    pub double: f64,
}

impl Value {
    /// No value.
    pub fn void() -> Value {
        Value::of(b'v', Data { long: 0 })
    }

    /// What the script ends with.
    pub fn error(message: *const c_char) -> Value {
        Value::of(b'e', Data { string: message })
    }

    fn of(kind: u8, data: Data) -> Value {
        Value { kind: kind.into(), array_size: 0, data }
    }

    /// The letter of its type: `v` for none, `a` for an array, or one of [`Data`].
    pub fn kind(&self) -> u8 {
        u8::try_from(self.kind).unwrap_or(0)
    }
}

/// A filter of a script: what AviSynth calls, and what it keeps.
#[repr(C)]
pub struct FilterInfo {
    /// The clip that sound and parity are taken from.
    pub child: *mut Clip,
    /// The clip that the filter makes.
    pub vi: VideoInfo,
    /// What the script runs in.
    pub env: *mut ScriptEnvironment,
    /// Makes a frame.
    pub get_frame: Option<unsafe extern "C" fn(*mut FilterInfo, c_int) -> *mut VideoFrame>,
    /// That of the child where there is none, as the next.
    pub get_parity: Option<unsafe extern "C" fn(*mut FilterInfo, c_int) -> c_int>,
    /// As above.
    pub get_audio: Option<unsafe extern "C" fn(*mut FilterInfo, *mut c_void, i64, i64) -> c_int>,
    /// Answers questions of the cache.
    pub set_cache_hints: Option<unsafe extern "C" fn(*mut FilterInfo, c_int, c_int) -> c_int>,
    /// Ends the filter.
    pub free_filter: Option<unsafe extern "C" fn(*mut FilterInfo)>,
    /// Why the last call failed.
    pub error: *const c_char,
    /// The filter's own.
    pub user_data: *mut c_void,
}

/// A function of a script.
pub type Apply = unsafe extern "C" fn(*mut ScriptEnvironment, Value, *mut c_void) -> Value;

macro_rules! functions {
    ($($(#[doc = $doc:literal])+ $name:ident: $symbol:literal ($($arg:ty),*) $(-> $result:ty)?;)+) => {
        /// AviSynth's functions.
        #[derive(Clone, Copy)]
        pub struct Api {
            $($(#[doc = $doc])+ pub $name: unsafe extern "C" fn($($arg),*) $(-> $result)?,)+
        }

        impl Api {
            /// The functions that `find` finds; `None` where one is missing.
            ///
            /// # Safety
            /// What it finds are AviSynth's functions of these names.
            unsafe fn found(find: impl Fn(&CStr) -> *mut c_void) -> Option<Api> {
                $(
                    let address = find($symbol);
                    if address.is_null() {
                        return None;
                    }
                    // SAFETY: the caller's promise, and the declaration is AviSynth's.
                    let $name = unsafe {
                        std::mem::transmute::<*mut c_void, unsafe extern "C" fn($($arg),*) $(-> $result)?>(address)
                    };
                )+
                Some(Api { $($name),+ })
            }
        }
    };
}

functions! {
    /// Adds a function to the script.
    add_function: c"avs_add_function" (*mut ScriptEnvironment, *const c_char, *const c_char, Apply, *mut c_void) -> c_int;
    /// A text that lives as long as the script.
    save_string: c"avs_save_string" (*mut ScriptEnvironment, *const c_char, c_int) -> *mut c_char;
    /// Makes a filter of a clip.
    new_c_filter: c"avs_new_c_filter" (*mut ScriptEnvironment, *mut *mut FilterInfo, Value, c_int) -> *mut Clip;
    /// Puts a clip into a value.
    set_to_clip: c"avs_set_to_clip" (*mut Value, *mut Clip);
    /// One more reference to the clip of a value.
    take_clip: c"avs_take_clip" (Value, *mut ScriptEnvironment) -> *mut Clip;
    /// Gives a reference back.
    release_clip: c"avs_release_clip" (*mut Clip);
    /// Why the clip's last call failed.
    clip_error: c"avs_clip_get_error" (*mut Clip) -> *const c_char;
    /// What the clip's frames share.
    video_info: c"avs_get_video_info" (*mut Clip) -> *const VideoInfo;
    /// A frame of a clip.
    get_frame: c"avs_get_frame" (*mut Clip, c_int) -> *mut VideoFrame;
    /// Gives a frame back.
    release_frame: c"avs_release_video_frame" (*mut VideoFrame);
    /// A frame whose rows begin at multiples of so many bytes.
    new_frame: c"avs_new_video_frame_a" (*mut ScriptEnvironment, *const VideoInfo, c_int) -> *mut VideoFrame;
    /// Copies a frame's properties to another frame.
    copy_props: c"avs_copy_frame_props" (*mut ScriptEnvironment, *const VideoFrame, *mut VideoFrame);
    /// Bytes from row to row.
    pitch: c"avs_get_pitch_p" (*const VideoFrame, c_int) -> c_int;
    /// Bytes of a row.
    row_size: c"avs_get_row_size_p" (*const VideoFrame, c_int) -> c_int;
    /// Rows.
    height: c"avs_get_height_p" (*const VideoFrame, c_int) -> c_int;
    /// A plane to read.
    read_ptr: c"avs_get_read_ptr_p" (*const VideoFrame, c_int) -> *const u8;
    /// A plane to write.
    write_ptr: c"avs_get_write_ptr_p" (*const VideoFrame, c_int) -> *mut u8;
    /// A frame's properties.
    props: c"avs_get_frame_props_ro" (*mut ScriptEnvironment, *const VideoFrame) -> *const Map;
    /// A frame's properties, to change.
    props_mut: c"avs_get_frame_props_rw" (*mut ScriptEnvironment, *mut VideoFrame) -> *mut Map;
    /// How many properties there are.
    num_keys: c"avs_prop_num_keys" (*mut ScriptEnvironment, *const Map) -> c_int;
    /// A property's name.
    key: c"avs_prop_get_key" (*mut ScriptEnvironment, *const Map, c_int) -> *const c_char;
    /// How many values a property has; less than 0 for none.
    num_elements: c"avs_prop_num_elements" (*mut ScriptEnvironment, *const Map, *const c_char) -> c_int;
    /// A property.
    get_int: c"avs_prop_get_int" (*mut ScriptEnvironment, *const Map, *const c_char, c_int, *mut c_int) -> i64;
    /// A property.
    get_float: c"avs_prop_get_float" (*mut ScriptEnvironment, *const Map, *const c_char, c_int, *mut c_int) -> f64;
    /// Sets a property.
    set_int: c"avs_prop_set_int" (*mut ScriptEnvironment, *mut Map, *const c_char, i64, c_int) -> c_int;
    /// Sets a property.
    set_float: c"avs_prop_set_float" (*mut ScriptEnvironment, *mut Map, *const c_char, f64, c_int) -> c_int;
    /// Sets a property to a list.
    set_ints: c"avs_prop_set_int_array" (*mut ScriptEnvironment, *mut Map, *const c_char, *const i64, c_int) -> c_int;
}

impl Api {
    /// The address of one of them, by which the library is known.
    pub fn address(&self) -> usize {
        self.add_function as usize
    }

    /// The functions of the AviSynth+ in this process; `None` where there is none, or one before 3.6.
    pub fn of_process() -> Option<Api> {
        // SAFETY: the names are AviSynth's own.
        unsafe { Api::found(symbol) }
    }
}

/// What `name` stands for in this process; null for nothing.
#[cfg(unix)]
fn symbol(name: &CStr) -> *mut c_void {
    // SAFETY: the name ends in a NUL.
    unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) }
}

/// What `name` stands for in avisynth.dll; null for nothing.
#[cfg(windows)]
fn symbol(name: &CStr) -> *mut c_void {
    #[link(name = "kernel32")]
    unsafe extern "system" {
        fn GetModuleHandleA(name: *const c_char) -> *mut c_void;
        fn GetProcAddress(module: *mut c_void, name: *const c_char) -> *mut c_void;
    }
    // SAFETY: the names end in a NUL, and the library that is calling is loaded.
    unsafe {
        let module = GetModuleHandleA(c"avisynth.dll".as_ptr());
        if module.is_null() { module } else { GetProcAddress(module, name.as_ptr()) }
    }
}
