use super::*;
use crate::video::StreamInfo;
use proptest::prelude::*;

/// Units of time a frame.
const FRAME: i64 = 512;

/// A frame in two planes: what the first shows, and when.
fn frame(index: usize, luma: usize, pts: Option<i64>) -> Entry {
    let plane = |value: usize| [&value.to_be_bytes()[..], &[0; 8]].concat();
    let hashes = [plane(luma), plane(luma / 2)].concat().into();
    Entry { index: index as u64, pts, duration: FRAME, key: false, bytes: 12, hashes }
}

/// Frames that show `lumas`, at an even rate.
fn frames(lumas: impl IntoIterator<Item = usize>) -> Vec<Entry> {
    lumas.into_iter().enumerate().map(|(i, luma)| frame(i, luma, Some(i as i64 * FRAME))).collect()
}

/// The same with other times: (what it shows, when).
fn timed(shown: impl IntoIterator<Item = (usize, i64)>) -> Vec<Entry> {
    shown.into_iter().enumerate().map(|(i, (luma, pts))| frame(i, luma, Some(pts))).collect()
}

/// What is expected, with a hash a plane or, as ffmpeg writes it, one a frame and times from any zero.
struct Text {
    hashes: Hashes,
    timebase: Rational,
    frames: Vec<Entry>,
}

#[derive(Clone, Copy, PartialEq)]
enum Hashes {
    Plane,
    Frame,
}

fn text(hashes: Hashes, frames: Vec<Entry>) -> Text {
    Text { hashes, timebase: StreamInfo::bare("nv12".parse().unwrap(), 4, 2).timebase, frames }
}

fn compare(text: &Text, timebase: Rational, found: &[Entry], times: Times) -> Diagnosis {
    let plane = (text.hashes == Hashes::Plane).then_some(16);
    diagnose(&Expected { entries: &text.frames, timebase: text.timebase, plane }, timebase, found, times)
}

/// What is reported by default.
fn check(text: &Text, timebase: Rational, found: &[Entry]) -> Diagnosis {
    let times = if text.hashes == Hashes::Plane { Times::Exact } else { Times::Offset };
    compare(text, timebase, found, times)
}

fn is_match(diagnosis: &Diagnosis) -> bool {
    diagnosis.differences.is_empty()
}

fn differences_of(expected: Vec<Entry>, found: &[Entry]) -> Vec<Difference> {
    let text = text(Hashes::Plane, expected);
    check(&text, text.timebase, found).differences
}

fn span(first: usize, last: usize) -> Option<Span> {
    Some(Span { first: first as u64, last: last as u64 })
}

fn difference(what: DifferenceKind, expected: Option<Span>, found: Option<Span>) -> Difference {
    Difference { what, expected, found }
}

fn later(frames: i64) -> DifferenceKind {
    DifferenceKind::Time { first: Some(frames * FRAME), last: Some(frames * FRAME) }
}

fn pixels(planes: &[usize]) -> DifferenceKind {
    DifferenceKind::Pixels { planes: planes.to_vec() }
}

#[test]
fn the_same_frames_are_a_match() {
    for hashes in [Hashes::Plane, Hashes::Frame] {
        let text = text(hashes, frames(0..9));
        let report = check(&text, text.timebase, &frames(0..9));
        assert_eq!((is_match(&report), report.same), (true, 9));
    }
}

#[test]
fn frames_that_lack_are_missing() {
    let kept = timed([0, 1, 4, 5, 6].map(|i| (i, i as i64 * FRAME)));
    assert_eq!(
        differences_of(frames(0..8), &kept),
        [difference(DifferenceKind::Missing, span(2, 3), None), difference(DifferenceKind::Missing, span(7, 7), None)]
    );
    // Where the times close up, they say so.
    assert_eq!(
        differences_of(frames(0..8), &frames([0, 1, 4, 5, 6, 7])),
        [difference(DifferenceKind::Missing, span(2, 3), None), difference(later(-2), span(4, 7), span(2, 5))]
    );
    assert_eq!(differences_of(frames(0..3), &[]), [difference(DifferenceKind::Missing, span(0, 2), None)]);
}

