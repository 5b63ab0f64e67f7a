//! The two videos: opened, brought to one format, and read each on threads of its own.

use crate::cli::args::RunsOn;
use crate::cli::backend::{Backend, RunGpu};
use crate::cli::compare::args::CompareArgs;
use crate::cli::compare::banding;
use crate::cli::setup;
use crate::error::{Error, Kind, Result};
use crate::filters;
use crate::io::Hash;
use crate::io::hash::Streams;
use crate::io::libav::{CopyChoice, DecoderChoice, Input, InputOptions, Window, coded, is_script, passing};
use crate::params::Call;
use crate::pipeline::{self, Cancel, ChainPlan, Frame, Options, Packet, Sink, Source, Target, plan};
use crate::video::{Range, StreamInfo};
use crossbeam_channel::Sender;
use std::ffi::OsStr;
use std::thread;

/// One of the videos, ready to be read.
pub struct Video {
    /// As messages name it.
    pub name: String,
    /// Where frames come from.
    pub input: Input,
    /// Whether it has alpha, which is not compared.
    pub alpha_ignored: bool,
    /// What happens to them first.
    pub plan: ChainPlan,
    /// The streams beside its frames, where they are compared.
    pub streams: Option<Streams>,
    chain: Backend,
    slots: usize,
}

/// What a video's thread reports.
pub enum VideoEvent {
    /// The next frame.
    Frame(Frame),
    /// There are no more, because of an error or else, perhaps after damage.
    End(Result<Option<Error>>),
}

/// The filters of A and of B, tried before any file is opened.
pub fn chains(args: &CompareArgs) -> Result<[Vec<Call>; 2]> {
    let parse = |texts: &[String]| -> Result<Vec<Call>> {
        let mut calls = Vec::new();
        for text in texts {
            calls.extend(filters::read_chain(text)?);
        }
        calls.extend(args.banding.then(banding::call));
        calls.iter().try_for_each(|call| filters::create(call).map(drop))?;
        Ok(calls)
    };
    Ok([parse(&args.chain_a)?, parse(&args.chain_b)?])
}

/// What `args` ask of sources of some kinds.
fn for_kinds(args: &CompareArgs) -> InputOptions {
    InputOptions { missing: args.pictures.missing.into(), script: args.script.options(), ..InputOptions::default() }
}

/// Opens both videos at the same time (they may be pipes of one writer), and plans them to end in the same components.
///
/// # Errors
/// When one cannot be opened, or they cannot be compared.
pub fn open(args: &CompareArgs, chains: &[Vec<Call>; 2], cancel: &Cancel) -> Result<[Video; 2]> {
    let open = |path: &OsStr| {
        let options = InputOptions {
            window: args.window(),
            strict: args.strict,
            decoder: DecoderChoice::Software,
            threads: args.decoder_threads,
            cancel: cancel.clone(),
            rate: args.pictures.fps,
            rate_if_taken: true,
            lenient: true,
            copy: if args.no_streams { CopyChoice::NONE } else { CopyChoice::ALL },
            ..for_kinds(args)
        };
        // The other may wait for a pipe that nobody will write now.
        Input::open(path, options).inspect_err(|_| cancel.request())
    };
    let gpu = RunGpu::open(&args.on, DecoderChoice::Software, &chains.concat())?;
    let (a, b) = match [&args.a, &args.b].into_iter().any(|path| is_script(path)) {
        // A script runs in its own folder, which is then the process's.
        true => (open(&args.a), open(&args.b)),
        false => thread::scope(|scope| {
            let b = scope.spawn(|| open(&args.b));
            (open(&args.a), b.join().unwrap_or_else(|_| Err(Error::internal("opening a video panicked"))))
        }),
    };
    let (a, b) = match (a, b) {
        (Err(a), Err(b)) => return Err(cause(a, b)),
        (a, b) => (a?, b?),
    };
    if args.pictures.fps.is_some() && !a.takes_rate() && !b.takes_rate() {
        let what = "both videos have times of their own: --fps is for pictures and for bare streams";
        return Err(Error::bad_argument(what));
    }
    Input::check_used([&a, &b], &for_kinds(args))?;
    let names = [&args.a, &args.b].map(|path| match path.to_str() {
        Some("-") => "standard input".to_owned(),
        _ => path.display().to_string(),
    });
    let plans = alike([a.info(), b.info()], chains, &names)?;
    let [plan_a, plan_b] = plans;
    let [name_a, name_b] = names;
    Ok([Video::new(name_a, a, plan_a, args, &gpu)?, Video::new(name_b, b, plan_b, args, &gpu)?])
}

/// Of two errors the one that did not follow from the other.
pub fn cause(a: Error, b: Error) -> Error {
    if a.kind() == Kind::Cancelled { b } else { a }
}

