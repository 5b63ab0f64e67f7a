//! The one error type, and the one place that maps an error's kind to an exit code.

use std::fmt;

/// What went wrong, in the terms a caller can act on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A comparison found a difference.
    Mismatch,
    /// The request itself is wrong: an unknown name, a value out of range, a chain that does not parse.
    BadArgument,
    /// The request is sound, but this build, machine, format or encoder cannot do it.
    Unsupported,
    /// The input's bytes are damaged, or are not what they claim to be.
    CorruptInput,
    /// Host or device memory ran out, or the budget does not cover the run.
    OutOfMemory,
    /// A GPU or its driver failed.
    Device,
    /// A file, pipe or disk failed.
    Io,
    /// The output is whole, but holds only the frames that decoded before the input failed.
    Incomplete,
    /// Parts of a film are not there yet, so that it cannot be joined.
    PartsMissing,
    /// The user stopped the run.
    Cancelled,
    /// A fault in vramp itself.
    Internal,
}

impl Kind {
    /// Every kind, in the order the documentation lists them.
    pub const ALL: [Kind; 11] = [
        Kind::Mismatch,
        Kind::BadArgument,
        Kind::Unsupported,
        Kind::CorruptInput,
        Kind::OutOfMemory,
        Kind::Device,
        Kind::Io,
        Kind::Incomplete,
        Kind::PartsMissing,
        Kind::Cancelled,
        Kind::Internal,
    ];

    /// The process exit code of this kind. 0 is success.
    pub const fn exit_code(self) -> u8 {
        match self {
            Kind::Mismatch => 1,
            Kind::BadArgument => 2,
            Kind::Unsupported => 3,
            Kind::CorruptInput => 4,
            Kind::OutOfMemory => 5,
            Kind::Device => 6,
            Kind::Io => 7,
            Kind::Incomplete => 8,
            Kind::PartsMissing => 9,
            Kind::Internal => 70,
            Kind::Cancelled => 130,
        }
    }

    /// One line for the exit code table of `--help` and the manual page.
    pub const fn describe(self) -> &'static str {
        match self {
            Kind::Mismatch => "a comparison found a difference",
            Kind::BadArgument => "bad argument: unknown name, value out of range, chain that does not parse",
            Kind::Unsupported => "not supported by this build, machine, format or encoder",
            Kind::CorruptInput => "input damaged or not a video; nothing was written",
            Kind::OutOfMemory => "out of memory",
            Kind::Device => "GPU or driver failure",
            Kind::Io => "file, pipe or disk failure",
            Kind::Incomplete => "input stopped decoding: the output is whole but holds only what decoded",
            Kind::PartsMissing => "parts of a film are missing: it cannot be joined yet",
            Kind::Cancelled => "stopped by the user",
            Kind::Internal => "internal fault (please report it)",
        }
    }
}

/// An error: its kind, and one line that says what happened, to what, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: Kind,
    message: String,
}

/// `std::result::Result` with [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// Builds an error of `kind`.
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    /// The same error with `context` put before its message ("context: message").
    #[must_use]
    pub fn context(mut self, context: impl fmt::Display) -> Self {
        self.message = format!("{context}: {}", self.message);
        self
    }

    /// The kind, which decides the exit code.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The one-line message.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// [`Kind::BadArgument`] with `message`.
    pub fn bad_argument(message: impl Into<String>) -> Self {
        Self::new(Kind::BadArgument, message)
    }

    /// [`Kind::Unsupported`] with `message`.
    pub fn unsupported(message: impl Into<String>) -> Self {
        Self::new(Kind::Unsupported, message)
    }

    /// [`Kind::CorruptInput`] with `message`.
    pub fn corrupt(message: impl Into<String>) -> Self {
        Self::new(Kind::CorruptInput, message)
    }

    /// [`Kind::Internal`] with `message`.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(Kind::Internal, message)
    }

    /// [`Kind::Io`] for `what` (a path or a stream's name).
    pub fn io(what: impl fmt::Display, error: &std::io::Error) -> Self {
        Self::new(Kind::Io, format!("{what}: {error}"))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
