//! What differs between the frames that should be there and those that are there.
//!
//! Where frames repeat, there is more than one explanation. All are made, and the shortest is given.

use crate::compare::Side;
use crate::compare::sequence::{Alignment, By, Mark};
use crate::video::Rational;
use std::collections::HashMap;

mod difference;
mod displaced;
mod entry;
mod explanation;
#[cfg(test)]
mod tests;
mod time_scale;

pub use difference::{Difference, DifferenceKind, Span};
pub use entry::Entry;
pub use time_scale::{TimeScale, Times};

use displaced::Displaced;
use explanation::Explanation;

/// What should be there: frames, or packets.
#[derive(Clone, Copy, Debug)]
pub struct Expected<'f> {
    /// In order.
    pub entries: &'f [Entry],
    /// The unit of their times.
    pub timebase: Rational,
    /// Bytes of the hash of a plane, where an entry has a hash a plane.
    pub plane: Option<usize>,
}

/// How what was found differs from what was expected.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnosis {
    /// What differs, in the order of the frames.
    pub differences: Vec<Difference>,
    /// Frames of both that have the same samples.
    pub same: usize,
    /// How much later all frames are, where that is no difference. In the expected unit.
    pub offset: i64,
}

/// How the entries `found`, whose times are in `timebase`, differ from those that are `expected`; `times` says which times
/// are the same.
pub fn diagnose(expected: &Expected<'_>, timebase: Rational, found: &[Entry], times: Times) -> Diagnosis {
    let distance = TimeScale::distance(expected.entries.iter().filter_map(|entry| entry.pts));
    let scale = TimeScale::new(expected.timebase, timebase, times, distance);
    let sequences = Sequences::new(expected, scale, found, times);
    let offsets = if times == Times::Offset { sequences.offsets() } else { vec![0] };
    // The first of the shortest.
    let all = offsets.into_iter().flat_map(|offset| sequences.later(offset).explanations());
    let shortest = all.min_by_key(|one| (one.length(), one.frames())).unwrap_or_else(|| Explanation::new(scale, 0));
    Diagnosis { differences: shortest.numbered(expected.entries, found), same: shortest.same, offset: shortest.offset }
}

/// What frames are taken for the same by, in turn: before moved frames are looked for, and after.
const READINGS: [(&[By], &[By]); 4] = [
    (&[By::Both, By::Samples], &[]),
    (&[By::Samples], &[]),
    (&[By::Both, By::Samples], &[By::Time]),
    (&[By::Samples], &[By::Time]),
];

/// Both sequences, in the same terms.
struct Sequences<'f> {
    should: &'f Expected<'f>,
    entries: &'f [Entry],
    scale: TimeScale,
    /// How much later all found frames are, which is no difference.
    offset: i64,
    expected: Vec<Mark>,
    /// Of times that are the same as an expected one, each has that.
    found: Vec<Mark>,
    /// The found frames' times, as they would be without the offset.
    times: Vec<Option<i64>>,
}

