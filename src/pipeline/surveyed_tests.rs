//! Filters that read surveys of the frames around theirs: runs, parts of runs and single frames give the same.

use super::*;
use crate::device::DeviceChoice;
use crate::device::cpu::{CpuExec, CpuLevel};
use crate::filters::chain;
use crate::pipeline::feeder::InputFrame;
use crate::video::{FrameProps, Picture, PicturePool, StreamInfo};
use crossbeam_channel::unbounded;
use std::ops::Range;

const SIZE: (usize, usize) = (40, 24);
const FRAMES: u64 = 22;
/// The first frame of the second shot.
const CUT: u64 = 9;

const CHAINS: [&str; 11] = [
    "localtone=adapt=1:window=3",
    "localtone=adapt=1:window=0",
    "localtone=preset=portrait:adapt=0.7:window=9",
    "deband,localtone=preset=dramatic:adapt=1:window=2,box",
    "keep=a,tmedian,localtone=adapt=1:window=2,merge=with=a",
    "deband,keep=a,tmedian=radius=3,tmedian,merge=with=a",
    "keep=a,localtone=adapt=1:window=2:frames=4-15:mask=a",
    "tonemap=peak=dynamic:window=6",
    "localtone=adapt=0.5:window=2,tonemap=peak=dynamic:window=3:on=luma",
    "tonemap=spline:peak=dynamic:window=6:target=48",
    "tonemap=st2094_10:peak=dynamic:window=3:on=rgb:target=48",
];

fn info() -> StreamInfo {
    let mut info = StreamInfo::bare("yuv420p10".parse().unwrap(), SIZE.0, SIZE.1);
    (info.color.matrix, info.color.transfer, info.color.primaries) = (9, 16, 9);
    info
}

fn planned(text: &str) -> ChainPlan {
    plan(chain(text).unwrap(), &info(), Target::default()).unwrap()
}

/// Frame `n`: a ramp that gets brighter from frame to frame, and another one behind the cut.
fn frame(n: u64) -> Picture {
    let mut picture = Picture::alloc(info().format, SIZE.0, SIZE.1).unwrap();
    let mut planes = picture.planes_mut();
    for component in 0..3 {
        let plane = planes.get_mut(component);
        for (x, y) in (0..plane.height()).flat_map(|y| (0..SIZE.0 / 2).map(move |x| (x, y))) {
            let luma = |x: usize| if n < CUT { 120 + 9 * x + 7 * n as usize } else { 880 - 6 * x - (n * n) as usize };
            if component == 0 {
                plane.set(2 * x, y, (luma(2 * x) + y) as i32);
                plane.set(2 * x + 1, y, (luma(2 * x + 1) + y) as i32);
            } else {
                plane.set(x, y, 512 + x as i32 - y as i32 * component as i32);
            }
        }
    }
    picture
}

fn props(n: u64, part: &Range<u64>) -> FrameProps {
    FrameProps { frame_index: n, pts: Some(n as i64), context: !part.contains(&n), ..FrameProps::default() }
}

fn rows(picture: &Picture) -> Vec<Vec<u8>> {
    let height = |plane| picture.format().plane_size(plane, picture.width(), picture.height()).1;
    (0..3).flat_map(|plane| (0..height(plane)).map(move |y| picture.row_bytes(plane, y).to_vec())).collect()
}

/// What `chain` makes of `part` of a film of `film`, given as much around it as the plan asks for.
fn streamed(plan: &ChainPlan, mut chain: CpuChain, part: Range<u64>, film: impl Fn(u64) -> Picture) -> Vec<Picture> {
    let ((send, frames), (out, made)) = (unbounded(), unbounded());
    let reach = plan.reach();
    for n in part.start.saturating_sub(reach.before.into())..(part.end + u64::from(reach.after)).min(FRAMES) {
        send.send(Item::Frame(Frame { props: props(n, &part), picture: film(n) })).unwrap();
    }
    drop(send);
    let StreamInfo { format, width, height, .. } = plan.output;
    let pool = PicturePool::new(0, format, width, height).unwrap();
    chain.drive(plan, &[frames], &pool, &out).unwrap();
    drop(out);
    let frames = made.iter().map(|item| match item {
        Item::Frame(frame) => frame,
        _ => panic!("a film of frames alone"),
    });
    let frames: Vec<Frame> = frames.collect();
    assert!(frames.iter().map(|frame| frame.props.frame_index).eq(part), "each frame of the part, once");
    frames.into_iter().map(|frame| frame.picture).collect()
}

fn fast(plan: &ChainPlan) -> CpuChain {
    CpuChain::new(plan, CpuExec::new(2, CpuLevel::detect()).unwrap()).unwrap()
}

#[test]
fn parts_and_single_frames_are_those_of_the_whole() {
    for text in CHAINS {
        let plan = planned(text);
        let of = |chain, part: Range<u64>| streamed(&plan, chain, part, frame).iter().map(rows).collect::<Vec<_>>();
        let whole = of(CpuChain::reference(&plan).unwrap(), 0..FRAMES);
        assert!(of(fast(&plan), 0..FRAMES) == whole, "{text}: the fast kernels");
        for part in [0..1, 3..12, CUT..CUT + 1, 10..FRAMES] {
            let Range { start, end } = part;
            assert!(of(fast(&plan), part) == whole[start as usize..end as usize], "{text}: {start} to {end}");
        }
        let filters = chain(text).unwrap();
        let engine = Engine::new(filters, &info(), Target::default(), DeviceChoice::Cpu, 1).unwrap();
        for n in [20, 8, 9, 0, 21] {
            let (first, last) = engine.needs(0, n);
            let pictures: Vec<(u64, Picture)> = (first..=last.min(FRAMES - 1)).map(|n| (n, frame(n))).collect();
            let frames = pictures.iter().map(|(n, picture)| InputFrame {
                input: 0,
                props: props(*n, &(0..FRAMES)),
                planes: picture.planes(),
            });
            let StreamInfo { format, width, height, .. } = plan.output;
            let mut made = Picture::alloc(format, width, height).unwrap();
            engine.process_frames(n, &frames.collect::<Vec<_>>(), &mut made.planes_mut()).unwrap();
            assert!(rows(&made) == whole[n as usize], "{text}: frame {n} alone");
        }
    }
}

#[test]
fn still_films_stay_still_and_shots_know_nothing_of_one_another() {
    for text in [
        "localtone=adapt=1:window=5",
        "tonemap=peak=dynamic:window=8",
        "tonemap=spline:peak=dynamic:window=8:target=48",
    ] {
        let plan = planned(text);
        let still = streamed(&plan, fast(&plan), 0..FRAMES, |_| frame(3));
        assert!(still.iter().all(|made| rows(made) == rows(&still[0])), "{text}");
        // With another second shot the first stays what it is, up to its last frame.
        let other = streamed(&plan, fast(&plan), 0..FRAMES, |n| frame(if n < CUT { n } else { FRAMES - 1 }));
        let film = streamed(&plan, fast(&plan), 0..FRAMES, frame);
        let first = |film: &[Picture]| film[..CUT as usize].iter().map(rows).collect::<Vec<_>>();
        assert!(first(&film) == first(&other) && rows(&film[12]) != rows(&other[12]), "{text}");
        // And what is around a frame counts: the second shot gets darker.
        assert!(rows(&film[12]) != rows(&streamed(&plan, fast(&plan), 0..FRAMES, |_| frame(12))[0]), "{text}");
    }
}
