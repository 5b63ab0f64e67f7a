//! Parts of a film: each encoded by itself, and joined to what one run of the same encoder would be laid out as.

mod fingerprint;
mod join;
mod output;
pub(in crate::io::libav) mod read_back;

pub use fingerprint::fingerprint;
pub use join::{JoinOutput, JoinedPackets};
pub use output::{Keep, PartJob, PartOutput};

use crate::io::libav::encode::encoder::Encoder;
use ffmpeg_next::ffi::AVPacketSideDataType as Kinds;
use std::slice;

/// Data beside packets that containers write. The rest is an encoder's talk about itself.
const KEPT: [Kinds; 2] = [Kinds::AV_PKT_DATA_NEW_EXTRADATA, Kinds::AV_PKT_DATA_MATROSKA_BLOCKADDITIONAL];

/// The codec's header of an open encoder.
fn extradata(encoder: &Encoder) -> &[u8] {
    // SAFETY: the encoder is open, and has as many bytes as it says.
    unsafe {
        let context = &*encoder.context();
        match usize::try_from(context.extradata_size) {
            Ok(length @ 1..) => slice::from_raw_parts(context.extradata, length),
            _ => &[],
        }
    }
}

/// How many frames an open encoder decodes before one that is shown earlier, at most.
fn delay(encoder: &Encoder) -> u32 {
    // SAFETY: the encoder is open.
    u32::try_from(unsafe { (*encoder.context()).has_b_frames }).unwrap_or(0)
}
