//! `adjust`: contrast, brightness, gamma, and colours, in one filter.

use crate::filters::point::{self, LUMA, Map, Mix, Nominal, Points, Pointwise, Step, Vibrance};
use crate::filters::requant::{LIMITED_CHROMA, LIMITED_LUMA, white};
use crate::filters::saturation::turned_chroma;
use crate::filters::{Alias, Descriptor, Footprint};
use crate::params::{ParamKind, Params};
use crate::video::{Model, StreamInfo};
use std::array::from_fn;

crate::params! {
    /// The parameters of `adjust`.
    pub struct AdjustParams {
        /// By what the distance from middle grey is multiplied: 0 is grey, 1 changes nothing.
        contrast: f64 = 1.0, ParamKind::Float { min: 0.0, max: 10.0 }, unit "", aliases ["c"];
        /// What is added then, in parts of the range from black to white.
        brightness: f64 = 0.0, ParamKind::Float { min: -1.0, max: 1.0 }, unit "", aliases ["b"];
        /// What colours are multiplied with: 0 is grey, 1 changes nothing.
        saturation: f64 = 1.0, ParamKind::Float { min: 0.0, max: 3.0 }, unit "", aliases ["s"];
        /// More makes the middle lighter, less makes it darker.
        gamma: f64 = 1.0, ParamKind::Float { min: 0.1, max: 10.0 }, unit "", aliases ["g"];
        /// How much stronger weak colours become; strong ones stay. Below 0 they become weaker.
        vibrance: f64 = 0.0, ParamKind::Float { min: -1.0, max: 1.0 }, unit "", aliases ["v"];
        /// By how much hues are turned, from red towards yellow.
        hue: f64 = 0.0, ParamKind::Float { min: -180.0, max: 180.0 }, unit "degrees", aliases ["h"];
    }
    presets {}
    elsewhere {
        ["gamma_r"]: "write it as a filter of its own, levels=gamma=…:planes=r, on RGB";
        ["gamma_g"]: "write it as a filter of its own, levels=gamma=…:planes=g, on RGB";
        ["gamma_b"]: "write it as a filter of its own, levels=gamma=…:planes=b, on RGB";
        ["gamma_weight"]: "gamma has its whole weight: choose one nearer to 1";
        ["eval"]: "values do not change from frame to frame: limit the filter with frames= or times=";
        ["intensity"]: "it is vibrance=";
    }
}

/// What `adjust` is.
pub static DESCRIPTOR: Descriptor = Descriptor {
    name: "adjust",
    aliases: &[Alias::own("eq")],
    summary: "Brightness, contrast, gamma, saturation, vibrance and hue",
    definition: "\
With `x` for luma, grey, R, G or B, 0 at nominal black and 1 at nominal white, `z = contrast·(x − ½) + ½ + brightness` becomes \
`z^(1/gamma)`, and of a negative `z` that of its opposite with the sign again. Then colours, in this order:

- `vibrance` multiplies them with `1 + vibrance·(1 − m/M)`, where `m` is how strong they are and `M` what the strongest are: grey \
gets `1 + vibrance` and what is strong stays. `m` is the larger of `|Cb|` and `|Cr|`, of R, G and B the largest less the smallest.
- `saturation` and `hue` are those of the filter `saturation`, to the byte: `b' = s·(b·cos h − r·sin h)` and `r' = s·(b·sin h + \
r·cos h)`. R, G and B are turned and scaled about their luma, which stays.

Luma of R, G and B is that of BT.709. Contrast and brightness of YCbCr leave chroma as it is; of R, G and B they work on all three. \
What passes the ends of the scale stays there. Every bit depth is computed in the 16 bits between filters. The first four options, \
unnamed, are in the order of FFmpeg's `eq`, which this filter answers to. `eq` counts in codes from 0 to 255 of limited range too, so \
that brightness does a little more there. Chroma is moved by `levels=offset=0.02:planes=u`.

Accuracy: functions of one component are the nearest of 16 bits, from 64-bit floats with functions that are the same on every \
machine. Colours are integers with factors in 1/16384, in 1/8192 or less where they are large, and one rounding for vibrance and one \
for the rest. Grey stays exactly grey.

Cost: that of a copy, and one look into a table for each sample that is no chroma.",
    schema: AdjustParams::SCHEMA,
    accepts: |format| !format.is_yc48(),
    footprint: Footprint::Point,
    temporal: "",
    changes: &[],
    neutral: &["", "contrast=1:saturation=1"],
    cases: &[
        "contrast=1.2:brightness=0.03:saturation=1.2:gamma=1.1:vibrance=0.3:hue=5",
        "contrast=1.5:brightness=-0.1",
        "saturation=2:hue=120",
        "vibrance=-0.8",
        "gamma=0.6:vibrance=1",
    ],
    create: point::create::<AdjustParams>,
};

