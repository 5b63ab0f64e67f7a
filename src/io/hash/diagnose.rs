//! What differs between the frames that should be there and those that are.
//!
//! Where frames repeat, more than one story tells the difference. All readings are made, and the shortest is told.

use crate::io::hash::align::{Alignment, By, Mark, Side};
use crate::io::hash::record::{Entry, HashFile, Layout, Trait};
use crate::video::Rational;
use std::collections::HashMap;
use std::fmt;

mod aside;
mod clock;
mod story;
#[cfg(test)]
mod tests;

use aside::Aside;
use clock::Clock;
use story::Story;

/// What is wrong with a run of frames.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// They are not there.
    Missing,
    /// They should not be there.
    Extra,
    /// They show the frame before them again: in the place of the expected frames, or where none was expected.
    Duplicated,
    /// They are there, but elsewhere in the order.
    Moved,
    /// They are all that both have: the found frame n is the expected frame n + `by`.
    Shifted {
        /// How many frames later in the video the found frames begin.
        by: i64,
    },
    /// Their samples differ.
    Pixels {
        /// In these planes; empty where the text has one hash a frame.
        planes: Vec<usize>,
    },
    /// Their times differ.
    Time {
        /// How much later the first one is, in the text's unit; `None`: only one of the two has a time.
        first: Option<i64>,
        /// How much later the last one is.
        last: Option<i64>,
    },
}

/// Frames, by their numbers in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The first.
    pub first: u64,
    /// The last, which is one of them.
    pub last: u64,
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.first == self.last { write!(f, "{}", self.first) } else { write!(f, "{}-{}", self.first, self.last) }
    }
}

/// A run of frames that differ in one way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// How.
    pub what: What,
    /// The expected frames.
    pub expected: Option<Span>,
    /// The frames that were found for them.
    pub found: Option<Span>,
}

impl Difference {
    /// The number of the first frame it is about: an expected one where there is one.
    pub fn first(&self) -> u64 {
        self.expected.or(self.found).map_or(0, |span| span.first)
    }
}

/// How a video compares with a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Frames in the text.
    pub expected: usize,
    /// Frames in the video.
    pub found: usize,
    /// What describes the stream and differs. Frames of different streams are not compared.
    pub traits: Vec<Trait>,
    /// What differs, in the order of the frames.
    pub differences: Vec<Difference>,
    /// Frames of both that have the same samples.
    pub same: usize,
    /// How much later all frames are than a text says that counts from zero: no difference. In the text's unit.
    pub offset: i64,
}

impl Report {
    /// Of a stream that already differs.
    pub fn of_traits(expected: &HashFile, traits: Vec<Trait>) -> Report {
        let differences = Vec::new();
        Report { expected: expected.frames.len(), found: 0, traits, differences, same: 0, offset: 0 }
    }

    /// True when nothing differs.
    pub fn is_match(&self) -> bool {
        self.traits.is_empty() && self.differences.is_empty()
    }

    /// The number of the first frame that differs.
    pub fn first(&self) -> Option<u64> {
        self.differences.iter().map(Difference::first).min()
    }
}

/// Holds the frames `found`, whose times are in `timebase`, against those that `file` expects.
pub fn compare(file: &HashFile, timebase: Rational, found: &[Entry]) -> Report {
    let clock = Clock::new(file.stated.timebase, timebase);
    let sides = Sides::new(file, clock, found);
    let mut report = Report {
        expected: file.frames.len(),
        found: found.len(),
        traits: Vec::new(),
        differences: Vec::new(),
        same: found.len(),
        offset: 0,
    };
    if sides.expected == sides.found {
        return report;
    }
    // The first of the shortest.
    let stories = READINGS.iter().map(|reading| sides.read(reading));
    if let Some(story) = stories.min_by_key(|story| (story.length(), story.frames())) {
        report.differences = story.numbered(&file.frames, found);
        report.same = story.same;
        report.offset = story.offset;
    }
    report
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
    file: &'f HashFile,
    entries: &'f [Entry],
    clock: Clock,
    expected: Vec<Mark>,
    found: Vec<Mark>,
}

