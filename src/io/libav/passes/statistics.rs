//! The statistics of an encoder's first pass, kept until its second is over.

use super::{EncodePass, FirstPass};
use crate::error::{Error, Result};
use crate::io::TempFolder;
use crate::io::libav::encode::settings::Settings;
use ffmpeg_next::ffi::{self, AVCodecContext};
use std::ffi::{CStr, OsStr};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// How an encoder exports its statistics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Transport {
    /// In a file that libav's option `stats` names.
    Option,
    /// In a file that a parameter of its own names. libav's flags mean nothing to it.
    Parameter,
    /// As text in libav's context.
    Text,
}

/// The encoders that have two passes through libav. SVT-AV1 and rav1e have them too, but libav's wrappers do not.
const ENCODERS: [(&str, Transport); 7] = [
    ("libx264", Transport::Option),
    ("libx264rgb", Transport::Option),
    ("libx265", Transport::Parameter),
    ("libvpx", Transport::Text),
    ("libvpx-vp9", Transport::Text),
    ("libaom-av1", Transport::Text),
    ("libtheora", Transport::Text),
];

/// libav's own encoders that have two passes which are not used: where the rate is less than the film needs at least, they
/// refuse their second pass, and FFmpeg 5.1 then frees its memory twice.
const CRASH: [&str; 10] =
    ["mpeg4", "mpeg2video", "mpeg1video", "msmpeg4", "msmpeg4v2", "wmv1", "wmv2", "h263", "h263p", "flv"];

fn means(encoder: &str) -> Option<Transport> {
    ENCODERS.iter().find(|(name, _)| *name == encoder).map(|(_, means)| *means)
}

/// Whether `encoder` has two passes.
pub fn has_two_passes(encoder: &str) -> bool {
    means(encoder).is_some()
}

/// The statistics of an encoder.
pub struct Statistics {
    means: Transport,
    /// Where its files are.
    folder: Option<TempFolder>,
    /// Its text.
    gathered: Mutex<Vec<u8>>,
}

/// A text that an open encoder reads, and writes to: its own copy. It ends with a zero.
pub(in crate::io::libav) struct StatisticsText(Box<[u8]>);

impl fmt::Debug for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Statistics({:?})", self.means)
    }
}

impl Statistics {
    pub(super) fn new(encoder: &str, path: &OsStr) -> Result<Statistics> {
        let means = means(encoder).ok_or_else(|| no_passes(encoder))?;
        let folder = (means != Transport::Text).then(|| TempFolder::create(path)).transpose()?;
        Ok(Statistics { means, folder, gathered: Mutex::new(Vec::new()) })
    }

    /// The file of an encoder that keeps one.
    fn file(&self) -> Result<String> {
        let file = self.folder.as_ref().map(|folder| folder.path().join("stats"));
        let text = file.as_deref().and_then(|file| file.to_str()).map(str::to_owned);
        text.ok_or_else(|| Error::unsupported("two passes need an output whose path is valid UTF-8"))
    }

    /// All text, once the first pass is over.
    fn text(&self) -> StatisticsText {
        let gathered = self.gathered.lock().unwrap_or_else(PoisonError::into_inner);
        StatisticsText(gathered.iter().copied().chain([0]).collect())
    }
}

/// The refusal of an encoder without two passes.
fn no_passes(encoder: &str) -> Error {
    let why = match encoder {
        "libxvid" => {
            "the second pass of libxvid takes a tick of the container's clock for a frame, and misses its rate"
        }
        _ if CRASH.contains(&encoder) => {
            "libav 5.1 crashes in the second pass of {} where the rate is too low for the film"
        }
        _ => "{} has no two passes in libav",
    };
    let instead = match encoder {
        _ if encoder.ends_with("_nvenc") => "-x multipass=fullres has it look at every frame twice",
        _ => "--bitrate alone asks for the rate in one, and libx264, libx265 and libaom-av1 have two",
    };
    Error::unsupported(format!("{}: {instead}", why.replace("{}", encoder)))
}

