//! `affine`: the picture turned, scaled, sheared and moved within its frame.

#[cfg(feature = "cuda")]
mod cuda;
mod fast;
mod matrix;
mod reference;
mod source_map;
#[cfg(test)]
mod tests;
mod tuning;
mod weights;

use crate::device::cpu::CpuLevel;
#[cfg(feature = "cuda")]
use crate::device::cuda::CudaDevice;
use crate::error::{Error, Result};
#[cfg(feature = "cuda")]
use crate::filters::CudaKernel;
use crate::filters::planes::PlaneSet;
use crate::filters::remap::{Geometry, forget_places};
use crate::filters::siting::Siting;
use crate::filters::{CpuKernel, Descriptor, Filter, Footprint, Setup, Spec};
use crate::params::{Call, Choice, ParamKind, Params};
use crate::video::{FrameProps, StreamInfo};
use matrix::Matrix;
use source_map::SourceMap;
#[cfg(feature = "cuda")]
use std::sync::Arc;
use weights::Weights;

crate::choices! {
    /// What samples between samples are made by.
    pub enum Interpolation {
        /// The two nearest of each direction.
        Bilinear = "bilinear",
        /// Four of each direction: the cubic with b = 0, c = 1/2.
        Bicubic = "bicubic",
    }
    spelled by is_name_of;
}

fn is_name_of(word: &str, text: &str) -> bool {
    match word {
        "bilinear" => text == "linear",
        _ => ["cubic", "catmull_rom", "catrom"].contains(&text),
    }
}

crate::choices! {
    /// What is shown where the picture is not.
    pub enum Fill {
        /// Black of the stream's range.
        Black = "black",
        /// The sample at the border that is nearest.
        Replicate = "replicate",
    }
    spelled by is_fill;
}

fn is_fill(word: &str, text: &str) -> bool {
    word == "replicate" && ["nearest", "border", "clamp"].contains(&text)
}

/// How far things are moved.
const PLACE: ParamKind = ParamKind::Float { min: -65536.0, max: 65536.0 };

/// Columns that a row moves, and rows that a column does.
const SHEAR: ParamKind = ParamKind::Float { min: -4.0, max: 4.0 };

crate::params! {
    /// The parameters of `affine`.
    pub struct AffineParams {
        /// How far the picture turns clockwise, about its middle.
        angle: f64 = 0.0, ParamKind::Float { min: -360.0, max: 360.0 }, unit "degrees", aliases ["rotate", "degrees"];
        /// How much larger it is shown.
        scale: f64 = 1.0, ParamKind::Float { min: 0.05, max: 20.0 }, unit "", aliases ["zoom"];
        /// How far each row moves to the right of the one above it; half of the height is above the middle.
        shear_x: f64 = 0.0, SHEAR, unit "samples a row", aliases ["shx"];
        /// How far each column moves below the one left of it.
        shear_y: f64 = 0.0, SHEAR, unit "rows a sample", aliases ["shy"];
        /// How far all of it moves to the right, in the end.
        x: f64 = 0.0, PLACE, unit "luma samples", aliases [];
        /// How far it moves down.
        y: f64 = 0.0, PLACE, unit "luma rows", aliases [];
        /// Six numbers instead of all of that, `a b c d e f`: what is (x, y) from the middle is shown at (a·x + b·y + c, d·x + e·y +
        /// f) from the middle, in luma samples. `auto` is none.
        matrix: Option<Matrix> = None, Matrix::FORM, unit "", aliases [];
        /// What samples between samples are made by: the two nearest of each direction, or the four nearest.
        kernel: Interpolation = Interpolation::Bicubic, ParamKind::Choice(<Interpolation as Choice>::WORDS), unit "", aliases [];
        /// What is shown where the picture is not: black, or the nearest sample at its border.
        fill: Fill = Fill::Black, ParamKind::Choice(<Fill as Choice>::WORDS), unit "", aliases ["outside"];
        #[doc = crate::filters::planes::planes_doc!()]
        planes: PlaneSet = PlaneSet::Yuv, ParamKind::Choice(<PlaneSet as Choice>::WORDS), unit "", aliases [];
    }
    presets {}
    elsewhere {
        ["w", "h", "ow", "oh", "width", "height"]: "the result has the size of the picture: pad before, or crop behind";
    }
}

