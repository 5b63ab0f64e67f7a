//! Frames around a part: read for filters whose windows reach beyond it, and never given.

use crate::media::*;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use vramp::device::cpu::{CpuExec, CpuLevel};
use vramp::error::Result;
use vramp::filters::{self, CpuJob, CpuKernel, Descriptor, Filter, Reach, Setup, Spec};
use vramp::io::Hash;
use vramp::io::libav::{CopiedPacket, Input, InputOptions, Position, Window};
use vramp::params::Call;
use vramp::pipeline::{self, CpuChain, Frame, Options, Packet, Sink, Target};
use vramp::video::StreamInfo;

/// Windows that are tried on each clip.
const TRIES: u32 = 10;

/// As in seek.rs.
const LEAD: usize = 8;

/// Mixes every frame of its window, each with a factor of its own.
#[derive(Clone, Copy, Debug)]
struct Mix(Reach);

impl Filter for Mix {
    fn descriptor(&self) -> &'static Descriptor {
        filters::find("box").unwrap()
    }

    fn call(&self) -> Call {
        filters::chain("box").unwrap()[0].call()
    }

    fn spec(&self, inputs: &[StreamInfo]) -> Result<Spec> {
        Ok(Spec::computed(inputs[0].clone()).reading(self.0))
    }

    fn reference(&self, _: &Setup) -> Result<Box<dyn CpuKernel>> {
        Ok(Box::new(*self))
    }

    fn cpu(&self, setup: &Setup, _: CpuLevel) -> Result<Box<dyn CpuKernel>> {
        self.reference(setup)
    }
}

impl CpuKernel for Mix {
    fn run(&mut self, mut job: CpuJob<'_>) {
        let offsets = -(self.0.before as isize)..=self.0.after as isize;
        for component in 0..job.dst.len() {
            let dst = job.dst.get_mut(component);
            let (width, height) = (dst.width(), dst.height());
            for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
                let term =
                    |offset: isize| job.src.at(0, offset)[component].get(x, y).wrapping_mul(2 * offset as i32 + 31);
                dst.set(x, y, offsets.clone().map(term).sum::<i32>() & 0xff);
            }
        }
    }

    fn path(&self) -> &'static str {
        "reference"
    }
}

/// The results: each frame's index, time and hash, and the packets past the chain.
#[derive(Default, Debug, PartialEq)]
struct Listed {
    frames: Vec<(u64, Option<i64>, String)>,
    packets: Vec<String>,
}

impl Sink for Listed {
    fn frame(&mut self, frame: Frame) -> Result<()> {
        assert!(!frame.props.context, "frame {} is given", frame.props.frame_index);
        self.frames.push((frame.props.frame_index, frame.props.pts, Hash::Md5.of(&frame.picture)));
        Ok(())
    }

    fn packet(&mut self, packet: Packet) -> Result<()> {
        let CopiedPacket { stream, packet, .. } = *packet.0.downcast().unwrap();
        self.packets.push(format!("{stream} {:?} {:?} {}", packet.pts(), packet.dts(), packet.duration()));
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        Ok(())
    }

    fn bytes(&self) -> u64 {
        0
    }
}

/// What `reaches`, a filter each, make of a part of `path`, and how many frames the decoder gave for it.
fn run(path: &str, options: InputOptions, reaches: &[Reach]) -> (Listed, usize) {
    let mut input = Input::open(path, options).unwrap();
    let chain = reaches.iter().map(|reach| Box::new(Mix(*reach)) as Box<dyn Filter>).collect();
    let target = Target { format: Some(input.info().format), ..Target::default() };
    let plan = pipeline::plan(chain, input.info(), target).unwrap();
    let exec = CpuExec::new(1, CpuLevel::Portable).unwrap();
    let (mut chain, mut listed) = (CpuChain::new(&plan, exec).unwrap(), Listed::default());
    let count = input.info().frame_count;
    pipeline::run(&mut input, &plan, &mut chain, &mut listed, &Options::default(), &mut |_| {}).unwrap();
    assert_eq!(input.info().frame_count, count, "frames around a part do not count");
    (listed, input.frames_decoded() as usize)
}

