//! The two callers of a chain's parts: a stream of frames, and single frames in any order.

use crate::error::{Error, Result};
use crate::pipeline::assembler::{Assembler, Job, Next};
use crate::pipeline::{ChainPlan, Item, Packet};
use crate::video::{FrameProps, Planes};
use crossbeam_channel::{Receiver, Sender};
use std::collections::VecDeque;

/// Feeds an assembler from a run's inputs, and sends results and packets on in the order of the source.
pub(super) struct Feeder<'a, S, T> {
    pub assembler: Assembler<S>,
    inputs: &'a [Receiver<Item>],
    out: &'a Sender<T>,
    /// Packets, each with the last frame of the source that came before it.
    waiting: VecDeque<(Option<u64>, Packet)>,
    /// The last frame of the source so far.
    came: Option<u64>,
    /// Nobody takes results any more.
    closed: bool,
}

impl<'a, S: Clone, T: From<Item>> Feeder<'a, S, T> {
    /// Feeds `plan`, which has parts, from `inputs`.
    pub fn new(plan: &ChainPlan, inputs: &'a [Receiver<Item>], out: &'a Sender<T>) -> Feeder<'a, S, T> {
        let (assembler, waiting) = (Assembler::new(plan), VecDeque::new());
        Feeder { assembler, inputs, out, waiting, came: None, closed: false }
    }

    /// The next job, after as many frames as it needs have gone through `take`. `None`: all is done.
    ///
    /// # Errors
    /// Those of `take`.
    pub fn next(&mut self, mut take: impl FnMut(usize, Item) -> Result<(FrameProps, S)>) -> Result<Option<Job<S>>> {
        while !self.closed {
            match self.assembler.next() {
                Next::Make(job) => return Ok(Some(job)),
                Next::Need(input) => self.receive(input, &mut take)?,
                Next::Done => {
                    self.pass_the_rest();
                    return Ok(None);
                }
            }
        }
        Ok(None)
    }

    fn receive(&mut self, input: usize, take: &mut impl FnMut(usize, Item) -> Result<(FrameProps, S)>) -> Result<()> {
        match self.inputs[input].recv() {
            Ok(Item::Packet(packet)) if input == 0 => self.pass(packet),
            Ok(Item::Packet(_)) => {}
            Ok(frame) => {
                let (props, samples) = take(input, frame)?;
                if input == 0 && !props.context {
                    self.came = Some(props.frame_index);
                }
                self.assembler.push(input, props, samples);
            }
            Err(_) => self.assembler.end(input),
        }
        Ok(())
    }

    /// Sends a packet on once every frame before it has gone.
    fn pass(&mut self, packet: Packet) {
        self.waiting.push_back((self.came, packet));
        if self.came.is_none() {
            self.send_packets(None);
        }
    }

    /// Sends a result on that belongs to frame `source` of the source, and the packets that waited for it.
    pub fn emit(&mut self, source: Option<u64>, item: T) {
        self.send(item);
        // A result of another input's frames goes with what has arrived.
        self.send_packets(source.or(self.came));
    }

    /// Sends the packets on that wait for no frame after `gone`.
    fn send_packets(&mut self, gone: Option<u64>) {
        while self.waiting.front().is_some_and(|(behind, _)| *behind <= gone)
            && let Some((_, packet)) = self.waiting.pop_front()
        {
            self.send(Item::Packet(packet).into());
        }
    }

    /// Sends the packets on that come after the last result.
    fn pass_the_rest(&mut self) {
        self.send_packets(Some(u64::MAX));
        for item in &self.inputs[0] {
            if let Item::Packet(_) = item {
                self.send(item.into());
            }
        }
    }

    fn send(&mut self, item: T) {
        self.closed |= self.out.send(item).is_err();
    }
}

/// Sends everything on, for a chain of no stages.
pub(super) fn pass_all(input: &Receiver<Item>, out: &Sender<Item>) {
    for item in input {
        if out.send(item).is_err() {
            return;
        }
    }
}

/// A frame of an input for a single result.
pub struct InputFrame<'a> {
    /// The input: 0 is the chain's own.
    pub input: usize,
    /// Its properties; `frame_index` says which it is.
    pub props: FrameProps,
    /// Its samples.
    pub planes: Planes<'a>,
}

/// The error of a frame that was not given.
pub(super) fn missing(index: u64) -> Error {
    Error::bad_argument(format!("frame {index} cannot be made of the frames that were given"))
}
