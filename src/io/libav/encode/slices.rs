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
    let count = count(threads);
    log::info!("ffv1: {count} slices a frame, for {threads} threads (-x slices={count} gives the same bytes anywhere)");
    Some(count.to_string())
}

/// Half as many again as there are threads, as far as there are so many, since slices differ in the work they are.
fn count(threads: usize) -> usize {
    let enough = threads.saturating_mul(3).div_ceil(2);
    COUNTS.into_iter().find(|count| *count >= enough).unwrap_or(COUNTS[COUNTS.len() - 1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_follow_threads() {
        let threads = [1, 2, 3, 4, 6, 8, 9, 16, 128];
        assert_eq!(threads.map(count), [4, 4, 6, 6, 9, 12, 16, 24, 24]);
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
