//! `tonemap`: SDR from PQ and HLG.

pub(crate) mod peaks;
mod shared;
pub(crate) mod tone;

use crate::error::{Error, Result};
use crate::filters::colour::cube::{Cube, NodeInterp};
use crate::filters::colour::gamut::perceptual::Perceptual;
use crate::filters::colour::gamut::{Gamut, Soft};
use crate::filters::colour::light::{Desaturation, GainBasis, LightSteps};
use crate::filters::colour::primaries::Primaries;
use crate::filters::colour::recipe::RgbStep;
use crate::filters::colour::table::{Codes, Octaves};
use crate::filters::colour::{BT709, BT2020, Grade, Graded, UNSPECIFIED, check_matrix, has_colours};
use crate::filters::curve::{PQ_PEAK, Transfer, system_gamma};
use crate::filters::survey::{LevelScale, Smoother, Smoothing, SurveyLayout, SurveyParams};
use crate::filters::{Alias, Change, Descriptor, Footprint};
use crate::params::{Call, Choice, ParamKind, Params};
use crate::video::{Grading, Model, StreamInfo, code_point_name};
use peaks::{GainSource, PeakSource, Peaks};
use std::sync::{Arc, Mutex, PoisonError};
use tone::{Tone, ToneCurve};

/// H.273's code points.
const P3: u8 = 12;
const SRGB: u8 = 13;
const PQ: u8 = 16;
const HLG: u8 = 18;

/// Octaves of light below 10,000 cd/m² that the curve distinguishes: down to 0.0024 cd/m².
pub(super) const GAIN_OCTAVES: u32 = 22;
/// Octaves of light below white that codes are looked up by.
pub(super) const CODE_OCTAVES: u32 = 24;

/// Colours along an edge of the table of `gamut=perceptual`.
const EDGE: usize = 65;

/// What a source is graded up to where nothing says so, in cd/m².
const USUAL_PEAK: f64 = 1000.0;
/// The least that metadata are believed to mean.
const LEAST_PEAK: f64 = 100.0;
/// A sample this many times brighter than the display that the film was graded on is not believed.
const MOST_OVER_MASTERING: f64 = 4.0;

crate::choices! {
    /// What the source's codes are.
    pub enum SourceTransfer {
        /// SMPTE ST 2084.
        Pq = "pq",
        /// ARIB STD-B67.
        Hlg = "hlg",
    }
}

crate::choices! {
    /// Where the source's peak comes from.
    pub enum Peak {
        /// What is stated of the whole film.
        Static = "static",
        /// Each shot's own, measured.
        Dynamic = "dynamic",
        /// What HDR10+ states of each frame.
        Hdr10plus = "hdr10plus",
    }
}

crate::choices! {
    /// What the curve is followed by.
    pub enum On {
        /// The largest of R, G and B.
        Max = "max",
        /// Luminance.
        Luma = "luma",
        /// R, G and B, each by itself.
        Rgb = "rgb",
    }
}

crate::choices! {
    /// What becomes of colours outside.
    pub enum GamutChoice {
        /// Saturated colours move closer together.
        Soft = "soft",
        /// Colours outside move towards grey.
        Desat = "desat",
        /// Components outside are cut off.
        Clip = "clip",
        /// Colours keep hue and intensity, and get paler towards the edge.
        Perceptual = "perceptual",
    }
}

crate::choices! {
    /// The primaries of the result.
    pub enum Out {
        /// ITU-R BT.709.
        Bt709 = "bt709",
        /// ITU-R BT.2020.
        Bt2020 = "bt2020",
        /// P3, D65.
        P3 = "p3",
    }
}

crate::choices! {
    /// The transfer of the result.
    pub enum OutTransfer {
        /// ITU-R BT.1886: a power of 2.4, how SDR video is shown.
        Bt1886 = "bt1886",
        /// ITU-R BT.709's camera curve.
        Bt709 = "bt709",
        /// IEC 61966-2-1.
        Srgb = "srgb",
    }
}

const NITS: ParamKind = ParamKind::Float { min: 100.0, max: 10_000.0 };

