//! Tone curves in 64 bits: from the luminance of the source to that of the target.

use crate::filters::curve::{nits, pq};

crate::choices! {
    /// Curves.
    pub enum ToneCurve {
        /// ITU-R BT.2390, the EETF.
        Bt2390 = "bt2390",
        /// ITU-R BT.2446, method A.
        Bt2446a = "bt2446a",
        /// ITU-R BT.2446, method C.
        Bt2446c = "bt2446c",
        /// Two polynomials that meet at the scene's knee.
        Spline = "spline",
        /// John Hable's filmic curve.
        Hable = "hable",
        /// A Möbius transform behind a straight part.
        Mobius = "mobius",
        /// Erik Reinhard's simple curve.
        Reinhard = "reinhard",
        /// A power behind a straight part.
        Gamma = "gamma",
        /// A straight line to the peak.
        Linear = "linear",
        /// Nothing but a limit.
        Clip = "clip",
        /// SMPTE ST 2094-10's rational curve.
        St2094_10 = "st2094_10",
    }
    spelled by dashed;
}

/// "st2094-10", as the standard has it.
fn dashed(word: &str, text: &str) -> bool {
    text.replace('-', "_").eq_ignore_ascii_case(word)
}

impl ToneCurve {
    /// Whether it has a knee that may lie where the scene's mean is.
    pub fn has_knee(self) -> bool {
        matches!(self, ToneCurve::Spline | ToneCurve::St2094_10)
    }
}

/// A tone curve between two ranges, in cd/m².
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tone {
    /// The curve.
    pub curve: ToneCurve,
    /// Its own parameter.
    pub param: Option<f64>,
    /// Darkest and brightest of the source.
    pub source: (f64, f64),
    /// Black and white of the target.
    pub target: (f64, f64),
    /// PQ's codes of all four.
    codes: [f64; 4],
    knee: Knee,
}

/// What is worked out once of the curves with a knee.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Knee {
    /// PQ's codes, in source and target.
    source: f64,
    target: f64,
    /// Of the spline, there.
    slope: f64,
    /// Where the rational curve begins, in cd/m²: (c1 + c2·x) / (1 + c3·x) through the ends and the knee.
    darkest: f64,
    rational: [f64; 3],
}

impl Tone {
    /// From `source` to `target`. Knees lie at `mean`, where the scene's is known.
    pub fn new(
        curve: ToneCurve,
        param: Option<f64>,
        source: (f64, f64),
        mean: Option<f64>,
        target: (f64, f64),
    ) -> Tone {
        let codes = [source.0, source.1, target.0, target.1].map(pq);
        let knee = Knee::new(codes, mean.map(pq), param.unwrap_or(0.5));
        Tone { curve, param, source, target, codes, knee }
    }

    /// The same curve for a source with this peak, and a scene with this mean where one is known.
    pub fn for_scene(&self, peak: f64, mean: Option<f64>) -> Tone {
        Tone::new(self.curve, self.param, (self.source.0, peak), mean, self.target)
    }

    /// What `luminance` becomes, as a part of the target's range: black is 0 and white 1.
    pub fn map(&self, luminance: f64) -> f64 {
        let (black, white) = self.target;
        let (darkest, brightest) = self.source;
        let from = luminance.clamp(0.0, brightest);
        // In parts of white.
        let (x, peak) = (from / white, brightest / white);
        let of_nits = |nits: f64| (nits - black) / (white - black);
        let fits = brightest <= white;
        let made = match self.curve {
            ToneCurve::Bt2390 => of_nits(nits(self.bt2390(pq(from)))),
            ToneCurve::Bt2446a => self.bt2446a(from / brightest),
            ToneCurve::Bt2446c => bt2446c(from) / bt2446c(brightest).max(100.0),
            ToneCurve::Spline if fits => of_nits(from.max(darkest)),
            ToneCurve::Spline => of_nits(nits(self.spline(pq(from)))),
            ToneCurve::St2094_10 if fits => of_nits(from.max(darkest)),
            ToneCurve::St2094_10 => of_nits(self.st2094_10(from)),
            ToneCurve::Hable => hable(x) / hable(peak),
            ToneCurve::Mobius if !fits => mobius(x, peak, self.param.unwrap_or(0.3)),
            ToneCurve::Reinhard if !fits => {
                let contrast = self.param.unwrap_or(0.5);
                let offset = (1.0 - contrast) / contrast;
                x / (x + offset) * (peak + offset) / peak
            }
            ToneCurve::Gamma if !fits => {
                let cut = self.param.unwrap_or(0.05).max(1e-3);
                if x <= cut { x } else { libm::pow(x / peak, libm::log(cut) / libm::log(cut / peak)) }
            }
            ToneCurve::Linear => x / peak * self.param.unwrap_or(1.0),
            ToneCurve::Clip => x * self.param.unwrap_or(1.0),
            ToneCurve::Mobius | ToneCurve::Reinhard | ToneCurve::Gamma => x,
        };
        made.clamp(0.0, 1.0)
    }