/// Plans both chains, the shallower result widened to the depth of the other.
fn alike(inputs: [&StreamInfo; 2], chains: &[Vec<Call>; 2], names: &[String; 2]) -> Result<[ChainPlan; 2]> {
    let plan = |i: usize, target| -> Result<ChainPlan> {
        let filters = chains[i].iter().map(filters::create).collect::<Result<_>>()?;
        plan(filters, inputs[i], target).map_err(|e| e.context(&names[i]))
    };
    let plans = [plan(0, Target::default())?, plan(1, Target::default())?];
    check_alike([&plans[0].output, &plans[1].output], names)?;
    let formats = [0, 1].map(|i| plans[i].output.format);
    let deepest = formats[0].bit_depth().max(formats[1].bit_depth());
    let [a, b] = plans;
    let widen = |i: usize, planned: ChainPlan| match formats[i] {
        format if format.bit_depth() == deepest => Ok(planned),
        format => plan(i, Target { format: Some(format.to_planar(deepest)?), ..Target::default() }),
    };
    Ok([widen(0, a)?, widen(1, b)?])
}

fn check_alike([a, b]: [&StreamInfo; 2], names: &[String; 2]) -> Result<()> {
    let differ = |a: String, b: String, what: &str| {
        let [name_a, name_b] = names;
        Err(Error::unsupported(format!("{name_a} has {a} and {name_b} {b}: {what}")))
    };
    if (a.width, a.height) != (b.width, b.height) {
        let size = |info: &StreamInfo| format!("{}x{} frames", info.width, info.height);
        return differ(size(a), size(b), "only frames of one size can be compared");
    }
    let components = |info: &StreamInfo| (info.format.model(), info.format.component_size(1, 64, 64));
    if components(a) != components(b) {
        let format = |info: &StreamInfo| info.format.to_string();
        return differ(format(a), format(b), "only formats of the same components and subsampling can be compared");
    }
    if (a.color.range == Range::Full) != (b.color.range == Range::Full) {
        log::warn!("one video has full range and the other has not: what differs is code values, not light");
    }
    Ok(())
}

impl Video {
    fn new(name: String, mut input: Input, plan: ChainPlan, args: &CompareArgs, gpu: &RunGpu) -> Result<Video> {
        log::debug!("{name}: {}", input.describe());
        let alpha_ignored = args.alpha.check(&input, &name)?;
        let chain = if plan.stages.is_empty() {
            Backend::new(&plan, &mut input, &RunsOn { threads: 1, ..args.on.clone() }, &RunGpu::default())
        } else {
            Backend::new(&plan, &mut input, &args.on, gpu)
        };
        let chain = chain?.ok_or_else(|| Error::internal("frames that are compared are not on a GPU"))?;
        log::debug!("{name}: {chain}");
        let passing = || passing(input.container(), input.copied_streams(), Hash::Xxh3);
        let streams = (!args.no_streams).then(|| Streams::new(Hash::Xxh3, passing(), coded));
        Ok(Video { name, input, alpha_ignored, plan, streams, chain, slots: usize::from(args.on.slots) })
    }

    /// The stream that is compared.
    pub fn info(&self) -> &StreamInfo {
        &self.plan.output
    }

    /// How many frames of `part` there will be, where that is known or can be estimated.
    pub fn expected_frames(&self, part: &Window) -> Option<u64> {
        setup::expected_frames(self.input.info(), self.input.duration(), part)
    }

    /// Reads and filters every frame into `out`, and says how it ended. Stops when `out` is closed.
    pub fn read(&mut self, out: &Sender<VideoEvent>, cancel: &Cancel) {
        let options = Options { slots: self.slots, cancel: cancel.clone() };
        let source: &mut dyn Source = &mut self.input;
        let mut feed = ComparisonFeed { out, streams: &mut self.streams };
        let ran = pipeline::run(source, &self.plan, &mut self.chain, &mut feed, &options, &mut |_| {});
        // With nobody to listen, the comparison has ended and says why.
        let _ = out.send(VideoEvent::End(ran.map(|(_, damage)| damage)));
    }
}

/// Hands frames to the comparison, and keeps what packets are.
struct ComparisonFeed<'a> {
    out: &'a Sender<VideoEvent>,
    streams: &'a mut Option<Streams>,
}

impl Sink for ComparisonFeed<'_> {
    fn frame(&mut self, frame: Frame) -> Result<()> {
        self.out.send(VideoEvent::Frame(frame)).map_err(|_| Error::new(Kind::Cancelled, "the comparison has ended"))
    }

    fn packet(&mut self, packet: Packet) -> Result<()> {
        self.streams.iter_mut().for_each(|streams| streams.take(&packet));
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        Ok(())
    }

    fn bytes(&self) -> u64 {
        0
    }
}
