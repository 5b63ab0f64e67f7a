//! Frames that stay in GPU memory for an encoder: what it would read there is what the CPU makes. The proof needs no
//! encoder: the frames are taken back from libav's hands.

use crate::chain::{Clip, Kept, Xor, plan_for};
use crate::clips::Folder;
use crate::fixture;
use crate::gate::{device, own_device};
use std::collections::VecDeque;
use std::sync::Arc;
use vramp::device::cpu::{CpuExec, CpuLevel};
use vramp::device::cuda::CudaDevice;
use vramp::error::{Kind, Result};
use vramp::filters;
use vramp::io::libav::{
    self, Container, CopyChoice, DecoderChoice, EncoderChoice, Input, InputOptions, Output, OutputOptions, Readback,
    Window,
};
use vramp::pipeline::{
    self, Chain, ChainPlan, CpuChain, CudaChain, DeviceFrame, Frame, Options, Packet, Sink, Source, Target,
};
use vramp::video::StreamInfo;

const FRAMES: u64 = 40;

fn open(decoder: DecoderChoice, device: Option<&Arc<CudaDevice>>) -> Input {
    let folder = std::env::var("VRAMP_SAMPLES").unwrap_or_else(|_| format!("{}/samples", env!("CARGO_MANIFEST_DIR")));
    let window = Window { frames: Some(FRAMES), ..Window::default() };
    let options =
        InputOptions { decoder, device: device.cloned(), window, copy: CopyChoice::NONE, ..InputOptions::default() };
    Input::open(&format!("{folder}/big-buck-bunny-720p.mp4"), options).unwrap()
}

fn run(
    plan: &ChainPlan,
    chain: &mut dyn Chain,
    source: &mut dyn Source,
    sink: &mut dyn Sink,
    slots: usize,
) -> Result<()> {
    pipeline::run(source, plan, chain, sink, &Options { slots, ..Options::default() }, &mut |_| {}).map(drop)
}

/// A sink that holds so many frames back, as an encoder does.
struct Holding {
    held: VecDeque<DeviceFrame>,
    most: usize,
    sink: Readback<Kept>,
}

impl Sink for Holding {
    fn frame(&mut self, frame: Frame) -> Result<()> {
        self.sink.frame(frame)
    }

    fn device_frame(&mut self, frame: DeviceFrame) -> Result<()> {
        self.held.push_back(frame);
        match self.held.len() > self.most {
            true => self.held.pop_front().map_or(Ok(()), |frame| self.sink.device_frame(frame)),
            false => Ok(()),
        }
    }

    fn packet(&mut self, packet: Packet) -> Result<()> {
        self.sink.packet(packet)
    }

    fn finish(&mut self) -> Result<()> {
        while let Some(frame) = self.held.pop_front() {
            self.sink.device_frame(frame)?;
        }
        self.sink.finish()
    }

    fn bytes(&self) -> u64 {
        0
    }
}

/// The frames of `source` that an encoder would read in GPU memory, through a chain of `slots` slots.
fn readback(plan: &ChainPlan, source: &mut dyn Source, device: &Arc<CudaDevice>, slots: usize, most: usize) -> Kept {
    let sink = Readback::new(device, &plan.output, Kept::default()).unwrap();
    let mut sink = Holding { held: VecDeque::new(), most, sink };
    run(plan, &mut CudaChain::new(plan, device, slots).unwrap(), source, &mut sink, slots).unwrap();
    sink.sink.into_inner()
}

fn assert_same(got: &Kept, want: &Kept, what: &str) {
    assert_eq!(got.frames.len(), want.frames.len(), "{what}");
    for (got, want) in got.frames.iter().zip(&want.frames) {
        assert_eq!(got.props, want.props, "{what}");
        fixture::assert_same(&got.picture, &want.picture, &format!("{what}, frame {}", want.props.frame_index));
    }
}

