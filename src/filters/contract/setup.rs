//! What a kernel is built for.

use crate::video::{Format, StreamInfo};

/// What a kernel is built for: nominal streams and the storage its pictures have.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The stream the filter gets; `format.bit_depth()` is nominal.
    pub input: StreamInfo,
    /// The inputs beside it, in the order of [`Filter::wiring`](crate::filters::Filter::wiring).
    pub sides: Vec<SideStorage>,
    /// The stream it gives, as [`Filter::spec`](crate::filters::Filter::spec) states.
    pub output: StreamInfo,
    /// Storage of the pictures it reads: the source's own format, or v16.
    pub src: Format,
    /// Storage of the pictures it writes: v16, or the sink's own format. Every kernel narrows while it writes.
    pub dst: Format,
    /// Frames that a kernel on a device may get at a time, and has memory for.
    pub batch: usize,
}

impl Setup {
    /// A kernel of one input, for a frame at a time.
    pub fn of(input: StreamInfo, src: Format, output: StreamInfo, dst: Format) -> Setup {
        Setup { input, sides: Vec::new(), output, src, dst, batch: 1 }
    }

    /// The same for `batch` frames at a time.
    #[must_use]
    pub fn for_batches(&self, batch: usize) -> Setup {
        Setup { batch, ..self.clone() }
    }

    /// How pictures of input `index` are stored.
    pub fn storage(&self, index: usize) -> Format {
        if index == 0 { self.src } else { self.sides[index - 1].src }
    }

    /// The same, to change.
    pub(crate) fn storage_mut(&mut self, index: usize) -> &mut Format {
        if index == 0 { &mut self.src } else { &mut self.sides[index - 1].src }
    }

    /// Every input, the chain's own first.
    pub fn inputs(&self) -> Vec<StreamInfo> {
        std::iter::once(&self.input).chain(self.sides.iter().map(|side| &side.info)).cloned().collect()
    }
}

/// An input beside the chain's own.
#[derive(Clone, Debug)]
pub struct SideStorage {
    /// The stream.
    pub info: StreamInfo,
    /// Storage of its pictures.
    pub src: Format,
}
