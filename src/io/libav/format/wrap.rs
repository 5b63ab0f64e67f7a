//! A picture that libav borrows: an `AVFrame` whose planes are the picture's own memory.

use crate::error::{Error, Kind, Result};
use crate::io::libav::encode::setup::rational;
use crate::io::libav::format::color::ColorFields;
use crate::io::libav::format::pack::Packing;
#[cfg(feature = "cuda")]
use crate::io::libav::hwaccel::EncoderSurfaces;
#[cfg(feature = "cuda")]
use crate::pipeline::DeviceFrame;
use crate::pipeline::Frame;
use crate::video::{FieldOrder, FrameProps, Picture, SideData, StreamInfo};
use ffmpeg_next::ffi::{self, AVFrame, AVFrameSideDataType as Kinds, AVPictureType, AVPixelFormat};
use std::ffi::c_void;
use std::ptr::{self, NonNull, addr_of_mut};
use std::sync::Arc;

/// The side data that describes the picture whatever codes it. What describes the source's coding (motion vectors,
/// quantisers, film grain already applied, Dolby Vision layers) does not fit the new one.
const CARRIED: [Kinds; 13] = [
    Kinds::AV_FRAME_DATA_PANSCAN,
    Kinds::AV_FRAME_DATA_A53_CC,
    Kinds::AV_FRAME_DATA_STEREO3D,
    Kinds::AV_FRAME_DATA_DISPLAYMATRIX,
    Kinds::AV_FRAME_DATA_AFD,
    Kinds::AV_FRAME_DATA_MASTERING_DISPLAY_METADATA,
    Kinds::AV_FRAME_DATA_GOP_TIMECODE,
    Kinds::AV_FRAME_DATA_SPHERICAL,
    Kinds::AV_FRAME_DATA_CONTENT_LIGHT_LEVEL,
    Kinds::AV_FRAME_DATA_ICC_PROFILE,
    Kinds::AV_FRAME_DATA_S12M_TIMECODE,
    Kinds::AV_FRAME_DATA_DYNAMIC_HDR_PLUS,
    Kinds::AV_FRAME_DATA_SEI_UNREGISTERED,
];

/// An `AVFrame`. Its picture lives until libav has released every plane.
pub(in crate::io::libav) struct BorrowedFrame(NonNull<AVFrame>);

impl Drop for BorrowedFrame {
    fn drop(&mut self) {
        let mut frame = self.0.as_ptr();
        // SAFETY: the frame is ours and is not used again.
        unsafe { ffi::av_frame_free(&mut frame) }
    }
}

impl BorrowedFrame {
    /// Wraps `frame` for an encoder of `stream` as `pixel_format`, shown at `pts` in the encoder's unit of time. An encoder
    /// that takes RGB packed gets a copy.
    ///
    /// # Errors
    /// When memory runs out.
    pub(in crate::io::libav) fn new(
        frame: Frame,
        stream: &StreamInfo,
        pixel_format: AVPixelFormat,
        pts: i64,
    ) -> Result<BorrowedFrame> {
        let Frame { props, picture } = frame;
        let borrowed = BorrowedFrame::described(&props, stream, pts)?;
        // SAFETY: the frame is ours alone.
        unsafe {
            (*borrowed.0.as_ptr()).format = pixel_format as i32;
        }
        match Packing::of(pixel_format.into()) {
            Some(packing) => borrowed.pack(&picture, packing)?,
            None => borrowed.wrap(picture)?,
        }
        Ok(borrowed)
    }

    /// The same for a frame in GPU memory, where the encoder reads it.
    ///
    /// # Errors
    /// When memory runs out or the device has failed.
    #[cfg(feature = "cuda")]
    pub(in crate::io::libav) fn of_surface(
        frame: DeviceFrame,
        stream: &StreamInfo,
        surfaces: &EncoderSurfaces,
        pts: i64,
    ) -> Result<BorrowedFrame> {
        let borrowed = BorrowedFrame::described(&frame.props, stream, pts)?;
        // SAFETY: the frame is ours, and new.
        unsafe { surfaces.wrap(frame.picture, &frame.stream, borrowed.0.as_ptr()) }?;
        Ok(borrowed)
    }