#[test]
fn what_an_encoder_would_read_is_what_the_cpu_makes() {
    let Some(device) = device() else { return };
    for (width, height) in [(320, 192), (131, 67)] {
        let info = StreamInfo::bare("yuv444p".parse().unwrap(), width, height);
        for filters in [&[Xor::new(3)][..], &[Xor::new(3), Xor::new(90), Xor::new(7)]] {
            let plan = || plan_for(&info, filters);
            let mut expected = Kept::default();
            let mut reference = CpuChain::reference(&plan()).unwrap();
            run(&plan(), &mut reference, &mut Clip::new(&info, FRAMES, None), &mut expected, 2).unwrap();
            for (slots, most) in [(1, 0), (1, 9), (3, 4), (8, 0), (8, 25)] {
                let what = format!("{width}x{height}, {} filters, {slots} slots, {most} held", filters.len());
                let mut source = Clip::new(&info, FRAMES, Some(&device));
                assert_same(&readback(&plan().staying(), &mut source, &device, slots, most), &expected, &what);
            }
        }
    }
}

/// Decoder to encoder without the host.
#[test]
fn decoded_frames_stay_on_the_card_to_the_end() {
    let Some(device) = device() else { return };
    for (chain, format) in [("", "nv12"), ("deband=range=16:sample=2", "p010"), ("deband,depth=8:dither=blue", "nv12")]
    {
        let plan = |input: &Input| {
            let target = Target { format: Some(format.parse().unwrap()), ..Target::default() };
            pipeline::plan(filters::chain(chain).unwrap(), input.info(), target).unwrap()
        };
        let mut input = open(DecoderChoice::Software, None);
        let (planned, mut expected) = (plan(&input), Kept::default());
        let mut cpu = CpuChain::new(&planned, CpuExec::new(0, CpuLevel::detect()).unwrap()).unwrap();
        run(&planned, &mut cpu, &mut input, &mut expected, 2).unwrap();

        let mut input = open(DecoderChoice::Software, None);
        let staying = plan(&input).staying();
        assert_same(&readback(&staying, &mut input, &device, 3, 5), &expected, &format!("uploaded, '{chain}'"));
        let mut input = open(DecoderChoice::Nvdec, Some(&device));
        let resident = plan(&input).resident(input.surfaces().unwrap()).unwrap().staying();
        assert_same(&readback(&resident, &mut input, &device, 3, 5), &expected, &format!("from NVDEC, '{chain}'"));
    }
}

#[test]
fn results_that_stay_keep_to_the_budget() {
    let Some(device) = own_device() else { return };
    let info = StreamInfo::bare("yuv444p".parse().unwrap(), 640, 360);
    let plan = plan_for(&info, &[Xor::new(1)]).staying();
    device.set_budget(1 << 20);
    let error = CudaChain::new(&plan, &device, 4).map(drop).unwrap_err();
    assert_eq!(error.kind(), Kind::OutOfMemory);
    assert_eq!(device.memory().unwrap().used, 0, "nothing was allocated");
    // Enough for the chain, not for an encoder that keeps everything.
    device.set_budget(8 << 20);
    let mut chain = CudaChain::new(&plan, &device, 1).unwrap();
    let sink = Readback::new(&device, &plan.output, Kept::default()).unwrap();
    let mut sink = Holding { held: VecDeque::new(), most: usize::MAX, sink };
    let error = run(&plan, &mut chain, &mut Clip::new(&info, FRAMES, None), &mut sink, 1).unwrap_err();
    assert_eq!(error.kind(), Kind::OutOfMemory, "{error}");
}

#[test]
fn a_sink_of_host_frames_refuses_those_that_stayed() {
    let Some(device) = device() else { return };
    let info = StreamInfo::bare("yuv444p".parse().unwrap(), 64, 32);
    let plan = plan_for(&info, &[Xor::new(1)]).staying();
    let mut chain = CudaChain::new(&plan, &device, 2).unwrap();
    let error = run(&plan, &mut chain, &mut Clip::new(&info, 9, None), &mut Kept::default(), 2).unwrap_err();
    assert_eq!(error.message(), "frame 0 stayed in GPU memory, where nobody reads it");
}