impl EncodePass {
    /// What the first of the two finds out.
    pub fn first_pass(&self) -> Arc<FirstPass> {
        Arc::clone(self.first())
    }

    fn first(&self) -> &Arc<FirstPass> {
        match self {
            EncodePass::First(first) | EncodePass::Second(first) => first,
        }
    }

    /// Parameters in the words of an encoder that takes its pass in them.
    ///
    /// # Errors
    /// When its file has no name that can be written there.
    pub(in crate::io::libav) fn parameters(&self) -> Result<Vec<(&'static str, String)>> {
        let statistics = &self.first().statistics;
        if statistics.means != Transport::Parameter {
            return Ok(Vec::new());
        }
        let number = if matches!(self, EncodePass::First(_)) { "1" } else { "2" };
        Ok(vec![("pass", number.to_owned()), ("stats", escaped(&statistics.file()?))])
    }

    /// Has an encoder that is not open yet make this pass. Gives what the context points at.
    ///
    /// # Errors
    /// When `encoder` has no two passes, or its file has no name that can be given to it.
    ///
    /// # Safety
    /// The context is valid, not open, and is freed before the text is.
    pub(in crate::io::libav) unsafe fn enter(
        &self,
        encoder: &str,
        settings: Settings<'_>,
        context: *mut AVCodecContext,
    ) -> Result<Option<StatisticsText>> {
        let statistics = &self.first().statistics;
        if means(encoder) != Some(statistics.means) {
            return Err(no_passes(encoder));
        }
        match statistics.means {
            Transport::Parameter => return Ok(None),
            Transport::Option => settings.set("stats", &statistics.file()?)?,
            Transport::Text => {}
        }
        let is_second = matches!(self, EncodePass::Second(_));
        let mut text = (is_second && statistics.means == Transport::Text).then(|| statistics.text());
        let flag = if is_second { ffi::AV_CODEC_FLAG_PASS2 } else { ffi::AV_CODEC_FLAG_PASS1 };
        // SAFETY: by the caller; the text stays where it is when it is moved.
        unsafe {
            (*context).flags |= flag as i32;
            if let Some(StatisticsText(bytes)) = &mut text {
                (*context).stats_in = bytes.as_mut_ptr().cast();
            }
        }
        Ok(text)
    }

    /// Takes what the encoder wrote with its last packet, or at its end.
    ///
    /// # Safety
    /// The context is open.
    pub(in crate::io::libav) unsafe fn gather(&self, context: *const AVCodecContext) {
        let EncodePass::First(pass) = self else { return };
        // SAFETY: by the caller; the text ends with a zero where there is one.
        let text = unsafe { (*context).stats_out.as_ref().map(|text| CStr::from_ptr(text)) };
        if let (Transport::Text, Some(text)) = (pass.statistics.means, text) {
            let mut gathered = pass.statistics.gathered.lock().unwrap_or_else(PoisonError::into_inner);
            gathered.extend_from_slice(text.to_bytes());
        }
    }
}

/// `text` as a value in libav's lists of parameters, where colons, quotes, backslashes and blanks mean something.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_whitespace() || [':', '\'', '\\', '='].contains(&c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_any_name_are_given() {
        assert_eq!(escaped("/a b/c:d='e\\f"), "/a\\ b/c\\:d\\=\\'e\\\\f");
    }

    #[test]
    fn encoders_without_two_passes_are_named() {
        for (encoder, word) in [
            ("libsvtav1", "has no two passes in libav"),
            ("hevc_nvenc", "multipass"),
            ("ffv1", "--bitrate"),
            ("mpeg4", "crashes in the second pass of mpeg4"),
            ("libxvid", "misses its rate"),
        ] {
            let refusal = Statistics::new(encoder, "-".as_ref()).unwrap_err();
            assert!(refusal.message().contains(encoder) && refusal.message().contains(word), "{refusal}");
        }
    }
}
