//! Samples in floating point, which are filtered in 16 bits.
//!
//! Filters that smooth samples where they are give float back what 16 bits do not hold: the result is the source plus the
//! difference that the filters made. So HDR, negative values and untouched samples survive them ([`carries`]).
//!
//! Luma, grey, R, G and B go from 0 (black) to 1 (white), Cb and Cr from −0.5 to 0.5, in limited range as in full. So
//! limited range keeps what lies a little beyond black and white.

use vramp::pipeline::{ChainPlan, NumberScale};
use vramp::video::StreamInfo;

/// Filters whose difference has a meaning beside a value that they did not see: they move nothing, and add a little.
const SMOOTHING: &[&str] = &[
    "deband",
    "gradient",
    "bilateral",
    "surface_blur",
    "guided",
    "domain",
    "box",
    "gauss",
    "rgauss",
    "median",
    "unsharp",
    "stats",
];

/// Whether the chain's result is the source plus a difference.
pub fn carries(plan: &ChainPlan) -> bool {
    let (input, output) = (&plan.input, &plan.output);
    input.format == output.format
        && input.is_full_range() == output.is_full_range()
        && plan.is_frame_by_frame()
        && plan.sides.is_empty()
        && plan.stages.iter().all(|stage| SMOOTHING.contains(&stage.filter.descriptor().name))
}

/// How a component's samples map to 16 bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FloatScale {
    /// 16-bit steps from 0 to 1.
    gain: f32,
    /// The 16-bit value of 0.
    zero: f32,
}

impl FloatScale {
    /// That of component `component` of a 16-bit stream.
    pub fn of(stream: &StreamInfo, component: usize) -> FloatScale {
        match (stream.is_full_range(), stream.format.is_chroma(component)) {
            (true, false) => FloatScale { gain: 65535.0, zero: 0.0 },
            (true, true) => FloatScale { gain: 65535.0, zero: 32768.0 },
            (false, false) => FloatScale { gain: 219.0 * 256.0, zero: 16.0 * 256.0 },
            (false, true) => FloatScale { gain: 224.0 * 256.0, zero: 32768.0 },
        }
    }

    /// The same for the GPU.
    pub fn on_device(self) -> NumberScale {
        NumberScale { gain: self.gain, zero: self.zero }
    }

    /// Rounds `from` to 16 bits, half up; what lies beyond becomes the nearest value, and what is no number black.
    pub fn to_16_bits(self, from: &[f32], to: &mut [u16]) {
        let half_up = self.zero + 0.5;
        for (to, from) in to.iter_mut().zip(from) {
            // The conversion cuts, and keeps to the range of its type.
            *to = (from * self.gain + half_up) as u16;
        }
    }

    /// The numbers that 16 bits stand for.
    pub fn from_16_bits(self, from: &[u16], to: &mut [f32]) {
        for (to, from) in to.iter_mut().zip(from) {
            *to = self.number(*from);
        }
    }

    /// The number that 16 bits stand for.
    pub fn number(self, value: u16) -> f32 {
        (f32::from(value) - self.zero) / self.gain
    }

    /// How much a number grows whose 16 bits go from `before` to `after`.
    pub fn growth(self, before: u16, after: u16) -> f32 {
        (f32::from(after) - f32::from(before)) / self.gain
    }

    /// What `origin`, whose 16 bits are `before`, becomes where these become `after`: the change is added, and where there is none
    /// the result is `origin` to the bit. What is no finite number becomes one.
    pub fn carry(self, origin: &[f32], before: &[u16], after: &[u16], to: &mut [f32]) {
        for (to, ((origin, before), after)) in to.iter_mut().zip(origin.iter().zip(before).zip(after)) {
            // In this order, so that a number that 16 bits hold becomes exactly what they become.
            *to = match origin.is_finite() {
                true if before == after => *origin,
                true => self.number(*after) + (origin - self.number(*before)),
                false => self.number(*after),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vramp::video::{ColorInfo, Range};

    fn scale(format: &str, range: Range, component: usize) -> FloatScale {
        let color = ColorInfo { range, ..ColorInfo::default() };
        FloatScale::of(&StreamInfo { color, ..StreamInfo::bare(format.parse().unwrap(), 8, 8) }, component)
    }

    #[test]
    fn black_white_and_neutral_are_h273s() {
        for (format, range, component, numbers, values) in [
            ("gray16", Range::Full, 0, [0.0, 0.5, 1.0], [0, 32768, 65535]),
            ("gray16", Range::Limited, 0, [0.0, 0.5, 1.0], [16 << 8, 251 << 7, 235 << 8]),
            ("gray16", Range::Unspecified, 0, [0.0, 0.5, 1.0], [16 << 8, 251 << 7, 235 << 8]),
            ("gbrp16", Range::Unspecified, 2, [0.0, 0.5, 1.0], [0, 32768, 65535]),
            ("yuv420p16", Range::Full, 1, [-0.5, 0.0, 0.5], [1, 32768, 65535]),
            ("yuv420p16", Range::Limited, 2, [-0.5, 0.0, 0.5], [16 << 8, 128 << 8, 240 << 8]),
        ] {
            let mut got = [0; 3];
            scale(format, range, component).to_16_bits(&numbers, &mut got);
            assert_eq!(got, values, "{format} {range:?} {component}");
        }
    }

    #[test]
    fn what_is_beyond_is_kept_or_clipped() {
        let mut got = [0; 6];
        let wild = [1.05, -0.05, 2.0, f32::NEG_INFINITY, f32::INFINITY, f32::NAN];
        scale("gray16", Range::Limited, 0).to_16_bits(&wild, &mut got);
        assert_eq!(got, [62963, 1293, 65535, 0, 65535, 0]);
        scale("gray16", Range::Full, 0).to_16_bits(&wild, &mut got);
        assert_eq!(got, [65535, 0, 65535, 0, 65535, 0]);
    }

    #[test]
    fn a_difference_is_carried() {
        let full = scale("gbrp16", Range::Full, 0);
        // HDR, negative, between two steps, 1, 0 and not a number.
        let origin = [1.5, -0.2, 0.500_003, 1.0, 0.0, f32::NAN];
        let (mut before, mut to) = ([0; 6], [0.0; 6]);
        full.to_16_bits(&origin, &mut before);
        full.carry(&origin, &before, &before, &mut to);
        assert_eq!(to[..5], origin[..5], "nothing changed");
        assert_eq!(to[5], 0.0);
        let after = [before[0] - 655, before[1] + 655, before[2] + 655, 64880, 655, 655];
        full.carry(&origin, &before, &after, &mut to);
        let step = 655.0 / 65535.0;
        for (got, want) in to.iter().zip([1.5 - step, step - 0.2, 0.500_003 + step]) {
            assert!((got - want).abs() < 1e-6, "{got} {want}");
        }
        // What 16 bits hold becomes what they become, and so what is no number.
        assert_eq!(to[3..], [64880.0 / 65535.0, step, step]);
    }

    #[test]
    fn sixteen_bits_round_trip() {
        let all: Vec<u16> = (0..=u16::MAX).collect();
        for (format, component) in [("gray16", 0), ("yuv444p16", 1)] {
            for range in [Range::Full, Range::Limited] {
                let (mut numbers, mut back) = (vec![0.0; all.len()], vec![0; all.len()]);
                scale(format, range, component).from_16_bits(&all, &mut numbers);
                scale(format, range, component).to_16_bits(&numbers, &mut back);
                assert!(back == all, "{format} {range:?} {component}");
            }
        }
    }
}
