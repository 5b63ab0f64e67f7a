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

/// A tone curve between two ranges, in cd/m².
#[derive(Clone, Copy, Debug)]
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
}

impl Tone {
    /// From `source` to `target`.
    pub fn new(curve: ToneCurve, param: Option<f64>, source: (f64, f64), target: (f64, f64)) -> Tone {
        Tone { curve, param, source, target, codes: [source.0, source.1, target.0, target.1].map(pq) }
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

    /// The knees of source and target on PQ's codes, between their ends.
    fn knees(&self) -> ((f64, f64, f64), (f64, f64, f64)) {
        let [i0, i1, o0, o1] = self.codes;
        let mix = |a: f64, b: f64, t: f64| a + (b - a) * t;
        let within = |value: f64, a: f64, b: f64| value.clamp(mix(a, b, 0.1), mix(a, b, 0.8));
        let smooth = |from: f64, to: f64, x: f64| {
            let t = ((x - from) / (to - from)).clamp(0.0, 1.0);
            t * t * (3.0 - 2.0 * t)
        };
        let knee = within(mix(i0, i1, 0.4), i0, i1);
        let t = (knee - i0) / (i1 - i0);
        let adapted = mix(0.4, 1.0, 1.0 - smooth(0.8, 0.4, t) * smooth(0.1, 0.4, t));
        ((i0, knee, i1), (o0, within(mix(knee, mix(o0, o1, t), adapted), o0, o1), o1))
    }

    fn spline(&self, code: f64) -> f64 {
        let ((i0, knee, i1), (o0, out, o1)) = self.knees();
        let contrast = self.param.unwrap_or(0.5);
        let slope = (out - o0) / (knee - i0);
        let slope = libm::pow(slope, (1.0 - contrast) * (1.5 * (i1 / o1 - 1.0)).clamp(0.2, 1.2));
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

    /// (c1 + c2·x) / (1 + c3·x) through the ends and the knee, in cd/m².
    fn st2094_10(&self, luminance: f64) -> f64 {
        let ((i0, knee, i1), (o0, out, o1)) = self.knees();
        let [x1, x2, x3] = [i0, knee, i1].map(nits);
        let [y1, y2, y3] = [o0, out, o1].map(nits);
        // c3 from the two differences that c1 has left, then the others.
        let (a, b) = ((y2 - y1) / (x2 - x1), (y3 - y2) / (x3 - x2));
        let (d, e) = ((x2 * y2 - x1 * y1) / (x2 - x1), (x3 * y3 - x2 * y2) / (x3 - x2));
        let c3 = (a - b) / (e - d);
        let c2 = a + c3 * d;
        let c1 = y1 + c3 * x1 * y1 - c2 * x1;
        let x = luminance.max(x1);
        (c1 + c2 * x) / (1.0 + c3 * x)
    }
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
        Tone::new(curve, None, (0.0, peak), (0.0, 203.0))
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
        let report = Tone::new(ToneCurve::Bt2390, Some(0.5), (0.0, 1000.0), (0.0, 100.0));
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
    fn what_fits_stays() {
        for curve in [ToneCurve::Bt2390, ToneCurve::Mobius, ToneCurve::Reinhard, ToneCurve::Gamma, ToneCurve::Clip] {
            assert!((tone(curve, 203.0).map(100.0) - 100.0 / 203.0).abs() < 1e-9, "{curve:?}");
        }
    }
}
