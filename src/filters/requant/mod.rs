//! Requantising: what `depth` and `range` share.
//!
//! A value goes from one nominal scale to another by an exact ratio ([`Scaling`]), gets a threshold from 0 up to one
//! step of the new depth added, and is cut down to a whole step. Which threshold is the dither: one half rounds, a
//! pattern dithers, and the residues of the neighbours diffuse the error. A threshold never reaches a whole step, so
//! a value that the new depth holds exactly is never changed: but by triangular noise, whose thresholds reach half a step
//! beyond both ends.

#[cfg(test)]
mod blue_noise;
#[cfg(feature = "cuda")]
mod cuda;
mod diffuse;
mod kernel;
mod pattern;
mod reference;
mod scaling;
#[cfg(test)]
mod tests;
mod tuning;

pub(super) use scaling::{BLACK, LIMITED_CHROMA, LIMITED_LUMA, NEUTRAL, Scaling, bounds, white};

use crate::device::cpu::CpuLevel;
#[cfg(feature = "cuda")]
use crate::device::cuda::CudaDevice;
use crate::error::{Error, Result};
#[cfg(feature = "cuda")]
use crate::filters::CudaKernel;
use crate::filters::point::{Map, Points};
use crate::filters::{CpuKernel, Setup};
use crate::video::StreamInfo;
use std::array::from_fn;
use std::sync::Arc;

crate::choices! {
    /// What happens to the part of a value that the new depth cannot hold.
    pub enum Dither {
        /// Rounded half up.
        None = "none",
        /// An 8×8 Bayer matrix decides.
        Ordered = "ordered",
        /// A 64×64 blue noise table decides.
        Blue = "blue",
        /// Diffused to the neighbours that come later (Floyd and Steinberg).
        Fs = "fs",
        /// Decided by triangular noise two steps wide, which leaves no trace of where steps are.
        Tpdf = "tpdf",
    }
}

/// How every sample of a stream is requantised.
///
/// With `x = floor(2^guard·y)`, `y` being what the component's scaling maps a v16 value to, the result is
/// `((x + t) >> (drop + guard)) << drop` in v16, for a threshold `t` in `0..2^(drop + guard)`; triangular noise reaches
/// beyond, where codes are kept within those that there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Requant {
    /// How each component maps.
    pub scalings: [Scaling; 3],
    /// Bits at the low end of v16 that the new depth lacks.
    pub drop: u32,
    /// Bits computed below those of v16, so that a threshold decides on the exact ratio.
    pub guard: u32,
    /// Where thresholds come from.
    pub dither: Dither,
    /// Whether a pattern moves from frame to frame.
    pub animate: bool,
}

impl Requant {
    /// Bits of a threshold.
    fn fraction_bits(&self) -> u32 {
        self.drop + self.guard
    }

    /// What thresholds have added so that none is negative.
    fn bias(&self) -> i32 {
        if self.dither == Dither::Tpdf { 1 << self.fraction_bits() >> 1 } else { 0 }
    }

    /// The largest sum of a value and a threshold in component `component`, which still is the highest code.
    fn highest(&self, component: usize) -> i32 {
        (self.scalings[component].top << self.guard) + (1 << self.fraction_bits()) - 1
    }

    /// The same as functions of one sample, without a dither.
    pub fn points(self, input: &StreamInfo) -> Option<Points> {
        let of = |component: usize| -> Option<Map> {
            let half = 1 << self.fraction_bits() >> 1;
            let is_there = component < input.format.components();
            is_there.then(|| {
                Arc::new(move |v| {
                    let sum = self.scalings[component].exact(v, self.guard) + half;
                    (sum.min(self.highest(component)) >> self.fraction_bits() << self.drop) as u16
                }) as Map
            })
        };
        (self.dither == Dither::None).then(|| Points::of_maps(from_fn(of)))
    }

    /// The plain kernel.
    pub fn reference(self, setup: &Setup) -> Result<Box<dyn CpuKernel>> {
        check(setup)?;
        Ok(Box::new(reference::Reference::new(self, setup)))
    }

    /// The fast kernel at `level`.
    pub fn cpu(self, setup: &Setup, level: CpuLevel) -> Result<Box<dyn CpuKernel>> {
        check(setup)?;
        level.require()?;
        Ok(match self.dither {
            Dither::Fs => Box::new(diffuse::Diffuse::new(self, setup, level)),
            _ => Box::new(kernel::Threshold::new(self, level)),
        })
    }

    /// Bytes of device memory that the kernel there holds.
    #[cfg(feature = "cuda")]
    pub fn cuda_memory(&self, setup: &Setup) -> usize {
        cuda::Kernel::memory(self, setup)
    }

    /// The kernel on `device`.
    #[cfg(feature = "cuda")]
    pub fn cuda(self, setup: &Setup, device: &CudaDevice) -> Result<Box<dyn CudaKernel>> {
        Ok(Box::new(cuda::Kernel::new(self, setup, device)?))
    }
}

/// Refuses what has no v16 scale.
fn check(setup: &Setup) -> Result<()> {
    if setup.src.is_yc48() || setup.dst.is_yc48() {
        return Err(Error::unsupported("YC48 has its own signed scale: it cannot change depth or range"));
    }
    Ok(())
}
