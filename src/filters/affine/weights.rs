//! The weights of four samples around a place.

use super::Interpolation;
use super::source_map::PHASE_BITS;
use crate::filters::resample::{self, Shape};

/// The sum of a place's weights is 2^14.
pub const BITS: u32 = 14;

const PHASES: usize = 1 << PHASE_BITS;

/// Bytes of the weights on a device.
#[cfg(feature = "cuda")]
pub const BYTES: usize = PHASES * size_of::<[i16; 4]>();

/// Of each phase, those of the sample before the place's, its own, and the two behind it.
pub struct Weights(pub Vec<[i16; 4]>);

impl Weights {
    pub fn new(kernel: Interpolation) -> Weights {
        let shape = match kernel {
            Interpolation::Bilinear => Shape::Bilinear,
            Interpolation::Bicubic => Shape::CatmullRom,
        };
        let kernel = resample::ResamplingKernel { shape, b: 0.0, c: 0.5, taps: 2 };
        Weights((0..PHASES).map(|phase| of_phase(&kernel, phase as f64 / PHASES as f64)).collect())
    }
}

/// The weights at `fraction`, rounded; the largest takes what is left of the sum.
fn of_phase(kernel: &resample::ResamplingKernel, fraction: f64) -> [i16; 4] {
    let one = 1 << BITS;
    let mut weights = [-1.0, 0.0, 1.0, 2.0].map(|at| libm::round(kernel.at(at - fraction) * f64::from(one)) as i16);
    let rest = one - weights.iter().map(|weight| i32::from(*weight)).sum::<i32>();
    let largest = usize::from(weights[2] > weights[1]) + 1;
    weights[largest] += rest as i16;
    weights
}

/// The lane of sixteen lanes, row by row, by the weights of columns and rows: down first, then across, each rounded half up.
#[inline(always)]
pub fn weigh(lanes: &[[u16; 4]; 4], across: &[i16; 4], down: &[i16; 4]) -> u16 {
    const HALF: i32 = 1 << (BITS - 1);
    let mut columns = [HALF; 4];
    for (row, weight) in lanes.iter().zip(down) {
        for (column, lane) in columns.iter_mut().zip(row) {
            *column += i32::from(*lane) * i32::from(*weight);
        }
    }
    let mut sum = HALF;
    for (column, weight) in columns.iter().zip(across) {
        sum += (column >> BITS) * i32::from(*weight);
    }
    (sum >> BITS).clamp(0, 0xffff) as u16
}
