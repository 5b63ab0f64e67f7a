//! Parts at work in threads of this process, which take turns on its GPUs and share what each of them holds.

use super::{PartWorker, PartWorkers};
use crate::cli::batch::child::ChildEvent;
use crate::cli::farm::gpus::Gpus;
use crate::device::DeviceChoice;
use crate::error::{Error, Result};
use crate::pipeline::Progress;
use crossbeam_channel::Sender;
use rustix::process::Signal;
use serde_json::json;
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

/// Time between two reports of a part.
const INTERVAL: Duration = Duration::from_millis(100);

/// Makes parts, several at a time. Whoever asks them to stop does so by what they were made with.
pub trait MakePart: Send + Sync + 'static {
    /// Makes `part` on the device `on`. How far it is goes to `report`.
    ///
    /// # Errors
    /// When it is not made.
    fn make(&self, part: u32, on: DeviceChoice, report: &mut dyn FnMut(Progress)) -> Result<()>;
}

/// How a part's thread is started.
pub struct Threads {
    maker: Arc<dyn MakePart>,
    gpus: Gpus,
}

impl Threads {
    /// For parts that `maker` makes on `gpus`, in turns.
    pub fn new(maker: impl MakePart, gpus: Gpus) -> Threads {
        Threads { maker: Arc::new(maker), gpus }
    }
}

impl PartWorkers for Threads {
    fn start(&self, part: u32, slot: usize, events: &Sender<ChildEvent>) -> Result<Box<dyn PartWorker>> {
        let (maker, on, events) = (Arc::clone(&self.maker), self.gpus.of(slot), events.clone());
        let work = move || {
            let _end = EndEvent { slot, events: events.clone() };
            let mut said = Instant::now();
            maker.make(part, on, &mut |progress| {
                if said.elapsed() >= INTERVAL {
                    said = Instant::now();
                    // Nobody listens once all has been stopped.
                    let _ = events.send(ChildEvent::Said(slot, json!({ "frame": progress.frames })));
                }
            })
        };
        let started = Builder::new().name(format!("part {part}")).spawn(work);
        Ok(Box::new(started.map_err(|error| Error::io("starting a thread", &error))?))
    }
}

/// Says that a thread is over, also where it panics.
struct EndEvent {
    slot: usize,
    events: Sender<ChildEvent>,
}

impl Drop for EndEvent {
    fn drop(&mut self) {
        let _ = self.events.send(ChildEvent::Ended(self.slot));
    }
}

impl PartWorker for JoinHandle<Result<()>> {
    // What makes the part sees the request by itself.
    fn end(&self, _: Signal) {}

    fn outcome(self: Box<Self>, _: Option<String>) -> Result<()> {
        self.join().unwrap_or_else(|_| Err(Error::internal("its thread panicked")))
    }
}
