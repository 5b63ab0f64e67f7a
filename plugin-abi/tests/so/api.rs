//! The entry points of the built library, opened as a program would.

use super::library;
use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr;
use vramp::video::{Format, Layout, Picture};
use vramp_plugin::c_abi::abi::{self, Frame, Options, Planes, Stream};

/// A chain's or a queue's handle.
pub type Handle = *mut c_void;

macro_rules! entry_points {
    ($($name:ident: $symbol:literal ($($arg:ty),*) -> $result:ty;)+) => {
        /// The library, and what is called of it.
        pub struct Api {
            $(pub $name: unsafe extern "C" fn($($arg),*) -> $result,)+
            _library: libloading::Library,
        }

        impl Api {
            /// Opens the library.
            pub fn open() -> Api {
                // SAFETY: the library has no initialisers of its own; its entry points are declared as the header has them.
                unsafe {
                    let library = libloading::Library::new(library()).unwrap();
                    Api { $($name: *library.get($symbol).unwrap(),)+ _library: library }
                }
            }
        }
    };
}

entry_points! {
    last_error: b"vramp_last_error" () -> *const c_char;
    chain_create: b"vramp_chain_create" (*const c_char, *const Stream, *const Options, *mut Handle) -> i32;
    chain_destroy: b"vramp_chain_destroy" (Handle) -> i32;
    chain_output: b"vramp_chain_output" (Handle, *mut Stream) -> i32;
    process: b"vramp_process" (Handle, *const Frame, *const Planes, *const Planes) -> i32;
    process_cuda: b"vramp_process_cuda" (Handle, *const Frame, *const Planes, *const Planes, *mut c_void) -> i32;
    queue_create: b"vramp_queue_create" (Handle, u32, *mut Handle) -> i32;
    queue_destroy: b"vramp_queue_destroy" (Handle) -> i32;
    queue_submit: b"vramp_queue_submit" (Handle, *const Frame, *const Planes, *const Planes, *mut c_void) -> i32;
    queue_receive: b"vramp_queue_receive" (Handle, i32, *mut *mut c_void) -> i32;
    alloc: b"vramp_alloc" (*const c_char, usize, *mut *mut c_void) -> i32;
    free: b"vramp_free" (*mut c_void) -> i32;
}

impl Api {
    /// Asserts that a call went well.
    #[track_caller]
    pub fn ok(&self, status: i32) {
        assert_eq!(status, abi::OK, "{}", self.error());
    }

    /// Why the last call failed.
    pub fn error(&self) -> String {
        // SAFETY: the text is there until the next call.
        unsafe { CStr::from_ptr((self.last_error)()) }.to_str().unwrap().to_owned()
    }

    /// A chain for a stream, on `device`.
    #[track_caller]
    pub fn chain(&self, text: &str, stream: &Stream, device: &str) -> Handle {
        let (text, device) = (CString::new(text).unwrap(), CString::new(device).unwrap());
        let options = Options { device: device.as_ptr(), threads: 1, ..Options::default() };
        let mut chain = ptr::null_mut();
        // SAFETY: everything lives through the call.
        self.ok(unsafe { (self.chain_create)(text.as_ptr(), stream, &options, &mut chain) });
        chain
    }

    /// What the chain makes.
    #[track_caller]
    pub fn output(&self, chain: Handle) -> Stream {
        let mut stream = stream(0, 0, 0, 0);
        // SAFETY: the struct is there to be written.
        self.ok(unsafe { (self.chain_output)(chain, &mut stream) });
        stream
    }
}

/// A stream of the header's.
pub fn stream(layout: i32, bit_depth: i32, width: usize, height: usize) -> Stream {
    let (width, height, range) = (width as i32, height as i32, abi::RANGE_UNSPECIFIED);
    Stream { struct_size: size_of::<Stream>() as u32, layout, bit_depth, range, width, height }
}

/// Frame number `index`.
pub fn frame(index: u64) -> Frame {
    Frame { struct_size: size_of::<Frame>() as u32, field_order: abi::PROGRESSIVE, index }
}

/// Planes: the address and pitch of each.
pub fn planes(list: &[(*mut c_void, usize)]) -> Planes {
    let (mut data, mut pitch) = ([ptr::null_mut(); 4], [0; 4]);
    for (i, (start, bytes)) in list.iter().enumerate() {
        (data[i], pitch[i]) = (*start, *bytes as i64);
    }
    Planes { struct_size: size_of::<Planes>() as u32, reserved: 0, data, pitch }
}

/// Address and pitch of each plane of a picture, in the header's order.
pub fn places(format: Format, plane: impl Fn(usize) -> (u64, usize)) -> Vec<(*mut c_void, usize)> {
    let place = |index| {
        let index = if format.layout() == Layout::Planar { format.component_layout(index).0 } else { index };
        let (address, pitch) = plane(index);
        (ptr::with_exposed_provenance_mut(address as usize), pitch)
    };
    (0..format.planes()).map(place).collect()
}

/// The planes of a picture.
pub fn planes_of(picture: &Picture) -> Planes {
    planes(&places(picture.format(), |plane| {
        let (start, pitch) = picture.plane(plane);
        (start.expose_provenance() as u64, pitch)
    }))
}
