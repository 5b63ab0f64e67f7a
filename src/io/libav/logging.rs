//! libav's log lines: quiet unless somebody asks, a source of causes for errors, and the only sure sign of some damage.

use ffmpeg_next::ffi;
use log::Level;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::transmute_copy;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The longest line that is kept whole.
const LINE: usize = 1024;

thread_local! {
    /// The last error line that libav wrote on this thread.
    static LAST_ERROR: RefCell<Option<Line>> = const { RefCell::new(None) };
    /// What libav wrote on this thread, while [`listen`] wants it.
    static HEARD: RefCell<Option<Heard>> = const { RefCell::new(None) };
}

/// An error line.
pub(super) struct Line {
    /// The demuxer, parser or codec that wrote it, by its libav name.
    pub(super) writer: String,
    /// What it says.
    pub(super) text: String,
}

impl Line {
    /// Takes "[mov,mp4 @ 0x55..] moov atom not found" apart. What writes for another names that first.
    fn new(text: &str) -> Line {
        let inner = text.strip_prefix('[');
        let split = inner.and_then(|rest| rest.split_once("] "));
        // What ends a line that was written in parts has no words.
        let split =
            split.or_else(|| inner?.strip_suffix(']').filter(|inner| inner.contains(" @ ")).map(|inner| (inner, "")));
        let (writer, mut text) = split.unwrap_or(("", text));
        let writer = writer.split_once(" @ ").map_or(writer, |(name, _)| name);
        while let Some((inner, rest)) = text.strip_prefix('[').and_then(|rest| rest.split_once("] "))
            && inner.contains(" @ 0x")
        {
            text = rest;
        }
        Line { writer: writer.to_owned(), text: text.to_owned() }
    }
}

/// A `va_list` as a C function receives it: a pointer on every platform with FFmpeg.
pub(super) type VaList = *mut c_void;

/// Sends libav's lines to the `log` crate, target `libav`: errors and warnings at debug, the rest at trace. A failure
/// that matters comes back as an error code, and the caller reports it.
pub(super) fn forward() {
    type Callback = unsafe extern "C" fn(*mut c_void, c_int, *const c_char, VaList);
    // SAFETY: the types differ in how bindgen spells `va_list` only. `line` keeps no state that threads share.
    unsafe { ffi::av_log_set_callback(Some(respell(line as Callback))) };
}

/// A function pointer under another type.
///
/// # Safety
/// Both must be function pointers, whose functions have the same calling convention.
unsafe fn respell<From, To>(function: From) -> To {
    const { assert!(size_of::<From>() == size_of::<fn()>() && size_of::<To>() == size_of::<fn()>()) };
    // SAFETY: of one size, and alike by the caller.
    unsafe { transmute_copy(&function) }
}

/// Counts what a decoder says of faults that it got past.
///
/// libav marks frames that it conceals faults in, but with frame threads (before FFmpeg 7.1) a frame can be copied before
/// its mark is set; and some decoders set none. The line about it is always written. Decoders are distinguished by the
/// context's `opaque` field.
pub(super) struct Concealed(usize);

/// The faults that decoders report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Faults {
    /// Frames decoded with faults.
    pub(super) frames: u64,
    /// Slices whose bytes are not those that their checksum was made of.
    pub(super) slices: u64,
    /// References to frames that are lost.
    pub(super) references: u64,
    /// Complaints of a decoder that has nothing but damage to complain of, any number of them a frame.
    pub(super) complaints: u64,
    /// No fault: frames that decoded to their last block, where the decoder reports that.
    pub(super) whole: u64,
}

/// What a line reports, by the start of its format.
const SIGNS: [(&[u8], Faults); 7] = [
    // Decoders of macroblocks, whatever codec; one line a frame.
    (b"concealing ", Faults { frames: 1, ..NONE }),
    // MPEG-2, of a picture whose header is gone.
    (b"ignoring pic cod ext after ", Faults { frames: 1, ..NONE }),
    // FFV1, which has no mark for it.
    (b"slice CRC mismatch ", Faults { slices: 1, ..NONE }),
    // HEVC, which puts a gray frame in the place of one that is lost.
    (b"Could not find ref with POC ", Faults { references: 1, ..NONE }),
    // HEVC, which gives a frame that lacks blocks without a word.
    (b"Decoded frame with POC ", Faults { whole: 1, ..NONE }),
    // MJPEG, of a picture that breaks off.
    (b"EOI missing, emulating", Faults { complaints: 1, ..NONE }),
    // MJPEG, of notes that cameras leave beside the picture.
    (b"unable to decode APP fields", NONE),
];

