//! Further inputs: the frame that is shown at the same time is read beside the chain's own.

use crate::media::*;
use vramp::device::cpu::{CpuExec, CpuLevel};
use vramp::error::Result;
use vramp::filters::{self, CpuJob, CpuKernel, Cycle, Descriptor, Filter, Origin, Reach, Setup, Spec, Wiring};
use vramp::io::libav::{Input, InputOptions, Position, Window};
use vramp::params::Call;
use vramp::pipeline::{self, CpuChain, Frame, Options, Packet, SideInput, Sink, Source, Target};
use vramp::video::StreamInfo;

/// Gives the first sample of the other input everywhere.
#[derive(Clone, Copy, Debug)]
struct Other;

impl Filter for Other {
    fn descriptor(&self) -> &'static Descriptor {
        filters::find("box").unwrap()
    }

    fn call(&self) -> Call {
        filters::chain("box").unwrap()[0].call()
    }

    fn spec(&self, inputs: &[StreamInfo]) -> Result<Spec> {
        let output = inputs[0].clone();
        let origins = vec![Origin::Computed; output.format.components()];
        let reads = vec![Reach::NONE; 2];
        Ok(Spec { output, reads, cycle: Cycle::one(), origins, rounds_to: None, measures: false })
    }

    fn wiring(&self) -> Wiring {
        Wiring::Reads(vec!["other".to_owned()])
    }

    fn reference(&self, _: &Setup) -> Result<Box<dyn CpuKernel>> {
        Ok(Box::new(*self))
    }

    fn cpu(&self, setup: &Setup, _: CpuLevel) -> Result<Box<dyn CpuKernel>> {
        self.reference(setup)
    }
}

impl CpuKernel for Other {
    fn run(&mut self, mut job: CpuJob<'_>) {
        let value = job.src.at(1, 0)[0].get(0, 0);
        for component in 0..job.dst.len() {
            let dst = job.dst.get_mut(component);
            let (width, height) = (dst.width(), dst.height());
            (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).for_each(|(x, y)| dst.set(x, y, value));
        }
    }

    fn path(&self) -> &'static str {
        "reference"
    }
}

/// The index and the value of each frame.
#[derive(Default)]
struct Values(Vec<(u64, i32)>);

impl Sink for Values {
    fn frame(&mut self, frame: Frame) -> Result<()> {
        self.0.push((frame.props.frame_index, frame.picture.planes()[0].get(0, 0)));
        Ok(())
    }

    fn packet(&mut self, _: Packet) -> Result<()> {
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        Ok(())
    }

    fn bytes(&self) -> u64 {
        0
    }
}

/// What `window` of `path` reads of `other`.
fn run(path: &str, window: Window, other: &str) -> Vec<(u64, i32)> {
    let mut input = Input::open(path, InputOptions { window, ..frames_only() }).unwrap();
    let mut other = Input::open(other, frames_only()).unwrap();
    other.align_to(&input);
    let sides = [SideInput { name: "other".to_owned(), info: other.info().clone() }];
    let target = Target { format: Some(input.info().format), ..Target::default() };
    let plan = pipeline::plan_with(vec![Box::new(Other)], input.info(), &sides, target).unwrap();
    let mut chain = CpuChain::new(&plan, CpuExec::new(1, CpuLevel::Portable).unwrap()).unwrap();
    let (mut values, mut sources) = (Values::default(), [&mut other as &mut dyn Source]);
    let options = Options::default();
    pipeline::run_with(&mut input, &mut sources, &plan, &mut chain, &mut values, &options, &mut |_| {}).unwrap();
    values.0
}

#[test]
fn frames_are_matched_by_time_whatever_part_is_run() {
    let scratch = Scratch::new("sides");
    let path = scratch.make("main.mkv", &moving(2.0), X264);
    // Ten frames a second of which each is its number everywhere, for one second.
    let counted = "-f lavfi -i color=black:s=16x16:r=10:d=1,format=gray,geq=lum=N*10";
    let slow = scratch.make("slow.mkv", counted, "-c:v ffv1");
    let still = scratch.make("still.png", "-f lavfi -i color=gray:s=16x16:d=0.1:r=10,format=gray,geq=lum=77", "");
    // A frame of 25 a second is shown with the one of 10 that has begun; the last stays.
    let want: Vec<(u64, i32)> = (0..50).map(|n| (n, 10 * (n as i32 * 10 / 25).min(9))).collect();
    assert_eq!(run(&path, Window::default(), &slow), want);
    for (start, end) in [(0, 7), (11, 30), (26, 27), (40, 50)] {
        let [from, until] = [start, end].map(|at| Some(Position::Frame(at)));
        let window = Window { start: from, end: until, frames: None };
        assert_eq!(run(&path, window, &slow), want[start as usize..end as usize], "{start}..{end}");
        assert!(run(&path, window, &still).iter().all(|(_, value)| *value == 77), "a still picture lasts");
    }
}

#[test]
fn films_are_matched_from_their_own_starts() {
    let scratch = Scratch::new("aligned");
    let picture = moving(2.0);
    // The clocks of the films begin at 0, at 1.4 s and more, and at 7 s.
    let main = scratch.make("main.mkv", &picture, X264);
    let transport = scratch.make("main.ts", &picture, "-c:v mpeg2video -bf 0");
    let counted = "-f lavfi -i color=black:s=16x16:r=25:d=2,format=gray,geq=lum=N*5";
    let side = scratch.make("side.mkv", counted, "-c:v ffv1");
    let late = scratch.make("late.mkv", counted, "-c:v ffv1 -output_ts_offset 7");
    // Microseconds cannot express thirds of a second.
    let third = scratch.make("third.nut", counted, "-c:v ffv1 -output_ts_offset 1.3333333");
    let want: Vec<(u64, i32)> = (0..50).map(|n| (n, 5 * n as i32)).collect();
    for main in [&main, &transport] {
        for side in [&side, &late, &third] {
            assert_eq!(run(main, Window::default(), side), want, "{main} {side}");
            let window = Window { start: Some(Position::Time(0.4)), end: Some(Position::Frame(30)), frames: None };
            assert_eq!(run(main, window, side), want[10..30], "{main} {side}");
        }
    }
}