crate::params! {
    /// The parameters of `tonemap`.
    pub struct TonemapParams {
        /// The tone curve.
        curve: ToneCurve = ToneCurve::Bt2390, ParamKind::Choice(<ToneCurve as Choice>::WORDS), unit "", aliases ["tonemap", "hdr2sdr"];
        /// What the curve follows: `max` keeps hues, `luma` is brighter in colours, `rgb` pales highlights.
        on: On = On::Max, ParamKind::Choice(<On as Choice>::WORDS), unit "", aliases [];
        /// What the source's codes are; `auto` is what the stream states. Naming it maps a stream that states something else.
        source: Option<SourceTransfer> = None, ParamKind::Choice(<SourceTransfer as Choice>::WORDS), unit "", aliases ["transferin", "tin"];
        /// The brightest that the source has. `auto` is its MaxCLL where that can be believed, else its mastering display's
        /// peak, else 1000; for HLG it is `hlg_peak`.
        source_peak: Option<f64> = None, NITS, unit "cd/m²", aliases [];
        /// The darkest that the source has. `auto` is 0.
        source_min: Option<f64> = None, ParamKind::Float { min: 0.0, max: 10.0 }, unit "cd/m²", aliases [];
        /// SDR's white. Less makes the picture brighter; 100 is the old habit.
        target: f64 = 203.0, ParamKind::Float { min: 48.0, max: 1000.0 }, unit "cd/m²", aliases ["ldr_nits", "npl"];
        /// SDR's black.
        target_min: f64 = 0.0, ParamKind::Float { min: 0.0, max: 10.0 }, unit "cd/m²", aliases [];
        /// The curve's own parameter, as far as it has one; `auto` is the curve's usual value.
        param: Option<f64> = None, ParamKind::Float { min: 0.0, max: 10.0 }, unit "", aliases [];
        /// How colours that the primaries of the result cannot show are mapped.
        gamut: GamutChoice = GamutChoice::Soft, ParamKind::Choice(<GamutChoice as Choice>::WORDS), unit "", aliases [];
        /// How far colours brighter than white are mixed with grey before the curve.
        desat: f64 = 0.0, ParamKind::Float { min: 0.0, max: 1.0 }, unit "", aliases [];
        /// The peak of the display that HLG is shown on first.
        hlg_peak: f64 = 1000.0, NITS, unit "cd/m²", aliases [];
        /// The primaries of the result, and with them its matrix.
        out: Out = Out::Bt709, ParamKind::Choice(<Out as Choice>::WORDS), unit "", aliases ["primaries", "p"];
        /// What the result is encoded for.
        out_transfer: OutTransfer = OutTransfer::Bt1886, ParamKind::Choice(<OutTransfer as Choice>::WORDS), unit "",
            aliases ["transfer", "t"];
        /// The brightest that the curve makes room for: `static` is the film's (`source_peak`), `dynamic` is measured around each
        /// frame of a shot, and `hdr10plus` is what the frame states, or else the film's. FFmpeg's option of this name is our
        /// `source_peak`, in cd/m².
        peak: Peak = Peak::Static, ParamKind::Choice(<Peak as Choice>::WORDS), unit "", aliases [];
        /// Frames of the same shot that `peak=dynamic` looks at beside each frame, half of them (rounded down) before it and half behind:
        /// more is steadier.
        window: i64 = 32, ParamKind::Int { min: 0, max: 48 }, unit "frames", aliases [];
        /// How many of the samples count for `peak=dynamic`: the few that are brighter are cut off.
        percentile: f64 = 99.995, ParamKind::Float { min: 50.0, max: 100.0 }, unit "%", aliases [];
    }
    presets {}
    elsewhere {
        ["matrix", "m"]: "it follows from 'out'; for another, put matrix=to=… after it";
        ["range", "r"]: "the range stays; put range=… after it";
        ["hdr_source_peak", "src_max"]: "it is 'source_peak' here, in cd/m²";
        ["dst_max"]: "it is 'target' here, in cd/m²";
        ["lut3d"]: "the curve is computed, not looked up in a cube";
    }
}