/// An output of `info` by `encoder`, whose frames are on `device` or the host.
fn output(path: &str, encoder: &str, info: &StreamInfo, device: Option<&Arc<CudaDevice>>) -> Result<Output> {
    let codec = Some(encoder.to_owned());
    let options = OutputOptions { codec, device: device.cloned(), overwrite: true, ..OutputOptions::default() };
    let choice: EncoderChoice = libav::choose_encoder(path, &options)?;
    Output::create(path, choice, &options, info, &Container::default(), &[])
}

/// Needs no device: from the host as from GPU memory.
#[test]
fn a_card_without_an_encoder_is_refused_naming_encoders_that_work() {
    let folder = Folder::new("nvenc");
    let path = folder.file("out.mp4");
    let info = StreamInfo::bare("nv12".parse().unwrap(), 640, 368);
    for encoder in ["h264_nvenc", "hevc_nvenc"].into_iter().filter(|name| libav::has_encoder(name)) {
        for device in [None, device()] {
            let Err(error) = output(&path, encoder, &info, device.as_ref()) else {
                println!("{encoder}: this card has one");
                continue;
            };
            assert_eq!(error.kind(), Kind::Unsupported, "{error}");
            let message = error.message();
            assert!(message.starts_with(encoder) && !message.contains('\n'), "{message}");
            assert!(message.ends_with("(libx264, libx265 and libsvtav1 encode without a GPU)"), "{message}");
            assert!(!std::path::Path::new(&path).exists());
        }
    }
}

#[test]
fn an_encoder_of_host_frames_refuses_a_device() {
    let Some(device) = device() else { return };
    let folder = Folder::new("x264");
    let info = StreamInfo::bare("nv12".parse().unwrap(), 640, 368);
    let error = output(&folder.file("out.mp4"), "libx264", &info, Some(&device)).err().unwrap();
    assert_eq!(error.message(), "libx264 does not read nv12 in GPU memory");
}

/// Where there is an encoder, its frames decode to about what went in.
#[test]
fn nvenc_encodes_what_stays() {
    let Some(device) = device() else { return };
    let folder = Folder::new("encoded");
    let path = folder.file("out.mp4");
    let mut input = open(DecoderChoice::Nvdec, Some(&device));
    let target = Target { format: Some("nv12".parse().unwrap()), ..Target::default() };
    let plan = pipeline::plan(filters::chain("deband").unwrap(), input.info(), target).unwrap();
    let plan = plan.resident(input.surfaces().unwrap()).unwrap().staying();
    let mut sink = match output(&path, "h264_nvenc", &plan.output, Some(&device)) {
        Ok(sink) => sink,
        Err(error) => return println!("skipped: NVENC: {error}"),
    };
    run(&plan, &mut CudaChain::new(&plan, &device, 3).unwrap(), &mut input, &mut sink, 3).unwrap();
    drop(sink);
    let whole = InputOptions { copy: CopyChoice::NONE, ..InputOptions::default() };
    let (mut coded, mut source) = (Input::open(&path, whole).unwrap(), open(DecoderChoice::Software, None));
    let frames = |input: &mut Input| {
        let planned = pipeline::plan(Vec::new(), input.info(), Target::default()).unwrap();
        let mut kept = Kept::default();
        let mut chain = CpuChain::new(&planned, CpuExec::new(1, CpuLevel::detect()).unwrap()).unwrap();
        run(&planned, &mut chain, input, &mut kept, 2).unwrap();
        kept.frames
    };
    let (coded, source) = (frames(&mut coded), frames(&mut source));
    assert_eq!(coded.len(), source.len());
    for (coded, source) in coded.iter().zip(&source) {
        let (a, b) = (coded.picture.planes(), source.picture.planes());
        let row = |y: usize| (0..a[0].width()).map(move |x| a[0].get(x, y).abs_diff(b[0].get(x, y)) as usize);
        let total: usize = (0..a[0].height()).flat_map(row).sum();
        let mean = total as f64 / (a[0].width() * a[0].height()) as f64;
        assert!(mean < 6.0, "frame {} is {mean} off on average", source.props.frame_index);
    }
}
