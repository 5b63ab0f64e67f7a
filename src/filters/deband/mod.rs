//! `deband`: repairs banded gradients, after AviUtl's banding reduction filter.

mod angle;
#[cfg(feature = "cuda")]
mod cuda;
mod fast;
mod fetch;
mod foreign;
mod plan;
mod reference;
mod rows;
mod simd;
mod soft;
mod table;
#[cfg(test)]
mod tests;
mod tuning;

use crate::device::cpu::CpuLevel;
#[cfg(feature = "cuda")]
use crate::device::cuda::CudaDevice;
use crate::error::Result;
#[cfg(feature = "cuda")]
use crate::filters::CudaKernel;
use crate::filters::planes::PlaneSet;
use crate::filters::{Alias, CpuKernel, Descriptor, Filter, Footprint, Setup, Spec};
use crate::params::{Call, Choice, ParamKind, Params};
use crate::video::StreamInfo;
use plan::Plan;
#[cfg(feature = "cuda")]
use std::sync::Arc;

crate::choices! {
    /// Whether vertical offsets stay within one field of an interlaced frame.
    pub enum Field {
        /// As the frame's own flag says.
        Auto = "auto",
        /// Every frame is one picture.
        Off = "off",
        /// Every frame is two fields.
        On = "on",
    }
}

crate::choices! {
    /// What becomes of references that would lie outside the picture.
    pub enum Border {
        /// There are none: towards the border the range shrinks.
        Shrink = "shrink",
        /// The nearest sample inside is one.
        Extend = "extend",
    }
}

/// f3kdb's thresholds and grain are 64ths of an 8-bit step.
const F3KDB_STEPS: [(&str, i64); 11] = [
    ("y", 16),
    ("cb", 16),
    ("cr", 16),
    ("y_1", 16),
    ("cb_1", 16),
    ("cr_1", 16),
    ("y_2", 16),
    ("cb_2", 16),
    ("cr_2", 16),
    ("grainy", 4),
    ("grainc", 4),
];

