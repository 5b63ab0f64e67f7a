//! The options of the sound.

use crate::error::Result;
use crate::io::libav::{Input, Loudness, SoundCoding, SoundOptions, SoundRule, Tracks};
use clap::Args;

const SOUND: &str = "Sound";

/// The loudness of programmes in Europe, in LUFS (EBU R128).
const R128: &str = "-23";

/// How sound is handled.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = SOUND)]
pub struct SoundArgs {
    /// How sound is handled: auto, copy, none or CODEC[:BITRATE], as in opus:128k; of all tracks or some. Repeat for more
    ///
    /// TRACKS is a track's number among those of sound, from 1, a language by a code of ISO 639 (de, deu and ger are the same), or all. A number wins over a
    /// language and a language over all, so that "--audio eng=opus:128k --audio 2=copy --audio none" encodes what is English,
    /// copies the second track, and leaves the others out. auto copies what the container holds and encodes the rest as suits
    /// the container: aac in MP4 and MOV, opus in WebM. CODEC is opus, aac, flac, alac, mp3, ac3, pcm or any other of libav's
    /// names, also of an encoder; without BITRATE it is good by default. Sound that is encoded is cut to the sample.
    #[arg(long, value_name = "[TRACKS=]HOW", conflicts_with = "no_audio")]
    pub audio: Vec<SoundRule>,
    /// Mix tracks that have more channels down to this layout (stereo, mono, 5.1), so that nothing clips
    #[arg(long, value_name = "LAYOUT", conflicts_with = "no_audio")]
    pub audio_downmix: Option<String>,
    /// Delay sound by this time, or advance it if it is negative (120ms, -0.5s); of all tracks or some. Repeat for more
    ///
    /// Copied tracks move by whole packets' times, within what the container counts in. What is before the film's start is
    /// left out.
    #[arg(long, value_name = "[TRACKS=]TIME", conflicts_with = "no_audio", allow_hyphen_values = true,
          value_parser = parse_delay)]
    pub audio_delay: Vec<(Tracks, i64)>,
    /// Bring tracks to this loudness in LUFS (EBU R128; -23 if none is named), with true peaks under -1 dBTP
    ///
    /// The gain follows what is heard. With --loudness-two-pass it is one number for the whole track.
    #[arg(long, value_name = "LUFS", num_args = 0..=1, require_equals = true, default_missing_value = R128,
          conflicts_with = "no_audio", value_parser = parse_loudness)]
    pub loudness: Option<f64>,
    /// Measure each track first, by reading the input a second time, and then only amplify it
    ///
    /// The whole track is measured, also for a part of it, so that parts fit together. Where peaks do not allow the gain, it is
    /// less, with a warning.
    #[arg(long, requires = "loudness")]
    pub loudness_two_pass: bool,
}

impl SoundArgs {
    /// As an output is asked for it.
    pub fn options(&self, strict: bool) -> SoundOptions {
        let two_pass = self.loudness_two_pass;
        SoundOptions {
            rules: self.audio.clone(),
            otherwise: SoundCoding::Auto,
            downmix: self.audio_downmix.clone(),
            loudness: self.loudness.map(|target| Loudness { target, two_pass }),
            strict,
        }
    }

    /// Whether every rule leaves its tracks out, and one of them all.
    pub fn leaves_all_out(&self) -> bool {
        let is_none = |rule: &SoundRule| rule.coding == SoundCoding::None;
        self.audio.iter().all(is_none) && self.audio.iter().any(|rule| rule.tracks == Tracks::All)
    }

    /// Moves the sound of `input`.
    ///
    /// # Errors
    /// When it has no such track.
    pub fn delay(&self, input: &mut Input) -> Result<()> {
        self.audio_delay.iter().try_for_each(|(tracks, delay)| input.delay_sound(tracks, *delay))
    }
}

fn parse_loudness(text: &str) -> Result<f64, String> {
    let target = text.parse().ok().filter(|target| (-70.0..=-5.0).contains(target));
    target.ok_or_else(|| "a loudness is from -70 to -5 LUFS".to_owned())
}

/// "eng=120ms" as tracks and microseconds.
fn parse_delay(text: &str) -> Result<(Tracks, i64), String> {
    let (tracks, time) = match text.split_once('=') {
        Some((tracks, time)) => (tracks.parse()?, time),
        None => (Tracks::All, text),
    };
    let (number, unit) = match time.strip_suffix("ms") {
        Some(number) => (number, 1e3),
        None => (time.strip_suffix('s').unwrap_or(time), 1e6),
    };
    let delay = number.trim().parse::<f64>().ok().map(|number| number * unit).filter(|delay| delay.abs() <= 3.6e9);
    let delay = delay.ok_or_else(|| format!("'{time}' is no time of an hour at most: write one as 120ms or -0.5s"))?;
    Ok((tracks, delay.round() as i64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_are_read() {
        assert_eq!(parse_delay("120ms"), Ok((Tracks::All, 120_000)));
        assert_eq!(parse_delay("1=-0.5s"), Ok((Tracks::Number(1), -500_000)));
        assert_eq!(parse_delay("eng=2"), Ok((Tracks::Language("eng".parse().unwrap()), 2_000_000)));
        for wrong in ["", "ms", "1=", "x=y", "4000s", "nans", "0=1s"] {
            assert!(parse_delay(wrong).is_err(), "{wrong}");
        }
        assert!(parse_loudness("-23").is_ok() && parse_loudness("0").is_err() && parse_loudness("nan").is_err());
    }
}