    /// On PQ's codes: a Hermite spline from the knee to the target's white, and black lifted.
    fn bt2390(&self, code: f64) -> f64 {
        let [low, high, black, white] = self.codes;
        let part = |code: f64| (code - low) / (high - low);
        let (least, most, e) = (part(black), part(white), part(code));
        let offset = self.param.unwrap_or(1.0);
        let knee = ((1.0 + offset) * most - offset).max(0.0);
        let bent = if e < knee || most >= 1.0 {
            e
        } else {
            let t = (e - knee) / (1.0 - knee);
            let (t2, t3) = (t * t, t * t * t);
            (2.0 * t3 - 3.0 * t2 + 1.0) * knee + (t3 - 2.0 * t2 + t) * (1.0 - knee) + (3.0 * t2 - 2.0 * t3) * most
        };
        let rest = (1.0 - bent).max(0.0);
        (bent + least * rest * rest * rest * rest) * (high - low) + low
    }

    /// On parts of the source's peak; the parts of white that come of it.
    fn bt2446a(&self, part: f64) -> f64 {
        let rho = |nits: f64| 1.0 + 32.0 * libm::pow(nits / 10_000.0, 1.0 / 2.4);
        let (hdr, sdr) = (rho(self.source.1), rho(self.target.1));
        let perceived = libm::log(1.0 + (hdr - 1.0) * libm::pow(part, 1.0 / 2.4)) / libm::log(hdr);
        let bent = match perceived {
            p if p <= 0.7399 => 1.0770 * p,
            p if p < 0.9909 => -1.1510 * p * p + 2.7811 * p - 0.6302,
            p => 0.5 * p + 0.5,
        };
        libm::pow((libm::pow(sdr, bent) - 1.0) / (sdr - 1.0), 2.4)
    }

    fn spline(&self, code: f64) -> f64 {
        let [i0, i1, o0, o1] = self.codes;
        let Knee { source: knee, target: out, slope, .. } = self.knee;
        let (i0, o0, i1, o1) = (i0 - knee, o0 - out, i1 - knee, o1 - out);
        let x = code.max(i0 + knee) - knee;
        out + if x <= 0.0 {
            let p = (o0 - slope * i0) / (i0 * i0);
            (p * x + slope) * x
        } else {
            let rest = slope * i1 - o1;
            ((rest / (2.0 * i1 * i1 * i1) * x - 3.0 * rest / (2.0 * i1 * i1)) * x + slope) * x
        }
    }

    fn st2094_10(&self, luminance: f64) -> f64 {
        let ([c1, c2, c3], x) = (self.knee.rational, luminance.max(self.knee.darkest));
        (c1 + c2 * x) / (1.0 + c3 * x)
    }
}