/// What `tonemap` is.
pub static DESCRIPTOR: Descriptor = Descriptor {
    name: "tonemap",
    aliases: &[Alias::own("hdr2sdr")],
    summary: "Makes SDR of HDR (PQ and HLG): a tone curve, and colours that fit BT.709",
    definition: include_str!("definition.md"),
    schema: TonemapParams::SCHEMA,
    accepts: has_colours,
    footprint: Footprint::Window("on chroma that is subsampled: two samples in every direction"),
    temporal: "",
    changes: &[Change::Colour, Change::Grading],
    neutral: &[],
    cases: &[
        "source=pq",
        "source=hlg:on=luma:gamut=desat",
        "curve=bt2446a:source=pq:source_peak=4000:on=rgb:gamut=clip:desat=0.7",
        "curve=hable:source=pq:gamut=desat:out=p3:out_transfer=srgb",
        "gamut=perceptual:source=pq:source_peak=2000",
        "curve=spline:source=hlg:hlg_peak=4000:target=100:out=bt2020:out_transfer=bt709",
        "source=pq:peak=dynamic:window=5",
        "curve=hable:source=hlg:peak=dynamic:window=0:percentile=90:on=luma",
        "source=pq:peak=hdr10plus:source_peak=4000",
        "curve=spline:source=pq:peak=dynamic:window=4:target=48",
        "curve=st2094_10:source=hlg:peak=dynamic:window=2:percentile=99:on=luma",
        "curve=spline:source=pq:peak=hdr10plus",
    ],
    create: Graded::<TonemapParams>::create,
};

impl TonemapParams {
    fn kind(&self, input: &StreamInfo) -> Option<SourceTransfer> {
        self.source.or(match input.color.transfer {
            PQ => Some(SourceTransfer::Pq),
            HLG => Some(SourceTransfer::Hlg),
            _ => None,
        })
    }

    /// The brightest of the source, and whether anything says so.
    fn peak(&self, source: &StreamInfo) -> (f64, bool) {
        if source.color.transfer == HLG {
            return (self.hlg_peak, true);
        }
        let Grading { mastering, light } = source.grading;
        let mastering = mastering.map(|mastering| f64::from(mastering.luminance.0) / 10_000.0);
        let mastering = mastering.filter(|peak| (LEAST_PEAK..=PQ_PEAK).contains(peak));
        let light = light.map(|light| f64::from(light.most));
        let light = light.filter(|most| (LEAST_PEAK..=PQ_PEAK).contains(most));
        let light = light.filter(|most| mastering.is_none_or(|peak| *most <= MOST_OVER_MASTERING * peak));
        let stated = self.source_peak.or(light).or(mastering);
        (stated.unwrap_or(USUAL_PEAK), stated.is_some())
    }

    /// The curve for `source`.
    pub(crate) fn tone(&self, source: &StreamInfo) -> Tone {
        self.tone_of(self.peak(source).0, None)
    }

    /// The curve for a source with this peak, and a scene with this mean where one is known.
    pub(crate) fn tone_of(&self, peak: f64, mean: Option<f64>) -> Tone {
        let source = (self.source_min.unwrap_or(0.0), peak);
        Tone::new(self.curve, self.param, source, mean, (self.target_min, self.target))
    }

    /// Whether the curve's knee lies where the scene's mean is.
    fn follows_mean(&self) -> bool {
        self.peak == Peak::Dynamic && self.curve.has_knee()
    }

    /// What light is multiplied with so that it follows a curve.
    fn gain(tone: &Tone) -> Octaves {
        Octaves::new(GAIN_OCTAVES, |m| tone.map(m * PQ_PEAK) / m)
    }

    /// What the gains for all peaks and means follow from.
    fn gain_source(&self, is_hlg: bool) -> GainSource {
        let hlg_peak = is_hlg.then_some(self.hlg_peak);
        GainSource { tone: self.tone_of(PQ_PEAK, None), hlg_peak, follows_mean: self.follows_mean() }
    }

