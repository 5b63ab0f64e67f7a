use super::super::canvas::premultiply;
use super::*;
use crate::video::{ChromaLocation, Range};

fn color(matrix: u8, range: Range, location: u8) -> ColorInfo {
    ColorInfo { matrix, range, chroma_location: ChromaLocation(Some(location)), ..ColorInfo::default() }
}

/// A picture of 8×4, all samples `fill`, with one colour over the pixels of `area` (columns, rows).
fn drawn(format: &str, color: &ColorInfo, fill: u16, rgb: [u16; 3], coverage: u16, area: [Range8; 2]) -> Picture {
    let format: Format = format.parse().unwrap();
    let mut picture = Picture::alloc(format, 8, 4).unwrap();
    let mut planes = picture.planes_mut();
    for component in 0..planes.len() {
        let plane = planes.get_mut(component);
        let (width, height) = (plane.width(), plane.height());
        (0..height).for_each(|y| (0..width).for_each(|x| plane.set_v16(x, y, fill)));
    }
    let mut canvas = Canvas::new(8, 4);
    for y in area[1].clone() {
        area[0].clone().for_each(|x| canvas.over(x, y, premultiply(rgb, coverage)));
    }
    let mut overlay = Overlay::new(format, color, 4, None).unwrap();
    overlay.set(&canvas);
    overlay.draw(&mut picture);
    picture
}

type Range8 = std::ops::Range<i64>;
const ALL: [Range8; 2] = [0..8, 0..4];

/// The samples of a component's first row, in the format's own bits.
fn row(picture: &Picture, component: usize) -> Vec<u16> {
    let planes = picture.planes();
    let (plane, depth) = (planes[component], picture.format().bit_depth());
    (0..plane.width()).map(|x| plane.v16(x, 0) >> (16 - depth)).collect()
}

#[test]
fn white_and_black_are_the_formats_own() {
    for (format, range, white, black, middle) in [
        ("yuv420p", Range::Limited, 235, 16, 128),
        ("yuv422p10", Range::Limited, 940, 64, 512),
        ("yuv444p12", Range::Full, 4095, 0, 2048),
        ("yuv420p16", Range::Full, 65535, 0, 32768),
        ("p010", Range::Limited, 940, 64, 512),
        ("nv12", Range::Unspecified, 235, 16, 128),
        ("gray8", Range::Full, 255, 0, 0),
        ("gbrp10", Range::Unspecified, 1023, 0, 0),
        ("gbrp", Range::Limited, 235, 16, 0),
    ] {
        for matrix in [1, 5, 6, 7, 9, 2] {
            for (rgb, expected) in [([ONE; 3], white), ([0; 3], black)] {
                let picture = drawn(format, &color(matrix, range, 0), 0x5500, rgb, ONE, ALL);
                for component in 0..picture.format().components() {
                    let expected = if picture.format().is_chroma(component) { middle } else { expected };
                    assert!(row(&picture, component).iter().all(|v| *v == expected), "{format} {matrix} {component}");
                }
            }
        }
    }
}

#[test]
fn colours_are_rounded_from_exact_values() {
    // BT.709 in 10 bits: Y = 64 + 876·0.7152 = 690.5, Cb = 512 − 896·0.7152/1.8556 = 166.66, Cr = 512 − 896·0.7152/1.5748 = 105.08.
    let green = drawn("yuv444p10", &color(1, Range::Limited, 0), 0, [0, ONE, 0], ONE, ALL);
    assert_eq!([0, 1, 2].map(|component| row(&green, component)[0]), [691, 167, 105]);
    // Half of white over 100 in full range: 100·(1 − 32768/65535) + 255·32768/65535 = 177.50.
    let grey = drawn("gray8", &color(1, Range::Full, 0), 100 << 8, [ONE; 3], 32768, ALL);
    assert_eq!(row(&grey, 0)[0], 178);
}

#[test]
fn chroma_is_the_mean_over_its_own_area() {
    // Blue over columns 3 and 4: full range Cb is 128 beneath and 255 of blue alone, and coverage of each sample is known
    // by how far it went. Left: weights 1 2 1 about columns 0 2 4 6. Centre: 1 1 about 0.5 2.5 4.5 6.5.
    let share = |location: u8, format: &str| {
        let picture = drawn(format, &color(1, Range::Full, location), 0x8000, [0, 0, ONE], ONE, [3..5, 0..4]);
        let cb = row(&picture, 1);
        cb.iter().map(|cb| (f64::from(*cb) - 128.0) / 127.5).collect::<Vec<_>>()
    };
    let near =
        |got: Vec<f64>, want: [f64; 4]| assert!(got.iter().zip(want).all(|(a, b)| (a - b).abs() < 0.005), "{got:?}");
    near(share(0, "yuv420p"), [0.0, 0.25, 0.75, 0.0]);
    near(share(0, "yuv422p"), [0.0, 0.25, 0.75, 0.0]);
    near(share(1, "yuv420p"), [0.0, 0.5, 0.5, 0.0]);
    // Down: one row of blue, the second, met by the first chroma row wholly when it sits at the top's bottom.
    for (location, expected) in [(0, 0.5), (2, 0.25), (4, 0.5)] {
        let picture = drawn("yuv420p", &color(1, Range::Full, location), 0x8000, [0, 0, ONE], ONE, [0..8, 1..2]);
        assert!((f64::from(row(&picture, 1)[1]) - 128.0 - 127.5 * expected).abs() < 0.6, "{location}");
    }
}

#[test]
fn what_is_not_covered_stays() {
    let picture = drawn("yuv420p", &color(1, Range::Limited, 0), 0x4200, [ONE; 3], ONE, [2..4, 0..2]);
    assert_eq!(row(&picture, 0), [66, 66, 235, 235, 66, 66, 66, 66]);
    assert_eq!(picture.planes()[0].v16(2, 2), 0x4200);
    assert_eq!(
        Overlay::new(picture.format(), &color(14, Range::Limited, 0), 4, None).err().unwrap().kind(),
        crate::error::Kind::Unsupported
    );
}
