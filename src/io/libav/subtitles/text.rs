//! Subtitles that are text, drawn by libass.

use super::blend::Luma;
use super::canvas::{Canvas, premultiply};
use super::colour::Colours;
use super::decoder::Decoder;
use super::libass::{DrawSize, Font, Glyphs, Script};
use super::track::Track;
use crate::error::{Error, Result};
use crate::io::libav::seek::window::ticks_to_microseconds;
use ffmpeg_next::ffi::AVCodecID;

/// A script, ready to be drawn.
pub(super) struct TextTrack {
    script: Script,
    colours: Colours,
}

impl TextTrack {
    /// Reads the lines of `track` into a script, with `fonts` beside the system's. Those that cannot be read are left out, and
    /// that is said.
    ///
    /// # Errors
    /// When there is no libass, or none of the lines can be read; when `strict`, if one cannot.
    pub(super) fn new(
        track: &Track,
        fonts: &[Font],
        frame: DrawSize,
        colours: Colours,
        strict: bool,
    ) -> Result<TextTrack> {
        let mut decoder = Decoder::open(&track.parameters, track.timebase)?;
        let mut script = Script::new(decoder.header(), fonts, frame)?;
        let mut damaged = Vec::new();
        for packet in &track.packets {
            match decoder.decode(packet) {
                Ok(Some(shown)) => {
                    let (Some(start), Some(duration)) = (shown.start(), shown.duration()) else { continue };
                    for line in shown.lines() {
                        // Times of text are milliseconds.
                        script.add(line.to_bytes(), start.div_euclid(1000), duration)?;
                    }
                }
                Ok(None) => {}
                Err(_) => damaged.push(packet),
            }
        }
        if let Some(first) = damaged.first() {
            let (count, all) = (damaged.len(), track.packets.len());
            let time = ticks_to_microseconds(first.pts().unwrap_or(0), track.timebase) - track.origin;
            let line = format!(
                "{count} of {all} subtitles cannot be read, the first at {:.3} s: is the text UTF-8? (iconv -f CHARSET -t \
                 UTF-8 converts it)",
                time as f64 / 1e6
            );
            if strict || count == all {
                return Err(Error::corrupt(line));
            }
            log::warn!("--burn-subtitles: {line}");
        }
        Ok(TextTrack { script, colours })
    }

    /// Draws what is shown at `time`, in microseconds of the track's own times. False when nothing changed.
    pub(super) fn draw(&mut self, time: i64, canvas: &mut Canvas) -> bool {
        let TextTrack { script, colours } = self;
        let mut is_clear = false;
        let changed = script.draw(time.div_euclid(1000), |glyphs| {
            if !std::mem::replace(&mut is_clear, true) {
                canvas.clear();
            }
            draw(glyphs, colours, canvas);
        });
        if changed && !is_clear {
            canvas.clear();
        }
        changed
    }
}

fn draw(glyphs: Glyphs<'_>, colours: &mut Colours, canvas: &mut Canvas) {
    let color = colours.of(glyphs.color);
    // What a coverage of 0 to 255 makes, at this opacity.
    let opacity = u32::from(glyphs.opacity);
    let pixels: Vec<_> = (0..256u32)
        .map(|coverage| premultiply(color, ((coverage * opacity * 65535 + 65025 / 2) / 65025) as u16))
        .collect();
    for (y, row) in (glyphs.y..).zip(glyphs.rows) {
        for (x, coverage) in (glyphs.x..).zip(&row[..glyphs.width.min(row.len())]) {
            canvas.over(x, y, pixels[usize::from(*coverage)]);
        }
    }
}

/// Whether the track is a script of its own, drawn for the film's own pixels, rather than plain text that was turned into one.
pub(super) fn is_script(track: &Track) -> bool {
    // SAFETY: the parameters are alive.
    let codec = unsafe { (*track.parameters.as_ptr()).codec_id };
    matches!(codec, AVCodecID::AV_CODEC_ID_ASS | AVCodecID::AV_CODEC_ID_SSA)
}

/// The matrix by which a script's colours become luma and chroma, where its header says (`YCbCr Matrix`).
pub(super) fn luma(track: &Track) -> Option<Luma> {
    if !is_script(track) {
        return None;
    }
    let decoder = Decoder::open(&track.parameters, track.timebase).ok()?;
    luma_of(&String::from_utf8_lossy(decoder.header()))
}

fn luma_of(header: &str) -> Option<Luma> {
    let stated = header.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        key.trim().eq_ignore_ascii_case("YCbCr Matrix").then(|| value.trim().to_ascii_uppercase())
    })?;
    match stated.split_once('.')?.1 {
        "601" => Some(Luma::BT601),
        "709" => Some(Luma::BT709),
        "240M" => Some(Luma::SMPTE240M),
        "FCC" => Some(Luma::FCC),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_states_its_matrix() {
        assert_eq!(luma_of("[Script Info]\r\nYCbCr Matrix: TV.601\r\n"), Some(Luma::BT601));
        assert_eq!(luma_of("ycbcr matrix:PC.709"), Some(Luma::BT709));
        assert_eq!(luma_of("YCbCr Matrix: None\nPlayResX: 640"), None);
        assert_eq!(luma_of(""), None);
    }
}