    /// A frame without a picture: everything but its samples and their format.
    fn described(props: &FrameProps, stream: &StreamInfo, pts: i64) -> Result<BorrowedFrame> {
        // SAFETY: allocates or gives null.
        let borrowed = BorrowedFrame(NonNull::new(unsafe { ffi::av_frame_alloc() }).ok_or_else(out_of_memory)?);
        // SAFETY: the frame is ours alone.
        unsafe {
            let av = borrowed.0.as_ptr();
            (*av).width = stream.width as i32;
            (*av).height = stream.height as i32;
            (*av).pts = pts;
            // The encoder decides about key frames.
            (*av).pict_type = AVPictureType::AV_PICTURE_TYPE_NONE;
            (*av).interlaced_frame = i32::from(props.field_order.is_interlaced());
            (*av).top_field_first = i32::from(props.field_order == FieldOrder::TopFirst);
            (*av).repeat_pict = props.repeat;
            (*av).sample_aspect_ratio = rational(if props.sar.value().is_some() { props.sar } else { stream.sar });
            ColorFields {
                range: addr_of_mut!((*av).color_range),
                matrix: addr_of_mut!((*av).colorspace),
                transfer: addr_of_mut!((*av).color_trc),
                primaries: addr_of_mut!((*av).color_primaries),
                location: addr_of_mut!((*av).chroma_location),
            }
            .write(&stream.color);
        }
        for data in &props.side_data {
            borrowed.attach(data)?;
        }
        Ok(borrowed)
    }

    /// The frame, for libav to read or to take references of.
    pub(in crate::io::libav) fn as_ptr(&self) -> *const AVFrame {
        self.0.as_ptr()
    }

    fn attach(&self, data: &SideData) -> Result<()> {
        let Some(kind) = CARRIED.into_iter().find(|kind| *kind as i32 == data.kind) else { return Ok(()) };
        let bytes = &data.bytes;
        // SAFETY: the frame is ours; libav gives null or a block with room for `bytes`.
        unsafe {
            let block = ffi::av_frame_new_side_data(self.0.as_ptr(), kind, bytes.len());
            let block = block.as_ref().ok_or_else(out_of_memory)?;
            ptr::copy_nonoverlapping(bytes.as_ptr(), block.data, bytes.len());
        }
        Ok(())
    }

    /// Gives the frame memory of its own that holds `picture` packed.
    fn pack(&self, picture: &Picture, packing: Packing) -> Result<()> {
        // SAFETY: the frame is ours, with its format and size set: libav gives it memory, or fails.
        if unsafe { ffi::av_frame_get_buffer(self.0.as_ptr(), 0) } < 0 {
            return Err(out_of_memory());
        }
        // SAFETY: the memory is the frame's own, and the picture has its size.
        unsafe { packing.write(picture, self.0.as_ptr()) };
        Ok(())
    }

