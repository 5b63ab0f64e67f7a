//! The constants and structs of include/vramp.h, and tables of them that the tests compare with the header.

use std::ffi::{c_char, c_void};

/// A field of a struct: its name, offset and size.
pub type Field = (&'static str, usize, usize);

/// A struct of the header, which begins with its size.
///
/// # Safety
/// Every pattern of bits is a value of the struct, and it has no padding.
pub unsafe trait Abi: Copy {
    /// Its name in the header.
    const NAME: &'static str;
    /// Its fields in order.
    const FIELDS: &'static [Field];
    /// The shortest prefix that means something.
    const LEAST: usize;
}

/// A struct's name, size and fields, for the tests.
pub type Description = (&'static str, usize, &'static [Field]);

macro_rules! structs {
    ($(
        $(#[doc = $doc:literal])+
        $name:ident = $c_name:literal, least $least:literal { $($(#[doc = $field_doc:literal])+ $field:ident: $ty:ty,)+ }
    )+) => {
        $(
            $(#[doc = $doc])+
            #[repr(C)]
            #[derive(Clone, Copy, Debug)]
            pub struct $name { $($(#[doc = $field_doc])+ pub $field: $ty,)+ }

            // SAFETY: integers, numbers and pointers have no invalid patterns; the sum below is that there is no padding.
            unsafe impl Abi for $name {
                const NAME: &'static str = $c_name;
                const FIELDS: &'static [Field] =
                    &[$((stringify!($field), std::mem::offset_of!($name, $field), size_of::<$ty>()),)+];
                const LEAST: usize = $least;
            }

            const _: () = assert!(0 $(+ size_of::<$ty>())+ == size_of::<$name>());
        )+

        /// Every struct.
        pub const STRUCTS: &[Description] = &[$(($c_name, size_of::<$name>(), $name::FIELDS),)+];
    };
}

structs! {
    /// A stream.
    Stream = "vramp_stream", least 24 {
        /// The caller's `sizeof`.
        struct_size: u32,
        /// `VRAMP_GRAY` and so on.
        layout: i32,
        /// 8 to 16, or `VRAMP_DEPTH_*`.
        bit_depth: i32,
        /// `VRAMP_RANGE_*`.
        range: i32,
        /// Luma width.
        width: i32,
        /// Luma height.
        height: i32,
    }

    /// How a chain is built.
    Options = "vramp_options", least 4 {
        /// The caller's `sizeof`.
        struct_size: u32,
        /// CPU threads that share a frame.
        threads: i32,
        /// As `--device` takes it, or null.
        device: *const c_char,
        /// The layout of the result, or 0.
        output_layout: i32,
        /// The bit depth of the result, or 0.
        output_bit_depth: i32,
        /// The streams beside the chain's own.
        inputs: *const Input,
        /// How many there are.
        input_count: u32,
        /// 0.
        reserved: u32,
        /// The caller's CUDA context, or null.
        cuda_context: *mut c_void,
        /// `VRAMP_RGBA_*`.
        rgba: u32,
        /// 0.
        reserved_too: u32,
    }

    /// A stream beside the chain's own.
    Input = "vramp_input", least 24 {
        /// The caller's `sizeof`.
        struct_size: u32,
        /// 0.
        reserved: u32,
        /// What the chain calls it.
        name: *const c_char,
        /// The stream.
        stream: *const Stream,
    }

    /// A frame, but its samples.
    Frame = "vramp_frame", least 16 {
        /// The caller's `sizeof`.
        struct_size: u32,
        /// `VRAMP_PROGRESSIVE` and so on.
        field_order: i32,
        /// The frame's absolute place.
        index: u64,
    }

    /// Where a picture's planes lie.
    Planes = "vramp_planes", least 72 {
        /// The caller's `sizeof`.
        struct_size: u32,
        /// 0.
        reserved: u32,
        /// The first byte of each.
        data: [*mut c_void; 4],
        /// Bytes from one row to the next.
        pitch: [i64; 4],
    }

    /// A frame of one of a chain's inputs.
    InputFrame = "vramp_input_frame", least 24 {
        /// The caller's `sizeof`.
        struct_size: u32,
        /// The input: 0 is the chain's own.
        input: u32,
        /// The frame, but its samples.
        frame: *const Frame,
        /// Where its samples lie.
        planes: *const Planes,
    }

    /// What another API exported.
    Handle = "vramp_handle", least 32 {
        /// The caller's `sizeof`.
        struct_size: u32,
        /// `VRAMP_HANDLE_*`.
        kind: i32,
        /// The handle itself.
        handle: i64,
        /// The size of an allocation.
        bytes: u64,
        /// `VRAMP_MEMORY_*`.
        flags: u32,
        /// 0.
        reserved: u32,
    }

    /// A value of a timeline.
    Point = "vramp_point", least 24 {
        /// The caller's `sizeof`.
        struct_size: u32,
        /// 0.
        reserved: u32,
        /// The timeline.
        semaphore: *mut c_void,
        /// The value.
        value: u64,
    }

    /// Where work goes, and what it is ordered by.
    Order = "vramp_order", least 40 {
        /// The caller's `sizeof`.
        struct_size: u32,
        /// How many it waits for.
        wait_count: u32,
        /// What it waits for.
        waits: *const Point,
        /// What it signals.
        signals: *const Point,
        /// How many it signals.
        signal_count: u32,
        /// 0.
        reserved: u32,
        /// The caller's stream.
        stream: *mut c_void,
    }

    /// What a filter is.
    FilterInfo = "vramp_filter_info", least 32 {
        /// The caller's `sizeof`.
        struct_size: u32,
        /// How many parameters it has.
        parameters: u32,
        /// How many presets it has.
        presets: u32,
        /// 0.
        reserved: u32,
        /// The name in a chain.
        name: *const c_char,
        /// One line.
        summary: *const c_char,
    }

    /// What a parameter is.
    ParameterInfo = "vramp_parameter_info", least 72 {
        /// The caller's `sizeof`.
        struct_size: u32,
        /// `VRAMP_BOOL` and so on.
        kind: i32,
        /// Whether it takes `auto`.
        takes_auto: i32,
        /// How many words it takes.
        choices_count: u32,
        /// Smallest value.
        minimum: f64,
        /// Largest value.
        maximum: f64,
        /// The name in a chain.
        name: *const c_char,
        /// The unit of the value.
        unit: *const c_char,
        /// What it does.
        doc: *const c_char,
        /// The default as a chain writes it.
        default_value: *const c_char,
        /// The words it takes.
        choices: *const *const c_char,
    }

    /// What a preset is.
    PresetInfo = "vramp_preset_info", least 32 {
        /// The caller's `sizeof`.
        struct_size: u32,
        /// 0.
        reserved: u32,
        /// The name.
        name: *const c_char,
        /// What it is for.
        doc: *const c_char,
        /// What it stands for, as a chain writes it.
        arguments: *const c_char,
    }
}

macro_rules! constants {
    ($($name:ident = $value:expr;)+) => {
        $(#[doc = concat!("`VRAMP_", stringify!($name), "` of the header.")] pub const $name: i32 = $value;)+

        /// Every constant, without `VRAMP_`.
        pub const CONSTANTS: &[(&str, i32)] = &[$((stringify!($name), $value),)+];
    };
}

constants! {
    ABI_VERSION = 0x0001_0002;

    OK = 0;
    AGAIN = 1;
    EMPTY = 2;
    MISMATCH = -1;
    BAD_ARGUMENT = -2;
    UNSUPPORTED = -3;
    CORRUPT_INPUT = -4;
    OUT_OF_MEMORY = -5;
    DEVICE = -6;
    IO = -7;
    INCOMPLETE = -8;
    PARTS_MISSING = -9;
    INTERNAL = -70;
    CANCELLED = -130;

    LAYOUT_DEFAULT = 0;
    GRAY = 1;
    YUV420 = 2;
    YUV422 = 3;
    YUV444 = 4;
    RGB = 5;
    NV12 = 6;
    RGBA = 7;
    YC48 = 8;

    DEPTH_FLOAT = 32;
    DEPTH_HALF = -16;

    RGBA_YCBCR = 1;
    RGBA_LINEAR = 2;
    RGBA_PREMULTIPLIED = 4;

    HANDLE_FD = 1;
    HANDLE_WIN32 = 2;

    MEMORY_DEDICATED = 1;

    RANGE_UNSPECIFIED = 0;
    RANGE_LIMITED = 1;
    RANGE_FULL = 2;

    PROGRESSIVE = 0;
    TOP_FIRST = 1;
    BOTTOM_FIRST = 2;

    LOG_OFF = 0;
    LOG_ERROR = 1;
    LOG_WARNING = 2;
    LOG_INFO = 3;
    LOG_DEBUG = 4;

    BOOL = 0;
    INT = 1;
    FLOAT = 2;
    CHOICE = 3;
    TEXT = 4;
    NAME = 5;
}

/// Everything at its default.
impl Default for Options {
    fn default() -> Options {
        let struct_size = size_of::<Options>() as u32;
        Options {
            struct_size,
            threads: 0,
            device: std::ptr::null(),
            output_layout: LAYOUT_DEFAULT,
            output_bit_depth: 0,
            inputs: std::ptr::null(),
            input_count: 0,
            reserved: 0,
            cuda_context: std::ptr::null_mut(),
            rgba: 0,
            reserved_too: 0,
        }
    }
}

/// The default stream, and nothing around the work.
impl Default for Order {
    fn default() -> Order {
        let struct_size = size_of::<Order>() as u32;
        let (none, stream) = (std::ptr::null(), std::ptr::null_mut());
        Order { struct_size, wait_count: 0, waits: none, signals: none, signal_count: 0, reserved: 0, stream }
    }
}
