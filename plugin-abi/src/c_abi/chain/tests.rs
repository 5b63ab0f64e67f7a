use super::super::external::vramp_process_cuda;
use super::super::queue;
use super::*;
use crate::testing::{Mixed, clip, samples};
use std::ffi::CStr;
use std::ptr::null_mut;
use vramp::device::cpu::{CpuExec, CpuLevel};
use vramp::filters::{Cycle, chain};
use vramp::pipeline::{CpuChain, Frame as PipelineFrame, Item, Options as RunOptions, Packet, Sink, Source, run_with};
use vramp::video::{Picture, StreamInfo};

type Clip = Vec<Arc<Picture>>;

/// Frames of a clip, as the command's sources give them.
struct Frames<'a>(StreamInfo, std::iter::Enumerate<std::slice::Iter<'a, Arc<Picture>>>);

impl Source for Frames<'_> {
    fn info(&self) -> &StreamInfo {
        &self.0
    }

    fn next(&mut self) -> Result<Option<Item>> {
        let Some((n, from)) = self.1.next() else { return Ok(None) };
        let mut picture = Picture::alloc(from.format(), from.width(), from.height())?;
        picture.planes_mut().copy_from(&from.planes(), from.format());
        let (frame_index, field_order) = (n as u64, FieldOrder::TopFirst);
        let props = FrameProps { frame_index, field_order, pts: Some(n as i64), duration: 1, ..FrameProps::default() };
        Ok(Some(Item::Frame(PipelineFrame { props, picture })))
    }

    fn damage(&self) -> Option<Error> {
        None
    }
}

/// The samples of each result, and what was measured.
#[derive(Default)]
struct Results(Vec<(Vec<i32>, String)>);

