//! Whether there is memory for an encoder, asked before it is opened: some that run out of it hang, or crash.

use crate::error::{Error, Kind, Result};
use crate::io::libav::encode::setup::EncoderJob;
use crate::video::StreamInfo;

/// Pictures that an encoder holds at once where it looks ahead, its own copies and references among them, by its name.
const HELD: [(&str, usize); 5] =
    [("libx264", 48), ("libx265", 40), ("libsvtav1", 40), ("libaom-av1", 40), ("libvpx-vp9", 32)];

/// The same for all others, and for the run around an encoder.
const HELD_BY_OTHERS: usize = 8;

/// What x265 holds whatever the size: threads, with a heap and tables each. It crashes where that runs out.
const AROUND_X265: usize = 448 << 20;

/// Memory is asked for in pieces: an allocator gives these back at once, and no system takes one for a mistake.
const PIECE: usize = 64 << 20;

/// Makes sure that what the encoder of `job` will hold can be had. Nothing of it is touched, and all is given back.
///
/// # Errors
/// [`Kind::OutOfMemory`] when the system refuses it.
pub(in crate::io::libav) fn check(job: EncoderJob<'_>) -> Result<()> {
    let name = job.choice.encoder();
    let held = HELD.iter().find(|(encoder, _)| *encoder == name).map_or(HELD_BY_OTHERS, |(_, held)| *held);
    let around = if name == "libx265" { AROUND_X265 } else { 0 };
    let bytes = picture_bytes(job.info).saturating_mul(held).saturating_add(around);
    if has(bytes) {
        return Ok(());
    }
    let StreamInfo { width, height, format, .. } = job.info;
    let mib = bytes.div_ceil(1 << 20);
    Err(Error::new(
        Kind::OutOfMemory,
        format!("no memory for {name} ({width}x{height} {format}): it takes about {mib} MiB, which cannot be had"),
    ))
}

/// Bytes of one picture.
fn picture_bytes(info: &StreamInfo) -> usize {
    let format = info.format;
    let sample = if format.bit_depth() > 8 { 2 } else { 1 };
    let sizes = (0..format.components()).map(|component| format.component_size(component, info.width, info.height));
    sizes.map(|(width, height)| width.saturating_mul(height).saturating_mul(sample)).fold(0, usize::saturating_add)
}

/// Whether the system gives `bytes` now.
fn has(bytes: usize) -> bool {
    let mut pieces: Vec<Vec<u8>> = Vec::new();
    (0..bytes.div_ceil(PIECE)).all(|_| {
        let mut piece = Vec::new();
        let got = piece.try_reserve_exact(PIECE).is_ok();
        pieces.push(piece);
        got
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_measured() {
        let bytes = |format: &str| picture_bytes(&StreamInfo::bare(format.parse().unwrap(), 7, 5));
        assert_eq!([bytes("yuv420p"), bytes("yuv420p10"), bytes("gray8"), bytes("yuv444p")], [59, 118, 35, 105]);
    }
}
