//! The parameters worked out for one stream: what every kernel computes with.

use super::BoxParams;
#[cfg(feature = "cuda")]
use super::mean::EightBitMean;
use super::mean::Mean;
use crate::filters::planes::PlaneSet;
use crate::video::{Format, StreamInfo};

/// The parameters worked out for one stream.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// How far the window reaches by column.
    pub radius_w: usize,
    /// How far it reaches by row.
    pub radius_h: usize,
    /// How often the mean is taken.
    pub passes: usize,
    /// The components there are.
    format: Format,
    planes: PlaneSet,
}

impl Plan {
    /// What `params` mean for `stream`.
    pub fn new(params: &BoxParams, stream: &StreamInfo) -> Plan {
        let radius = |own: Option<i64>| own.unwrap_or(params.radius) as usize;
        let plan = Plan {
            radius_w: radius(params.radius_w),
            radius_h: radius(params.radius_h),
            passes: params.passes as usize,
            format: stream.format,
            planes: params.planes,
        };
        // Planes are copied in one pass.
        if plan.is_identity() { Plan { passes: 1, ..plan } } else { plan }
    }

    /// True when component `component` is blurred, and not just copied.
    pub fn blurs(&self, component: usize) -> bool {
        (self.radius_w, self.radius_h) != (0, 0) && self.planes.has(self.format, component)
    }

    /// True when no sample can change.
    pub fn is_identity(&self) -> bool {
        !(0..self.format.components()).any(|component| self.blurs(component))
    }

    /// Columns and rows of the window.
    pub fn window(&self) -> (usize, usize) {
        (2 * self.radius_w + 1, 2 * self.radius_h + 1)
    }

    /// The mean of a window.
    pub fn mean(&self) -> Mean {
        let (columns, rows) = self.window();
        Mean::of((columns * rows) as u32)
    }

    /// The mean of a window of eight bits, rounded to eight bits.
    #[cfg(feature = "cuda")]
    pub fn eight_bit_mean(&self) -> Option<EightBitMean> {
        let (columns, rows) = self.window();
        EightBitMean::of((columns * rows) as u32)
    }
}
