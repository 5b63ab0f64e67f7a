//! What differs between the frames that should be there and those that are.
//!
//! Where frames repeat, more than one story tells the difference. All readings are made, and the shortest is told.

use crate::io::hash::align::{Alignment, By, Mark, Side};
use crate::io::hash::record::{Entry, HashFile, HashFormat};
use crate::io::hash::streams::CodedStream;
use crate::video::Rational;
use std::collections::HashMap;

mod aside;
mod beside;
mod clock;
mod report;
mod story;
#[cfg(test)]
mod tests;

pub use beside::{How, Packets, StreamDifference, compare_streams};
pub use clock::Times;
pub use report::{Diagnosis, Difference, FaultKind, Span};

use aside::Aside;
use clock::TimeScale;
use story::Story;

/// Holds the frames `found`, whose times are in `timebase`, against those that `file` expects.
pub fn compare(file: &HashFile, timebase: Rational, found: &[Entry], times: Times) -> Diagnosis {
    hold(&Expected::frames(file), timebase, found, times)
}

/// What should be there: frames, or packets.
struct Expected<'f> {
    entries: &'f [Entry],
    timebase: Rational,
    /// Bytes of the hash of a plane, where an entry has a hash a plane.
    plane: Option<usize>,
}

impl<'f> Expected<'f> {
    fn frames(file: &'f HashFile) -> Expected<'f> {
        let plane = (file.layout == HashFormat::Vramp).then(|| file.hash.size());
        Expected { entries: &file.frames, timebase: file.stated.timebase, plane }
    }

    fn packets(stream: &'f CodedStream) -> Expected<'f> {
        Expected { entries: &stream.packets, timebase: stream.timebase, plane: None }
    }
}

/// Holds the entries `found`, whose times are in `timebase`, against those that are `expected`.
fn hold(expected: &Expected<'_>, timebase: Rational, found: &[Entry], times: Times) -> Diagnosis {
    let distance = TimeScale::distance(expected.entries.iter().filter_map(|entry| entry.pts));
    let clock = TimeScale::new(expected.timebase, timebase, times, distance);
    let sides = Sides::new(expected, clock, found, times);
    let offsets = if times == Times::Offset { sides.offsets() } else { vec![0] };
    // The first of the shortest.
    let stories = offsets.into_iter().flat_map(|offset| sides.later(offset).read_all());
    let story = stories.min_by_key(|story| (story.length(), story.frames())).unwrap_or_else(|| Story::new(clock, 0));
    Diagnosis {
        expected: expected.entries.len(),
        found: Some(found.len()),
        traits: Vec::new(),
        streams: Vec::new(),
        differences: story.numbered(expected.entries, found),
        same: story.same,
        offset: story.offset,
    }
}

/// What frames are taken for the same by, in turn: before moved frames are looked for, and after.
const READINGS: [(&[By], &[By]); 4] = [
    (&[By::Both, By::Samples], &[]),
    (&[By::Samples], &[]),
    (&[By::Both, By::Samples], &[By::Time]),
    (&[By::Samples], &[By::Time]),
];

/// Both sequences, in the same terms.
struct Sides<'f> {
    should: &'f Expected<'f>,
    entries: &'f [Entry],
    clock: TimeScale,
    /// How much later all found frames are, which is no difference.
    offset: i64,
    expected: Vec<Mark>,
    /// Of times that are the same as an expected one, each has that.
    found: Vec<Mark>,
    /// The found frames' times, as they would be without the offset.
    times: Vec<Option<i64>>,
}

impl<'f> Sides<'f> {
    fn new(should: &'f Expected<'f>, clock: TimeScale, entries: &'f [Entry], times: Times) -> Self {
        let mut numbers: HashMap<&'f [u8], usize> = HashMap::new();
        let mut mark = |entry: &'f Entry, time: Option<i64>| {
            let next = numbers.len();
            Mark {
                samples: *numbers.entry(&entry.hashes).or_insert(next),
                time: time.filter(|_| times != Times::Ignore),
            }
        };
        let expected = should.entries.iter().map(|entry| mark(entry, entry.pts)).collect();
        let found: Vec<_> = entries.iter().map(|entry| mark(entry, entry.pts.map(|pts| clock.convert(pts)))).collect();
        let times = found.iter().map(|mark| mark.time).collect();
        let sides = Sides { should, entries, clock, offset: 0, expected, found, times };
        sides.later(0)
    }

