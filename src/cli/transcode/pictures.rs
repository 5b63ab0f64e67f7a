//! What a run needs that ends in pictures, where the command line leaves it open.

use crate::cli::args::Run;
use crate::io::libav::{EncoderChoice, Input};
use crate::video::{Format, Model, Range, StreamInfo};

/// BT.601's matrix: what readers of JPEG take for given.
const MATRIX_OF_JPEG: u8 = 6;

/// `run` with the format and the range of the pictures that `encoder` makes of `input`: YCbCr becomes RGB where they hold
/// nothing else, and JPEG has full range.
pub fn complete(run: Run, encoder: Option<&EncoderChoice>, input: &mut Input) -> Run {
    let Some(encoder) = encoder.filter(|encoder| encoder.is_pictures()) else { return run };
    let source = input.info();
    let format = run.format.or_else(|| rgb(encoder.accepted(), source.format, run.depth));
    if encoder.encoder() != "mjpeg" {
        return Run { format, ..run };
    }
    warn_of_matrix(source);
    let is_full = source.color.range == Range::Full && source.format.model() != Model::Rgb;
    input.use_matrix(MATRIX_OF_JPEG);
    let range = run.range.or_else(|| (!is_full).then(|| "full".to_owned()));
    Run { format, range, ..run }
}

/// The RGB that YCbCr of `source` becomes where nothing but RGB and grey is taken: of as few bits as hold its own.
fn rgb(accepted: &[Format], source: Format, depth: Option<u8>) -> Option<Format> {
    if source.model() != Model::Yuv || accepted.iter().any(|format| format.model() == Model::Yuv) {
        return None;
    }
    let bits = depth.unwrap_or(source.bit_depth());
    let fitting = accepted.iter().filter(|format| format.model() == Model::Rgb && format.bit_depth() >= bits);
    fitting.copied().min_by_key(|format| format.bit_depth())
}

/// Says once that JPEG has no word for the matrix.
fn warn_of_matrix(source: &StreamInfo) {
    /// What states none is BT.709 from this height on.
    const HD: usize = 720;
    let is_bt709 = match source.color.matrix {
        1 => true,
        UNSPECIFIED => source.height >= HD,
        _ => false,
    };
    if source.format.model() == Model::Yuv && is_bt709 {
        log::warn!("JPEG is read as BT.601, and this is BT.709: its colours shift a little; png and tiff keep them");
    }
}

/// A matrix that is not stated, in ITU-T H.273.
const UNSPECIFIED: u8 = 2;
