//! Which decoder is asked for, and which one a stream gets.

use crate::error::{Error, Result};
#[cfg(feature = "cuda")]
use crate::io::libav::hwaccel::Nvdec;
use crate::io::libav::input::InputOptions;
use ffmpeg_next::codec::Id;
use std::fmt::{self, Display};
use std::str::FromStr;

/// A wish for a decoder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DecoderChoice {
    /// NVDEC if the filters run on a GPU and it decodes the stream to the same bytes, else software.
    #[default]
    Auto,
    /// NVDEC and nothing else.
    Nvdec,
    /// The processor.
    Software,
}

impl FromStr for DecoderChoice {
    type Err = Error;

    fn from_str(text: &str) -> Result<DecoderChoice> {
        match text {
            "auto" => Ok(DecoderChoice::Auto),
            "nvdec" => Ok(DecoderChoice::Nvdec),
            "software" => Ok(DecoderChoice::Software),
            _ => Err(Error::bad_argument(format!("decoder '{text}' is not known: use auto, nvdec or software"))),
        }
    }
}

impl fmt::Display for DecoderChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DecoderChoice::Auto => "auto",
            DecoderChoice::Nvdec => "nvdec",
            DecoderChoice::Software => "software",
        })
    }
}

/// What decodes a stream.
pub(in crate::io::libav) enum Means {
    /// libav on the processor.
    Software,
    /// The GPU's decoder.
    #[cfg(feature = "cuda")]
    Nvdec(Nvdec),
}

impl Means {
    /// Runs a call to the decoder, and reports why NVDEC rejects the stream, if it does.
    pub(in crate::io::libav) fn listen<T>(&self, call: impl FnOnce() -> T) -> T {
        match self {
            Means::Software => call(),
            #[cfg(feature = "cuda")]
            Means::Nvdec(nvdec) => nvdec.listen(call),
        }
    }

    /// Pictures with faults that only NVDEC reports.
    pub(in crate::io::libav) fn faults(&self) -> u64 {
        match self {
            Means::Software => 0,
            #[cfg(feature = "cuda")]
            Means::Nvdec(nvdec) => nvdec.faults(),
        }
    }

    /// Whether what decodes still works, after a failure that may be the stream's.
    ///
    /// # Errors
    /// When the GPU has failed.
    pub(in crate::io::libav) fn check(&self) -> Result<()> {
        match self {
            Means::Software => Ok(()),
            #[cfg(feature = "cuda")]
            Means::Nvdec(nvdec) => nvdec.check(),
        }
    }

    /// Why NVDEC turned the stream down.
    pub(in crate::io::libav) fn declined(&self) -> Option<String> {
        match self {
            Means::Software => None,
            #[cfg(feature = "cuda")]
            Means::Nvdec(nvdec) => nvdec.declined(),
        }
    }
}

impl DecoderChoice {
    /// What shall decode the video of `path`, whose codec is `codec`.
    ///
    /// # Errors
    /// When NVDEC was asked for and cannot be had.
    #[cfg(feature = "cuda")]
    pub(in crate::io::libav) fn means(path: impl Display, options: &InputOptions, codec: Id) -> Result<Means> {
        match (options.decoder, &options.device) {
            (DecoderChoice::Software, _) | (DecoderChoice::Auto, None) => Ok(Means::Software),
            // A card conceals what is damaged inside a picture without a word.
            (DecoderChoice::Auto, Some(_)) if options.strict => Ok(Means::Software),
            (DecoderChoice::Nvdec, Some(_)) if options.strict => Err(Error::bad_argument(
                "NVDEC does not report damage inside a picture, which --strict must stop at: decode in software",
            )),
            (DecoderChoice::Nvdec, None) => Err(Error::bad_argument(
                "NVDEC leaves frames in GPU memory, but the filters run on the CPU: add --device cuda, or let --decoder \
                 auto choose",
            )),
            (choice, Some(device)) => {
                match Nvdec::open(device, codec, choice == DecoderChoice::Auto, options.window.start.is_some()) {
                    Ok(nvdec) => Ok(Means::Nvdec(nvdec)),
                    Err(reason) => choice.without_nvdec(path, &reason).map(|()| Means::Software),
                }
            }
        }
    }

    /// As above, in a build without CUDA.
    #[cfg(not(feature = "cuda"))]
    pub(in crate::io::libav) fn means(_: impl Display, options: &InputOptions, _: Id) -> Result<Means> {
        match options.decoder {
            DecoderChoice::Nvdec => Err(Error::unsupported("this build has no NVDEC: use --decoder software")),
            _ => Ok(Means::Software),
        }
    }

    /// Goes on in software because of `reason`, and says so, unless nothing but NVDEC was asked for.
    ///
    /// # Errors
    /// The reason, if so.
    pub(in crate::io::libav) fn without_nvdec(self, path: impl Display, reason: &str) -> Result<()> {
        if self == DecoderChoice::Nvdec {
            return Err(Error::unsupported(format!(
                "NVDEC does not decode this: {reason} (--decoder auto falls back to software)"
            )));
        }
        log::info!("{path}: decoded in software: {reason}");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Kind;

    #[test]
    fn choices_round_trip() {
        for choice in [DecoderChoice::Auto, DecoderChoice::Nvdec, DecoderChoice::Software] {
            assert_eq!(choice.to_string().parse::<DecoderChoice>().unwrap(), choice);
        }
        let error = "cuvid".parse::<DecoderChoice>().unwrap_err();
        assert!(error.message().contains("use auto, nvdec or software"), "{error}");
    }

    #[test]
    fn only_nvdec_by_name_needs_a_device() {
        let means = |decoder| DecoderChoice::means("a", &InputOptions { decoder, ..InputOptions::default() }, Id::H264);
        assert!(matches!(means(DecoderChoice::Auto), Ok(Means::Software)));
        assert!(matches!(means(DecoderChoice::Software), Ok(Means::Software)));
        assert!(matches!(means(DecoderChoice::Nvdec).err().unwrap().kind(), Kind::BadArgument | Kind::Unsupported));
    }

    #[test]
    fn only_nvdec_by_name_does_not_fall_back() {
        assert_eq!(DecoderChoice::Auto.without_nvdec("a", "no surfaces"), Ok(()));
        let error = DecoderChoice::Nvdec.without_nvdec("a", "no surfaces").unwrap_err();
        assert!(error.message().contains("no surfaces (--decoder auto falls back"), "{error}");
    }
}
