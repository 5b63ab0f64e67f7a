//! AviUtl2's interface for filters, as far as it is used here. Written from the documentation of its SDK,
//! <https://spring-fragrance.mints.ne.jp/aviutl/>. A test in C holds the layouts against its own.
//!
//! What is not used keeps its place as a gap. Texts are UTF-16 with a 0 at the end, lists end with a null pointer.

use std::ffi::c_void;

/// A text.
pub type Text = *const u16;

/// A filter works on pictures.
pub const FLAG_VIDEO: i32 = 1;
/// It may stand on a layer of its own: it keeps the size.
pub const FLAG_FILTER: i32 = 8;
/// R, G, B, A of 16 bits, colours multiplied by alpha.
pub const PA64: i32 = 11;

/// A filter.
#[repr(C)]
pub struct Table {
    /// What it can do.
    pub flag: i32,
    /// What menus and projects call it.
    pub name: Text,
    /// Its place in menus; null is the host's own.
    pub label: Text,
    /// One line on it.
    pub information: Text,
    /// The addresses of its items.
    pub items: *const *mut c_void,
    /// Filters a picture. False ends what the host does with it.
    pub proc_video: Option<unsafe extern "C" fn(*mut Video) -> bool>,
    /// Of sound.
    pub proc_audio: Option<unsafe extern "C" fn()>,
    /// Not called without a flag of its own, as the next.
    pub create: Option<unsafe extern "C" fn()>,
    /// As above.
    pub destroy: Option<unsafe extern "C" fn()>,
}

/// A number on a slider.
#[repr(C)]
pub struct Track {
    /// `track2`.
    pub kind: Text,
    /// What users see, and projects store it by; so in every item.
    pub name: Text,
    /// The value; the host writes it before each call.
    pub value: f64,
    /// The least.
    pub start: f64,
    /// The greatest.
    pub end: f64,
    /// The step.
    pub step: f64,
    /// What 0 is called.
    pub zero_display: Text,
    /// How much of the range the slider has.
    pub slider_ratio: f64,
}

/// On or off.
#[repr(C)]
pub struct Check {
    /// `check`.
    pub kind: Text,
    /// As in [`Track`].
    pub name: Text,
    /// As in [`Track`]: 0 is off.
    pub value: u8,
}

/// One of some words.
#[repr(C)]
pub struct Select {
    /// `select`.
    pub kind: Text,
    /// As in [`Track`].
    pub name: Text,
    /// As in [`Track`].
    pub value: i32,
    /// The words; the last has no name.
    pub choices: *const SelectItem,
}

/// A word of a [`Select`].
#[repr(C)]
pub struct SelectItem {
    /// What users see.
    pub name: Text,
    /// Its value.
    pub value: i32,
}

/// A line of text.
#[repr(C)]
pub struct Line {
    /// `string`.
    pub kind: Text,
    /// As in [`Track`].
    pub name: Text,
    /// As in [`Track`].
    pub value: Text,
}

/// The items behind it can be folded.
#[repr(C)]
pub struct Group {
    /// `group`.
    pub kind: Text,
    /// As in [`Track`].
    pub name: Text,
    /// Whether they are shown at first: 0 is folded.
    pub is_open: u8,
}

/// What a filter is called with.
#[repr(C)]
pub struct Video {
    _scene: *const c_void,
    /// What is filtered.
    pub object: *const Object,
    _unused: [*const c_void; 29],
    /// Copies a picture: of the resource of this name, to memory of this width, height, pitch in bytes and format.
    pub get_data: Option<unsafe extern "C" fn(Text, *mut c_void, i32, i32, i32, i32) -> bool>,
    /// Replaces a picture.
    pub set_data: Option<unsafe extern "C" fn(Text, *const c_void, i32, i32, i32, i32) -> bool>,
}

/// What is filtered; more follows.
#[repr(C)]
pub struct Object {
    _id: i64,
    /// The frame's number in it.
    pub frame: i32,
    _frame_total: i32,
    _time: f64,
    _time_total: f64,
    /// The picture's samples in a row.
    pub width: i32,
    /// Its rows.
    pub height: i32,
}

/// The host's log.
#[repr(C)]
pub struct LogHandle {
    _log: *const c_void,
    _info: *const c_void,
    /// Adds a warning.
    pub warn: Option<unsafe extern "C" fn(*mut LogHandle, Text)>,
    /// Adds an error.
    pub error: Option<unsafe extern "C" fn(*mut LogHandle, Text)>,
}
