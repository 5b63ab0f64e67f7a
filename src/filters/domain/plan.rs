//! The parameters worked out for one stream: what every kernel computes with.

use super::DomainParams;
use crate::filters::bilateral::Guide;
use crate::filters::planes::PlaneSet;
use crate::video::{Format, Model, StreamInfo};
use std::sync::Arc;

/// Bits of a difference that its weight does not see, and differences that are left.
pub(super) const DROP: u32 = 4;
pub(super) const STEPS: usize = 1 << (16 - DROP);

/// What neighbours that differ by so much weigh.
pub(super) type Table = [f32; STEPS];

/// The parameters worked out for one stream.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// One of each pass.
    pub tables: Arc<[Table]>,
    /// Base-two logarithms of the luma columns and rows that a chroma sample covers.
    pub subsampling: (usize, usize),
    format: Format,
    planes: PlaneSet,
    guide: Guide,
}

impl Plan {
    /// What `params` mean for `stream`.
    pub fn new(params: &DomainParams, stream: &StreamInfo) -> Plan {
        let format = stream.format;
        Plan {
            tables: tables(params, f64::from(format.code_step())),
            subsampling: (format.subsampling_w().into(), format.subsampling_h().into()),
            format,
            planes: params.planes,
            guide: params.guide,
        }
    }

    /// True when component `component` is filtered, and not just copied.
    pub fn filters(&self, component: usize) -> bool {
        self.planes.has(self.format, component)
    }

    /// True when luma steers component `component`.
    pub fn is_guided(&self, component: usize) -> bool {
        component > 0 && self.format.model() == Model::Yuv && self.guide == Guide::Luma
    }
}

/// The weights of every pass, where `code` values are a code value of 8 bits.
fn tables(params: &DomainParams, code: f64) -> Arc<[Table]> {
    let passes = params.passes as i32;
    // Four to the power of the number of passes.
    let all = f64::from(1u32 << (2 * passes));
    (1..=passes)
        .map(|pass| {
            let sigma = params.sigma_s * 3f64.sqrt() * f64::from(1u32 << (passes - pass)) / (all - 1.0).sqrt();
            let slope = params.sigma_s / params.sigma_r;
            let weight = |step: usize| {
                let difference = f64::from((step as u32) << DROP) / code;
                libm::exp(-(2f64.sqrt() / sigma) * (1.0 + slope * difference)) as f32
            };
            std::array::from_fn(weight)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filters::testing::digest;

    fn of(sigma_s: f64, sigma_r: f64, passes: i64) -> Arc<[Table]> {
        tables(&DomainParams { sigma_s, sigma_r, passes, ..DomainParams::default() }, 256.0)
    }

    #[test]
    fn weights_are_those_of_the_paper() {
        // One pass has the whole sigma: exp(−√2/2) = 0.4931; where neighbours differ by 10 codes, 1 + 2/5·10 = 5 times as far
        // apart: exp(−5·0.7071) = 0.0291.
        let [table] = &*of(2.0, 5.0, 1) else { panic!("one pass") };
        assert!((f64::from(table[0]) - 0.4931).abs() < 1e-4 && (f64::from(table[160]) - 0.0291).abs() < 1e-4);
        // The variances of passes sum to that of one: 1/σ² · 3·4^(3−i)/63 sums to 1.
        let sigmas = of(60.0, 25.0, 3).iter().map(|table| -2f64.sqrt() / f64::from(table[0]).ln()).collect::<Vec<_>>();
        let variance: f64 = sigmas.iter().map(|sigma| sigma * sigma).sum();
        assert!((variance.sqrt() - 60.0).abs() < 1e-3, "{sigmas:?}");
        assert!((sigmas[0] / sigmas[1] - 2.0).abs() < 1e-4);
        // A larger difference never weighs more, and equal samples always weigh something.
        for table in of(1000.0, 0.5, 5).iter().chain(&*of(1.0, 255.0, 5)) {
            assert!(table.is_sorted_by(|a, b| a >= b) && table[0] > 0.0 && table[0] < 1.0);
        }
    }

    #[test]
    fn tables_are_the_same_everywhere() {
        let words = |tables: Arc<[Table]>| digest(tables.iter().flatten().map(|weight| u64::from(weight.to_bits())));
        let got = [of(60.0, 25.0, 3), of(1.0, 255.0, 1), of(1000.0, 0.5, 5)].map(words);
        assert_eq!(got, [1_713_590_727_452_992_381, 6_954_379_175_526_375_235, 4_554_464_057_349_379_771]);
    }
}
