//! The chapters of a part of a source.

use crate::io::libav::Chapter;
use crate::io::libav::seek::window::{Window, microseconds_to_ticks};
use crate::video::Rational;

/// Cuts `chapters` to `window`, those without anything inside go. Their times count from `origin` microseconds before
/// the container's start, and positions that are frames are counted as `rate` has them.
pub(in crate::io::libav) fn cut(chapters: &mut Vec<Chapter>, window: &Window, origin: i64, rate: Rational) {
    let (from, until) = window.span(rate);
    chapters.retain_mut(|chapter| {
        let ticks = |time: i64| microseconds_to_ticks(time.saturating_add(origin), chapter.timebase);
        let (from, until) = (from.map_or(i64::MIN, ticks), until.map_or(i64::MAX, ticks));
        let inside = chapter.start < until && chapter.end > from;
        (chapter.start, chapter.end) = (chapter.start.max(from), chapter.end.min(until));
        inside
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chapters_are_cut_to_the_part() {
        let timebase = Rational::new(1, 1000);
        let chapter = |id, start, end| Chapter { id, timebase, start, end, metadata: Vec::new() };
        let cut_to = |start: &str, end: &str| {
            let mut chapters = vec![chapter(1, 100, 1100), chapter(2, 1100, 2100), chapter(3, 2100, 3100)];
            let position = |text: &str| text.parse().ok();
            let window = Window { start: position(start), end: position(end), frames: None };
            cut(&mut chapters, &window, 100_000, Rational::new(25, 1));
            chapters.iter().map(|chapter| (chapter.id, chapter.start, chapter.end)).collect::<Vec<_>>()
        };
        assert_eq!(cut_to("", ""), [(1, 100, 1100), (2, 1100, 2100), (3, 2100, 3100)]);
        assert_eq!(cut_to("0.5", "#50"), [(1, 600, 1100), (2, 1100, 2100)]);
        assert_eq!(cut_to("1", "1.5"), [(2, 1100, 1600)]);
        assert_eq!(cut_to("2.5", ""), [(3, 2600, 3100)]);
    }
}
