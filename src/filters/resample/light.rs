//! From code values to light and back, by tables.

use libm::{exp, log, pow};

/// Entries of the table from lanes to light.
pub const LANES: usize = 1 << 16;

/// The smallest light that the table back knows, as bits of a float: what is below becomes black.
pub const LEAST: u32 = (127 - 40) << 23;

/// Twice as much light, as many times, from there to four times white.
pub const OCTAVES: u32 = 42;

/// Bits of a float below those that name an entry of the table back, which has 256 for each octave.
pub const SHIFT: u32 = 15;

/// A curve from signals to light, both from 0 to 1 and beyond.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Curve {
    /// A power, as screens have it.
    Power(f64),
    /// IEC 61966-2-1.
    Srgb,
    /// SMPTE ST 2084.
    Pq,
    /// ARIB STD-B67: the light of the scene.
    Hlg,
}

impl Curve {
    /// That of a code point of H.273; unstated ones are BT.1886, the screen of BT.709.
    fn of(transfer: u8) -> Curve {
        match transfer {
            4 => Curve::Power(2.2),
            5 => Curve::Power(2.8),
            8 => Curve::Power(1.0),
            13 => Curve::Srgb,
            16 => Curve::Pq,
            18 => Curve::Hlg,
            _ => Curve::Power(2.4),
        }
    }

    fn light(self, signal: f64) -> f64 {
        match self {
            Curve::Power(gamma) => pow(signal, gamma),
            Curve::Srgb if signal <= 0.04045 => signal / 12.92,
            Curve::Srgb => pow((signal + 0.055) / 1.055, 2.4),
            Curve::Pq => {
                let root = pow(signal, 1.0 / PQ.m2);
                pow((root - PQ.c1).max(0.0) / (PQ.c2 - PQ.c3 * root), 1.0 / PQ.m1)
            }
            Curve::Hlg if signal <= 0.5 => signal * signal / 3.0,
            Curve::Hlg => (exp((signal - HLG.c) / HLG.a) + HLG.b) / 12.0,
        }
    }

    fn signal(self, light: f64) -> f64 {
        match self {
            Curve::Power(gamma) => pow(light, 1.0 / gamma),
            Curve::Srgb if light <= 0.04045 / 12.92 => light * 12.92,
            Curve::Srgb => 1.055 * pow(light, 1.0 / 2.4) - 0.055,
            Curve::Pq => {
                let root = pow(light, PQ.m1);
                pow((PQ.c1 + PQ.c2 * root) / (1.0 + PQ.c3 * root), PQ.m2)
            }
            Curve::Hlg if light <= 1.0 / 12.0 => (3.0 * light).sqrt(),
            Curve::Hlg => HLG.a * log(12.0 * light - HLG.b) + HLG.c,
        }
    }
}

struct PqConstants {
    m1: f64,
    m2: f64,
    c1: f64,
    c2: f64,
    c3: f64,
}

const PQ: PqConstants = PqConstants {
    m1: 2610.0 / 16384.0,
    m2: 2523.0 / 32.0,
    c1: 3424.0 / 4096.0,
    c2: 2413.0 / 128.0,
    c3: 2392.0 / 128.0,
};

struct HlgConstants {
    a: f64,
    b: f64,
    c: f64,
}

const HLG: HlgConstants = HlgConstants { a: 0.178_832_77, b: 0.284_668_92, c: 0.559_910_73 };

/// The tables of a stream.
#[derive(Debug)]
pub struct Light {
    /// The light of every lane; below black it is negative.
    pub from_lane: Vec<f32>,
    /// How far from black a lane of so much light is: an entry for each 2^[`SHIFT`] floats from [`LEAST`] on.
    pub to_lane: Vec<f32>,
    /// The lane of black.
    pub black: f32,
}

impl Light {
    /// Of lanes with `black` and `white` in a stream of this transfer.
    pub fn new(transfer: u8, black: u16, white: u16) -> Light {
        let (curve, black, range) = (Curve::of(transfer), f64::from(black), f64::from(white) - f64::from(black));
        let from_lane = |lane: usize| {
            let signal = (lane as f64 - black) / range;
            curve.light(signal.abs()).copysign(signal) as f32
        };
        let to_lane = |entry: u32| match entry {
            0 => 0.0,
            entry => (curve.signal(f32::from_bits(LEAST + (entry << SHIFT)).into()) * range) as f32,
        };
        Light {
            from_lane: (0..LANES).map(from_lane).collect(),
            to_lane: (0..=OCTAVES << (23 - SHIFT)).map(to_lane).collect(),
            black: black as f32,
        }
    }

    /// The lane of so much light, before it is rounded.
    #[inline(always)]
    pub fn lane(&self, light: f32) -> f32 {
        const MOST: u32 = LEAST + (OCTAVES << 23);
        let at = light.abs().to_bits().clamp(LEAST, MOST - 1) - LEAST;
        let (entry, rest) = ((at >> SHIFT) as usize, (at & ((1 << SHIFT) - 1)) as f32 / (1 << SHIFT) as f32);
        let (here, next) = (self.to_lane[entry], self.to_lane[entry + 1]);
        self.black + (next - here).mul_add(rest, here).copysign(light)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Transfers of all curves.
    const TRANSFERS: [u8; 7] = [1, 4, 5, 8, 13, 16, 18];

    #[test]
    fn every_code_is_itself_again() {
        for transfer in TRANSFERS {
            for (black, white) in [(4096, 60160), (0, 65535), (0, 65280)] {
                let light = Light::new(transfer, black, white);
                for lane in 0..=u16::MAX {
                    let back = light.lane(light.from_lane[usize::from(lane)]);
                    // The darkest codes of steep curves have less light than the table knows.
                    let slack = if lane.abs_diff(black) < 16 { 16.0 } else { 0.45 };
                    assert!((back - f32::from(lane)).abs() < slack, "{transfer}: {lane} becomes {back}");
                }
            }
        }
    }

    #[test]
    fn light_worked_out_by_hand() {
        // BT.1886: half the signal is 2^−2.4 of white. PQ: 0.5081 is 100 of 10000 nits. HLG: 1/2 is 1/12.
        let half = |transfer| Light::new(transfer, 0, 65534).from_lane[32767];
        assert!((half(1) - 0.189_465).abs() < 1e-5 && (half(18) - 1.0 / 12.0).abs() < 1e-6);
        assert!((half(13) - 0.214_041).abs() < 1e-5 && (half(8) - 0.5).abs() < 1e-7);
        assert!((Light::new(16, 0, 65535).from_lane[33297] - 0.01).abs() < 2e-5);
    }
}
