//! What a film is besides its frames: how they are shown, and the streams that pass them by.

use crate::io::Hash;
use crate::io::hash::{CodedPacket, CodedStream};
use crate::io::libav::demux::streams::{Container, CopiedPacket, CopiedStream, Media};
use crate::io::libav::format::hdr::Hdr10;
use crate::io::libav::mux::stream_copy;
use crate::pipeline::Packet;
use crate::video::{Presentation, Rotation, SideData};
use ffmpeg_next::codec::Parameters;
use ffmpeg_next::ffi::AVPacketSideDataType as InStream;
use std::slice;

/// How the video of `container` is shown.
pub fn presentation(container: &Container) -> Presentation {
    let side_data = &container.video.side_data;
    let matrix = side_data.iter().find(|data| data.kind == InStream::AV_PKT_DATA_DISPLAYMATRIX as i32);
    let (mastering, light) = Hdr10::of(side_data).coded();
    Presentation { rotation: matrix.map_or_else(Rotation::default, |data| rotation(&data.bytes)), mastering, light }
}

/// What libav's display matrix does: nine integers, of which the first two columns of the first two rows turn.
fn rotation(bytes: &[u8]) -> Rotation {
    let at = |i: usize| bytes[4 * i..].first_chunk().map_or(0.0, |bytes| f64::from(i32::from_ne_bytes(*bytes)));
    if bytes.len() < 36 {
        return Rotation::default();
    }
    let (a, b, c, d) = (at(0), at(1), at(3), at(4));
    let mirrored = a * d - b * c < 0.0;
    // The mirroring comes first: what is left without it turns.
    let (sine, cosine) = if mirrored { (-b, -a) } else { (b, a) };
    let degrees = sine.atan2(cosine).to_degrees().round() as i32;
    Rotation { degrees: degrees.rem_euclid(360) as u16, mirrored }
}

/// The display matrix of quarter turns: one of `degrees` clockwise, a multiple of 90.
pub(in crate::io::libav) fn display_matrix(degrees: u16) -> SideData {
    const ONE: i32 = 1 << 16;
    let [a, b, c, d] = match degrees / 90 % 4 {
        0 => [ONE, 0, 0, ONE],
        1 => [0, ONE, -ONE, 0],
        2 => [-ONE, 0, 0, -ONE],
        _ => [0, -ONE, ONE, 0],
    };
    let bytes = [a, b, 0, c, d, 0, 0, 0, 1 << 30].into_iter().flat_map(i32::to_ne_bytes).collect();
    SideData { kind: InStream::AV_PKT_DATA_DISPLAYMATRIX as i32, bytes }
}

/// The streams among `copied` that are the film's, before any of their packets: muxers make others anew. Files, which
/// have none, are hashed with `hash`.
pub fn passing(container: &Container, copied: &[CopiedStream], hash: Hash) -> Vec<CodedStream> {
    let kept = copied.iter().filter(|stream| !stream_copy::is_made_anew(container, stream));
    let stream = |stream: &CopiedStream| CodedStream {
        index: stream.index,
        media: stream.media.word().to_owned(),
        codec: stream_copy::codec_name(&stream.parameters).to_owned(),
        timebase: stream.timebase,
        packets: match stream.media {
            Media::Attachment => vec![CodedStream::file(hash, extradata(&stream.parameters))],
            _ => Vec::new(),
        },
    };
    kept.map(stream).collect()
}

fn extradata(parameters: &Parameters) -> &[u8] {
    // SAFETY: the parameters are alive, and libav keeps as many bytes as it says.
    unsafe {
        let parameters = &*parameters.as_ptr();
        match parameters.extradata_size {
            1.. => slice::from_raw_parts(parameters.extradata, parameters.extradata_size as usize),
            _ => &[],
        }
    }
}

/// A packet of a copied stream, to be looked at.
pub fn coded(packet: &Packet) -> Option<CodedPacket<'_>> {
    let CopiedPacket { stream, packet, .. } = packet.0.downcast_ref()?;
    let time = packet.pts().or(packet.dts());
    Some(CodedPacket {
        stream: *stream,
        pts: time,
        duration: packet.duration(),
        bytes: packet.data().unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_is_given_in_degrees() {
        const ONE: i32 = 1 << 16;
        // Rows (a, b), (c, d): x' = a·x + c·y, y' = b·x + d·y, y down. A quarter clockwise brings right to below.
        for (matrix, degrees, mirrored) in [
            ([ONE, 0, 0, ONE], 0, false),
            ([0, ONE, -ONE, 0], 90, false),
            ([-ONE, 0, 0, -ONE], 180, false),
            ([0, -ONE, ONE, 0], 270, false),
            ([-ONE, 0, 0, ONE], 0, true),
            ([ONE, 0, 0, -ONE], 180, true),
        ] {
            let [a, b, c, d] = matrix;
            let bytes: Vec<u8> = [a, b, 0, c, d, 0, 0, 0, 1 << 30].into_iter().flat_map(i32::to_ne_bytes).collect();
            assert_eq!(rotation(&bytes), Rotation { degrees, mirrored }, "{matrix:?}");
        }
        assert_eq!(rotation(&[1; 35]), Rotation::default());
        for degrees in [0, 90, 180, 270] {
            assert_eq!(rotation(&display_matrix(degrees).bytes), Rotation { degrees, mirrored: false });
        }
    }
}
