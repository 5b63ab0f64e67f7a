//! `gradient`: takes banding out of smooth areas, and moves no sample by more than rounding may have moved it.

mod close;
#[cfg(feature = "cuda")]
mod cuda;
mod fast;
mod level;
mod plan;
mod reference;
mod ring;
mod rows;
mod simd;
mod smooth;
mod stage;
#[cfg(test)]
mod tests;
mod tuning;

use crate::device::cpu::CpuLevel;
#[cfg(feature = "cuda")]
use crate::device::cuda::CudaDevice;
use crate::error::{Error, Result};
#[cfg(feature = "cuda")]
use crate::filters::CudaKernel;
use crate::filters::deband::Field;
use crate::filters::planes::PlaneSet;
use crate::filters::{CpuKernel, Descriptor, Filter, Footprint, Setup, Spec};
use crate::params::{Call, Choice, ParamKind, Params};
use crate::video::StreamInfo;
use plan::Plan;
#[cfg(feature = "cuda")]
use std::sync::Arc;

/// In 256ths of a step. Twice the largest still fits the lanes of 16 bits that kernels compute in.
const BOUND: ParamKind = ParamKind::Int { min: 0, max: 1024 };
const NEAR: ParamKind = ParamKind::Int { min: 0, max: 2048 };
const BUMP: ParamKind = ParamKind::Int { min: 0, max: 4096 };

/// Of the evidence of 49 samples, each of 255 at most.
const EVIDENCE: ParamKind = ParamKind::Int { min: 0, max: 49 * 255 };

crate::params! {
    /// The parameters of `gradient`.
    pub struct GradientParams {
        /// How far the widest of four passes looks; half of it, rounded up, on subsampled planes. Bands up to about twice as
        /// wide vanish. `auto` follows the frame's height: 48 up to 810 rows, 64 at 1080, 128 at 2160.
        range: Option<i64> = None, ParamKind::Int { min: 1, max: 255 }, unit "samples", aliases ["r"];
        /// How far a sample may move: 128, half a step, is what rounding may have moved it. 0, with `slack=0`, keeps all.
        cell: i64 = 128, BOUND, unit "256ths of a step", aliases [], label "How far samples move";
        /// How much farther the last pass may move it.
        slack: i64 = 64, BOUND, unit "256ths of a step", aliases [], label "How much farther in the end";
        /// What is added to `cell` before a sample that lies beside its surroundings counts as texture.
        tol: i64 = 0, BOUND, unit "256ths of a step", aliases [], label "Tolerance beside texture";
        /// Evidence of texture, summed over 7×7 samples, up to which the filter works in full. Lower keeps fainter grain.
        s0: i64 = 60, EVIDENCE, unit "256ths of a step", aliases [], label "Texture up to";
        /// Evidence from which on it does nothing; more than `s0`.
        s1: i64 = 900, EVIDENCE, unit "256ths of a step", aliases [], label "Texture from";
        /// How near to a sample both others of a pair must be to count.
        t1: i64 = 384, NEAR, unit "256ths of a step", aliases [], label "Nearness of pairs";
        /// How far the first pass lets a pair's mean, doubled, lie beside the sample: more than a step is a peak or a dip.
        t2: i64 = 272, BUMP, unit "256ths of a step", aliases [], label "Peaks of the first pass";
        /// The same of the passes that follow.
        t2f: i64 = 336, BUMP, unit "256ths of a step", aliases [], label "Peaks of the later passes";
        /// As `t1`, where evidence is looked for.
        tm: i64 = 640, NEAR, unit "256ths of a step", aliases [], label "Nearness for evidence";
        /// The depth whose steps are the source's; `auto` is the stream's own depth, but 10 at most. 8 is for 10-bit
        /// encodes of 8-bit masters.
        bits: Option<i64> = None, ParamKind::Int { min: 8, max: 12 }, unit "bits", aliases [], label "Depth of the source";
        /// Filter the two fields of an interlaced frame as pictures of half the height; `auto` follows each frame's flag.
        field: Field = Field::Auto, ParamKind::Choice(<Field as Choice>::WORDS), unit "", aliases ["interlaced"], label "Interlaced";
        /// Keep results within limited range: 16..240 for chroma and 16..235 for all else, scaled to the depth.
        keep_tv_range: bool = false, ParamKind::Bool, unit "", aliases [], label "Keep limited range";
        #[doc = crate::filters::planes::planes_doc!()]
        planes: PlaneSet = PlaneSet::Yuv, ParamKind::Choice(<PlaneSet as Choice>::WORDS), unit "", aliases [];
    }
    presets {
        "film": "Keeps faint grain, down to a third of a step", [("s0", "20"), ("s1", "300")];
        "anime": "Flat drawings: wide bands, all of them", [("range", "80"), ("tol", "13"), ("s0", "100"), ("s1", "900")];
        "dark": "Night skies: bands of more than 60 samples with ragged edges", [("range", "96"), ("cell", "144"), ("tol", "13"), ("s0", "100"), ("s1", "900")];
        "codec": "Bands that an encoder made: blocks one or two steps high", [("cell", "192"), ("tol", "13"), ("s0", "60"), ("s1", "900"), ("t2", "320"), ("t2f", "400")];
        "gentle": "Narrow bands alone; touches next to nothing", [("range", "24"), ("cell", "96"), ("slack", "32")];
    }
}