    /// What is done to light; `None`: codes of R'G'B' stay.
    pub(crate) fn light(&self, source: &StreamInfo, output: &StreamInfo) -> Option<LightSteps> {
        let is_hlg = source.color.transfer == HLG;
        let from = Primaries::of_tag(source.color.primaries)?;
        let to = Primaries::of_tag(output.color.primaries)?;
        let tone = self.tone(source);
        let encoded = self.encoding();
        let scene = if is_hlg { Transfer::Hlg } else { Transfer::Pq };
        let (peak, gamma) = (self.hlg_peak, system_gamma(self.hlg_peak));
        let measure = match self.on {
            On::Max => GainBasis::Max,
            On::Luma => GainBasis::Luma,
            On::Rgb => GainBasis::Each,
        };
        let narrow = |weights: [f64; 3]| weights.map(|weight| weight as f32);
        let white = (self.target / PQ_PEAK) as f32;
        Some(LightSteps {
            linear: Codes::new(|code| scene.light(code)),
            system: is_hlg.then(|| Octaves::new(GAIN_OCTAVES, |y| peak / PQ_PEAK * libm::pow(y, gamma - 1.0))),
            luminance: narrow(from.luminance()),
            desaturation: (self.desat > 0.0).then_some(Desaturation { strength: self.desat as f32, white }),
            gain: Some((measure, Self::gain(&tone))),
            matrix: (from != to).then(|| from.to(to).map(narrow)),
            gamut: match self.gamut {
                GamutChoice::Soft => Gamut::Soft(Box::new(Soft::new())),
                GamutChoice::Desat => Gamut::Desat(narrow(to.luminance())),
                GamutChoice::Clip | GamutChoice::Perceptual => Gamut::Clip,
            },
            code: Octaves::new(CODE_OCTAVES, |light| encoded.code(light)),
        })
    }

    /// The table by which colours are brought inside as they are seen. It takes a second to work out, and hosts build kernels
    /// more often than they change parameters: the last one is kept.
    fn cube(&self, source: &StreamInfo, output: &StreamInfo, light: &LightSteps) -> Arc<Cube> {
        static LAST: Mutex<Option<(String, Arc<Cube>)>> = Mutex::new(None);
        let (from, peak) = (source.color, self.peak(source).0);
        let key = format!("{} {} {} {peak}", self.to_call(DESCRIPTOR.name), from.transfer, from.primaries);
        let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, cube)) = last.as_ref().filter(|(known, _)| *known == key) {
            return cube.clone();
        }
        let primaries = |info: &StreamInfo| Primaries::of_tag(info.color.primaries).unwrap_or(Primaries::BT2020);
        let map = Perceptual::new(primaries(source), primaries(output), self.target);
        let encoded = self.encoding();
        let colour = |codes: [f64; 3]| {
            let graded = light.graded(codes.map(|code| (code * 65535.0) as u16));
            map.inside(graded.map(f64::from)).map(|light| encoded.code(light))
        };
        let cube = Arc::new(Cube::of(EDGE, NodeInterp::Tetrahedral, colour));
        *last = Some((key, cube.clone()));
        cube
    }

    /// The transfer of the result.
    fn encoding(&self) -> Transfer {
        match self.out_transfer {
            OutTransfer::Bt1886 => Transfer::BT1886,
            OutTransfer::Bt709 => Transfer::Bt709,
            OutTransfer::Srgb => Transfer::Srgb,
        }
    }
}

impl Grade for TonemapParams {
    const DESCRIPTOR: &'static Descriptor = &DESCRIPTOR;

    fn call(&self) -> Call {
        self.to_call(DESCRIPTOR.name)
    }

