//! Between components as they lie in a picture and R'G'B' of 16 bits, in integers.

use super::primaries::luma_weights;
use crate::filters::requant::{BLACK, LIMITED_CHROMA, LIMITED_LUMA, NEUTRAL, white};
use crate::video::{Model, StreamInfo};

/// Bits of the weights' fractions.
pub const BITS: u32 = 14;
const HALF: i32 = 1 << (BITS - 1);

/// The highest code of R'G'B'.
pub const TOP: i32 = 65535;

/// Black, the distance to white, and the width of chroma, of v16.
fn scale(info: &StreamInfo) -> (i32, i32, i32) {
    let white = white(info.format.bit_depth());
    if info.is_full_range() { (0, white, white) } else { (BLACK, LIMITED_LUMA, LIMITED_CHROMA) }
}

/// From components to R'G'B'.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decode {
    /// What is black.
    pub black: i32,
    /// What light is multiplied with.
    pub gain: i32,
    /// What Cb and Cr add to each of R, G, B.
    pub chroma: [[i32; 2]; 3],
}

impl Decode {
    /// Of streams like `info`, whose matrix is stated unless it is RGB.
    pub fn new(info: &StreamInfo) -> Decode {
        let (black, span, width) = scale(info);
        let weight = |value: f64| libm::round(value * f64::from(1 << BITS)) as i32;
        let gain = weight(f64::from(TOP) / f64::from(span));
        let Some((kr, kb)) = luma_weights(info.color.matrix).filter(|_| info.format.model() == Model::Yuv) else {
            return Decode { black, gain, chroma: [[0; 2]; 3] };
        };
        let kg = 1.0 - kr - kb;
        let chroma = |value: f64| weight(value * f64::from(TOP) / f64::from(width));
        let (cb, cr) = (2.0 * (1.0 - kb), 2.0 * (1.0 - kr));
        let green = [chroma(-cb * kb / kg), chroma(-cr * kr / kg)];
        Decode { black, gain, chroma: [[0, chroma(cr)], green, [chroma(cb), 0]] }
    }

    /// R'G'B' of Y, Cb and Cr at one place.
    pub fn ycbcr(&self, y: u16, cb: u16, cr: u16) -> [u16; 3] {
        let light = i64::from((i32::from(y) - self.black) * self.gain);
        let (cb, cr) = (i64::from(cb) - i64::from(NEUTRAL), i64::from(cr) - i64::from(NEUTRAL));
        self.chroma.map(|[b, r]| code(light + cb * i64::from(b) + cr * i64::from(r)))
    }

    /// The code of a sum of weighed components, which may have been kept from passing 32 bits: it is then beyond every code.
    #[inline(always)]
    pub fn code(sum: i32) -> u16 {
        (sum.saturating_add(HALF) >> BITS).clamp(0, TOP) as u16
    }

    /// R'G'B' of what is R, G and B already.
    pub fn rgb(&self, rgb: [u16; 3]) -> [u16; 3] {
        rgb.map(|value| code(i64::from((i32::from(value) - self.black) * self.gain)))
    }
}

fn code(sum: i64) -> u16 {
    ((sum + i64::from(HALF)) >> BITS).clamp(0, i64::from(TOP)) as u16
}

/// From R'G'B' to components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encode {
    /// What is black.
    pub black: i32,
    /// The distance from there to white.
    pub span: i32,
    /// How much R, G, B are of luma: exactly 2^14 together.
    pub luma: [i32; 3],
    /// Of Cb and of Cr: together nothing.
    pub chroma: [[i32; 3]; 2],
}

impl Encode {
    /// Of streams like `info`, whose matrix is stated unless it is RGB.
    pub fn new(info: &StreamInfo) -> Encode {
        let (black, span, width) = scale(info);
        let Some((kr, kb)) = luma_weights(info.color.matrix).filter(|_| info.format.model() == Model::Yuv) else {
            return Encode { black, span, luma: [0; 3], chroma: [[0; 3]; 2] };
        };
        let kg = 1.0 - kr - kb;
        let weight = |value: f64| libm::round(value * f64::from(1 << BITS)) as i32;
        let (red, blue) = (weight(kr), weight(kb));
        let chroma = |value: f64| weight(value * f64::from(width) / f64::from(TOP));
        let half = chroma(0.5);
        // What is rounded away is put on green, the largest of the others.
        let cb_red = chroma(-kr / (2.0 * (1.0 - kb)));
        let cr_blue = chroma(-kb / (2.0 * (1.0 - kr)));
        debug_assert!(kg > kr && kg > kb);
        Encode {
            black,
            span,
            luma: [red, (1 << BITS) - red - blue, blue],
            chroma: [[cb_red, -half - cb_red, half], [half, -half - cr_blue, cr_blue]],
        }
    }