    /// Points the frame's planes into `picture`, a reference each.
    fn wrap(&self, picture: Picture) -> Result<()> {
        let picture = Arc::new(picture);
        for plane in 0..picture.format().planes() {
            let (start, pitch) = picture.plane(plane);
            let (row, rows) = picture.format().plane_size(plane, picture.width(), picture.height());
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

/// Called by libav, on any thread, when it releases a plane.
unsafe extern "C" fn release(keep: *mut c_void, _data: *mut u8) {
    // SAFETY: `keep` is from `Arc::into_raw` in `wrap`, and libav frees a buffer once.
    drop(unsafe { Arc::from_raw(keep.cast::<Picture>()) });
}

fn out_of_memory() -> Error {
    Error::new(Kind::OutOfMemory, "no memory for a frame on its way to the encoder")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::video::{FrameProps, PicturePool};

    #[test]
    fn a_picture_is_borrowed_as_it_lies_and_given_back() {
        let info = StreamInfo::bare("yuv420p10".parse().unwrap(), 5, 3);
        let pool = PicturePool::new(1, info.format, info.width, info.height).unwrap();
        let picture = pool.take().unwrap();
        let planes = [0, 1, 2].map(|plane| picture.plane(plane));
        let frame = Frame { props: FrameProps::default(), picture };
        let borrowed = BorrowedFrame::new(frame, &info, AVPixelFormat::AV_PIX_FMT_YUV420P10LE, 7).unwrap();

        // SAFETY: the frame is alive; the encoder's reference is made and dropped as an encoder does.
        unsafe {
            let av = &*borrowed.as_ptr();
            assert_eq!((av.width, av.height, av.pts), (5, 3, 7));
            for (plane, (start, pitch)) in planes.into_iter().enumerate() {
                assert_eq!((av.data[plane].cast_const(), av.linesize[plane] as usize), (start, pitch));
                assert_eq!(ffi::av_buffer_is_writable(av.buf[plane]), 0, "an encoder must not write to it");
            }
            let mut kept = ffi::av_frame_clone(av);
            drop(borrowed);
            pool.take().unwrap();
            assert_eq!(pool.allocated(), 2, "the encoder still has the first");
            ffi::av_frame_free(&mut kept);
        }
        let (first, second) = (pool.take().unwrap(), pool.take().unwrap());
        assert!([first.plane(0), second.plane(0)].contains(&planes[0]));
        assert_eq!(pool.allocated(), 2, "it came back");
    }

    #[test]
    fn kinds_of_side_data_are_libavs() {
        let places = [
            Kinds::AV_FRAME_DATA_PANSCAN,
            Kinds::AV_FRAME_DATA_STEREO3D,
            Kinds::AV_FRAME_DATA_AFD,
            Kinds::AV_FRAME_DATA_MOTION_VECTORS,
            Kinds::AV_FRAME_DATA_SPHERICAL,
            Kinds::AV_FRAME_DATA_REGIONS_OF_INTEREST,
            Kinds::AV_FRAME_DATA_VIDEO_ENC_PARAMS,
            Kinds::AV_FRAME_DATA_DETECTION_BBOXES,
        ];
        assert_eq!(SideData::OF_PLACES, places.map(|kind| kind as i32));
        let grading = [
            Kinds::AV_FRAME_DATA_MASTERING_DISPLAY_METADATA,
            Kinds::AV_FRAME_DATA_CONTENT_LIGHT_LEVEL,
            Kinds::AV_FRAME_DATA_DYNAMIC_HDR_PLUS,
            Kinds::AV_FRAME_DATA_DOVI_RPU_BUFFER,
            Kinds::AV_FRAME_DATA_DOVI_METADATA,
            Kinds::AV_FRAME_DATA_DYNAMIC_HDR_VIVID,
        ];
        // The last is the room, which FFmpeg 5.1 does not know yet.
        assert_eq!(SideData::OF_GRADING[..6], grading.map(|kind| kind as i32));
        assert_eq!(SideData::CAPTIONS, Kinds::AV_FRAME_DATA_A53_CC as i32);
    }

    #[test]
    fn side_data_of_the_picture_goes_along_and_of_the_coding_stays() {
        let info = StreamInfo::bare("gray8".parse().unwrap(), 4, 4);
        let data = |kind: Kinds, byte| SideData { kind: kind as i32, bytes: [byte; 9].into() };
        let unknown = SideData { kind: 9999, ..data(Kinds::AV_FRAME_DATA_A53_CC, 3) };
        let side_data =
            vec![data(Kinds::AV_FRAME_DATA_A53_CC, 1), data(Kinds::AV_FRAME_DATA_MOTION_VECTORS, 2), unknown];
        let props = FrameProps { side_data, field_order: FieldOrder::BottomFirst, ..FrameProps::default() };
        let picture = Picture::alloc(info.format, 4, 4).unwrap();
        let borrowed = BorrowedFrame::new(Frame { props, picture }, &info, AVPixelFormat::AV_PIX_FMT_GRAY8, 0).unwrap();
        // SAFETY: the frame is alive, with as many blocks as it says.
        unsafe {
            let av = &*borrowed.as_ptr();
            assert_eq!((av.interlaced_frame, av.top_field_first), (1, 0));
            assert_eq!(av.nb_side_data, 1);
            let block = &**av.side_data;
            assert_eq!(block.type_, Kinds::AV_FRAME_DATA_A53_CC);
            assert_eq!(std::slice::from_raw_parts(block.data, block.size), [1; 9]);
        }
    }
}
