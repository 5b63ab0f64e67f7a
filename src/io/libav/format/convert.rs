//! One pass of swscale before the chain, for what the chain does not take or the encoder does not.

use crate::error::{Error, Kind, Result};
use crate::io::libav::format::pixfmt;
use crate::video::{ChromaLocation, ColorInfo, Format, Model, Picture, PicturePool, Range};
use ffmpeg::ffi;
use ffmpeg::format::Pixel;
use ffmpeg::frame::Video;
use ffmpeg::software::scaling::Flags;
use ffmpeg_next as ffmpeg;
use std::ffi::CStr;
use std::ptr::NonNull;

/// H.273's code point for samples that are R, G, B.
const RGB_MATRIX: u8 = 0;

/// Depths that libav has planar formats for.
const DEPTHS: [u8; 6] = [8, 9, 10, 12, 14, 16];

/// The native format that keeps most of `pixel`: alpha is dropped, chroma is never thinned out but where a format has
/// less of it than 4:2:0. RGB stays RGB.
///
/// # Errors
/// When this libav cannot read the format in memory (hardware surfaces).
pub(in crate::io::libav) fn nearest(pixel: Pixel) -> Result<Format> {
    let unreadable = || Error::unsupported(format!("pixel format {} cannot be converted", name(pixel)));
    let descriptor = pixel.descriptor().ok_or_else(unreadable)?;
    // SAFETY: the call only looks at a table.
    if unsafe { ffi::sws_isSupportedInput(pixel.into()) } == 0 {
        return Err(unreadable());
    }
    let depth = depth(pixel);
    if is_rgb(pixel) {
        return Format::rgb(at_least(depth));
    }
    if descriptor.nb_components() <= 2 {
        return Format::gray(at_least(depth));
    }
    let (w, h) = match (descriptor.log2_chroma_w(), descriptor.log2_chroma_h()) {
        (0, _) => (0, 0),
        (_, 0) => (1, 0),
        _ => (1, 1),
    };
    Format::yuv(w, h, at_least(depth))
}

/// The YCbCr that RGB of `bit_depth` bits becomes: with two bits more, which keep what the matrix would round away.
pub(in crate::io::libav) fn ycbcr_depth(bit_depth: u8) -> u8 {
    at_least(bit_depth + 2)
}

fn at_least(depth: u8) -> u8 {
    DEPTHS.into_iter().find(|d| *d >= depth).unwrap_or(16)
}

/// Bits of the deepest component.
fn depth(pixel: Pixel) -> u8 {
    if has_flag(pixel, ffi::AV_PIX_FMT_FLAG_BAYER) {
        // A mosaic states its share of each colour, not the sample's bits.
        return if name(pixel).ends_with('8') { 8 } else { 16 };
    }
    let deepest = pixel.descriptor().and_then(|d| {
        // SAFETY: descriptors are static.
        let components = unsafe { (*d.as_ptr()).comp };
        components.iter().take(usize::from(d.nb_components())).map(|c| c.depth.clamp(1, 16) as u8).max()
    });
    deepest.unwrap_or(8)
}

/// True where samples are not Y, Cb, Cr: RGB, palettes, mosaics, XYZ.
fn is_rgb(pixel: Pixel) -> bool {
    has_flag(pixel, ffi::AV_PIX_FMT_FLAG_RGB)
        || has_flag(pixel, ffi::AV_PIX_FMT_FLAG_PAL)
        || name(pixel).starts_with("xyz")
}

/// True where samples have an alpha, which [`nearest`] drops; the colours of a palette have one too.
pub(in crate::io::libav) fn has_alpha(pixel: Pixel) -> bool {
    has_flag(pixel, ffi::AV_PIX_FMT_FLAG_ALPHA)
}

/// `pixel` without its alpha, where that lies in a plane of its own behind R, G and B: swscale then moves the others as they
/// are.
fn without_alpha(pixel: Pixel) -> Pixel {
    name(pixel).strip_prefix("gbrap").and_then(|rest| format!("gbrp{rest}").parse().ok()).unwrap_or(pixel)
}

/// Whether a pixel format has a flag of libav's.
pub(in crate::io::libav) fn has_flag(pixel: Pixel, flag: impl Into<i64>) -> bool {
    // SAFETY: descriptors are static.
    pixel.descriptor().is_some_and(|d| unsafe { (*d.as_ptr()).flags } & flag.into() as u64 != 0)
}