impl Knee {
    /// Between ends at `codes`, darkest and brightest of the source before those of the target, at `mean` or else at its usual place.
    fn new(codes: [f64; 4], mean: Option<f64>, contrast: f64) -> Knee {
        let [i0, i1, o0, o1] = codes;
        let mix = |a: f64, b: f64, t: f64| a + (b - a) * t;
        let within = |value: f64, a: f64, b: f64| value.clamp(mix(a, b, 0.1), mix(a, b, 0.8));
        let smooth = |from: f64, to: f64, x: f64| {
            let t = ((x - from) / (to - from)).clamp(0.0, 1.0);
            t * t * (3.0 - 2.0 * t)
        };
        let knee = within(mean.unwrap_or(mix(i0, i1, 0.4)), i0, i1);
        let t = (knee - i0) / (i1 - i0);
        let adapted = mix(0.4, 1.0, 1.0 - smooth(0.8, 0.4, t) * smooth(0.1, 0.4, t));
        let out = within(mix(knee, mix(o0, o1, t), adapted), o0, o1);
        let slope = (out - o0) / (knee - i0);
        let slope = libm::pow(slope, (1.0 - contrast) * (1.5 * (i1 / o1 - 1.0)).clamp(0.2, 1.2));
        let (darkest, rational) = rational([i0, knee, i1].map(nits), [o0, out, o1].map(nits));
        Knee { source: knee, target: out, slope, darkest, rational }
    }
}

/// Where the rational curve through three points begins, and its c1, c2 and c3.
fn rational([x1, x2, x3]: [f64; 3], [y1, y2, y3]: [f64; 3]) -> (f64, [f64; 3]) {
    // c3 from the two differences that c1 has left, then the others.
    let (a, b) = ((y2 - y1) / (x2 - x1), (y3 - y2) / (x3 - x2));
    let (d, e) = ((x2 * y2 - x1 * y1) / (x2 - x1), (x3 * y3 - x2 * y2) / (x3 - x2));
    let c3 = (a - b) / (e - d);
    let c2 = a + c3 * d;
    (x1, [y1 + c3 * x1 * y1 - c2 * x1, c2, c3])
}

/// BT.2446's method C, in cd/m²: 100 is SDR's white.
fn bt2446c(luminance: f64) -> f64 {
    const K1: f64 = 0.838_02;
    const K2: f64 = 15.099_68;
    const K3: f64 = 0.742_04;
    const K4: f64 = 78.994_39;
    const BEND: f64 = 58.535 / K1;
    if luminance < BEND { K1 * luminance } else { K2 * libm::log(luminance / BEND - K3) + K4 }
}

fn hable(x: f64) -> f64 {
    const A: f64 = 0.15;
    const B: f64 = 0.50;
    const C: f64 = 0.10;
    const D: f64 = 0.20;
    const E: f64 = 0.02;
    const F: f64 = 0.30;
    (x * (A * x + C * B) + D * E) / (x * (A * x + B) + D * F) - E / F
}

