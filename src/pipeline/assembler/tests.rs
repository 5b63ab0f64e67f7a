use super::*;
use crate::filters::{Setup, chain};
use crate::pipeline::parts::cut;
use crate::pipeline::{Operand, SideInput};
use crate::video::StreamInfo;

/// A plan of stages that read and make what `specs` say: a reach and a cycle each.
fn plan(specs: &[(Reach, Cycle)]) -> ChainPlan {
    let info = StreamInfo::bare("gray8".parse().unwrap(), 2, 2);
    let kernel = |_| (chain("box").unwrap().remove(0), Setup::of(info.clone(), info.format, info.clone(), info.format));
    let mut plan = ChainPlan::linear(info.clone(), info.clone(), specs.iter().map(kernel).collect());
    for (stage, (reach, cycle)) in plan.stages.iter_mut().zip(specs) {
        stage.spec.reads = vec![*reach];
        stage.spec.cycle = cycle.clone();
    }
    plan.parts = cut(&plan.stages);
    plan
}

fn around(before: u32, after: u32) -> (Reach, Cycle) {
    (Reach { before, after }, Cycle::one())
}

fn alone() -> (Reach, Cycle) {
    around(0, 0)
}

fn props(index: u64, context: bool) -> FrameProps {
    FrameProps { frame_index: index, pts: Some(10 * index as i64), duration: 10, context, ..FrameProps::default() }
}

/// The results of `frames` of the chain's own input and of `side`: each result with its properties, written as the frames it
/// is made of. Gives the most frames that were held beside those of a job as well.
fn run(plan: &ChainPlan, frames: &[FrameProps], side: &[FrameProps]) -> (Vec<(FrameProps, String)>, usize) {
    let mut assembler: Assembler<String> = Assembler::new(plan);
    let mut feeds = [frames.iter(), side.iter()];
    let (mut results, mut most) = (Vec::new(), 0);
    loop {
        let next = assembler.next();
        if let Next::Make(_) = next {
            let held = |tracks: &[HeldFrames<String>]| tracks.iter().map(|track| track.frames.len()).max().unwrap_or(0);
            most = most.max(held(&assembler.inputs)).max(held(&assembler.results));
        }
        match next {
            Next::Need(input) => match feeds[input].next() {
                Some(props) => {
                    assembler.push(input, props.clone(), format!("{}{}", ["", "s"][input], props.frame_index))
                }
                None => assembler.end(input),
            },
            Next::Make(job) => {
                let text = job.inputs.iter().map(|frames| frames.join(" ")).collect::<Vec<_>>().join("|");
                let text = format!("({text})");
                match job.is_last {
                    true => results.push((job.props, text)),
                    false => assembler.push_result(job, text),
                }
            }
            Next::Done => return (results, most),
        }
    }
}

fn texts(plan: &ChainPlan, count: u64) -> Vec<String> {
    let frames: Vec<_> = (0..count).map(|index| props(index, false)).collect();
    run(plan, &frames, &[]).0.into_iter().map(|(_, text)| text).collect()
}

#[test]
fn a_chain_without_windows_is_one_part() {
    let plan = plan(&[alone(), alone(), alone()]);
    assert_eq!(plan.parts.len(), 1);
    assert_eq!(texts(&plan, 3), ["(0)", "(1)", "(2)"]);
    let frames: Vec<_> = (0..9).map(|index| props(index, false)).collect();
    assert_eq!(run(&plan, &frames, &[]).1, 0, "a frame is held by its job alone");
}

#[test]
fn the_nearest_frame_stands_for_those_beyond_the_ends() {
    let plan = plan(&[around(1, 2)]);
    assert_eq!(texts(&plan, 4), ["(0 0 1 2)", "(0 1 2 3)", "(1 2 3 3)", "(2 3 3 3)"]);
    assert_eq!(texts(&plan, 1), ["(0 0 0 0)"], "a window longer than the film");
    assert_eq!(texts(&plan, 0), [""; 0]);
}

#[test]
fn windows_read_results_of_windows() {
    let plan = plan(&[around(1, 0), alone(), around(0, 1)]);
    assert_eq!(plan.parts.len(), 2);
    assert_eq!(plan.reach(), Reach { before: 1, after: 1 });
    assert_eq!(texts(&plan, 3), ["((0 0) (0 1))", "((0 1) (1 2))", "((1 2) (1 2))"]);
}