/// libav's name of a pixel format.
pub(in crate::io::libav) fn name(pixel: Pixel) -> &'static str {
    pixel.descriptor().map_or("unknown", |d| d.name())
}

/// True for the formats whose names say full range (libav's `yuvj`).
pub(in crate::io::libav) fn is_full_by_name(pixel: Pixel) -> bool {
    name(pixel).starts_with("yuvj")
}

/// Converts frames of one format and size.
pub(in crate::io::libav) struct Converter {
    from: Pixel,
    to: Format,
    color: ColorInfo,
    whole: Scaler,
    /// For interlaced frames whose chroma rows change: the top and the bottom field by themselves.
    fields: Option<[Scaler; 2]>,
    pool: PicturePool,
}

impl Converter {
    /// A converter from `from` in `color` to `to`.
    ///
    /// # Errors
    /// When swscale cannot convert it, or memory runs out.
    pub(in crate::io::libav) fn new(
        from: Pixel,
        to: Format,
        width: usize,
        height: usize,
        color: ColorInfo,
    ) -> Result<Converter> {
        let target = pixfmt::pixel(to).ok_or_else(|| Error::unsupported(format!("libav has no format {to}")))?;
        let from_full = color.range.is_full();
        let matrix = matrix(color, width, height);
        let color = converted(from, to, matrix, color);
        let to_full = color.range.is_full_in(to);
        let conversion =
            Conversion { from: without_alpha(from), to: target, width, height, color, from_full, to_full, matrix };
        let rows = |pixel: Pixel| pixel.descriptor().map_or(0, |d| d.log2_chroma_h());
        // Fields of other heights would not share the chroma rows evenly.
        let even = height.is_multiple_of(2 << rows(from).max(rows(target)));
        let fields = match even && rows(from) != rows(target) {
            true => Some([Scaler::new(&conversion, RowSet::Top)?, Scaler::new(&conversion, RowSet::Bottom)?]),
            false => None,
        };
        let whole = Scaler::new(&conversion, RowSet::Whole)?;
        Ok(Converter { from, to, color, whole, fields, pool: PicturePool::new(1, to, width, height)? })
    }

    /// The colour description of the result, for a frame described by `color`.
    pub(in crate::io::libav) fn color(&self, color: ColorInfo) -> ColorInfo {
        ColorInfo { transfer: color.transfer, primaries: color.primaries, ..self.color }
    }

    /// "yuva420p to yuv420p without its alpha", for the one line about it.
    pub(in crate::io::libav) fn describe(&self) -> String {
        format!("{} to {}{}", name(self.from), self.to, if has_alpha(self.from) { " without its alpha" } else { "" })
    }

    /// Converts `frame`.
    ///
    /// # Errors
    /// When memory runs out or swscale fails.
    pub(in crate::io::libav) fn run(&mut self, frame: &Video) -> Result<Picture> {
        let mut picture = self.pool.take()?;
        match (&mut self.fields, frame.is_interlaced()) {
            (Some([top, bottom]), true) => {
                top.run(frame, &mut picture, 0, 2)?;
                bottom.run(frame, &mut picture, 1, 2)?;
            }
            _ => self.whole.run(frame, &mut picture, 0, 1)?,
        }
        Ok(picture)
    }
}

/// The colour description after a conversion: what becomes YCbCr does so by `matrix` and in limited range, what becomes
/// RGB in full range, and all else keeps its own.
fn converted(from: Pixel, to: Format, matrix: u8, color: ColorInfo) -> ColorInfo {
    let chroma_location = match to.subsampling_w() {
        0 => ChromaLocation(None),
        _ => color.chroma_location,
    };
    let color = ColorInfo { chroma_location, ..color };
    match (is_rgb(from), to.model() == Model::Rgb) {
        (true, false) => ColorInfo { range: Range::Limited, matrix, ..color },
        (false, true) => ColorInfo { range: Range::Full, matrix: RGB_MATRIX, ..color },
        _ => color,
    }
}

/// The matrix between RGB and YCbCr: the stated one, or what the primaries or the size call for.
fn matrix(color: ColorInfo, width: usize, height: usize) -> u8 {
    match (color.matrix, color.primaries) {
        (stated @ (1 | 4..=7 | 9), _) => stated,
        (_, 1) => 1,
        (_, 5) => 5,
        (_, 6 | 7) => 6,
        (_, 9) => 9,
        _ if width > 1024 || height > 576 => 1,
        _ => 6,
    }
}