impl<'f> Sequences<'f> {
    fn new(should: &'f Expected<'f>, scale: TimeScale, entries: &'f [Entry], times: Times) -> Self {
        let mut numbers: HashMap<&'f [u8], usize> = HashMap::new();
        let mut mark = |entry: &'f Entry, time: Option<i64>| {
            let next = numbers.len();
            Mark {
                samples: *numbers.entry(&entry.hashes).or_insert(next),
                time: time.filter(|_| times != Times::Ignore),
            }
        };
        let expected = should.entries.iter().map(|entry| mark(entry, entry.pts)).collect();
        let found: Vec<_> = entries.iter().map(|entry| mark(entry, entry.pts.map(|pts| scale.convert(pts)))).collect();
        let times = found.iter().map(|mark| mark.time).collect();
        let sequences = Sequences { should, entries, scale, offset: 0, expected, found, times };
        sequences.later(0)
    }

    /// The same, where all found frames are later by `offset`.
    fn later(&self, offset: i64) -> Sequences<'f> {
        let moved = |time: &Option<i64>| time.map(|time| time.saturating_add(self.offset).saturating_sub(offset));
        let times: Vec<_> = self.times.iter().map(moved).collect();
        let mut known: Vec<_> = self.expected.iter().filter_map(|mark| mark.time).collect();
        known.sort_unstable();
        let snapped =
            |(mark, time): (&Mark, &Option<i64>)| Mark { time: time.map(|t| self.scale.snap(t, &known)), ..*mark };
        let found = self.found.iter().zip(&times).map(snapped).collect();
        Sequences { offset, expected: self.expected.clone(), found, times, ..*self }
    }

    /// By how much all found frames may be later: not at all, as most with the same samples are, or as the first is.
    fn offsets(&self) -> Vec<i64> {
        let later = |(e, f): (usize, usize)| Some(self.times[f]?.saturating_sub(self.expected[e].time?));
        let first = (!self.expected.is_empty() && !self.found.is_empty()).then(|| later((0, 0))).flatten();
        let mut alignment = Alignment::new(&self.expected, &self.found);
        alignment.pair(By::Samples, |_, _| false);
        let pairs = (0..self.expected.len()).filter_map(|e| Some((e, alignment.b_of(e)?)));
        let most = self.scale.majority(pairs.filter_map(later).collect());
        let mut offsets = vec![0];
        offsets.extend([most, first].into_iter().flatten().filter(|offset| !self.scale.same(*offset)));
        offsets
    }

    /// Every explanation, the plainest first.
    fn explanations(&self) -> Vec<Explanation> {
        if self.expected == self.found {
            let mut nothing = Explanation::new(self.scale, self.offset);
            nothing.same = self.found.len();
            return vec![nothing];
        }
        READINGS.iter().map(|reading| self.read(reading)).collect()
    }

    /// The explanation that follows from a reading.
    fn read(&self, (before, after): &(&[By], &[By])) -> Explanation {
        let mut alignment = Alignment::new(&self.expected, &self.found);
        before.iter().for_each(|by| alignment.pair(*by, |_, _| false));
        alignment.settle();
        let displaced = Displaced::of(&alignment, &self.expected, &self.found);
        after.iter().for_each(|by| alignment.pair(*by, |side, place| displaced.holds(side, place)));
        alignment.pair_rest(|side, place| displaced.holds(side, place));
        self.explain(&alignment, &displaced)
    }

    fn explain(&self, alignment: &Alignment<'_>, displaced: &Displaced) -> Explanation {
        let mut explanation = Explanation::new(self.scale, self.offset);
        // Which found frames show a good frame, or one again.
        let mut good = vec![false; self.found.len()];
        let mut next = 0;
        for e in 0..=self.expected.len() {
            let partner = if e < self.expected.len() { alignment.b_of(e) } else { Some(self.found.len()) };
            let Some(partner) = partner else {
                match displaced.moved.get(&e) {
                    Some(place) => explanation.add(DifferenceKind::Moved, e..e + 1, *place..place + 1),
                    None if displaced.holds(Side::A, e) => {}
                    None => explanation.add(DifferenceKind::Missing, e..e + 1, next..next),
                }
                continue;
            };
            for f in (next..partner).filter(|f| !displaced.holds(Side::B, *f)) {
                good[f] = f > 0 && good[f - 1] && self.is_again(f - 1, f) || self.foreruns(f, e, partner);
                explanation.add(
                    if good[f] { DifferenceKind::Duplicated } else { DifferenceKind::Extra },
                    e..e,
                    f..f + 1,
                );
            }
            if e < self.expected.len() {
                good[partner] = self.explain_pair(e, partner, partner > 0 && good[partner - 1], &mut explanation);
            }
            next = partner + 1;
        }
        explanation.end(displaced.shift, self.expected.len(), self.found.len())
    }

    /// Adds what differs between two frames. Returns whether the found one shows a good frame, or again the one before
    /// it, which does.
    fn explain_pair(&self, e: usize, f: usize, follows_good: bool, explanation: &mut Explanation) -> bool {
        let (expected, found) = (self.expected[e], self.found[f]);
        let same = expected.samples == found.samples;
        let again = follows_good && self.is_again(f - 1, f);
        match (same, again) {
            (true, _) => explanation.same += 1,
            (_, true) => explanation.add(DifferenceKind::Duplicated, e..e + 1, f..f + 1),
            _ => explanation.add(DifferenceKind::Pixels { planes: self.planes(e, f) }, e..e + 1, f..f + 1),
        }
        let later = expected.time.zip(self.times[f]).map(|(expected, found)| found.saturating_sub(expected));
        if later.map_or(expected.time != found.time, |later| !self.scale.same(later)) {
            explanation.add(DifferenceKind::Time { first: later, last: later }, e..e + 1, f..f + 1);
        }
        same || again
    }

    /// Whether two found frames show the same.
    fn is_again(&self, f: usize, other: usize) -> bool {
        self.found[f].samples == self.found[other].samples
    }

    /// Whether `f` and all up to `partner`, the next that has one, show what the expected frame `e` does.
    fn foreruns(&self, f: usize, e: usize, partner: usize) -> bool {
        let samples = self.expected.get(e).map(|mark| mark.samples);
        let all = self.found.get(f..=partner);
        all.is_some_and(|all| all.iter().all(|mark| Some(mark.samples) == samples))
    }

    /// The planes in which two frames differ.
    fn planes(&self, e: usize, f: usize) -> Vec<usize> {
        let Some(size) = self.should.plane else { return Vec::new() };
        let pairs = self.should.entries[e].hashes.chunks(size).zip(self.entries[f].hashes.chunks(size));
        pairs.enumerate().filter(|(_, (expected, found))| expected != found).map(|(plane, _)| plane).collect()
    }
}
