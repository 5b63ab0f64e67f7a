//! Tags of another file.

use crate::error::Result;
use crate::io::libav::demux::{demuxer, streams};
use crate::pipeline::Cancel;
use std::ffi::OsStr;

/// What the file at `path` says of its whole film: a file of media, or a text as ffmpeg's ffmetadata has it.
///
/// # Errors
/// When it cannot be read, or is neither.
pub fn read_tags(path: &OsStr, cancel: &Cancel) -> Result<Vec<(String, String)>> {
    Ok(streams::film_tags(&demuxer::open(path, cancel)?))
}

/// Gives `tags` the tag `key`, in place of one that differs in case alone. An empty value removes it.
pub(super) fn set(tags: &mut Vec<(String, String)>, key: &str, value: &str) {
    let place = tags.iter().position(|(own, _)| own.eq_ignore_ascii_case(key));
    match (place, value.is_empty()) {
        (Some(place), true) => drop(tags.remove(place)),
        (Some(place), false) => value.clone_into(&mut tags[place].1),
        (None, true) => {}
        (None, false) => tags.push((key.to_owned(), value.to_owned())),
    }
}

/// Gives the film of `tags` further ones, in order. An empty value removes a tag.
pub fn set_tags(tags: &mut Vec<(String, String)>, further: &[(String, String)]) {
    further.iter().for_each(|(key, value)| set(tags, key, value));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_replaced_added_or_removed() {
        let tag = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        let mut tags = vec![tag("TITLE", "old"), tag("artist", "who")];
        set_tags(&mut tags, &[tag("title", "new"), tag("artist", ""), tag("date", "2001"), tag("genre", "")]);
        assert_eq!(tags, [tag("TITLE", "new"), tag("date", "2001")]);
    }
}
