//! What a difference may come from, and the option that ignores it.

use crate::io::hash::{
    Difference, DifferenceKind, Entry, HashFile, HashFormat, How, StatedTags, StreamDifference, Tags, Times,
    Verification, compare,
};

/// The most useful of all hints to `report`, which says how `frames` of a stream `found` compare with `file`.
pub fn hint(file: &HashFile, found: &StatedTags, frames: &[Entry], report: &Verification) -> Option<String> {
    if report.is_match() {
        return None;
    }
    if report.same_samples() {
        return Some(options(file, found, frames, report));
    }
    if file.layout == HashFormat::Ffmpeg && goes_on(report) {
        return Some("such a hash file does not state its length: it may be cut off, or IN is longer".to_owned());
    }
    (report.same == 0).then(|| "no frame is the same: is it of this input and chain?".to_owned())
}

/// Whether `file` may be of a video of format `found` before it was converted: ffmpeg's hash files do not state a format.
pub fn may_be_unconverted(file: &HashFile, found: &StatedTags, report: &Verification) -> bool {
    let is_ffmpegs = file.layout == HashFormat::Ffmpeg && !file.software.starts_with("vramp ");
    let nothing_alike = report.same == 0 && !file.frames.is_empty() && report.found != Some(0);
    is_ffmpegs && nothing_alike && file.stated.size == found.size
}

/// Whether the video only has more frames after those of the hash file.
fn goes_on(report: &Verification) -> bool {
    let behind = |difference: &Difference| {
        difference.what == DifferenceKind::Extra && difference.first() >= report.expected as u64
    };
    !report.differences.is_empty() && report.differences.iter().all(behind)
}

/// The options that ignore what differs besides samples.
fn options(file: &HashFile, found: &StatedTags, frames: &[Entry], report: &Verification) -> String {
    let mut options = Vec::new();
    if !report.differences.is_empty() {
        let accepts = |times| compare(file, found.timebase, frames, times).is_match();
        options.push(if accepts(Times::Offset) { "--times offset" } else { "--times ignore" });
    }
    if !report.traits.is_empty() {
        let accepts = file.stated.tags(found, Tags::Stated).is_empty();
        options.push(if accepts { "--tags stated" } else { "--tags ignore" });
    }
    // What accepts other times of frames accepts those of sound.
    let later = |stream: &StreamDifference| matches!(stream.how, How::Later(..)) && !report.differences.is_empty();
    if !report.streams.iter().all(later) {
        options.push("--no-streams");
    }
    format!("{} accepts that", options.join(" "))
}
