//! Where a film is cut into parts. It depends on the film and on what was asked for, never on who works on it.

use crate::io::libav::FrameList;
use crate::video::Rational;
use serde::{Deserialize, Serialize};

/// Which frames parts may begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CutAt {
    /// The source's key frames, where there is one near: nothing needs to be decoded before it, and mostly the scene changes.
    Key,
    /// Any.
    Exact,
}

/// A key frame may lie so much of a part's length before or after its end.
const NEAR: f64 = 0.25;

/// The frames of `list`, counted from its first, with which parts begin that last about `length` seconds. Times are in units of
/// `unit`.
pub fn cut(list: &FrameList, unit: Rational, length: f64, at: CutAt) -> Vec<usize> {
    let times = &list.times;
    let (Some(first), Some(last), Some(unit)) = (times.first(), times.last(), unit.value()) else { return Vec::new() };
    let seconds = |time: i64| (time - first) as f64 * unit;
    let place =
        |frame: u64| frame.checked_sub(list.first).map(|frame| frame as usize).filter(|frame| *frame < times.len());
    let keys: Vec<(usize, bool)> = list
        .entries
        .iter()
        .filter_map(|entry| Some((place(entry.place.frame)?, entry.begins == entry.place.frame)))
        .collect();

    let mut cuts = vec![0];
    for number in 1.. {
        let end = number as f64 * length;
        if end > seconds(*last) {
            break;
        }
        let after = cuts.last().copied().unwrap_or(0);
        // Those at which decoding begins go before those that refer to earlier frames, then the nearest.
        let near = |(frame, clean): &(usize, bool)| {
            let off = (seconds(times[*frame]) - end).abs();
            (*frame > after && off <= NEAR * length).then_some((!clean, off, *frame))
        };
        let key = || keys.iter().filter_map(near).min_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
        let exact = || times.partition_point(|time| seconds(*time) < end);
        let frame = match at {
            CutAt::Key => key().map_or_else(exact, |(.., frame)| frame),
            CutAt::Exact => exact(),
        };
        if frame > after && frame < times.len() {
            cuts.push(frame);
        }
    }
    cuts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::libav::{EntryFrame, EntryPacket};

    /// Frames of 100 ms from 1500 on, with key frames at these; those marked refer to the one before.
    fn list(frames: i64, keys: &[(u64, bool)]) -> FrameList {
        let entry = |(frame, open): &(u64, bool)| EntryFrame {
            place: EntryPacket { frame: *frame, pts: 0, dts: None, byte: None, hash: 0 },
            begins: frame - u64::from(*open),
        };
        FrameList {
            first: 5,
            times: (0..frames).map(|n| 1500 + n * 100).collect(),
            entries: keys.iter().map(entry).collect(),
            ..FrameList::default()
        }
    }

    fn cuts(frames: i64, keys: &[(u64, bool)], at: CutAt) -> Vec<usize> {
        cut(&list(frames, keys), Rational::new(1, 1000), 1.0, at)
    }

    #[test]
    fn parts_begin_at_key_frames_that_are_near() {
        // Frames of the source; the list begins with 5. Ends are after 10, 20 and 30 frames of it, and 2 frames count as near.
        let keys = [(5, false), (13, false), (16, false), (22, false), (29, false), (35, true), (36, false)];
        assert_eq!(cuts(35, &keys, CutAt::Key), [0, 11, 20, 31], "nearest, none near, one that refers to no other");
        assert_eq!(cuts(35, &keys, CutAt::Exact), [0, 10, 20, 30]);
        assert_eq!(cuts(35, &keys[..6], CutAt::Key), [0, 11, 20, 30]);
    }

    #[test]
    fn short_films_are_one_part_and_a_last_frame_may_be_one() {
        assert_eq!(cuts(0, &[], CutAt::Key), [0; 0]);
        assert_eq!(cuts(1, &[], CutAt::Key), [0]);
        assert_eq!(cuts(10, &[], CutAt::Key), [0]);
        assert_eq!(cuts(11, &[], CutAt::Key), [0, 10]);
    }

    #[test]
    fn frames_with_long_gaps_between_are_cut_once() {
        let list = FrameList { times: vec![0, 100, 5000, 5100], ..FrameList::default() };
        assert_eq!(cut(&list, Rational::new(1, 1000), 1.0, CutAt::Exact), [0, 2]);
    }
}
