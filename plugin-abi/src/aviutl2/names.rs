//! What users of AviUtl know: the items of its banding filter, under their names.

use crate::editor::effect::Effect;

/// An item that has another name or form here than elsewhere.
pub struct Known {
    /// The parameter.
    pub param: &'static str,
    /// Its name in Japanese, by which projects store it.
    pub japanese: &'static str,
    /// The same in English.
    pub english: &'static str,
    /// Where it is a slider though the parameter is not one: the first value, the least and the greatest. The first stands for
    /// what the parameter is by itself.
    pub track: Option<(i32, i32, i32)>,
}

const fn known(param: &'static str, japanese: &'static str, english: &'static str) -> Known {
    Known { param, japanese, english, track: None }
}

const fn track(param: &'static str, name: &'static str, first: i32, max: i32) -> Known {
    Known { param, japanese: name, english: name, track: Some((first, 0, max)) }
}

/// The items of AviUtl's banding filter, in its order.
const DEBAND: [Known; 11] = [
    known("range", "range", "range"),
    track("y", "Y", 15, 31),
    track("cb", "Cb", 15, 31),
    track("cr", "Cr", 15, 31),
    track("dither_y", "ditherY", 15, 31),
    track("dither_c", "ditherC", 15, 31),
    known("sample", "sample", "sample"),
    track("seed", "seed", 0, 127),
    known("blur_first", "ブラー処理を先に", "blur first"),
    known("rand_each_frame", "毎フレーム乱数を生成", "random each frame"),
    known("field", "フィールド処理", "process fields"),
];
/// What AviUtl has one for each component of, and here has one for all.
const REPLACED: [&str; 2] = ["threshold", "dither"];

/// Of every effect.
const COMMON: [Known; 4] = [
    known("chain", "フィルタ", "chain"),
    known("planes", "対象の成分", "planes"),
    known("border", "画面端", "border"),
    known("working_colours", "処理する色空間", "working colours"),
];

/// Where an item stands in the host's list: first those that users know.
pub enum Listing {
    /// Among the first.
    First(&'static Known),
    /// Behind them.
    Later(Option<&'static Known>),
    /// Nowhere: it keeps its first value.
    Hidden,
}

/// Where parameter `name` of an effect stands.
pub fn listing(effect: &Effect, name: &str) -> Listing {
    let is_deband = effect.identifier.as_c_str() == c"org.vramp.deband";
    if is_deband && let Some(known) = DEBAND.iter().find(|known| known.param == name) {
        return Listing::First(known);
    }
    let own = name.strip_suffix("_auto").unwrap_or(name);
    let has_track = is_deband && DEBAND.iter().any(|known| known.param == own && known.track.is_some());
    // AviUtl2's pictures are as they are displayed.
    if has_track || is_deband && REPLACED.contains(&own) || name == "input_is_linear" {
        return Listing::Hidden;
    }
    Listing::Later(COMMON.iter().find(|known| known.param == name))
}

/// The place of a first item among them.
pub fn order(known: &Known) -> usize {
    DEBAND.iter().position(|other| other.param == known.param).unwrap_or(DEBAND.len())
}

/// What menus and projects call an effect.
pub fn title(effect: &Effect, is_english: bool) -> String {
    let label = effect.label.to_string_lossy();
    let japanese = match effect.identifier.to_bytes() {
        b"org.vramp.deband" => "バンディング低減 (vramp)",
        b"org.vramp.chain" => "フィルタチェーン (vramp)",
        _ => return label.into_owned(),
    };
    if is_english { label.into_owned() } else { japanese.to_owned() }
}
