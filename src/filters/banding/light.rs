//! How much light codes are, and which steps between them are seen.

use crate::filters::curve::nits;

crate::choices! {
    /// How codes become light.
    pub enum Eotf {
        /// ITU-R BT.1886 on a display from 0.01 to 300 cd/m².
        Bt1886 = "bt1886",
        /// SMPTE ST 2084.
        Pq = "pq",
    }
}

/// Black and white of limited range in ten bits, which the published definition takes every picture to have.
const FOOT: u16 = 64;
const HEAD: u16 = 940;

/// The light of codes of ten bits.
pub struct LightTable {
    eotf: Eotf,
}

impl LightTable {
    pub fn new(eotf: Eotf) -> LightTable {
        LightTable { eotf }
    }

    /// Of `code`, in cd/m².
    fn of(&self, code: u16) -> f64 {
        let signal = f64::from(code.clamp(FOOT, HEAD) - FOOT) / f64::from(HEAD - FOOT);
        match self.eotf {
            Eotf::Bt1886 => bt1886(signal),
            Eotf::Pq => nits(signal),
        }
    }

    /// The darkest code of at least `light` cd/m²; 0 where black has that.
    pub fn darkest_at(&self, light: f64) -> u16 {
        let found = (FOOT..=HEAD).find(|code| self.of(*code) >= light).unwrap_or(HEAD);
        if found == FOOT { 0 } else { found }
    }

    /// The highest code from which a step of `size` codes up adds more than the share `threshold` of its light: 0 where none
    /// does, and all codes where all do.
    pub fn highest_that_sees(&self, size: u16, threshold: f64) -> u16 {
        let sees = |code: &u16| self.of(code + size) - self.of(*code) > threshold * self.of(*code);
        match (FOOT..=HEAD - size).take_while(sees).last() {
            None => 0,
            Some(code) if code == HEAD - size => super::plan::TOP,
            Some(code) => code,
        }
    }
}

fn bt1886(signal: f64) -> f64 {
    const GAMMA: f64 = 2.4;
    let (white, black) = (libm::pow(300.0, 1.0 / GAMMA), libm::pow(0.01, 1.0 / GAMMA));
    libm::pow(white - black, GAMMA) * libm::pow((signal + black / (white - black)).max(0.0), GAMMA)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filters::testing::digest;

    /// The result of the light of codes: bounds, for every threshold in steps of 1/1000.
    #[test]
    fn bounds_are_the_same_on_every_platform() {
        let of = |eotf| {
            let light = LightTable::new(eotf);
            let highest = |step: u32| light.highest_that_sees(1 + step as u16 % 5, f64::from(step) / 1000.0);
            let darkest = |step: u32| light.darkest_at(f64::from(step) / 50.0);
            (1..1000).flat_map(|step| [highest(step), darkest(step)]).collect::<Vec<_>>()
        };
        assert_eq!(digest([Eotf::Bt1886, Eotf::Pq].into_iter().flat_map(of).map(u64::from)), 0xe42f_802d_5784_6d0c);
    }

    #[test]
    fn ends_of_the_scale() {
        let light = LightTable::new(Eotf::Bt1886);
        assert!((light.of(64) - 0.01).abs() < 1e-9 && (light.of(940) - 300.0).abs() < 1e-9);
        let light = LightTable::new(Eotf::Pq);
        assert!(light.of(0) < 1e-9 && (light.of(1023) - 10000.0).abs() < 1e-6);
        // ST 2084's code for 100 cd/m² is 0.508 of the scale: 64 + 0.508·876 = 509.
        assert!((light.of(509) - 100.0).abs() < 1.0, "{}", light.of(509));
    }
}
