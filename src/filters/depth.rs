//! `depth`: another bit depth.

use crate::device::cpu::CpuLevel;
#[cfg(feature = "cuda")]
use crate::device::cuda::CudaDevice;
use crate::error::{Error, Result};
#[cfg(feature = "cuda")]
use crate::filters::CudaKernel;
use crate::filters::requant::{NEUTRAL, Requant, Scaling, white};
use crate::filters::{Change, CpuKernel, Descriptor, Filter, Footprint, Points, Setup, Spec};
use crate::params::{Call, Choice, ParamKind, Params};
use crate::video::{Format, Layout, StreamInfo};
#[cfg(feature = "cuda")]
use std::sync::Arc;

pub use crate::filters::requant::Dither;

crate::params! {
    /// What `depth` needs.
    pub struct DepthParams {
        /// The new depth. `auto` keeps the stream's depth and all 16 bits between filters.
        bits: Option<i64> = None, ParamKind::Int { min: 8, max: 16 }, unit "bits", aliases ["depth", "bit_depth"], label "Depth";
        /// What happens to the part of a value that the new depth cannot hold: it is rounded (`none`), decided by an
        /// 8×8 Bayer matrix (`ordered`), by a blue noise table (`blue`) or by triangular noise two steps wide (`tpdf`), or
        /// diffused to the neighbours (`fs`).
        dither: Dither = Dither::None, ParamKind::Choice(<Dither as Choice>::WORDS), unit "", aliases [];
        /// Whether the pattern of `ordered`, `blue` and `tpdf` moves from frame to frame. One that stands still compresses
        /// better.
        animate: bool = false, ParamKind::Bool, unit "", aliases [], label "Moving pattern";
    }
    presets {}
}

/// What `depth` is.
pub static DESCRIPTOR: Descriptor = Descriptor {
    name: "depth",
    aliases: &[],
    summary: "Changes the bit depth, rounding or with one of four dithers",
    definition: "\
Limited range (and range that is not stated, but for RGB, which then is full) shifts: a code value `v` of `a` bits becomes `v·2^(b−a)` of `b` bits. Full \
range scales by the exact ratio `(2^b − 1)/(2^a − 1)`, chroma about its neutral value, so that white stays white. What \
`b` bits cannot hold is decided by a threshold `t` from 0 up to one step: `floor(v + t)`.

- `none`: `t` is one half.
- `ordered`: `t = (2r + 1)/128`, `r` from Bayer's 8×8 matrix (*An optimum method for two-level rendition of \
continuous-tone pictures*, 1973).
- `blue`: `t = (2r + 1)/8192`, `r` from a 64×64 table made by Ulichney's method (*The void-and-cluster method for \
dither array generation*, 1993).
- `tpdf`: `t = (2d + 4096)/8192`, `d` the difference of two entries of that table, 45 columns and 26 rows apart: \
triangular noise, from half a step below to half a step above what `blue` has. Its error has the same mean and spread \
everywhere, so that nothing shows where the steps of the new depth are (Lipshitz, Wannamaker and Vanderkooy, *Quantization \
and dither*, 1992). Codes stay within those that there are.
- `fs`: error diffusion with Floyd and Steinberg's weights (*An adaptive algorithm for spatial grey scale*, 1976), \
every row from left to right. `t` is the mean of the neighbours' fractions in those weights, 7/16 from the left and \
1/16, 5/16, 3/16 from above; outside the picture the fraction is one half, which is no error. It is computed in \
integers of 6 bits more than 16-bit video has, rounded half up.

A value that the new depth holds exactly is never changed by a dither but `tpdf`. Planes use different parts of a pattern.

Accuracy: without a dither a value is the nearest that the depth has to the exact one, half up; full range is computed in \
exact ratios. The thresholds of a pattern have a mean of one half, so that it adds nothing.

Cost: that of a copy and little more, but for `fs`, whose samples wait for those to their left and above.",
    schema: DepthParams::SCHEMA,
    accepts: |format| !format.is_yc48(),
    footprint: Footprint::Causal,
    temporal: "",
    changes: &[Change::BitDepth],
    neutral: &["", "bits=auto", "animate=on"],
    cases: &[
        "bits=8",
        "bits=10",
        "bits=16",
        "bits=8:dither=ordered",
        "bits=10:dither=ordered:animate=on",
        "bits=8:dither=blue",
        "bits=10:dither=blue:animate=on",
        "bits=13:dither=blue",
        "bits=8:dither=fs",
        "bits=10:dither=fs",
        "bits=16:dither=fs",
        "bits=10:dither=tpdf",
        "bits=8:dither=tpdf:animate=on",
        "bits=16:dither=tpdf",
    ],
    create: |call| Ok(Box::new(Depth::new(DepthParams::from_call(call)?)?)),
};

