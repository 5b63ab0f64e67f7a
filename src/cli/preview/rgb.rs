//! A picture as a screen shows it: R'G'B' and luma in floating point, nothing rounded in between.

use crate::error::{Error, Result};
use crate::video::{ColorInfo, Format, Model, Picture, PlaneRef};

/// One frame as R'G'B', and the luma it was made of; 0 is black and 1 white.
pub struct Image {
    pub width: usize,
    pub height: usize,
    pub rgb: Vec<[f32; 3]>,
    pub luma: Vec<f32>,
}

impl Image {
    /// Converts `picture` as `color` says. A matrix that is not stated is taken as players take it: BT.601 up to 576
    /// rows, BT.709 above.
    pub fn new(picture: &Picture, color: &ColorInfo) -> Result<Image> {
        let (width, height, format) = (picture.width(), picture.height(), picture.format());
        if format.is_yc48() {
            return Err(Error::unsupported("a preview cannot show yc48"));
        }
        let planes = picture.planes();
        let scale = CodeScale::new(color.range.is_full_in(format), format.bit_depth());
        let (kr, kb) = luma_weights(color, format, height)?;
        let (sub_w, sub_h) = (format.subsampling_w(), format.subsampling_h());
        let mut image =
            Image { width, height, rgb: Vec::with_capacity(width * height), luma: Vec::with_capacity(width * height) };
        for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
            if format.model() == Model::Rgb {
                let [r, g, b] = [0, 1, 2].map(|component| scale.luma(planes[component].v16(x, y)));
                image.rgb.push([r, g, b]);
                image.luma.push(kr * r + (1.0 - kr - kb) * g + kb * b);
            } else {
                let luma = scale.luma(planes[0].v16(x, y));
                let (cb, cr) = match planes.get(1..3) {
                    Some([cb, cr]) => (chroma(cb, x, y, sub_w, sub_h, scale), chroma(cr, x, y, sub_w, sub_h, scale)),
                    _ => (0.0, 0.0),
                };
                let r = luma + 2.0 * (1.0 - kr) * cr;
                let b = luma + 2.0 * (1.0 - kb) * cb;
                let g = (luma - kr * r - kb * b) / (1.0 - kr - kb);
                image.rgb.push([r, g, b]);
                image.luma.push(luma);
            }
        }
        Ok(image)
    }
}

/// How code values, widened to v16, map to 0..1 (luma) and −½..½ (chroma).
#[derive(Clone, Copy)]
struct CodeScale {
    black: f32,
    luma: f32,
    chroma: f32,
}

impl CodeScale {
    fn new(full_range: bool, bit_depth: u8) -> CodeScale {
        if full_range {
            let white = f32::from((((1u32 << bit_depth) - 1) << (16 - bit_depth)) as u16);
            CodeScale { black: 0.0, luma: white, chroma: white }
        } else {
            CodeScale { black: 4096.0, luma: 219.0 * 256.0, chroma: 224.0 * 256.0 }
        }
    }

    fn luma(self, v16: u16) -> f32 {
        (f32::from(v16) - self.black) / self.luma
    }

    fn chroma(self, v16: f32) -> f32 {
        (v16 - 32768.0) / self.chroma
    }
}

/// The chroma value at luma position `(x, y)`, interpolated. Samples are taken to sit left and midway between rows,
/// as in nearly all 4:2:0 video; half a sample off is not seen in a preview.
fn chroma(plane: &PlaneRef<'_>, x: usize, y: usize, sub_w: u8, sub_h: u8, scale: CodeScale) -> f32 {
    let (x0, x1, fx) = neighbours(x as f32 / f32::from(1u8 << sub_w), plane.width());
    let middle = if sub_h > 0 { 0.5 } else { 0.0 };
    let (y0, y1, fy) = neighbours((y as f32 - middle) / f32::from(1u8 << sub_h), plane.height());
    let at = |x, y| f32::from(plane.v16(x, y));
    let mix = |a: f32, b: f32, f: f32| a + (b - a) * f;
    scale.chroma(mix(mix(at(x0, y0), at(x1, y0), fx), mix(at(x0, y1), at(x1, y1), fx), fy))
}

/// The samples on both sides of `position`, and how far it is from the first to the second.
fn neighbours(position: f32, size: usize) -> (usize, usize, f32) {
    let position = position.clamp(0.0, (size - 1) as f32);
    let first = position as usize;
    (first, (first + 1).min(size - 1), position - first as f32)
}

/// The weights of red and blue in luma, for the H.273 `MatrixCoefficients` code point of `color`. That of RGB says nothing,
/// or that there is no luma.
fn luma_weights(color: &ColorInfo, format: Format, height: usize) -> Result<(f32, f32)> {
    Ok(match color.matrix {
        0 if format.model() == Model::Rgb => (0.2126, 0.0722),
        1 => (0.2126, 0.0722),
        4 => (0.30, 0.11),
        5 | 6 => (0.299, 0.114),
        7 => (0.212, 0.087),
        9 => (0.2627, 0.0593),
        2 if height <= 576 => (0.299, 0.114),
        2 => (0.2126, 0.0722),
        other => return Err(Error::unsupported(format!("a preview cannot show matrix coefficients {other}"))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::video::Range;

    fn flat(format: &str, range: Range, samples: [u16; 3]) -> [f32; 3] {
        let mut picture = Picture::alloc(format.parse::<Format>().unwrap(), 3, 3).unwrap();
        let mut planes = picture.planes_mut();
        for (component, sample) in samples.into_iter().enumerate().take(planes.len()) {
            let plane = planes.get_mut(component);
            let (width, height) = (plane.width(), plane.height());
            for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
                plane.set(x, y, i32::from(sample));
            }
        }
        let image = Image::new(&picture, &ColorInfo { range, matrix: 1, ..ColorInfo::default() }).unwrap();
        assert!(image.rgb.iter().all(|rgb| *rgb == image.rgb[0]), "flat stays flat");
        image.rgb[0]
    }

    fn close(a: [f32; 3], b: [f32; 3]) -> bool {
        a.iter().zip(b).all(|(a, b)| (a - b).abs() < 2e-3)
    }

    #[test]
    fn black_and_white_of_every_depth_and_range() {
        for (format, shift, full) in [("yuv420p", 0, 255), ("yuv422p10", 2, 1023), ("yuv444p16", 8, 65535)] {
            let mid = 128 << shift;
            assert!(close(flat(format, Range::Limited, [16 << shift, mid, mid]), [0.0; 3]), "{format}");
            assert!(close(flat(format, Range::Limited, [235 << shift, mid, mid]), [1.0; 3]), "{format}");
            assert!(close(flat(format, Range::Full, [0, mid, mid]), [0.0; 3]), "{format}");
            assert!(close(flat(format, Range::Full, [full, mid, mid]), [1.0; 3]), "{format}");
        }
        assert!(close(flat("gbrp", Range::Unspecified, [255, 0, 51]), [1.0, 0.0, 0.2]));
        assert!(close(flat("gbrp10", Range::Limited, [235 << 2, 64, 64]), [1.0, 0.0, 0.0]));
        assert!(close(flat("gray8", Range::Full, [255, 0, 0]), [1.0; 3]));
    }

    /// BT.709 limited red is Y 63, Cb 102, Cr 240 at 8 bits (rounded).
    #[test]
    fn red_is_red() {
        let rgb = flat("yuv444p", Range::Limited, [63, 102, 240]);
        assert!((rgb[0] - 1.0).abs() < 0.01 && rgb[1].abs() < 0.01 && rgb[2].abs() < 0.01, "{rgb:?}");
    }
}
