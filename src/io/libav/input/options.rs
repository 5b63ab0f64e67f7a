//! How an input is opened.

#[cfg(feature = "cuda")]
use crate::device::cuda::CudaDevice;
use crate::error::{Error, Result};
use crate::io::libav::decode::choice::DecoderChoice;
use crate::io::libav::demux::opening::Opening;
use crate::io::libav::demux::reader::{EntryPacket, HeaderContents};
use crate::io::libav::demux::streams::CopyChoice;
use crate::io::libav::extra::added::Addition;
use crate::io::libav::pictures::list::Missing;
use crate::io::libav::script::ScriptOptions;
use crate::io::libav::seek::window::Window;
use crate::pipeline::Cancel;
use crate::video::Rational;
use std::sync::Arc;

/// How an input is opened.
#[derive(Clone, Debug, Default)]
pub struct InputOptions {
    /// The frames that are kept.
    pub window: Window,
    /// Stop with an error at the first damage, rather than go on with what decodes. Then everything before the window
    /// is decoded too.
    pub strict: bool,
    /// Which decoder.
    pub decoder: DecoderChoice,
    /// The device that filters, where NVDEC may leave frames. Without one, frames are decoded in software.
    #[cfg(feature = "cuda")]
    pub device: Option<Arc<CudaDevice>>,
    /// Threads of a software decoder; 0 is as many as there are cores.
    pub threads: usize,
    /// Stops a wait for the source.
    pub cancel: Cancel,
    /// Which other streams are copied.
    pub copy: CopyChoice,
    /// Files whose tracks are added to those.
    pub add: Vec<Addition>,
    /// The frame rate of pictures and of bare streams, which state none; 25 by default.
    pub rate: Option<Rational>,
    /// A source with times of its own keeps them; else it refuses a rate.
    pub rate_if_taken: bool,
    /// A source has no use for `missing` or `script`, and that is all right:
    /// [`check_used`](super::Input::check_used) asks whether another has. Else it refuses them.
    pub lenient: bool,
    /// What is done about numbers that a sequence of pictures leaves out.
    pub missing: Missing,
    /// Have frames of another format, size or range than the first become like it; else a change is an error.
    pub fit_changes: bool,
    /// Give the alpha of its frames, as grey pictures of full range, instead of their colours.
    pub alpha: bool,
    /// What of a script is read.
    pub script: ScriptOptions,
    /// Where decoding begins for the window's first frame, if that is known: what lies before it is not read.
    pub place: Option<EntryPacket>,
    /// Packets were followed before, and said which frames the window has: no more is read than those are made of.
    pub planned: bool,
    /// How little of the source has to be read to open it, if that is known.
    pub opening: Option<Opening>,
    /// What the packets of the window must be: else its end is an error.
    pub contents: Option<HeaderContents>,
    /// Packets are followed from the first on, for [`list_frames`](super::Input::list_frames) and
    /// [`leave_frames_out`](super::Input::leave_frames_out).
    pub follow: bool,
}

/// Options that not every source has a use for: those that this one has.
pub struct UsedOptions {
    pub rate: bool,
    pub missing: bool,
    pub script: bool,
}

impl UsedOptions {
    /// Refuses the others, where they are asked for.
    pub fn check(&self, options: &InputOptions) -> Result<()> {
        if options.rate.is_some() && !options.rate_if_taken && !self.rate {
            let what = "its frames have times of their own: --fps is for pictures and for bare streams";
            return Err(Error::bad_argument(what));
        }
        if options.lenient { Ok(()) } else { self.check_kind(options, "it is no") }
    }

    /// Refuses those for kinds of sources, with a line that begins with `who`.
    pub fn check_kind(&self, options: &InputOptions, who: &str) -> Result<()> {
        let refused = if options.missing != Missing::default() && !self.missing {
            Some("numbered sequence of pictures: leave --missing out")
        } else if options.script != ScriptOptions::default() && !self.script {
            Some("VapourSynth script: leave --vpy-output and --vpy-arg out")
        } else {
            None
        };
        refused.map_or(Ok(()), |what| Err(Error::bad_argument(format!("{who} {what}"))))
    }
}
