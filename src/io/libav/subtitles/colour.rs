//! What a subtitle's colour is in the output's own RGB.

use super::canvas::ONE;
use crate::video::ColorInfo;
use std::collections::HashMap;

/// Where a diffuse white lies in HDR, by ITU-R BT.2408: 203 cd/m² of PQ's 10000, and 75 % of HLG's signal.
const PQ_WHITE: f64 = 203.0 / 10_000.0;
const HLG_WHITE: f64 = 0.264_97;

/// The display that subtitles are made for (ITU-R BT.1886).
const GAMMA: f64 = 2.4;

/// From linear BT.709 to BT.2020 (ITU-R BT.2087).
const TO_BT2020: [[f64; 3]; 3] = [[0.6274, 0.3293, 0.0433], [0.0691, 0.9195, 0.0114], [0.0164, 0.0880, 0.8956]];

#[derive(Clone, Copy, PartialEq)]
enum Transfer {
    Sdr,
    Pq,
    Hlg,
}

/// Turns colours of 8 bits into the output's, in 16. Colours are those of SDR; in HDR their white is its diffuse white.
pub(super) struct Colours {
    transfer: Transfer,
    wide: bool,
    known: HashMap<[u8; 3], [u16; 3]>,
}

impl Colours {
    pub(super) fn new(output: &ColorInfo) -> Colours {
        let transfer = match output.transfer {
            16 => Transfer::Pq,
            18 => Transfer::Hlg,
            _ => Transfer::Sdr,
        };
        Colours { transfer, wide: output.primaries == 9, known: HashMap::new() }
    }

    pub(super) fn of(&mut self, color: [u8; 3]) -> [u16; 3] {
        if self.transfer == Transfer::Sdr && !self.wide {
            return color.map(|value| u16::from(value) * 257);
        }
        if let Some(known) = self.known.get(&color) {
            return *known;
        }
        let made = self.convert(color);
        self.known.insert(color, made);
        made
    }

    fn convert(&self, color: [u8; 3]) -> [u16; 3] {
        let mut linear = color.map(|value| libm::pow(f64::from(value) / 255.0, GAMMA));
        if self.wide {
            linear = TO_BT2020.map(|row| row.iter().zip(linear).map(|(weight, value)| weight * value).sum());
        }
        linear.map(|value| (self.encode(value).clamp(0.0, 1.0) * f64::from(ONE)).round() as u16)
    }

    fn encode(&self, linear: f64) -> f64 {
        match self.transfer {
            Transfer::Sdr => libm::pow(linear, 1.0 / GAMMA),
            Transfer::Pq => pq(linear * PQ_WHITE),
            Transfer::Hlg => hlg(linear * HLG_WHITE),
        }
    }
}

/// SMPTE ST 2084, of 1 for 10000 cd/m².
fn pq(light: f64) -> f64 {
    let power = libm::pow(light, 2610.0 / 16384.0);
    let (c1, c2, c3) = (3424.0 / 4096.0, 2413.0 / 128.0, 2392.0 / 128.0);
    libm::pow((c1 + c2 * power) / (1.0 + c3 * power), 2523.0 / 32.0)
}

/// ITU-R BT.2100's hybrid log-gamma.
fn hlg(light: f64) -> f64 {
    match light <= 1.0 / 12.0 {
        true => libm::sqrt(3.0 * light),
        false => 0.178_832_77 * libm::log(12.0 * light - 0.284_668_92) + 0.559_910_73,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_is_diffuse_white_and_grey_stays_grey() {
        let white = |transfer, primaries| {
            let mut colours = Colours::new(&ColorInfo { transfer, primaries, ..ColorInfo::default() });
            let [r, g, b] = colours.of([128; 3]);
            assert!(r.abs_diff(g) <= 8 && g.abs_diff(b) <= 8, "{r} {g} {b}");
            assert_eq!(colours.of([0; 3]).map(|value| value >> 4), [0; 3]);
            f64::from(colours.of([255; 3])[1]) / 65535.0
        };
        assert_eq!(white(1, 1), 1.0);
        assert!((white(14, 9) - 1.0).abs() < 1e-3);
        // BT.2408: 58 % of PQ, 75 % of HLG.
        assert!((white(16, 9) - 0.5807).abs() < 1e-3);
        assert!((white(18, 9) - 0.75).abs() < 1e-3);
    }
}
