//! The page: one file of HTML with its style and script, which names the pictures beside it.

use super::chain_of;
use super::looks::ShownPreset;
use crate::error::{Error, Result};
use crate::video::{FrameProps, StreamInfo};
use serde::Serialize;
use std::ffi::{OsStr, OsString};

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// What the page shows.
#[derive(Serialize)]
pub struct Page {
    #[serde(skip)]
    input: OsString,
    title: String,
    frames: Vec<ShownFrame>,
    looks: Vec<ShownLook>,
    /// The source has 8 bits, which local contrast shows the steps of.
    eight: bool,
}

/// A frame of the video.
#[derive(Serialize)]
pub struct ShownFrame {
    label: String,
    width: usize,
    height: usize,
    /// The looks that there are pictures of.
    looks: Vec<usize>,
}

#[derive(Serialize)]
struct ShownLook {
    filter: &'static str,
    preset: &'static str,
    doc: &'static str,
    command: String,
}

impl ShownFrame {
    /// Of a frame of `info`.
    pub fn new(info: &StreamInfo, props: &FrameProps) -> ShownFrame {
        let time = props.seconds(info.timebase).map_or_else(String::new, |time| format!(" at {time:.2} s"));
        let label = format!("frame {}{time}", props.frame_index);
        ShownFrame { label, width: info.width, height: info.height, looks: Vec::new() }
    }
}

impl Page {
    /// Of the video `input`, still without frames.
    pub fn new(input: &OsStr) -> Page {
        let name = std::path::Path::new(input).file_name().unwrap_or(input);
        let title = name.to_string_lossy().into_owned();
        Page { input: input.to_owned(), title, frames: Vec::new(), looks: Vec::new(), eight: false }
    }

    /// How many frames it has.
    pub fn frames(&self) -> usize {
        self.frames.len()
    }

    /// How many pictures frame `number` has beside its own.
    pub fn pictures_of(&self, number: usize) -> usize {
        self.frames[number].looks.len()
    }

    /// Adds a frame of `depth` bits; `shown` says which of `looks` have a picture.
    pub fn add(&mut self, mut frame: ShownFrame, looks: &[ShownPreset], shown: Vec<bool>, depth: u8) {
        if self.looks.is_empty() {
            self.looks = looks.iter().map(|look| self.look(look)).collect();
        }
        self.eight = depth == 8;
        frame.looks = (0..looks.len()).filter(|index| shown[*index]).collect();
        self.frames.push(frame);
    }

    fn look(&self, look: &ShownPreset) -> ShownLook {
        let ShownPreset { filter, preset, doc } = *look;
        let command = format!("vramp {} OUT.mkv --chain {} --depth 10", quoted(&self.input), chain_of(look));
        ShownLook { filter, preset: preset.unwrap_or("default"), doc, command }
    }

    /// The file.
    ///
    /// # Errors
    /// When the page cannot be written as JSON, which does not happen.
    pub fn html(&self) -> Result<String> {
        let data = serde_json::to_string(self).map_err(|e| Error::internal(format!("JSON: {e}")))?;
        // Nothing in a script's text may look like its end.
        let data = data.replace("</", "<\\/").replace("<!--", "<\\u0021--");
        Ok(PAGE.replace("{STYLE}", STYLE).replace("{SCRIPT}", SCRIPT).replace("{DATA}", &data))
    }
}

/// A path as a shell takes it.
fn quoted(path: &OsStr) -> String {
    let text = path.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:,@%".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.into_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_quoted_and_text_cannot_end_the_script() {
        assert_eq!(quoted(OsStr::new("a/b-1.mkv")), "a/b-1.mkv");
        assert_eq!(quoted(OsStr::new("it's it.mkv")), "'it'\\''s it.mkv'");
        let page = Page::new(OsStr::new("</script><script>alert(1)</script>.mkv")).html().unwrap();
        assert!(!page.contains("<script>alert"), "{page}");
        assert_eq!(page.matches("</script>").count(), 2);
    }
}
