//! A source in a decoder's own layout gives the bytes of the same samples in the stream's layout.

use vramp::device::cpu::{CpuExec, CpuLevel};
use vramp::filters;
use vramp::pipeline::{ChainPlan, CpuChain, Target, plan};
use vramp::video::{FrameProps, Picture, StreamInfo};

const SIZE: (usize, usize) = (50, 26);

/// A picture stored as `format` that holds samples of `depth` bits, which follow from their place.
fn picture(format: &str, depth: u8) -> Picture {
    let mut picture = Picture::alloc(format.parse().unwrap(), SIZE.0, SIZE.1).unwrap();
    // v16 = stored << layout.shift = sample << (16 - depth).
    let shift = (16 - depth) - picture.format().component_layout(0).2.shift;
    let mut planes = picture.planes_mut();
    for component in 0..planes.len() {
        let plane = planes.get_mut(component);
        let (width, height) = (plane.width(), plane.height());
        for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
            let sample = (x * 7 + y * 3 + component * 90 + (x * y) % 5) as i32 & ((1 << depth) - 1);
            plane.set(x, y, sample << shift);
        }
    }
    picture
}

fn result(plan: &ChainPlan, source: &Picture) -> Vec<Vec<u8>> {
    let mut chain = CpuChain::new(plan, CpuExec::new(1, CpuLevel::detect()).unwrap()).unwrap();
    let mut picture = Picture::alloc(plan.output.format, SIZE.0, SIZE.1).unwrap();
    chain.run(&FrameProps { frame_index: 3, ..FrameProps::default() }, &source.planes(), &mut picture.planes_mut());
    rows(&picture)
}

fn rows(picture: &Picture) -> Vec<Vec<u8>> {
    let row = |plane: usize| {
        let count = picture.format().plane_size(plane, SIZE.0, SIZE.1).1;
        (0..count).map(move |y| picture.row_bytes(plane, y).to_vec())
    };
    (0..picture.format().planes()).flat_map(row).collect()
}

#[test]
fn surfaces_give_the_bytes_of_the_stream() {
    for (nominal, storage, depth) in
        [("yuv420p", "nv12", 8), ("yuv420p10", "p010", 10), ("yuv420p12", "p016", 12), ("yuv444p10", "yuv444p16", 10)]
    {
        for (text, target) in [("", None), ("", Some("16")), ("deband", Some("10")), ("deband,depth=8:dither=fs", None)]
        {
            let info = StreamInfo::bare(nominal.parse().unwrap(), SIZE.0, SIZE.1);
            let format = target.map(|depth| info.format.to_planar(depth.parse().unwrap()).unwrap());
            let target = Target { format, ..Target::default() };
            let planned = || plan(filters::chain(text).unwrap(), &info, target).unwrap();
            let resident = planned().resident(storage.parse().unwrap()).unwrap();
            assert_eq!(resident.output, planned().output);
            let source = picture(nominal, depth);
            let expected = match planned().stages.is_empty() {
                true => rows(&source),
                false => result(&planned(), &source),
            };
            assert!(result(&resident, &picture(storage, depth)) == expected, "{nominal} as {storage}: '{text}'");
        }
    }
}