crate::params! {
    /// The parameters of `deband`.
    pub struct DebandParams {
        /// How far reference samples may lie, in each direction. Halved on subsampled planes.
        range: i64 = 15, ParamKind::Int { min: 0, max: 127 }, unit "samples", aliases ["r"];
        /// How much a sample may differ from its references and still be banding: 4 is one 8-bit step (2 with
        /// `blur_first`). Sets every component that has no threshold of its own.
        threshold: i64 = 15, ParamKind::Int { min: 0, max: 31 }, unit "quarters of an 8-bit step", aliases ["thre", "thr"];
        /// Threshold of luma, or of R, G and B; `auto` is `threshold`.
        y: Option<i64> = None, ParamKind::Int { min: 0, max: 31 }, unit "quarters of an 8-bit step", aliases ["Y", "thre_y"], label "Threshold of luma";
        /// Threshold of Cb; `auto` is `threshold`.
        cb: Option<i64> = None, ParamKind::Int { min: 0, max: 31 }, unit "quarters of an 8-bit step", aliases ["Cb", "thre_cb"], label "Threshold of Cb";
        /// Threshold of Cr; `auto` is `threshold`.
        cr: Option<i64> = None, ParamKind::Int { min: 0, max: 31 }, unit "quarters of an 8-bit step", aliases ["Cr", "thre_cr"], label "Threshold of Cr";
        /// Noise added after debanding: 16 reaches one 8-bit step up and down. `auto` is 15, or 0 for `sample=0`.
        dither: Option<i64> = None, ParamKind::Int { min: 0, max: 31 }, unit "16ths of an 8-bit step", aliases ["grain"], label "Noise";
        /// Noise on luma, or on R, G and B; `auto` is `dither`.
        dither_y: Option<i64> = None, ParamKind::Int { min: 0, max: 31 }, unit "16ths of an 8-bit step", aliases ["ditherY", "grain_y", "grainY", "grainy"], label "Noise on luma";
        /// Noise on Cb and Cr; `auto` is `dither`.
        dither_c: Option<i64> = None, ParamKind::Int { min: 0, max: 31 }, unit "16ths of an 8-bit step", aliases ["ditherC", "grain_c", "grainC", "grainc"], label "Noise on chroma";
        /// References of a sample: 0 copies one, 1 averages a pair, 2 averages two pairs at right angles. As f3kdb numbers them,
        /// 3 is a pair in the row, 4 the mean of a pair in the column and one in the row, and 5 both at once, with three thresholds;
        /// 6 is 5 with soft thresholds, and 7 raises those where the gradient is steady.
        sample: i64 = 1, ParamKind::Int { min: 0, max: 7 }, unit "", aliases ["sample_mode"], label "References";
        /// Chooses the random table. Seeds 2^32 apart are the same, so -1 and 4294967295 are.
        seed: i64 = 0, ParamKind::Int { min: -2_147_483_648, max: 4_294_967_295 }, unit "", aliases [], label "Random seed";
        /// Compare a sample with the average of its references, not with each of them. Removes more, detail included.
        blur_first: bool = false, ParamKind::Bool, unit "", aliases ["blurfirst", "blur"], label "Compare with the average";
        /// Other offsets and noise in each of 16 successive frames, so that neither stands still.
        rand_each_frame: bool = false, ParamKind::Bool, unit "", aliases ["dynamic_grain"], label "Moving noise";
        /// Keep vertical offsets within a field; `auto` follows each frame's interlace flag.
        field: Field = Field::Auto, ParamKind::Choice(<Field as Choice>::WORDS), unit "", aliases ["interlaced"], label "Interlaced";
        /// Keep results within limited range: 16..240 for chroma and 16..235 for all else, scaled to the depth.
        keep_tv_range: bool = false, ParamKind::Bool, unit "", aliases [], label "Keep limited range";
        #[doc = crate::filters::planes::planes_doc!()]
        planes: PlaneSet = PlaneSet::Yuv, ParamKind::Choice(<PlaneSet as Choice>::WORDS), unit "", aliases [];
        /// References that would lie outside: `shrink` lets the range shrink towards the border, as AviUtl does, so that the
        /// outermost samples are not debanded; `extend` takes the nearest sample inside, and debands at full strength up to the edge.
        border: Border = Border::Shrink, ParamKind::Choice(<Border as Choice>::WORDS), unit "", aliases [];
        /// With `sample` from 5 on, how much luma, or R, G and B, may differ from any one reference; `auto` is `y`.
        y_1: Option<i64> = None, ParamKind::Int { min: 0, max: 31 }, unit "quarters of an 8-bit step", aliases ["Y_1"], label "Any reference, luma";
        /// The same of Cb; `auto` is `cb`.
        cb_1: Option<i64> = None, ParamKind::Int { min: 0, max: 31 }, unit "quarters of an 8-bit step", aliases ["Cb_1"], label "Any reference, Cb";
        /// The same of Cr; `auto` is `cr`.
        cr_1: Option<i64> = None, ParamKind::Int { min: 0, max: 31 }, unit "quarters of an 8-bit step", aliases ["Cr_1"], label "Any reference, Cr";
        /// With `sample` from 5 on, how much luma, or R, G and B, may differ from the middle of each pair; `auto` is `y`.
        y_2: Option<i64> = None, ParamKind::Int { min: 0, max: 31 }, unit "quarters of an 8-bit step", aliases ["Y_2"], label "Middle of pairs, luma";
        /// The same of Cb; `auto` is `cb`.
        cb_2: Option<i64> = None, ParamKind::Int { min: 0, max: 31 }, unit "quarters of an 8-bit step", aliases ["Cb_2"], label "Middle of pairs, Cb";
        /// The same of Cr; `auto` is `cr`.
        cr_2: Option<i64> = None, ParamKind::Int { min: 0, max: 31 }, unit "quarters of an 8-bit step", aliases ["Cr_2"], label "Middle of pairs, Cr";
        /// With `sample=7`, what multiplies the thresholds where the gradient is steady.
        angle_boost: f64 = 1.5, ParamKind::Float { min: 0.1, max: 10.0 }, unit "", aliases [], label "Boost of steady gradients";
        /// With `sample=7`, by how much the angles of a steady gradient differ at most: 1 is half a turn.
        max_angle: f64 = 0.15, ParamKind::Float { min: 0.0, max: 1.0 }, unit "half turns", aliases [], label "Steady within";
    }
    presets {
        "gentle": "Bands of one step in clean sources; keeps most texture", [("range", "12"), ("threshold", "6"), ("dither", "6")];
        "anime": "Flat drawings with wide bands: long reach, four references", [("range", "24"), ("threshold", "16"), ("dither", "8"), ("sample", "2")];
        "strong": "The most it removes; fine texture goes too", [("range", "31"), ("threshold", "31"), ("sample", "2")];
        "nograin": "The defaults without added noise; for output of 10 bits and more", [("dither", "0")];
    }
}

