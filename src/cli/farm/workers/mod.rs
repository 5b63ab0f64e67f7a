//! Who makes parts: processes of this program on the CPU, where a crash costs one part; threads of this one on GPUs, where all
//! that a device holds for many decoders is there once, and no decoder waits for the start of a process.

mod processes;
mod threads;

pub use processes::Processes;
pub use threads::{MakePart, Threads};

use crate::cli::batch::child::ChildEvent;
use crate::error::Result;
use crossbeam_channel::Sender;
use rustix::process::Signal;

/// Who makes parts.
pub trait PartWorkers {
    /// Begins `part`. How far it is goes to `events` for `slot`, and its end last of all.
    ///
    /// # Errors
    /// When the system starts nobody.
    fn start(&self, part: u32, slot: usize, events: &Sender<ChildEvent>) -> Result<Box<dyn PartWorker>>;
}

/// Somebody who makes a part.
pub trait PartWorker {
    /// Asks for the end: cleanly with `TERM`, at once with `KILL`.
    fn end(&self, signal: Signal);

    /// How it went, when it has ended; `said` is the last error line.
    ///
    /// # Errors
    /// When the part is not made.
    fn outcome(self: Box<Self>, said: Option<String>) -> Result<()>;
}
