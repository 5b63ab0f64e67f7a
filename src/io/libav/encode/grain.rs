//! Synthetic film grain: which encoders have their decoders add it, and where they take the amount.

use crate::error::{Error, Result};

/// Where an encoder takes the amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::io::libav) enum Grain {
    /// In this parameter of its own.
    Parameter(&'static str),
    /// In this option of libav's.
    Option(&'static str),
}

/// Where `encoder` takes it.
///
/// # Errors
/// When it has none, with what to do instead.
pub(in crate::io::libav) fn place(encoder: &str) -> Result<Grain> {
    match encoder {
        "libsvtav1" => Ok(Grain::Parameter("film-grain")),
        "libaom-av1" => Ok(Grain::Option("denoise-noise-level")),
        "libx264" | "libx265" => Err(Error::unsupported(format!(
            "{encoder} makes no film grain: --tune grain keeps the source's own, and libsvtav1 and libaom-av1 make new grain"
        ))),
        _ => Err(Error::unsupported(format!("{encoder} makes no film grain: libsvtav1 and libaom-av1 do"))),
    }
}
