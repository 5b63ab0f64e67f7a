//! The parameters worked out for one stream: what every kernel computes with.

use super::GaussParams;
use super::weights::weights;
use crate::filters::planes::PlaneSet;
use crate::video::{Format, StreamInfo};

/// The parameters worked out for one stream.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// The weight of the middle, and of those ever farther away on both sides.
    pub weights: Vec<u32>,
    /// The components there are.
    format: Format,
    planes: PlaneSet,
}

impl Plan {
    /// What `params` mean for `stream`.
    pub fn new(params: &GaussParams, stream: &StreamInfo) -> Plan {
        let radius = params.radius.map_or_else(|| (3.0 * params.sigma).ceil() as usize, |radius| radius as usize);
        Plan { weights: weights(params.sigma, radius), format: stream.format, planes: params.planes }
    }

    /// How far samples count, in each direction.
    pub fn radius(&self) -> usize {
        self.weights.len() - 1
    }

    /// True when component `component` is blurred, and not just copied.
    pub fn blurs(&self, component: usize) -> bool {
        self.radius() > 0 && self.planes.has(self.format, component)
    }
}
