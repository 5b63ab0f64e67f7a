//! The parameters worked out for one stream: what every kernel computes with.

use super::weights::Weights;
use super::{BilateralParams, Guide, MOST};
use crate::filters::planes::PlaneSet;
use crate::video::{Format, Model, StreamInfo};

/// The parameters worked out for one stream.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    luma: Weights,
    chroma: Weights,
    /// Base-two logarithms of the luma columns and rows that a chroma sample covers.
    pub subsampling: (usize, usize),
    /// The components there are.
    format: Format,
    planes: PlaneSet,
    guide: Guide,
}

impl Plan {
    /// What `params` mean for `stream`.
    pub fn new(params: &BilateralParams, stream: &StreamInfo) -> Plan {
        let code = f64::from(stream.format.code_step());
        let subsampling = (usize::from(stream.format.subsampling_w()), usize::from(stream.format.subsampling_h()));
        let radius = |sigma: f64, own: Option<i64>| own.map_or_else(|| auto(3.0 * sigma), |radius| radius as usize);

        let sigma_s = params.sigma_s;
        let luma_radius = radius(sigma_s, params.radius);
        let luma = Weights::new((luma_radius, luma_radius), (sigma_s, sigma_s), params.sigma_r * code, false);

        let per_axis = |log2: usize| {
            let scale = (1 << log2) as f64;
            let sigma = params.sigma_s_c.unwrap_or(sigma_s / scale);
            let derived = params.radius.map(|radius| if radius == 0 { 0 } else { auto(radius as f64 / scale) as i64 });
            (radius(sigma, params.radius_c.or(derived)), sigma)
        };
        let ((width, sigma_w), (height, sigma_h)) = (per_axis(subsampling.0), per_axis(subsampling.1));
        let sigma_r = params.sigma_r_c.unwrap_or(params.sigma_r) * code;
        let guided = params.guide == Guide::Luma;
        Plan {
            luma,
            chroma: Weights::new((width, height), (sigma_w, sigma_h), sigma_r, guided),
            subsampling,
            format: stream.format,
            planes: params.planes,
            guide: params.guide,
        }
    }

    /// True when component `component` has chroma's options; what has no chroma is filtered as luma is.
    pub fn is_chroma(&self, component: usize) -> bool {
        component > 0 && self.format.model() == Model::Yuv
    }

    /// The weights of component `component`.
    pub fn weights(&self, component: usize) -> &Weights {
        if self.is_chroma(component) { &self.chroma } else { &self.luma }
    }

    /// True when component `component` is filtered, and not just copied.
    pub fn filters(&self, component: usize) -> bool {
        self.weights(component).radii() != (0, 0) && self.planes.has(self.format, component)
    }

    /// True when component `component` is weighed by luma's differences.
    pub fn is_guided(&self, component: usize) -> bool {
        self.is_chroma(component) && self.guide == Guide::Luma
    }

    /// The components that are filtered.
    pub fn filtered(&self) -> impl Iterator<Item = usize> {
        (0..self.format.components()).filter(|component| self.filters(*component))
    }
}

/// A radius that nobody gave.
fn auto(reach: f64) -> usize {
    (reach.round() as usize).clamp(1, MOST)
}
