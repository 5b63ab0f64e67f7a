//! OpenFX's API 1.4, as far as it is used here. Written from its documentation; a test holds it against the headers.
//!
//! Structs are OpenFX's without `Ofx`, functions in Rust's spelling. What is not used keeps its place as a gap. Names of
//! properties, actions and values are in `names`.

pub mod names;
#[cfg(test)]
mod tests;

pub use crate::editor::image::RectI;
use crate::opaque::opaque;
use std::ffi::{c_char, c_double, c_int, c_void};

opaque! {
    /// Properties by name.
    PropertySet;
    /// An effect: a description of one, or one in use.
    ImageEffect;
    /// A clip of an effect.
    Clip;
    /// The parameters of an effect.
    ParamSet;
    /// A parameter.
    Param;
}

/// A function that is not used.
type Gap = Option<unsafe extern "C" fn()>;

/// What every call answers.
pub type Status = c_int;

/// All is well.
pub const OK: Status = 0;
/// The call failed, for a reason that a message gives.
pub const FAILED: Status = 1;
/// The host lacks what the plugin needs.
pub const MISSING_HOST_FEATURE: Status = 4;
/// Out of memory.
pub const NO_MEMORY: Status = 8;
/// The host does what it does by itself.
pub const REPLY_DEFAULT: Status = 14;
/// The GPU has no memory left.
pub const GPU_OUT_OF_MEMORY: Status = 1001;
/// The GPU failed: the host may render with the CPU instead.
pub const GPU_RENDER_FAILED: Status = 1002;

/// The API of image effects.
pub const PLUGIN_API: &std::ffi::CStr = c"OfxImageEffectPluginAPI";
/// The version of that API.
pub const PLUGIN_API_VERSION: c_int = 1;

/// The host, to a plugin that is loaded.
#[repr(C)]
pub struct Host {
    /// Its properties.
    pub host: *mut PropertySet,
    /// A table of functions, by name and version; null where the host has none.
    pub fetch_suite:
        Option<unsafe extern "C" fn(host: *mut PropertySet, name: *const c_char, version: c_int) -> *const c_void>,
}

/// What a host calls for every action.
pub type MainEntry = unsafe extern "C" fn(
    action: *const c_char,
    handle: *const c_void,
    in_args: *mut PropertySet,
    out_args: *mut PropertySet,
) -> Status;

/// A plugin, as the library lists it.
#[repr(C)]
pub struct Plugin {
    /// The API of image effects.
    pub plugin_api: *const c_char,
    /// The version of that API.
    pub api_version: c_int,
    /// The name by which projects know it.
    pub plugin_identifier: *const c_char,
    /// Its version: another one breaks projects.
    pub plugin_version_major: u32,
    /// Its version.
    pub plugin_version_minor: u32,
    /// Takes the host, before anything else.
    pub set_host: unsafe extern "C" fn(host: *mut Host),
    /// All that follows.
    pub main_entry: MainEntry,
}

// SAFETY: the texts and functions stay, and nobody changes them.
unsafe impl Send for Plugin {}
// SAFETY: as above.
unsafe impl Sync for Plugin {}

/// Reading and writing properties.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PropertySuite {
    /// Sets an address.
    pub prop_set_pointer:
        unsafe extern "C" fn(set: *mut PropertySet, name: *const c_char, index: c_int, value: *mut c_void) -> Status,
    /// Sets text, which the host copies.
    pub prop_set_string:
        unsafe extern "C" fn(set: *mut PropertySet, name: *const c_char, index: c_int, value: *const c_char) -> Status,
    /// Sets a number.
    pub prop_set_double:
        unsafe extern "C" fn(set: *mut PropertySet, name: *const c_char, index: c_int, value: c_double) -> Status,
    /// Sets a whole number.
    pub prop_set_int:
        unsafe extern "C" fn(set: *mut PropertySet, name: *const c_char, index: c_int, value: c_int) -> Status,
    _set_several: [Gap; 4],
    /// Gives an address.
    pub prop_get_pointer: unsafe extern "C" fn(
        set: *mut PropertySet,
        name: *const c_char,
        index: c_int,
        value: *mut *mut c_void,
    ) -> Status,
    /// Gives text, which is the host's.
    pub prop_get_string: unsafe extern "C" fn(
        set: *mut PropertySet,
        name: *const c_char,
        index: c_int,
        value: *mut *mut c_char,
    ) -> Status,
    /// Gives a number.
    pub prop_get_double:
        unsafe extern "C" fn(set: *mut PropertySet, name: *const c_char, index: c_int, value: *mut c_double) -> Status,
    /// Gives a whole number.
    pub prop_get_int:
        unsafe extern "C" fn(set: *mut PropertySet, name: *const c_char, index: c_int, value: *mut c_int) -> Status,
    // More follows, of which nothing is used.
}

/// Effects, their clips and images.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ImageEffectSuite {
    /// The properties of an effect.
    pub get_property_set: unsafe extern "C" fn(effect: *mut ImageEffect, set: *mut *mut PropertySet) -> Status,
    /// The parameters of an effect.
    pub get_param_set: unsafe extern "C" fn(effect: *mut ImageEffect, set: *mut *mut ParamSet) -> Status,
    /// Adds a clip to a description.
    pub clip_define: unsafe extern "C" fn(
        effect: *mut ImageEffect,
        name: *const c_char,
        properties: *mut *mut PropertySet,
    ) -> Status,
    /// A clip of an effect in use.
    pub clip_get_handle: unsafe extern "C" fn(
        effect: *mut ImageEffect,
        name: *const c_char,
        clip: *mut *mut Clip,
        properties: *mut *mut PropertySet,
    ) -> Status,
    _clip_get_property_set: Gap,
    /// An image of a clip, to be given back.
    pub clip_get_image: unsafe extern "C" fn(
        clip: *mut Clip,
        time: c_double,
        region: *const c_void,
        image: *mut *mut PropertySet,
    ) -> Status,
    /// Gives an image back.
    pub clip_release_image: unsafe extern "C" fn(image: *mut PropertySet) -> Status,
    // More follows, of which nothing is used.
}

/// Parameters.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ParameterSuite {
    /// Adds a parameter to a description.
    pub param_define: unsafe extern "C" fn(
        set: *mut ParamSet,
        kind: *const c_char,
        name: *const c_char,
        properties: *mut *mut PropertySet,
    ) -> Status,
    /// A parameter of an effect in use.
    pub param_get_handle: unsafe extern "C" fn(
        set: *mut ParamSet,
        name: *const c_char,
        param: *mut *mut Param,
        properties: *mut *mut PropertySet,
    ) -> Status,
    _properties: [Gap; 2],
    _param_get_value: Gap,
    /// A parameter's value: an `int`, a `double` or a `char *` goes where the last argument points.
    pub param_get_value_at_time: unsafe extern "C" fn(param: *mut Param, time: c_double, ...) -> Status,
    // More follows, of which nothing is used.
}

/// Messages to the user, version 2.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MessageSuite {
    _message: Gap,
    /// Shows a message with the effect until it is cleared.
    pub set_persistent_message: unsafe extern "C" fn(
        effect: *mut ImageEffect,
        kind: *const c_char,
        id: *const c_char,
        format: *const c_char,
        ...
    ) -> Status,
    /// Clears it.
    pub clear_persistent_message: unsafe extern "C" fn(effect: *mut ImageEffect) -> Status,
}
