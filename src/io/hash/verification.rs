//! How a video compares with a hash file.

use crate::compare::diagnosis::{Difference, Entry, Expected, Times, diagnose};
use crate::io::hash::record::{HashFile, HashFormat, Trait};
use crate::io::hash::stream_difference::StreamDifference;
use crate::video::Rational;

/// Compares the frames `found`, whose times are in `timebase`, with those that `file` expects.
pub fn compare(file: &HashFile, timebase: Rational, found: &[Entry], times: Times) -> Verification {
    let plane = (file.layout == HashFormat::Vramp).then(|| file.hash.size());
    let expected = Expected { entries: &file.frames, timebase: file.stated.timebase, plane };
    let diagnosis = diagnose(&expected, timebase, found, times);
    Verification {
        expected: file.frames.len(),
        found: Some(found.len()),
        traits: Vec::new(),
        streams: Vec::new(),
        differences: diagnosis.differences,
        same: diagnosis.same,
        offset: diagnosis.offset,
    }
}

/// How a video compares with a hash file.
#[derive(Clone, Debug, PartialEq)]
pub struct Verification {
    /// Frames in the file.
    pub expected: usize,
    /// Frames in the video; `None`: they cannot be compared.
    pub found: Option<usize>,
    /// What describes the stream and differs.
    pub traits: Vec<Trait>,
    /// How the streams beside the frames differ.
    pub streams: Vec<StreamDifference>,
    /// What differs, in the order of the frames.
    pub differences: Vec<Difference>,
    /// Frames of both that have the same samples.
    pub same: usize,
    /// How much later all frames are, where that is no difference. In the file's unit.
    pub offset: i64,
}

impl Verification {
    /// Of a stream whose frames cannot be compared.
    pub fn apart(file: &HashFile, traits: Vec<Trait>) -> Verification {
        let (expected, differences, streams) = (file.frames.len(), Vec::new(), Vec::new());
        Verification { expected, found: None, traits, streams, differences, same: 0, offset: 0 }
    }

    /// True when nothing differs.
    pub fn is_match(&self) -> bool {
        self.traits.is_empty() && self.streams.is_empty() && self.differences.is_empty()
    }

    /// True when both have the same samples in the same order.
    pub fn same_samples(&self) -> bool {
        self.found == Some(self.same) && self.expected == self.same
    }

    /// The number of the first frame that differs.
    pub fn first(&self) -> Option<u64> {
        self.differences.iter().map(Difference::first).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::hash::digest::Hash;
    use crate::io::hash::record::StatedTags;
    use crate::video::StreamInfo;

    #[test]
    fn the_same_frames_are_a_match() {
        let frame = |i: u8| Entry {
            index: i.into(),
            pts: Some(i64::from(i) * 512),
            duration: 512,
            key: false,
            bytes: 12,
            hashes: [i; 32].into(),
        };
        let stated = StatedTags::of(&StreamInfo::bare("nv12".parse().unwrap(), 4, 2));
        for layout in [HashFormat::Vramp, HashFormat::Ffmpeg] {
            let (software, asked, frames) = (String::new(), Vec::new(), (0..9).map(frame).collect());
            let file = HashFile { layout, hash: Hash::Md5, software, asked, stated, cut: false, streams: None, frames };
            let report = compare(&file, stated.timebase, &file.frames, layout.times());
            assert!(report.is_match());
            assert_eq!((report.expected, report.found, report.same, report.first()), (9, Some(9), 9, None));
            let report = compare(&file, stated.timebase, &file.frames[1..], layout.times());
            assert_eq!((report.is_match(), report.found, report.first()), (false, Some(8), Some(0)));
        }
    }
}
