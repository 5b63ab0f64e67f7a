//! The random table: the bytes that offsets and noise are drawn from.

use crate::device::Shared;
use crate::error::{Error, Kind, Result};
use rand_core::{Rng, SeedableRng};
use rand_xorshift::XorShiftRng;
use std::sync::Arc;

/// With `rand_each_frame`, frame n starts this many rows of bytes after frame n − 1 ...
pub(super) const ROWS_PER_FRAME: usize = 200;
/// ... and after this many frames it starts over.
pub(super) const FRAMES: u64 = 16;

/// Readable bytes after the table, so that a vector load of its last row stays inside.
pub(super) const SLACK: usize = 256;

/// The five planes of bytes, one byte a luma position in each.
#[derive(Clone, Copy)]
pub(super) enum Draw {
    /// Vertical offset.
    RefA,
    /// Horizontal offset.
    RefB,
    /// Noise of component 0, 1 or 2.
    Dither(usize),
}

/// The random bytes of a stream.
pub(super) struct Table {
    bytes: Vec<u8>,
    width: usize,
    height: usize,
}

impl Table {
    /// The same as [`Table::new`] makes: one that is there already, or a new one.
    ///
    /// # Errors
    /// When there is no memory for it.
    pub(super) fn shared(width: usize, height: usize, seed: u32, each_frame: bool) -> Result<Arc<Table>> {
        /// The tables that are in use: kernels of one seed and size share one, however many frames are filtered at once.
        static TABLES: Shared<(usize, usize, u32, bool), Table> = Shared::new();
        let key = (width, height, seed, each_frame);
        TABLES.get(key, || Table::new(width, height, seed, each_frame).map(Arc::new))
    }

    /// The table for a picture of `width`×`height`: the part of it that frame base 0 reaches, or all frames.
    ///
    /// # Errors
    /// When there is no memory for it.
    pub(super) fn new(width: usize, height: usize, seed: u32, each_frame: bool) -> Result<Table> {
        let frames = if each_frame { FRAMES as usize } else { 0 };
        let len = height.checked_mul(5).and_then(|rows| rows.checked_add(frames * ROWS_PER_FRAME));
        let bytes = len.and_then(|rows| rows.checked_mul(width)).and_then(|len| random_bytes(seed, len));
        let bytes = bytes.ok_or_else(|| {
            Error::new(Kind::OutOfMemory, format!("no memory for deband's random table of a {width}x{height} picture"))
        })?;
        Ok(Table { bytes, width, height })
    }

    /// Where a frame's bytes start.
    pub(super) fn base(&self, frame_index: u64, each_frame: bool) -> usize {
        if each_frame { self.width * ROWS_PER_FRAME * (frame_index % FRAMES) as usize } else { 0 }
    }

    /// The bytes of row `y` from column `x` on, and at least [`SLACK`] more than the row has.
    pub(super) fn row(&self, draw: Draw, base: usize, x: usize, y: usize) -> &[u8] {
        &self.bytes[self.place(draw, base, x, y)..]
    }

    /// Where [`Table::row`] starts, for a place that need not be in the table.
    pub(super) fn address(&self, draw: Draw, base: usize, x: usize, y: usize) -> *const u8 {
        self.bytes.as_ptr().wrapping_add(self.place(draw, base, x, y))
    }

    fn place(&self, draw: Draw, base: usize, x: usize, y: usize) -> usize {
        let plane = match draw {
            Draw::RefA => 0,
            Draw::RefB => 1,
            Draw::Dither(component) => 2 + component,
        };
        base + (plane * self.height + y) * self.width + x
    }
}

#[cfg(test)]
impl Table {
    /// A table for one frame whose plane `p` has `byte(p, x, y)` at (x, y): offsets a and b, then noise Y, Cb, Cr.
    pub(super) fn of(width: usize, height: usize, byte: impl Fn(usize, usize, usize) -> u8) -> Table {
        let place = |i: usize| (i / (width * height), i % width, i / width % height);
        let bytes = (0..5 * width * height).map(|i| {
            let (plane, x, y) = place(i);
            byte(plane, x, y)
        });
        Table { bytes: bytes.chain([0; SLACK]).collect(), width, height }
    }
}

