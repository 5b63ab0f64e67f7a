//! Functions as tables of 32-bit floats, read with straight lines between.

/// Codes of 16 bits from one entry of a table of codes to the next.
const STEP: usize = 16;

/// A function of codes, 0 to 65535: 4097 entries.
#[derive(Clone, Debug)]
pub struct Codes(Vec<f32>);

impl Codes {
    /// The table of `f`, which gets codes as parts of 65535.
    pub fn new(f: impl Fn(f64) -> f64) -> Codes {
        Codes((0..=65536 / STEP).map(|i| f((STEP * i) as f64 / 65535.0) as f32).collect())
    }

    /// The value at `code`.
    pub fn at(&self, code: u16) -> f32 {
        let (i, part) = (usize::from(code >> 4), f32::from(code & 15) * (1.0 / 16.0));
        part.mul_add(self.0[i + 1] - self.0[i], self.0[i])
    }

    /// The entries.
    pub fn entries(&self) -> &[f32] {
        &self.0
    }
}

/// Low bits of a float that say where it lies between two entries: 256 entries an octave.
pub const LOW_BITS: u32 = 15;

/// A function of light up to 1, by the bits of floats: as many octaves below 1 as it has, with 256 entries each.
#[derive(Clone, Debug)]
pub struct Octaves {
    first: f32,
    entries: Vec<f32>,
}

impl Octaves {
    /// The table of `f` on `octaves` octaves. Below them light counts as the least of them.
    pub fn new(octaves: u32, f: impl Fn(f64) -> f64) -> Octaves {
        let first = f32::from_bits((127 - octaves) << 23);
        let light = |i: u32| f64::from(f32::from_bits(first.to_bits() + (i << LOW_BITS)));
        // One behind 1, which is read and weighs nothing.
        let last = octaves << (23 - LOW_BITS);
        Octaves { first, entries: (0..=last + 1).map(|i| f(light(i.min(last))) as f32).collect() }
    }

    /// The value at `light`.
    pub fn at(&self, light: f32) -> f32 {
        let bits = light.max(self.first).min(1.0).to_bits() - self.first.to_bits();
        let (i, part) = ((bits >> LOW_BITS) as usize, (bits & ((1 << LOW_BITS) - 1)) as f32 * (1.0 / 32768.0));
        part.mul_add(self.entries[i + 1] - self.entries[i], self.entries[i])
    }

    /// Makes it what lies between four of as many octaves: the first part of the distance inside both pairs, and the second part of
    /// that between what these give.
    pub fn mix(&mut self, [first, second]: [[&Octaves; 2]; 2], [within, between]: [f32; 2]) {
        let inside =
            |[from, to]: [&Octaves; 2], i: usize| within.mul_add(to.entries[i] - from.entries[i], from.entries[i]);
        for (i, entry) in self.entries.iter_mut().enumerate() {
            let from = inside(first, i);
            *entry = between.mul_add(inside(second, i) - from, from);
        }
    }

    /// The least light that it distinguishes.
    pub fn first(&self) -> f32 {
        self.first
    }

    /// The entries.
    pub fn entries(&self) -> &[f32] {
        &self.entries
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn between_entries_lies_a_straight_line() {
        let codes = Codes::new(|part| part * 65535.0);
        assert_eq!([0, 1, 15, 16, 40_000, 65535].map(|c| codes.at(c)), [0.0, 1.0, 15.0, 16.0, 40_000.0, 65535.0]);
        // Of 1/x, from 1/2 on in steps of 1/512: 2, then 512/257.
        let table = Octaves::new(4, |x| 1.0 / x);
        assert_eq!([0.0, 1.0 / 16.0, 0.5, 1.0, 2.0].map(|x| table.at(x)), [16.0, 16.0, 2.0, 1.0, 1.0]);
        let middle = table.at(0.5 + 1.0 / 1024.0);
        assert!((middle - (2.0 + 512.0 / 257.0) / 2.0).abs() < 1e-6, "{middle}");
    }
}
