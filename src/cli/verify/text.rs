//! What differs, for people: a line a kind.

use crate::io::hash::{Difference, HashFile, Report, Span, What};
use crate::video::Rational;

/// One line for each way in which frames differ.
pub fn differences(file: &HashFile, report: &Report) -> String {
    let mut lines: Vec<(String, Vec<String>, String)> = Vec::new();
    for difference in &report.differences {
        let (head, frames, tail) = phrase(difference, file.stated.timebase);
        match lines.iter_mut().find(|line| (&line.0, &line.2) == (&head, &tail)) {
            Some(line) => line.1.push(frames),
            None => lines.push((head, vec![frames], tail)),
        }
    }
    let line = |(head, frames, tail): &(String, Vec<String>, String)| format!("{head} {}{tail}\n", frames.join(", "));
    lines.iter().map(line).collect()
}

/// What describes the stream and differs.
pub fn traits(report: &Report) -> String {
    report.traits.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// What is said before the frames of a difference, the frames, and what is said after them.
fn phrase(difference: &Difference, unit: Rational) -> (String, String, String) {
    let numbers = |span: Option<Span>| span.map_or_else(String::new, |span| span.to_string());
    let (expected, found) = (numbers(difference.expected), numbers(difference.found));
    let (head, frames, tail) = match &difference.what {
        What::Missing => ("missing: frames", expected, String::new()),
        What::Extra => ("extra: frames of IN", found, String::new()),
        What::Duplicated => ("duplicated: frames of IN that show again what comes before them:", found, String::new()),
        What::Moved => ("moved: frames", format!("{expected} (in IN {found})"), String::new()),
        What::Shifted { by } => {
            return (format!("shifted by {by}: frames"), expected, format!(" are frames {found} of IN"));
        }
        What::Pixels { planes } if planes.is_empty() => ("pixels: frames", expected, String::new()),
        What::Pixels { planes } => {
            let planes: Vec<_> = planes.iter().map(ToString::to_string).collect();
            ("pixels: frames", expected, format!(" (planes {})", planes.join(", ")))
        }
        What::Time { first, last } => ("time: frames", expected, times(*first, *last, unit)),
    };
    (head.to_owned(), frames, tail)
}

/// " are 512 units (0.040 s) later".
fn times(first: Option<i64>, last: Option<i64>, unit: Rational) -> String {
    let (Some(first), Some(last)) = (first, last) else { return " have a time in one of the two only".to_owned() };
    let amount = |later: i64| {
        let word = if later < 0 { "earlier" } else { "later" };
        let seconds = unit.value().map_or(0.0, |unit| later as f64 * unit).abs();
        format!("{} units ({seconds:.3} s) {word}", later.unsigned_abs())
    };
    if first == last {
        format!(" are {}", amount(first))
    } else {
        format!(" drift from {} to {}", amount(first), amount(last))
    }
}
