//! What differs, for people: a line a kind, and one that sums up.

use crate::cli::verify::ranges::{Occurrence, listed};
use crate::io::hash::{Difference, DifferenceKind, HashFile, Verification};
use crate::video::Rational;
use std::fmt;

/// More runs of times than these are reported as one.
const MOST_TIMES: usize = 4;

/// One line for the tags that differ, and one for each kind of difference of frames.
pub fn lines(file: &HashFile, report: &Verification) -> String {
    let unit = file.stated.timebase;
    let tags = (report.found.is_some() && !report.traits.is_empty()).then(|| format!("tags: {}", traits(report)));
    let is_time = |difference: &&Difference| matches!(difference.what, DifferenceKind::Time { .. });
    let (times, others): (Vec<_>, Vec<_>) = report.differences.iter().partition(is_time);
    let streams =
        report.streams.iter().map(|stream| format!("{}: {}", stream.stream(), stream.how.words("the text", "IN")));
    let frames = grouped(&others, unit);
    let mut lines: Vec<_> = tags.into_iter().chain(streams).chain(frames.iter().map(Line::to_string)).collect();
    match grouped(&times, unit) {
        runs if runs.iter().map(|line| line.places.len()).sum::<usize>() > MOST_TIMES => {
            lines.push(spread(&times, unit))
        }
        runs => lines.extend(runs.iter().map(Line::to_string)),
    }
    lines.into_iter().map(|line| line + "\n").collect()
}

/// What describes the stream and differs.
pub fn traits(report: &Verification) -> String {
    report.traits.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// What differs at all, in one line. The video has `found` frames.
pub fn summary(report: &Verification, found: usize) -> String {
    let frames_are_same = report.first().is_none();
    let mut parts = Vec::new();
    if !report.traits.is_empty() {
        let which = if frames_are_same { format!(" ({})", traits(report)) } else { String::new() };
        parts.push(format!("tags differ{which}"));
    }
    let streams = report.streams.chunk_by(|a, b| a.stream() == b.stream());
    parts.extend(streams.map(|one| format!("{} differs", one[0].stream())));
    let frames = frames(report, found);
    if parts.is_empty() { frames } else { format!("{}, and {frames}", parts.join(", ")) }
}

fn frames(report: &Verification, found: usize) -> String {
    let Some(first) = report.first() else { return format!("all {found} frames are the same") };
    if report.same_samples() {
        return format!("times differ from frame {first} on, and the pixels of all {found} frames are the same");
    }
    let mut counts = counted(found as u64, "frame");
    if report.expected != found {
        counts += &format!(" instead of {}", report.expected);
    }
    if report.same > 0 {
        counts += &format!(", {} of them the same", report.same);
    }
    format!("it differs from frame {first} on ({counts})")
}

/// "1 frame", "2 frames".
fn counted(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// "missing: frames 7-8, 12".
struct Line {
    before: String,
    places: Vec<String>,
    after: String,
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}{}", self.before, self.places.join(", "), self.after)
    }
}

/// A line for all differences that have the same words, in the order of the first of each.
fn grouped(differences: &[&Difference], unit: Rational) -> Vec<Line> {
    let mut groups: Vec<((String, String), Vec<Occurrence>)> = Vec::new();
    for difference in differences {
        let (words, place) = (words(difference, unit), place(difference));
        match groups.iter_mut().find(|group| group.0 == words) {
            Some(group) => group.1.push(place),
            None => groups.push((words, vec![place])),
        }
    }
    let line = |((before, after), places): (_, Vec<_>)| Line { before, places: listed(&places), after };
    groups.into_iter().map(line).collect()
}

/// The frames of a difference.
fn place(difference: &Difference) -> Occurrence {
    let Difference { what, expected, found } = difference;
    let span = match what {
        DifferenceKind::Extra | DifferenceKind::Duplicated => found.or(*expected),
        _ => expected.or(*found),
    };
    let elsewhere = found.filter(|_| *what == DifferenceKind::Moved);
    Occurrence { span: span.unwrap_or_default(), elsewhere }
}

/// The words before the frames of a difference, and after them.
fn words(difference: &Difference, unit: Rational) -> (String, String) {
    let (before, after) = match &difference.what {
        DifferenceKind::Missing => ("missing", String::new()),
        DifferenceKind::Extra => ("extra", " of IN".to_owned()),
        DifferenceKind::Duplicated => ("duplicated", " of IN show again what comes before them".to_owned()),
        DifferenceKind::Moved => ("moved", String::new()),
        DifferenceKind::Shifted { by } => {
            let found = difference.found.unwrap_or_default();
            return (format!("shifted by {by}"), format!(" are frames {found} of IN"));
        }
        DifferenceKind::Pixels { planes } if planes.is_empty() => ("pixels", String::new()),
        DifferenceKind::Pixels { planes } => {
            let planes: Vec<_> = planes.iter().map(ToString::to_string).collect();
            ("pixels", format!(" (planes {})", planes.join(", ")))
        }
        DifferenceKind::Time { first, last } => ("time", later(*first, *last, unit)),
    };
    (before.to_owned(), after)
}

/// " are 512 units (0.040 s) later".
fn later(first: Option<i64>, last: Option<i64>, unit: Rational) -> String {
    match (first, last) {
        (Some(first), Some(last)) if first == last => format!(" are {}", amount(first, unit)),
        (Some(first), Some(last)) => format!(" drift from {} to {}", amount(first, unit), amount(last, unit)),
        _ => " have a time in one of the two only".to_owned(),
    }
}

fn amount(later: i64, unit: Rational) -> String {
    let word = if later < 0 { "earlier" } else { "later" };
    let seconds = unit.value().map_or(0.0, |unit| later as f64 * unit).abs();
    format!("{} ({seconds:.3} s) {word}", counted(later.unsigned_abs(), "unit"))
}

/// Many differences of time, reported as one.
fn spread(times: &[&Difference], unit: Rational) -> String {
    let places: Vec<_> = times.iter().map(|difference| place(difference)).collect();
    let frames: u64 = places.iter().map(|place| place.span.frames()).sum();
    let first = places.iter().map(|place| place.span.first).min().unwrap_or_default();
    let last = places.iter().map(|place| place.span.last).max().unwrap_or_default();
    let later: Vec<_> = times
        .iter()
        .filter_map(|difference| match difference.what {
            DifferenceKind::Time { first, last } => Some([first?, last?]),
            _ => None,
        })
        .collect();
    let (least, most) = (later.iter().flatten().min(), later.iter().flatten().max());
    let between = least.zip(most).map_or_else(String::new, |(least, most)| {
        format!(" are between {} and {}", amount(*least, unit), amount(*most, unit))
    });
    let frames = counted(frames, "frame");
    format!("time: {frames} from {first} to {last}{between} (--json has all {} ranges)", times.len())
}
