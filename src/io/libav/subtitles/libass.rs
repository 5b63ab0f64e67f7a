//! libass, loaded when it is first needed: a build does not depend on it, nor does a machine that draws no text.

use crate::error::{Error, Kind, Result};
use crate::io::libav::logging::{self, VaList};
use ffmpeg_next::ffi;
use libloading::Library;
use std::collections::BTreeSet;
use std::ffi::{CString, c_char, c_double, c_int, c_longlong, c_uchar, c_void};
use std::ptr::{self, NonNull};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Its names, by system: the interface is that of version 9 of the library (libass 0.13 and later).
const NAMES: [&str; 5] = ["libass.so.9", "libass.9.dylib", "libass-9.dll", "libass.dll", "ass.dll"];

/// Fonts that are asked for nowhere.
const FALLBACK: &std::ffi::CStr = c"sans-serif";

/// `ASS_FONTPROVIDER_AUTODETECT`, and the last level of libass's messages that is a warning.
const AUTODETECT: c_int = 1;
const WARNING: c_int = 2;

/// An `ASS_Library`, `ASS_Renderer` or `ASS_Track`.
type Handle = NonNull<c_void>;
type MessageCallback = unsafe extern "C" fn(c_int, *const c_char, VaList, *mut c_void);

/// `ASS_Image`, as far as it is read.
#[repr(C)]
struct AssImage {
    w: c_int,
    h: c_int,
    stride: c_int,
    bitmap: *const c_uchar,
    color: u32,
    dst_x: c_int,
    dst_y: c_int,
    next: *const AssImage,
}

/// Declares the functions that are used, and finds them in the library.
macro_rules! functions {
    ($($name:ident($($argument:ty),*) $(-> $result:ty)?;)*) => {
        #[allow(non_snake_case)]
        struct Functions {
            $($name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
            _library: Library,
        }

        impl Functions {
            fn find(library: Library) -> std::result::Result<Functions, libloading::Error> {
                // SAFETY: libass's header declares the functions with these types. They stay as long as the library,
                // which is kept beside them.
                unsafe {
                    Ok(Functions {
                        $($name: *library.get(concat!(stringify!($name), "\0").as_bytes())?,)*
                        _library: library,
                    })
                }
            }
        }
    };
}

functions! {
    ass_library_init() -> Option<Handle>;
    ass_library_done(Handle);
    ass_set_message_cb(Handle, MessageCallback, *mut c_void);
    ass_set_extract_fonts(Handle, c_int);
    ass_add_font(Handle, *const c_char, *const c_char, c_int);
    ass_renderer_init(Handle) -> Option<Handle>;
    ass_renderer_done(Handle);
    ass_set_fonts(Handle, *const c_char, *const c_char, c_int, *const c_char, c_int);
    ass_set_frame_size(Handle, c_int, c_int);
    ass_set_storage_size(Handle, c_int, c_int);
    ass_set_pixel_aspect(Handle, c_double);
    ass_render_frame(Handle, Handle, c_longlong, *mut c_int) -> *const AssImage;
    ass_new_track(Handle) -> Option<Handle>;
    ass_free_track(Handle);
    ass_process_codec_private(Handle, *const c_char, c_int);
    ass_process_chunk(Handle, *const c_char, c_int, c_longlong, c_longlong);
}

/// The library.
///
/// # Errors
/// When it is not installed, or too old.
fn functions() -> Result<&'static Functions> {
    static FUNCTIONS: OnceLock<std::result::Result<Functions, String>> = OnceLock::new();
    let found = FUNCTIONS.get_or_init(|| {
        // SAFETY: libass does nothing when it is loaded.
        let library = NAMES.iter().find_map(|name| unsafe { Library::new(name) }.ok());
        let library =
            library.ok_or("libass is not installed (package libass9 on Debian and Ubuntu, libass elsewhere)")?;
        Functions::find(library).map_err(|error| format!("this libass is too old: {error}"))
    });
    found.as_ref().map_err(|why| Error::unsupported(format!("--burn-subtitles: {why}")))
}

/// A font of the film.
pub(super) struct Font {
    pub(super) name: String,
    pub(super) data: Vec<u8>,
}

/// Sizes that text is drawn for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct DrawSize {
    /// The output's size.
    pub(super) size: (usize, usize),
    /// The source's size, which borders and blur without a stated scale refer to.
    pub(super) source: (usize, usize),
    /// How many times as wide as high a square of the script is drawn, in the output's pixels.
    pub(super) aspect: f64,
}

/// A bitmap of one colour, as libass draws it: coverage by row.
pub(super) struct Glyphs<'a> {
    pub(super) x: i64,
    pub(super) y: i64,
    pub(super) color: [u8; 3],
    pub(super) opacity: u8,
    pub(super) rows: std::slice::Chunks<'a, u8>,
    pub(super) width: usize,
}

/// A script, and what draws it.
pub(super) struct Script {
    functions: &'static Functions,
    library: Handle,
    renderer: Handle,
    track: Handle,
    /// The messages. libass writes to it by its address.
    _said: Box<Mutex<BTreeSet<String>>>,
}

// SAFETY: libass keeps to its handles, which this alone has; it has no state of a thread.
unsafe impl Send for Script {}