impl Pointwise for AdjustParams {
    const DESCRIPTOR: &'static Descriptor = &DESCRIPTOR;

    fn points(&self, input: &StreamInfo) -> Points {
        let format = input.format;
        let is_light = |component: usize| component < format.components() && !format.is_chroma(component);
        let is_neutral = (self.contrast, self.brightness, self.gamma) == (1.0, 0.0, 1.0);
        let mut points = Points::of_maps(from_fn(|component| {
            (is_light(component) && !is_neutral).then(|| self.light(input, component))
        }));
        if let Some(vibrance) = self.stronger(input) {
            points.push(Step::Vibrance(vibrance));
        }
        let mix = match format.model() {
            Model::Gray => None,
            Model::Yuv => turned_chroma(self.saturation, self.hue),
            Model::Rgb => turned_rgb(self.saturation, self.hue),
        };
        if let Some(mix) = mix {
            points.push(Step::Mix(mix));
        }
        points
    }
}

impl AdjustParams {
    /// Contrast, brightness and gamma.
    fn light(&self, input: &StreamInfo, component: usize) -> Map {
        let AdjustParams { contrast, brightness, gamma, .. } = *self;
        Nominal::of(input, component).map(move |x| point::gamma(contrast * (x - 0.5) + 0.5 + brightness, gamma))
    }

    /// Vibrance.
    fn stronger(&self, input: &StreamInfo) -> Option<Vibrance> {
        let white = white(input.format.bit_depth());
        let is_rgb = input.format.model() == Model::Rgb;
        let full = match (input.format.model(), input.is_full_range()) {
            (Model::Gray, _) => return None,
            (Model::Yuv, true) => white / 2,
            (Model::Yuv, false) => LIMITED_CHROMA / 2,
            (Model::Rgb, true) => white,
            (Model::Rgb, false) => LIMITED_LUMA,
        };
        Vibrance::new(self.vibrance, full, is_rgb)
    }
}

