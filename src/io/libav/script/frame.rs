//! A script's frame as libav's: the same samples, and what its properties say.

use super::ffi::{self, Api};
use super::program::Program;
use crate::error::{Error, Kind, Result};
use crate::video::Rational;
use ffmpeg::ffi::{AV_BUFFER_FLAG_READONLY, AVRational, av_buffer_create};
use ffmpeg::frame::Video;
use ffmpeg_next as ffmpeg;
use std::ffi::{CStr, c_int, c_void};
use std::ptr::NonNull;
use std::sync::Arc;

/// A frame of a script, given back in the end.
pub struct ScriptFrame {
    program: Arc<Program>,
    frame: NonNull<ffi::Frame>,
}

// SAFETY: VapourSynth's functions may be called on any thread, and nobody writes to a frame that is made.
unsafe impl Send for ScriptFrame {}
// SAFETY: as above.
unsafe impl Sync for ScriptFrame {}

impl Drop for ScriptFrame {
    fn drop(&mut self) {
        // SAFETY: the reference is ours.
        unsafe { (self.program.api().free_frame)(self.frame.as_ptr()) }
    }
}

impl ScriptFrame {
    /// The frame of `program` that a reference at `frame` is to. It is given back.
    ///
    /// # Safety
    /// The reference is the caller's.
    pub unsafe fn new(program: Arc<Program>, frame: NonNull<ffi::Frame>) -> ScriptFrame {
        ScriptFrame { program, frame }
    }

    fn api(&self) -> &'static Api {
        self.program.api()
    }

    /// An integer among its properties.
    fn int(&self, key: &CStr) -> Option<i64> {
        let mut error = 0;
        // SAFETY: the frame is alive, and so are its properties.
        let value = unsafe {
            let map = (self.api().get_frame_properties_ro)(self.frame.as_ptr());
            (self.api().map_get_int)(map, key.as_ptr(), 0, &mut error)
        };
        (error == 0).then_some(value)
    }

    /// How long it is shown, in seconds, where it says so.
    pub fn lasts(&self) -> Option<Rational> {
        self.fraction(c"_DurationNum", c"_DurationDen")
    }

    fn fraction(&self, num: &CStr, den: &CStr) -> Option<Rational> {
        let part = |key| self.int(key).and_then(|value| i32::try_from(value).ok()).filter(|value| *value > 0);
        Some(Rational::new(part(num)?, part(den)?))
    }

    /// Whether it says full range (2 for libav) or limited (1). The property has changed its name and turned round in API 4.2.
    fn range(&self) -> Option<u32> {
        // SAFETY: the function reads nothing.
        let renamed = unsafe { (self.api().get_api_version)() } >= ffi::version(4, 2);
        let (key, full) = if renamed { (c"_Range", 1) } else { (c"_ColorRange", 0) };
        let value = self.int(key).filter(|value| (0..=1).contains(value))?;
        Some(if value == full { 2 } else { 1 })
    }

    /// It as libav's frame, with time and length in units of its stream. No sample is copied.
    ///
    /// # Errors
    /// When memory runs out.
    pub fn into_libav(self, pts: i64, duration: i64) -> Result<Video> {
        let mut video = Video::empty();
        video.set_format(self.program.pixel());
        let (width, height) = self.program.size();
        video.set_width(width as u32);
        video.set_height(height as u32);
        video.set_pts(Some(pts));
        self.describe(&mut video, duration);
        let frame = Arc::new(self);
        for plane in 0..if frame.program.is_gray() { 1 } else { 3 } {
            frame.lend(plane, &mut video)?;
        }
        Ok(video)
    }

    /// Sets what its properties say.
    fn describe(&self, video: &mut Video, duration: i64) {
        let code = |key| self.int(key).and_then(|value| u32::try_from(value).ok()).filter(|code| *code <= 255);
        let fields = self.int(c"_FieldBased").unwrap_or(0);
        // SAFETY: the frame is ours. Codes are written as numbers: libav has no name for some.
        unsafe {
            let frame = video.as_mut_ptr();
            #[cfg(libav_states_duration)]
            {
                (*frame).duration = duration;
            }
            #[cfg(not(libav_states_duration))]
            {
                (*frame).pkt_duration = duration;
            }
            macro_rules! code {
                ($field:ident, $value:expr) => {
                    if let Some(value) = $value {
                        (&raw mut (*frame).$field).cast::<u32>().write(value);
                    }
                };
            }
            code!(colorspace, code(c"_Matrix"));
            code!(color_trc, code(c"_Transfer"));
            code!(color_primaries, code(c"_Primaries"));
            code!(color_range, self.range());
            // libav counts from 1 where H.273 counts from 0.
            code!(chroma_location, code(c"_ChromaLocation").filter(|place| *place <= 5).map(|place| place + 1));
            (*frame).interlaced_frame = i32::from((1..=2).contains(&fields));
            (*frame).top_field_first = i32::from(fields == 2);
            if let Some(Rational { num, den }) = self.fraction(c"_SARNum", c"_SARDen") {
                (*frame).sample_aspect_ratio = AVRational { num, den };
            }
        }
    }

    /// Points a plane of `video` at its own samples, with a reference.
    fn lend(self: &Arc<Self>, plane: usize, video: &mut Video) -> Result<()> {
        // libav's planes of RGB are G, B, R.
        let own = if self.program.is_rgb() { [1, 2, 0][plane] } else { plane as c_int };
        let keep = Arc::into_raw(Arc::clone(self)).cast_mut().cast::<c_void>();
        // SAFETY: the plane's bytes live as long as the reference, which libav owns and `release` drops; they are marked read
        // only, so libav copies before it would write.
        unsafe {
            let (api, frame) = (self.api(), self.frame.as_ptr());
            let start = (api.get_read_ptr)(frame, own).cast_mut();
            let pitch = (api.get_stride)(frame, own);
            let bytes = pitch.unsigned_abs() * (api.get_frame_height)(frame, own).unsigned_abs() as usize;
            let buffer = av_buffer_create(start, bytes as _, Some(release), keep, AV_BUFFER_FLAG_READONLY);
            if buffer.is_null() {
                drop(Arc::from_raw(keep.cast::<ScriptFrame>()));
                return Err(Error::new(Kind::OutOfMemory, "no memory for a script's frame"));
            }
            let video = &mut *video.as_mut_ptr();
            (video.buf[plane], video.data[plane], video.linesize[plane]) = (buffer, start, pitch as c_int);
        }
        Ok(())
    }
}

/// Called by libav, on any thread, when it releases a plane.
unsafe extern "C" fn release(keep: *mut c_void, _data: *mut u8) {
    // SAFETY: `keep` came from `Arc::into_raw` in `lend`, and libav frees a buffer once.
    drop(unsafe { Arc::from_raw(keep.cast::<ScriptFrame>()) });
}
