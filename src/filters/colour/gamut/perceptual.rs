//! Colours outside brought inside with their hue and their intensity as they are seen, in IC_TC_P of ITU-R BT.2100.

use crate::filters::colour::primaries::{Matrix, Primaries, apply, inverse, product};
use crate::filters::curve::{PQ_PEAK, Transfer};

/// How much of the distance from grey to the edge of what can be shown stays as it is.
const KNEE: f64 = 0.8;
/// How many times as far from grey as a colour the source's edge is looked for.
const FURTHEST: f64 = 4.0;
/// Halvings of an interval in which an edge lies.
const HALVINGS: usize = 14;
/// Light that is no further outside is inside.
const SLACK: f64 = 1e-6;

/// BT.2100's cones of linear BT.2020.
const CONES: Matrix = [
    [1688.0 / 4096.0, 2146.0 / 4096.0, 262.0 / 4096.0],
    [683.0 / 4096.0, 2951.0 / 4096.0, 462.0 / 4096.0],
    [99.0 / 4096.0, 309.0 / 4096.0, 3688.0 / 4096.0],
];
/// And intensity and colour of these, as PQ.
const OPPONENTS: Matrix = [
    [0.5, 0.5, 0.0],
    [6610.0 / 4096.0, -13613.0 / 4096.0, 7003.0 / 4096.0],
    [17933.0 / 4096.0, -17390.0 / 4096.0, -543.0 / 4096.0],
];

/// From the colours of a source to those of a target.
pub struct Perceptual {
    /// From the target's light to cones and back.
    cones: Matrix,
    lights: Matrix,
    /// From opponents to cones.
    from_opponents: Matrix,
    /// From the target's light to the source's.
    to_source: Matrix,
    /// White, in parts of 10,000 cd/m².
    white: f64,
}

impl Perceptual {
    /// From `source` to `target`, whose white has `white` cd/m².
    pub fn new(source: Primaries, target: Primaries, white: f64) -> Perceptual {
        let cones = product(CONES, target.to(Primaries::BT2020));
        Perceptual {
            cones,
            lights: inverse(cones),
            from_opponents: inverse(OPPONENTS),
            to_source: target.to(source),
            white: white / PQ_PEAK,
        }
    }

    /// The colour nearest to `rgb` that the target has, both of its light with white at 1.
    pub fn inside(&self, rgb: [f64; 3]) -> [f64; 3] {
        let seen = apply(OPPONENTS, apply(self.cones, rgb).map(|cone| Transfer::Pq.code((cone * self.white).max(0.0))));
        // Brighter than white is white.
        let seen = [seen[0].min(Transfer::Pq.code(self.white)), seen[1], seen[2]];
        if is_inside(self.at(seen, 1.0 / KNEE)) {
            return rgb;
        }
        let edge = last(0.0, 1.0 / KNEE, |times| is_inside(self.at(seen, times)));
        let of_source = last(1.0, FURTHEST, |times| is_inside(apply(self.to_source, self.at(seen, times))));
        // The distance from grey, where the target's edge is 1.
        let distance = 1.0 / edge.max(1e-3);
        self.at(seen, shrunk(distance, of_source * distance) / distance).map(|light| light.clamp(0.0, 1.0))
    }

    /// The light of a colour `times` as far from grey.
    fn at(&self, [intensity, tritan, protan]: [f64; 3], times: f64) -> [f64; 3] {
        let codes = apply(self.from_opponents, [intensity, tritan * times, protan * times]);
        apply(self.lights, codes.map(|code| Transfer::Pq.light(code) / self.white))
    }
}

fn is_inside(rgb: [f64; 3]) -> bool {
    rgb.iter().all(|light| (-SLACK..=1.0 + SLACK).contains(light))
}

/// The end of the part of `from` to `to` that begins with `from` and in which `holds`.
fn last(from: f64, to: f64, holds: impl Fn(f64) -> bool) -> f64 {
    let mut ends = [from, to];
    for _ in 0..HALVINGS {
        let middle = (ends[0] + ends[1]) / 2.0;
        ends[usize::from(!holds(middle))] = middle;
    }
    ends[0]
}

/// What a distance from grey becomes where distances up to `furthest` have to fit below 1: the knee stays, and behind it a
/// hyperbola leaves in the same direction.
fn shrunk(distance: f64, furthest: f64) -> f64 {
    if distance <= KNEE {
        return distance;
    }
    let past = distance - KNEE;
    let bend = (1.0 / (1.0 - KNEE) - 1.0 / (furthest - KNEE)).max(0.0);
    KNEE + past / (1.0 + past * bend)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filters::testing::digest;

    /// Its cube is made of these.
    #[test]
    fn colours_are_the_same_on_every_platform() {
        let of = |i: u32| {
            let rgb = [i % 9, i / 9 % 9, i / 81].map(|part| f64::from(part) / 8.0);
            TO_709().inside(apply(Primaries::BT2020.to(Primaries::BT709), rgb)).map(f64::to_bits)
        };
        assert_eq!(digest((0..729).flat_map(of)), 16903356269351705031);
    }

    const TO_709: fn() -> Perceptual = || Perceptual::new(Primaries::BT2020, Primaries::BT709, 203.0);

    #[test]
    fn greys_and_pale_colours_stay() {
        for rgb in [[0.0; 3], [0.001; 3], [0.5; 3], [1.0; 3], [0.5, 0.4, 0.35], [0.1, 0.2, 0.22]] {
            let inside = TO_709().inside(rgb);
            assert!((0..3).all(|i| (inside[i] - rgb[i]).abs() < 1e-4), "{rgb:?} becomes {inside:?}");
        }
    }

    /// Colours of BT.2020, its edges among them: intensity and hue stay, saturation falls, and order stays.
    #[test]
    fn hue_and_intensity_stay() {
        let (map, from) = (TO_709(), Primaries::BT2020.to(Primaries::BT709));
        let seen =
            |rgb| apply(OPPONENTS, apply(map.cones, rgb).map(|cone: f64| Transfer::Pq.code(cone.max(0.0) * map.white)));
        for i in 0..64 {
            let wide = [i & 3, i >> 2 & 3, i >> 4].map(|part| f64::from(part) / 3.0 * 0.9 + 0.02);
            let (was, made) = (apply(from, wide), map.inside(apply(from, wide)));
            assert!(is_inside(made), "{wide:?} becomes {made:?}");
            let ([a, b, c], [d, e, f]) = (seen(was), seen(made));
            assert!((a - d).abs() < 2e-3, "{wide:?}: intensity {a} becomes {d}");
            assert!((b * f - c * e).abs() < 2e-4, "{wide:?}: hue of {b} {c} becomes that of {e} {f}");
            assert!(e.hypot(f) <= b.hypot(c) + 1e-4, "{wide:?}");
        }
        // Up to where red is as strong as it can be; from there on it gets paler.
        let reds: Vec<f64> = (0..60).map(|i| map.inside(apply(from, [f64::from(i) / 100.0, 0.0, 0.0]))[0]).collect();
        assert!(reds.windows(2).all(|pair| pair[1] > pair[0]), "{reds:?}");
    }

    #[test]
    fn distances_fit() {
        assert_eq!((shrunk(0.5, 1.5), shrunk(0.8, 1.5)), (0.5, 0.8));
        assert!((shrunk(1.5, 1.5) - 1.0).abs() < 1e-12 && shrunk(1.2, 1.5) < 1.0);
        assert!((shrunk(0.8001, 1.5) - 0.8001).abs() < 1e-6, "no bend at the knee");
    }
}
