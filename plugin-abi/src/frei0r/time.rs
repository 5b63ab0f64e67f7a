//! A frame's number, from the time that a host gives.

/// Times beyond this many milliseconds (some thirty years) are none: uninitialised, or "not known" in some unit.
const LATEST: f64 = 1e12;

/// The number that stands for a frame at `time`. Hosts count in different units and from different beginnings, so that the
/// frame's number itself cannot be had: the same time gives the same number, and neighbouring ones have nothing in common.
/// Where the time is none, it is `count`, the frames before this one.
pub fn frame_index(time: f64, count: u64) -> u64 {
    if !time.is_finite() || time.abs() > LATEST {
        return count;
    }
    // Zero has two signs. Mixed as splitmix64 mixes: every bit of the time reaches every bit of the number.
    let bits = (time + 0.0).to_bits().wrapping_add(0x9e37_79b9_7f4a_7c15);
    let bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn a_time_always_gives_the_same_number() {
        assert_eq!(frame_index(0.04, 1), frame_index(0.04, 7));
        assert_eq!(frame_index(0.0, 0), frame_index(-0.0, 9));
    }

    #[test]
    fn sixteen_frames_share_no_single_phase() {
        // In seconds and in milliseconds; only the last four bits decide about noise.
        for unit in [1.0, 1000.0] {
            let phases: HashSet<u64> = (0..16).map(|n| frame_index(unit * f64::from(n) / 25.0, 0) % 16).collect();
            assert!(phases.len() >= 8, "{phases:?}");
        }
    }

    #[test]
    fn an_absurd_time_counts() {
        // FFmpeg's "no time" in milliseconds, infinity, no number.
        for time in [i64::MIN as f64 / 25.0 * 1000.0, f64::INFINITY, f64::NAN] {
            assert_eq!([0, 1, 2].map(|count| frame_index(time, count)), [0, 1, 2]);
        }
    }
}