impl Script {
    /// A script of `header` (everything before the events) and no line yet, with `fonts` beside the system's.
    ///
    /// # Errors
    /// When there is no libass, or memory runs out.
    pub(super) fn new(header: &[u8], fonts: &[Font], frame: DrawSize) -> Result<Script> {
        let functions = functions()?;
        let none = || Error::new(Kind::OutOfMemory, "no memory for libass");
        let said = Box::new(Mutex::new(BTreeSet::new()));
        // SAFETY: handles are made in the order that libass asks for, and each is given to the functions of its kind.
        // Texts end with a zero; lengths are those of the bytes, which libass copies.
        unsafe {
            let library = (functions.ass_library_init)().ok_or_else(none)?;
            (functions.ass_set_message_cb)(library, message, ptr::from_ref(&*said).cast_mut().cast());
            (functions.ass_set_extract_fonts)(library, 1);
            for font in fonts {
                let name = CString::new(font.name.as_str()).unwrap_or_default();
                let Ok(length) = c_int::try_from(font.data.len()) else { continue };
                (functions.ass_add_font)(library, name.as_ptr(), font.data.as_ptr().cast(), length);
            }
            let Some(renderer) = (functions.ass_renderer_init)(library) else {
                (functions.ass_library_done)(library);
                return Err(none());
            };
            let Some(track) = (functions.ass_new_track)(library) else {
                (functions.ass_renderer_done)(renderer);
                (functions.ass_library_done)(library);
                return Err(none());
            };
            let script = Script { functions, library, renderer, track, _said: said };
            (functions.ass_process_codec_private)(track, header.as_ptr().cast(), length(header)?);
            let pair = |(width, height): (usize, usize)| (width as c_int, height as c_int);
            let ((width, height), (source_width, source_height)) = (pair(frame.size), pair(frame.source));
            (functions.ass_set_frame_size)(renderer, width, height);
            (functions.ass_set_storage_size)(renderer, source_width, source_height);
            (functions.ass_set_pixel_aspect)(renderer, frame.aspect);
            (functions.ass_set_fonts)(renderer, ptr::null(), FALLBACK.as_ptr(), AUTODETECT, ptr::null(), 1);
            Ok(script)
        }
    }

    /// Adds a line, as Matroska has them, shown from `start` for `duration` milliseconds.
    ///
    /// # Errors
    /// When it is longer than libass can count.
    pub(super) fn add(&mut self, line: &[u8], start: i64, duration: i64) -> Result<()> {
        // SAFETY: the track is ours, and the length is that of the line, which libass copies.
        unsafe {
            (self.functions.ass_process_chunk)(self.track, line.as_ptr().cast(), length(line)?, start, duration);
        }
        Ok(())
    }

    /// Draws what is shown at `time` milliseconds, from below to above. False when that is what was last drawn, which
    /// is then not drawn again.
    pub(super) fn draw(&mut self, time: i64, mut draw: impl FnMut(Glyphs<'_>)) -> bool {
        let mut changed = 0;
        // SAFETY: the handles are ours.
        let mut next = unsafe { (self.functions.ass_render_frame)(self.renderer, self.track, time, &mut changed) };
        if changed == 0 {
            return false;
        }
        // SAFETY: libass's list stays until the next frame is drawn. A bitmap has `h` rows of `stride` bytes, of which
        // the last has `w` at least.
        while let Some(image) = unsafe { next.as_ref() } {
            next = image.next;
            let [width, height, stride] = [image.w, image.h, image.stride].map(|n| usize::try_from(n).unwrap_or(0));
            if width == 0 || height == 0 || stride < width {
                continue;
            }
            // SAFETY: as above.
            let bytes = unsafe { std::slice::from_raw_parts(image.bitmap, (height - 1) * stride + width) };
            let [r, g, b, transparency] = image.color.to_be_bytes();
            draw(Glyphs {
                x: image.dst_x.into(),
                y: image.dst_y.into(),
                color: [r, g, b],
                opacity: 255 - transparency,
                rows: bytes.chunks(stride),
                width,
            });
        }
        true
    }
}

impl Drop for Script {
    fn drop(&mut self) {
        // SAFETY: the handles are ours and not used again; the library goes last.
        unsafe {
            (self.functions.ass_free_track)(self.track);
            (self.functions.ass_renderer_done)(self.renderer);
            (self.functions.ass_library_done)(self.library);
        }
    }
}

fn length(bytes: &[u8]) -> Result<c_int> {
    c_int::try_from(bytes.len()).map_err(|_| Error::corrupt("a subtitle of more than 2 GiB"))
}

/// Takes libass's messages: each warning once (fonts and letters that are missing), the rest for those who debug.
unsafe extern "C" fn message(level: c_int, format: *const c_char, arguments: VaList, said: *mut c_void) {
    // SAFETY: libass gives a format that ends with a zero and arguments that fit it.
    let text = unsafe { logging::text(ptr::null_mut(), ffi::AV_LOG_INFO, format, arguments) };
    // libav makes a script of plain text, in a font that nobody asked for.
    if level > WARNING || text.contains("(Arial, ") {
        log::trace!(target: "libass", "{text}");
        return;
    }
    // SAFETY: the set lives as long as the library whose messages come here.
    let said = unsafe { &*said.cast::<Mutex<BTreeSet<String>>>() };
    if said.lock().unwrap_or_else(PoisonError::into_inner).insert(text.clone()) {
        log::warn!("libass: {text}");
    }
}
