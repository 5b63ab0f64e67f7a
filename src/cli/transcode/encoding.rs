//! What the encoder is asked for where the command line does not say, and the words for what it was asked.

use crate::cli::args::FilterArgs;
use crate::cli::setup;
use crate::io::libav::{EncoderChoice, OutputOptions};
use crate::params::Call;
use crate::video::Format;

/// The quality that keeps what a debander won, by encoder: docs/ENCODING.md says how it was measured. Encoders' own defaults
/// bring the bands back, as blocks.
const CRF: [(&str, f64); 3] = [("libx265", 18.0), ("libx264", 18.0), ("libsvtav1", 14.0)];

/// Options that ask for a quality or a rate. Encoders' own parameters have more, by the second names.
const RATE_CONTROL: [&str; 9] = ["crf", "qp", "b", "cq", "rc", "global_quality", "qmin", "qmax", "lossless"];
const OWN_RATE_CONTROL: [&str; 6] = ["crf", "qp", "bitrate", "lossless", "rc", "tbr"];

/// The presets that encoders use by default, where they report them.
const PRESETS: [(&str, &str); 2] = [("libx265", "medium"), ("libx264", "medium")];

/// Asks for the default quality, unless `options` ask for one or for a rate.
pub fn complete(options: &mut OutputOptions, choice: &EncoderChoice) {
    if rate_control(options).is_empty() {
        options.crf = find(&CRF, choice.encoder());
    }
}

/// The depth that `job` leaves open for a lossy encoder that nobody named, for a source of `format` that `calls` deband.
pub fn depth(job: &FilterArgs, choice: &EncoderChoice, calls: &[Call], format: Format) -> Option<u8> {
    let takes = |depth: &u8| choice.accepted().iter().any(|taken| taken.bit_depth() == *depth);
    let is_open = job.codec.is_none() && !choice.is_lossless();
    setup::debanded_depth(&job.run, calls, format).filter(|depth| is_open && takes(depth))
}

/// "libx265, preset slow, crf 20, yuv420p10".
pub fn describe(encoder: &str, is_lossless: bool, options: &OutputOptions, format: Format) -> String {
    let given = |key| options.options.iter().rev().find(|(k, _)| k == key).map(|(_, value)| value.as_str());
    let preset = given("preset").or(options.preset.as_deref()).or(find(&PRESETS, encoder));
    let preset = preset.map_or_else(|| "its own preset".to_owned(), |preset| format!("preset {preset}"));
    let rate = match rate_control(options) {
        asked if !asked.is_empty() => format!("{preset}, {}", asked.join(" ")),
        _ if is_lossless => "lossless".to_owned(),
        _ => format!("{preset} and rate control"),
    };
    let grain = options.film_grain.map_or_else(String::new, |amount| format!(", film grain {amount}"));
    format!("{encoder}, {rate}{grain}, {format}")
}

/// What `options` ask of quality and rate, in words.
fn rate_control(options: &OutputOptions) -> Vec<String> {
    let mut asked = Vec::new();
    asked.extend(options.crf.map(|crf| format!("crf {crf}")));
    asked.extend(options.qp.map(|qp| format!("qp {qp}")));
    asked.extend(options.bitrate.as_deref().map(bits));
    asked.extend(options.pass.as_ref().map(|_| "in two passes".to_owned()));
    for (key, value) in &options.options {
        let own = value.split(':').filter(|pair| OWN_RATE_CONTROL.contains(&pair.split('=').next().unwrap_or("")));
        match RATE_CONTROL.contains(&key.as_str()) {
            true => asked.push(format!("{key}={value}")),
            false if key.contains("params") || key.ends_with("opts") => asked.extend(own.map(str::to_owned)),
            false => {}
        }
    }
    asked
}

/// A bit rate as it was asked for, or, where it was worked out, in thousands.
fn bits(rate: &str) -> String {
    match rate.parse::<f64>() {
        Ok(number) => format!("{:.0} kbit/s", number / 1000.0),
        Err(_) => format!("{rate} bit/s"),
    }
}

fn find<T: Copy>(table: &[(&str, T)], encoder: &str) -> Option<T> {
    table.iter().find(|(name, _)| *name == encoder).map(|(_, value)| *value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::libav::choose_encoder;

    fn options(pairs: &[(&str, &str)]) -> OutputOptions {
        let options = pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        OutputOptions { options, ..OutputOptions::default() }
    }

    #[test]
    fn a_quality_or_rate_that_is_asked_for_holds() {
        let choice = choose_encoder("a.mkv", &OutputOptions::default()).unwrap();
        let crf = |mut options: OutputOptions| {
            complete(&mut options, &choice);
            options.crf
        };
        assert_eq!(crf(options(&[("bf", "3"), ("x265-params", "aq-mode=3")])), find(&CRF, choice.encoder()));
        assert_eq!(crf(OutputOptions { crf: Some(30.0), ..OutputOptions::default() }), Some(30.0));
        assert_eq!(crf(OutputOptions { bitrate: Some("4M".to_owned()), ..OutputOptions::default() }), None);
        for pair in [("crf", "30"), ("qp", "0"), ("x265-params", "aq-mode=3:lossless=1"), ("svtav1-params", "rc=1")] {
            assert_eq!(crf(options(&[pair])), None, "{pair:?}");
        }
    }

    #[test]
    fn the_words_say_what_was_asked() {
        let format = Format::gray(10).unwrap();
        let said = |encoder, lossless, options| describe(encoder, lossless, &options, format);
        let asked = OutputOptions { crf: Some(18.5), preset: Some("slow".to_owned()), ..OutputOptions::default() };
        assert_eq!(said("libx265", false, asked), "libx265, preset slow, crf 18.5, gray10");
        assert_eq!(
            said("libx265", false, options(&[("x265-params", "qp=4:me=3")])),
            "libx265, preset medium, qp=4, gray10"
        );
        let bits = |rate: &str| OutputOptions { bitrate: Some(rate.to_owned()), ..OutputOptions::default() };
        assert_eq!(said("libx264", false, bits("4M")), "libx264, preset medium, 4M bit/s, gray10");
        let grainy = OutputOptions { film_grain: Some(8), ..bits("1234567") };
        assert_eq!(said("libsvtav1", false, grainy), "libsvtav1, its own preset, 1235 kbit/s, film grain 8, gray10");
        assert_eq!(said("ffv1", true, options(&[])), "ffv1, lossless, gray10");
        assert_eq!(said("mpeg4", false, options(&[])), "mpeg4, its own preset and rate control, gray10");
    }
}
