//! Runs of point filters: one after another and folded give the same bytes.

use super::{Operand, Target, plan};
use crate::filters::chain;
use crate::filters::testing::{one_thread, picture, samples};
use crate::pipeline::CpuChain;
use crate::video::{ColorInfo, Format, FrameProps, Picture, Range, StreamInfo};

/// What `text` makes of a picture of all kinds of values, folded or not, and how many kernels did it.
fn made(text: &str, input: &StreamInfo, dst: Format, folds: bool) -> (Picture, usize) {
    let target = Target { format: Some(dst), folds, ..Target::default() };
    let plan = plan(chain(text).unwrap(), input, target).unwrap();
    let mut chain = CpuChain::new(&plan, one_thread()).unwrap();
    // p010 has its codes at the top of a word, and may have bits below them.
    let (_, _, layout) = input.format.component_layout(0);
    let most = if input.format.is_yc48() { 4096 } else { (1 << (16 - layout.shift)) - 1 };
    let noise = |c: usize, x: usize, y: usize| {
        let mixed = (c * 7919 + x * 104_729 + y * 1_299_709 + 12_345).wrapping_mul(2_654_435_761);
        ((mixed >> 12) % (most + 1)) as i32
    };
    let src = picture(input.format, input.width, input.height, noise);
    let mut out = Picture::alloc(plan.output.format, input.width, input.height).unwrap();
    chain.run(&FrameProps::default(), &src.planes(), &mut out.planes_mut());
    (out, plan.stages.len())
}

/// Chains of point filters, and formats that they take.
const CHAINS: [(&str, &[&str]); 6] = [
    (
        "levels=gain=1.1,curves=preset=darker,levels=gamma=1.3,range=full,depth=10",
        &["gray8", "yuv420p", "nv12", "p010", "gbrp10"],
    ),
    ("depth=9,levels=offset=0.02:planes=yuv,range=full,depth=12", &["gray16", "yuv422p", "yuv444p12", "gbrp"]),
    (
        "adjust=contrast=1.2:saturation=1.5:vibrance=0.5:hue=20,levels=gamma=0.8:planes=yuv",
        &["yuv420p10", "nv12", "gbrp", "gray8"],
    ),
    (
        "saturation=1.4:hue=30,saturation=0.7,levels=gain=1.3:planes=u,saturation=hue=-10",
        &["yuv420p", "p010", "yuv444p16", "yc48"],
    ),
    (
        "adjust=saturation=2,adjust=vibrance=-0.5:gamma=1.2,curves=preset=faded,range=full,depth=8",
        &["yuv420p16", "gbrp16", "nv12"],
    ),
    ("curves=red=0/0.1+1/0.8:master=0/0+0.4/0.5+1/1,levels=gain=0.9:planes=b,adjust=hue=90", &["gbrp", "gbrp10"]),
];

#[test]
fn folded_runs_give_the_bytes_of_filters_one_by_one() {
    for (text, formats) in CHAINS {
        for (format, range) in formats.iter().flat_map(|f| [Range::Limited, Range::Full].map(|range| (f, range))) {
            let format: Format = format.parse().unwrap();
            if format.is_yc48() && text.contains("levels") {
                continue;
            }
            let color = ColorInfo { range, ..ColorInfo::default() };
            let input = StreamInfo { color, ..StreamInfo::bare(format, 67, 18) };
            let end = plan(chain(text).unwrap(), &input, Target::default()).unwrap().output.format;
            for dst in [end, end.to_planar(16).unwrap(), end.to_planar(8).unwrap()] {
                let ((folded, one), (apart, many)) = (made(text, &input, dst, true), made(text, &input, dst, false));
                assert!(one < many && one <= 2, "{text} {format} to {dst}: {one} kernels of {many}");
                for component in 0..dst.components() {
                    let equal = samples(&folded, component) == samples(&apart, component);
                    assert!(equal, "{text} {format} {range:?} to {dst}: component {component}");
                }
            }
        }
    }
}

#[test]
fn a_folded_run_states_the_stream_that_its_last_filter_gives() {
    let input = StreamInfo::bare("yuv420p".parse().unwrap(), 8, 8);
    let text = "levels=gain=1.1,range=full,depth=12";
    let states = |folds| {
        let plan = plan(chain(text).unwrap(), &input, Target { folds, ..Target::default() }).unwrap();
        assert_eq!(plan.stages[0].operands, [Operand::Input(0)]);
        (plan.output.clone(), plan.stages.last().unwrap().spec.output.clone(), plan.stages.len())
    };
    let (folded, apart) = (states(true), states(false));
    assert_eq!((&folded.0, &folded.1), (&apart.0, &apart.1));
    assert_eq!((folded.2, apart.2), (1, 3));
}