/// What `gradient` is.
pub static DESCRIPTOR: Descriptor = Descriptor {
    name: "gradient",
    aliases: &[],
    summary: "Takes banding out of gradients, without noise, and leaves edges and texture alone",
    definition: include_str!("definition.md"),
    schema: GradientParams::SCHEMA,
    accepts: |format| !format.is_yc48(),
    footprint: Footprint::Window(
        "about 3.5 times `range` samples in each direction, 100 at least (of half the range on subsampled planes)",
    ),
    temporal: "",
    changes: &[],
    neutral: &["cell=0:slack=0", "cell=0:slack=0:field=on:range=3"],
    cases: &[
        "range=32",
        "field=on",
        "range=5:bits=8:field=off",
        "s0=20:s1=300:range=20",
        "planes=uv:preset=dark",
        "planes=yv:keep_tv_range=on:preset=codec",
        "range=40:cell=1024:slack=1024:t1=2048:t2=4096:t2f=4096:tm=2048:s0=12494:s1=12495",
        "range=1:s0=0:s1=1:bits=12:planes=y",
        "range=100:keep_tv_range=on:field=off:planes=yu",
        // The most that the kernels for pairs of samples take, and a little more.
        "range=40:cell=250:slack=250:t1=1023:t2=341:t2f=341:tm=767:bits=8",
        "range=40:cell=500:slack=0:t1=1023:t2=341:t2f=342:tm=768:bits=8",
        "cell=500:slack=0:s0=12000:s1=12495:bits=8",
    ],
    create: |call| Ok(Box::new(Gradient::new(GradientParams::from_call(call)?)?)),
};

/// `gradient` with its parameters set.
#[derive(Debug)]
struct Gradient {
    params: GradientParams,
}

impl Gradient {
    fn new(params: GradientParams) -> Result<Gradient> {
        let GradientParams { s0, s1, .. } = params;
        if s0 >= s1 {
            return Err(Error::bad_argument(format!(
                "gradient: s0={s0} must be less than s1={s1}: the filter fades out from the one to the other"
            )));
        }
        Ok(Gradient { params })
    }
}

impl Filter for Gradient {
    fn descriptor(&self) -> &'static Descriptor {
        &DESCRIPTOR
    }

    fn call(&self) -> Call {
        self.params.to_call(DESCRIPTOR.name)
    }

    fn spec(&self, inputs: &[StreamInfo]) -> Result<Spec> {
        let plan = Plan::new(&self.params, &inputs[0]);
        Ok(Spec::copying(inputs[0].clone(), |component| !plan.components[component].filters))
    }

    fn reference(&self, setup: &Setup) -> Result<Box<dyn CpuKernel>> {
        Ok(Box::new(reference::Reference::new(Plan::new(&self.params, &setup.input))))
    }

    fn cpu(&self, setup: &Setup, level: CpuLevel) -> Result<Box<dyn CpuKernel>> {
        Ok(Box::new(fast::Fast::new(Plan::new(&self.params, &setup.input), setup, level)?))
    }

    #[cfg(feature = "cuda")]
    fn cuda_batch(&self, setup: &Setup) -> usize {
        let samples = (setup.input.width * setup.input.height).max(1);
        tuning::cuda::ENOUGH_SAMPLES.div_ceil(samples).min(tuning::cuda::MOST_FRAMES)
    }

    #[cfg(feature = "cuda")]
    fn cuda_memory(&self, setup: &Setup, device: &Arc<CudaDevice>) -> Result<usize> {
        Ok(cuda::Kernel::memory(&Plan::new(&self.params, &setup.input), setup, device))
    }

    #[cfg(feature = "cuda")]
    fn cuda(&self, setup: &Setup, device: &Arc<CudaDevice>) -> Result<Box<dyn CudaKernel>> {
        Ok(Box::new(cuda::Kernel::new(Plan::new(&self.params, &setup.input), setup, device)?))
    }
}