#[test]
fn frames_too_many_are_extra_or_duplicated() {
    assert_eq!(
        differences_of(frames(0..3), &frames([0, 1, 2, 7, 8])),
        [difference(DifferenceKind::Extra, None, span(3, 4))]
    );
    // Two that are alike, but like no frame that should be there.
    assert_eq!(
        differences_of(frames(0..3), &frames([0, 1, 2, 7, 7])),
        [difference(DifferenceKind::Extra, None, span(3, 4))]
    );
    assert_eq!(
        differences_of(frames(0..3), &frames([0, 1, 2, 2])),
        [difference(DifferenceKind::Duplicated, None, span(3, 3))]
    );
    assert_eq!(
        differences_of(frames(0..4), &frames([0, 1, 1, 2, 3])),
        [difference(DifferenceKind::Duplicated, None, span(2, 2)), difference(later(1), span(2, 3), span(3, 4))]
    );
}

#[test]
fn a_frame_in_the_place_of_others_is_duplicated() {
    assert_eq!(
        differences_of(frames(0..6), &frames([0, 1, 1, 1, 4, 5])),
        [difference(DifferenceKind::Duplicated, span(2, 3), span(2, 3))]
    );
    // All black is no frame shown again.
    assert_eq!(
        differences_of(frames(1..4), &frames([0, 0, 0])),
        [difference(pixels(&[0]), span(0, 0), span(0, 0)), difference(pixels(&[0, 1]), span(1, 2), span(1, 2))]
    );
}

#[test]
fn frames_in_another_order_are_moved() {
    let swapped = differences_of(frames(0..6), &timed([0, 1, 3, 2, 4, 5].into_iter().zip((0..).map(|i| i * FRAME))));
    assert_eq!(swapped[0].what, DifferenceKind::Moved, "{swapped:?}");
    assert_eq!(swapped.len(), 2, "it and the time of its neighbour: {swapped:?}");
}

#[test]
fn frames_that_all_are_there_are_neither_shifted_nor_changed() {
    let halves: Vec<_> = (5..10).chain(0..5).collect();
    let reversed: Vec<_> = (0..10).rev().collect();
    let neighbours: Vec<_> = (0..10).map(|i| i ^ 1).collect();
    for order in [halves, reversed, neighbours] {
        let each = differences_of(frames(0..10), &frames(order.iter().copied()));
        assert!(each.iter().any(|difference| difference.what == DifferenceKind::Moved), "{order:?}: {each:?}");
        let wrong = |what: &DifferenceKind| {
            matches!(
                what,
                DifferenceKind::Shifted { .. }
                    | DifferenceKind::Pixels { .. }
                    | DifferenceKind::Missing
                    | DifferenceKind::Extra
            )
        };
        assert!(!each.iter().any(|difference| wrong(&difference.what)), "{order:?}: {each:?}");
    }
}

#[test]
fn a_sequence_that_begins_later_is_shifted() {
    for by in [1, 2, 4] {
        let late = timed((by..by + 10).map(|i| (i, i as i64 * FRAME)));
        let shifted = DifferenceKind::Shifted { by: by as i64 };
        assert_eq!(differences_of(frames(0..10), &late), [difference(shifted, span(by, 9), span(0, 9 - by))]);
        let early = timed((0..10).map(|i| (i, i as i64 * FRAME)));
        let expected = timed((by..by + 10).map(|i| (i, i as i64 * FRAME)));
        let shifted = DifferenceKind::Shifted { by: -(by as i64) };
        assert_eq!(differences_of(expected, &early), [difference(shifted, span(0, 9 - by), span(by, 9))]);
    }
    let late = frames(1..11);
    let differences = differences_of(frames(0..10), &late);
    assert_eq!(differences[0].what, DifferenceKind::Shifted { by: 1 });
    assert_eq!(differences[1..], [difference(later(-1), span(1, 9), span(0, 8))]);
}

#[test]
fn samples_that_differ_are_reported_by_plane() {
    let mut found = frames(0..9);
    for (frame, byte) in [(3, 0), (4, 16), (5, 0), (5, 16), (6, 15), (6, 31)] {
        found[frame].hashes[byte] ^= 0x80;
    }
    let each = |first, last, planes| difference(pixels(planes), span(first, last), span(first, last));
    assert_eq!(differences_of(frames(0..9), &found), [each(3, 3, &[0]), each(4, 4, &[1]), each(5, 6, &[0, 1])]);
    let report = check(&text(Hashes::Frame, frames(0..9)), Rational::new(1, 25), &found);
    assert_eq!(report.differences, [each(3, 6, &[])]);
    assert_eq!(differences_of(frames(0..9), &frames(100..109)), [difference(pixels(&[0, 1]), span(0, 8), span(0, 8))]);
}

