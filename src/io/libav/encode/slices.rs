//! Into how many slices FFV1 cuts a picture: threads encode and decode slices, and libav's four leave most of them idle.

use crate::io::libav::options::OutputOptions;
use crate::video::StreamInfo;
use std::thread;

/// Pictures up to this size stay as libav's encoder has them, which may be in one piece.
const LARGE: usize = 720 * 576;

/// Numbers that the encoder takes, of slices about as wide as high.
const COUNTS: [usize; 6] = [4, 6, 9, 12, 16, 24];

/// Options that decide the matter: the number itself, and the version of the format, the first of which has no slices.
const DECIDING: [&str; 2] = ["slices", "level"];

/// How many slices the encoder is asked for, if it is FFV1's and no option sets it. The file's bytes depend on it, so the number is
/// reported with the option that makes the same file anywhere.
pub(in crate::io::libav) fn suiting(encoder: &str, options: &OutputOptions, info: &StreamInfo) -> Option<String> {
    let is_decided = options.options.iter().any(|(key, _)| DECIDING.contains(&key.as_str()));
    if encoder != "ffv1" || is_decided || info.width * info.height <= LARGE {
        return None;
    }
    let threads = match options.threads {
        0 => thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    };
    let count = count(threads, info)?;
    log::info!("ffv1: {count} slices a frame, for {threads} threads (-x slices={count} gives the same bytes anywhere)");
    Some(count.to_string())
}

/// Half as many again as there are threads, as far as there are so many that the encoder takes, since slices differ in
/// the work they are.
fn count(threads: usize, info: &StreamInfo) -> Option<usize> {
    let enough = threads.saturating_mul(3).div_ceil(2);
    let mut taken = COUNTS.into_iter().filter(|count| is_taken(*count, info));
    let first = taken.next()?;
    let more = std::iter::once(first).chain(taken);
    Some(more.clone().find(|count| *count >= enough).unwrap_or_else(|| more.last().unwrap_or(first)))
}

/// The most bits of a slice, as FFV1's encoder in libav counts them.
const MOST_BITS: usize = 8 << 24;

/// Whether the encoder cuts pictures as `info` describes into `count` slices: in each it counts a bit more a sample than
/// there are, and as many samples of chroma as of luma.
fn is_taken(count: usize, info: &StreamInfo) -> bool {
    let rows = (1..=count).find(|rows| count.is_multiple_of(*rows) && (*rows..2 * rows).contains(&(count / rows)));
    rows.is_some_and(|rows| {
        let (width, height) = (info.width.div_ceil(count / rows), info.height.div_ceil(rows));
        let bits = (usize::from(info.format.bit_depth()) + 1) * info.format.components();
        width.saturating_mul(height).saturating_mul(bits) <= MOST_BITS
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_follow_threads() {
        let threads = [1, 2, 3, 4, 6, 8, 9, 16, 128];
        let taken = |width, height, format: &str| {
            let info = StreamInfo::bare(format.parse().unwrap(), width, height);
            threads.map(|threads| count(threads, &info).unwrap_or(0))
        };
        assert_eq!(taken(1280, 720, "yuv420p"), [4, 4, 6, 6, 9, 12, 16, 24, 24]);
        // The encoder refuses fewer: they would hold too much each.
        assert_eq!(taken(7680, 4320, "yuv420p"), [9, 9, 9, 9, 9, 12, 16, 24, 24]);
        assert_eq!(taken(16384, 16384, "yuv444p16"), [0; 9], "the encoder's own number");
    }

    #[test]
    fn only_large_pictures_of_ffv1_that_nobody_decided_are_cut() {
        let info = |width, height| StreamInfo::bare("yuv420p".parse().unwrap(), width, height);
        let options = |given: &[(&str, &str)]| OutputOptions {
            options: given.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect(),
            threads: 16,
            ..OutputOptions::default()
        };
        let large = info(1280, 720);
        assert_eq!(suiting("ffv1", &options(&[("context", "1")]), &large), Some("24".to_owned()));
        assert_eq!(suiting("libx264", &options(&[]), &large), None);
        assert_eq!(suiting("ffv1", &options(&[("slices", "4")]), &large), None);
        assert_eq!(suiting("ffv1", &options(&[("level", "1")]), &large), None);
        assert_eq!(suiting("ffv1", &options(&[]), &info(720, 576)), None);
    }
}
