//! The two callers of a chain's parts: a stream of frames, and single frames in any order.

use crate::error::{Error, Result};
use crate::pipeline::assembler::{Assembler, Job, Next};
use crate::pipeline::{ChainPlan, Item, Packet};
use crate::video::{FrameProps, Planes};
#[cfg(feature = "cuda")]
use crossbeam_channel::TryRecvError;
use crossbeam_channel::{Receiver, Sender};
use std::collections::VecDeque;

/// Feeds an assembler from a run's inputs, and sends results and packets on in the order of the source.
pub(super) struct Feeder<'a, S, T> {
    pub assembler: Assembler<S>,
    inputs: &'a [Receiver<Item>],
    out: &'a Sender<T>,
    /// Packets, each with the last frame of the source that came before it.
    waiting: VecDeque<(Option<u64>, Packet)>,
    /// For each job of the last part that has not been emitted, the packets that follow its result.
    due: VecDeque<Vec<Packet>>,
    /// The last frame of the source so far.
    came: Option<u64>,
    /// Nobody takes results any more.
    closed: bool,
}

impl<'a, S: Clone, T: From<Item>> Feeder<'a, S, T> {
    /// Feeds `plan`, which has parts, from `inputs`.
    pub fn new(plan: &ChainPlan, inputs: &'a [Receiver<Item>], out: &'a Sender<T>) -> Feeder<'a, S, T> {
        let (assembler, waiting, due) = (Assembler::new(plan), VecDeque::new(), VecDeque::new());
        Feeder { assembler, inputs, out, waiting, due, came: None, closed: false }
    }

    /// The next job, after as many frames as it needs have gone through `take`. `None`: all is done.
    ///
    /// # Errors
    /// Those of `take`.
    pub fn next(&mut self, mut take: impl FnMut(usize, Item) -> Result<(FrameProps, S)>) -> Result<Option<Job<S>>> {
        while !self.closed {
            match self.assembler.next() {
                Next::Make(job) => return Ok(Some(self.begin(job))),
                Next::Need(input) => self.receive(input, self.inputs[input].recv().ok(), &mut take)?,
                Next::Done => {
                    self.pass_the_rest();
                    return Ok(None);
                }
            }
        }
        Ok(None)
    }

    /// The next job, if all that it needs has arrived. `None`: [`Feeder::next`] would wait, or all is done.
    ///
    /// # Errors
    /// Those of `take`.
    #[cfg(feature = "cuda")]
    pub fn next_arrived(
        &mut self,
        mut take: impl FnMut(usize, Item) -> Result<(FrameProps, S)>,
    ) -> Result<Option<Job<S>>> {
        // Packets before the first frame pass at once, and must not pass a result that has not been emitted.
        while !self.closed && self.came.is_some() {
            match self.assembler.next() {
                Next::Make(job) => return Ok(Some(self.begin(job))),
                Next::Need(input) => match self.inputs[input].try_recv() {
                    Err(TryRecvError::Empty) => break,
                    arrived => self.receive(input, arrived.ok(), &mut take)?,
                },
                Next::Done => break,
            }
        }
        Ok(None)
    }

    /// Takes what came of `input`; nothing comes at its end.
    fn receive(
        &mut self,
        input: usize,
        item: Option<Item>,
        take: &mut impl FnMut(usize, Item) -> Result<(FrameProps, S)>,
    ) -> Result<()> {
        match item {
            Some(Item::Packet(packet)) if input == 0 => self.pass(packet),
            Some(Item::Packet(_)) => {}
            Some(frame) => {
                let (props, samples) = take(input, frame)?;
                if input == 0 && !props.context {
                    self.came = Some(props.frame_index);
                }
                self.assembler.push(input, props, samples);
            }
            None => self.assembler.end(input),
        }
        Ok(())
    }

    /// Notes which packets follow the result of `job`: those that have come, whatever comes until it is emitted.
    fn begin(&mut self, job: Job<S>) -> Job<S> {
        if job.is_last {
            // A result of another input's frames goes with what has arrived.
            let packets = self.packets_behind(job.source.or(self.came));
            self.due.push_back(packets);
        }
        job
    }

    /// Sends a packet on once every frame before it has gone.
    fn pass(&mut self, packet: Packet) {
        self.waiting.push_back((self.came, packet));
        if self.came.is_none() {
            self.send_packets(None);
        }
    }

    /// Sends the result of the first job on that has not been emitted, and the packets that waited for it.
    pub fn emit(&mut self, item: T) {
        self.send(item);
        let packets = self.due.pop_front().unwrap_or_default();
        packets.into_iter().for_each(|packet| self.send(Item::Packet(packet).into()));
    }

    /// Takes the packets that wait for no frame after `gone`.
    fn packets_behind(&mut self, gone: Option<u64>) -> Vec<Packet> {
        let count = self.waiting.iter().take_while(|(behind, _)| *behind <= gone).count();
        self.waiting.drain(..count).map(|(_, packet)| packet).collect()
    }

    /// Sends the packets on that wait for no frame after `gone`.
    fn send_packets(&mut self, gone: Option<u64>) {
        let packets = self.packets_behind(gone);
        packets.into_iter().for_each(|packet| self.send(Item::Packet(packet).into()));
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

#[cfg(all(test, feature = "cuda"))]
mod tests {
    use super::*;
    use crate::filters::chain;
    use crate::pipeline::{Frame, Target, plan};
    use crate::video::{Picture, StreamInfo};
    use crossbeam_channel::{bounded, unbounded};

    fn frame(index: u64) -> Item {
        let props = FrameProps { frame_index: index, ..FrameProps::default() };
        Item::Frame(Frame { props, picture: Picture::alloc("gray8".parse().unwrap(), 8, 8).unwrap() })
    }

    fn packet(name: &'static str) -> Item {
        Item::Packet(Packet(Box::new(name)))
    }

    /// Frames and packets in the order in which they leave, of results that are emitted so many at a time.
    fn order(batch: usize) -> Vec<String> {
        let info = StreamInfo::bare("gray8".parse().unwrap(), 8, 8);
        let plan = plan(chain("tmedian=radius=1").unwrap(), &info, Target::default()).unwrap();
        let ((to, input), (out, left)) = (unbounded(), unbounded());
        to.send(packet("first")).unwrap();
        for (index, name) in ["a", "b", "c", "d", "e"].into_iter().enumerate() {
            to.send(frame(index as u64)).unwrap();
            to.send(packet(name)).unwrap();
        }
        drop(to);
        let inputs = [input];
        let mut feeder: Feeder<'_, (), Item> = Feeder::new(&plan, &inputs, &out);
        let take = |_, item| match item {
            Item::Frame(Frame { props, .. }) => Ok((props, ())),
            _ => Err(Error::internal("no frame")),
        };
        while let Some(job) = feeder.next(take).unwrap() {
            let mut jobs = vec![job];
            while jobs.len() < batch
                && let Some(job) = feeder.next_arrived(take).unwrap()
            {
                jobs.push(job);
            }
            jobs.iter().for_each(|job| feeder.emit(frame(job.props.frame_index)));
        }
        drop(out);
        let name = |item| match item {
            Item::Frame(Frame { props, .. }) => props.frame_index.to_string(),
            Item::Packet(packet) => (*packet.0.downcast_ref::<&str>().unwrap()).to_owned(),
            Item::DeviceFrame(_) => unreachable!(),
        };
        left.into_iter().map(name).collect()
    }

    #[test]
    fn several_at_a_time_leave_in_the_order_of_one_by_one() {
        let expected = order(1);
        assert_eq!(expected, ["first", "0", "a", "1", "b", "2", "c", "3", "d", "4", "e"]);
        for batch in [2, 3, 8] {
            assert_eq!(order(batch), expected, "{batch}");
        }
    }

    #[test]
    fn what_has_not_arrived_is_not_waited_for() {
        let info = StreamInfo::bare("gray8".parse().unwrap(), 8, 8);
        let plan = plan(chain("box").unwrap(), &info, Target::default()).unwrap();
        let ((to, input), (out, _left)) = (bounded(2), unbounded());
        let inputs = [input];
        let mut feeder: Feeder<'_, (), Item> = Feeder::new(&plan, &inputs, &out);
        let take = |_, item| match item {
            Item::Frame(Frame { props, .. }) => Ok((props, ())),
            _ => Err(Error::internal("no frame")),
        };
        assert!(feeder.next_arrived(take).unwrap().is_none());
        for index in [0, 1] {
            to.send(frame(index)).unwrap();
        }
        assert!(feeder.next(take).unwrap().is_some_and(|job| job.props.frame_index == 0));
        assert!(feeder.next_arrived(take).unwrap().is_some_and(|job| job.props.frame_index == 1));
        assert!(feeder.next_arrived(take).unwrap().is_none());
        drop(to);
        assert!(feeder.next_arrived(take).unwrap().is_none());
        assert!(feeder.next(take).unwrap().is_none());
    }
}