/// Every cycle before a window makes more frames of the input of those that it reads.
#[test]
fn windows_behind_cycles_reach_through_all_of_them() {
    let every = |n: u32| (Reach::NONE, Cycle::new(n, vec![0]));
    for (shapes, far) in [
        (vec![every(5), every(5), around(1, 1)], 25),
        (vec![every(5), around(3, 3), around(3, 3)], 30),
        (vec![every(2), around(1, 1), every(3), around(2, 2)], 14),
    ] {
        let plan = plan(&shapes);
        let reach = plan.reach();
        assert!(reach.before >= far && reach.after >= far, "{reach:?} of {far}");
        let film: Vec<_> = (0..200).map(|index| props(index, false)).collect();
        let (whole, _) = run(&plan, &film, &[]);
        let part = |(start, end): (u64, u64)| {
            let from = start.saturating_sub(reach.before.into());
            let to = (end + u64::from(reach.after)).min(200);
            let part: Vec<_> = (from..to).map(|index| props(index, !(start..end).contains(&index))).collect();
            run(&plan, &part, &[]).0
        };
        let text = |results: Vec<(FrameProps, String)>| results.into_iter().map(|(_, text)| text).collect::<Vec<_>>();
        let [first, second, third] = [(0, 90), (90, 100), (100, 200)].map(part);
        assert_eq!(text([first, second, third].concat()), text(whole));
    }
}

#[test]
fn frames_outside_the_part_that_is_run_are_read_and_not_given() {
    let plan = plan(&[around(2, 1), around(1, 2)]);
    let whole: Vec<_> = (0..20).map(|index| props(index, false)).collect();
    let (want, most) = run(&plan, &whole, &[]);
    assert!(most < 12, "{most} frames are held");
    for (start, end) in [(0u64, 20u64), (0, 5), (7, 9), (3, 20), (19, 20)] {
        let reach = plan.reach();
        let from = start.saturating_sub(reach.before.into());
        let to = (end + u64::from(reach.after)).min(20);
        let part: Vec<_> = (from..to).map(|index| props(index, !(start..end).contains(&index))).collect();
        let (got, _) = run(&plan, &part, &[]);
        let want: Vec<_> = want[start as usize..end as usize].iter().map(|(props, text)| (props.pts, text)).collect();
        let got: Vec<_> = got.iter().map(|(props, text)| (props.pts, text)).collect();
        assert_eq!(got, want, "{start}..{end}");
    }
}

#[test]
fn cycles_have_exact_times() {
    let times = |plan: &ChainPlan, frames: &[(i64, i64)]| {
        let props = |(index, (pts, duration)): (usize, &(i64, i64))| FrameProps {
            frame_index: index as u64,
            pts: Some(*pts),
            duration: *duration,
            ..FrameProps::default()
        };
        let frames: Vec<_> = frames.iter().enumerate().map(props).collect();
        let (results, _) = run(plan, &frames, &[]);
        results.into_iter().map(|(props, text)| (props.pts.unwrap(), props.duration, text)).collect::<Vec<_>>()
    };
    let text = |text: &str| text.to_owned();
    let vfr = [(0, 10), (10, 30), (40, 5), (45, 5), (50, 10)];
    let bob = plan(&[(Reach::NONE, Cycle::new(1, vec![0, 0]))]);
    // In half the timebase.
    let want = [(0, 10, "(0)"), (10, 10, "(0)"), (20, 30, "(1)"), (50, 30, "(1)"), (80, 5, "(2)"), (85, 5, "(2)")];
    assert_eq!(times(&bob, &vfr)[..6], want.map(|(pts, duration, frames)| (pts, duration, text(frames))));
    let weave = plan(&[(Reach { before: 0, after: 1 }, Cycle::new(2, vec![0]))]);
    let want = [(0, 40, "(0 1)"), (40, 10, "(2 3)"), (50, 10, "(4 4)")];
    assert_eq!(times(&weave, &vfr), want.map(|(pts, duration, frames)| (pts, duration, text(frames))));
    let select = plan(&[(Reach::NONE, Cycle::new(3, vec![0, 2]))]);
    let want = [(0, 40, "(0)"), (40, 5, "(2)"), (45, 15, "(3)")];
    assert_eq!(times(&select, &vfr), want.map(|(pts, duration, frames)| (pts, duration, text(frames))));
    // Kernels behind a cycle count its frames.
    let behind = plan(&[(Reach::NONE, Cycle::new(1, vec![0, 0])), around(1, 0)]);
    let frames: Vec<_> = (0..2).map(|index| super::tests::props(index, false)).collect();
    let (results, _) = run(&behind, &frames, &[]);
    let want = [(0, "((0) (0))"), (1, "((0) (0))"), (2, "((0) (1))"), (3, "((1) (1))")];
    let got: Vec<_> = results.iter().map(|(props, text)| (props.frame_index, text.as_str())).collect();
    assert_eq!(got, want);
}