/// Which rows a scaler works on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RowSet {
    Whole,
    Top,
    Bottom,
}

/// What all scalers of a converter share.
struct Conversion {
    from: Pixel,
    to: Pixel,
    width: usize,
    height: usize,
    /// Of the result.
    color: ColorInfo,
    from_full: bool,
    to_full: bool,
    matrix: u8,
}

impl Conversion {
    /// Where a format's chroma samples sit, horizontally and vertically, in 1/256 of a luma sample (of the part's rows).
    fn chroma_position(&self, pixel: Pixel, part: RowSet) -> (i64, i64) {
        let location = self.color.chroma_location.0.unwrap_or(0);
        let (w, h) = pixel.descriptor().map_or((0, 0), |d| (d.log2_chroma_w(), d.log2_chroma_h()));
        let across = if w > 0 && matches!(location, 1 | 3 | 5) { 128 } else { 0 };
        let down = match (h, part, location) {
            (0, ..) => 0,
            (_, RowSet::Top, _) => 64,
            (_, RowSet::Bottom, _) => 192,
            (.., 2 | 3) => 0,
            (.., 4 | 5) => 256,
            _ => 128,
        };
        (across, down)
    }
}

/// A swscale context.
struct Scaler {
    context: NonNull<ffi::SwsContext>,
    rows: i32,
}

// SAFETY: a context belongs to no thread; it is used by one at a time.
unsafe impl Send for Scaler {}

impl Scaler {
    fn new(conversion: &Conversion, part: RowSet) -> Result<Scaler> {
        // SAFETY: no arguments; the context is freed by Drop.
        let context = NonNull::new(unsafe { ffi::sws_alloc_context() })
            .ok_or_else(|| Error::new(Kind::OutOfMemory, "no memory for a format conversion"))?;
        let rows = if part == RowSet::Whole { conversion.height } else { conversion.height / 2 };
        let scaler = Scaler { context, rows: rows as i32 };
        let flags =
            Flags::BICUBIC | Flags::ACCURATE_RND | Flags::FULL_CHR_H_INT | Flags::FULL_CHR_H_INP | Flags::BITEXACT;
        let (from, to) =
            (conversion.chroma_position(conversion.from, part), conversion.chroma_position(conversion.to, part));
        let pixel = |pixel: Pixel| i64::from(ffi::AVPixelFormat::from(pixel) as i32);
        for (option, value) in [
            (c"srcw", conversion.width as i64),
            (c"srch", rows as i64),
            (c"src_format", pixel(conversion.from)),
            (c"src_range", conversion.from_full.into()),
            (c"src_h_chr_pos", from.0),
            (c"src_v_chr_pos", from.1),
            (c"dstw", conversion.width as i64),
            (c"dsth", rows as i64),
            (c"dst_format", pixel(conversion.to)),
            (c"dst_range", conversion.to_full.into()),
            (c"dst_h_chr_pos", to.0),
            (c"dst_v_chr_pos", to.1),
            (c"sws_flags", i64::from(flags.bits())),
        ] {
            scaler.set(option, value)?;
        }
        let failed =
            || Error::unsupported(format!("libav cannot convert {} to {}", name(conversion.from), name(conversion.to)));
        // SAFETY: the context is ours and every option is set.
        if unsafe { ffi::sws_init_context(context.as_ptr(), std::ptr::null_mut(), std::ptr::null_mut()) } < 0 {
            return Err(failed());
        }
        if is_rgb(conversion.from) != is_rgb(conversion.to) {
            // swscale knows RGB in full range only, whatever range is set.
            let (from_full, to_full) = (i32::from(conversion.from_full), i32::from(conversion.to_full));
            // SAFETY: the context is initialised; the table is static.
            let answer = unsafe {
                let matrix = ffi::sws_getCoefficients(i32::from(conversion.matrix));
                let one = 1 << 16;
                ffi::sws_setColorspaceDetails(context.as_ptr(), matrix, from_full, matrix, to_full, 0, one, one)
            };
            if answer < 0 {
                return Err(failed());
            }
        }
        Ok(scaler)
    }

    fn set(&self, option: &CStr, value: i64) -> Result<()> {
        // SAFETY: the context is alive and the name ends with a zero.
        match unsafe { ffi::av_opt_set_int(self.context.as_ptr().cast(), option.as_ptr(), value, 0) } {
            0.. => Ok(()),
            _ => Err(Error::internal(format!("swscale does not take {} {value}", option.to_string_lossy()))),
        }
    }

