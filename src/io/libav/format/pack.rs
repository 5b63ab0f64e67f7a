//! Packed RGB for encoders that take no planes: R, G and B side by side in every pixel.

use crate::video::{Format, Picture};
use ffmpeg::ffi::{self, AVFrame};
use ffmpeg::format::Pixel;
use ffmpeg_next as ffmpeg;
use std::array::from_fn;

/// A packed pixel format whose components are whole bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::io::libav) struct Packing {
    /// The planar format with the same samples.
    pub(in crate::io::libav) format: Format,
    /// Whether a pixel has alpha too, which is opaque then.
    pub(in crate::io::libav) has_alpha: bool,
    /// Bytes of a pixel, and where in it R, G and B begin.
    step: usize,
    offsets: [usize; 3],
    big_endian: bool,
}

impl Packing {
    /// How `pixel` packs R, G and B; `None` for any other format.
    pub(in crate::io::libav) fn of(pixel: Pixel) -> Option<Packing> {
        let descriptor = pixel.descriptor()?;
        // SAFETY: descriptors are static.
        let descriptor = unsafe { &*descriptor.as_ptr() };
        let has = |flag: u32| descriptor.flags & u64::from(flag) != 0;
        let other = [ffi::AV_PIX_FMT_FLAG_PAL, ffi::AV_PIX_FMT_FLAG_BITSTREAM, ffi::AV_PIX_FMT_FLAG_HWACCEL];
        let other = other.map(|flag| flag as u32).into_iter().chain([ffi::AV_PIX_FMT_FLAG_FLOAT as u32]);
        if !has(ffi::AV_PIX_FMT_FLAG_RGB as u32) || other.into_iter().any(has) || descriptor.nb_components < 3 {
            return None;
        }
        let [r, g, b, _] = descriptor.comp;
        let whole = |c: &ffi::AVComponentDescriptor| {
            c.plane == 0 && c.shift == 0 && c.depth == r.depth && matches!(c.depth, 8 | 16)
        };
        if ![r, g, b].iter().all(whole) {
            return None;
        }
        Some(Packing {
            format: Format::rgb(r.depth as u8).ok()?,
            has_alpha: has(ffi::AV_PIX_FMT_FLAG_ALPHA as u32),
            step: r.step as usize,
            offsets: [r, g, b].map(|c| c.offset as usize),
            big_endian: has(ffi::AV_PIX_FMT_FLAG_BE as u32),
        })
    }

    /// Writes the pixels of `picture` to `frame`. What a pixel has besides R, G and B gets its highest value.
    ///
    /// # Safety
    /// The frame must have writable memory for its format, which is the packing's, and its size, which is the picture's.
    pub(in crate::io::libav) unsafe fn write(self, picture: &Picture, frame: *mut AVFrame) {
        let bytes = self.format.sample().bytes();
        let planes = from_fn(|component| self.format.component_layout(component).0);
        for y in 0..picture.height() {
            // SAFETY: the caller vouches for every row of the frame.
            let row = unsafe {
                let start = (*frame).data[0].offset(y as isize * (*frame).linesize[0] as isize);
                std::slice::from_raw_parts_mut(start, picture.width() * self.step)
            };
            row.fill(0xff);
            let rows: [&[u8]; 3] = planes.map(|plane| picture.row_bytes(plane, y));
            for (x, pixel) in row.chunks_exact_mut(self.step).enumerate() {
                for (row, offset) in rows.iter().zip(self.offsets) {
                    let sample = &mut pixel[offset..][..bytes];
                    sample.copy_from_slice(&row[x * bytes..][..bytes]);
                    if self.big_endian {
                        sample.reverse();
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packing(name: &str) -> Option<Packing> {
        Packing::of(name.parse().unwrap())
    }

    #[test]
    fn packed_rgb_of_whole_bytes_is_known() {
        for (name, format, has_alpha) in
            [("rgb24", "gbrp", false), ("bgr0", "gbrp", false), ("argb", "gbrp", true), ("rgba64be", "gbrp16", true)]
        {
            let packing = packing(name).unwrap();
            assert_eq!((packing.format.to_string().as_str(), packing.has_alpha), (format, has_alpha), "{name}");
        }
        for name in ["gbrp", "yuv420p", "yuyv422", "ayuv64le", "rgb565le", "x2rgb10le", "pal8", "rgb4", "gray"] {
            assert!(packing(name).is_none(), "{name}");
        }
    }

    #[test]
    fn pixels_are_laid_out_as_the_name_says() {
        for (name, expected) in [
            ("rgb24", &[1u8, 2, 3, 4, 5, 6][..]),
            ("bgr0", &[3, 2, 1, 255, 6, 5, 4, 255]),
            ("argb", &[255, 1, 2, 3, 255, 4, 5, 6]),
            ("rgb48be", &[0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6]),
            ("bgr48le", &[3, 0, 2, 0, 1, 0, 6, 0, 5, 0, 4, 0]),
        ] {
            let packing = packing(name).unwrap();
            let mut picture = Picture::alloc(packing.format, 2, 1).unwrap();
            for (x, c) in [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)] {
                picture.planes_mut().get_mut(c).set(x, 0, 3 * x as i32 + c as i32 + 1);
            }
            let mut frame = ffmpeg::frame::Video::new(name.parse().unwrap(), 2, 1);
            // SAFETY: the frame was made for this format and size.
            unsafe { packing.write(&picture, frame.as_mut_ptr()) };
            assert_eq!(&frame.data(0)[..expected.len()], expected, "{name}");
        }
    }
}