    /// A code of R, G, B or luma, 0 to 65535, on the scale of the components.
    pub fn level(&self, code: u16) -> u16 {
        let scaled = (u64::from(code) * self.span as u64 + 32767) / TOP as u64;
        (self.black + scaled as i32) as u16
    }

    /// Luma of R'G'B'.
    pub fn y(&self, rgb: [u16; 3]) -> u16 {
        let sum: i32 = rgb.iter().zip(self.luma).map(|(code, weight)| i32::from(*code) * weight).sum();
        self.level(((sum + HALF) >> BITS) as u16)
    }

    /// Cb and Cr of R'G'B'.
    pub fn cbcr(&self, rgb: [u16; 3]) -> [u16; 2] {
        self.chroma.map(|row| {
            let sum: i32 = rgb.iter().zip(row).map(|(code, weight)| i32::from(*code) * weight).sum();
            (NEUTRAL + ((sum + HALF) >> BITS)).clamp(0, TOP) as u16
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filters::testing::digest;
    use crate::video::{Format, Range};

    fn stream(matrix: u8, depth: u8, range: Range) -> StreamInfo {
        let mut info = StreamInfo::bare(Format::yuv(0, 0, depth).unwrap(), 1, 1);
        (info.color.matrix, info.color.range) = (matrix, range);
        info
    }

    #[test]
    fn weights_are_the_same_on_every_platform() {
        let of = |(matrix, range): (u8, Range)| {
            let (decode, encode) = (Decode::new(&stream(matrix, 10, range)), Encode::new(&stream(matrix, 10, range)));
            let decoded = [decode.black, decode.gain].into_iter().chain(decode.chroma.into_iter().flatten());
            let encoded = encode.luma.into_iter().chain(encode.chroma.into_iter().flatten());
            decoded.chain(encoded).map(|value| i64::from(value).cast_unsigned()).collect::<Vec<_>>()
        };
        let all = [1, 5, 6, 7, 9].into_iter().flat_map(|matrix| [(matrix, Range::Full), (matrix, Range::Limited)]);
        assert_eq!(digest(all.flat_map(of)), 11135643937510592037);
    }

    #[test]
    fn black_white_and_greys_are_exact() {
        for (matrix, depth, range) in
            [1, 5, 7, 9].into_iter().flat_map(|m| [(m, 8, Range::Full), (m, 10, Range::Limited), (m, 16, Range::Full)])
        {
            let info = stream(matrix, depth, range);
            let (decode, encode) = (Decode::new(&info), Encode::new(&info));
            let (black, span, _) = scale(&info);
            assert_eq!(decode.ycbcr(black as u16, 32768, 32768), [0; 3]);
            assert_eq!(decode.ycbcr((black + span) as u16, 32768, 32768), [65535; 3]);
            assert_eq!([encode.y([0; 3]), encode.y([65535; 3])], [black, black + span].map(|v| v as u16));
            assert!((0..=u16::MAX).all(|grey| encode.cbcr([grey; 3]) == [32768; 2]));
        }
    }

    /// 100 % red of BT.709 in eight bits is 63, 102, 240, and of BT.2020 in ten 294, 387, 960.
    #[test]
    fn colours_that_the_standards_name() {
        let of = |matrix, depth: u8| {
            let encode = Encode::new(&stream(matrix, depth, Range::Limited));
            let (y, [cb, cr]) = (encode.y([65535, 0, 0]), encode.cbcr([65535, 0, 0]));
            [y, cb, cr].map(|v| (u32::from(v) + (1 << (15 - depth))) >> (16 - depth))
        };
        assert_eq!(of(1, 8), [63, 102, 240]);
        assert_eq!(of(9, 10), [294, 387, 960]);
    }

    /// Within 8 of 65535, everywhere in the cube: one code of 13 bits, and less than one of fewer.
    #[test]
    fn there_and_back_is_within_one_code() {
        for (matrix, depth, range) in [(1, 8, Range::Limited), (9, 10, Range::Limited), (5, 12, Range::Full)] {
            let info = stream(matrix, depth, range);
            let (decode, encode) = (Decode::new(&info), Encode::new(&info));
            let worst = (0..4096u32)
                .map(|i| {
                    let rgb = [i % 16, i / 16 % 16, i / 256].map(|part| (part * 4369) as u16);
                    let [cb, cr] = encode.cbcr(rgb);
                    let again = decode.ycbcr(encode.y(rgb), cb, cr);
                    (0..3).map(|c| rgb[c].abs_diff(again[c])).max().unwrap_or(0)
                })
                .max()
                .unwrap();
            assert!(worst <= 8, "{matrix}: {worst} of 16 bits");
        }
    }
}
