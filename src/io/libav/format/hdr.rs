//! Static HDR10 metadata: from side data to the words encoders take it in.

use crate::video::{self, SideData, StreamInfo};
use ffmpeg_next::ffi::{AVFrameSideDataType as InFrame, AVPacketSideDataType as InStream};

/// Encoders take chromaticities in these parts of 1.
const CHROMATICITY: f64 = 50_000.0;

/// Encoders take luminances in these parts of a candela a square metre.
const LUMINANCE: f64 = 10_000.0;

/// The display a film was graded on (SMPTE ST 2086): CIE x, y, and candelas a square metre.
#[derive(Clone, Copy, Debug, PartialEq)]
struct MasteringText {
    red: (f64, f64),
    green: (f64, f64),
    blue: (f64, f64),
    white: (f64, f64),
    min: f64,
    max: f64,
}

/// The brightest sample and the brightest frame average (CTA-861.3), in candelas a square metre.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LightText {
    max: u32,
    average: u32,
}

/// The static HDR10 metadata of a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in crate::io::libav) struct Hdr10 {
    mastering: Option<MasteringText>,
    light: Option<LightText>,
}

/// Kinds of side data that say the same of a stream and of a frame, in the same bytes.
const KINDS: [(i32, i32); 2] = [
    (MASTERING, InFrame::AV_FRAME_DATA_MASTERING_DISPLAY_METADATA as i32),
    (LIGHT, InFrame::AV_FRAME_DATA_CONTENT_LIGHT_LEVEL as i32),
];
const MASTERING: i32 = InStream::AV_PKT_DATA_MASTERING_DISPLAY_METADATA as i32;
const LIGHT: i32 = InStream::AV_PKT_DATA_CONTENT_LIGHT_LEVEL as i32;

/// Adds to a stream's side data the HDR10 metadata that only its first frame brings.
pub(in crate::io::libav) fn promote(stream: &mut Vec<SideData>, frame: &[SideData]) {
    for (in_stream, in_frame) in KINDS {
        let found = frame.iter().find(|data| data.kind == in_frame);
        if let Some(data) = found
            && !stream.iter().any(|data| data.kind == in_stream)
        {
            stream.push(SideData { kind: in_stream, bytes: data.bytes.clone() });
        }
    }
}

/// Takes from a stream's side data what says how bright it is. Gives what that was.
pub(in crate::io::libav) fn forget(stream: &mut Vec<SideData>) -> Vec<&'static str> {
    let known = [(MASTERING, "the mastering display"), (LIGHT, "the content light level")];
    let there = known.into_iter().filter(|(kind, _)| stream.iter().any(|data| data.kind == *kind));
    let left_out = there.map(|(_, what)| what).collect();
    stream.retain(|data| !known.iter().any(|(kind, _)| data.kind == *kind));
    left_out
}

/// What a frame says of its own brightness.
pub(in crate::io::libav) fn dynamic(frame: &[SideData]) -> Vec<&'static str> {
    let known = [
        (InFrame::AV_FRAME_DATA_DYNAMIC_HDR_PLUS, "HDR10+"),
        (InFrame::AV_FRAME_DATA_DOVI_METADATA, "Dolby Vision's metadata"),
        (InFrame::AV_FRAME_DATA_DYNAMIC_HDR_VIVID, "HDR Vivid"),
    ];
    let there = known.into_iter().filter(|(kind, _)| frame.iter().any(|data| data.kind == *kind as i32));
    there.map(|(_, what)| what).collect()
}

/// The brightest of a frame, in cd/m², as HDR10+ (SMPTE ST 2094-40) states it: the largest of R, G and B.
pub(in crate::io::libav) fn brightest(frame: &[SideData]) -> Option<f32> {
    /// How libav's `AVDynamicHDRPlus` begins: three numbers, then the first window of the picture, which is all of it.
    const WINDOW: usize = 4;
    /// Where a window has `maxscl`: behind the four fractions of its corners, and its ellipse.
    const MAXSCL: usize = WINDOW + 4 * FRACTION + 16;
    const FRACTION: usize = 8;
    let data = frame.iter().find(|data| data.kind == InFrame::AV_FRAME_DATA_DYNAMIC_HDR_PLUS as i32)?;
    let number = |at: usize| Some(i32::from_ne_bytes(data.bytes.get(at..at + 4)?.try_into().ok()?));
    let part = |component: usize| {
        let at = MAXSCL + component * FRACTION;
        let (num, den) = (number(at)?, number(at + 4)?);
        (num > 0 && den > 0).then(|| num as f32 / den as f32)
    };
    let most = (0..3).filter_map(part).fold(0.0, f32::max);
    // In parts of 10,000 cd/m².
    (most > 0.0 && most <= 1.0).then_some(most * 10_000.0)
}

