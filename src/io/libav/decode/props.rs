//! From a decoded AVFrame to our frame: properties read off it, samples used where they lie.

use crate::error::{Error, Result};
use crate::io::libav::format::hdr;
use crate::video::{ChromaLocation, ColorInfo, FieldOrder, Format, FrameProps, Picture, Range, Rational, SideData};
use ffmpeg::ffi::{AVChromaLocation, AVColorRange};
use ffmpeg::frame::Video;
use ffmpeg_next as ffmpeg;
use std::ptr::NonNull;
use std::slice;

/// Everything about `frame` but its samples. `full_range` is what the pixel format's name says; `sar` is the
/// container's word, if it has one.
pub(in crate::io::libav) fn props(frame: &Video, frame_index: u64, full_range: bool, sar: Rational) -> FrameProps {
    let side_data = side_data(frame);
    FrameProps {
        frame_index,
        pts: frame.pts(),
        duration: frame.packet().duration.max(0),
        key: frame.is_key(),
        field_order: field_order(frame),
        repeat: frame.repeat() as i32,
        color: color(frame, full_range),
        sar: if sar.value().is_some() { sar } else { frame.aspect_ratio().into() },
        brightest: hdr::brightest(&side_data),
        side_data,
        context: false,
        records: Vec::new(),
    }
}

fn field_order(frame: &Video) -> FieldOrder {
    match (frame.is_interlaced(), frame.is_top_first()) {
        (false, _) => FieldOrder::Progressive,
        (true, true) => FieldOrder::TopFirst,
        (true, false) => FieldOrder::BottomFirst,
    }
}

/// The colour description of `frame`.
pub(in crate::io::libav) fn color(frame: &Video, full_range: bool) -> ColorInfo {
    // Streams can state code points that libav has no name for: they are read as numbers, since an enum of another
    // value is undefined.
    macro_rules! code {
        ($field:ident) => {
            // SAFETY: the frame is alive, and C enums are 32-bit integers.
            unsafe { (&raw const (*frame.as_ptr()).$field).cast::<u32>().read() }
        };
    }
    let point = |code: u32| u8::try_from(code).unwrap_or(2);
    let range = code!(color_range);
    let location = code!(chroma_location);
    ColorInfo {
        range: match range {
            _ if full_range || range == AVColorRange::AVCOL_RANGE_JPEG as u32 => Range::Full,
            _ if range == AVColorRange::AVCOL_RANGE_MPEG as u32 => Range::Limited,
            _ => Range::Unspecified,
        },
        matrix: point(code!(colorspace)),
        transfer: point(code!(color_trc)),
        primaries: point(code!(color_primaries)),
        // libav counts from 1 where H.273 counts from 0.
        chroma_location: ChromaLocation(match location {
            0 => None,
            _ if location < AVChromaLocation::AVCHROMA_LOC_NB as u32 => Some(location as u8 - 1),
            _ => None,
        }),
    }
}

/// Every block of side data, by libav's `AVFrameSideDataType`.
fn side_data(frame: &Video) -> Vec<SideData> {
    // SAFETY: the frame is alive; libav keeps `nb_side_data` entries, each with `size` bytes. The kind is read as a
    // number, as colour codes are.
    unsafe {
        let frame = &*frame.as_ptr();
        let blocks = if frame.nb_side_data > 0 {
            slice::from_raw_parts(frame.side_data, frame.nb_side_data as usize)
        } else {
            &[]
        };
        blocks
            .iter()
            .map(|&block| {
                let kind = (&raw const (*block).type_).cast::<i32>().read();
                SideData { kind, bytes: bytes((*block).data, (*block).size).into() }
            })
            .collect()
    }
}

/// `size` bytes at `data`, which may be null when there are none.
///
/// # Safety
/// As for [`slice::from_raw_parts`], but for the null.
pub(in crate::io::libav) unsafe fn bytes<'a>(data: *const u8, size: usize) -> &'a [u8] {
    // SAFETY: by the caller.
    if data.is_null() || size == 0 { &[] } else { unsafe { slice::from_raw_parts(data, size) } }
}

