//! What a packet holds, as far as its bytes say so without being decoded: whether it gives a frame, and whether
//! decoding can begin at it.

mod av1;
mod bits;
mod h264;
mod hevc;
mod mpeg;
mod nal;
mod parser;
mod vpx;

use crate::error::{Error, Result};
use ffmpeg::codec::{Id, Parameters};
use ffmpeg::ffi;
use ffmpeg_next as ffmpeg;

/// Whether decoding can begin at a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::io::libav) enum Access {
    /// Every frame that is shown with this one or later decodes to the same bytes as in a run from the start.
    Clean,
    /// So says the stream, though the pictures before it are still there to refer to: who begins one access earlier has
    /// them.
    Open,
    /// No.
    None,
}

/// What a packet holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::io::libav) struct Unit {
    pub(in crate::io::libav) access: Access,
    /// It gives one frame; otherwise none.
    pub(in crate::io::libav) shown: bool,
    /// Its headers say that it is shown before one that is decoded before it. Of HEVC and others that is not known.
    pub(in crate::io::libav) early: bool,
}

impl Unit {
    /// A picture that is shown.
    fn shown(access: Access) -> Unit {
        Unit { access, shown: true, early: false }
    }
}

/// Why nothing is known of a packet, or of the frames after it.
pub(in crate::io::libav) type Reason = &'static str;

/// Parses the packets of a stream, in order.
pub(in crate::io::libav) trait PacketParser: Send {
    /// What the packet `bytes` holds.
    fn parse(&mut self, bytes: &[u8]) -> Result<Unit, Reason>;
}

/// What parses the packets of a stream of `parameters`.
///
/// # Errors
/// When memory runs out, or for codecs of which it is not known where decoding can begin.
pub(in crate::io::libav) fn parser_of(parameters: &Parameters) -> Result<Box<dyn PacketParser>> {
    let id = parameters.id();
    Ok(match id {
        Id::H264 => Box::new(h264::H264::new(parameters)?),
        Id::HEVC => Box::new(hevc::Hevc::new(parameters)),
        Id::MPEG1VIDEO | Id::MPEG2VIDEO => Box::new(mpeg::Mpeg),
        Id::VP8 => Box::new(vpx::Vp8),
        Id::VP9 => Box::new(vpx::Vp9),
        Id::AV1 => Box::new(av1::Av1),
        // Its key frames begin afresh, and containers mark them.
        Id::FFV1 => Box::new(Marked),
        _ if is_intra_only(id) => Box::new(Marked),
        _ => return Err(Error::unsupported(format!("it is not known where decoding {} can begin", id.name()))),
    })
}

/// Looks into packets of a stream, for the fuzzer. The first byte of `bytes` chooses the codec; a first piece is what the
/// container keeps for the decoder, and each further one a packet. A piece is its length in a byte, times eight, and so
/// many bytes.
#[cfg(any(test, fuzzing))]
pub(crate) fn fuzz_packets(bytes: &[u8]) {
    const CODECS: [Id; 7] = [Id::H264, Id::HEVC, Id::MPEG1VIDEO, Id::MPEG2VIDEO, Id::VP8, Id::VP9, Id::AV1];
    let Some((codec, mut rest)) = bytes.split_first() else { return };
    let mut piece = || {
        let (length, behind) = rest.split_first()?;
        let (piece, behind) = behind.split_at(behind.len().min(usize::from(*length) * 8));
        rest = behind;
        Some(piece)
    };
    let mut parameters = Parameters::new();
    // SAFETY: the parameters were just made, and no one else has them.
    unsafe {
        (*parameters.as_mut_ptr()).codec_type = ffi::AVMediaType::AVMEDIA_TYPE_VIDEO;
        (*parameters.as_mut_ptr()).codec_id = CODECS[usize::from(*codec) % CODECS.len()].into();
        crate::io::libav::mux::tags::set_extradata(parameters.as_mut_ptr(), piece().unwrap_or(&[])).expect("memory");
    }
    let Ok(mut parser) = parser_of(&parameters) else { return };
    while let Some(packet) = piece() {
        let _ = parser.parse(packet);
    }
}

fn is_intra_only(id: Id) -> bool {
    // SAFETY: libav answers for any number, with null for those it has not; descriptors are static.
    let descriptor = unsafe { ffi::avcodec_descriptor_get(id.into()).as_ref() };
    descriptor.is_some_and(|descriptor| descriptor.props & ffi::AV_CODEC_PROP_INTRA_ONLY != 0)
}

/// A stream in which the container's mark on a packet says all.
struct Marked;

impl PacketParser for Marked {
    fn parse(&mut self, _: &[u8]) -> Result<Unit, Reason> {
        Ok(Unit::shown(Access::Clean))
    }
}

/// What the container keeps for the decoder: parameter sets, mostly.
fn extradata(parameters: &Parameters) -> &[u8] {
    // SAFETY: the parameters are alive, and libav keeps as many bytes as it says.
    unsafe {
        let raw = &*parameters.as_ptr();
        crate::io::libav::decode::props::bytes(raw.extradata, usize::try_from(raw.extradata_size).unwrap_or(0))
    }
}
