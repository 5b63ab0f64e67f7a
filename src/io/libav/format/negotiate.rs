//! Which format goes to the encoder, and what has to be converted for it.

use crate::error::{Error, Result};
use crate::io::libav::format::convert::ycbcr_depth;
use crate::video::{Format, Layout, Model, StreamInfo};

/// Fewer bits than this bring banding back, so that many are given up only when nothing else is left.
const ENOUGH_BITS: u8 = 10;

/// What the user asks of the output's format.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted {
    /// Exactly this format.
    pub format: Option<Format>,
    /// This bit depth; the components stay.
    pub depth: Option<u8>,
    /// RGB stays RGB where the output takes it. Without this it does so only where the output takes nothing else, since
    /// few players show RGB.
    pub keep_rgb: bool,
}

/// The conversions from the source's format to the encoder's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Negotiated {
    /// What the source's frames must be converted to before the chain; the chain is then planned anew.
    pub convert_source: Option<Format>,
    /// What the encoder gets.
    pub target: Format,
    /// What the user should know, one line each.
    pub notes: Vec<String>,
}

/// Finds the format nearest to the chain's end (`chain_end.format`, or what is `wanted` instead) among those that the
/// encoder accepts; of two that are as near, the one that lies in memory as the source does.
///
/// A chain changes depth and storage by itself, but never its components, so other components are made before it.
///
/// # Errors
/// When the encoder does not take what is wanted, or takes nothing that these frames can become.
pub fn negotiate(
    chain_end: &StreamInfo,
    source_format: Format,
    accepted: &[Format],
    wanted: &Wanted,
) -> Result<Negotiated> {
    let end = chain_end.format;
    if end.is_yc48() {
        return Err(Error::unsupported("no encoder takes yc48; end the chain in planar YUV"));
    }
    let has = |model| accepted.iter().any(|format| format.model() == model);
    let keeps_rgb = has(Model::Rgb) && (wanted.keep_rgb || !has(Model::Yuv));
    let end = if wanted.format.is_some() || keeps_rgb { end } else { without_rgb(end)? };
    let target = match wanted.format {
        Some(format) => exact(format, accepted, wanted.depth)?,
        None => nearest(end, source_format.layout(), accepted, wanted.depth)?,
    };
    let convert_source = match components(target) == components(chain_end.format) {
        true => None,
        false if target.model() == Model::Rgb => Some(target.to_planar(source_format.bit_depth())?),
        false => Some(target.to_planar(without_rgb(source_format)?.bit_depth())?),
    };
    let notes = match wanted.format {
        Some(_) => Vec::new(),
        None => note(end, wanted.depth.unwrap_or(end.bit_depth()), target).into_iter().collect(),
    };
    Ok(Negotiated { convert_source, target, notes })
}

/// `format`, or the YCbCr that RGB becomes.
fn without_rgb(format: Format) -> Result<Format> {
    match format.model() {
        Model::Rgb => Format::yuv(0, 0, ycbcr_depth(format.bit_depth())),
        _ => Ok(format),
    }
}

fn exact(format: Format, accepted: &[Format], depth: Option<u8>) -> Result<Format> {
    if let Some(depth) = depth
        && depth != format.bit_depth()
    {
        return Err(Error::bad_argument(format!(
            "format {format} does not have the depth {depth} that is also asked for"
        )));
    }
    if accepted.contains(&format) { Ok(format) } else { Err(refused(&format.to_string(), accepted)) }
}

fn nearest(end: Format, layout: Layout, accepted: &[Format], depth: Option<u8>) -> Result<Format> {
    let ideal = depth.unwrap_or(end.bit_depth());
    let keeps_colour = |c: &Format| end.model() == Model::Gray || c.model() == end.model();
    let fits = |c: &Format| keeps_colour(c) && depth.is_none_or(|depth| c.bit_depth() == depth);
    let candidates = accepted.iter().copied().filter(fits);
    candidates.min_by_key(|c| (Cost::of(end, ideal, *c), c.layout() != layout)).ok_or_else(|| match depth {
        Some(depth) => refused(&format!("{depth}-bit video"), accepted),
        None => refused(&end.to_string(), accepted),
    })
}

fn refused(what: &str, accepted: &[Format]) -> Error {
    let list: Vec<String> = accepted.iter().map(Format::to_string).collect();
    let takes = if list.is_empty() { "nothing that vramp makes".to_owned() } else { list.join(", ") };
    Error::unsupported(format!("the encoder does not take {what}: it takes {takes}"))
}

/// What choosing a format costs, the worst loss first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Cost {
    bits_needed_lost: u8,
    chroma_lost: u8,
    bits_lost: u8,
    chroma_added: u8,
    bits_added: u8,
}