impl Hdr10 {
    /// What a stream's side data says.
    pub(in crate::io::libav) fn of(side_data: &[SideData]) -> Hdr10 {
        let bytes = |kind| side_data.iter().find(|data| data.kind == kind).map(|data| &data.bytes[..]);
        Hdr10 { mastering: bytes(MASTERING).and_then(parse_mastering), light: bytes(LIGHT).and_then(parse_light) }
    }

    /// The same in the units in which codecs write it.
    pub(in crate::io::libav) fn coded(&self) -> (Option<video::Mastering>, Option<video::ContentLight>) {
        let light = self.light.map(|LightText { max, average }| video::ContentLight { most: max, average });
        (self.mastering.map(|mastering| mastering.coded()), light)
    }
}

/// Where an encoder takes static HDR10 metadata.
pub(in crate::io::libav) struct HdrOptions {
    /// The encoder's option that holds its own parameters, `key=value:key=value`.
    pub(in crate::io::libav) option: &'static str,
    /// The parameters.
    pub(in crate::io::libav) parameters: Vec<(&'static str, String)>,
}

/// `hdr` in the words of `encoder`, for those that write it into the stream only when their own parameters ask for it.
pub(in crate::io::libav) fn words(encoder: &str, hdr: &Hdr10) -> Option<HdrOptions> {
    let (option, display_key, light_key, units) = match encoder {
        "libx264" => ("x264-params", "mastering-display", "cll", true),
        "libx265" => ("x265-params", "master-display", "max-cll", true),
        "libsvtav1" => ("svtav1-params", "mastering-display", "content-light", false),
        _ => return None,
    };
    let display = hdr.mastering.map(|mastering| (display_key, mastering.words(units)));
    let light = hdr.light.map(|light| (light_key, format!("{},{}", light.max, light.average)));
    Some(HdrOptions { option, parameters: display.into_iter().chain(light).collect() })
}

/// H.273's transfer characteristics of PQ.
const PQ: u8 = 16;

/// What x265 does for PQ only when it is asked to: it weighs quantisers by brightness and saturation, for 10 bits of 4:2:0 alone.
/// That it signals HDR10 and repeats its headers follows from the metadata.
pub(in crate::io::libav) fn suited_to_x265(info: &StreamInfo) -> Option<(&'static str, String)> {
    let format = info.format;
    let is_420 = (format.subsampling_w(), format.subsampling_h()) == (1, 1);
    let suits = info.color.transfer == PQ && format.bit_depth() == 10 && is_420;
    suits.then(|| ("hdr10-opt", "1".to_owned()))
}

/// `parameters` put before the `key=value:key=value` list that the user gave; what the user gave stays as it is.
pub(in crate::io::libav) fn merge(parameters: &[(&str, String)], user: &str) -> String {
    let given: Vec<&str> = user.split(':').filter_map(|entry| entry.split('=').next()).collect();
    let ours = parameters.iter().filter(|(key, _)| !given.contains(key)).map(|(key, value)| format!("{key}={value}"));
    ours.chain((!user.is_empty()).then(|| user.to_owned())).collect::<Vec<_>>().join(":")
}

impl MasteringText {
    fn coded(&self) -> video::Mastering {
        let coded = |value: f64, unit: f64| (value * unit).round() as u32;
        let point = |(x, y)| (coded(x, CHROMATICITY), coded(y, CHROMATICITY));
        video::Mastering {
            points: [self.green, self.blue, self.red, self.white].map(point),
            luminance: (coded(self.max, LUMINANCE), coded(self.min, LUMINANCE)),
        }
    }

