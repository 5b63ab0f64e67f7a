//! What kernels do, and in which order.

use super::NlmeansParams;
use super::weights::Weights;
use crate::filters::Setup;

/// What is done to a stream.
pub struct Plan {
    pub weights: Weights,
    /// Which components are filtered.
    pub components: Vec<bool>,
    /// Frames before and after; samples to each side that are searched, and that surroundings reach.
    pub frames: isize,
    pub search: isize,
    pub patch: isize,
    pub wref: f32,
}

/// Where a sample lies that takes part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offset {
    pub frame: isize,
    pub x: isize,
    pub y: isize,
}

impl Plan {
    pub fn new(params: &NlmeansParams, setup: &Setup) -> Plan {
        let format = setup.input.format;
        Plan {
            weights: Weights::new(params),
            components: (0..format.components()).map(|component| params.filters(format, component)).collect(),
            frames: params.d as isize,
            search: params.a as isize,
            patch: params.s as isize,
            wref: params.wref as f32,
        }
    }

    /// Every place but the sample's own, in pairs that lie opposite each other: those that lie later, frame by frame and row by
    /// row, and behind each the one that lies as far earlier.
    pub fn offsets(&self) -> impl Iterator<Item = Offset> {
        let side = 2 * self.search + 1;
        let of = (self.frames + 1) * side * side;
        let middle = (side * side) / 2;
        let (search, plane) = (self.search, side * side);
        (middle + 1..of).flat_map(move |i| {
            let (x, y) = (i % side - search, i % plane / side - search);
            let later = Offset { frame: i / plane, x, y };
            [later, Offset { frame: -later.frame, x: -x, y: -y }]
        })
    }
}
