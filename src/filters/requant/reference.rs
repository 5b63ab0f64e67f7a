//! The plain scalar kernel.

use crate::filters::requant::pattern::{origin, threshold};
use crate::filters::requant::{Dither, Requant};
use crate::filters::{CpuJob, CpuKernel, Setup};
use crate::video::{PlaneMut, PlaneRef};

/// One sample at a time, by the definition.
pub struct Reference {
    requant: Requant,
    /// Residues of the row above and of this row, with one more on each side.
    above: Vec<i32>,
    here: Vec<i32>,
}

impl Reference {
    pub fn new(requant: Requant, setup: &Setup) -> Reference {
        let residues = vec![0; setup.input.width + 2];
        Reference { requant, above: residues.clone(), here: residues }
    }

    /// The value `x + t` for a sample: the bits above `fraction_bits` are the new code value, those below the residue.
    fn sum(&self, component: usize, v: u16, t: i32) -> i32 {
        self.requant.scalings[component].exact(v, self.requant.guard) + t
    }

    /// The v16 value of the code value in `sum`.
    fn v16(&self, sum: i32) -> u16 {
        (sum >> self.requant.fraction_bits() << self.requant.drop) as u16
    }

    /// Thresholds from a pattern.
    fn pattern(&self, component: usize, frame_index: u64, src: PlaneRef<'_>, dst: &mut PlaneMut<'_>) {
        let (left, top) = origin(&self.requant, component, frame_index);
        for y in 0..src.height() {
            for x in 0..src.width() {
                let t = threshold(self.requant.dither, left + x, top + y, self.requant.fraction_bits());
                let sum = self.sum(component, src.v16(x, y), i32::from(t) - self.requant.bias());
                dst.set_v16(x, y, self.v16(sum.clamp(0, self.requant.highest(component))));
            }
        }
    }

    /// Error diffusion by rows from left to right. A residue of one half is no error, and each threshold is the mean of
    /// the neighbours' residues in Floyd and Steinberg's weights, rounded half up: 7/16 left, 1/16, 5/16, 3/16 above.
    fn diffuse(&mut self, component: usize, src: PlaneRef<'_>, dst: &mut PlaneMut<'_>) {
        let one = 1 << self.requant.fraction_bits();
        self.above.fill(one / 2);
        self.here.fill(one / 2);
        for y in 0..src.height() {
            for x in 0..src.width() {
                let [above_left, above, above_right] = [self.above[x], self.above[x + 1], self.above[x + 2]];
                let t = (7 * self.here[x] + above_left + 5 * above + 3 * above_right + 8) >> 4;
                let sum = self.sum(component, src.v16(x, y), t);
                self.here[x + 1] = sum % one;
                dst.set_v16(x, y, self.v16(sum));
            }
            std::mem::swap(&mut self.above, &mut self.here);
            // Beyond the last column of a narrower plane there is no error either.
            self.above[src.width() + 1] = one / 2;
            self.here[0] = one / 2;
        }
    }
}

impl CpuKernel for Reference {
    fn run(&mut self, job: CpuJob<'_>) {
        let CpuJob { props, src, mut dst, .. } = job;
        let (src, dst) = (src.here(), &mut dst);
        for component in 0..src.len() {
            let (src, dst) = (src[component], dst.get_mut(component));
            match self.requant.dither {
                Dither::Fs => self.diffuse(component, src, dst),
                _ => self.pattern(component, props.frame_index, src, dst),
            }
        }
    }

    fn path(&self) -> &'static str {
        "reference"
    }
}
