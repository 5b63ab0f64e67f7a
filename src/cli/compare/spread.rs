//! Which frames are shown as the worst: not one moment many times over.

use crate::video::StreamInfo;
use std::cmp::Reverse;

/// Frames within a second look alike, and are bad alike.
pub fn apart(info: &StreamInfo) -> u64 {
    const UNKNOWN_RATE: f64 = 25.0;
    info.frame_rate.value().unwrap_or(UNKNOWN_RATE).round().max(1.0) as u64
}

/// The `most` worst of `frames`, whose numbers and errors `at` gives, the worst first. Those within `apart` frames of a worse
/// one are taken only where no others are left, the furthest from it first: among the frames that follow, it may be
/// far enough from the worst. Of equals the earlier comes first.
pub fn worst<T>(mut frames: Vec<T>, most: usize, apart: u64, at: impl Fn(&T) -> (u64, f64)) -> Vec<T> {
    let by_error = |a: &T, b: &T| at(b).1.total_cmp(&at(a).1).then(at(a).0.cmp(&at(b).0));
    frames.sort_by(by_error);
    let (mut chosen, mut near) = (Vec::<T>::new(), Vec::new());
    for frame in frames {
        if chosen.len() == most {
            break;
        }
        let distance = chosen.iter().map(|other| at(other).0.abs_diff(at(&frame).0)).min();
        match distance.filter(|distance| *distance < apart) {
            Some(distance) => near.push((distance, frame)),
            None => chosen.push(frame),
        }
    }
    near.sort_by_key(|(distance, _)| Reverse(*distance));
    let free = most - chosen.len();
    chosen.extend(near.into_iter().take(free).map(|(_, frame)| frame));
    chosen.sort_by(by_error);
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_frames_lie_apart_where_they_can() {
        let frames = vec![(10, 5.0), (11, 9.0), (12, 8.0), (40, 3.0), (80, 4.0), (81, 4.0)];
        let numbers = |most, apart| worst(frames.clone(), most, apart, |f| *f).iter().map(|f| f.0).collect::<Vec<_>>();
        assert_eq!(numbers(3, 25), [11, 80, 40]);
        assert_eq!(numbers(3, 1), [11, 12, 10], "none is near another");
        assert_eq!(numbers(5, 25), [11, 12, 10, 80, 40], "there are no others left");
        assert_eq!(numbers(9, 25).len(), 6);
    }

    #[test]
    fn frames_that_come_one_by_one_are_spread_too() {
        // Each is worse than the one before.
        let mut kept = Vec::new();
        for number in 0..60u64 {
            kept.push((number, number as f64));
            kept = worst(kept, 2, 25, |frame| *frame);
        }
        assert!(kept.len() == 2 && kept[0].0 == 59 && kept[1].0 <= 34, "{kept:?}");
    }
}
