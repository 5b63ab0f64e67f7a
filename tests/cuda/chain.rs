//! Frames through the pipeline on a device: the same frames, in order, however many are in flight.

use crate::fixture::{self, at};
use crate::gate::{device, own_device};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use vramp::device::cpu::CpuLevel;
use vramp::device::cuda::{CudaDevice, Function, LaunchConfig, PinnedAllocator};
use vramp::error::{Error, Kind, Result};
use vramp::filters::{CpuJob, CpuKernel, CudaJob, CudaKernel, Descriptor, Filter, Footprint, Setup, Spec};
use vramp::params::{Call, Schema};
use vramp::pipeline::{
    self, Cancel, ChainPlan, CpuChain, CudaChain, Frame, Item, Options, Packet, Sink, Source, Summary,
};
use vramp::video::{Format, FrameProps, Picture, PicturePool, StreamInfo};

/// A filter on 8-bit pictures: every byte, xor a value that follows from the frame's index.
#[derive(Clone, Debug)]
pub struct Xor {
    value: u8,
    /// Clocks that the device idles away a frame.
    spin: u64,
    /// The frame whose launch is refused.
    fails_at: Option<u64>,
    /// Frames that are taken at a time, and how many each time were.
    batch: usize,
    batches: Arc<Mutex<Vec<usize>>>,
}

impl Xor {
    pub fn new(value: u8) -> Xor {
        Xor { value, spin: 0, fails_at: None, batch: 1, batches: Arc::default() }
    }
}

static DESCRIPTOR: Descriptor = Descriptor {
    name: "xor",
    aliases: &[],
    summary: "",
    definition: "",
    schema: &Schema { params: &[], presets: &[], elsewhere: &[] },
    accepts: |_| true,
    footprint: Footprint::Point,
    temporal: "",
    changes: &[],
    neutral: &[],
    cases: &[],
    create: |_| Err(Error::internal("made by hand")),
};

impl Filter for Xor {
    fn descriptor(&self) -> &'static Descriptor {
        &DESCRIPTOR
    }

    fn call(&self) -> Call {
        Call { name: "xor".to_owned(), args: Vec::new() }
    }

    fn spec(&self, inputs: &[StreamInfo]) -> Result<Spec> {
        Ok(Spec::computed(inputs[0].clone()))
    }

    fn reference(&self, _: &Setup) -> Result<Box<dyn CpuKernel>> {
        Ok(Box::new(self.clone()))
    }

    fn cpu(&self, setup: &Setup, _: CpuLevel) -> Result<Box<dyn CpuKernel>> {
        self.reference(setup)
    }

    fn cuda_batch(&self, _: &Setup) -> usize {
        self.batch
    }

    fn cuda(&self, _: &Setup, device: &Arc<CudaDevice>) -> Result<Box<dyn CudaKernel>> {
        Ok(Box::new(XorOnCuda {
            filter: self.clone(),
            xor: fixture::function(device, "xor_u8"),
            device: Arc::clone(device),
        }))
    }
}

impl CpuKernel for Xor {
    fn run(&mut self, job: CpuJob<'_>) {
        let CpuJob { props, src, mut dst, .. } = job;
        let src = src.here();
        for component in 0..src.len() {
            let plane = dst.get_mut(component);
            for y in 0..plane.height() {
                let value = self.value.wrapping_add(props.frame_index as u8);
                plane.row_u8_mut(y).iter_mut().zip(src[component].row_u8(y)).for_each(|(to, from)| *to = from ^ value);
            }
        }
    }

    fn path(&self) -> &'static str {
        "reference"
    }
}

struct XorOnCuda {
    filter: Xor,
    xor: Function,
    device: Arc<CudaDevice>,
}