    /// "G(x,y)B(x,y)R(x,y)WP(x,y)L(max,min)", in the coded integer units or in plain numbers.
    fn words(&self, units: bool) -> String {
        let number = |value: f64, unit: f64| if units { format!("{:.0}", value * unit) } else { format!("{value:.5}") };
        let point = |(x, y)| format!("({},{})", number(x, CHROMATICITY), number(y, CHROMATICITY));
        let luminance = format!("({},{})", number(self.max, LUMINANCE), number(self.min, LUMINANCE));
        let (green, blue, red, white) = (point(self.green), point(self.blue), point(self.red), point(self.white));
        format!("G{green}B{blue}R{red}WP{white}L{luminance}")
    }
}

/// Reads libav's `AVMasteringDisplayMetadata`: ten rationals (red, green, blue, white point, luminance), two flags.
fn parse_mastering(bytes: &[u8]) -> Option<MasteringText> {
    let rational = |i: usize| {
        let (num, den) = (int(bytes, 2 * i)?, int(bytes, 2 * i + 1)?);
        (den != 0).then(|| f64::from(num) / f64::from(den))
    };
    let point = |i: usize| Some((rational(2 * i)?, rational(2 * i + 1)?));
    let (has_primaries, has_luminance) = (int(bytes, 20)?, int(bytes, 21)?);
    if has_primaries == 0 || has_luminance == 0 {
        return None;
    }
    let (red, green, blue, white) = (point(0)?, point(1)?, point(2)?, point(3)?);
    Some(MasteringText { red, green, blue, white, min: rational(8)?, max: rational(9)? })
}

/// Reads libav's `AVContentLightMetadata`: two integers.
fn parse_light(bytes: &[u8]) -> Option<LightText> {
    Some(LightText { max: int(bytes, 0)?.cast_unsigned(), average: int(bytes, 1)?.cast_unsigned() })
}

fn int(bytes: &[u8], index: usize) -> Option<i32> {
    let bytes = bytes.get(4 * index..4 * index + 4)?;
    bytes.try_into().map(i32::from_ne_bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A P3 display of 0.005 to 1000 cd/m², as libav lays it down.
    fn p3(has_primaries: i32, has_luminance: i32) -> SideData {
        let points = [34000, 16000, 13250, 34500, 7500, 3000, 15635, 16450].map(|v| [v, 50_000]);
        let luminance = [[50, 10_000], [10_000_000, 10_000]];
        let ints = points.iter().chain(&luminance).flatten().copied().chain([has_primaries, has_luminance]);
        let kind = InStream::AV_PKT_DATA_MASTERING_DISPLAY_METADATA as i32;
        SideData { kind, bytes: ints.flat_map(i32::to_ne_bytes).collect() }
    }

    fn light() -> SideData {
        let kind = InStream::AV_PKT_DATA_CONTENT_LIGHT_LEVEL as i32;
        SideData { kind, bytes: [1000i32, 400].into_iter().flat_map(i32::to_ne_bytes).collect() }
    }

    #[test]
    fn each_encoder_is_asked_in_its_own_words() {
        let hdr = Hdr10::of(&[light(), p3(1, 1)]);
        let coded = "G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,50)";
        let plain = "G(0.26500,0.69000)B(0.15000,0.06000)R(0.68000,0.32000)WP(0.31270,0.32900)L(1000.00000,0.00500)";
        for (encoder, display, light) in [
            ("libx264", ("mastering-display", coded), "cll"),
            ("libx265", ("master-display", coded), "max-cll"),
            ("libsvtav1", ("mastering-display", plain), "content-light"),
        ] {
            let words = words(encoder, &hdr).unwrap();
            let (key, value) = display;
            assert_eq!(words.parameters, [(key, value.to_owned()), (light, "1000,400".to_owned())], "{encoder}");
        }
        assert!(words("ffv1", &hdr).is_none());
    }

    #[test]
    fn x265_is_asked_where_it_acts_on_it() {
        let is_asked = |format: &str, transfer| {
            let mut info = StreamInfo::bare(format.parse().unwrap(), 64, 64);
            info.color.transfer = transfer;
            suited_to_x265(&info).is_some()
        };
        assert!(is_asked("yuv420p10", PQ));
        for (format, transfer) in [("yuv422p10", PQ), ("yuv420p12", PQ), ("yuv420p10", 18), ("yuv420p10", 1)] {
            assert!(!is_asked(format, transfer), "{format} {transfer}");
        }
    }

    #[test]
    fn what_is_not_stated_is_not_written() {
        assert_eq!(Hdr10::of(&[p3(1, 0)]), Hdr10::default());
        let short = SideData { bytes: p3(1, 1).bytes[..80].into(), ..p3(1, 1) };
        assert_eq!(Hdr10::of(&[short]), Hdr10::default());
    }

    #[test]
    fn a_stream_learns_from_its_first_frame_what_it_does_not_know() {
        let mut stream = vec![light()];
        let of_frame = |kind, data: SideData| SideData { kind: kind as i32, ..data };
        let brighter = SideData { bytes: [9i32, 9].into_iter().flat_map(i32::to_ne_bytes).collect(), ..light() };
        let frame = [
            of_frame(InFrame::AV_FRAME_DATA_CONTENT_LIGHT_LEVEL, brighter),
            of_frame(InFrame::AV_FRAME_DATA_MASTERING_DISPLAY_METADATA, p3(1, 1)),
        ];
        promote(&mut stream, &frame);
        assert_eq!(stream, [light(), p3(1, 1)]);
    }

    #[test]
    fn the_users_parameters_win() {
        let ours = [("max-cll", "1000,400".to_owned()), ("log-level", "none".to_owned())];
        assert_eq!(merge(&ours, ""), "max-cll=1000,400:log-level=none");
        assert_eq!(merge(&ours, "max-cll=1,1:aq-mode=3"), "log-level=none:max-cll=1,1:aq-mode=3");
    }
}