fn mobius(x: f64, peak: f64, straight: f64) -> f64 {
    let j = straight.min(0.999);
    if x <= j {
        return x;
    }
    let a = -j * j * (peak - 1.0) / (j * j - 2.0 * j + peak);
    let b = (j * j - 2.0 * j * peak + peak) / (peak - 1.0);
    (b * b + 2.0 * b * j + j * j) / (b - a) * (x + a) / (x + b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Choice;

    fn tone(curve: ToneCurve, peak: f64) -> Tone {
        Tone::new(curve, None, (0.0, peak), None, (0.0, 203.0))
    }

    #[test]
    fn every_curve_rises_from_black_to_white() {
        for (curve, peak) in ToneCurve::ALL.iter().flat_map(|curve| [400.0, 1000.0, 4000.0].map(|peak| (*curve, peak)))
        {
            let tone = tone(curve, peak);
            let all: Vec<f64> = (0..=2000).map(|i| tone.map(peak * f64::from(i) / 2000.0)).collect();
            assert!(all[0].abs() < 1e-6 && (all[2000] - 1.0).abs() < 1e-3, "{curve:?} {peak}: {all:?}");
            assert!(all.windows(2).all(|pair| pair[1] >= pair[0] - 1e-9), "{curve:?} {peak} falls");
        }
    }

    /// The report's example: 1000 cd/m² on a display of 100 with a knee of 1.5 maxLum − 0.5.
    #[test]
    fn values_worked_out_by_hand() {
        let report = Tone::new(ToneCurve::Bt2390, Some(0.5), (0.0, 1000.0), None, (0.0, 100.0));
        // pq(100)/pq(1000) = 0.50808/0.75183 = 0.67579: the knee is 0.51369 of 0.75183, PQ 0.38621, 27.9 cd/m². Beyond it 60 are 52.4.
        assert!((report.map(20.0) - 0.2).abs() < 1e-9 && (report.map(60.0) - 0.523_542).abs() < 1e-6);
        // Hable: h(x) at white with a peak of 1000/203: h(1) = 0.2225/0.71 − 1/15 = 0.24671; h(4.926) = 3.8902/6.1630 − 1/15.
        let h = |x: f64| (x * (0.15 * x + 0.05) + 0.004) / (x * (0.15 * x + 0.5) + 0.06) - 1.0 / 15.0;
        assert!((tone(ToneCurve::Hable, 1000.0).map(203.0) - h(1.0) / h(1000.0 / 203.0)).abs() < 1e-12);
        // Reinhard with contrast 0.5: x/(x + 1)·(p + 1)/p.
        let p = 1000.0 / 203.0;
        assert!((tone(ToneCurve::Reinhard, 1000.0).map(203.0) - 0.5 * (p + 1.0) / p).abs() < 1e-12);
        // Method C: 100 cd/m² is beyond the bend at 69.85: 15.09968·ln(100/69.849 − 0.74204) + 78.99439.
        let c = 15.099_68 * libm::log(100.0 / 69.849_168 - 0.742_04) + 78.994_39;
        assert!((bt2446c(100.0) - c).abs() < 1e-6 && (bt2446c(69.0) - 0.838_02 * 69.0).abs() < 1e-9);
    }

    #[test]
    fn knees_lie_at_the_mean() {
        let of = |curve, mean| Tone::new(curve, None, (0.0, 1000.0), Some(mean), (0.0, 203.0));
        for curve in [ToneCurve::Spline, ToneCurve::St2094_10] {
            for mean in [5.0, 20.0, 60.0] {
                let tone = of(curve, mean);
                assert!((tone.knee.source - pq(mean)).abs() < 1e-12, "{curve:?} {mean}");
                assert!((pq(203.0 * tone.map(mean)) - tone.knee.target).abs() < 1e-9, "{curve:?} {mean}");
                let all: Vec<f64> = (0..=500).map(|i| tone.map(2.0 * f64::from(i))).collect();
                assert!(all.is_sorted() && all[0] < 1e-9 && all[500] > 1.0 - 1e-9, "{curve:?} {mean}");
            }
            // PQ of 1000 cd/m² is 0.7518: no knee is below 0.0752, where 0.17 cd/m² are, nor above 0.6015, 247 cd/m².
            assert!(of(curve, 0.1) == of(curve, 0.01) && of(curve, 0.25) != of(curve, 0.1));
            assert!(of(curve, 260.0) == of(curve, 900.0) && of(curve, 230.0) != of(curve, 260.0));
            // Where no mean is known, it is 0.4 of that: 0.3007, 10.13 cd/m².
            let usual = tone(curve, 1000.0);
            assert!((usual.map(100.0) - of(curve, 10.1316).map(100.0)).abs() < 1e-5);
        }
        // With 20 cd/m², 0.3570, its knee is 0.3200 of PQ; 100 cd/m² were worked out with another program.
        assert!((of(ToneCurve::Spline, 20.0).knee.target - 0.320_022).abs() < 1e-6);
        assert!((of(ToneCurve::Spline, 20.0).map(100.0) - 0.254_999).abs() < 1e-6);
        assert!((of(ToneCurve::St2094_10, 60.0).map(100.0) - 0.209_348).abs() < 1e-6);
    }

    #[test]
    fn what_fits_stays() {
        for curve in [ToneCurve::Bt2390, ToneCurve::Mobius, ToneCurve::Reinhard, ToneCurve::Gamma, ToneCurve::Clip] {
            assert!((tone(curve, 203.0).map(100.0) - 100.0 / 203.0).abs() < 1e-9, "{curve:?}");
        }
    }
}