    /// Converts every `step`th row of `frame`, from row `first`, into the same rows of `picture`.
    fn run(&mut self, frame: &Video, picture: &mut Picture, first: i32, step: i32) -> Result<()> {
        const PLANES: usize = 4;
        let mut from = ([std::ptr::null::<u8>(); PLANES], [0i32; PLANES]);
        let mut to = ([std::ptr::null_mut::<u8>(); PLANES], [0i32; PLANES]);
        for plane in 0..picture.format().planes() {
            let (start, pitch) = picture.plane(plane);
            // SAFETY: a field's first row exists: fields are made only where each has as many rows in every plane.
            to.0[plane] = unsafe { start.cast_mut().add(first as usize * pitch) };
            to.1[plane] = pitch as i32 * step;
        }
        // SAFETY: the frame is alive, in the format and size the context is made for, and keeps its rows `linesize`
        // apart. `picture` is borrowed exclusively and its rows are padded to 64 bytes,
        // which swscale's vector stores stay in.
        let rows = unsafe {
            let raw = &*frame.as_ptr();
            for plane in 0..PLANES {
                from.1[plane] = raw.linesize[plane] * step;
                from.0[plane] = raw.data[plane].wrapping_offset((first * raw.linesize[plane]) as isize);
            }
            let (data, pitch) = (from.0.as_ptr(), from.1.as_ptr());
            ffi::sws_scale(self.context.as_ptr(), data, pitch, 0, self.rows, to.0.as_ptr(), to.1.as_ptr())
        };
        if rows == self.rows { Ok(()) } else { Err(Error::internal("libav stopped inside a format conversion")) }
    }
}

