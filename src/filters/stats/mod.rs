//! `stats`: sums, histograms and profiles of every plane, for the frame's record.

#[cfg(feature = "cuda")]
mod cuda;
mod reference;
mod sums;
#[cfg(test)]
mod tests;
mod tuning;

use crate::device::cpu::CpuLevel;
#[cfg(feature = "cuda")]
use crate::device::cuda::CudaDevice;
use crate::error::{Error, Result};
#[cfg(feature = "cuda")]
use crate::filters::CudaKernel;
use crate::filters::measure::{Measuring, Plain};
use crate::filters::planes::PlaneSet;
use crate::filters::{CpuKernel, Descriptor, Filter, Footprint, Setup, Spec};
use crate::params::{Call, Choice, ParamKind, Params};
use crate::video::StreamInfo;
#[cfg(feature = "cuda")]
use std::sync::Arc;
use sums::{PlaneSums, StatsSums};

/// The longest side of a plane: sums of a row or column fit 32 bits.
const LONGEST: usize = 65_537;

crate::choices! {
    /// What is measured.
    pub enum Statistic {
        /// Minimum, maximum, sum, mean, variance.
        Basic = "basic",
        /// How often values occur.
        Hist = "hist",
        /// The sum of each row.
        Rows = "rows",
        /// The sum of each column.
        Columns = "columns",
        /// All of these.
        All = "all",
    }
}

impl Statistic {
    /// True when it asks for `part`.
    fn has(self, part: Statistic) -> bool {
        self == part || self == Statistic::All
    }
}

crate::params! {
    /// The parameters of `stats`.
    pub struct StatsParams {
        /// What is measured: `basic` is minimum, maximum, sum, mean and variance, `hist` a histogram, `rows` and `columns` the
        /// sum of each row and of each column.
        what: Statistic = Statistic::Basic, ParamKind::Choice(<Statistic as Choice>::WORDS), unit "", aliases [];
        /// The planes that are measured. Those that a format lacks count for nothing, and one must be there. `yuv` is all
        /// planes of any format, and on RGB `y` too, which has no chroma.
        planes: PlaneSet = PlaneSet::Yuv, ParamKind::Choice(<PlaneSet as Choice>::WORDS), unit "", aliases [];
    }
    presets {}
}

/// What `stats` is.
pub static DESCRIPTOR: Descriptor = Descriptor {
    name: "stats",
    aliases: &[],
    summary: "Measures: minimum, maximum, mean, variance, histogram, sums of rows and columns; the picture stays as it is",
    definition: include_str!("definition.md"),
    schema: StatsParams::SCHEMA,
    accepts: |_| true,
    footprint: Footprint::Point,
    temporal: "",
    changes: &[],
    neutral: &[],
    cases: &["", "what=hist", "what=rows", "what=columns", "what=all", "what=all:planes=u", "what=basic:planes=yv"],
    create: |call| Ok(Box::new(Stats { params: StatsParams::from_call(call)? })),
};

/// `stats` with its parameters set.
#[derive(Debug)]
struct Stats {
    params: StatsParams,
}

impl Stats {
    /// What is to be measured of `input`, as nothing yet.
    fn sums(&self, input: &StreamInfo) -> StatsSums {
        let format = input.format;
        let plane = |component: usize| {
            let size = format.component_size(component, input.width, input.height);
            let name = format.component_names()[component];
            self.params.planes.has(format, component).then(|| PlaneSums::new(name, self.params.what, size))
        };
        StatsSums((0..format.components()).map(plane).collect())
    }
}

impl Filter for Stats {
    fn descriptor(&self) -> &'static Descriptor {
        &DESCRIPTOR
    }

    fn call(&self) -> Call {
        self.params.to_call(DESCRIPTOR.name)
    }

    fn spec(&self, inputs: &[StreamInfo]) -> Result<Spec> {
        let StreamInfo { width, height, .. } = inputs[0];
        if width.max(height) > LONGEST {
            return Err(Error::unsupported(format!("{width}x{height} is too large: no side may be over {LONGEST}")));
        }
        Ok(Spec { measures: true, ..Spec::copying(inputs[0].clone(), |_| true) })
    }

    fn reference(&self, setup: &Setup) -> Result<Box<dyn CpuKernel>> {
        Ok(Box::new(Plain(reference::Reference::new(self.sums(&setup.input)))))
    }

    fn cpu(&self, setup: &Setup, level: CpuLevel) -> Result<Box<dyn CpuKernel>> {
        Ok(Box::new(Measuring::new(self.sums(&setup.input), level)?))
    }

    #[cfg(feature = "cuda")]
    fn cuda(&self, setup: &Setup, device: &Arc<CudaDevice>) -> Result<Box<dyn CudaKernel>> {
        Ok(Box::new(cuda::Kernel::new(self.sums(&setup.input), self.params.what, device)?))
    }
}
