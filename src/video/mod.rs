//! Frames, planes, formats and their descriptions: pure data, no I/O, no device.

mod color;
mod format;
mod frame;
mod free;
mod memory;
mod picture;
mod plane;
mod presentation;
mod record;
mod views;

pub use color::{ChromaLocation, ColorInfo, Range, code_point_name};
pub use format::{Format, Layout, Model, SampleType};
pub use frame::{FieldOrder, FrameProps, Rational, SideData, StreamInfo};
#[cfg(feature = "cuda")]
pub(crate) use free::FreeList;
#[cfg(feature = "cuda")]
pub(crate) use free::Home;
pub(crate) use free::emptied;
pub use memory::{Heap, HostAllocator};
pub use picture::{Picture, PicturePool, Planes, PlanesMut};
pub use plane::{PlaneMut, PlaneRef, SampleLayout};
pub use presentation::{ContentLight, Grading, Mastering, NotWritten, Presentation, Rotation};
pub use record::{Record, Value};
pub use views::MemoryPlanes;