impl Drop for Scaler {
    fn drop(&mut self) {
        // SAFETY: allocated in `new`, freed once.
        unsafe { ffi::sws_freeContext(self.context.as_ptr()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pixel(name: &str) -> Pixel {
        name.parse().unwrap()
    }

    /// A frame with every sample of component `c` set to `samples[c]`.
    fn flat(name: &str, width: u32, height: u32, samples: &[u16]) -> Video {
        let mut frame = Video::new(pixel(name), width, height);
        let descriptor = pixel(name).descriptor().unwrap();
        let (w, h) = (descriptor.log2_chroma_w(), descriptor.log2_chroma_h());
        for (component, sample) in samples.iter().enumerate() {
            let is_chroma = !is_rgb(pixel(name)) && matches!(component, 1 | 2);
            let (w, h) = if is_chroma { (u32::from(w), u32::from(h)) } else { (0, 0) };
            for (x, y) in (0..height.div_ceil(1 << h)).flat_map(|y| (0..width.div_ceil(1 << w)).map(move |x| (x, y))) {
                set(&mut frame, component, x, y, *sample);
            }
        }
        frame
    }

    /// Sets one sample, by the descriptor's plane, offset and step.
    fn set(frame: &mut Video, component: usize, x: u32, y: u32, sample: u16) {
        let name = name(frame.format());
        // SAFETY: descriptors are static.
        let place = unsafe { (*frame.format().descriptor().unwrap().as_ptr()).comp[component] };
        let plane = place.plane as usize;
        // SAFETY: the frame is alive and owns its rows.
        let at = unsafe {
            let raw = &*frame.as_ptr();
            raw.data[plane].offset((y as i32 * raw.linesize[plane] + x as i32 * place.step + place.offset) as isize)
        };
        let bytes = if name.ends_with("be") { sample.to_be_bytes() } else { sample.to_le_bytes() };
        let bytes = if place.depth > 8 { &bytes[..] } else { &bytes[..1] };
        // SAFETY: the sample lies inside its row.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), at, bytes.len()) };
    }

    fn convert(frame: &Video, to: &str, color: ColorInfo) -> (Picture, ColorInfo) {
        let (width, height) = (frame.width() as usize, frame.height() as usize);
        let mut converter = Converter::new(frame.format(), to.parse().unwrap(), width, height, color).unwrap();
        (converter.run(frame).unwrap(), converter.color(color))
    }

    /// Every different value of each component.
    fn values(picture: &Picture) -> Vec<Vec<i32>> {
        let component = |plane: &crate::video::PlaneRef| {
            let (w, h) = (plane.width(), plane.height());
            let mut all: Vec<i32> = (0..h).flat_map(|y| (0..w).map(move |x| plane.get(x, y))).collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        picture.planes().iter().map(component).collect()
    }

    #[test]
    fn the_nearest_format_keeps_what_it_can() {
        for (from, to) in [
            ("rgb24", "gbrp"),
            ("rgba", "gbrp"),
            ("pal8", "gbrp"),
            ("rgb565le", "gbrp"),
            ("gbrap10le", "gbrp10"),
            ("gbrp16be", "gbrp16"),
            ("gbrpf32le", "gbrp16"),
            ("bayer_rggb8", "gbrp"),
            ("bayer_rggb16le", "gbrp16"),
            ("ya8", "gray8"),
            ("ya16le", "gray16"),
            ("gray16be", "gray16"),
            ("grayf32le", "gray16"),
            ("monow", "gray8"),
            ("yuva420p", "yuv420p"),
            ("yuva444p10le", "yuv444p10"),
            ("yuv411p", "yuv422p"),
            ("yuvj411p", "yuv422p"),
            ("yuv410p", "yuv420p"),
            ("yuv440p", "yuv444p"),
            ("yuyv422", "yuv422p"),
            ("yuv420p10be", "yuv420p10"),
            ("nv21", "yuv420p"),
            ("nv24", "yuv444p"),
            ("p210le", "yuv422p10"),
        ] {
            assert_eq!(nearest(pixel(from)).unwrap().to_string(), to, "{from}");
        }
        assert!(nearest(Pixel::VAAPI).is_err());
    }

    #[test]
    fn everything_swscale_reads_can_be_converted() {
        crate::io::libav::init();
        let mut ways = 0;
        for from in pixfmt::tests::all() {
            let Ok(to) = nearest(from) else { continue };
            Converter::new(from, to, 16, 16, ColorInfo::default()).unwrap_or_else(|e| panic!("{}: {e}", name(from)));
            ways += 1;
        }
        assert!(ways > 100, "{ways}");
    }

    #[test]
    fn rgb_becomes_limited_ycbcr_by_its_matrix() {
        // BT.709, 10 bit: Y = 64 + 876·(0.2126 R + 0.7152 G + 0.0722 B), Cb = 512 + 896·(B − Y)/1.8556,
        // Cr = 512 + 896·(R − Y)/1.5748. BT.601: 0.299, 0.587, 0.114, divisors 1.772 and 1.402.
        let hd = ColorInfo { primaries: 1, ..ColorInfo::default() };
        for (color, matrix, rgb, expected) in [
            (hd, 1, [255, 255, 255], [940, 512, 512]),
            (hd, 1, [0, 0, 0], [64, 512, 512]),
            (hd, 1, [255, 0, 0], [250, 409, 960]),
            (ColorInfo::default(), 6, [255, 0, 0], [326, 361, 960]),
            (ColorInfo::default(), 6, [0, 0, 255], [164, 960, 439]),
        ] {
            let (picture, after) = convert(&flat("rgb24", 32, 16, &rgb), "yuv444p10", color);
            assert_eq!((after.matrix, after.range), (matrix, Range::Limited));
            for (component, (values, expected)) in values(&picture).iter().zip(expected).enumerate() {
                // swscale's tables have 15 bits: one code of 1023 is its rounding.
                assert!(
                    values.len() == 1 && (values[0] - expected).abs() <= 1,
                    "{rgb:?} component {component}: {values:?}, expected {expected}"
                );
            }
        }
    }

    #[test]
    fn large_rgb_without_tags_is_bt709() {
        let matrix = |w, h| matrix(ColorInfo::default(), w, h);
        assert_eq!([matrix(720, 576), matrix(1280, 536), matrix(640, 720)], [6, 1, 1]);
    }

    #[test]
    fn samples_that_only_move_stay_the_same() {
        for (from, to, samples, expected) in [
            ("yuva420p", "yuv420p", &[200u16, 30, 7, 128][..], [200, 30, 7]),
            ("yuv420p10be", "yuv420p10", &[1000, 3, 512], [1000, 3, 512]),
            ("yuv411p", "yuv422p", &[16, 240, 99], [16, 240, 99]),
            ("yuv440p", "yuv444p", &[16, 240, 99], [16, 240, 99]),
            ("nv12", "yuv420p", &[16, 240, 99], [16, 240, 99]),
            ("yuv420p", "yuv444p", &[255, 0, 255], [255, 0, 255]),
        ] {
            for range in [Range::Unspecified, Range::Limited, Range::Full] {
                let color = ColorInfo { range, ..ColorInfo::default() };
                let (picture, after) = convert(&flat(from, 33, 18, samples), to, color);
                assert_eq!(values(&picture), expected.map(|v| vec![v]), "{from} to {to}, {range:?}");
                assert_eq!(after.range, range);
            }
        }
    }

    /// Seeded noise in every component of an RGB format is kept sample for sample.
    #[test]
    fn rgb_becomes_planar_without_a_change() {
        for (from, to, bits) in [
            ("rgb24", "gbrp", 8),
            ("bgr24", "gbrp", 8),
            ("rgba", "gbrp", 8),
            ("bgra", "gbrp", 8),
            ("argb", "gbrp", 8),
            ("abgr", "gbrp", 8),
            ("rgb0", "gbrp", 8),
            ("0bgr", "gbrp", 8),
            ("gbrap", "gbrp", 8),
            ("rgb48le", "gbrp16", 16),
            ("rgb48be", "gbrp16", 16),
            ("rgba64le", "gbrp16", 16),
            ("gbrp10be", "gbrp10", 10),
            ("gbrap10le", "gbrp10", 10),
            ("gbrap12be", "gbrp12", 12),
            ("gbrap16le", "gbrp16", 16),
        ] {
            let (width, height) = (37, 11);
            let mut frame = Video::new(pixel(from), width, height);
            let noise = |c: usize, x: u32, y: u32| {
                let mixed = (c as u32 * 7919 + y * 104_729 + x + 1).wrapping_mul(2_654_435_761);
                (mixed >> (32 - bits)) as u16
            };
            let places = |height| (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
            for (c, (x, y)) in (0..3).flat_map(|c| places(height).map(move |at| (c, at))) {
                set(&mut frame, c, x, y, noise(c, x, y));
            }
            let (picture, after) = convert(&frame, to, ColorInfo::default());
            assert_eq!(after, ColorInfo::default());
            for (c, (x, y)) in (0..3).flat_map(|c| places(height).map(move |at| (c, at))) {
                let got = picture.planes()[c].get(x as usize, y as usize);
                assert_eq!(got, i32::from(noise(c, x, y)), "{from}: component {c} at ({x}, {y})");
            }
        }
    }

    #[test]
    fn ycbcr_becomes_full_range_rgb_by_its_matrix() {
        // BT.709 limited red is Y 63, Cb 102, Cr 240 at 8 bits (rounded); black is 16, white 235.
        let hd = ColorInfo { matrix: 1, range: Range::Limited, ..ColorInfo::default() };
        for (yuv, rgb) in [([63, 102, 240], [255, 0, 0]), ([16, 128, 128], [0; 3]), ([235, 128, 128], [255; 3])] {
            let (picture, after) = convert(&flat("yuv444p", 32, 16, &yuv), "gbrp", hd);
            assert_eq!((after.matrix, after.range), (RGB_MATRIX, Range::Full));
            for (values, expected) in values(&picture).iter().zip(rgb) {
                assert!(values.len() == 1 && i32::abs(values[0] - expected) <= 1, "{yuv:?}: {values:?} for {expected}");
            }
        }
    }

    #[test]
    fn fields_are_resampled_apart() {
        // Chroma rows of the top field 40, of the bottom field 200: an interlaced picture of a flash.
        let mut frame = flat("yuv420p", 32, 16, &[100, 40, 40]);
        for (x, y) in (0..4).flat_map(|y| (0..16).map(move |x| (x, 2 * y + 1))) {
            set(&mut frame, 1, x, y, 200);
            set(&mut frame, 2, x, y, 200);
        }
        let rows = |picture: &Picture| -> Vec<i32> { (0..16).map(|y| picture.planes()[1].get(8, y)).collect() };
        let (mixed, _) = convert(&frame, "yuv422p", ColorInfo::default());
        assert!(rows(&mixed).iter().any(|v| !matches!(v, 40 | 200)), "{:?}", rows(&mixed));
        // SAFETY: the frame is ours.
        unsafe { (*frame.as_mut_ptr()).interlaced_frame = 1 };
        let (apart, _) = convert(&frame, "yuv422p", ColorInfo::default());
        assert_eq!(rows(&apart), [40, 200].repeat(8));
    }

    #[test]
    fn a_format_that_libav_lacks_is_refused() {
        let error = Converter::new(Pixel::RGB24, Format::YC48, 8, 8, ColorInfo::default()).err().unwrap();
        assert_eq!(error.kind(), Kind::Unsupported);
    }
}