impl CudaKernel for XorOnCuda {
    fn enqueue_batch(&mut self, jobs: &[CudaJob<'_>]) -> Result<()> {
        self.filter.batches.lock().unwrap().push(jobs.len());
        jobs.iter().try_for_each(|job| self.enqueue(job))
    }

    fn enqueue(&mut self, job: &CudaJob<'_>) -> Result<()> {
        let CudaJob { props, src, dst, stream, .. } = *job;
        let src = src.here();
        if self.filter.spin > 0 {
            fixture::spin(&self.device, self.filter.spin, stream);
        }
        if self.filter.fails_at == Some(props.frame_index) {
            let shape = LaunchConfig { grid: [0, 0, 0], block: [0, 0, 0], shared: 0 };
            // SAFETY: nothing is launched in this shape.
            unsafe { self.xor.launch(shape, &[at(&0u64)], stream) }?;
        }
        for (from, to) in src.iter().zip(dst.iter()) {
            let value = self.filter.value.wrapping_add(props.frame_index as u8);
            fixture::xor(&self.xor, *from, *to, value.into(), stream);
        }
        Ok(())
    }
}

/// A plan of `filters` on 8-bit 4:2:0 frames of a size with odd planes.
fn plan(filters: &[Xor]) -> ChainPlan {
    plan_for(&StreamInfo::bare(Format::yuv(1, 1, 8).unwrap(), 131, 67), filters)
}

/// A plan of `filters` on 8-bit planar frames.
pub fn plan_for(info: &StreamInfo, filters: &[Xor]) -> ChainPlan {
    let info = info.clone();
    let setup = Setup::of(info.clone(), info.format, info.clone(), info.format);
    let kernel = |filter: &Xor| (Box::new(filter.clone()) as Box<dyn Filter>, setup.clone());
    ChainPlan::linear(info.clone(), info, filters.iter().map(kernel).collect())
}

/// Random frames, some in page-locked memory, some in the heap and some a library's; a packet after every third.
pub struct Clip {
    info: StreamInfo,
    /// Page-locked pictures, all made before the run.
    pinned: Option<PicturePool>,
    frames: u64,
    next: u64,
    packet_due: bool,
}

impl Clip {
    pub fn new(info: &StreamInfo, frames: u64, pinned: Option<&Arc<CudaDevice>>) -> Clip {
        let pinned = pinned.map(|device| {
            let allocator = Arc::new(PinnedAllocator::new(device));
            PicturePool::new_in(allocator, frames as usize, info.format, info.width, info.height).unwrap()
        });
        Clip { info: info.clone(), pinned, frames, next: 0, packet_due: false }
    }

    fn picture(&self) -> Picture {
        let StreamInfo { format, width, height, .. } = self.info;
        let pinned = self.pinned.as_ref().filter(|_| self.next.is_multiple_of(2));
        let mut picture = match pinned {
            Some(pinned) => pinned.take().unwrap(),
            None => Picture::alloc(format, width, height).unwrap(),
        };
        fixture::fill(&mut picture, self.next);
        if self.next % 5 == 1 { fixture::foreign_copy(&picture) } else { picture }
    }
}

impl Source for Clip {
    fn info(&self) -> &StreamInfo {
        &self.info
    }

    fn next(&mut self) -> Result<Option<Item>> {
        if std::mem::take(&mut self.packet_due) {
            return Ok(Some(Item::Packet(Packet(Box::new(self.next)))));
        }
        if self.next == self.frames {
            return Ok(None);
        }
        let picture = self.picture();
        let props = FrameProps { frame_index: self.next, pts: Some(self.next as i64 * 7), ..FrameProps::default() };
        self.next += 1;
        self.packet_due = self.next.is_multiple_of(3);
        Ok(Some(Item::Frame(Frame { props, picture })))
    }

    fn damage(&self) -> Option<Error> {
        None
    }
}

/// Keeps what it gets, or fails at a frame.
#[derive(Default)]
pub struct Kept {
    pub frames: Vec<Frame>,
    /// Frames before each packet, and what the packet says.
    packets: Vec<(u64, u64)>,
    fails_at: Option<u64>,
    /// The picture that a slow encoder still holds.
    pause: Duration,
    finished: bool,
}

impl Sink for Kept {
    fn frame(&mut self, frame: Frame) -> Result<()> {
        std::thread::sleep(self.pause);
        if self.fails_at == Some(frame.props.frame_index) {
            return Err(Error::new(Kind::Io, "the disk is full"));
        }
        self.frames.push(frame);
        Ok(())
    }

    fn packet(&mut self, packet: Packet) -> Result<()> {
        self.packets.push((self.frames.len() as u64, *packet.0.downcast::<u64>().unwrap()));
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        self.finished = true;
        Ok(())
    }

