//! From parts to one stream: each is read and compared with the plan, then all get the decoding times of one run.

use crate::error::{Error, Result};
use crate::io::part::{PartHeader, PartPacket, PartReader, digest};
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::vec::IntoIter;

/// What a part must be.
pub struct ExpectedPart {
    /// The plan's id.
    pub plan: [u8; 16],
    /// Its number.
    pub number: u32,
    /// Its frames.
    pub frames: u32,
    /// The digest of their times.
    pub times: u128,
}

/// What was found in a part that is whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// When its frames are shown, in order.
    pub times: Vec<i64>,
    /// How many frames are decoded before one that is shown earlier, at most: as it is, or as the encoder says.
    pub delay: usize,
    /// The codec's header.
    pub extradata: Vec<u8>,
}

/// Reads the part at `path` to its end.
///
/// # Errors
/// When it cannot be read, is damaged, or is not what the plan says.
pub fn verify(path: &Path, expected: &ExpectedPart) -> Result<Verified> {
    let (mut reader, header) = open(path)?;
    let PartHeader { plan, number, frames, delay, extradata } = header;
    if (plan, number, frames) != (expected.plan, expected.number, expected.frames) {
        return Err(Error::corrupt("it is a part of another plan"));
    }
    let mut coded = Vec::new();
    while let Some(packet) = reader.packet()? {
        coded.push(packet.pts);
    }
    let mut times = coded.clone();
    times.sort_unstable();
    if times.len() != frames as usize || digest(&times) != expected.times {
        return Err(Error::corrupt("its frames are shown at other times than the plan's"));
    }
    // The times are all different, or their digest would not be the plan's.
    let late = |(at, pts): (usize, &i64)| at.saturating_sub(times.partition_point(|time| time < pts));
    let reordered = coded.iter().enumerate().map(late).max().unwrap_or(0);
    Ok(Verified { delay: reordered.max(delay as usize), times, extradata })
}

fn open(path: &Path) -> Result<(PartReader<BufReader<File>>, PartHeader)> {
    let file = File::open(path).map_err(|e| Error::io(path.display(), &e))?;
    PartReader::begin(BufReader::with_capacity(1 << 20, file))
}

/// The packets of parts, one part behind the other, each with the time at which it is decoded: what one run of an encoder of that
/// delay states, of frames that are shown at those times.
pub struct Joined {
    files: IntoIter<PathBuf>,
    at: Option<PartReader<BufReader<File>>>,
    times: Vec<i64>,
    delay: usize,
    next: usize,
}

impl Joined {
    /// The packets of `files`, whose frames are shown at `times`.
    pub fn new(files: Vec<PathBuf>, times: Vec<i64>, delay: usize) -> Joined {
        Joined { files: files.into_iter(), at: None, times, delay, next: 0 }
    }

    /// When packet `number` in the order of decoding is decoded: with the frame that is shown so many earlier. Before the first, as
    /// long before as its delay lasts.
    fn decoded_at(&self, number: usize) -> Option<i64> {
        match number.checked_sub(self.delay) {
            Some(earlier) => self.times.get(earlier).copied(),
            None => {
                let (first, last) = (self.times.first()?, self.times.get(self.delay).or(self.times.last())?);
                Some(self.times.get(number)? - (last - first))
            }
        }
    }

    fn read(&mut self) -> Result<Option<(PartPacket, i64)>> {
        loop {
            let packet = match &mut self.at {
                Some(part) => part.packet()?,
                None => None,
            };
            let Some(packet) = packet else {
                let Some(file) = self.files.next() else { return Ok(None) };
                self.at = Some(open(&file)?.0);
                continue;
            };
            let dts = self.decoded_at(self.next).filter(|dts| *dts <= packet.pts);
            let dts = dts.ok_or_else(|| Error::corrupt("a part changed while it was joined"))?;
            self.next += 1;
            return Ok(Some((packet, dts)));
        }
    }
}

impl Iterator for Joined {
    type Item = Result<(PartPacket, i64)>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dts(times: &[i64], delay: usize) -> Vec<i64> {
        let joined = Joined::new(Vec::new(), times.to_vec(), delay);
        (0..times.len()).map(|number| joined.decoded_at(number).unwrap()).collect()
    }

    #[test]
    fn decoding_goes_before_showing_by_the_delay() {
        assert_eq!(dts(&[0, 40, 80, 120], 0), [0, 40, 80, 120]);
        assert_eq!(dts(&[0, 40, 80, 120, 160], 2), [-80, -40, 0, 40, 80]);
        // Frames of other lengths: the first two are as far before the start as the third is behind it.
        assert_eq!(dts(&[1500, 1520, 1600, 1610], 2), [1400, 1420, 1500, 1520]);
    }

    #[test]
    fn films_shorter_than_the_delay_have_rising_times_too() {
        assert_eq!(dts(&[5], 2), [5]);
        assert_eq!(dts(&[0, 40], 2), [-40, 0]);
    }
}
