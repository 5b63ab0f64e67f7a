//! Weights by the difference of surroundings.

use super::NlmeansParams;

/// Entries of the table; the last is of what is farther than the others are.
pub const ENTRIES: usize = 4097;

/// Differences up to this one have weights.
const FARTHEST: f64 = 8.0;

/// The weights of sums of squared differences of samples of 12 bits.
pub struct Weights {
    pub table: Box<[f32; ENTRIES]>,
    /// A sum times this, without its low `shift` bits, is its place in the table.
    pub factor: u32,
    pub shift: u32,
}

impl Weights {
    pub fn new(params: &NlmeansParams) -> Weights {
        let h = params.h.max(0.01);
        let patch = (2 * params.s + 1).pow(2) as f64;
        // A step of 8 bits is 16 of 12: x is a sum over 256·patch·h².
        let places = (ENTRIES - 1) as f64 / FARTHEST / (256.0 * patch * h * h);
        let exponent = libm::floor(libm::log2(places)) as i32;
        let shift = (31 - exponent) as u32;
        let factor = libm::round(libm::ldexp(places, 31 - exponent)).min(f64::from(u32::MAX)) as u32;
        let mut table = Box::new([0.0; ENTRIES]);
        for (place, weight) in table.iter_mut().enumerate().take(ENTRIES - 1) {
            let x = place as f64 * FARTHEST / (ENTRIES - 1) as f64;
            let left = (1.0 - x).max(0.0);
            *weight = match params.wmode {
                0 => libm::exp(-x),
                1 => left,
                2 => left * left,
                _ => libm::pow(left, 8.0),
            } as f32;
        }
        Weights { table, factor, shift }
    }

    /// The weight of a sum.
    #[inline(always)]
    pub fn of(&self, sum: u32) -> f32 {
        let place = (u64::from(sum) * u64::from(self.factor)) >> self.shift;
        self.table[place.min(ENTRIES as u64 - 1) as usize]
    }
}

/// The 12 bits of a lane that are compared.
#[inline(always)]
pub fn compared(lane: u16) -> u16 {
    ((u32::from(lane) + 8) >> 4) as u16
}

/// A mean in the making.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mean {
    pub weights: f32,
    /// Of weighted differences to the sample itself.
    pub sum: f32,
    pub largest: f32,
}

impl Mean {
    /// Adds a sample that differs by as much.
    #[inline(always)]
    pub fn add(&mut self, weight: f32, difference: i32) {
        self.weights += weight;
        self.sum = weight.mul_add(difference as f32, self.sum);
        self.largest = if weight > self.largest { weight } else { self.largest };
    }

    /// The mean, with `own` itself.
    #[inline(always)]
    pub fn lane(&self, own: u16, wref: f32) -> u16 {
        let weights = self.weights + wref * self.largest;
        let change = if weights > 0.0 { (self.sum / weights + 0.5).floor() } else { 0.0 };
        (i32::from(own) + change as i32).clamp(0, 0xffff) as u16
    }
}
