//! What libav says. Its log lines go to the `log` crate, and while a job is listened to, its complaints are kept:
//! they say why an encoder or a muxer refuses, which its error codes do not.

use crate::error::{Error, Kind};
use ffmpeg_next::error::{EAGAIN, EDOM, EINVAL, ENOMEM, ENOSYS, ERANGE};
use ffmpeg_next::ffi;
use std::cell::RefCell;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::Once;

/// The longest line that is kept whole.
const LONGEST_LINE: usize = 1024;

/// System error numbers lie below this; libav's own codes far above.
const SYSTEM_ERRORS: c_int = 4096;

#[cfg(target_arch = "x86_64")]
type VaList = *mut ffi::__va_list_tag;
#[cfg(not(target_arch = "x86_64"))]
type VaList = ffi::va_list;

#[derive(Default)]
struct Listener {
    /// Complaints so far, while someone listens.
    heard: Option<Vec<String>>,
    /// The start of a line that is not whole yet.
    unfinished: String,
}

thread_local! {
    static LISTENER: RefCell<Listener> = RefCell::default();
}

/// Sends libav's log lines to the `log` crate from now on. Further calls do nothing.
pub(super) fn install() {
    static INSTALLED: Once = Once::new();
    // SAFETY: the callback has the type libav calls and stays for the life of the process.
    INSTALLED.call_once(|| unsafe { ffi::av_log_set_callback(Some(callback)) });
}

/// Runs `job` and returns with its result the warnings and errors libav logged on this thread, in order.
pub(super) fn listen<T>(job: impl FnOnce() -> T) -> (T, Vec<String>) {
    install();
    LISTENER.with_borrow_mut(|listener| listener.heard = Some(Vec::new()));
    let result = job();
    (result, LISTENER.with_borrow_mut(|listener| listener.heard.take()).unwrap_or_default())
}

/// libav's text for its error `code`.
pub(super) fn text(code: c_int) -> String {
    let mut text = [0 as c_char; 128];
    // SAFETY: the buffer is as long as stated; libav ends the text with a zero inside it.
    unsafe {
        ffi::av_strerror(code, text.as_mut_ptr(), text.len());
        CStr::from_ptr(text.as_ptr()).to_string_lossy().into_owned()
    }
}

/// The kind of libav's error `code`: what its system error number tells, else `otherwise`.
pub(super) fn kind(code: c_int, otherwise: Kind) -> Kind {
    match -code {
        ENOMEM => Kind::OutOfMemory,
        EINVAL | ERANGE | EDOM | ENOSYS | EAGAIN => otherwise,
        1..SYSTEM_ERRORS => Kind::Io,
        _ => otherwise,
    }
}

/// libav's error `code` about `what` (a path, a stream).
pub(super) fn error(what: &str, code: c_int, otherwise: Kind) -> Error {
    Error::new(kind(code, otherwise), format!("{what}: {}", text(code)))
}

/// Called by libav for every line, or part of one, from any of its threads.
unsafe extern "C" fn callback(object: *mut c_void, level: c_int, format: *const c_char, args: VaList) {
    let Some(log_level) = log_level(level) else { return };
    let listening = LISTENER.try_with(|l| l.try_borrow().is_ok_and(|l| l.heard.is_some())).unwrap_or(false);
    if !listening && log_level > log::max_level() {
        return;
    }
    let mut line = [0 as c_char; LONGEST_LINE];
    let mut prefix: c_int = 0;
    // SAFETY: libav passes a format with its arguments; the buffer is as long as stated and libav ends it with a zero.
    let part = unsafe {
        ffi::av_log_format_line2(object, level, format, args, line.as_mut_ptr(), LONGEST_LINE as c_int, &mut prefix);
        CStr::from_ptr(line.as_ptr()).to_string_lossy()
    };
    // At a thread's very end its listener is gone, and so is the interest in its lines.
    let _ = LISTENER.try_with(|listener| {
        if let Ok(mut listener) = listener.try_borrow_mut() {
            listener.take(&part, level, log_level, || speaker(object));
        }
    });
}

impl Listener {
    fn take(&mut self, part: &str, level: c_int, log_level: log::Level, speaker: impl Fn() -> String) {
        self.unfinished.push_str(part);
        if !part.ends_with('\n') {
            return;
        }
        let text = std::mem::take(&mut self.unfinished);
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            log::log!(target: "libav", log_level, "{}: {line}", speaker());
            if level <= ffi::AV_LOG_WARNING
                && let Some(heard) = &mut self.heard
            {
                heard.push(line.to_owned());
            }
        }
    }
}

/// How loud vramp repeats a line: libav's errors become vramp's own where they matter, so none is more than a detail.
fn log_level(level: c_int) -> Option<log::Level> {
    match level {
        ..=ffi::AV_LOG_INFO => Some(log::Level::Debug),
        ..=ffi::AV_LOG_VERBOSE => Some(log::Level::Trace),
        _ => None,
    }
}

/// The name of the libav object that speaks ("libx264", "mp4").
fn speaker(object: *mut c_void) -> String {
    let name = |class: &ffi::AVClass| {
        let item_name = class.item_name?;
        // SAFETY: the object is of this class, whose function names it with a text that lives as long as the object.
        unsafe { Some(CStr::from_ptr(item_name(object)).to_string_lossy().into_owned()) }
    };
    // SAFETY: libav logs with null or an object whose first field points to its class, or to null.
    let class = unsafe { object.cast::<*const ffi::AVClass>().as_ref().and_then(|class| class.as_ref()) };
    class.and_then(name).unwrap_or_else(|| "libav".to_owned())
}
