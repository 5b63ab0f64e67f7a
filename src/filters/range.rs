//! `range`: limited range from full, and full from limited.

use crate::device::cpu::CpuLevel;
#[cfg(feature = "cuda")]
use crate::device::cuda::CudaDevice;
use crate::error::{Error, Result};
#[cfg(feature = "cuda")]
use crate::filters::CudaKernel;
use crate::filters::requant::{BLACK, Dither, LIMITED_CHROMA, LIMITED_LUMA, NEUTRAL, Requant, Scaling, white};
use crate::filters::{Change, CpuKernel, Descriptor, Filter, Footprint, Points, Setup, Spec};
use crate::params::{Call, Choice, ParamKind, Params};
use crate::video::{Range, StreamInfo};
#[cfg(feature = "cuda")]
use std::sync::Arc;

crate::choices! {
    /// The range to convert to.
    pub enum To {
        /// The whole scale.
        Full = "full",
        /// The studio part of it.
        Limited = "limited",
    }
}

crate::params! {
    /// What `range` needs.
    pub struct RangeParams {
        /// The new range. `auto` keeps the stream's.
        to: Option<To> = None, ParamKind::Choice(<To as Choice>::WORDS), unit "", aliases ["range"];
    }
    presets {}
}

/// What `range` is.
pub static DESCRIPTOR: Descriptor = Descriptor {
    name: "range",
    aliases: &[],
    summary: "Converts between limited (studio) and full range",
    definition: "\
At depth `d`, limited range has luma, grey, R, G and B from `16·2^(d−8)` to `235·2^(d−8)` and chroma from `16·2^(d−8)` to \
`240·2^(d−8)`; full range has 0 to `2^d − 1` (ITU-T H.273). They map black to black and white to white, chroma scales \
about `2^(d−1)`, by the exact ratio. The result is rounded half up to the 16 bits between filters and not to `d` bits, \
so precision is lost only where the chain ends or `depth` cuts. Full range clips what lies beyond black and white. \
Range that is not stated counts as limited, and as full for RGB.

Accuracy: a result is the nearest of 16 bits to the exact one, at most half a code value from it, where nothing clips.

Cost: that of a copy and little more.",
    schema: RangeParams::SCHEMA,
    accepts: |format| !format.is_yc48(),
    footprint: Footprint::Point,
    temporal: "",
    changes: &[Change::Range],
    neutral: &["", "to=auto"],
    cases: &["full", "limited"],
    create: |call| Ok(Box::new(RangeFilter::new(RangeParams::from_call(call)?))),
};

/// The filter.
#[derive(Debug)]
pub struct RangeFilter {
    params: RangeParams,
}

/// One bit below v16 is enough to round.
const GUARD: u32 = 1;

impl RangeFilter {
    /// The filter with `params`.
    pub fn new(params: RangeParams) -> RangeFilter {
        RangeFilter { params }
    }

    fn requant(&self, input: &StreamInfo) -> Requant {
        let white = white(input.format.bit_depth());
        let (others, chroma) = match (self.params.to, input.is_full_range()) {
            (Some(To::Full), false) => (
                Scaling { from: BLACK, to: 0, num: white, den: LIMITED_LUMA, top: white },
                Scaling { from: NEUTRAL, to: NEUTRAL, num: white, den: LIMITED_CHROMA, top: white },
            ),
            (Some(To::Limited), true) => (
                Scaling { from: 0, to: BLACK, num: LIMITED_LUMA, den: white, top: 0xffff },
                Scaling { from: NEUTRAL, to: NEUTRAL, num: LIMITED_CHROMA, den: white, top: 0xffff },
            ),
            _ => (Scaling::identity(0xffff), Scaling::identity(0xffff)),
        };
        let scalings = Scaling::of_components(input.format, others, chroma);
        Requant { scalings, drop: 0, guard: GUARD, dither: Dither::None, animate: false }
    }
}

impl Filter for RangeFilter {
    fn descriptor(&self) -> &'static Descriptor {
        &DESCRIPTOR
    }

    fn call(&self) -> Call {
        self.params.to_call(DESCRIPTOR.name)
    }

    fn points(&self, input: &StreamInfo) -> Option<Points> {
        self.requant(input).points(input)
    }

    fn spec(&self, inputs: &[StreamInfo]) -> Result<Spec> {
        let input = &inputs[0];
        if input.format.is_yc48() {
            return Err(Error::unsupported("YC48 has a scale of its own: range cannot change it"));
        }
        let (range, identity) = match self.params.to {
            Some(To::Full) => (Range::Full, input.is_full_range()),
            Some(To::Limited) => (Range::Limited, !input.is_full_range()),
            None => (input.color.range, true),
        };
        let mut output = input.clone();
        output.color.range = range;
        Ok(Spec::copying(output, |_| identity))
    }

    fn reference(&self, setup: &Setup) -> Result<Box<dyn CpuKernel>> {
        self.requant(&setup.input).reference(setup)
    }

    fn cpu(&self, setup: &Setup, level: CpuLevel) -> Result<Box<dyn CpuKernel>> {
        self.requant(&setup.input).cpu(setup, level)
    }

    #[cfg(feature = "cuda")]
    fn cuda_memory(&self, setup: &Setup, _: &Arc<CudaDevice>) -> Result<usize> {
        Ok(self.requant(&setup.input).cuda_memory(setup))
    }

    #[cfg(feature = "cuda")]
    fn cuda(&self, setup: &Setup, device: &Arc<CudaDevice>) -> Result<Box<dyn CudaKernel>> {
        self.requant(&setup.input).cuda(setup, device)
    }
}
