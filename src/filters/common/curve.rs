//! Transfer functions in 64 bits: from code values to light, and back.

/// What code values mean. Codes and light go from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transfer {
    /// SMPTE ST 2084: light of 1 is 10,000 cd/m².
    Pq,
    /// ARIB STD-B67: light in the scene, before the system gamma.
    Hlg,
    /// A power: ITU-R BT.1886 is 2.4.
    Power(Gamma),
    /// ITU-R BT.709's camera curve, which a few displays undo.
    Bt709,
    /// IEC 61966-2-1.
    Srgb,
    /// Codes are light.
    Linear,
}

/// A power in tenths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gamma(pub u8);

const M1: f64 = 2610.0 / 16384.0;
const M2: f64 = 2523.0 / 32.0;
const C1: f64 = 3424.0 / 4096.0;
const C2: f64 = 2413.0 / 128.0;
const C3: f64 = 2392.0 / 128.0;

/// HLG's constants.
const A: f64 = 0.178_832_77;
const B: f64 = 0.284_668_92;
const C: f64 = 0.559_910_73;

/// The luminance of PQ's highest code, in cd/m².
pub const PQ_PEAK: f64 = 10_000.0;

impl Transfer {
    /// BT.1886, what SDR video is shown by.
    pub const BT1886: Transfer = Transfer::Power(Gamma(24));

    /// What H.273's code point `tag` is shown by; `None` for those that no filter here takes.
    pub fn of_tag(tag: u8) -> Option<Transfer> {
        match tag {
            // BT.709, BT.601 and BT.2020 state cameras; displays are BT.1886.
            1 | 6 | 14 | 15 => Some(Transfer::BT1886),
            4 => Some(Transfer::Power(Gamma(22))),
            5 => Some(Transfer::Power(Gamma(28))),
            8 => Some(Transfer::Linear),
            13 => Some(Transfer::Srgb),
            16 => Some(Transfer::Pq),
            18 => Some(Transfer::Hlg),
            _ => None,
        }
    }

    /// The light of a code.
    pub fn light(self, code: f64) -> f64 {
        match self {
            Transfer::Pq => {
                let power = libm::pow(code.max(0.0), 1.0 / M2);
                libm::pow((power - C1).max(0.0) / (C2 - C3 * power), 1.0 / M1)
            }
            Transfer::Hlg if code <= 0.5 => code * code / 3.0,
            Transfer::Hlg => (libm::exp((code - C) / A) + B) / 12.0,
            Transfer::Power(Gamma(tenths)) => libm::pow(code.max(0.0), f64::from(tenths) / 10.0),
            Transfer::Bt709 if code < 0.081 => code / 4.5,
            Transfer::Bt709 => libm::pow((code + 0.099) / 1.099, 1.0 / 0.45),
            Transfer::Srgb if code <= 0.04045 => code / 12.92,
            Transfer::Srgb => libm::pow((code + 0.055) / 1.055, 2.4),
            Transfer::Linear => code,
        }
    }

    /// The code of light.
    pub fn code(self, light: f64) -> f64 {
        match self {
            Transfer::Pq => {
                let power = libm::pow(light.max(0.0), M1);
                libm::pow((C1 + C2 * power) / (1.0 + C3 * power), M2)
            }
            Transfer::Hlg if light <= 1.0 / 12.0 => libm::sqrt(3.0 * light),
            Transfer::Hlg => A * libm::log(12.0 * light - B) + C,
            Transfer::Power(Gamma(tenths)) => libm::pow(light.max(0.0), 10.0 / f64::from(tenths)),
            Transfer::Bt709 if light < 0.018 => light * 4.5,
            Transfer::Bt709 => 1.099 * libm::pow(light, 0.45) - 0.099,
            Transfer::Srgb if light <= 0.003_130_8 => light * 12.92,
            Transfer::Srgb => 1.055 * libm::pow(light, 1.0 / 2.4) - 0.055,
            Transfer::Linear => light,
        }
    }
}

/// PQ's code of a luminance in cd/m².
pub fn pq(nits: f64) -> f64 {
    Transfer::Pq.code(nits / PQ_PEAK)
}

/// The luminance of PQ's `code`, in cd/m².
pub fn nits(code: f64) -> f64 {
    Transfer::Pq.light(code) * PQ_PEAK
}

/// The exponent of HLG's system gamma on a display of `peak` cd/m² (ITU-R BT.2100).
pub fn system_gamma(peak: f64) -> f64 {
    1.2 + 0.42 * libm::log10(peak / 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_that_the_standards_name() {
        // BT.2408: 203 cd/m² is 58 % of PQ and 75 % of HLG; 1000 is 75 %, 100 is 51 %.
        assert!((pq(203.0) - 0.5807).abs() < 1e-4 && (pq(1000.0) - 0.7518).abs() < 1e-4);
        assert!((pq(100.0) - 0.5081).abs() < 1e-4 && (pq(10_000.0) - 1.0).abs() < 1e-12);
        assert!((Transfer::Hlg.light(0.5) - 1.0 / 12.0).abs() < 1e-9 && (Transfer::Hlg.light(1.0) - 1.0).abs() < 1e-6);
        assert!((1000.0 * libm::pow(Transfer::Hlg.light(0.75), system_gamma(1000.0)) - 203.0).abs() < 0.5);
    }

    #[test]
    fn light_and_code_undo_each_other() {
        let power = |tenths| Transfer::Power(Gamma(tenths));
        for transfer in
            [Transfer::Pq, Transfer::Hlg, power(24), power(28), Transfer::Bt709, Transfer::Srgb, Transfer::Linear]
        {
            for step in 0..=1000 {
                let code = f64::from(step) / 1000.0;
                let off = transfer.code(transfer.light(code)) - code;
                assert!(off.abs() < 4e-4, "{transfer:?} {code}: {off}");
            }
        }
    }
}