/// A plan whose only stage reads a second input.
fn plan_of_two() -> ChainPlan {
    let mut plan = plan(&[alone()]);
    plan.sides = vec![SideInput { name: "other".to_owned(), info: plan.input.clone() }];
    plan.stages[0].operands.push(Operand::Input(1));
    plan.stages[0].spec.reads.push(Reach::NONE);
    plan.parts = cut(&plan.stages);
    plan
}

#[test]
fn other_inputs_are_read_at_the_time_of_the_frame() {
    let plan = plan_of_two();
    let at = |times: &[i64]| {
        let props = |(index, pts): (usize, &i64)| FrameProps {
            frame_index: index as u64,
            pts: Some(*pts),
            ..FrameProps::default()
        };
        times.iter().enumerate().map(props).collect::<Vec<_>>()
    };
    let texts = |own: &[i64], side: &[i64]| {
        run(&plan, &at(own), &at(side)).0.into_iter().map(|(_, text)| text).collect::<Vec<_>>()
    };
    assert_eq!(texts(&[0, 10, 20], &[0, 10, 20]), ["(0|s0)", "(1|s1)", "(2|s2)"]);
    // Half the rate, another start, and an early end: the last frame stays.
    assert_eq!(texts(&[0, 10, 20, 30], &[0, 20]), ["(0|s0)", "(1|s0)", "(2|s1)", "(3|s1)"]);
    assert_eq!(texts(&[0, 10], &[5, 7, 20]), ["(0|s0)", "(1|s1)"]);
}

#[test]
fn one_frame_is_made_of_those_that_it_needs() {
    let plan = plan(&[around(1, 1), (Reach::NONE, Cycle::new(1, vec![0, 0])), around(0, 1)]);
    let frames: Vec<_> = (0..8).map(|index| props(index, false)).collect();
    let (want, _) = run(&plan, &frames, &[]);
    // One after another in one assembler, which must not know of the one before.
    let mut assembler = Assembler::new(&plan);
    for n in [3].into_iter().chain(0..16u64) {
        let (first, last) = plan.needs(0, n);
        let given = (first..=last.min(7)).map(|index| (0, props(index, false), index.to_string()));
        assembler.begin_one(n);
        given.for_each(|(input, props, text)| assembler.push(input, props, text));
        let text = loop {
            let Next::Make(job) = assembler.next() else { panic!("frame {n} is not made") };
            let text = format!("({})", job.inputs[0].join(" "));
            if job.is_last {
                break text;
            }
            assembler.push_result(job, text);
        };
        assert_eq!(text, want[n as usize].1, "frame {n}");
    }
}

#[test]
fn what_is_said_of_brightness_goes_with_the_brightness() {
    let left = |text: &str| {
        let mut info = StreamInfo::bare("yuv420p10".parse().unwrap(), 2, 2);
        (info.color.matrix, info.color.transfer, info.color.primaries) = (9, 16, 9);
        let plan = crate::pipeline::plan(chain(text).unwrap(), &info, crate::pipeline::Target::default()).unwrap();
        // A mastering display, HDR10+, and captions, which have to do with neither.
        let data = |kind| SideData { kind, bytes: [0; 4].into() };
        let mut props =
            FrameProps { color: info.color, side_data: [11, 1, 17].map(data).into(), ..FrameProps::default() };
        describe(&plan, 0, &mut props);
        (props.color.transfer, props.side_data.iter().map(|data| data.kind).collect::<Vec<_>>())
    };
    assert_eq!(left("gauss=1"), (16, vec![11, 1, 17]));
    assert_eq!(left("gauss=1,tonemap"), (1, vec![1]));
}
