//! Frames that are single for a reason: they are elsewhere in the order, or one sequence lies behind the other.

use crate::compare::Side;
use crate::compare::sequence::{Alignment, Mark};
use std::collections::{HashMap, HashSet, VecDeque};

/// Such frames, which have no partner. A is what is expected, B what was found.
pub struct Displaced {
    /// How far the found sequence begins later in the video.
    pub shift: i64,
    /// The found frame of every expected one that is in another place.
    pub moved: HashMap<usize, usize>,
    expected: HashSet<usize>,
    found: HashSet<usize>,
}

impl Displaced {
    /// The single frames of `alignment` that have a reason.
    pub fn of(alignment: &Alignment<'_>, expected: &[Mark], found: &[Mark]) -> Displaced {
        let (n, m) = (expected.len(), found.len());
        let moved = moved(alignment, expected, found);
        // What lacks at one end and is there at the other was not cut off, but put elsewhere.
        let shift = Some(shift(alignment, n, m)).filter(|by| moved.len() < by.unsigned_abs() as usize).unwrap_or(0);
        let by = shift.unsigned_abs() as usize;
        let (moved, expected, found) = match shift {
            0 => {
                let (from, to) = (moved.keys().copied().collect(), moved.values().copied().collect());
                (moved, from, to)
            }
            1.. => (HashMap::new(), (0..by).collect(), (m - by..m).collect()),
            _ => (HashMap::new(), (n - by..n).collect(), (0..by).collect()),
        };
        Displaced { shift, moved, expected, found }
    }

    /// Whether a frame is one of them.
    pub fn holds(&self, side: Side, place: usize) -> bool {
        match side {
            Side::A => self.expected.contains(&place),
            Side::B => self.found.contains(&place),
        }
    }
}

/// As many frames are single at the beginning of one sequence as at the end of the other, and none at the other ends.
fn shift(alignment: &Alignment<'_>, expected: usize, found: usize) -> i64 {
    let head = |side| alignment.singles(side).enumerate().take_while(|(i, place)| i == place).count();
    let tail = |side, length: usize| {
        let last = alignment.singles(side).rev().enumerate();
        last.take_while(|(i, place)| length - 1 - i == *place).count()
    };
    let heads = (head(Side::A), head(Side::B));
    let tails = (tail(Side::A, expected), tail(Side::B, found));
    match (heads, tails) {
        _ if heads.0 == expected || heads.1 == found => 0,
        ((by, 0), (0, end)) if by == end => by as i64,
        ((0, by), (end, 0)) if by == end => -(by as i64),
        _ => 0,
    }
}

/// Single frames of both sequences with the same samples. One that only repeats its neighbour was not moved.
fn moved(alignment: &Alignment<'_>, expected: &[Mark], found: &[Mark]) -> HashMap<usize, usize> {
    let mut singles: HashMap<usize, VecDeque<usize>> = HashMap::new();
    for place in alignment.singles(Side::B).filter(|place| !repeats(found, *place)) {
        singles.entry(found[place].samples).or_default().push_back(place);
    }
    let place = |e: usize| Some((e, singles.get_mut(&expected[e].samples)?.pop_front()?));
    alignment.singles(Side::A).filter_map(place).collect()
}

/// Whether the frame `place` shows what one beside it shows.
fn repeats(marks: &[Mark], place: usize) -> bool {
    let samples = |place: usize| marks.get(place).map(|mark| mark.samples);
    samples(place) == samples(place + 1) || place > 0 && samples(place) == samples(place - 1)
}