/// What `deband` is.
pub static DESCRIPTOR: Descriptor = Descriptor {
    name: "deband",
    aliases: &[Alias::foreign("f3kdb", "f3kdb", "deband=range=15:threshold=4")
        .rewritten(foreign::f3kdb)
        .finer(&F3KDB_STEPS)],
    summary: "Repairs banded gradients: averages random neighbours where they differ little, and adds a little noise",
    definition: include_str!("definition.md"),
    schema: DebandParams::SCHEMA,
    accepts: |_| true,
    footprint: Footprint::Window("`range` samples in each direction (half of it on subsampled planes)"),
    temporal: "",
    changes: &[],
    neutral: &["threshold=0:dither=0"],
    cases: &[
        "sample=1",
        "sample=2",
        "sample=0",
        "sample=0:dither=9",
        "sample=1:blur_first=on",
        "sample=2:blur_first=on",
        "sample=0:field=on",
        "sample=1:field=on",
        "sample=2:field=on:blur_first=on",
        "sample=1:rand_each_frame=on:seed=7",
        "sample=2:rand_each_frame=on:field=on",
        "range=127:threshold=31:sample=2",
        "range=80:threshold=20:sample=1",
        "range=1:threshold=31",
        "range=31:y=20:cb=0:cr=9:dither_y=31:dither_c=0:keep_tv_range=on",
        "threshold=31:dither=31:planes=y",
        "sample=2:threshold=31:dither=31:keep_tv_range=on:planes=u",
        "sample=0:range=127:threshold=31:dither=31:keep_tv_range=on:planes=yv",
        "blur_first=on:threshold=31:dither=31:planes=uv",
        "sample=3",
        "sample=3:blur_first=on:rand_each_frame=on",
        "sample=4",
        "sample=4:blur_first=on:threshold=31:field=on",
        "sample=5",
        "sample=5:threshold=20:y_1=31:y_2=12:cb_1=3:cr_2=25:field=on",
        "border=extend",
        "sample=0:threshold=31:border=extend:field=on",
        "sample=2:range=127:threshold=31:border=extend:field=on",
        "sample=2:blur_first=on:border=extend:rand_each_frame=on:planes=yu",
        "sample=3:range=31:threshold=31:border=extend",
        "sample=4:field=on:threshold=31:border=extend:keep_tv_range=on",
        "sample=5:threshold=31:border=extend:field=on",
        "sample=6",
        "sample=6:threshold=20:y_1=31:y_2=12:cb_1=3:cr_2=25:field=on:border=extend",
        "sample=7",
        "sample=7:threshold=20:max_angle=0.6:angle_boost=4:field=on",
        "sample=7:threshold=31:angle_boost=0.5:max_angle=1:border=extend",
    ],
    create: |call| Ok(Box::new(Deband { params: DebandParams::from_call(call)? })),
};

/// `deband` with its parameters set.
#[derive(Debug)]
struct Deband {
    params: DebandParams,
}

impl Filter for Deband {
    fn descriptor(&self) -> &'static Descriptor {
        &DESCRIPTOR
    }

    fn call(&self) -> Call {
        self.params.to_call(DESCRIPTOR.name)
    }

    fn spec(&self, inputs: &[StreamInfo]) -> Result<Spec> {
        let identity = Plan::new(&self.params, &inputs[0]).is_identity();
        Ok(Spec::copying(inputs[0].clone(), |_| identity))
    }

    fn reference(&self, setup: &Setup) -> Result<Box<dyn CpuKernel>> {
        Ok(Box::new(reference::Reference::new(Plan::for_setup(&self.params, setup)?)?))
    }

    fn cpu(&self, setup: &Setup, level: CpuLevel) -> Result<Box<dyn CpuKernel>> {
        Ok(Box::new(fast::Fast::new(Plan::for_setup(&self.params, setup)?, setup, level)?))
    }

    #[cfg(feature = "cuda")]
    fn cuda_memory(&self, setup: &Setup, _: &Arc<CudaDevice>) -> Result<usize> {
        Ok(cuda::Kernel::memory(&Plan::for_setup(&self.params, setup)?))
    }

    #[cfg(feature = "cuda")]
    fn cuda(&self, setup: &Setup, device: &Arc<CudaDevice>) -> Result<Box<dyn CudaKernel>> {
        Ok(Box::new(cuda::Kernel::new(Plan::for_setup(&self.params, setup)?, setup, device)?))
    }
}
