//! Chapters of another file: one of media, ffmetadata, Matroska's XML, or the simple text of OGM.

use crate::error::{Error, Result};
use crate::io::libav::demux::demuxer;
use crate::io::libav::demux::streams::{self, Chapter};
use crate::io::libav::encode::timebase::rescale;
use crate::pipeline::Cancel;
use crate::video::Rational;
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;

mod ogm;
mod xml;

const NANOSECOND: Rational = Rational::new(1, 1_000_000_000);
const MICROSECOND: Rational = Rational::new(1, 1_000_000);

/// More than this is no text of chapters.
const LONGEST: u64 = 4 << 20;

/// A chapter that a text lists: its times in nanoseconds, and its title.
#[derive(Debug, PartialEq, Eq)]
struct Listed {
    start: i64,
    end: Option<i64>,
    title: Option<String>,
}

/// The chapters of the file at `path`, with times from its film's start. The last of a text that states no ends lasts until
/// `length`, in seconds, where that is known.
///
/// # Errors
/// When it cannot be read, is damaged, or has no chapters.
pub fn read_chapters(path: &OsStr, length: Option<f64>, cancel: &Cancel) -> Result<Vec<Chapter>> {
    let listed = match text(path)? {
        Some(text) if text.starts_with('<') => Some(xml::read(&text).map_err(|e| e.context(path.display()))?),
        Some(text) => Some(ogm::read(&text).map_err(|e| e.context(path.display()))?),
        None => None,
    };
    let chapters = match listed {
        Some(listed) => with_ends(listed, length),
        None => of_media(path, cancel)?,
    };
    match chapters.is_empty() {
        true => Err(Error::bad_argument(format!("{} has no chapters", path.display()))),
        false => Ok(chapters),
    }
}

/// Reads a text of chapters, for the fuzzer.
#[cfg(any(test, fuzzing))]
pub(crate) fn fuzz_chapters(text: &str) -> Result<()> {
    let listed = if text.starts_with('<') { xml::read(text) } else { ogm::read(text) };
    listed.map(|listed| drop(with_ends(listed, Some(60.0))))
}

/// The text at `path`, where it begins as one of chapters.
fn text(path: &OsStr) -> Result<Option<String>> {
    let Ok(file) = File::open(path) else { return Ok(None) };
    let mut bytes = Vec::new();
    let mut file = file.take(LONGEST);
    let failed = |error| Error::io(path.display(), &error);
    file.by_ref().take(64).read_to_end(&mut bytes).map_err(failed)?;
    let start = String::from_utf8_lossy(&bytes);
    let start = start.trim_start_matches('\u{feff}').trim_start();
    if !start.starts_with("CHAPTER")
        && !start.starts_with("<?xml")
        && !start.starts_with("<!")
        && !start.starts_with("<Chapters")
    {
        return Ok(None);
    }
    file.read_to_end(&mut bytes).map_err(failed)?;
    let text = String::from_utf8_lossy(&bytes);
    Ok(Some(text.trim_start_matches('\u{feff}').trim_start().to_owned()))
}

fn of_media(path: &OsStr, cancel: &Cancel) -> Result<Vec<Chapter>> {
    let demuxer = demuxer::open(path, cancel)?;
    let mut chapters = streams::chapters(&demuxer);
    for chapter in &mut chapters {
        let start = rescale(demuxer::film_start(&demuxer), MICROSECOND, chapter.timebase);
        chapter.start -= start;
        chapter.end -= start;
    }
    Ok(chapters)
}

/// Chapters in order, each until the next begins where no end is stated.
fn with_ends(mut listed: Vec<Listed>, length: Option<f64>) -> Vec<Chapter> {
    listed.sort_by_key(|chapter| chapter.start);
    let length = length.map_or(0, |seconds| (seconds * 1e9) as i64);
    let following = listed.iter().skip(1).map(|next| next.start).chain([length]).collect::<Vec<_>>();
    let chapters = listed.into_iter().zip(following).zip(1..);
    let chapter = |((listed, following), id): ((Listed, i64), i64)| Chapter {
        id,
        timebase: NANOSECOND,
        start: listed.start,
        // Without an end or a film's length there is still a moment to show it.
        end: listed.end.unwrap_or(following).max(listed.start + 1_000_000),
        metadata: listed.title.map(|title| ("title".to_owned(), title)).into_iter().collect(),
    };
    chapters.map(chapter).collect()
}

/// Reads `HH:MM:SS.nnnnnnnnn` in nanoseconds.
fn time(text: &str) -> Option<i64> {
    let mut parts = text.trim().split(':');
    let (hours, minutes, seconds) = (parts.next()?, parts.next()?, parts.next()?);
    let (seconds, fraction) = seconds.split_once(['.', ',']).unwrap_or((seconds, "0"));
    let digits = |text: &str, most: usize| {
        let sound = !text.is_empty() && text.len() <= most && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse::<i64>().ok().filter(|_| sound)
    };
    let [hours, minutes, seconds] = [digits(hours, 4)?, digits(minutes, 2)?, digits(seconds, 2)?];
    let nanoseconds = digits(fraction, 9)? * 10_i64.pow(9 - fraction.len() as u32);
    (parts.next().is_none() && minutes < 60 && seconds < 60)
        .then_some(((hours * 60 + minutes) * 60 + seconds) * 1_000_000_000 + nanoseconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_to_the_nanosecond() {
        assert_eq!(time("00:00:01.5"), Some(1_500_000_000));
        assert_eq!(time(" 01:02:03.000000001 "), Some(3_723_000_000_001));
        assert_eq!(time("00:00:01,250"), Some(1_250_000_000));
        for wrong in ["", "1", "00:61:00", "00:00:61", "0:0:0.1234567890", "-1:00:00", "00:00:00:00", "a:b:c"] {
            assert_eq!(time(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_chapter_without_an_end_lasts_until_the_next() {
        let listed = |start, end| Listed { start, end, title: None };
        let list = [listed(2_000_000_000, None), listed(0, Some(500_000_000)), listed(1_000_000_000, None)];
        let ends = |length| {
            let list = list.iter().map(|one| listed(one.start, one.end)).collect();
            with_ends(list, length).iter().map(|chapter| (chapter.id, chapter.end / 1_000_000)).collect::<Vec<_>>()
        };
        assert_eq!(ends(Some(3.0)), [(1, 500), (2, 2000), (3, 3000)]);
        assert_eq!(ends(None), [(1, 500), (2, 2000), (3, 2001)]);
    }
}
