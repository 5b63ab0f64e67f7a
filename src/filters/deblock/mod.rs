//! `deblock`: the edges between a codec's blocks, smoothed.

#[cfg(feature = "cuda")]
mod cuda;
mod op;
mod tables;
#[cfg(test)]
mod tests;

#[cfg(feature = "cuda")]
use crate::device::cuda::CudaDevice;
#[cfg(feature = "cuda")]
use crate::error::Result;
use crate::filters::planes::PlaneSet;
use crate::filters::window::{self, Windowed};
#[cfg(feature = "cuda")]
use crate::filters::{CudaKernel, window::Plan};
use crate::filters::{Descriptor, Footprint};
use crate::params::{Choice, ParamKind, Params};
use crate::video::StreamInfo;
use op::{Deblock, Thresholds};

/// What is added to a quantiser.
const OFFSET: ParamKind = ParamKind::Int { min: -12, max: 12 };

crate::params! {
    /// The parameters of `deblock`.
    pub struct DeblockParams {
        /// How coarsely the film was quantised, as H.264 counts it: more smooths stronger and more edges. Up to 15 nothing changes, unless an offset adds to it.
        qp: i64 = 30, ParamKind::Int { min: 0, max: 51 }, unit "", aliases ["quant"];
        /// From one edge to the next, in samples of each plane: 8 for MPEG-2, MPEG-4 and JPEG; 4 for old H.264.
        block: i64 = 8, ParamKind::Int { min: 4, max: 16 }, unit "samples a side", aliases ["size"];
        /// How far samples may change, as H.264's boundary strength.
        strength: i64 = 3, ParamKind::Int { min: 1, max: 3 }, unit "", aliases [];
        /// Added to `qp` for the step that an edge may have, and for how far samples may change: more filters higher steps.
        alpha_offset: i64 = 0, OFFSET, unit "", aliases ["aoffset"];
        /// Added to `qp` for the difference that samples on a side may have: more filters what has texture.
        beta_offset: i64 = 0, OFFSET, unit "", aliases ["boffset"];
        #[doc = crate::filters::planes::planes_doc!()]
        planes: PlaneSet = PlaneSet::Yuv, ParamKind::Choice(<PlaneSet as Choice>::WORDS), unit "", aliases [];
    }
    presets {}
}

/// What `deblock` is.
pub static DESCRIPTOR: Descriptor = Descriptor {
    name: "deblock",
    aliases: &[],
    summary: "Smooths the edges between the blocks of strongly compressed films, and leaves the picture's own",
    definition: "\
The deblocking filter of ITU-T H.264 (clause 8.7.2.3, for boundary strengths 1 to 3) on every `block`th column and row of each \
plane but the first. Of the samples `p2 p1 p0 | q0 q1 q2` across an edge, those beside it change where `|p0 − q0| < α`, \
`|p1 − p0| < β` and `|q1 − q0| < β`: a step, but not a large one, between sides that are flat.

With `δ = (4·(q0 − p0) + p1 − q1 + 4) >> 3` within ±`tc`, `p0` becomes `p0 + δ` and `q0` becomes `q0 − δ`. Where `|p2 − p0| < β`, \
`p1` becomes `p1 + ((p2 + ((p0 + q0 + 1) >> 1) − 2·p1) >> 1)`, changed by no more than `tc0`; `q1` likewise. `tc` is `tc0` and \
one more for each side of which that holds. Chroma of fewer samples than luma keeps `p1` and `q1`, and its `tc` is `tc0 + 1`.

`α` and `tc0` are those of H.264's tables for `qp + alpha_offset`, `tc0` in the column of `strength`; `β` is that for \
`qp + beta_offset`. Upright edges are filtered first, all of them from the source; then level ones, from the result of that. With \
blocks of 4, where H.264 lets an edge see what the one before it did, this is another order. Beyond the border the nearest sample \
is replicated.

Accuracy: integers. Thresholds are codes of 8 bits at every depth, and samples have 16 bits: films of 10 bits, or what an earlier \
filter gives, are filtered as those of 8 bits are, and keep their fractions. The film's own quantiser is not read: `vramp` filters \
pictures, and knows nothing of how they were coded.

Cost: little arithmetic for each edge; most of it is reading and writing the samples.",
    schema: DeblockParams::SCHEMA,
    accepts: |_| true,
    footprint: Footprint::Window("three samples from an edge, on every plane"),
    temporal: "",
    changes: &[],
    neutral: &["qp=15", "qp=0:alpha_offset=12"],
    cases: &[
        "",
        "qp=45:block=4",
        "qp=51:block=16:strength=1:planes=y",
        "qp=36:block=5:strength=2:alpha_offset=6:beta_offset=-3",
    ],
    create: window::create::<DeblockParams>,
};

impl Windowed for DeblockParams {
    type Op = Deblock;
    const DESCRIPTOR: &'static Descriptor = &DESCRIPTOR;

    fn planes(&self) -> PlaneSet {
        self.planes
    }

    fn op(&self, input: &StreamInfo, component: usize) -> Option<Deblock> {
        let format = input.format;
        let is_subsampled = format.subsampling_w() > 0 || format.subsampling_h() > 0;
        let thresholds = Thresholds::new(self, format.code_step().into())?;
        Some(Deblock {
            block: self.block as usize,
            is_chroma: format.is_chroma(component) && is_subsampled,
            thresholds,
        })
    }

    #[cfg(feature = "cuda")]
    fn cuda_memory(_: &Plan<Deblock>, _: &CudaDevice) -> usize {
        0
    }

    #[cfg(feature = "cuda")]
    fn cuda(plan: Plan<Deblock>, device: &CudaDevice) -> Result<Box<dyn CudaKernel>> {
        cuda::kernel(&plan, device)
    }
}
