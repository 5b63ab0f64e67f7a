//! The plain kernel: one sample after the other.

use super::Survey;
use super::brightness::Brightness;
use super::layout::{CELLS, HISTOGRAM, LEVEL, write};
use super::sums::{BIN_SHIFT, LEVEL_SHIFT, LEVELS};
use crate::filters::{CpuJob, CpuKernel};
use crate::video::Planes;

/// The kernel.
pub struct Reference(pub Survey);

impl Brightness {
    /// Light and level of the sample at a place.
    fn at(&self, src: &Planes<'_>, x: usize, y: usize) -> (u16, u16) {
        let own: Vec<u16> = (0..self.scale.components()).map(|c| src[c].v16(x, y)).collect();
        let luma = self.scale.rgb.map_or(own[0], |rgb| rgb.luma_of([own[0], own[1], own[2]]));
        let light = self.scale.light(luma) as u16;
        let code = self.codes.map(|codes| match codes.is_rgb {
            true => codes.decode.rgb([own[0], own[1], own[2]]),
            false => {
                let [cb, cr] = [1, 2].map(|c| src[c].v16(x >> codes.halved.0, y >> codes.halved.1));
                codes.decode.ycbcr(own[0], cb, cr)
            }
        });
        (light, code.map_or(light << 2, |[r, g, b]| r.max(g).max(b)))
    }
}

impl CpuKernel for Reference {
    fn run(&mut self, mut job: CpuJob<'_>) {
        let Survey { layout, brightness, .. } = &self.0;
        let src = job.src.here();
        let mut words = vec![0; layout.words()];
        let mut levels = vec![0; LEVELS];
        let mut cells = vec![(0, 0); layout.cells()];
        for (x, y) in (0..layout.height).flat_map(|y| (0..layout.width).map(move |x| (x, y))) {
            let (light, level) = brightness.at(src, x, y);
            words[HISTOGRAM + usize::from(light >> BIN_SHIFT)] += 1;
            levels[usize::from(level >> LEVEL_SHIFT)] += 1;
            let (sum, count) = &mut cells[layout.row_of(y) * layout.columns + x * layout.columns / layout.width];
            *sum += u64::from(light);
            *count += 1;
        }
        words[LEVEL] = self.0.level(levels.iter().copied());
        for (word, (sum, count)) in words[CELLS..].iter_mut().zip(cells) {
            *word = ((sum + count / 2) / count) as u32;
        }
        write(&words, job.dst.get_mut(0));
    }

    fn path(&self) -> &'static str {
        "reference"
    }
}