impl<'f> Sides<'f> {
    fn new(file: &'f HashFile, clock: Clock, entries: &'f [Entry]) -> Self {
        let mut numbers: HashMap<&'f [u8], usize> = HashMap::new();
        let mut mark = |entry: &'f Entry, time| {
            let next = numbers.len();
            Mark { samples: *numbers.entry(&entry.hashes).or_insert(next), time }
        };
        let expected = file.frames.iter().map(|entry| mark(entry, entry.pts)).collect();
        let found = entries.iter().map(|entry| mark(entry, entry.pts.map(|pts| clock.convert(pts)))).collect();
        Sides { file, entries, clock, expected, found }
    }

    /// The story that a reading tells.
    fn read(&self, (before, after): &(&[By], &[By])) -> Story {
        let mut alignment = Alignment::new(&self.expected, &self.found);
        before.iter().for_each(|by| alignment.pair(*by, |_, _| false));
        alignment.settle();
        let aside = Aside::of(&alignment, &self.expected, &self.found);
        let offset = self.offset(&alignment);
        after.iter().for_each(|by| alignment.pair(*by, |side, place| aside.holds(side, place)));
        alignment.pair_rest(|side, place| aside.holds(side, place));
        self.tell(&alignment, &aside, offset)
    }

    /// How much later every frame is, where ffmpeg, which wrote the text, may have counted from zero.
    fn offset(&self, alignment: &Alignment<'_>) -> i64 {
        if self.file.layout != Layout::Ffmpeg {
            return 0;
        }
        let pairs = (0..self.expected.len()).filter_map(|e| Some((e, alignment.found_of(e)?)));
        let mut later = pairs.map(|(e, f)| self.found[f].time?.checked_sub(self.expected[e].time?));
        let Some(Some(first)) = later.next() else { return 0 };
        let all =
            later.all(|later| later.and_then(|later| later.checked_sub(first)).is_some_and(|d| self.clock.same(d)));
        if all && !self.clock.same(first) { first } else { 0 }
    }

    fn tell(&self, alignment: &Alignment<'_>, aside: &Aside, offset: i64) -> Story {
        let mut story = Story::new(offset);
        // Which found frames show a good frame, or one again.
        let mut good = vec![false; self.found.len()];
        let mut next = 0;
        for e in 0..=self.expected.len() {
            let partner = if e < self.expected.len() { alignment.found_of(e) } else { Some(self.found.len()) };
            let Some(partner) = partner else {
                match aside.moved.get(&e) {
                    Some(place) => story.add(What::Moved, e..e + 1, *place..place + 1),
                    None if aside.holds(Side::Expected, e) => {}
                    None => story.add(What::Missing, e..e + 1, next..next),
                }
                continue;
            };
            for f in (next..partner).filter(|f| !aside.holds(Side::Found, *f)) {
                good[f] = f > 0 && good[f - 1] && self.is_again(f - 1, f) || self.foreruns(f, e, partner);
                story.add(if good[f] { What::Duplicated } else { What::Extra }, e..e, f..f + 1);
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
            (_, true) => story.add(What::Duplicated, e..e + 1, f..f + 1),
            _ => story.add(What::Pixels { planes: self.planes(e, f) }, e..e + 1, f..f + 1),
        }
        let difference = |(expected, found): (i64, i64)| found.saturating_sub(expected).saturating_sub(story.offset);
        let later = expected.time.zip(found.time).map(difference);
        if later.map_or(expected.time != found.time, |later| !self.clock.same(later)) {
            story.add(What::Time { first: later, last: later }, e..e + 1, f..f + 1);
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
        if self.file.layout == Layout::Ffmpeg {
            return Vec::new();
        }
        let size = self.file.hash.size();
        let pairs = self.file.frames[e].hashes.chunks(size).zip(self.entries[f].hashes.chunks(size));
        pairs.enumerate().filter(|(_, (expected, found))| expected != found).map(|(plane, _)| plane).collect()
    }
}