/// Asserts that parts of `path` hold the frames of a whole run, with the packets that they have without any filter. No more
/// than `lead` frames are decoded for a part besides those that are read; `None`: all before it.
fn check(path: &str, lead: Option<usize>) {
    let reach = |before, after| Reach { before, after };
    let chains: [&[Reach]; 4] =
        [&[reach(1, 1)], &[reach(3, 0)], &[reach(0, 2)], &[reach(2, 1), reach(0, 0), reach(1, 3)]];
    let wholes = chains.map(|chain| run(path, frames_only(), chain).0.frames);
    let count = wholes[0].len();
    assert!(count > 60, "{path}: {count} frames");
    let config = Config { cases: TRIES, failure_persistence: None, ..Config::default() };
    let windows = (0..count, 1..12usize, any::<bool>(), 0..chains.len(), any::<bool>());
    let tried = TestRunner::new(config).run(&windows, |(start, length, counted, chain, copied)| {
        let end = (start + length).min(count);
        let at = |at: usize| (at > 0).then_some(Position::Frame(at as u64));
        let window = match counted {
            true => Window { start: at(start), end: None, frames: Some(length as u64) },
            false => Window { start: at(start), end: at(end), frames: None },
        };
        let options = InputOptions { window, ..if copied { InputOptions::default() } else { frames_only() } };
        let (got, decoded) = run(path, options.clone(), chains[chain]);
        prop_assert!(got.frames == wholes[chain][start..end], "{path}, {window:?}, chain {chain}: {:?}", got.frames);
        prop_assert_eq!(&got.packets, &run(path, options, &[]).0.packets, "{} {:?}", path, window);
        let reach = chains[chain].iter().fold((0, 0), |sum, r| (sum.0 + r.before as usize, sum.1 + r.after as usize));
        let least = end - start.saturating_sub(reach.0);
        let most = lead.map_or(end, |lead| least + lead) + reach.1 + LEAD;
        prop_assert!((least..=most).contains(&decoded), "{path}, {window:?}, chain {chain}: {decoded} decoded");
        Ok(())
    });
    tried.unwrap_or_else(|e| panic!("{path}: {e}"));
}

#[test]
fn parts_are_slices_of_the_whole_run_for_filters_that_read_around() {
    let scratch = Scratch::new("around");
    let input = format!("{} -f lavfi -i sine=r=8000:d=4", moving(4.0));
    let x264 = "-c:v libx264 -preset veryfast -bf 3";
    let closed = format!("{x264} -g 20 -c:a aac");
    let open = format!("{x264} -g 12 -x264-params open-gop=1:scenecut=0 -c:a mp2");
    // All of it within ten seconds: what lies further apart, ffmpeg does not always interleave by time.
    let varying = format!("{closed} -vf setpts=(N+N*N/100)/25/TB -vsync passthrough -enc_time_base 1/90000");
    let clips = [
        ("closed.mp4", closed.as_str(), Some(20)),
        ("open.ts", &open, Some(24)),
        ("varying.mkv", &varying, Some(20)),
        ("intra.nut", "-c:v ffv1 -g 1 -c:a pcm_s16le", Some(0)),
        // Frames that packets do not show.
        ("mpeg4.avi", "-c:v mpeg4 -bf 2 -g 20 -c:a mp2", None),
    ];
    let outputs: Vec<(&str, &str)> = clips.iter().map(|(name, options, _)| (*name, *options)).collect();
    for ((_, path), (_, _, lead)) in scratch.make_all(&input, &outputs).iter().zip(&clips) {
        check(path, *lead);
    }
}

#[test]
fn without_a_window_nothing_lies_around() {
    let scratch = Scratch::new("around-whole");
    let path = scratch.make("whole.mkv", &moving(1.0), X264);
    let (listed, decoded) = run(&path, frames_only(), &[Reach { before: 3, after: 3 }]);
    assert_eq!((listed.frames.len(), decoded), (25, 25));
}
