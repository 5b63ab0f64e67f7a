//! Streams of the header, and the chain's.

use super::abi::{self, DEPTH_FLOAT as FLOAT, DEPTH_HALF as HALF, Stream};
use crate::editor::colours::Colours;
use crate::editor::image::Depth;
use crate::host_port::{Pixels, Storage};
use vramp::error::{Error, Result};
use vramp::video::{ColorInfo, Format, Layout, Model, Range, StreamInfo};

/// The longest side of a picture, and the most samples: libav's own limits.
const MOST: (i32, i64) = (65_535, 1 << 28);

/// What chains see of RGBA, by the header's flags.
#[derive(Clone, Copy, Debug, Default)]
pub struct RgbaUse {
    colours: Colours,
    is_premultiplied: bool,
}

impl RgbaUse {
    /// # Errors
    /// For flags that the header does not have.
    pub fn of(flags: u32) -> Result<RgbaUse> {
        let has = |flag: i32| flags & flag as u32 != 0;
        if flags >= 8 {
            return Err(Error::bad_argument(format!("rgba is {flags:#x}: it takes VRAMP_RGBA_* alone")));
        }
        let colours = Colours { ycbcr: has(abi::RGBA_YCBCR), linear: has(abi::RGBA_LINEAR) };
        Ok(RgbaUse { colours, is_premultiplied: has(abi::RGBA_PREMULTIPLIED) })
    }
}

/// How pictures of `layout` and `bit_depth` are stored.
///
/// # Errors
/// For values that the header does not have, and pairs of them that do not exist.
pub fn storage(layout: i32, bit_depth: i32, rgba: RgbaUse) -> Result<Storage> {
    if layout == abi::RGBA {
        let depth = match bit_depth {
            8 => Depth::Byte,
            16 => Depth::Short,
            HALF => Depth::Half,
            FLOAT => Depth::Float,
            _ => return Err(no_depth(layout, bit_depth)),
        };
        return Ok(Storage::Rgba(Pixels::new(depth, rgba.colours, rgba.is_premultiplied)?));
    }
    let depth = if bit_depth == FLOAT { 16 } else { u8::try_from(bit_depth).unwrap_or(0) };
    let format = match layout {
        abi::GRAY => Format::gray(depth),
        abi::YUV420 => Format::yuv(1, 1, depth),
        abi::YUV422 => Format::yuv(1, 0, depth),
        abi::YUV444 => Format::yuv(0, 0, depth),
        abi::RGB => Format::rgb(depth),
        abi::NV12 => Format::semi_planar(depth),
        abi::YC48 => Ok(Format::YC48),
        _ => return Err(Error::bad_argument(format!("there is no layout {layout}"))),
    };
    // In the caller's terms: a float's 16 bits are ours.
    let format = format.map_err(|_| no_depth(layout, bit_depth))?;
    match (layout, bit_depth) {
        (abi::GRAY..=abi::RGB, FLOAT) => Ok(Storage::Float(format)),
        (abi::YC48, 12) | (abi::GRAY..=abi::NV12, _) if bit_depth != FLOAT => Ok(Storage::Plain(format)),
        _ => Err(no_depth(layout, bit_depth)),
    }
}

fn no_depth(layout: i32, bit_depth: i32) -> Error {
    let depths = match layout {
        abi::NV12 => "8, 10, 12 or 16",
        abi::RGBA => "8, 16, VRAMP_DEPTH_HALF or VRAMP_DEPTH_FLOAT",
        abi::YC48 => "12",
        _ => "8 to 16, or 32 for float",
    };
    Error::bad_argument(format!("layout {layout} has no bit depth of {bit_depth}: it has {depths}"))
}

