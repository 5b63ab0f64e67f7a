//! Texts that ffmpeg made at a constant frame rate of a video that has none.

use crate::io::hash::diagnose::report::{Diagnosis, FaultKind, Span};
use crate::io::hash::record::{Entry, HashFile, HashFormat};
use crate::video::Rational;

/// Whether ffmpeg, which wrote `file`, seems to have dropped and repeated frames of `found`, whose times are in
/// `timebase`, so that they come at a constant rate: `report` tells of nothing else.
pub fn is_resampled(file: &HashFile, timebase: Rational, found: &[Entry], report: &Diagnosis) -> bool {
    let coarse = file.stated.timebase.value() > timebase.value();
    let explained = |what: &FaultKind, expected: Option<Span>| match what {
        FaultKind::Missing => {
            expected.is_some_and(|span| (span.first..=span.last).all(|place| repeats(&file.frames, place)))
        }
        FaultKind::Extra | FaultKind::Duplicated | FaultKind::Time { .. } => true,
        FaultKind::Moved | FaultKind::Shifted { .. } | FaultKind::Pixels { .. } => false,
    };
    let some = report.differences.iter().any(|difference| !matches!(difference.what, FaultKind::Time { .. }));
    file.layout == HashFormat::Ffmpeg
        && some
        && (coarse || is_even(&file.frames))
        && !is_even(found)
        && report.differences.iter().all(|difference| explained(&difference.what, difference.expected))
}

/// Whether the frame shows what one beside it shows. In such a text frames are numbered by their places.
fn repeats(frames: &[Entry], place: u64) -> bool {
    let at = |place: Option<u64>| frames.get(usize::try_from(place?).ok()?).map(|frame| &frame.hashes);
    let (this, before, after) = (at(Some(place)), at(place.checked_sub(1)), at(place.checked_add(1)));
    this.is_some() && (this == before || this == after)
}

/// Whether frames follow each other at one distance, to within a unit.
fn is_even(frames: &[Entry]) -> bool {
    let steps = || frames.windows(2).filter_map(|pair| Some(pair[1].pts?.saturating_sub(pair[0].pts?)));
    steps().min().zip(steps().max()).is_none_or(|(least, most)| most.saturating_sub(least) <= 1)
}