/// The filter.
#[derive(Debug)]
pub struct Depth {
    params: DepthParams,
}

/// Bits below v16: full range's ratios differ from one by at most 2^−8, which leaves room for six.
const GUARD: u32 = 6;

impl Depth {
    /// The filter that gives `bits` bits, 8 to 16.
    pub fn to(bits: u8, dither: Dither) -> Depth {
        Depth { params: DepthParams { bits: Some(bits.into()), dither, animate: false } }
    }

    /// The filter with `params`.
    ///
    /// # Errors
    /// For a dither without a depth to dither to.
    pub fn new(params: DepthParams) -> Result<Depth> {
        if params.bits.is_none() && params.dither != Dither::None {
            let dither = params.get("dither");
            return Err(Error::bad_argument(format!(
                "depth: dither={dither} needs a depth to dither to: add bits=10, or another"
            )));
        }
        Ok(Depth { params })
    }

    fn bits(&self, input: &StreamInfo) -> u8 {
        self.params.bits.map_or(input.format.bit_depth(), |bits| bits as u8)
    }

    /// Whether code values change by more than a shift.
    fn scales(&self, input: &StreamInfo) -> bool {
        input.is_full_range() && input.format.bit_depth() != self.bits(input)
    }

    fn requant(&self, input: &StreamInfo) -> Requant {
        let dropped = if self.params.bits.is_some() { self.bits(input) } else { 16 };
        let top = white(dropped);
        let (from_white, to_white) = (white(input.format.bit_depth()), white(self.bits(input)));
        let (others, chroma) = if input.is_full_range() && from_white != to_white {
            let others = Scaling { from: 0, to: 0, num: to_white, den: from_white, top };
            (others, Scaling { from: NEUTRAL, to: NEUTRAL, ..others })
        } else {
            (Scaling::identity(top), Scaling::identity(top))
        };
        let scalings = Scaling::of_components(input.format, others, chroma);
        // What drops no bits has no steps to hide.
        let dither =
            if dropped == 16 && self.params.dither == Dither::Tpdf { Dither::None } else { self.params.dither };
        let animate = self.params.animate;
        Requant { scalings, drop: u32::from(16 - dropped), guard: GUARD, dither, animate }
    }
}

/// `format` with `bits` bits, semi-planar where there is such a format.
fn at_depth(format: Format, bits: u8) -> Result<Format> {
    match format.layout() {
        _ if format.is_yc48() => Err(Error::unsupported("YC48 has a scale of its own: depth cannot change it")),
        Layout::SemiPlanar => Format::semi_planar(bits).or_else(|_| format.to_planar(bits)),
        _ => format.to_planar(bits),
    }
}

impl Filter for Depth {
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
        let output = StreamInfo { format: at_depth(input.format, self.bits(input))?, ..input.clone() };
        // Samples between filters have 16 bits whatever the stream's depth is, so a lower depth always cuts.
        let identity = self.params.bits.is_none() || (self.bits(input) == 16 && !self.scales(input));
        let rounds = self.params.bits.is_some() && self.params.dither == Dither::None && !self.scales(input);
        let rounds_to = rounds.then(|| self.bits(input));
        Ok(Spec { rounds_to, ..Spec::copying(output, |_| identity) })
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