#[test]
fn times_that_differ_are_one_run() {
    let drift = timed((0..9).map(|i| (i, i as i64 * (FRAME + 1))));
    let what = DifferenceKind::Time { first: Some(1), last: Some(8) };
    assert_eq!(differences_of(frames(0..9), &drift), [difference(what, span(1, 8), span(1, 8))]);
    let mut lost = frames(0..9);
    lost[4].pts = None;
    lost[5].pts = None;
    let what = DifferenceKind::Time { first: None, last: None };
    assert_eq!(differences_of(frames(0..9), &lost), [difference(what, span(4, 5), span(4, 5))]);
    assert_eq!(differences_of(lost.clone(), &lost), []);
}

#[test]
fn another_unit_of_time_is_no_difference() {
    let text = Text { timebase: Rational::new(1, 12800), ..text(Hashes::Plane, frames(0..100)) };
    // 25 frames of 40 ms and 30 of 33 1/3, as a container of milliseconds has them.
    let found = timed((0..100).map(|i| (i, i as i64 * 40)));
    assert!(is_match(&check(&text, Rational::new(1, 1000), &found)));
    let found = timed((0..100).map(|i| (i, i as i64 * 40 + i64::from(i >= 50) * 3)));
    let differences = check(&text, Rational::new(1, 1000), &found).differences;
    assert_eq!(differences.len(), 1);
    assert_eq!(
        (differences[0].expected, matches!(differences[0].what, DifferenceKind::Time { .. })),
        (span(50, 99), true)
    );
}

#[test]
fn ffmpeg_may_count_from_zero() {
    let from = |start: i64| timed((0..9).map(|i| (i, start + i as i64 * FRAME)));
    let text = text(Hashes::Frame, from(0));
    let report = check(&text, text.timebase, &from(1000));
    assert!(is_match(&report));
    assert_eq!(report.offset, 1000);
    assert_eq!(differences_of(from(0), &from(1000)).len(), 1, "vramp does not");
}

#[test]
fn an_offset_is_what_most_frames_have() {
    // Every fifth frame is gone, and times close up: no offset explains that, though some have it in common.
    let text = text(Hashes::Plane, frames(0..60));
    let found = frames((0..60).filter(|i| i % 5 != 4));
    let report = compare(&text, text.timebase, &found, Times::Offset);
    assert_eq!((report.offset, report.differences[0].first()), (0, 4));
    // Rounding up and down about the offset.
    let shown = |i: i64| (i as usize, (i * FRAME + 17_920) * 1000 / 12_800 + i % 2);
    let text = Text { timebase: Rational::new(1, 12_800), ..text };
    let report = compare(&text, Rational::new(1, 1000), &timed((0..60).map(shown)), Times::Offset);
    assert!(is_match(&report) && (17_920 - 13..=17_920 + 13).contains(&report.offset), "{report:?}");
    let report = compare(&text, text.timebase, &timed((0..60).map(|i| (i, 0))), Times::Ignore);
    assert!(is_match(&report), "{report:?}");
}

#[test]
fn rounding_is_no_step_of_a_drift() {
    let text = text(Hashes::Plane, frames(0..60));
    let text = Text { timebase: Rational::new(1, 12_800), ..text };
    let late = timed((0..60i64).map(|i| (i as usize, i * 40 + 1400 + i % 2)));
    let what = DifferenceKind::Time { first: Some(17_920), last: Some(17_920) };
    let report = check(&text, Rational::new(1, 1000), &late);
    assert_eq!(report.differences, [difference(what, span(0, 59), span(0, 59))]);
}

#[test]
fn extreme_times_are_no_fault() {
    let extreme = [i64::MIN + 1, i64::MAX, 0, i64::MAX];
    for hashes in [Hashes::Plane, Hashes::Frame] {
        let text = text(hashes, timed([0, 1, 2, 3].into_iter().zip(extreme)));
        let found = timed([0, 1, 2, 3].into_iter().zip(extreme.into_iter().rev()));
        assert!(!is_match(&check(&text, Rational::new(1, i32::MAX), &found)));
    }
}

/// Places out of `0..length`, in order.
fn places(length: usize) -> impl Strategy<Value = Vec<usize>> {
    prop::collection::btree_set(0..length, 0..length).prop_map(|set| set.into_iter().collect())
}

