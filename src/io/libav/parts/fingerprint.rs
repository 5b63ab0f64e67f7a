//! What an encoder makes of a few pictures that are the same everywhere: so another build of it is known before it is used.

use crate::error::{Error, Result};
use crate::io::libav::encode::choose::EncoderChoice;
use crate::io::libav::encode::encoder::{Encoder, Received};
use crate::io::libav::encode::setup::EncoderJob;
use crate::io::libav::encode::timebase::rescale;
use crate::io::libav::options::OutputOptions;
use crate::pipeline::Frame;
use crate::video::{FrameProps, Picture, Rational, SideData, StreamInfo};
use twox_hash::XxHash3_128;

/// Pictures that are encoded: more than the usual encoders look ahead for B-frames.
const FRAMES: u64 = 12;

/// The largest picture: enough for every tool of an encoder, and done in a moment.
const LARGEST: (usize, usize) = (640, 360);

/// XXH3 of 128 bits of what the encoder `choice` with `options` makes of a few pictures like those of `info`, but smaller.
///
/// # Errors
/// When the encoder does not open, or fails.
pub fn fingerprint(
    choice: &EncoderChoice,
    options: &OutputOptions,
    info: &StreamInfo,
    side_data: &[SideData],
) -> Result<u128> {
    let (width, height) = (info.width.min(LARGEST.0), info.height.min(LARGEST.1));
    let small = StreamInfo { width, height, ..info.clone() };
    // The pictures lie in host memory, wherever the film's do.
    let mut options = options.clone();
    #[cfg(feature = "cuda")]
    {
        options.device = None;
    }
    options.pass = None;
    let mut encoder = Encoder::open(EncoderJob { choice, options: &options, info: &small, side_data })?;
    let mut hasher = XxHash3_128::new();
    let rate = info.frame_rate;
    for number in 0..FRAMES {
        let pts = match rate.value() {
            Some(_) => rescale(number as i64, Rational::new(rate.den, rate.num), info.timebase),
            None => number as i64,
        };
        let picture = picture(&small, number)?;
        encoder.send(Frame { props: FrameProps { frame_index: number, ..FrameProps::default() }, picture }, pts)?;
        drain(&mut encoder, &mut hasher)?;
    }
    encoder.end()?;
    drain(&mut encoder, &mut hasher)?;
    hasher.write(super::extradata(&encoder));
    Ok(hasher.finish_128())
}

fn drain(encoder: &mut Encoder, hasher: &mut XxHash3_128) -> Result<()> {
    while let Received::Packet(packet) = encoder.receive()? {
        let pts =
            packet.pts().ok_or_else(|| Error::unsupported("the encoder states no times: parts cannot be joined"))?;
        hasher.write(&pts.to_le_bytes());
        hasher.write(packet.data().unwrap_or_default());
    }
    Ok(())
}

/// Slopes that move, a square that moves against them, and noise: integers alone, so that they are the same everywhere.
fn picture(info: &StreamInfo, number: u64) -> Result<Picture> {
    let mut picture = Picture::alloc(info.format, info.width, info.height)?;
    let depth = u32::from(info.format.bit_depth());
    let mut noise = 0x9e37_79b9_u32 ^ number as u32;
    for (component, mut plane) in picture.planes_mut().into_views().enumerate() {
        let (shift, square) = (number as usize * 3, number as usize * 5);
        for y in 0..plane.height() {
            for x in 0..plane.width() {
                noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let slope = (2 * x + y + shift) as u32 & 0xff;
                let inside = (square..square + 48).contains(&x) && (24..72).contains(&y);
                let value = if inside { 0xe0 - 0x20 * component as u32 } else { 16 + slope * 3 / 4 + (noise >> 29) };
                // As many bits as the format has, of a number of 8.
                let value = (value.min(0xff) << 8 | noise >> 24) >> (16 - depth);
                plane.set(x, y, value as i32);
            }
        }
    }
    Ok(picture)
}
