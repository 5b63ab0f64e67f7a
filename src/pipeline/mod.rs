//! Moves frames from a source through a chain to a sink, with the stages running at the same time.

mod assembler;
mod chain;
mod cpu;
#[cfg(feature = "cuda")]
mod cuda;
mod engine;
mod feeder;
mod parts;
mod plan;
mod route;
mod run;
mod shape;
mod stats;
#[cfg(test)]
mod surveyed_tests;
#[cfg(test)]
mod tests;

pub use chain::CpuChain;
#[cfg(feature = "cuda")]
pub use cuda::{
    Between, CudaChain, NumberScale, PartFrame, RgbaConversion, RgbaDepth, RgbaFrame, RgbaImage, RgbaWindow,
};
#[cfg(feature = "cuda")]
pub use engine::{DeviceInputFrame, StreamOrder, TimelinePoint, WorkOrder};
pub use engine::{Engine, Workers};
pub use feeder::InputFrame;
pub use parts::{Feed, Part, PartInput};
pub use plan::{ChainPlan, Draft, Operand, SideInput, Stage, Target, plan, plan_with};
pub use run::{Cancel, Options, Progress, run, run_with};
pub use stats::{Busy, ChainUsage, FilterTime, Summary};

#[cfg(feature = "cuda")]
use crate::device::cuda::{DevicePicture, Stream};
use crate::error::{Error, Result};
use crate::filters::Reach;
use crate::video::{FrameProps, Picture, PicturePool, StreamInfo};
use crossbeam_channel::{Receiver, Sender};
use std::any::Any;
#[cfg(feature = "cuda")]
use std::sync::Arc;

/// A frame in the pipeline: its properties and its samples.
#[derive(Debug)]
pub struct Frame {
    /// Everything but the samples.
    pub props: FrameProps,
    /// The samples.
    pub picture: Picture,
}

/// A frame in the pipeline whose samples are in GPU memory.
#[cfg(feature = "cuda")]
pub struct DeviceFrame {
    /// Everything but the samples.
    pub props: FrameProps,
    /// The samples.
    pub picture: DevicePicture,
    /// The stream in which the picture was written, and in which its memory will be used again. Whoever reads the
    /// picture waits for what is in this stream, and has this stream wait for the reading before dropping the picture.
    pub stream: Arc<Stream>,
}

/// Something a source hands to its sink past the chain, in order with the frames: a packet of a copied stream.
pub struct Packet(pub Box<dyn Any + Send>);

/// What a source yields.
#[allow(clippy::large_enum_variant, reason = "nearly all of them are frames")]
pub enum Item {
    /// A frame, to be filtered.
    Frame(Frame),
    /// A frame in GPU memory, to be filtered there.
    #[cfg(feature = "cuda")]
    DeviceFrame(DeviceFrame),
    /// A packet, to be forwarded.
    Packet(Packet),
}

/// Where frames come from. Runs on a thread of its own.
pub trait Source: Send {
    /// The stream's description; every frame keeps to its format and size.
    fn info(&self) -> &StreamInfo;

    /// The next item, or `None` at the end.
    ///
    /// # Errors
    /// When the source fails, or a frame does not keep to [`Source::info`]. Nothing more is read after an error.
    fn next(&mut self) -> Result<Option<Item>>;

    /// Asks for frames before and after the part that is run, for filters that read them, each marked as
    /// [context](crate::video::FrameProps::context). A source that is run whole has none. Called once, before the first item.
    ///
    /// # Errors
    /// When the source cannot go back.
    fn surround(&mut self, reach: Reach) -> Result<()> {
        let _ = reach;
        Ok(())
    }

    /// How many of its frames may wait to be filtered: less than [`Options::slots`] when they lie in memory that the
    /// source has little of.
    fn most_waiting(&self) -> usize {
        usize::MAX
    }

    /// After the end: what was lost while reading (damaged packets, a truncated file), as a
    /// [`Kind::Incomplete`](crate::error::Kind::Incomplete) error. `None` when every frame was good.
    fn damage(&self) -> Option<Error>;
}

/// A plan built for a backend. Runs on a thread of its own.
pub trait Chain: Send {
    /// The pictures that frames leave in, made up front: `waiting` of them lie between chain and sink.
    ///
    /// # Errors
    /// When memory runs out.
    fn pictures(&self, plan: &ChainPlan, waiting: usize) -> Result<PicturePool> {
        PicturePool::new(waiting, plan.output.format, plan.output.width, plan.output.height)
    }

    /// Filters every frame of `inputs`, the chain's own and those beside it, in order, into pictures of `pool`, and hands
    /// them to `out`; packets of the first pass. Ends with the first input, or when `out` is closed: whoever closed it
    /// knows why.
    ///
    /// # Errors
    /// When memory runs out or the device fails.
    fn drive(
        &mut self,
        plan: &ChainPlan,
        inputs: &[Receiver<Item>],
        pool: &PicturePool,
        out: &Sender<Item>,
    ) -> Result<()>;

    /// What was done so far.
    fn work(&self) -> ChainUsage;
}

/// Where frames go. Runs on the thread that calls [`run`].
pub trait Sink {
    /// Takes a filtered frame. The sink may keep the picture as long as it needs it.
    ///
    /// # Errors
    /// When the frame cannot be encoded or written.
    fn frame(&mut self, frame: Frame) -> Result<()>;

    /// Takes a filtered frame in GPU memory, which is done there. Only sinks for which frames were planned to stay get any.
    ///
    /// # Errors
    /// When the frame cannot be encoded or written.
    #[cfg(feature = "cuda")]
    fn device_frame(&mut self, frame: DeviceFrame) -> Result<()> {
        Err(Error::internal(format!("frame {} stayed in GPU memory, where nobody reads it", frame.props.frame_index)))
    }

    /// Takes a packet that passed the chain by.
    ///
    /// # Errors
    /// When it cannot be written.
    fn packet(&mut self, packet: Packet) -> Result<()>;

    /// Writes what is still held back and makes the output whole. Called once, and only after every frame arrived well.
    ///
    /// # Errors
    /// When the rest cannot be encoded or written; the output then does not exist under its final name.
    fn finish(&mut self) -> Result<()>;

    /// Bytes written so far, where that has a meaning.
    fn bytes(&self) -> u64;

    /// After [`Sink::finish`]: what was lost of packets that the sink decodes, as a
    /// [`Kind::Incomplete`](crate::error::Kind::Incomplete) error.
    fn damage(&self) -> Option<Error> {
        None
    }
}
