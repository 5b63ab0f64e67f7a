//! Decode, encode and mux through libav.

mod decode;
mod demux;
mod encode;
mod extra;
mod format;
#[cfg(feature = "cuda")]
mod hwaccel;
mod input;
mod inventory;
mod logging;
mod mux;
mod options;
mod output;
mod parts;
mod passes;
mod pictures;
mod recode;
mod reference;
mod script;
mod seek;
mod size;
mod subtitles;
mod tracks;

pub use decode::choice::DecoderChoice;
pub use demux::beside::{coded, passing, presentation};
#[cfg(any(test, fuzzing))]
pub(crate) use demux::concat::fuzz_list;
#[cfg(any(test, fuzzing))]
pub(crate) use demux::ending::fuzz_ending;
pub use demux::opening::Opening;
pub use demux::reader::{EntryPacket, HeaderContents, PacketHashes};
pub use demux::streams::{Chapter, Container, CopiedPacket, CopiedStream, CopyChoice, Media, StreamTags};
pub use encode::choose::{EncoderChoice, choose_encoder, video_encoders};
pub use extra::added::Addition;
#[cfg(any(test, fuzzing))]
pub(crate) use extra::chapters::fuzz_chapters;
pub use extra::chapters::read_chapters;
pub use extra::edit::{TrackEdit, edit_tracks};
pub use extra::language::Language;
pub use extra::selector::TrackSelector;
pub use extra::tags::{read_tags, set_tags};
pub use format::negotiate::{Negotiated, Wanted, negotiate};
pub use format::pixfmt;
#[cfg(feature = "cuda")]
pub use hwaccel::{Readback, nvdec_engines};
pub use input::{EntryFrame, FrameList, Input, InputOptions};
pub use inventory::{has_decoder, has_encoder, has_hardware_decoder, versions};
pub use options::{OutputOptions, Timestamps};
pub use output::Output;
pub use parts::{JoinOutput, JoinedPackets, Keep, PartJob, PartOutput, fingerprint};
pub use passes::{Analysis, EncodePass, FirstPass, SameFrames, has_two_passes};
pub use pictures::list::Missing;
pub use pictures::output::PictureOutput;
pub use recode::sound::request::{Loudness, SoundCoding, SoundOptions, SoundRule};
pub use script::{ScriptOptions, is_script};
#[cfg(any(test, fuzzing))]
pub(crate) use seek::access::fuzz_packets;
pub use seek::window::{Position, Window};
pub use size::{FilmSize, survey};
pub use subtitles::{
    Burn, BurnSink, BurntSubtitles, SubtitleChoice, SubtitleOptions, SubtitleRule, TextCodec, WhichSubtitles,
};
pub use tracks::Tracks;

use crate::error::{Error, Kind};
use crate::video::Rational;
use ffmpeg::util::error::{EINVAL, ENOMEM, ENOSYS};
use ffmpeg_next as ffmpeg;
use std::fmt::Display;
use std::sync::Once;

/// Prepares libav: its errors get messages, and its log lines go to the `log` crate. Calling it again does nothing.
pub fn init() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Without devices and filters there is nothing in it that can fail.
        ffmpeg::init().expect("libav starts");
        logging::forward();
    });
}

/// A libav error about `what` (a file, a stream, an encoder), with libav's text as the cause.
pub fn error(what: impl Display, error: ffmpeg::Error) -> Error {
    Error::new(kind(error), format!("{what}: {error}"))
}

/// The kind of error that libav's code means.
fn kind(error: ffmpeg::Error) -> Kind {
    use ffmpeg::Error as E;
    match error {
        E::Exit => Kind::Cancelled,
        E::InvalidData | E::Eof | E::StreamNotFound => Kind::CorruptInput,
        E::OptionNotFound => Kind::BadArgument,
        E::Other { errno: ENOMEM } => Kind::OutOfMemory,
        E::DecoderNotFound
        | E::EncoderNotFound
        | E::DemuxerNotFound
        | E::MuxerNotFound
        | E::ProtocolNotFound
        | E::BsfNotFound
        | E::FilterNotFound
        | E::PatchWelcome
        | E::Experimental
        | E::External
        | E::InputChanged
        | E::OutputChanged
        | E::Other { errno: EINVAL | ENOSYS } => Kind::Unsupported,
        E::Bug | E::Bug2 | E::BufferTooSmall => Kind::Internal,
        _ => Kind::Io,
    }
}

impl From<ffmpeg::Rational> for Rational {
    fn from(value: ffmpeg::Rational) -> Self {
        Rational::new(value.numerator(), value.denominator())
    }
}

impl From<ffmpeg::ffi::AVRational> for Rational {
    fn from(value: ffmpeg::ffi::AVRational) -> Self {
        Rational::new(value.num, value.den)
    }
}

impl From<Rational> for ffmpeg::Rational {
    fn from(value: Rational) -> Self {
        ffmpeg::Rational(value.num, value.den)
    }
}