/// R, G and B, scaled about their luma and turned as Cb and Cr are by `hue` degrees. `None` where that changes nothing.
fn turned_rgb(saturation: f64, hue: f64) -> Option<Mix> {
    let [red, green, blue] = LUMA.map(|weight| f64::from(weight) / 32768.0);
    let turn = hue * (std::f64::consts::PI / 180.0);
    let (along, across) = (saturation * libm::cos(turn), saturation * libm::sin(turn));
    // Cr is R − Y over the one, Cb is B − Y over the other.
    let (of_cr, of_cb) = (2.0 * (1.0 - red), 2.0 * (1.0 - blue));
    let (red_less, blue_less) = ([1.0 - red, -green, -blue], [-red, -green, 1.0 - blue]);
    let made_red = from_fn(|i| along * red_less[i] + across * of_cr / of_cb * blue_less[i]);
    let made_blue = from_fn(|i| along * blue_less[i] - across * of_cb / of_cr * red_less[i]);
    let made_green = from_fn(|i| -(red * made_red[i] + blue * made_blue[i]) / green);
    let with_luma = |row: [f64; 3]| [row[0] + red, row[1] + green, row[2] + blue];
    Mix::new([made_red, made_green, made_blue].map(with_luma)).map(Mix::keeping_grey)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filters::point::table;
    use crate::filters::testing::{digest, picture, run_inputs, samples};
    use crate::video::Format;

    /// One pixel of `format`.
    fn pixel(text: &str, format: &str, values: [i32; 3]) -> [i32; 3] {
        let out = run_inputs(text, &[&[picture(format.parse().unwrap(), 1, 1, |c, _, _| values[c])]]);
        [0, 1, 2].map(|component| samples(&out, component)[0])
    }

    #[test]
    fn tables_and_factors_are_the_same_on_every_platform() {
        let input = StreamInfo::bare("yuv420p10".parse().unwrap(), 2, 2);
        let of = |step: u32| {
            let (contrast, brightness) = (f64::from(step) / 8.0, f64::from(step) / 40.0 - 0.3);
            let gamma = f64::from(step) / 9.0;
            table(AdjustParams { contrast, brightness, gamma, ..AdjustParams::default() }.light(&input, 0))
        };
        let tables = digest((1..24).flat_map(of));
        let of = |step: i32| {
            let mix = turned_rgb(f64::from(step.abs()) / 75.0, f64::from(step) * 0.8);
            mix.map_or_else(Vec::new, |mix| [&mix.of.concat()[..], &[mix.bits as i32]].concat())
        };
        let factors = digest((-225..=225).flat_map(of).map(|factor| u64::from(factor.cast_unsigned())));
        let of = |step: i32| Vibrance::new(f64::from(step) / 100.0, 28672, false).map_or(0, |v| v.slope);
        let slopes = digest((-100..=100).map(of).map(|slope| u64::from(slope.cast_unsigned())));
        assert_eq!([tables, factors, slopes], [0xaea7_386f_c77f_de4f, 0xb549_0327_c6ec_8cbf, 0xc8d4_87b5_148c_1e8f]);
    }

    #[test]
    fn luma_has_contrast_brightness_and_gamma() {
        let luma = |text: &str, value| pixel(text, "yuv444p", [value, 128, 128])[0];
        // Middle grey of limited range is 125.5: 16 is 109.5 below, 130 is 4.5 above.
        assert_eq!([16, 130].map(|v| luma("adjust=contrast=0.5", v)), [71, 128]);
        // A tenth of 219 is 21.9.
        assert_eq!([16, 100].map(|v| luma("adjust=brightness=0.1", v)), [38, 122]);
        // 71 is 55/219 above black: its root is 0.50114 of 219, 109.75.
        assert_eq!(luma("adjust=gamma=2", 71), 126);
        // 2·(x − ½) + ½ + 0.1, then squared: x = ½ + 1/219 is 0.6091, squared 0.3710, 81.3 above black.
        assert_eq!(luma("adjust=2:0.1:1:0.5", 126), 96);
    }

    #[test]
    fn chroma_is_that_of_saturation() {
        let values = [30_000, 33_768, 32_368];
        for args in ["saturation=1.3:hue=20", "saturation=2.5:hue=-170", "saturation=0"] {
            let ours = pixel(&format!("adjust={args}"), "yuv444p16", values);
            assert_eq!(ours, pixel(&format!("saturation={args}"), "yuv444p16", values), "{args}");
        }
    }

    #[test]
    fn vibrance_is_for_weak_colours() {
        let chroma = |text: &str, cb, cr| pixel(text, "yuv444p16", [30_000, 32768 + cb, 32768 + cr]);
        // The strongest are 28672 from the middle. 7168 is a quarter of that: 1 + 0.5·0.75 is 1.375.
        assert_eq!(chroma("adjust=vibrance=0.5", 7168, -800), [30_000, 32768 + 9856, 32768 - 1100]);
        assert_eq!(chroma("adjust=vibrance=-1", 7168, -800), [30_000, 32768 + 1792, 32768 - 200]);
        // What is as strong as that stays, and so does grey.
        for (cb, cr) in [(0, 0), (28672, 100), (-30000, 30000)] {
            assert_eq!(chroma("adjust=vibrance=0.9", cb, cr), [30_000, 32768 + cb, 32768 + cr]);
        }
    }

    #[test]
    fn grey_of_rgb_stays_grey() {
        for args in ["saturation=3:hue=77", "vibrance=1", "vibrance=-1:saturation=0.3:hue=-160"] {
            for grey in [0, 1, 7777, 32_768, 50_001, 65_535] {
                assert_eq!(pixel(&format!("adjust={args}"), "gbrp16", [grey; 3]), [grey; 3], "{args}");
            }
        }
    }

    #[test]
    fn colours_of_rgb_keep_their_luma() {
        let luma = |rgb: [i32; 3]| LUMA.iter().zip(rgb).map(|(weight, value)| weight * (value >> 8)).sum::<i32>() >> 7;
        let color = [30_000, 20_000, 26_000];
        for args in ["saturation=1.5", "saturation=0.5:hue=45", "hue=180", "vibrance=0.7", "saturation=0"] {
            let made = pixel(&format!("adjust={args}"), "gbrp16", color);
            assert!((luma(made) - luma(color)).abs() < 200, "{args}: {made:?}");
            assert_ne!(made, color, "{args}");
        }
        // Without colours all are luma: 0.2126·30000 + 0.7152·20000 + 0.0722·26000 = 22559.
        let grey = pixel("adjust=saturation=0", "gbrp16", color);
        assert!(grey.iter().all(|value| (value - 22_559).abs() <= 6), "{grey:?}");
        // Half a turn: as far on the other side of it.
        let turned = pixel("adjust=hue=180", "gbrp16", color);
        assert!(turned.iter().zip(color).all(|(a, b)| (a + b - 2 * 22_559).abs() <= 12), "{turned:?}");
    }

    #[test]
    fn every_factor_leaves_room_in_32_bits() {
        for hue in (-180..=180).map(f64::from) {
            let mix = turned_rgb(3.0, hue).unwrap();
            assert!(mix.bits >= 12, "{hue}: {mix:?}");
        }
    }

    #[test]
    fn names_of_others_are_understood() {
        let call = |text: &str| crate::filters::chain(text).map(|made| made[0].call().to_string());
        assert_eq!(call("eq=1.5:0.1:1.2:0.9").unwrap(), "adjust=contrast=1.5:brightness=0.1:saturation=1.2:gamma=0.9");
        assert_eq!(call("eq=contrast=1.5").unwrap(), "adjust=contrast=1.5");
        assert!(call("eq=gamma_r=1.5").unwrap_err().message().contains("planes=r"));
        assert!(Format::gray(8).is_ok_and(|gray| (DESCRIPTOR.accepts)(gray)));
    }
}
