//! A plane as the plain definitions see it.

use crate::simd::rows::SIGN;
use crate::video::{PlaneMut, PlaneRef, SampleType};

/// The lanes of a plane. Beyond its border the nearest one counts.
#[derive(Clone)]
pub struct Grid {
    width: usize,
    height: usize,
    lanes: Vec<u16>,
}

impl Grid {
    /// A plane of this one's size, with `value(x, y)` everywhere.
    pub fn map(&self, value: impl Fn(isize, isize) -> u16) -> Grid {
        Grid { lanes: self.places().map(|(x, y)| value(x, y)).collect(), ..*self }
    }

    /// Two planes of this one's size, with the values of `both(x, y)` everywhere.
    pub fn map_both(&self, both: impl Fn(isize, isize) -> (u16, u16)) -> [Grid; 2] {
        let (first, second): (Vec<u16>, Vec<u16>) = self.places().map(|(x, y)| both(x, y)).unzip();
        [first, second].map(|lanes| Grid { lanes, ..*self })
    }

    /// Columns and rows of every lane, row by row.
    fn places(&self) -> impl Iterator<Item = (isize, isize)> + use<> {
        let (width, height) = (self.width, self.height);
        (0..height).flat_map(move |y| (0..width).map(move |x| (x as isize, y as isize)))
    }

    /// Columns and rows.
    pub fn size(&self) -> (usize, usize) {
        (self.width, self.height)
    }

    /// The lane at (x, y), or that of the border nearest to it.
    pub fn at(&self, x: isize, y: isize) -> u16 {
        let inside = |at: isize, len: usize| at.clamp(0, len as isize - 1) as usize;
        self.lanes[inside(y, self.height) * self.width + inside(x, self.width)]
    }

    /// The lanes of the window of these radii around (x, y), row by row.
    pub fn window(&self, (rx, ry): (usize, usize), x: isize, y: isize) -> impl Iterator<Item = u16> {
        let reach = |radius: usize| -(radius as isize)..=radius as isize;
        reach(ry).flat_map(move |dy| reach(rx).map(move |dx| self.at(x + dx, y + dy)))
    }

    /// Those of `plane`.
    pub fn read(plane: &PlaneRef<'_>) -> Grid {
        let is_signed = plane.layout().sample == SampleType::I16;
        let empty = Grid { width: plane.width(), height: plane.height(), lanes: Vec::new() };
        empty.map(|x, y| match is_signed {
            true => plane.get(x as usize, y as usize) as u16 ^ SIGN,
            false => plane.v16(x as usize, y as usize),
        })
    }

    /// Stores them in a plane of this size.
    pub fn write(&self, plane: &mut PlaneMut<'_>) {
        let is_signed = plane.layout().sample == SampleType::I16;
        for (i, lane) in self.lanes.iter().enumerate() {
            let (x, y) = (i % self.width, i / self.width);
            match is_signed {
                true => plane.set(x, y, i32::from((lane ^ SIGN) as i16)),
                false => plane.set_v16(x, y, *lane),
            }
        }
    }
}