/// What `affine` is.
pub static DESCRIPTOR: Descriptor = Descriptor {
    name: "affine",
    aliases: &[],
    summary: "Turns the picture by any angle, scales, shears and moves it within its frame",
    definition: include_str!("definition.md"),
    schema: AffineParams::SCHEMA,
    accepts: |_| true,
    footprint: Footprint::Window(
        "four samples of each direction around the place that is shown, which may lie anywhere",
    ),
    temporal: "",
    changes: &[],
    neutral: &["", "angle=360", "matrix='1 0 0 0 1 0':kernel=bilinear"],
    cases: &[
        "angle=3",
        "angle=-141.5:scale=0.7:kernel=bilinear:fill=replicate",
        "scale=1.5:shear_x=0.25:x=2.5:y=-1:planes=yu",
        "matrix='0.9 0.3 -2 -0.2 1.2 3.25':fill=replicate",
    ],
    create: |call| {
        let params = AffineParams::from_call(call)?;
        params.shown(1.0).map_err(|error| error.context(DESCRIPTOR.name))?;
        Ok(Box::new(Affine { params }))
    },
};

impl AffineParams {
    /// Where what is shown lies in the source, whose samples are `width` times as wide as high: angles are those that are seen.
    ///
    /// # Errors
    /// When places cannot be traced back, or options exclude one another.
    fn shown(&self, width: f64) -> Result<Matrix> {
        let parts = Matrix::of(self.angle, self.scale, [self.shear_x, self.shear_y], [self.x, self.y]);
        match &self.matrix {
            None => parts.of_samples(width).inverse(),
            Some(matrix) if parts == Matrix::NEUTRAL => matrix.inverse(),
            Some(_) => Err(Error::bad_argument("give matrix=, or angle, scale, shear_x, shear_y, x and y: not both")),
        }
    }
}

/// The filter with its parameters set.
#[derive(Debug)]
struct Affine {
    params: AffineParams,
}

/// What kernels do to each component; `None`: it is copied.
struct Plan {
    components: Vec<Option<ComponentPlan>>,
    weights: Weights,
}

/// What is done to a component.
struct ComponentPlan {
    places: SourceMap,
    /// The lane that is shown where the picture is not; `None` is the nearest.
    fill: Option<u16>,
}

impl Affine {
    /// What is done to a component of `input`.
    fn component(&self, input: &StreamInfo, index: usize) -> Result<Option<ComponentPlan>> {
        let shown = self.params.shown(input.sar.value().unwrap_or(1.0))?;
        let places = SourceMap::new(&shown, input, index, Siting::of(input));
        let changes = self.params.planes.has(input.format, index) && !places.is_identity();
        let black = || Geometry::whole(input).maps(input)[index].fill();
        let fill = (self.params.fill == Fill::Black).then(black);
        Ok(changes.then_some(ComponentPlan { places, fill }))
    }

    fn plan(&self, input: &StreamInfo) -> Result<Plan> {
        let components =
            (0..input.format.components()).map(|index| self.component(input, index)).collect::<Result<_>>()?;
        Ok(Plan { components, weights: Weights::new(self.params.kernel) })
    }
}

impl Filter for Affine {
    fn descriptor(&self) -> &'static Descriptor {
        &DESCRIPTOR
    }

    fn call(&self) -> Call {
        self.params.to_call(DESCRIPTOR.name)
    }

    fn spec(&self, inputs: &[StreamInfo]) -> Result<Spec> {
        let plan = self.plan(&inputs[0])?;
        Ok(Spec::copying(inputs[0].clone(), |component| plan.components[component].is_none()))
    }

    fn describe(&self, _: &Setup, props: &mut FrameProps) {
        forget_places(props);
    }

    fn reference(&self, setup: &Setup) -> Result<Box<dyn CpuKernel>> {
        Ok(Box::new(reference::Reference { plan: self.plan(&setup.input)? }))
    }

    fn cpu(&self, setup: &Setup, level: CpuLevel) -> Result<Box<dyn CpuKernel>> {
        Ok(Box::new(fast::Fast::new(self.plan(&setup.input)?, level)?))
    }

    #[cfg(feature = "cuda")]
    fn cuda_memory(&self, _: &Setup, _: &Arc<CudaDevice>) -> Result<usize> {
        Ok(weights::BYTES)
    }

    #[cfg(feature = "cuda")]
    fn cuda(&self, setup: &Setup, device: &Arc<CudaDevice>) -> Result<Box<dyn CudaKernel>> {
        Ok(Box::new(cuda::Kernel::new(self.plan(&setup.input)?, device)?))
    }
}