/// The chain's stream, and how the caller stores it.
///
/// # Errors
/// For values that are out of their range.
pub fn stream(stream: &Stream, rgba: RgbaUse) -> Result<(StreamInfo, Storage)> {
    let Stream { layout, bit_depth, range, width, height, .. } = *stream;
    let storage = storage(layout, bit_depth, rgba)?;
    let (longest, most) = MOST;
    let fits = |side| (1..=longest).contains(&side);
    if !fits(width) || !fits(height) || i64::from(width) * i64::from(height) > most {
        return Err(Error::bad_argument(format!(
            "a picture of {width}x{height}: sides go from 1 to {longest}, and {most} samples are the most"
        )));
    }
    let range = match range {
        abi::RANGE_UNSPECIFIED => Range::Unspecified,
        abi::RANGE_LIMITED => Range::Limited,
        abi::RANGE_FULL => Range::Full,
        _ => return Err(Error::bad_argument(format!("there is no range {range}"))),
    };
    let color = match storage {
        Storage::Rgba(pixels) if !pixels.inside().is_codes() => {
            if range == Range::Limited {
                return Err(Error::bad_argument("RGBA that is filtered as numbers or as YCbCr is full range"));
            }
            pixels.inside().color()
        }
        _ => ColorInfo { range, ..ColorInfo::default() },
    };
    let info = StreamInfo { color, ..StreamInfo::bare(storage.format(), width as usize, height as usize) };
    Ok((info, storage))
}

/// How the header describes what the caller stores as `storage`.
pub fn describe(info: &StreamInfo, storage: Storage) -> Stream {
    let format = storage.format();
    let layout = match (storage, format.layout(), format.model(), format.subsampling_w(), format.subsampling_h()) {
        (Storage::Rgba(_), ..) => abi::RGBA,
        (_, Layout::Packed, ..) => abi::YC48,
        (_, Layout::SemiPlanar, ..) => abi::NV12,
        (_, _, Model::Gray, ..) => abi::GRAY,
        (_, _, Model::Rgb, ..) => abi::RGB,
        (_, _, Model::Yuv, 1, 1) => abi::YUV420,
        (_, _, Model::Yuv, 1, _) => abi::YUV422,
        (_, _, Model::Yuv, ..) => abi::YUV444,
    };
    let (bit_depth, range) = match storage {
        Storage::Float(_) => (FLOAT, info.color.range),
        Storage::Plain(_) => (format.bit_depth().into(), info.color.range),
        // What the chain has is its own affair.
        Storage::Rgba(pixels) => {
            (depth_of(pixels), if pixels.inside().is_codes() { info.color.range } else { Range::Full })
        }
    };
    let range = match range {
        Range::Unspecified => abi::RANGE_UNSPECIFIED,
        Range::Limited => abi::RANGE_LIMITED,
        Range::Full => abi::RANGE_FULL,
    };
    let (width, height) = (info.width as i32, info.height as i32);
    Stream { struct_size: size_of::<Stream>() as u32, layout, bit_depth, range, width, height }
}

fn depth_of(pixels: Pixels) -> i32 {
    match pixels.depth {
        Depth::Byte => 8,
        Depth::Short => 16,
        Depth::Half => HALF,
        Depth::Float => FLOAT,
    }
}

/// How the result is stored: as `layout` and `bit_depth` ask where they are not 0. `None` leaves it to the chain.
///
/// # Errors
/// As [`storage`], and for a layout of other components than the input's.
pub fn result(input: Storage, layout: i32, bit_depth: i32, rgba: RgbaUse) -> Result<Option<Storage>> {
    let own = match (input, input.format().layout()) {
        (Storage::Rgba(_), _) => abi::RGBA,
        (_, Layout::Packed) => abi::YC48,
        _ => describe(&StreamInfo::bare(planar(input.format())?, 1, 1), Storage::Plain(planar(input.format())?)).layout,
    };
    let asked = if layout == abi::LAYOUT_DEFAULT { own } else { layout };
    let depth = match (bit_depth, input) {
        (0, Storage::Float(_)) => FLOAT,
        (0, Storage::Rgba(pixels)) if asked == abi::RGBA => depth_of(pixels),
        (0, _) if asked == abi::RGBA => 8,
        (0, _) if asked == abi::YC48 => 12,
        (0, _) if layout == abi::LAYOUT_DEFAULT => return Ok(None),
        (0, _) => return Err(Error::bad_argument("output_layout needs an output_bit_depth beside it")),
        _ => bit_depth,
    };
    let result = storage(asked, depth, rgba)?;
    match (result, input) {
        (Storage::Rgba(_), Storage::Rgba(_)) if result != input => {
            Err(Error::unsupported("RGBA comes out in the depth that it went in"))
        }
        (Storage::Rgba(_), Storage::Plain(_) | Storage::Float(_)) => {
            Err(Error::unsupported("RGBA comes of RGBA alone: other sources have no alpha"))
        }
        _ => Ok(Some(result)),
    }
}

fn planar(format: Format) -> Result<Format> {
    format.to_planar(format.bit_depth())
}
