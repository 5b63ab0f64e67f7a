//! What a caller asks of an output.

#[cfg(feature = "cuda")]
use crate::device::cuda::CudaDevice;
use crate::io::libav::passes::EncodePass;
use crate::io::libav::recode::sound::request::SoundOptions;
use crate::io::libav::subtitles::SubtitleOptions;
use crate::pipeline::Cancel;
use std::ffi::OsString;
#[cfg(feature = "cuda")]
use std::sync::Arc;

/// Where an output's clock starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Timestamps {
    /// Times are the source's, whatever they start with.
    #[default]
    Keep,
    /// The first frame is at 0; copied streams and chapters move with it.
    Zero,
}

/// What a caller asks of an output. The default asks for nothing: the path decides.
#[derive(Clone, Debug, Default)]
pub struct OutputOptions {
    /// The container by name (`-f`), where the path's extension does not name it.
    pub container: Option<String>,
    /// The encoder (`-c`), by its own name or its codec's.
    pub codec: Option<String>,
    /// Constant quality, on the encoder's own scale.
    pub crf: Option<f64>,
    /// Constant quantiser, on the encoder's own scale.
    pub qp: Option<i64>,
    /// Target bit rate: bits a second, with an optional `k` or `M`.
    pub bitrate: Option<String>,
    /// Which pass of two this is, for an encoder that has two. `None`: the only one.
    pub pass: Option<EncodePass>,
    /// Synthetic film grain, 0 to 50, for encoders that have their decoders add it.
    pub film_grain: Option<u8>,
    /// The encoder's preset.
    pub preset: Option<String>,
    /// What the encoder is tuned for.
    pub tune: Option<String>,
    /// Options of the encoder or the container by libav's names (`-x key=value`), in order. They win over vramp's own.
    pub options: Vec<(String, String)>,
    /// Whether an existing file may be replaced.
    pub overwrite: bool,
    /// The file the frames come from, which is never replaced.
    pub input: Option<OsString>,
    /// The device in whose memory the frames are ([`Sink::device_frame`](crate::pipeline::Sink::device_frame)), for an
    /// encoder that reads them there. `None`: they are in host memory.
    #[cfg(feature = "cuda")]
    pub device: Option<Arc<CudaDevice>>,
    /// Encoder threads; 0 lets the encoder choose.
    pub threads: usize,
    /// Where the clock starts.
    pub timestamps: Timestamps,
    /// Whether Dolby Vision is encoded whose base layer has colours of its own (profile 5): they would be wrong.
    pub ignore_dolby_vision: bool,
    /// What becomes of the sound.
    pub sound: SoundOptions,
    /// What becomes of subtitles.
    pub subtitles: SubtitleOptions,
    /// Stops the work, also while the encoder gives its last packets.
    pub cancel: Cancel,
}
