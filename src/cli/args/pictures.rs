//! The options of still pictures and of numbered sequences.

use crate::io::libav::Missing;
use crate::video::Rational;
use clap::{Args, ValueEnum};

const PICTURES: &str = "Pictures (IN: shot_%04d.png, 'shots/*.png' or a folder; OUT: shot_%05d.png, or one.png)";

/// Frame rates that people write with a point, though they are none of those exactly.
const NTSC: [(&str, i32); 6] = [
    ("23.976", 24_000),
    ("23.98", 24_000),
    ("29.97", 30_000),
    ("47.952", 48_000),
    ("59.94", 60_000),
    ("119.88", 120_000),
];

/// How sequences are read.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = PICTURES)]
pub struct PictureInput {
    /// Pictures a second of the input: 24, 24000/1001, 23.976 (by default 25)
    ///
    /// For pictures, and for bare streams that state no times. Other inputs have times of their own, and refuse it.
    #[arg(long, value_name = "RATE", value_parser = parse_rate)]
    pub fps: Option<Rational>,
    /// How numbers that a sequence leaves out are handled
    #[arg(long, value_name = "WHAT", default_value = "error")]
    pub missing: MissingChoice,
}

/// How sequences are written.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = PICTURES)]
pub struct PictureNumbers {
    /// The number of the first picture that is written (by default 1)
    #[arg(long, value_name = "N")]
    pub start_number: Option<u32>,
}

/// How numbers that a sequence leaves out are handled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum MissingChoice {
    /// Fail.
    #[default]
    Error,
    /// The picture before is repeated.
    Hold,
    /// The next picture follows at once.
    Skip,
}

impl From<MissingChoice> for Missing {
    fn from(choice: MissingChoice) -> Missing {
        match choice {
            MissingChoice::Error => Missing::Refuse,
            MissingChoice::Hold => Missing::Hold,
            MissingChoice::Skip => Missing::Skip,
        }
    }
}

/// Reads a frame rate.
fn parse_rate(text: &str) -> Result<Rational, &'static str> {
    const WRONG: &str = "it must be a number of pictures a second from 0.001 to 1000, or two with a slash (24000/1001)";
    /// Decimals that are kept.
    const MILLI: i32 = 1000;
    if let Some((_, num)) = NTSC.iter().find(|(known, _)| *known == text) {
        return Ok(Rational::new(*num, 1001));
    }
    let rate = match text.split_once('/') {
        Some((num, den)) => num.parse().ok().zip(den.parse().ok()).map(|(num, den)| Rational::new(num, den)),
        None if text.bytes().all(|byte| byte.is_ascii_digit()) => text.parse().ok().map(|num| Rational::new(num, 1)),
        None => text.parse::<f64>().ok().map(|rate| Rational::new((rate * f64::from(MILLI)).round() as i32, MILLI)),
    };
    let is_sane = |rate: &Rational| {
        rate.num > 0 && rate.den > 0 && rate.value().is_some_and(|value| (0.001..=1000.0).contains(&value))
    };
    rate.filter(is_sane).ok_or(WRONG)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_read() {
        for (text, num, den) in [
            ("24", 24, 1),
            ("24000/1001", 24_000, 1001),
            ("23.976", 24_000, 1001),
            ("29.97", 30_000, 1001),
            ("12.5", 12_500, 1000),
            ("1/10", 1, 10),
        ] {
            let rate = parse_rate(text).unwrap();
            assert_eq!((rate.num, rate.den), (num, den), "{text}");
        }
        for text in ["", "0", "-24", "24/0", "/", "1001", "nan", "inf", "1e9", "24fps"] {
            assert!(parse_rate(text).is_err(), "{text}");
        }
    }
}
