//! What the tests of neighbourhood filters share.

use crate::device::cpu::{CpuExec, CpuLevel};
use crate::filters::{CpuJob, CpuKernel, Filter, Frames, InputWindow, Setup, SideStorage, Spec};
use crate::video::{Format, FrameProps, Picture, Planes, Record, StreamInfo};

pub(crate) fn gray16() -> Format {
    Format::gray(16).unwrap()
}

/// A picture of `format` with `value(component, x, y)` as stored samples.
pub(crate) fn picture(
    format: Format,
    width: usize,
    height: usize,
    value: impl Fn(usize, usize, usize) -> i32,
) -> Picture {
    let mut picture = Picture::alloc(format, width, height).unwrap();
    let mut planes = picture.planes_mut();
    for component in 0..planes.len() {
        let plane = planes.get_mut(component);
        let (width, height) = (plane.width(), plane.height());
        for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
            plane.set(x, y, value(component, x, y));
        }
    }
    picture
}

/// The stored samples of a component, row by row.
pub(crate) fn samples(picture: &Picture, component: usize) -> Vec<i32> {
    let plane = picture.planes()[component];
    (0..plane.height()).flat_map(|y| (0..plane.width()).map(move |x| plane.get(x, y))).collect()
}

/// What the reference of `filter` makes of `src`, stored as `dst`; the fast kernels make the same.
pub(crate) fn run(filter: &dyn Filter, src: &Picture, dst: Format) -> Picture {
    let input = StreamInfo::bare(src.format(), src.width(), src.height());
    let setup = Setup::of(input.clone(), src.format(), input.clone(), dst);
    let inputs = [vec![src.planes()]];
    run_levels(filter, &setup, &Spec::computed(input), &inputs, &FrameProps::default(), &one_thread()).0
}

/// What the filter of `text` makes of flat grey frames with these values, of which it reads all.
pub(crate) fn run_window(text: &str, values: &[i32]) -> i32 {
    let frames: Vec<_> = values.iter().map(|value| picture(gray16(), 3, 1, |_, _, _| *value)).collect();
    samples(&run_inputs(text, &[&frames]), 0)[1]
}

/// What the filter of `text` makes of these frames of each of its inputs, stored as the first is. The fast kernels make
/// the same.
pub(crate) fn run_inputs(text: &str, inputs: &[&[Picture]]) -> Picture {
    let filter = crate::filters::chain(text).unwrap().remove(0);
    let info = |frames: &&[Picture]| StreamInfo::bare(frames[0].format(), frames[0].width(), frames[0].height());
    let infos: Vec<_> = inputs.iter().map(info).collect();
    let spec = filter.spec(&infos).unwrap();
    let mut setup = Setup::of(infos[0].clone(), infos[0].format, spec.output.clone(), infos[0].format);
    setup.sides = infos[1..].iter().map(|info| SideStorage { info: info.clone(), src: info.format }).collect();
    let inputs: Vec<Vec<_>> = inputs.iter().map(|frames| frames.iter().map(Picture::planes).collect()).collect();
    run_levels(&*filter, &setup, &spec, &inputs, &FrameProps::default(), &one_thread()).0
}

/// A number that stands for a table: FNV-1a of its words. Tests keep it, so that a table which differs on another platform, or
/// after a change of how it is made, is seen before any picture is.
pub(crate) fn digest(words: impl IntoIterator<Item = u64>) -> u64 {
    let bytes = words.into_iter().flat_map(u64::to_le_bytes);
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// An executor for pictures that are not worth sharing.
pub(crate) fn one_thread() -> CpuExec {
    CpuExec::new(1, CpuLevel::Portable).unwrap()
}

/// What the reference of `filter` makes of these frames of each of its inputs, and what it measures. The fast kernel of
/// every level makes and measures the same.
pub(crate) fn run_levels(
    filter: &dyn Filter,
    setup: &Setup,
    spec: &Spec,
    inputs: &[Vec<Planes<'_>>],
    props: &FrameProps,
    exec: &CpuExec,
) -> (Picture, Record) {
    let windows: Vec<_> =
        inputs.iter().zip(&spec.reads).map(|(planes, reach)| InputWindow::new(planes, *reach)).collect();
    let run = |mut kernel: Box<dyn CpuKernel>| {
        let mut out = Picture::alloc(setup.dst, spec.output.width, spec.output.height).unwrap();
        let (phase, mut record) = (spec.cycle.phase(props.frame_index), Record::default());
        let (src, dst) = (Frames::new(&windows), out.planes_mut());
        kernel.run(CpuJob { props, phase, src, dst, record: &mut record, exec });
        (out, record)
    };
    let (out, record) = run(filter.reference(setup).unwrap());
    let text = filter.call();
    for level in CpuLevel::available() {
        let (fast, measured) = run(filter.cpu(setup, level).unwrap());
        for component in 0..out.planes().len() {
            assert_eq!(samples(&fast, component), samples(&out, component), "{text} {level}, component {component}");
        }
        assert_eq!(measured, record, "{text} {level}");
    }
    (out, record)
}
