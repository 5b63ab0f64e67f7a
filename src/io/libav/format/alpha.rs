//! The alpha of decoded frames, as grey pictures of full range.

use crate::error::{Error, Result};
use crate::io::libav::format::convert::{self, has_flag};
use crate::video::{ColorInfo, Format, Picture, PicturePool, Range};
use ffmpeg::ffi;
use ffmpeg::format::Pixel;
use ffmpeg::frame::Video;
use ffmpeg_next as ffmpeg;

/// Takes the alpha of frames of one format and size.
pub(in crate::io::libav) struct AlphaReader {
    descriptor: *const ffi::AVPixFmtDescriptor,
    /// Which component it is; `None` where it is that of a colour in the frame's palette.
    component: Option<i32>,
    format: Format,
    pool: PicturePool,
}

// SAFETY: descriptors are static and never change.
unsafe impl Send for AlphaReader {}

impl AlphaReader {
    /// One for frames of `pixel`.
    ///
    /// # Errors
    /// When they have no alpha of integers, or memory runs out.
    pub(in crate::io::libav) fn new(pixel: Pixel, width: usize, height: usize) -> Result<AlphaReader> {
        let none = || Error::unsupported(format!("{} has no alpha that is read", convert::name(pixel)));
        let descriptor = pixel.descriptor().filter(|_| convert::has_alpha(pixel)).ok_or_else(none)?;
        if has_flag(pixel, ffi::AV_PIX_FMT_FLAG_FLOAT as u32) {
            return Err(none());
        }
        // SAFETY: descriptors are static.
        let descriptor = unsafe { &*descriptor.as_ptr() };
        let is_palette = has_flag(pixel, ffi::AV_PIX_FMT_FLAG_PAL);
        let component = (!is_palette).then(|| i32::from(descriptor.nb_components) - 1);
        let depth = component.map_or(8, |component| descriptor.comp[component as usize].depth);
        let format = u8::try_from(depth).map_err(|_| none()).and_then(Format::gray)?;
        Ok(AlphaReader { descriptor, component, format, pool: PicturePool::new(1, format, width, height)? })
    }

    /// What it gives: grey, as deep as alpha is.
    pub(in crate::io::libav) fn format(&self) -> Format {
        self.format
    }

    /// The colour description of what it gives.
    pub(in crate::io::libav) fn color() -> ColorInfo {
        ColorInfo { range: Range::Full, ..ColorInfo::default() }
    }

    /// The alpha of `frame`: 0 where nothing is seen, white where all is.
    ///
    /// # Errors
    /// When memory runs out.
    pub(in crate::io::libav) fn run(&self, frame: &Video) -> Result<Picture> {
        let mut picture = self.pool.take()?;
        let width = picture.width();
        let mut row = vec![0u16; width];
        for y in 0..picture.height() {
            // SAFETY: the frame is alive and has the format of the descriptor; the row has room for its samples.
            unsafe {
                let raw = &*frame.as_ptr();
                let mut data = [0, 1, 2, 3].map(|plane| raw.data[plane].cast_const());
                ffi::av_read_image_line2(
                    row.as_mut_ptr().cast(),
                    data.as_mut_ptr(),
                    raw.linesize.as_ptr(),
                    self.descriptor,
                    0,
                    y as i32,
                    self.component.unwrap_or(0),
                    width as i32,
                    0,
                    size_of::<u16>() as i32,
                );
                if self.component.is_none() {
                    // Colours of 32 bits, alpha in the highest.
                    let palette = raw.data[1].cast::<u32>();
                    row.iter_mut().for_each(|sample| *sample = (palette.add((*sample).into()).read() >> 24) as u16);
                }
            }
            let mut planes = picture.planes_mut();
            let plane = planes.get_mut(0);
            row.iter().enumerate().for_each(|(x, sample)| plane.set(x, y, i32::from(*sample)));
        }
        Ok(picture)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A frame whose byte `n` of plane `plane` is what `byte` says.
    fn frame(name: &str, byte: impl Fn(usize, usize) -> u8) -> Video {
        let mut frame = Video::new(name.parse().unwrap(), 4, 2);
        for plane in 0..frame.planes() {
            frame.data_mut(plane).iter_mut().enumerate().for_each(|(n, to)| *to = byte(plane, n));
        }
        frame
    }

    fn alpha(frame: &Video) -> (String, Vec<i32>) {
        let reader = AlphaReader::new(frame.format(), 4, 2).unwrap();
        let picture = reader.run(frame).unwrap();
        let values = (0..2).flat_map(|y| (0..4).map(move |x| (x, y))).map(|(x, y)| picture.planes()[0].get(x, y));
        (reader.format().to_string(), values.collect())
    }

    #[test]
    fn packed_planar_and_deep_alpha_is_read() {
        for (name, step, at) in [("rgba", 4, 3), ("argb", 4, 0), ("ya8", 2, 1)] {
            let frame = frame(name, |_, n| if n % step == at { (n / step) as u8 } else { 200 });
            let second = frame.stride(0) / step;
            let expected = [0, 1, 2, 3].into_iter().chain((second..second + 4).map(|n| n as i32)).collect::<Vec<_>>();
            assert_eq!(alpha(&frame), ("gray8".to_owned(), expected), "{name}");
        }
        let planar = frame("yuva420p", |plane, n| if plane == 3 { 7 * (n % 4) as u8 } else { 99 });
        assert_eq!(alpha(&planar), ("gray8".to_owned(), vec![0, 7, 14, 21, 0, 7, 14, 21]));
        let deep = frame("gbrap10le", |plane, n| if plane == 3 { [0x34, 0x02][n % 2] } else { 1 });
        assert_eq!(alpha(&deep), ("gray10".to_owned(), vec![0x234; 8]));
        let big = frame("rgba64be", |_, n| if n % 8 == 6 { 0x12 } else { 0x34 });
        assert_eq!(alpha(&big), ("gray16".to_owned(), vec![0x1234; 8]));
    }

    #[test]
    fn colours_of_a_palette_have_alpha() {
        let mut frame = frame("pal8", |plane, n| if plane == 0 { (n % 4) as u8 } else { 0 });
        // SAFETY: a palette has 256 colours of four bytes.
        unsafe {
            let palette = (*frame.as_mut_ptr()).data[1].cast::<u32>();
            (0..4).for_each(|color| palette.add(color as usize).write((60 * color) << 24 | 0x12_34_56));
        }
        assert_eq!(alpha(&frame), ("gray8".to_owned(), vec![0, 60, 120, 180, 0, 60, 120, 180]));
    }

    #[test]
    fn what_has_none_is_refused() {
        for name in ["rgb24", "yuv420p", "gbrapf32le"] {
            assert!(AlphaReader::new(name.parse().unwrap(), 4, 2).is_err(), "{name}");
        }
    }
}