    fn source(&self, input: &StreamInfo) -> Result<StreamInfo> {
        let mut source = input.clone();
        source.color.transfer = match self.kind(input) {
            Some(SourceTransfer::Pq) => PQ,
            Some(SourceTransfer::Hlg) => HLG,
            None => {
                let tag = input.color.transfer;
                let name = code_point_name("transfer", tag).unwrap_or("unknown");
                let name = if tag == UNSPECIFIED { "not stated".to_owned() } else { format!("{name} ({tag})") };
                return Err(Error::unsupported(format!(
                    "the stream is not HDR: its transfer is {name}, and only PQ (16) and HLG (18) are mapped; \
                     where its tags are wrong, add source=pq or source=hlg"
                )));
            }
        };
        let fill = |tag: &mut u8| *tag = if *tag == UNSPECIFIED { BT2020 } else { *tag };
        fill(&mut source.color.matrix);
        fill(&mut source.color.primaries);
        check_matrix(&source, "matrix=from=")?;
        if Primaries::of_tag(source.color.primaries).is_none() {
            let tag = source.color.primaries;
            let name = code_point_name("primaries", tag).unwrap_or("unknown");
            return Err(Error::unsupported(format!(
                "the stream's primaries are {name} ({tag}), which are not converted"
            )));
        }
        if self.gamut == GamutChoice::Perceptual && self.peak != Peak::Static {
            return Err(Error::bad_argument(
                "gamut=perceptual is one table for the whole film: use peak=static with it, or another gamut",
            ));
        }
        let peak = if self.peak == Peak::Static { self.peak(&source).0 } else { self.target };
        if self.source_min.is_some_and(|min| min >= peak) || self.target_min >= self.target {
            return Err(Error::bad_argument("black is not below white: lower source_min or target_min"));
        }
        Ok(source)
    }

    fn output(&self, source: &StreamInfo) -> Result<StreamInfo> {
        let mut output = StreamInfo { grading: Grading::default(), ..source.clone() };
        let (primaries, matrix) = match self.out {
            Out::Bt709 => (BT709, BT709),
            Out::Bt2020 => (BT2020, BT2020),
            Out::P3 => (P3, BT709),
        };
        output.color.primaries = primaries;
        if source.format.model() == Model::Yuv {
            output.color.matrix = matrix;
        }
        output.color.transfer = if self.out_transfer == OutTransfer::Srgb { SRGB } else { BT709 };
        Ok(output)
    }

    fn work(&self, source: &StreamInfo, output: &StreamInfo) -> RgbStep {
        match (self.gamut, self.light(source, output)) {
            (GamutChoice::Perceptual, Some(light)) => RgbStep::Cube(self.cube(source, output, &light)),
            (_, light) => light.into(),
        }
    }

    fn smoothing(&self) -> Option<(Smoothing, SurveyParams)> {
        let survey = SurveyParams { of: LevelScale::Code, share: self.percentile, mean: self.follows_mean() };
        // The crests of half as many frames, and the mean of those of the other half.
        (self.peak == Peak::Dynamic).then_some((Smoothing::Crest(self.window as u32 / 2), survey))
    }

    fn peaks(&self, source: &StreamInfo) -> Option<Peaks> {
        let is_hlg = source.color.transfer == HLG;
        let peaks_from = match (self.peak, self.smoothing()) {
            (Peak::Dynamic, Some((smoothing, _))) => {
                PeakSource::Measured(Smoother::new(SurveyLayout::of(source), smoothing))
            }
            (Peak::Hdr10plus, _) if !is_hlg => PeakSource::Stated(Peaks::code_of(Some(self.peak(source).0 as f32), 0)),
            _ => return None,
        };
        Some(Peaks { source: peaks_from, gains: shared::gains(self.gain_source(is_hlg)) })
    }

    fn warning(&self) -> Option<String> {
        let default = TonemapParams::default();
        let is_dynamic = self.peak == Peak::Dynamic;
        let measures = (self.window, self.percentile) != (default.window, default.percentile);
        if is_dynamic && self.source_peak.is_some() {
            Some("source_peak= counts for nothing with peak=dynamic, which measures it: leave one out".to_owned())
        } else if measures && !is_dynamic {
            Some("window= and percentile= count for nothing without peak=dynamic".to_owned())
        } else {
            None
        }
    }

    fn note(&self, input: &StreamInfo) -> Option<String> {
        if self.peak == Peak::Dynamic {
            return None;
        }
        let source = self.source(input).ok()?;
        if self.peak == Peak::Hdr10plus && source.color.transfer == HLG {
            return Some("HLG has no HDR10+: peak=hdr10plus counts for nothing".to_owned());
        }
        let (peak, is_stated) = self.peak(&source);
        (!is_stated).then(|| {
            format!("the stream does not state how bright it is: its peak is taken as {peak} cd/m²; source_peak= says otherwise")
        })
    }
}