const NONE: Faults = Faults { frames: 0, slices: 0, references: 0, complaints: 0, whole: 0 };

/// The counts of every [`Concealed`] that is alive.
static CONCEALED: Mutex<BTreeMap<usize, Faults>> = Mutex::new(BTreeMap::new());

impl Concealed {
    /// A new count for the decoder whose `opaque` field alone holds this pointer.
    pub(super) fn new(opaque: *const c_void) -> Concealed {
        let number = opaque.addr();
        counts().insert(number, Faults::default());
        Concealed(number)
    }

    /// Counts from zero again.
    pub(super) fn restart(&self) {
        counts().insert(self.0, Faults::default());
    }

    /// Faults so far.
    pub(super) fn count(&self) -> Faults {
        counts().get(&self.0).copied().unwrap_or_default()
    }
}

impl Drop for Concealed {
    fn drop(&mut self) {
        counts().remove(&self.0);
    }
}

fn counts() -> MutexGuard<'static, BTreeMap<usize, Faults>> {
    CONCEALED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes the last error line libav wrote on this thread since the last call.
pub(super) fn take_last_error() -> Option<Line> {
    LAST_ERROR.take()
}

/// What libav said, in order.
#[derive(Default)]
pub(super) struct Heard {
    warnings: Vec<String>,
    errors: Vec<String>,
    notes: Vec<String>,
}

impl Heard {
    /// Why libav refused: the first error, since the others follow from it, or else the last warning.
    pub(super) fn reason(&self) -> Option<&str> {
        self.errors.first().or(self.warnings.last()).map(|line| line.trim_end_matches('.'))
    }

    /// The words that it listed after `heading`, up to the next one.
    pub(super) fn listed(&self, heading: &str) -> Vec<&str> {
        let after = self.notes.iter().skip_while(|note| *note != heading).skip(1);
        let words = after.map(|note| note.trim()).take_while(|note| !note.ends_with(':'));
        words.filter(|word| !word.is_empty()).collect()
    }