/// The frames that differences of one kind name, by what should be there or by what is.
fn named(differences: &[Difference], what: &DifferenceKind, side: fn(&Difference) -> Option<Span>) -> Vec<usize> {
    let spans = differences.iter().filter(|difference| difference.what == *what).filter_map(side);
    spans.flat_map(|span| span.first as usize..=span.last as usize).collect()
}

proptest! {
    /// Frames that all differ, or all show the same: their times show which are gone.
    #[test]
    fn exactly_the_dropped_frames_are_missing(dropped in places(40), kinds in 1usize..40) {
        let expected = frames((0..40).map(|i| i % kinds));
        let found: Vec<_> = expected.iter().filter(|entry| !dropped.contains(&(entry.index as usize))).cloned().collect();
        let differences = differences_of(expected, &found);
        // A beginning that lacks and an end that is too long at once would be a shift; here nothing is too long.
        prop_assert_eq!(named(&differences, &DifferenceKind::Missing, |d| d.expected), dropped);
        prop_assert!(differences.iter().all(|d| d.what == DifferenceKind::Missing));
    }

    #[test]
    fn exactly_the_repeated_frames_are_duplicated(repeated in places(40)) {
        let shown: Vec<_> = (0..40).flat_map(|i| std::iter::repeat_n(i, 1 + usize::from(repeated.contains(&i)))).collect();
        let differences = differences_of(frames(0..40), &frames(shown.clone()));
        let again: Vec<_> = (1..shown.len()).filter(|f| shown[*f] == shown[f - 1]).collect();
        prop_assert_eq!(named(&differences, &DifferenceKind::Duplicated, |d| d.found), again);
        let each = |d: &Difference| matches!(d.what, DifferenceKind::Duplicated | DifferenceKind::Time { .. });
        prop_assert!(differences.iter().all(each));
    }

    #[test]
    fn exactly_the_changed_frames_have_other_pixels(changed in places(40), kinds in 1usize..40) {
        let expected = frames((0..40).map(|i| i % kinds));
        let found: Vec<_> = expected.iter().map(|entry| {
            let index = entry.index as usize;
            if changed.contains(&index) { frame(index, 1000 + 2 * index, entry.pts) } else { entry.clone() }
        }).collect();
        let differences = differences_of(expected, &found);
        prop_assert_eq!(named(&differences, &pixels(&[0, 1]), |d| d.expected), changed);
        prop_assert!(differences.iter().all(|d| d.what == pixels(&[0, 1])));
    }

    /// Any edit at all: every frame is accounted for once, and what is reported of it is true.
    #[test]
    fn every_frame_is_accounted_for(
        expected in prop::collection::vec((0usize..6, 0i64..9), 0..24),
        found in prop::collection::vec((0usize..6, 0i64..9), 0..24),
    ) {
        let (expected, found) = (timed(expected), timed(found));
        let text = text(Hashes::Plane, expected.clone());
        let report = check(&text, text.timebase, &found);
        prop_assert_eq!(is_match(&report), expected == found);
        let (mut there, mut here) = (vec![0; expected.len()], vec![0; found.len()]);
        let mut shift = 0;
        for difference in report.differences.iter().filter(|d| !matches!(d.what, DifferenceKind::Time { .. })) {
            if let DifferenceKind::Shifted { by } = difference.what {
                shift = by.unsigned_abs() as usize;
                continue;
            }
            let places = |span: Option<Span>| span.map_or(0..0, |span| span.first as usize..span.last as usize + 1);
            places(difference.expected).for_each(|e| there[e] += 1);
            places(difference.found).for_each(|f| here[f] += 1);
            if let DifferenceKind::Moved | DifferenceKind::Pixels { .. } = difference.what {
                let moved = difference.what == DifferenceKind::Moved;
                for (e, f) in places(difference.expected).zip(places(difference.found)) {
                    prop_assert_eq!(expected[e].hashes == found[f].hashes, moved);
                }
            }
        }
        prop_assert!(there.iter().chain(&here).all(|count| *count <= 1), "{:?}", report.differences);
        let quiet = |counts: &[i32]| counts.iter().filter(|count| **count == 0).count() - shift;
        prop_assert_eq!(quiet(&there), report.same);
        prop_assert_eq!(quiet(&here), report.same);
    }
}
