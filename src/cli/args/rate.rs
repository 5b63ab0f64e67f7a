//! How many bits the video gets: the options beside --crf and --bitrate.

use super::ENCODING;
use clap::Args;

/// The largest amount of film grain, which AV1's encoders share.
const MOST_GRAIN: i64 = 50;

/// The coarsest quantiser of any encoder.
const LAST_QUANTISER: i64 = 255;

/// Rate control in one word each.
#[derive(Clone, Debug, Default, Args)]
pub struct RateArgs {
    /// Constant quantiser, on the encoder's own scale
    #[arg(long, value_name = "N", help_heading = ENCODING, allow_negative_numbers = true,
          value_parser = clap::value_parser!(i64).range(0..=LAST_QUANTISER),
          conflicts_with_all = ["crf", "bitrate", "target_size"])]
    pub qp: Option<i64>,
    /// Size of the whole output, sound included, as in 700M (k, M and G count by 1000; Ki, Mi and Gi by 1024)
    ///
    /// What the other streams and the container take is measured and subtracted; the rest, over the duration of the part that is
    /// run, is the video's bit rate. Encoders that have two passes get two. The input is read a second time for it.
    #[arg(long, value_name = "SIZE", help_heading = ENCODING, value_parser = parse_size,
          conflicts_with_all = ["crf", "bitrate"])]
    pub target_size: Option<u64>,
    /// Encode twice with --bitrate or --target-size: the first pass measures, the second spends the bits where they are needed
    ///
    /// Both passes decode and filter. The second stops, without an output, at the first frame that is not the same as in the
    /// first.
    #[arg(long, help_heading = ENCODING, conflicts_with_all = ["crf", "qp"])]
    pub two_pass: bool,
    /// Have decoders add synthetic grain, 0 to 50, modelled on the source's (libsvtav1, libaom-av1)
    #[arg(long, value_name = "N", help_heading = ENCODING, allow_negative_numbers = true,
          value_parser = clap::value_parser!(u8).range(0..=MOST_GRAIN))]
    pub film_grain: Option<u8>,
}

/// Takes a bit rate, which libav reads, if it is more than nothing: encoders take 0 for a rate of their own.
pub(super) fn parse_bit_rate(text: &str) -> Result<String, &'static str> {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    match text[..digits].parse::<f64>() {
        Ok(number) if number <= 0.0 => Err("it must be more than 0, as 4M"),
        _ => Ok(text.to_owned()),
    }
}

/// Reads a number of bytes, "700M", "1.5GiB".
fn parse_size(text: &str) -> Result<u64, &'static str> {
    const WRONG: &str = "it must be a size, as 700M, 1.5G or 650Mi";
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let unit = match unit.strip_suffix(['B', 'b']).unwrap_or(unit) {
        "" => 1.0,
        "k" | "K" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        "Ki" | "ki" => 1024.0,
        "Mi" => 1024.0 * 1024.0,
        "Gi" => 1024.0 * 1024.0 * 1024.0,
        _ => return Err(WRONG),
    };
    let bytes = number.parse::<f64>().map_err(|_| WRONG)? * unit;
    if (1.0..1e18).contains(&bytes) { Ok(bytes.round() as u64) } else { Err(WRONG) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read() {
        for (text, bytes) in [("700M", 700_000_000), ("1.5G", 1_500_000_000), ("650Mi", 681_574_400), ("64KiB", 65_536)]
        {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
        }
        for text in ["", "M", "0", "-5M", "7x", "1.2.3M", "nan", "1e9", "700 M", "99999999999G"] {
            assert!(parse_size(text).is_err(), "{text}");
        }
    }
}