    /// The same, where all found frames are later by `offset`.
    fn later(&self, offset: i64) -> Sides<'f> {
        let moved = |time: &Option<i64>| time.map(|time| time.saturating_add(self.offset).saturating_sub(offset));
        let times: Vec<_> = self.times.iter().map(moved).collect();
        let mut known: Vec<_> = self.expected.iter().filter_map(|mark| mark.time).collect();
        known.sort_unstable();
        let snapped =
            |(mark, time): (&Mark, &Option<i64>)| Mark { time: time.map(|t| self.clock.snap(t, &known)), ..*mark };
        let found = self.found.iter().zip(&times).map(snapped).collect();
        Sides { offset, expected: self.expected.clone(), found, times, ..*self }
    }

    /// By how much all found frames may be later: not at all, as most with the same samples are, or as the first is.
    fn offsets(&self) -> Vec<i64> {
        let later = |(e, f): (usize, usize)| Some(self.times[f]?.saturating_sub(self.expected[e].time?));
        let first = (!self.expected.is_empty() && !self.found.is_empty()).then(|| later((0, 0))).flatten();
        let mut alignment = Alignment::new(&self.expected, &self.found);
        alignment.pair(By::Samples, |_, _| false);
        let pairs = (0..self.expected.len()).filter_map(|e| Some((e, alignment.found_of(e)?)));
        let most = self.clock.majority(pairs.filter_map(later).collect());
        let mut offsets = vec![0];
        offsets.extend([most, first].into_iter().flatten().filter(|offset| !self.clock.same(*offset)));
        offsets
    }

    /// Every story, the plainest first.
    fn read_all(&self) -> Vec<Story> {
        if self.expected == self.found {
            let mut nothing = Story::new(self.clock, self.offset);
            nothing.same = self.found.len();
            return vec![nothing];
        }
        READINGS.iter().map(|reading| self.read(reading)).collect()
    }

    /// The story that a reading tells.
    fn read(&self, (before, after): &(&[By], &[By])) -> Story {
        let mut alignment = Alignment::new(&self.expected, &self.found);
        before.iter().for_each(|by| alignment.pair(*by, |_, _| false));
        alignment.settle();
        let aside = Aside::of(&alignment, &self.expected, &self.found);
        after.iter().for_each(|by| alignment.pair(*by, |side, place| aside.holds(side, place)));
        alignment.pair_rest(|side, place| aside.holds(side, place));
        self.tell(&alignment, &aside)
    }

    fn tell(&self, alignment: &Alignment<'_>, aside: &Aside) -> Story {
        let mut story = Story::new(self.clock, self.offset);
        // Which found frames show a good frame, or one again.
        let mut good = vec![false; self.found.len()];
        let mut next = 0;
        for e in 0..=self.expected.len() {
            let partner = if e < self.expected.len() { alignment.found_of(e) } else { Some(self.found.len()) };
            let Some(partner) = partner else {
                match aside.moved.get(&e) {
                    Some(place) => story.add(FaultKind::Moved, e..e + 1, *place..place + 1),
                    None if aside.holds(Side::Expected, e) => {}
                    None => story.add(FaultKind::Missing, e..e + 1, next..next),
                }
                continue;
            };
            for f in (next..partner).filter(|f| !aside.holds(Side::Found, *f)) {
                good[f] = f > 0 && good[f - 1] && self.is_again(f - 1, f) || self.foreruns(f, e, partner);
                story.add(if good[f] { FaultKind::Duplicated } else { FaultKind::Extra }, e..e, f..f + 1);
            }
            if e < self.expected.len() {
                good[partner] = self.tell_pair(e, partner, partner > 0 && good[partner - 1], &mut story);
            }
            next = partner + 1;
        }
        story.end(aside.shift, self.expected.len(), self.found.len())
    }

    /// Tells what differs between two frames. Returns whether the found one shows a good frame, or again the one before
    /// it, which does.
    fn tell_pair(&self, e: usize, f: usize, follows_good: bool, story: &mut Story) -> bool {
        let (expected, found) = (self.expected[e], self.found[f]);
        let same = expected.samples == found.samples;
        let again = follows_good && self.is_again(f - 1, f);
        match (same, again) {
            (true, _) => story.same += 1,
            (_, true) => story.add(FaultKind::Duplicated, e..e + 1, f..f + 1),
            _ => story.add(FaultKind::Pixels { planes: self.planes(e, f) }, e..e + 1, f..f + 1),
        }
        let later = expected.time.zip(self.times[f]).map(|(expected, found)| found.saturating_sub(expected));
        if later.map_or(expected.time != found.time, |later| !self.clock.same(later)) {
            story.add(FaultKind::Time { first: later, last: later }, e..e + 1, f..f + 1);
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
