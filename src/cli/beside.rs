//! What differs beside the frames, for programs.

use crate::io::hash::{How, StreamDifference};
use serde::Serialize;

/// How a stream differs.
#[derive(Debug, Serialize)]
pub struct StreamLine {
    index: usize,
    media: String,
    codec: String,
    kind: &'static str,
    /// The codec instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    found: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    packets: Option<u64>,
    /// When the first of the packets is shown, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<f64>,
    /// By how much packets are later, in seconds, at least and at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    later: Option<[f64; 2]>,
}

impl From<&StreamDifference> for StreamLine {
    fn from(difference: &StreamDifference) -> StreamLine {
        let StreamDifference { index, media, codec, how } = difference;
        let packets = how.packets();
        StreamLine {
            index: *index,
            media: media.clone(),
            codec: codec.clone(),
            kind: how.kind(),
            found: if let How::Codec(found) = how { Some(found.clone()) } else { None },
            packets: packets.map(|packets| packets.count),
            from: packets.and_then(|packets| packets.from),
            later: if let How::Later(_, Some((least, most))) = how { Some([*least, *most]) } else { None },
        }
    }
}
