//! What frei0r.h declares, version 1.

use std::ffi::{c_char, c_int, c_void};

/// `FREI0R_MAJOR_VERSION`.
pub const VERSION: c_int = 1;
/// `F0R_PLUGIN_TYPE_FILTER`.
pub const FILTER: c_int = 0;
/// `F0R_COLOR_MODEL_RGBA8888`: bytes R, G, B, A, without space between rows.
pub const RGBA8888: c_int = 1;
/// `F0R_PARAM_BOOL`: a double, true from one half on.
pub const BOOL: c_int = 0;
/// `F0R_PARAM_DOUBLE`: from 0 to 1.
pub const DOUBLE: c_int = 1;
/// `F0R_PARAM_STRING`: a pointer to text with a NUL at its end.
pub const STRING: c_int = 4;

/// `f0r_instance_t`.
pub type InstanceHandle = *mut c_void;
/// `f0r_param_t`: where a parameter's value is, of its own type.
pub type ParamPointer = *mut c_void;

/// `f0r_plugin_info_t`.
#[repr(C)]
pub struct PluginInfo {
    pub name: *const c_char,
    pub author: *const c_char,
    pub plugin_type: c_int,
    pub color_model: c_int,
    pub frei0r_version: c_int,
    pub major_version: c_int,
    pub minor_version: c_int,
    pub num_params: c_int,
    pub explanation: *const c_char,
}

/// `f0r_param_info_t`.
#[repr(C)]
pub struct ParamInfo {
    pub name: *const c_char,
    pub param_type: c_int,
    pub explanation: *const c_char,
}
