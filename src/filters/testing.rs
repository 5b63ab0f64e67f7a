//! What the tests of neighbourhood filters share.

use super::{Filter, Setup};
use crate::device::cpu::{CpuExec, CpuLevel};
use crate::video::{Format, FrameProps, Picture, StreamInfo};

pub(super) fn gray16() -> Format {
    Format::gray(16).unwrap()
}

/// A picture of `format` with `value(component, x, y)` as stored samples.
pub(super) fn picture(
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
pub(super) fn samples(picture: &Picture, component: usize) -> Vec<i32> {
    let plane = picture.planes()[component];
    (0..plane.height()).flat_map(|y| (0..plane.width()).map(move |x| plane.get(x, y))).collect()
}

/// What the reference of `filter` makes of `src`, stored as `dst`; the fast kernels make the same.
pub(super) fn run(filter: &dyn Filter, src: &Picture, dst: Format) -> Picture {
    let input = StreamInfo::bare(src.format(), src.width(), src.height());
    let setup = Setup::of(input.clone(), src.format(), input, dst);
    let exec = CpuExec::new(1, CpuLevel::Portable).unwrap();
    let mut out = Picture::alloc(dst, src.width(), src.height()).unwrap();
    filter.reference(&setup).unwrap().run_alone(&FrameProps::default(), &src.planes(), &mut out.planes_mut(), &exec);
    for level in CpuLevel::available() {
        let mut fast = Picture::alloc(dst, src.width(), src.height()).unwrap();
        filter.cpu(&setup, level).unwrap().run_alone(
            &FrameProps::default(),
            &src.planes(),
            &mut fast.planes_mut(),
            &exec,
        );
        (0..src.planes().len()).for_each(|c| assert_eq!(samples(&fast, c), samples(&out, c), "{level}, component {c}"));
    }
    out
}
