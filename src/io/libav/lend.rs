//! A picture lent to libav: an `AVFrame` whose planes are the picture's own memory.

use crate::error::{Error, Kind, Result};
use crate::pipeline::Frame;
use crate::video::{FieldOrder, Picture, StreamInfo};
use ffmpeg_next::ffi::{self, AVFrame, AVPictureType, AVPixelFormat};
use std::ffi::c_void;
use std::ptr::{self, NonNull};
use std::sync::Arc;

/// An `AVFrame`. Its picture lives until libav has let go of every plane.
pub(super) struct LentFrame(NonNull<AVFrame>);

impl Drop for LentFrame {
    fn drop(&mut self) {
        let mut frame = self.0.as_ptr();
        // SAFETY: the frame is ours and is not used again.
        unsafe { ffi::av_frame_free(&mut frame) }
    }
}

impl LentFrame {
    /// Lends `frame` to an encoder of `stream` as `pixel_format`, shown at `pts` in the encoder's unit of time.
    ///
    /// # Errors
    /// When memory runs out.
    pub(super) fn new(frame: Frame, stream: &StreamInfo, pixel_format: AVPixelFormat, pts: i64) -> Result<LentFrame> {
        // SAFETY: allocates or gives null.
        let lent = LentFrame(NonNull::new(unsafe { ffi::av_frame_alloc() }).ok_or_else(out_of_memory)?);
        let Frame { props, picture } = frame;
        // SAFETY: the frame is ours alone; the borrow ends before the frame is used otherwise.
        let av = unsafe { &mut *lent.0.as_ptr() };
        av.format = pixel_format as i32;
        (av.width, av.height) = (picture.width() as i32, picture.height() as i32);
        av.pts = pts;
        av.pict_type = AVPictureType::AV_PICTURE_TYPE_NONE;
        av.interlaced_frame = i32::from(props.field_order.is_interlaced());
        av.top_field_first = i32::from(props.field_order == FieldOrder::TopFirst);
        av.repeat_pict = props.repeat;
        let sar = if props.sar.value().is_some() { props.sar } else { stream.sar };
        av.sample_aspect_ratio = super::encode::rational(sar);
        let color = super::encode::color(&stream.color);
        (av.color_range, av.colorspace) = (color.range, color.matrix);
        (av.color_trc, av.color_primaries, av.chroma_location) = (color.transfer, color.primaries, color.location);
        for data in &props.side_data {
            lent.attach(data.kind, &data.bytes)?;
        }
        lent.lend(picture)?;
        Ok(lent)
    }

    /// The frame, for libav to read or to take references of.
    pub(super) fn as_ptr(&self) -> *const AVFrame {
        self.0.as_ptr()
    }

    fn attach(&self, kind: i32, bytes: &[u8]) -> Result<()> {
        let Some(kind) = super::encode::frame_side_data_kind(kind) else { return Ok(()) };
        // SAFETY: the frame is ours; libav gives null or a block with room for `bytes`.
        unsafe {
            let data = ffi::av_frame_new_side_data(self.0.as_ptr(), kind, bytes.len()).as_ref().ok_or_else(out_of_memory)?;
            ptr::copy_nonoverlapping(bytes.as_ptr(), data.data, bytes.len());
        }
        Ok(())
    }

    /// Points the frame's planes into `picture`, a reference each.
    fn lend(&self, picture: Picture) -> Result<()> {
        let picture = Arc::new(picture);
        for plane in 0..picture.format().planes() {
            let (start, pitch) = picture.plane(plane);
            let (_, rows) = picture.format().plane_size(plane, picture.width(), picture.height());
            let (row, _) = picture.format().plane_size(plane, picture.width(), picture.height());
            let bytes = pitch * (rows - 1) + row;
            let keep = Arc::into_raw(picture.clone()).cast_mut().cast::<c_void>();
            // SAFETY: the plane's bytes live as long as the reference that libav now owns and `release` drops; they are
            // marked read only, so libav copies before it would write.
            unsafe {
                let flags = ffi::AV_BUFFER_FLAG_READONLY;
                let buffer = ffi::av_buffer_create(start.cast_mut(), bytes, Some(release), keep, flags);
                if buffer.is_null() {
                    drop(Arc::from_raw(keep.cast::<Picture>()));
                    return Err(out_of_memory());
                }
                let frame = &mut *self.0.as_ptr();
                (frame.buf[plane], frame.data[plane]) = (buffer, start.cast_mut());
                frame.linesize[plane] = pitch as i32;
            }
        }
        Ok(())
    }
}

/// Called by libav, on any thread, when it lets go of a plane.
unsafe extern "C" fn release(keep: *mut c_void, _data: *mut u8) {
    // SAFETY: `keep` came from `Arc::into_raw` in `lend`, and libav frees a buffer once.
    drop(unsafe { Arc::from_raw(keep.cast::<Picture>()) });
}

fn out_of_memory() -> Error {
    Error::new(Kind::OutOfMemory, "no memory for a frame on its way to the encoder")
}