/// `len` bytes of the generator, and [`SLACK`] zeros; `None` when there is no memory.
fn random_bytes(seed: u32, len: usize) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(len.checked_add(SLACK)?).ok()?;
    bytes.resize(len + SLACK, 0);
    let words = [123_456_789u32.wrapping_sub(seed), 362_436_069, 521_288_629, 88_675_123];
    let mut state = [0; 16];
    for (bytes, word) in state.chunks_exact_mut(4).zip(words) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    XorShiftRng::from_seed(state).fill_bytes(&mut bytes[..len]);
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Marsaglia's xorshift128 with shifts 11, 8, 19, written from the paper.
    fn xorshift128(seed: i64, count: usize) -> Vec<u32> {
        let mut s = [(123_456_789 - seed) as u32, 362_436_069, 521_288_629, 88_675_123];
        (0..count)
            .map(|_| {
                let t = s[0] ^ (s[0] << 11);
                s = [s[1], s[2], s[3], (s[3] ^ (s[3] >> 19)) ^ (t ^ (t >> 8))];
                s[3]
            })
            .collect()
    }

    #[test]
    fn bytes_are_xorshift128_words_little_endian() {
        // The first word by hand: t = x ^ x<<11 with x = 123456789 = 0x075BCD15 is 0x075BCD15 ^ 0xDE68A800
        // = 0xD9336515; t ^ t>>8 = 0xD9336515 ^ 0x00D93365 = 0xD9EA5670; w ^ w>>19 with w = 88675123 = 0x05491333
        // is 0x05491333 ^ 0x000000A9 = 0x0549139A; together 0xDCA345EA.
        assert_eq!(random_bytes(0, 4).unwrap()[..4], [0xEA, 0x45, 0xA3, 0xDC]);
        for seed in [0, 1, 123_456_789, 123_456_790, -1, i64::from(u32::MAX), i64::from(i32::MIN)] {
            let expected: Vec<u8> = xorshift128(seed, 1000).into_iter().flat_map(u32::to_le_bytes).collect();
            assert_eq!(random_bytes(seed as u32, 4000).unwrap()[..4000], expected, "seed {seed}");
        }
    }

    #[test]
    fn a_partial_last_word_is_truncated() {
        let words: Vec<u8> = xorshift128(5, 3).into_iter().flat_map(u32::to_le_bytes).collect();
        for len in 8..12 {
            let bytes = random_bytes(5, len).unwrap();
            assert_eq!(bytes[..len], words[..len]);
            assert!(bytes[len..].iter().all(|b| *b == 0) && bytes.len() == len + SLACK);
        }
    }

    #[test]
    fn planes_and_frame_bases_lie_where_the_filter_has_them() {
        let (width, height) = (7, 3);
        let all = xorshift128(2, 10_000).into_iter().flat_map(u32::to_le_bytes).collect::<Vec<u8>>();
        let table = Table::new(width, height, 2, true).unwrap();
        for (frame_index, frame) in [(0, 0), (1, 1), (15, 15), (16, 0), (35, 3), (u64::MAX, 15)] {
            let base = table.base(frame_index, true);
            assert_eq!(base, 7 * 200 * frame);
            for (plane, draw) in
                [Draw::RefA, Draw::RefB, Draw::Dither(0), Draw::Dither(1), Draw::Dither(2)].into_iter().enumerate()
            {
                for y in 0..height {
                    let at = base + plane * 21 + y * 7;
                    assert_eq!(table.row(draw, base, 2, y)[..5], all[at + 2..at + 7]);
                }
            }
        }
        assert_eq!(table.base(9, false), 0);
    }

    #[test]
    fn kernels_of_one_seed_and_size_share_a_table() {
        let shared = |seed, each_frame| Table::shared(31, 17, seed, each_frame).unwrap();
        let table = shared(5, false);
        assert!(Arc::ptr_eq(&table, &shared(5, false)));
        assert!(!Arc::ptr_eq(&table, &shared(6, false)) && !Arc::ptr_eq(&table, &shared(5, true)));
        let gone = Arc::downgrade(&table);
        drop(table);
        assert!(gone.upgrade().is_none());
        assert_eq!(shared(5, false).bytes, Table::new(31, 17, 5, false).unwrap().bytes);
    }

    #[test]
    fn a_table_that_cannot_be_counted_is_refused() {
        let error = Table::new(usize::MAX / 4, 3, 0, true).err().unwrap();
        assert_eq!(error.kind(), Kind::OutOfMemory);
    }
}
