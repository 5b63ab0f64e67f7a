//! The plain scalar kernel.

use super::map::Map;
use crate::simd::rows::SIGN;
use crate::video::{PlaneMut, PlaneRef, Planes, PlanesMut};

/// Moves every sample, one at a time. Where both pictures store samples alike, they are copied as they are stored.
pub fn apply(maps: &[Map; 3], src: &Planes<'_>, dst: &mut PlanesMut<'_>) {
    for (component, src) in src.iter().enumerate() {
        let dst = dst.get_mut(component);
        let (width, height) = (dst.width(), dst.height());
        for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
            let (from_x, from_y) = maps[component].place(x, y, src.height());
            match (usize::try_from(from_x), usize::try_from(from_y)) {
                (Ok(from_x), Ok(from_y)) if from_x < src.width() && from_y < src.height() => {
                    move_sample(src, from_x, from_y, dst, x, y);
                }
                _ => fill_sample(dst, x, y, maps[component].fill()),
            }
        }
    }
}

fn move_sample(src: &PlaneRef<'_>, from_x: usize, from_y: usize, dst: &mut PlaneMut<'_>, x: usize, y: usize) {
    if src.layout() == dst.layout() {
        dst.set(x, y, src.get(from_x, from_y));
    } else {
        dst.set_v16(x, y, src.v16(from_x, from_y));
    }
}

fn fill_sample(dst: &mut PlaneMut<'_>, x: usize, y: usize, lane: u16) {
    match dst.layout().sample {
        crate::video::SampleType::I16 => dst.set(x, y, i32::from((lane ^ SIGN) as i16)),
        _ => dst.set_v16(x, y, lane),
    }
}