impl Cost {
    fn of(end: Format, depth: u8, choice: Format) -> Cost {
        let (had, has) = (chroma_halvings(end), chroma_halvings(choice));
        Cost {
            bits_needed_lost: depth.min(ENOUGH_BITS).saturating_sub(choice.bit_depth()),
            chroma_lost: has.saturating_sub(had),
            bits_lost: depth.saturating_sub(choice.bit_depth()),
            chroma_added: had.saturating_sub(has) + u8::from(end.model() != choice.model()),
            bits_added: choice.bit_depth().saturating_sub(depth),
        }
    }
}

/// How often chroma is halved; grey has none to lose, so that its nearest colour format is the smallest.
fn chroma_halvings(format: Format) -> u8 {
    match format.model() {
        Model::Gray => 2,
        Model::Rgb => 0,
        Model::Yuv => format.subsampling_w() + format.subsampling_h(),
    }
}

fn components(format: Format) -> (Model, u8, u8) {
    (format.model(), format.subsampling_w(), format.subsampling_h())
}

/// One line for a target that has not the components of the chain's end, or not the `depth` asked for.
fn note(end: Format, depth: u8, target: Format) -> Option<String> {
    if components(end) == components(target) && depth == target.bit_depth() {
        return None;
    }
    let cost = Cost::of(end, depth, target);
    let losses = [(cost.chroma_lost > 0, "chroma resolution is lost"), (cost.bits_lost > 0, "bit depth is lost")];
    let losses: Vec<&str> = losses.iter().filter(|(lost, _)| *lost).map(|(_, text)| *text).collect();
    let colon = if losses.is_empty() { "" } else { ": " };
    Some(format!("the encoder does not take {end}, it gets {target}{colon}{}", losses.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formats(names: &str) -> Vec<Format> {
        names.split_whitespace().map(|name| name.parse().unwrap()).collect()
    }

    fn run(end: &str, accepted: &str, format: Option<&str>, depth: Option<u8>) -> Result<Negotiated> {
        let end = end.parse().unwrap();
        let wanted = Wanted { format: format.map(|f| f.parse().unwrap()), depth, keep_rgb: false };
        negotiate(&StreamInfo::bare(end, 16, 16), end, &formats(accepted), &wanted)
    }

    #[test]
    fn the_nearest_format_is_chosen() {
        const X265: &str = "yuv420p yuv422p yuv444p yuv420p10 yuv422p10 yuv444p10 yuv420p12 gray8 gray10";
        // Chain end, what the encoder accepts, target, conversion before the chain, what the note ends with.
        let table = [
            ("yuv420p", X265, "yuv420p", None, None),
            ("yuv444p10", X265, "yuv444p10", None, None),
            ("yuv420p9", X265, "yuv420p10", None, Some("gets yuv420p10")),
            ("yuv420p16", X265, "yuv420p12", None, Some("bit depth is lost")),
            ("gray10", X265, "gray10", None, None),
            // Only AV1's 4:2:0: chroma goes, the ten bits stay.
            ("yuv444p10", "yuv420p yuv420p10", "yuv420p10", Some("yuv420p10"), Some("chroma resolution is lost")),
            (
                "yuv444p16",
                "yuv420p yuv420p10",
                "yuv420p10",
                Some("yuv420p16"),
                Some("resolution is lost, bit depth is lost"),
            ),
            ("gray8", "yuv444p yuv420p yuv420p10", "yuv420p", Some("yuv420p"), Some("gets yuv420p")),
            ("gray12", "yuv420p yuv420p10", "yuv420p10", Some("yuv420p12"), Some("bit depth is lost")),
            // ProRes has neither 4:2:0 nor eight bits: more of both loses nothing.
            ("yuv420p", "yuv422p10 yuv444p10", "yuv422p10", Some("yuv422p"), Some("gets yuv422p10")),
            // Chroma is given up before the bits that hide banding, but not before bits beyond them.
            ("yuv444p10", "yuv444p yuv420p10", "yuv420p10", Some("yuv420p10"), Some("chroma resolution is lost")),
            ("yuv444p16", "yuv444p12 yuv420p16", "yuv444p12", None, Some("bit depth is lost")),
            // Colour is not given up for bits.
            ("yuv420p10", "gray16 yuv420p", "yuv420p", None, Some("bit depth is lost")),
            // Storage alone is no loss and no news.
            ("nv12", "yuv420p nv12", "nv12", None, None),
            ("nv12", "yuv420p", "yuv420p", None, None),
            ("yuv420p10", "p010 p016", "p010", None, None),
        ];
        for (end, accepted, target, convert, note) in table {
            let got = run(end, accepted, None, None).unwrap();
            assert_eq!(got.target.to_string(), target, "{end} into {accepted}");
            assert_eq!(got.convert_source.map(|f| f.to_string()).as_deref(), convert, "{end} into {accepted}");
            assert_eq!(got.notes.len(), usize::from(note.is_some()), "{end} into {accepted}: {:?}", got.notes);
            if let Some(note) = note {
                assert!(got.notes[0].ends_with(note), "{end} into {accepted}: {}", got.notes[0]);
            }
        }
    }

    #[test]
    fn the_layout_stays_the_sources_though_the_chain_ends_planar() {
        let target = |source: &str, end: &str, accepted: &str| {
            let (source, end) = (source.parse().unwrap(), StreamInfo::bare(end.parse().unwrap(), 16, 16));
            negotiate(&end, source, &formats(accepted), &Wanted::default()).unwrap().target.to_string()
        };
        const RAW: &str = "yuv420p nv12 yuv420p10 p010";
        assert_eq!(target("nv12", "yuv420p", RAW), "nv12");
        assert_eq!(target("nv12", "yuv420p10", RAW), "p010");
        assert_eq!(target("p010", "yuv420p10", RAW), "p010");
        assert_eq!(target("yuv420p", "yuv420p", "nv12 yuv420p"), "yuv420p");
        assert_eq!(target("nv12", "yuv420p", "yuv420p yuv420p10"), "yuv420p");
    }

    #[test]
    fn rgb_stays_where_it_is_kept_asked_for_or_all_there_is() {
        // Source, what the encoder accepts, the format asked for, whether RGB is kept; target, conversion.
        let table = [
            ("gbrp", "yuv420p gbrp gbrp10", None, true, "gbrp", None),
            ("gbrp12", "yuv420p gbrp gbrp14", None, true, "gbrp14", None),
            ("gbrp10", "gbrp10 gbrp12", None, false, "gbrp10", None),
            ("gbrp", "yuv420p gbrp", Some("gbrp"), false, "gbrp", None),
            ("yuv420p", "yuv420p gbrp", Some("gbrp"), false, "gbrp", Some("gbrp")),
            // Two bits more, or as many as the output has.
            ("gbrp", "yuv420p yuv444p10 gbrp", None, false, "yuv444p10", Some("yuv444p10")),
            ("gbrp12", "yuv444p10", None, true, "yuv444p10", Some("yuv444p14")),
            ("gbrp", "yuv420p yuv422p", Some("yuv422p"), true, "yuv422p", Some("yuv422p10")),
            ("yuv444p", "gbrp yuv444p", None, true, "yuv444p", None),
        ];
        for (source, accepted, format, keep_rgb, target, convert) in table {
            let source: Format = source.parse().unwrap();
            let wanted = Wanted { format: format.map(|f| f.parse().unwrap()), depth: None, keep_rgb };
            let got = negotiate(&StreamInfo::bare(source, 16, 16), source, &formats(accepted), &wanted).unwrap();
            let convert_source = got.convert_source.map(|f| f.to_string());
            assert_eq!((got.target.to_string().as_str(), convert_source.as_deref()), (target, convert), "{source}");
        }
        let message = run("yuv420p", "gbrp gbrp10", None, None).unwrap_err().to_string();
        assert!(message.contains("does not take yuv420p: it takes gbrp, gbrp10"), "{message}");
    }

    #[test]
    fn a_wish_is_met_exactly_or_refused_with_the_list() {
        let accepted = "yuv420p yuv420p10 yuv444p10";
        let target = |format, depth| run("yuv420p", accepted, format, depth).map(|n| n.target.to_string());
        assert_eq!(target(None, Some(10)).unwrap(), "yuv420p10");
        assert_eq!(target(Some("yuv420p10"), Some(10)).unwrap(), "yuv420p10");

        let converted = run("yuv420p", accepted, Some("yuv444p10"), None).unwrap();
        assert_eq!(converted.convert_source.unwrap().to_string(), "yuv444p");
        assert_eq!(converted.notes, Vec::<String>::new(), "what was asked for is no news");

        let refusals = [
            (Some("yuv422p10"), None, "does not take yuv422p10: it takes yuv420p, yuv420p10, yuv444p10"),
            (None, Some(12), "does not take 12-bit video: it takes yuv420p"),
            (Some("yuv420p10"), Some(8), "does not have the depth 8"),
        ];
        for (format, depth, text) in refusals {
            let message = target(format, depth).unwrap_err().to_string();
            assert!(message.contains(text), "{message}");
        }
        let message = run("yuv420p", "gray8 gray16", None, None).unwrap_err().to_string();
        assert!(message.contains("does not take yuv420p: it takes gray8, gray16"), "colour is kept: {message}");
        assert!(run("yuv420p", "", None, None).unwrap_err().to_string().contains("takes nothing"));
        assert!(run("yc48", accepted, None, None).is_err());
    }
}
