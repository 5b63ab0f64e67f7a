//! What libav's error codes mean to an output.

use crate::error::{Error, Kind};
use crate::io::libav::logging::Heard;
use ffmpeg_next::Error as Code;
use ffmpeg_next::error::{EAGAIN, EDOM, EINVAL, ENOMEM, ENOSYS, ERANGE};
use std::ffi::c_int;

/// libav's text for its error `code`.
pub(in crate::io::libav) fn text(code: c_int) -> String {
    Code::from(code).to_string()
}

/// The kind of libav's error `code`: that of its system error number, else `otherwise`.
fn kind(code: c_int, otherwise: Kind) -> Kind {
    match Code::from(code) {
        Code::Other { errno: ENOMEM } => Kind::OutOfMemory,
        Code::Other { errno: EINVAL | ERANGE | EDOM | ENOSYS | EAGAIN } => otherwise,
        Code::Other { .. } => Kind::Io,
        _ => otherwise,
    }
}

/// libav's error `code` about `what` (a path, an encoder).
pub(in crate::io::libav) fn error(what: &str, code: c_int, otherwise: Kind) -> Error {
    Error::new(kind(code, otherwise), format!("{what}: {}", text(code)))
}

/// The error of a container `what` that gave `code` after logging `heard`, which is the reason unless the system has one.
pub(in crate::io::libav) fn refusal(what: &str, code: c_int, heard: &Heard) -> Error {
    match (kind(code, Kind::Unsupported), heard.reason()) {
        (Kind::Unsupported, Some(reason)) => Error::unsupported(format!("{what}: {reason}")),
        (kind, _) => error(what, code, kind),
    }
}
