//! How far two frames are apart, and the metrics that follow from it.

/// Where two planes differ most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Largest {
    /// The sample's column.
    pub x: usize,
    /// The sample's row.
    pub y: usize,
    /// The sample in the first picture.
    pub a: u16,
    /// The sample in the second.
    pub b: u16,
}

impl Largest {
    /// The difference, in code values.
    pub fn value(self) -> u16 {
        self.a.abs_diff(self.b)
    }
}

/// How far two planes are apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlaneDifference {
    /// Samples of the plane.
    pub samples: u64,
    /// Sum of the squared differences, in code values.
    pub squared: u64,
    /// Structural similarity, 1 for equal planes.
    pub ssim: f64,
    /// The first sample, row by row, with the largest difference; `None` for equal planes.
    pub largest: Option<Largest>,
}

impl PlaneDifference {
    /// Mean squared error.
    pub fn mse(&self) -> f64 {
        self.squared as f64 / self.samples as f64
    }
}

/// How far two frames are apart.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameDifference {
    /// Each plane, in the format's order.
    pub planes: Vec<PlaneDifference>,
}

impl FrameDifference {
    /// True when every sample is the same.
    pub fn is_none(&self) -> bool {
        self.planes.iter().all(|plane| plane.squared == 0)
    }

    /// Mean squared error over the samples of all planes.
    pub fn mse(&self) -> f64 {
        self.planes.iter().map(|plane| plane.squared).sum::<u64>() as f64 / self.samples() as f64
    }

    /// The planes' similarity, weighted by their samples.
    pub fn ssim(&self) -> f64 {
        let weighted = self.planes.iter().map(|plane| plane.ssim * plane.samples as f64).sum::<f64>();
        weighted / self.samples() as f64
    }

    /// The largest difference of any plane, 0 for equal frames.
    pub fn largest(&self) -> u16 {
        self.planes.iter().filter_map(|plane| plane.largest).map(Largest::value).max().unwrap_or(0)
    }

    fn samples(&self) -> u64 {
        self.planes.iter().map(|plane| plane.samples).sum()
    }
}

/// The largest code value at `bit_depth`, PSNR's and SSIM's peak.
pub(super) fn peak(bit_depth: u8) -> f64 {
    f64::from((1u32 << bit_depth) - 1)
}

/// Peak signal-to-noise ratio in dB of a mean squared error at `bit_depth`; infinite without an error.
pub fn psnr(mse: f64, bit_depth: u8) -> f64 {
    10.0 * (peak(bit_depth).powi(2) / mse).log10()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plane(samples: u64, squared: u64, ssim: f64) -> PlaneDifference {
        PlaneDifference { samples, squared, ssim, largest: None }
    }

    #[test]
    fn psnr_by_hand() {
        // 10·log10(255² / 1) = 20·log10(255).
        assert!((psnr(1.0, 8) - 48.130_803_608_679_1).abs() < 1e-12);
        // 1023²/1023 = 1023.
        assert!((psnr(1023.0, 10) - 30.098_756_337_121_6).abs() < 1e-12);
        assert_eq!(psnr(0.0, 8), f64::INFINITY);
        assert_eq!(psnr(255.0 * 255.0, 8), 0.0);
    }

    #[test]
    fn planes_weigh_as_many_samples_as_they_have() {
        let frame = FrameDifference { planes: vec![plane(4, 8, 0.5), plane(1, 1, 1.0), plane(1, 3, 0.0)] };
        assert_eq!(frame.mse(), 2.0);
        assert_eq!(frame.ssim(), 0.5);
        assert!(!frame.is_none() && FrameDifference { planes: vec![plane(4, 0, 1.0)] }.is_none());
    }
}