    fn bytes(&self) -> u64 {
        0
    }
}

/// Runs `source` through `chain` into `sink`.
pub fn run(
    plan: &ChainPlan,
    chain: &mut dyn pipeline::Chain,
    source: &mut dyn Source,
    sink: &mut Kept,
) -> Result<Summary> {
    let options = Options { slots: 3, cancel: Cancel::default() };
    pipeline::run(source, plan, chain, sink, &options, &mut |_| {}).map(|(summary, _)| summary)
}

fn cpu_frames(plan: &ChainPlan, frames: u64) -> Kept {
    let mut chain = CpuChain::reference(plan).unwrap();
    let mut kept = Kept::default();
    run(plan, &mut chain, &mut Clip::new(&plan.input, frames, None), &mut kept).unwrap();
    kept
}

#[test]
fn frames_are_those_of_the_cpu_whatever_the_slots() {
    let Some(device) = device() else { return };
    for filters in 0..=4u8 {
        let filters: Vec<_> = (0..filters).map(|i| Xor::new(11 + 50 * i)).collect();
        let plan = plan(&filters);
        let expected = cpu_frames(&plan, 23);
        assert_eq!(expected.packets.len(), 7);
        for slots in [1, 2, 3, 8] {
            let mut chain = CudaChain::new(&plan, &device, slots).unwrap();
            let mut kept = Kept::default();
            let summary = run(&plan, &mut chain, &mut Clip::new(&plan.input, 23, Some(&device)), &mut kept).unwrap();
            let what = format!("{} filters, {slots} slots", filters.len());
            assert!(kept.finished && summary.frames == 23, "{what}");
            assert_eq!(kept.packets, expected.packets, "{what}");
            assert_eq!(summary.filters.len(), filters.len());
            assert_eq!(summary.busy.upload > Duration::ZERO, !filters.is_empty(), "{what}");
            for (got, want) in kept.frames.iter().zip(&expected.frames) {
                assert_eq!(got.props, want.props, "{what}");
                fixture::assert_same(&got.picture, &want.picture, &format!("{what}, frame {}", want.props.frame_index));
            }
        }
    }
}

/// Frames wait while the device is behind, and are then made several at a time, with other filters before and behind.
#[test]
fn frames_that_have_arrived_are_made_together() {
    let Some(device) = device() else { return };
    let several = Xor { batch: 3, spin: 10_000_000, ..Xor::new(60) };
    let plan = plan(&[Xor::new(5), several.clone(), Xor::new(7)]);
    let expected = cpu_frames(&plan, 23);
    let mut chain = CudaChain::new(&plan, &device, 3).unwrap();
    let mut kept = Kept::default();
    let summary = run(&plan, &mut chain, &mut Clip::new(&plan.input, 23, Some(&device)), &mut kept).unwrap();
    assert_eq!((summary.frames, &kept.packets), (23, &expected.packets));
    for (got, want) in kept.frames.iter().zip(&expected.frames) {
        assert_eq!(got.props, want.props);
        fixture::assert_same(&got.picture, &want.picture, &format!("frame {}", want.props.frame_index));
    }
    let batches = several.batches.lock().unwrap();
    assert!(batches.contains(&3) && batches.iter().all(|batch| *batch <= 3), "{batches:?}");
}

/// A source that gives a frame only when the one before has left: who waited for more would wait for ever.
#[test]
fn frames_are_not_waited_for() {
    struct Lockstep(Clip, Receiver<()>);

    impl Source for Lockstep {
        fn info(&self) -> &StreamInfo {
            self.0.info()
        }

        fn next(&mut self) -> Result<Option<Item>> {
            let item = self.0.next()?;
            if matches!(&item, Some(Item::Frame(frame)) if frame.props.frame_index > 0) {
                let gone = self.1.recv_timeout(Duration::from_secs(20));
                gone.map_err(|_| Error::internal("the frame before is being kept"))?;
            }
            Ok(item)
        }

        fn damage(&self) -> Option<Error> {
            None
        }
    }

    struct Telling(Kept, Sender<()>);

    impl Sink for Telling {
        fn frame(&mut self, frame: Frame) -> Result<()> {
            self.0.frame(frame)?;
            // The source is gone once it has no more frames.
            let _ = self.1.send(());
            Ok(())
        }

        fn packet(&mut self, packet: Packet) -> Result<()> {
            self.0.packet(packet)
        }

        fn finish(&mut self) -> Result<()> {
            self.0.finish()
        }

        fn bytes(&self) -> u64 {
            0
        }
    }

    let Some(device) = device() else { return };
    let several = Xor { batch: 8, ..Xor::new(60) };
    let plan = plan(std::slice::from_ref(&several));
    let expected = cpu_frames(&plan, 9);
    let mut chain = CudaChain::new(&plan, &device, 8).unwrap();
    let (tell, gone) = channel();
    let (mut source, mut sink) = (Lockstep(Clip::new(&plan.input, 9, None), gone), Telling(Kept::default(), tell));
    pipeline::run(&mut source, &plan, &mut chain, &mut sink, &Options::default(), &mut |_| {}).unwrap();
    let Telling(kept, _) = sink;
    assert_eq!((kept.frames.len(), &kept.packets), (9, &expected.packets));
    assert!(several.batches.lock().unwrap().is_empty());
}

#[test]
fn a_chain_runs_again() {
    let Some(device) = device() else { return };
    let plan = plan(&[Xor::new(1), Xor::new(2)]);
    let expected = cpu_frames(&plan, 9);
    let mut chain = CudaChain::new(&plan, &device, 2).unwrap();
    for _ in 0..2 {
        let mut kept = Kept::default();
        run(&plan, &mut chain, &mut Clip::new(&plan.input, 9, Some(&device)), &mut kept).unwrap();
        for (got, want) in kept.frames.iter().zip(&expected.frames) {
            fixture::assert_same(&got.picture, &want.picture, "the same chain");
        }
    }
}

#[test]
fn a_slow_sink_holds_frames_back_without_harm() {
    let Some(device) = device() else { return };
    let plan = plan(&[Xor::new(9)]);
    let expected = cpu_frames(&plan, 12);
    let mut chain = CudaChain::new(&plan, &device, 2).unwrap();
    let mut kept = Kept { pause: Duration::from_millis(5), ..Kept::default() };
    run(&plan, &mut chain, &mut Clip::new(&plan.input, 12, Some(&device)), &mut kept).unwrap();
    for (got, want) in kept.frames.iter().zip(&expected.frames) {
        fixture::assert_same(&got.picture, &want.picture, "a slow sink");
    }
}

#[test]
fn a_refused_launch_names_the_frame_and_ends_the_run() {
    let Some(device) = device() else { return };
    let plan = plan(&[Xor::new(9), Xor { fails_at: Some(7), ..Xor::new(1) }]);
    let mut chain = CudaChain::new(&plan, &device, 3).unwrap();
    let mut kept = Kept::default();
    let error = run(&plan, &mut chain, &mut Clip::new(&plan.input, 40, Some(&device)), &mut kept).unwrap_err();
    assert_eq!(error.message(), "frame 7: xor: launching a kernel: CUDA_ERROR_INVALID_VALUE");
    assert_eq!(error.kind(), Kind::Device);
    assert!(!kept.finished && kept.frames.len() <= 7);
}

#[test]
fn a_sink_that_fails_while_frames_are_in_flight_ends_the_run() {
    let Some(device) = device() else { return };
    let plan = plan(&[Xor { spin: 2_000_000, ..Xor::new(9) }]);
    let mut chain = CudaChain::new(&plan, &device, 4).unwrap();
    let mut kept = Kept { fails_at: Some(3), ..Kept::default() };
    let error = run(&plan, &mut chain, &mut Clip::new(&plan.input, 40, Some(&device)), &mut kept).unwrap_err();
    assert_eq!(error.message(), "the disk is full");
    assert!(!kept.finished);
}

#[test]
fn frames_that_do_not_fit_the_budget_are_refused_up_front() {
    let Some(device) = own_device() else { return };
    let plan = plan(&[Xor::new(9)]);
    device.set_budget(100_000);
    let error = CudaChain::new(&plan, &device, 8).map(drop).unwrap_err();
    assert_eq!(error.kind(), Kind::OutOfMemory);
    assert!(error.message().starts_with("8 slots for 131x67 frames need 1 MiB on "), "{error}");
    assert_eq!(device.memory().unwrap().used, 0, "nothing was allocated");
    CudaChain::new(&plan, &device, 1).unwrap();
}

#[test]
fn a_filter_without_kernels_is_named() {
    #[derive(Debug)]
    struct CpuOnly(Xor);

    impl Filter for CpuOnly {
        fn descriptor(&self) -> &'static Descriptor {
            self.0.descriptor()
        }
        fn call(&self) -> Call {
            self.0.call()
        }
        fn spec(&self, inputs: &[StreamInfo]) -> Result<Spec> {
            self.0.spec(inputs)
        }
        fn reference(&self, setup: &Setup) -> Result<Box<dyn CpuKernel>> {
            self.0.reference(setup)
        }
        fn cpu(&self, setup: &Setup, level: CpuLevel) -> Result<Box<dyn CpuKernel>> {
            self.0.cpu(setup, level)
        }
    }

    let Some(device) = device() else { return };
    let mut plan = plan(&[Xor::new(9)]);
    plan.stages[0].filter = Box::new(CpuOnly(Xor::new(9)));
    let error = CudaChain::new(&plan, &device, 1).unwrap().prepare(&plan).unwrap_err();
    assert_eq!((error.kind(), error.message()), (Kind::Unsupported, "xor: does not run on CUDA"));
}