impl Sink for Results {
    fn frame(&mut self, frame: PipelineFrame) -> Result<()> {
        self.0.push((samples(&frame.picture), crate::record::json(&frame.props.records)));
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

/// A chain, and the streams that it reads: its own first, the others with their names.
struct Case {
    name: &'static str,
    filters: fn() -> Vec<Box<dyn Filter>>,
    beside: &'static [&'static str],
}

const CASES: &[Case] = &[
    Case { name: "a window", filters: || vec![Mixed::around(1, 2).boxed()], beside: &[] },
    Case {
        name: "windows of windows, with filters between",
        filters: || {
            let mut filters = chain("deband=rand_each_frame=on").unwrap();
            filters.push(Mixed::around(2, 0).boxed());
            filters.extend(chain("gauss").unwrap());
            filters.push(Mixed::around(1, 1).boxed());
            filters
        },
        beside: &[],
    },
    Case { name: "another size", filters: || vec![Mixed { grows: 6, ..Mixed::default() }.boxed()], beside: &[] },
    Case {
        name: "other inputs",
        filters: || vec![Mixed { with: vec!["b".to_owned(), "mask".to_owned()], ..Mixed::around(0, 1) }.boxed()],
        beside: &["b", "mask"],
    },
    Case {
        name: "twice the rate",
        filters: || vec![Mixed { cycle: Cycle::new(1, vec![0, 0]), ..Mixed::around(1, 0) }.boxed()],
        beside: &[],
    },
    Case {
        name: "half the rate, then a window",
        filters: || {
            let half = Mixed { cycle: Cycle::new(2, vec![0]), ..Mixed::around(0, 1) };
            vec![half.boxed(), Mixed { measures: true, ..Mixed::around(1, 1) }.boxed()]
        },
        beside: &[],
    },
    Case {
        name: "four of five, measured twice",
        filters: || {
            let measured = || Mixed { measures: true, ..Mixed::default() };
            vec![Mixed { cycle: Cycle::new(5, vec![0, 1, 3, 4]), ..measured() }.boxed(), measured().boxed()]
        },
        beside: &[],
    },
];

const COUNT: u64 = 11;

fn stream() -> Stream {
    let size = size_of::<Stream>() as u32;
    Stream { struct_size: size, layout: abi::YUV420, bit_depth: 8, range: 0, width: 18, height: 10 }
}

/// What the command's runner makes of the clips.
fn by_the_runner(case: &Case, info: &StreamInfo, clips: &[Clip]) -> Vec<(Vec<i32>, String)> {
    let side = |name: &&str| SideInput { name: (*name).to_owned(), info: info.clone() };
    let sides: Vec<_> = case.beside.iter().map(side).collect();
    let plan = plan_with((case.filters)(), info, &sides, Target::default()).unwrap();
    let mut chain = CpuChain::new(&plan, CpuExec::new(1, CpuLevel::detect()).unwrap()).unwrap();
    let mut sources: Vec<_> = clips.iter().map(|clip| Frames(info.clone(), clip.iter().enumerate())).collect();
    let (own, others) = sources.split_first_mut().unwrap();
    let mut others: Vec<_> = others.iter_mut().map(|source| source as &mut dyn Source).collect();
    let mut results = Results::default();
    run_with(own, &mut others, &plan, &mut chain, &mut results, &RunOptions::default(), &mut |_| ()).unwrap();
    results.0
}

fn planes_of(picture: &Picture) -> Planes {
    let (mut data, mut pitch) = ([null_mut(); 4], [0; 4]);
    for plane in 0..picture.format().planes() {
        let (start, bytes) = picture.plane(plane);
        (data[plane], pitch[plane]) = (start.cast_mut().cast(), bytes as i64);
    }
    Planes { struct_size: size_of::<Planes>() as u32, reserved: 0, data, pitch }
}

fn frame(index: u64) -> Frame {
    Frame { struct_size: size_of::<Frame>() as u32, field_order: abi::TOP_FIRST, index }
}

fn error() -> String {
    // SAFETY: the text stays until the thread's next call.
    unsafe { CStr::from_ptr(super::super::vramp_last_error()) }.to_str().unwrap().to_owned()
}

fn record() -> String {
    // SAFETY: the text stays until the thread's next frame.
    unsafe { CStr::from_ptr(super::super::vramp_last_record()) }.to_str().unwrap().to_owned()
}

#[track_caller]
fn ok(status: i32) {
    if status != abi::OK {
        eprintln!("{}", error());
    }
    assert_eq!(status, abi::OK);
}

/// What frame `n` is made of, as the calls ask for it.
struct Asked {
    frames: Vec<Frame>,
    planes: Vec<Planes>,
    inputs: Vec<u32>,
}

impl Asked {
    fn of(chain: *const Opaque, n: u64, clips: &[Clip]) -> Asked {
        let mut asked = Asked { frames: Vec::new(), planes: Vec::new(), inputs: Vec::new() };
        // Inputs may be in any order.
        for (input, clip) in clips.iter().enumerate().rev() {
            let (mut first, mut last) = (0, 0);
            // SAFETY: both are there to be written.
            ok(unsafe { vramp_chain_needs(chain, n, input as u32, &mut first, &mut last) });
            for index in first..=last.min(clip.len() as u64 - 1) {
                asked.frames.push(frame(index));
                asked.planes.push(planes_of(&clip[index as usize]));
                asked.inputs.push(input as u32);
            }
        }
        asked
    }