    /// What libav warned of.
    pub(super) fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

/// Runs `job`, and gives with its result what libav said on this thread meanwhile.
pub(super) fn listen<T>(job: impl FnOnce() -> T) -> (T, Heard) {
    HEARD.set(Some(Heard::default()));
    let result = job();
    (result, HEARD.take().unwrap_or_default())
}

/// Whether somebody on this thread wants more than errors.
fn is_heard() -> bool {
    HEARD.try_with(|heard| heard.try_borrow().is_ok_and(|heard| heard.is_some())).unwrap_or(false)
}

unsafe extern "C" fn line(context: *mut c_void, level: c_int, format: *const c_char, arguments: VaList) {
    let is_error = level <= ffi::AV_LOG_ERROR;
    // SAFETY: libav calls with a context of its own and a format that ends with a zero.
    unsafe { note_fault(context, format, is_error) };
    let level_here = if level <= ffi::AV_LOG_WARNING { Level::Debug } else { Level::Trace };
    let is_heard = level <= ffi::AV_LOG_INFO && is_heard();
    if !is_error && !is_heard && !log::log_enabled!(target: "libav", level_here) {
        return;
    }
    // SAFETY: libav calls with a context of its own and arguments that fit the format.
    let text = unsafe { text(context, level, format, arguments) };
    if text.is_empty() {
        return;
    }
    log::log!(target: "libav", level_here, "{text}");
    let line = Line::new(&text);
    if is_heard {
        HEARD.with_borrow_mut(|heard| {
            let Some(heard) = heard else { return };
            let lines = match level {
                _ if is_error => &mut heard.errors,
                ..=ffi::AV_LOG_WARNING => &mut heard.warnings,
                _ => &mut heard.notes,
            };
            lines.push(line.text.clone());
        });
    }
    if is_error {
        // On a thread that is ending there is nobody left to ask.
        let _ = LAST_ERROR.try_with(|last| last.replace(Some(line)));
    }
}

/// Counts the line if a decoder of ours reports a fault with it. Whatever MJPEG's calls an error is one.
///
/// # Safety
/// `context` must be null or one of libav's, `format` a C string.
unsafe fn note_fault(context: *mut c_void, format: *const c_char, is_error: bool) {
    // SAFETY: the format is a C string; only as much of it is read as is the same. Every context of libav's begins with
    // its class, and the class of codecs belongs to codec contexts alone.
    unsafe {
        let same = |(at, byte): (usize, &u8)| *format.add(at).cast::<u8>() == *byte;
        let sign = SIGNS.iter().find(|(start, _)| start.iter().enumerate().all(same)).map(|(_, reported)| *reported);
        if sign.is_none() && !is_error || context.is_null() {
            return;
        }
        if *context.cast::<*const ffi::AVClass>() == ffi::avcodec_get_class() {
            let context = &*context.cast::<ffi::AVCodecContext>();
            let complains = context.codec_id == ffi::AVCodecID::AV_CODEC_ID_MJPEG;
            let Some(reported) = sign.or(complains.then_some(Faults { complaints: 1, ..NONE })) else { return };
            counts().entry(context.opaque.addr()).and_modify(|count| {
                count.frames += reported.frames;
                count.slices += reported.slices;
                count.references += reported.references;
                count.complaints += reported.complaints;
                count.whole += reported.whole;
            });
        }
    }
}

/// The formatted line.
///
/// # Safety
/// As for libav's `av_log_format_line2`.
pub(super) unsafe fn text(context: *mut c_void, level: c_int, format: *const c_char, arguments: VaList) -> String {
    type Formatter =
        unsafe extern "C" fn(*mut c_void, c_int, *const c_char, VaList, *mut c_char, c_int, *mut c_int) -> c_int;
    let mut buffer = [0u8; LINE];
    let mut with_prefix = 1;
    // SAFETY: the types differ in how bindgen spells `va_list` only; the buffer is as long as it says, and libav ends
    // the text with a zero inside it.
    unsafe {
        let formatter: Formatter = respell(ffi::av_log_format_line2 as *const ());
        formatter(context, level, format, arguments, buffer.as_mut_ptr().cast(), LINE as c_int, &raw mut with_prefix);
    }
    let text = CStr::from_bytes_until_nul(&buffer).map(CStr::to_string_lossy).unwrap_or_default();
    text.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_taken_apart() {
        let parts = |text| {
            let Line { writer, text } = Line::new(text);
            (writer, text)
        };
        let two = |writer: &str, text: &str| (writer.to_owned(), text.to_owned());
        assert_eq!(parts("[mov,mp4 @ 0x5] moov [x] not found"), two("mov,mp4", "moov [x] not found"));
        assert_eq!(parts("no prefix] here"), two("", "no prefix] here"));
        assert_eq!(parts("[libx264 @ 0x5]"), two("libx264", ""));
        assert_eq!(parts("[libsvtav1 @ 0x5] [Eval @ 0x7f] [x] is odd"), two("libsvtav1", "[x] is odd"));
    }

    #[test]
    fn the_last_error_of_this_thread_is_kept() {
        crate::io::libav::init();
        // SAFETY: a null context is allowed, and the argument is what the format asks for.
        unsafe { ffi::av_log(std::ptr::null_mut(), ffi::AV_LOG_ERROR, c"all is %s\n".as_ptr(), c"lost".as_ptr()) };
        // SAFETY: as above, without an argument.
        unsafe { ffi::av_log(std::ptr::null_mut(), ffi::AV_LOG_WARNING, c"never mind\n".as_ptr()) };
        assert_eq!(take_last_error().map(|line| line.text).as_deref(), Some("all is lost"));
        assert!(take_last_error().is_none());
    }
}