/// The samples of `frame`, whose layout is `format`'s. No sample is copied, unless rows run upwards or lie at odd
/// addresses.
///
/// # Errors
/// When the frame has no memory, or a copy is needed and memory runs out.
pub(in crate::io::libav) fn picture(frame: Video, format: Format) -> Result<Picture> {
    let (width, height) = (frame.width() as usize, frame.height() as usize);
    let align = format.sample().bytes();
    let mut planes = Vec::with_capacity(format.planes());
    for plane in 0..format.planes() {
        // SAFETY: the frame is alive.
        let (data, pitch) = unsafe { ((*frame.as_ptr()).data[plane], (*frame.as_ptr()).linesize[plane]) };
        let data = NonNull::new(data).ok_or_else(|| Error::corrupt("a decoded frame has no samples"))?;
        match usize::try_from(pitch) {
            Ok(pitch) if data.addr().get() % align == 0 && pitch % align == 0 => planes.push((data, pitch)),
            _ => return copy(&frame, format),
        }
    }
    // SAFETY: a decoded frame holds every row of its format and size, and libav writes to buffers only while they
    // have one owner: this reference keeps them as they are.
    Ok(unsafe { Picture::foreign(format, width, height, &planes, Box::new(frame)) })
}

fn copy(frame: &Video, format: Format) -> Result<Picture> {
    let mut picture = Picture::alloc(format, frame.width() as usize, frame.height() as usize)?;
    for plane in 0..format.planes() {
        let (row, rows) = format.plane_size(plane, picture.width(), picture.height());
        for y in 0..rows {
            // SAFETY: the frame holds `rows` rows of at least `row` bytes, `linesize` apart, upwards when negative.
            let from = unsafe {
                let frame = &*frame.as_ptr();
                let start = frame.data[plane].offset(y as isize * frame.linesize[plane] as isize);
                bytes(start, row)
            };
            picture.row_bytes_mut(plane, y).copy_from_slice(from);
        }
    }
    Ok(picture)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ffmpeg::format::Pixel;

    /// A gray 4×3 frame whose sample (x, y) is 10·y + x.
    fn frame() -> Video {
        let mut frame = Video::new(Pixel::GRAY8, 4, 3);
        let stride = frame.stride(0);
        for (y, row) in frame.data_mut(0).chunks_mut(stride).enumerate() {
            for (x, sample) in row[..4].iter_mut().enumerate() {
                *sample = (10 * y + x) as u8;
            }
        }
        frame
    }

    fn rows(picture: &Picture) -> Vec<&[u8]> {
        (0..picture.height()).map(|y| picture.row_bytes(0, y)).collect()
    }

    #[test]
    fn a_frame_is_used_where_it_lies() {
        let frame = frame();
        let address = frame.data(0).as_ptr();
        let picture = picture(frame, "gray8".parse().unwrap()).unwrap();
        assert_eq!(picture.plane(0).0, address);
        assert_eq!(rows(&picture), [[0, 1, 2, 3], [10, 11, 12, 13], [20, 21, 22, 23]]);
    }

    #[test]
    fn rows_that_run_upwards_are_copied_in_order() {
        let mut frame = frame();
        // SAFETY: the last row is inside the frame, and rows before it are one line size up.
        unsafe {
            let raw = &mut *frame.as_mut_ptr();
            raw.data[0] = raw.data[0].offset(2 * raw.linesize[0] as isize);
            raw.linesize[0] = -raw.linesize[0];
        }
        let picture = picture(frame, "gray8".parse().unwrap()).unwrap();
        assert_eq!(rows(&picture), [[20, 21, 22, 23], [10, 11, 12, 13], [0, 1, 2, 3]]);
    }

    #[test]
    fn samples_at_odd_addresses_are_copied() {
        let mut frame = Video::new(Pixel::GRAY10LE, 2, 1);
        frame.data_mut(0)[1..5].copy_from_slice(&[1, 2, 3, 0]);
        // SAFETY: one byte further there are still the bytes of a row.
        unsafe { (*frame.as_mut_ptr()).data[0] = (*frame.as_mut_ptr()).data[0].add(1) };
        let picture = picture(frame, "gray10".parse().unwrap()).unwrap();
        assert_eq!(rows(&picture), [[1, 2, 3, 0]]);
    }

    #[test]
    fn unknown_code_points_are_kept_as_numbers() {
        let mut frame = frame();
        // SAFETY: as in `color`.
        unsafe { (&raw mut (*frame.as_mut_ptr()).color_primaries).cast::<u32>().write(200) };
        assert_eq!(color(&frame, false).primaries, 200);
        assert_eq!(color(&frame, true).range, Range::Full);
    }
}