    fn list(&self) -> Vec<InputFrame> {
        let frame = |i: usize| InputFrame {
            struct_size: size_of::<InputFrame>() as u32,
            input: self.inputs[i],
            frame: &self.frames[i],
            planes: &self.planes[i],
        };
        (0..self.frames.len()).map(frame).collect()
    }
}

fn handle(case: &Case) -> *mut Opaque {
    let names: Vec<_> = case.beside.iter().map(|name| SideStream { name, stream: stream() }).collect();
    let options = Options { device: c"cpu".as_ptr(), threads: 1, ..Options::default() };
    CHAINS.insert(Chain::new((case.filters)(), &stream(), &names, &options).unwrap())
}

/// The library's panic hook keeps quiet, so differences are printed.
#[track_caller]
fn same(case: &Case, n: u64, got: &(Vec<i32>, String), want: &(Vec<i32>, String)) {
    let first = got.0.iter().zip(&want.0).position(|(got, want)| got != want);
    if got != want {
        eprintln!(
            "{}, frame {n}: {} samples, {}; first at {first:?}; {} {}",
            case.name,
            got.0.len(),
            want.0.len(),
            got.1,
            want.1
        );
    }
    assert!(got == want);
}

#[test]
fn frames_are_the_commands_for_chains_of_every_shape() {
    let (info, _) = format::stream(&stream(), format::RgbaUse::default()).unwrap();
    for case in CASES {
        let clips: Vec<Clip> = (0..=case.beside.len() as u64).map(|seed| clip(&info, seed, COUNT)).collect();
        let want = by_the_runner(case, &info, &clips);
        let chain = handle(case);
        let (mut count, mut inputs, mut made) = (0, 0, Stream { width: 0, ..stream() });
        let mut queue = null_mut();
        // SAFETY: everything is there to be written and read.
        unsafe {
            ok(vramp_chain_frames(chain, COUNT, &mut count));
            ok(vramp_chain_input_count(chain, &mut inputs));
            ok(vramp_chain_output(chain, &mut made));
            ok(queue::vramp_queue_create(chain, 1, &mut queue));
        }
        if (count as usize, inputs as usize) != (want.len(), clips.len()) {
            eprintln!("{}: {count} frames of {inputs} inputs, not {} of {}", case.name, want.len(), clips.len());
        }
        assert_eq!((count as usize, inputs as usize), (want.len(), clips.len()));
        let (made, _) = format::stream(&made, format::RgbaUse::default()).unwrap();
        // Backwards: no frame depends on those before.
        for n in (0..count).rev() {
            let asked = Asked::of(chain, n, &clips);
            let (list, mut result) = (asked.list(), Frame { index: 0, ..frame(0) });
            let dst = || Picture::alloc(made.format, made.width, made.height).unwrap();
            let (straight, queued) = (dst(), dst());
            let (first, second) = (planes_of(&straight), planes_of(&queued));
            let (pointer, length) = (list.as_ptr(), list.len() as u32);
            // SAFETY: the pictures have the sizes of the chain's streams, and live.
            unsafe {
                ok(vramp_process_frames(chain, n, pointer, length, &first, &mut result));
                same(case, n, &(samples(&straight), record()), &want[n as usize]);
                ok(queue::vramp_queue_submit_frames(queue, n, pointer, length, &second, null_mut()));
                ok(queue::vramp_queue_receive(queue, 1, null_mut()));
            }
            same(case, n, &(samples(&queued), record()), &want[n as usize]);
            assert_eq!((result.index, result.field_order), (n, abi::TOP_FIRST));
        }
        ok(queue::vramp_queue_destroy(queue));
        ok(vramp_chain_destroy(chain));
    }
}

#[test]
fn a_frame_that_is_missing_is_refused() {
    let (info, _) = format::stream(&stream(), format::RgbaUse::default()).unwrap();
    for case in CASES.iter().filter(|case| case.name.contains("window")) {
        let clips = vec![clip(&info, 0, COUNT)];
        let chain = handle(case);
        for n in 1..3 {
            let asked = Asked::of(chain, n, &clips);
            let whole = asked.list();
            // The last may be beyond the end of a film that is so short.
            for left_out in 0..whole.len() - 1 {
                let mut list = whole.clone();
                list.remove(left_out);
                let dst = Picture::alloc(info.format, info.width, info.height).unwrap();
                // SAFETY: as above.
                let status = unsafe {
                    let (pointer, count) = (list.as_ptr(), list.len() as u32);
                    vramp_process_frames(chain, n, pointer, count, &planes_of(&dst), null_mut())
                };
                assert_eq!(status, abi::BAD_ARGUMENT, "{}, frame {n} without number {left_out}", case.name);
                assert!(error().contains("cannot be made of the frames that were given"), "{}", error());
            }
        }
        ok(vramp_chain_destroy(chain));
    }
}

#[test]
fn the_call_for_one_frame_names_the_one_for_many() {
    let (info, _) = format::stream(&stream(), format::RgbaUse::default()).unwrap();
    let picture = &clip(&info, 0, 1)[0];
    let planes = planes_of(picture);
    for case in CASES.iter().filter(|case| case.name != "another size") {
        let (chain, mut queue) = (handle(case), null_mut());
        // SAFETY: the structs and the picture live.
        unsafe {
            assert_eq!(vramp_process(chain, &frame(3), &planes, &planes), abi::UNSUPPORTED, "{}", case.name);
            assert!(error().ends_with("ask vramp_chain_needs which it reads, and give them to vramp_process_frames"));
            assert_eq!(vramp_process_cuda(chain, &frame(3), &planes, &planes, null_mut()), abi::UNSUPPORTED);
            assert!(error().ends_with("to vramp_process_frames_cuda"), "{}", error());
            ok(queue::vramp_queue_create(chain, 1, &mut queue));
            let status = queue::vramp_queue_submit(queue, &frame(3), &planes, &planes, null_mut());
            assert_eq!(status, abi::UNSUPPORTED);
            assert!(error().ends_with("to vramp_queue_submit_frames"), "{}", error());
        }
        ok(queue::vramp_queue_destroy(queue));
        ok(vramp_chain_destroy(chain));
    }
}

#[test]
fn another_size_is_filtered_by_either_call() {
    let (info, _) = format::stream(&stream(), format::RgbaUse::default()).unwrap();
    let case = CASES.iter().find(|case| case.name == "another size").unwrap();
    let clips = vec![clip(&info, 0, 2)];
    let (want, chain) = (by_the_runner(case, &info, &clips), handle(case));
    let dst = Picture::alloc(info.format, info.width + 6, info.height + 6).unwrap();
    let (from, to) = (planes_of(&clips[0][1]), planes_of(&dst));
    // SAFETY: as above.
    ok(unsafe { vramp_process(chain, &frame(1), &from, &to) });
    assert_eq!(samples(&dst), want[1].0);
    ok(vramp_chain_destroy(chain));
}

#[test]
fn rates_are_reported() {
    for (owners, input, rate) in [(vec![0, 0], 1, (2, 1)), (vec![0], 2, (1, 2)), (vec![0, 1, 2, 4], 5, (4, 5))] {
        let cycle = || Mixed { cycle: Cycle::new(input, owners.clone()), ..Mixed::default() }.boxed();
        let options = Options::default();
        let one = CHAINS.insert(Chain::new(vec![cycle()], &stream(), &[], &options).unwrap());
        let two = CHAINS.insert(Chain::new(vec![cycle(), cycle()], &stream(), &[], &options).unwrap());
        for (chain, want) in [(one, rate), (two, (rate.0 * rate.0, rate.1 * rate.1))] {
            let (mut num, mut den) = (0, 0);
            // SAFETY: both are there to be written.
            ok(unsafe { vramp_chain_rate(chain, &mut num, &mut den) });
            assert_eq!((num, den), want);
            ok(vramp_chain_destroy(chain));
        }
    }
}

/// Alpha comes of the source's frame of the same number and size, or not at all.
#[test]
fn alpha_needs_a_frame_of_its_size() {
    let rgba = Stream { layout: abi::RGBA, ..stream() };
    let made = |filter: Mixed| Chain::new(vec![filter.boxed()], &rgba, &[], &Options::default());
    for refused in [Mixed { grows: 2, ..Mixed::default() }, Mixed { cycle: Cycle::new(2, vec![0]), ..Mixed::default() }]
    {
        let error = made(refused).err().unwrap();
        assert_eq!(error.kind(), vramp::error::Kind::Unsupported);
        assert!(error.message().contains("alpha is copied"), "{error}");
    }
    let chain = CHAINS.insert(made(Mixed::around(1, 1)).unwrap());
    let mut pixels: Vec<Vec<u8>> = (0..3).map(|n| (0..18 * 10 * 4).map(|i| (i * 7 + n * 31) as u8).collect()).collect();
    let mut target = vec![0u8; 18 * 10 * 4];
    let planes = |memory: &mut Vec<u8>| Planes {
        struct_size: size_of::<Planes>() as u32,
        reserved: 0,
        data: [memory.as_mut_ptr().cast(), null_mut(), null_mut(), null_mut()],
        pitch: [18 * 4, 0, 0, 0],
    };
    let asked = Asked {
        frames: (0..3).map(frame).collect(),
        planes: pixels.iter_mut().map(planes).collect(),
        inputs: vec![0; 3],
    };
    let (list, dst) = (asked.list(), planes(&mut target));
    // SAFETY: every picture has the rows of one.
    ok(unsafe { vramp_process_frames(chain, 1, list.as_ptr(), 3, &dst, null_mut()) });
    let alpha = |bytes: &[u8]| bytes.iter().skip(3).step_by(4).copied().collect::<Vec<_>>();
    assert_eq!(alpha(&target), alpha(&pixels[1]));
    ok(vramp_chain_destroy(chain));
}
