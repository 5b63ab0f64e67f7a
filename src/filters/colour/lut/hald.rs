//! HaldCLUT: a square picture of level n has n³ × n³ pixels, the colours of a cube with an edge of n², red fastest.

use super::{Lut, MOST_EDGE};
use crate::error::{Error, Result};
use png::{BitDepth, ColorType, Decoder, Limits, Transformations};
use std::io::Cursor;

/// The table in a PNG picture of 8 or 16 bits.
pub(super) fn parse(bytes: &[u8]) -> Result<Lut> {
    let damaged =
        |error: png::DecodingError| Error::corrupt(format!("the picture cannot be read: {error}").replace('\n', " "));
    let most = 8 * MOST_EDGE * MOST_EDGE * MOST_EDGE;
    let mut decoder = Decoder::new_with_limits(Cursor::new(bytes), Limits { bytes: 2 * most });
    decoder.set_transformations(Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(damaged)?;
    let (width, height) = reader.info().size();
    let level = level_of(width, height)?;
    let size = reader.output_buffer_size().filter(|size| *size <= most);
    let mut samples = vec![0; size.ok_or_else(|| Error::corrupt("the picture is too large"))?];
    let frame = reader.next_frame(&mut samples).map_err(damaged)?;
    let channels = match frame.color_type {
        ColorType::Rgb => 3,
        ColorType::Rgba => 4,
        _ => return Err(Error::corrupt("a HaldCLUT is a picture in colour, and this one is grey")),
    };
    let edge = level * level;
    let values = match frame.bit_depth {
        BitDepth::Sixteen => {
            let code = |two: &[u8]| f32::from(u16::from_be_bytes([two[0], two[1]])) / 65535.0;
            samples.chunks_exact(2 * channels).map(|pixel| [0, 2, 4].map(|at| code(&pixel[at..]))).collect()
        }
        _ => samples.chunks_exact(channels).map(|pixel| [0, 1, 2].map(|at| f32::from(pixel[at]) / 255.0)).collect(),
    };
    Ok(Lut::of_cube(edge, values))
}

/// The level of a picture of this size.
fn level_of(width: u32, height: u32) -> Result<usize> {
    let of_edge = |level: usize| (level * level <= MOST_EDGE).then_some((level * level * level) as u32);
    let found = (2..).map_while(|level| of_edge(level).map(|side| (level, side)));
    found.into_iter().find(|(_, side)| (width, height) == (*side, *side)).map(|(level, _)| level).ok_or_else(|| {
        Error::corrupt(format!("{width}x{height} is no HaldCLUT's size: level 8 is 512x512, level 12 is 1728x1728"))
    })
}
