//! Whether two streams are the same but for a constant shift, judged by what their first frames look like.

use crate::compare::align::Side;
use crate::video::PlaneRef;

/// Frames of each stream that are looked at, so that memory and time are bounded.
const LOOKED_AT: usize = 500;

/// A frame's first plane is looked at in so many cells across and down.
const CELLS: usize = 16;

/// In a cell, about so many samples are looked at in either direction.
const SAMPLES: usize = 8;

/// Frames that overlap after a shift, at least.
const LEAST_OVERLAP: usize = 3;

/// Cells that differ so much in the mean are of frames that differ badly: a quarter of an 8-bit code value, in v16.
const BADLY: f64 = 64.0;

/// So much nearer must frames be when shifted than as they were compared.
const BETTER: f64 = 1.5;

/// So much nearer than after any other shift: what hardly moves, or repeats, does not show where it belongs.
const CLEARER: f64 = 1.25;

/// What a frame looks like: means of its cells.
type CellMeans = Box<[u16]>;

/// The first frames of two streams.
#[derive(Debug, Default)]
pub struct Shifts {
    looks: [Vec<CellMeans>; 2],
    /// Which were compared.
    pairs: Vec<(usize, usize)>,
}

impl Shifts {
    /// The frames in these places were compared.
    pub fn pair(&mut self, a: usize, b: usize) {
        self.pairs.push((a, b));
    }

    /// Takes in the first plane of the next frame of `side`, and gives the frame's place; `None` when enough were looked
    /// at.
    pub fn add(&mut self, side: Side, plane: &PlaneRef<'_>) -> Option<usize> {
        let looks = &mut self.looks[side as usize];
        (looks.len() < LOOKED_AT).then(|| looks.push(look(plane)))?;
        Some(looks.len() - 1)
    }

    /// By how many places the frames of the second stream must be later to look like those of the first, when those
    /// that were compared differ badly, and those do not.
    pub fn found(&self) -> Option<i64> {
        let shortest = self.looks.iter().map(Vec::len).min()?;
        let most = (shortest / 2).min(shortest.saturating_sub(LEAST_OVERLAP)) as i64;
        let mut shifted: Vec<_> = (-most..=most).filter_map(|by| Some((by, self.shifted(by)?))).collect();
        shifted.sort_by(|(_, near), (_, far)| near.total_cmp(far));
        let [(best, least), (_, second), ..] = shifted[..] else { return None };
        // Where none were, any shift is as good as none.
        let now = self.mean(self.pairs.iter().copied()).or_else(|| mean(shifted.iter().map(|(_, far)| *far)))?;
        (now >= BADLY && least * BETTER <= now && least * CLEARER <= second).then_some(best)
    }

    /// How far frames are apart when those of the second are `by` places later.
    fn shifted(&self, by: i64) -> Option<f64> {
        let [ahead, behind] = [by.max(0), (-by).max(0)].map(|places| places as usize);
        let [a, b] = &self.looks;
        self.mean((ahead..a.len()).zip(behind..b.len()))
    }

    fn mean(&self, pairs: impl Iterator<Item = (usize, usize)>) -> Option<f64> {
        mean(pairs.map(|(a, b)| apart(&self.looks[0][a], &self.looks[1][b])))
    }
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (count, sum) = values.fold((0u32, 0.0), |(count, sum), value| (count + 1, sum + value));
    (count > 0).then(|| sum / f64::from(count))
}

fn apart(a: &CellMeans, b: &CellMeans) -> f64 {
    a.iter().zip(b).map(|(a, b)| u64::from(a.abs_diff(*b))).sum::<u64>() as f64 / a.len() as f64
}

fn look(plane: &PlaneRef<'_>) -> CellMeans {
    // Small planes have cells that share samples.
    let places = |cell: usize, size: usize| {
        let start = cell * size / CELLS;
        let end = ((cell + 1) * size / CELLS).max(start + 1);
        (start..end).step_by((end - start).div_ceil(SAMPLES))
    };
    let cell = |i: usize| {
        let (rows, columns) = (places(i / CELLS, plane.height()), places(i % CELLS, plane.width()));
        let samples = rows.flat_map(|y| columns.clone().map(move |x| u64::from(plane.v16(x, y))));
        let (count, sum) = samples.fold((0, 0), |(count, sum), sample| (count + 1, sum + sample));
        (sum / count) as u16
    };
    (0..CELLS * CELLS).map(cell).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::video::{Format, Picture};
    use std::hash::{DefaultHasher, Hash, Hasher};

    /// A frame of a clip whose values move by the number: no two look alike. `noise` is what a codec may do to it.
    fn frame(number: u64, noise: u8) -> Picture {
        let mut picture = Picture::alloc("gray8".parse::<Format>().unwrap(), 37, 21).unwrap();
        let mut planes = picture.planes_mut();
        for y in 0..21 {
            for (x, value) in planes.get_mut(0).row_u8_mut(y).iter_mut().enumerate() {
                let mut random = DefaultHasher::new();
                (number, x / 5, y / 5).hash(&mut random);
                *value = (random.finish() as u8 & 0xf0) + (x + y) as u8 % (noise + 1);
            }
        }
        picture
    }

    fn pair(shifts: &mut Shifts, a: &Picture, b: &Picture) {
        let places =
            [(Side::A, a), (Side::B, b)].map(|(side, picture)| shifts.add(side, &picture.planes()[0]).unwrap());
        shifts.pair(places[0], places[1]);
    }

    /// What is found of clips that begin at these frames, the pairs of which are `by` places apart; of `frames` frames.
    fn found(starts: [u64; 2], by: usize, frames: u64) -> Option<i64> {
        let mut shifts = Shifts::default();
        for _ in 0..by {
            shifts.add(Side::A, &frame(starts[0], 0).planes()[0]);
        }
        for i in 0..frames {
            let (a, b) = (frame(starts[0] + i + by as u64, 0), frame(starts[1] + i, 3));
            pair(&mut shifts, &a, &b);
        }
        shifts.found()
    }

    #[test]
    fn a_constant_shift_is_found() {
        assert_eq!(found([0, 0], 0, 20), None, "they agree as they are");
        assert_eq!(found([0, 1], 0, 20), Some(1));
        assert_eq!(found([7, 0], 0, 20), Some(-7));
        assert_eq!(found([0, 400], 0, 20), None, "other frames");
        assert_eq!(found([0, 0], 2, 20), Some(0), "they were shifted for nothing");
        assert_eq!(found([0, 20], 0, 30), None, "less than half of them overlap");
        assert_eq!(found([0, 1], 0, 2), None, "too few to decide");
    }

    #[test]
    fn what_does_not_move_has_no_shift() {
        let mut shifts = Shifts::default();
        for _ in 0..20 {
            pair(&mut shifts, &frame(1, 0), &frame(2, 0));
        }
        assert_eq!(shifts.found(), None);
        assert_eq!(Shifts::default().found(), None);
    }

    #[test]
    fn without_a_pair_any_shift_is_as_good_as_another() {
        let mut shifts = Shifts::default();
        for i in 0..20 {
            shifts.add(Side::A, &frame(i, 0).planes()[0]);
            shifts.add(Side::B, &frame(i, 2).planes()[0]);
        }
        assert_eq!(shifts.found(), Some(0));
    }
}
