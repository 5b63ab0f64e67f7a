//! What a page is of and when it was made.

use crate::cli::compare::html::escaped;
use crate::cli::compare::video::Video;
use crate::cli::print;
use std::ffi::OsStr;
use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

/// A video as the page describes it.
pub struct About {
    stream: String,
    /// The file's bytes, where it is one.
    bytes: Option<u64>,
    /// Bits a second, sound and all.
    rate: Option<f64>,
}

impl About {
    /// Describes `video`, which was opened as `path`.
    pub fn new(video: &Video, path: &OsStr) -> About {
        let bytes = fs::metadata(path).ok().filter(fs::Metadata::is_file).map(|file| file.len());
        let rate = bytes.zip(video.input.duration()).map(|(bytes, seconds)| bytes as f64 * 8.0 / seconds);
        About { stream: video.input.describe(), bytes, rate }
    }

    /// "mp4, h264 …; 4.1 MiB, 3.20 Mbit/s in all".
    pub fn words(&self) -> String {
        let size = self.bytes.map_or_else(String::new, |bytes| format!("; {}", print::size(bytes)));
        let rate = self.rate.map_or_else(String::new, |rate| format!(", {:.2} Mbit/s in all", rate / 1e6));
        escaped(&format!("{}{size}{rate}", self.stream))
    }
}

/// The page's last line.
pub fn made() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    format!("<footer>vramp {}, {}</footer>", env!("CARGO_PKG_VERSION"), date(now))
}

/// A time of the system's clock as "2026-03-01 07:05 UTC".
fn date(seconds: u64) -> String {
    const DAY: u64 = 24 * 60 * 60;
    let is_leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days_of = |year: u64| 365 + u64::from(is_leap(year));
    let (mut year, mut month, mut day) = (1970, 0, seconds / DAY);
    while day >= days_of(year) {
        day -= days_of(year);
        year += 1;
    }
    let months = [31, 28 + u64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    while day >= months[month] {
        day -= months[month];
        month += 1;
    }
    let (hour, minute) = (seconds % DAY / 3600, seconds / 60 % 60);
    format!("{year}-{:02}-{:02} {hour:02}:{minute:02} UTC", month + 1, day + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (seconds, said) in [
            (0, "1970-01-01 00:00 UTC"),
            (951_782_399, "2000-02-28 23:59 UTC"),
            (951_782_400, "2000-02-29 00:00 UTC"),
            (1_709_251_199, "2024-02-29 23:59 UTC"),
            (1_767_225_599, "2025-12-31 23:59 UTC"),
            (4_107_542_400, "2100-03-01 00:00 UTC"),
        ] {
            assert_eq!(date(seconds), said);
        }
    }
}
