//! Reading what was written: a joined film has every frame, at its time, or it is not given its name.

use crate::error::{Error, Kind, Result};
use crate::io::libav::demux::{demuxer, streams};
use crate::io::libav::encode::timebase::rescale;
use crate::pipeline::Cancel;
use crate::video::Rational;
use std::path::Path;

/// Checks that the video of the file at `path` has a packet for each of `times`, which are in units of `unit`, and that it is shown
/// then, as exactly as the container's unit has it. Where the clock begins is the container's matter.
///
/// # Errors
/// When that is not so, or the file cannot be read.
pub(in crate::io::libav) fn check(path: &Path, times: &[i64], unit: Rational, cancel: &Cancel) -> Result<()> {
    let mut input = demuxer::open(path.as_os_str(), cancel)?;
    let video = streams::best_video(&input)?;
    let (index, written) = (video.index(), Rational::from(video.time_base()));
    let mut found = Vec::with_capacity(times.len());
    while let (Ok(packet), _) = demuxer::read(&mut input) {
        if cancel.is_requested() {
            return Err(Error::new(Kind::Cancelled, "stopped; no output was kept"));
        }
        if packet.stream() == index && packet.size() > 0 {
            found.extend(packet.pts());
        }
    }
    found.sort_unstable();
    compare(&found, times, |ticks| rescale(ticks, unit, written))
}

/// Holds the times that were found against those that were meant, which `in_units` puts into the unit of the first.
fn compare(found: &[i64], meant: &[i64], in_units: impl Fn(i64) -> i64) -> Result<()> {
    let wrong = |what: String| Error::internal(format!("the joined film was read again and is wrong: {what}"));
    if found.len() != meant.len() {
        return Err(wrong(format!("{} frames instead of {}", found.len(), meant.len())));
    }
    let (Some(first), Some(begin)) = (found.first(), meant.first()) else { return Ok(()) };
    let off = |(time, meant): (&i64, &i64)| (time - first - in_units(meant - begin)).abs() > 1;
    match found.iter().zip(meant).position(off) {
        Some(frame) => Err(wrong(format!("frame {frame} is shown at another time"))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_found() {
        let check = |found: &[i64]| compare(found, &[100, 200, 300, 450], |ticks| ticks / 10);
        assert!(check(&[7, 17, 27, 42]).is_ok());
        assert!(check(&[7, 18, 26, 42]).is_ok(), "containers round");
        for (found, words) in [
            (&[7, 17, 27][..], "3 frames instead of 4"),
            (&[7, 17, 27, 42, 52], "5 frames instead of 4"),
            (&[7, 17, 29, 42], "frame 2"),
            (&[7, 17, 27, 37], "frame 3"),
        ] {
            assert!(check(found).unwrap_err().message().contains(words), "{found:?}");
        }
    }
}
