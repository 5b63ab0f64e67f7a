//! Threshold patterns: a tile of 64×64 thresholds that repeats over the plane.

use crate::filters::random::mix;
use crate::filters::requant::{Dither, Requant};

/// Columns and rows of a tile.
pub const TILE: usize = 64;

/// A permutation of `0..4096` in which the places of the first n ranks are spread evenly for every n: Ulichney's
/// void-and-cluster method on a torus. Little-endian `u16`, row by row; the tests hold the code that makes it.
static BLUE_NOISE: &[u8; TILE * TILE * 2] = include_bytes!("blue_noise.bin");

/// Columns and rows between the two places of the blue noise table whose difference is triangular.
const APART: (usize, usize) = (45, 26);

/// The threshold at tile position (x, y), as a fraction of a step: the middle of its rank's share. Of triangular noise it is
/// half a step more, and so not negative.
fn fraction(dither: Dither, x: usize, y: usize) -> (u32, u32) {
    match dither {
        Dither::Ordered => (2 * bayer(x, y) + 1, 128),
        Dither::Blue => (2 * blue(x, y) + 1, 8192),
        Dither::Tpdf => (2 * (4096 + blue(x, y) - blue(x + APART.0, y + APART.1)), 8192),
        Dither::None | Dither::Fs => (1, 2),
    }
}

fn blue(x: usize, y: usize) -> u32 {
    let at = (y % TILE * TILE + x % TILE) * 2;
    u16::from_le_bytes([BLUE_NOISE[at], BLUE_NOISE[at + 1]]).into()
}

/// Bayer's 8×8 matrix: the bits of `x ^ y` and `y`, interleaved, lowest first.
fn bayer(x: usize, y: usize) -> u32 {
    let bit = |value: usize, i: usize| (value >> i & 1) as u32;
    (0..3).fold(0, |rank, i| 4 * rank + 2 * bit(x ^ y, i) + bit(y, i))
}

/// The threshold at tile position (x, y) of `2^fraction_bits` parts, and [`Requant::bias`] more.
pub fn threshold(dither: Dither, x: usize, y: usize, fraction_bits: u32) -> u16 {
    let (num, den) = fraction(dither, x, y);
    ((num << fraction_bits) / den) as u16
}

/// The tile position that lies at the plane's first sample: another for each component, so that their patterns do not
/// coincide, and another for each frame when the pattern moves.
pub fn origin(requant: &Requant, component: usize, frame_index: u64) -> (usize, usize) {
    let (x, y) = [(0, 0), (21, 43), (43, 21)][component];
    if !requant.animate {
        return (x, y);
    }
    let bits = mix(frame_index) as usize;
    ((x + bits) % TILE, (y + bits / TILE) % TILE)
}

/// A tile laid out for rows: each row twice, so that from any column 64 thresholds lie side by side.
#[derive(Debug)]
pub struct Tile {
    rows: Vec<[u16; 2 * TILE]>,
}

impl Tile {
    /// The tile of `dither` with thresholds of `2^fraction_bits` parts, cut down by `shift` bits.
    pub fn new(dither: Dither, fraction_bits: u32, shift: u32) -> Tile {
        let row = |y| std::array::from_fn(|x| threshold(dither, x, y, fraction_bits) >> shift);
        let rows = if dither == Dither::None { 1 } else { TILE };
        Tile { rows: (0..rows).map(row).collect() }
    }

    /// The 64 thresholds from tile position (x, y) on to the right.
    #[inline(always)]
    pub fn row(&self, x: usize, y: usize) -> &[u16; TILE] {
        let row = &self.rows[y % self.rows.len()];
        row[x % TILE..x % TILE + TILE].try_into().expect("the slice has this length")
    }
}
