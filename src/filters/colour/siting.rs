//! Where chroma lies, and how it is read between its samples and made from those of luma.

use crate::filters::siting::Siting;
use crate::video::{Model, StreamInfo};

/// Where samples of chroma lie along one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Site {
    /// One for each of luma.
    Each,
    /// On the first of two of luma.
    First,
    /// Between the two.
    Between,
    /// On the second.
    Second,
}

/// Where chroma of `info` lies, across and down.
pub fn sites(info: &StreamInfo) -> [Site; 2] {
    let (format, siting) = (info.format, Siting::of(info));
    if format.model() != Model::Yuv {
        return [Site::Each; 2];
    }
    let site = |halves: i64| [Site::First, Site::Between, Site::Second][halves as usize];
    [
        if format.subsampling_w() == 1 { site(siting.right()) } else { Site::Each },
        if format.subsampling_h() == 1 { site(siting.down()) } else { Site::Each },
    ]
}

impl Site {
    /// What chroma is at `at` of luma: a sample and its weight in quarters, and another and its weight; `last` is the last
    /// sample.
    pub fn between(self, at: usize, last: usize) -> [(usize, u32); 2] {
        let own = at / 2;
        let (before, after) = (own.saturating_sub(1), (own + 1).min(last));
        let is_second = at % 2 == 1;
        let own = own.min(last);
        match (self, is_second) {
            (Site::Each, _) => [(at, 4), (at, 0)],
            (Site::First, false) | (Site::Second, true) => [(own, 4), (own, 0)],
            (Site::First, true) => [(own, 2), (after, 2)],
            (Site::Second, false) => [(own, 2), (before, 2)],
            (Site::Between, false) => [(own, 3), (before, 1)],
            (Site::Between, true) => [(own, 3), (after, 1)],
        }
    }

    /// What a sample of chroma is made of: the weights in quarters of luma's places from one before the pair's first on.
    pub fn covers(self) -> [u32; 4] {
        match self {
            Site::Each => [0, 4, 0, 0],
            Site::First => [1, 2, 1, 0],
            Site::Between => [0, 2, 2, 0],
            Site::Second => [0, 1, 2, 1],
        }
    }

    /// Places of luma for one of chroma.
    pub fn pace(self) -> usize {
        if self == Site::Each { 1 } else { 2 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::video::{ChromaLocation, Format};

    fn of(format: &str, location: Option<u8>, transfer: u8) -> [Site; 2] {
        let mut info = StreamInfo::bare(format.parse::<Format>().unwrap(), 4, 4);
        (info.color.chroma_location, info.color.transfer) = (ChromaLocation(location), transfer);
        sites(&info)
    }

    #[test]
    fn places_follow_the_location_and_its_defaults() {
        assert_eq!(of("yuv420p", None, 1), [Site::First, Site::Between]);
        assert_eq!(of("yuv420p10", None, 16), [Site::First, Site::First]);
        assert_eq!(of("yuv420p10", Some(0), 16), [Site::First, Site::Between]);
        assert_eq!(of("yuv420p", Some(1), 1), [Site::Between, Site::Between]);
        assert_eq!(of("yuv420p", Some(4), 1), [Site::First, Site::Second]);
        assert_eq!(of("yuv422p", None, 16), [Site::First, Site::Each]);
        assert_eq!(of("yuv444p", None, 16), [Site::Each; 2]);
        assert_eq!(of("gbrp", None, 16), [Site::Each; 2]);
    }

    /// Chroma that rises by 4 a sample, read at luma's places: it rises by 2, from where the sample lies on.
    #[test]
    fn a_ramp_keeps_its_place() {
        for (site, start) in [(Site::First, 0), (Site::Between, -1), (Site::Second, -2)] {
            for at in 2..12usize {
                let parts = site.between(at, 100);
                let value: u32 = parts.iter().map(|(sample, weight)| 4 * *sample as u32 * weight).sum();
                assert_eq!(value as i32, 4 * (2 * at as i32 + start), "{site:?} {at}");
            }
            // Luma that rises by 2 a place, made into chroma: the same ramp.
            let sum: i32 = (-1..3).zip(site.covers()).map(|(k, weight)| (2 * (20 + k)) * weight as i32).sum();
            assert_eq!(sum - 4 * 40, -4 * start, "{site:?}");
        }
    }
}
