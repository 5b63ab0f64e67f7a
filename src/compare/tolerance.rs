//! How far apart frames may be.

use crate::compare::difference::{FrameDifference, PlaneDifference, psnr};
use crate::error::{Error, Result};
use std::fmt;
use std::str::FromStr;

/// What every plane of every pair of frames must keep to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tolerance {
    /// The lowest PSNR, in dB.
    pub psnr: Option<f64>,
    /// The lowest similarity.
    pub ssim: Option<f64>,
    /// The largest difference of a sample, in code values.
    pub max: Option<u16>,
}

impl Tolerance {
    /// No difference at all.
    pub const EXACT: Tolerance = Tolerance { psnr: None, ssim: None, max: Some(0) };

    /// What breaks the tolerance first, if anything does, in frames of `bit_depth`.
    pub fn check(&self, difference: &FrameDifference, bit_depth: u8) -> Option<Fault> {
        let fault = |(plane, difference)| self.check_plane(plane, difference, bit_depth);
        difference.planes.iter().enumerate().find_map(fault)
    }

    fn check_plane(&self, plane: usize, difference: &PlaneDifference, bit_depth: u8) -> Option<Fault> {
        let got = psnr(difference.mse(), bit_depth);
        let largest = difference.largest.map_or(0, |largest| largest.value());
        let fault = |what, got| Some(Fault { plane, what, got });
        match *self {
            Tolerance { max: Some(most), .. } if largest > most => fault("max", f64::from(largest)),
            Tolerance { psnr: Some(least), .. } if got < least => fault("psnr", got),
            Tolerance { ssim: Some(least), .. } if difference.ssim < least => fault("ssim", difference.ssim),
            _ => None,
        }
    }
}

/// What breaks a tolerance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fault {
    /// The plane.
    pub plane: usize,
    /// The metric, as a tolerance names it.
    pub what: &'static str,
    /// Its value.
    pub got: f64,
}

const EXACT: &str = "exact";

impl FromStr for Tolerance {
    type Err = Error;

    /// Reads `exact`, or limits with colons between: `psnr=40:ssim=0.98:max=2`.
    fn from_str(text: &str) -> Result<Tolerance> {
        if text == EXACT {
            return Ok(Tolerance::EXACT);
        }
        let mut tolerance = Tolerance::default();
        for limit in text.split(':') {
            let wrong = |why: &str| {
                Error::bad_argument(format!("'{limit}' {why}: write {EXACT}, or limits as in psnr=40:ssim=0.98:max=2"))
            };
            let (name, value) = limit.split_once('=').ok_or_else(|| wrong("is no limit"))?;
            let number = |range: std::ops::RangeInclusive<f64>| {
                value.parse().ok().filter(|value| range.contains(value)).ok_or_else(|| {
                    wrong(&format!("is out of range ({name} takes {} to {})", range.start(), range.end()))
                })
            };
            let given_before = match name {
                "psnr" => tolerance.psnr.replace(number(0.0..=200.0)?).is_some(),
                "ssim" => tolerance.ssim.replace(number(-1.0..=1.0)?).is_some(),
                "max" => {
                    let whole = number(0.0..=65535.0)?;
                    if whole.fract() != 0.0 {
                        return Err(wrong("is no whole number"));
                    }
                    tolerance.max.replace(whole as u16).is_some()
                }
                _ => return Err(wrong("names no metric")),
            };
            if given_before {
                return Err(wrong("is given twice"));
            }
        }
        Ok(tolerance)
    }
}

impl fmt::Display for Tolerance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Tolerance::EXACT {
            return f.write_str(EXACT);
        }
        let limits = [
            self.psnr.map(|least| format!("psnr={least}")),
            self.ssim.map(|least| format!("ssim={least}")),
            self.max.map(|most| format!("max={most}")),
        ];
        f.write_str(&limits.into_iter().flatten().collect::<Vec<_>>().join(":"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::Largest;

    #[test]
    fn tolerances_round_trip() {
        for text in ["exact", "psnr=40", "psnr=40.5:ssim=0.98:max=2", "max=65535", "ssim=-1"] {
            assert_eq!(text.parse::<Tolerance>().unwrap().to_string(), text);
        }
        assert_eq!("max=0".parse::<Tolerance>().unwrap(), Tolerance::EXACT);
        for text in [
            "",
            "psnr",
            "psnr=",
            "psnr=nan",
            "psnr=inf",
            "psnr=-1",
            "ssim=1.1",
            "max=1.5",
            "max=-1",
            "max=70000",
            "mse=1",
            "psnr=1:psnr=2",
            "psnr=40,ssim=1",
            "Exact",
            "max=1:",
        ] {
            assert!(text.parse::<Tolerance>().is_err(), "{text}");
        }
    }

    #[test]
    fn each_limit_holds_for_each_plane() {
        let plane = |squared, ssim, b| PlaneDifference {
            samples: 1,
            squared,
            ssim,
            largest: Some(Largest { x: 0, y: 0, a: 0, b }).filter(|_| b > 0),
        };
        let frame = FrameDifference { planes: vec![plane(0, 1.0, 0), plane(1, 0.9, 1)] };
        let fault = |text: &str| text.parse::<Tolerance>().unwrap().check(&frame, 8).map(|f| (f.plane, f.what));
        assert_eq!(fault("psnr=48.1:ssim=0.9:max=1"), None);
        assert_eq!(fault("psnr=48.2"), Some((1, "psnr")));
        assert_eq!(fault("ssim=0.91"), Some((1, "ssim")));
        assert_eq!(fault("exact"), Some((1, "max")));
        let same = FrameDifference { planes: vec![plane(0, 1.0, 0)] };
        assert_eq!("psnr=200:ssim=1:max=0".parse::<Tolerance>().unwrap().check(&same, 8), None);
    }
}
