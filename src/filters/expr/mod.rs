//! `expr`: a function of pictures that the user writes.

mod code;
#[cfg(feature = "cuda")]
mod cuda;
mod fast;
mod functions;
mod op;
mod plan;
mod reference;
#[cfg(test)]
mod tests;
mod tuning;
mod words;

use crate::device::cpu::CpuLevel;
#[cfg(feature = "cuda")]
use crate::device::cuda::CudaDevice;
use crate::error::{Error, Result};
#[cfg(feature = "cuda")]
use crate::filters::CudaKernel;
use crate::filters::local::check_alike;
use crate::filters::planes::PlaneSet;
use crate::filters::{CpuKernel, Descriptor, Filter, Footprint, Reach, Setup, Spec, Wiring};
use crate::params::{Call, Choice, Name, ParamKind, Params};
use crate::video::StreamInfo;
use plan::Plan;
#[cfg(feature = "cuda")]
use std::sync::Arc;
use words::Expression;

crate::choices! {
    /// What samples are counted in.
    pub enum SampleScale {
        /// Codes of 8 bits, with fractions where the film has more bits.
        Eight = "eight",
        /// Codes of the film's own depth.
        Native = "native",
    }
    spelled by is_scale;
}

fn is_scale(word: &str, text: &str) -> bool {
    word == "eight" && ["8", "8bit"].contains(&text)
}

crate::params! {
    /// The parameters of `expr`.
    pub struct ExprParams {
        /// What a sample becomes. `x` is the sample, `y` that of `with`, `z` that of `with2`. `x` alone leaves the plane as it
        /// is.
        expr: Expression = Expression::identity(), Expression::FORM, unit "", aliases ["y"], label "Expression";
        /// The expression of Cb, or of G; `auto` is that of the plane before it.
        u: Option<Expression> = None, Expression::FORM, unit "", aliases ["cb", "g"], label "Expression of Cb";
        /// The expression of Cr, or of B; `auto` is that of the plane before it.
        v: Option<Expression> = None, Expression::FORM, unit "", aliases ["cr", "b"], label "Expression of Cr";
        /// The second picture, `y`: the name of an input or of a point of the chain. `auto` is none.
        with: Option<Name> = None, ParamKind::Name, unit "", aliases [];
        /// The third picture, `z`. `auto` is none.
        with2: Option<Name> = None, ParamKind::Name, unit "", aliases [];
        /// What samples are counted in: `eight` is codes of 8 bits, whatever the depth, with fractions; `native` is codes of the
        /// film's own depth.
        scale: SampleScale = SampleScale::Eight, ParamKind::Choice(<SampleScale as Choice>::WORDS), unit "", aliases [];
        #[doc = crate::filters::planes::planes_doc!()]
        planes: PlaneSet = PlaneSet::Yuv, ParamKind::Choice(<PlaneSet as Choice>::WORDS), unit "", aliases [];
    }
    presets {}
}

/// What `expr` is.
pub static DESCRIPTOR: Descriptor = Descriptor {
    name: "expr",
    aliases: &[],
    summary: "Computes samples by an expression of your own, of up to three pictures, as VapourSynth's Expr writes it",
    definition: include_str!("definition.md"),
    schema: ExprParams::SCHEMA,
    accepts: |format| !format.is_yc48(),
    footprint: Footprint::Point,
    temporal: "",
    changes: &[],
    neutral: &["", "expr=x:v=x:scale=native"],
    cases: &[
        "expr='x 1.3 * 20.25 -'",
        "expr='x y - 128 +':with=b",
        "expr='x y z clip x max 3 *':u='x y + z % dup -0.5 * x min +':v=x:with=b:with2=c",
        "expr='x range_half - a! a@ abs dup sqrt 2 pow 0.7 pow swap 0 = 0 a@ ? + 40 /':v='x 1 + log 40 * 300 x / exp -':scale=native",
        "expr='X width / 6.2832 * dup sin swap Y N + height / cos * x * 1.5 trunc dup2 % - ceil floor round +':planes=yu",
        "expr='x y > x y < xor x y >= or not x 90 <= and x 30 = not 20 * + ymax ymin - * cmax cmin swap - + pi / range_min +':with=b",
    ],
    create: |call| Ok(Box::new(Expr { params: ExprParams::from_call(call)?.checked()? })),
};

impl ExprParams {
    /// The expression of a component.
    fn of(&self, component: usize) -> &Expression {
        let u = self.u.as_ref().unwrap_or(&self.expr);
        [&self.expr, u, self.v.as_ref().unwrap_or(u)][component]
    }

    /// The options that name pictures, in the order of `y` and `z`.
    fn names(&self) -> [(&'static str, &'static str, Option<&Name>); 2] {
        [("y", "with", self.with.as_ref()), ("z", "with2", self.with2.as_ref())]
    }

    /// The same, where every picture that expressions read is named.
    fn checked(self) -> Result<ExprParams> {
        for (source, (word, option, name)) in (1..).zip(self.names()) {
            let is_read = (0..3).any(|component| self.of(component).reads(source));
            if is_read && name.is_none() {
                return Err(Error::bad_argument(format!("expr: '{word}' needs another picture: add {option}=NAME")));
            }
        }
        Ok(self)
    }

    /// What component `component` becomes, where it changes.
    fn changed(&self, input: &StreamInfo, component: usize) -> Option<&Expression> {
        let expression = self.of(component);
        (self.planes.has(input.format, component) && !expression.is_identity()).then_some(expression)
    }
}

/// The filter with its parameters set.
#[derive(Debug)]
struct Expr {
    params: ExprParams,
}

impl Filter for Expr {
    fn descriptor(&self) -> &'static Descriptor {
        &DESCRIPTOR
    }

    fn call(&self) -> Call {
        self.params.to_call(DESCRIPTOR.name)
    }

    fn wiring(&self) -> Wiring {
        Wiring::Reads(self.params.names().iter().filter_map(|(.., name)| Some((*name)?.as_str().to_owned())).collect())
    }

    fn warning(&self) -> Option<String> {
        let unread = |source: usize| !(0..3).any(|component| self.params.of(component).reads(source));
        let mut named = (1..).zip(self.params.names());
        let (_, (word, option, name)) = named.find(|(source, (.., name))| name.is_some() && unread(*source))?;
        Some(format!("expr: {option}={} is of no use: no expression has '{word}'", name?.as_str()))
    }

    fn spec(&self, inputs: &[StreamInfo]) -> Result<Spec> {
        let names = self.params.names();
        for (other, name) in inputs[1..].iter().zip(names.iter().filter_map(|(.., name)| *name)) {
            check_alike(&inputs[0], other, name.as_str())?;
        }
        let input = &inputs[0];
        let mut spec = Spec::copying(input.clone(), |component| self.params.changed(input, component).is_none());
        spec.reads = vec![Reach::NONE; inputs.len()];
        Ok(spec)
    }

    fn reference(&self, setup: &Setup) -> Result<Box<dyn CpuKernel>> {
        Ok(Box::new(reference::Reference::new(Plan::new(&self.params, setup))))
    }

    fn cpu(&self, setup: &Setup, level: CpuLevel) -> Result<Box<dyn CpuKernel>> {
        Ok(Box::new(fast::Fast::new(Plan::new(&self.params, setup), level)?))
    }

    #[cfg(feature = "cuda")]
    fn cuda_memory(&self, setup: &Setup, _: &Arc<CudaDevice>) -> Result<usize> {
        Ok(cuda::memory(&Plan::new(&self.params, setup)))
    }

    #[cfg(feature = "cuda")]
    fn cuda(&self, setup: &Setup, device: &Arc<CudaDevice>) -> Result<Box<dyn CudaKernel>> {
        Ok(Box::new(cuda::Kernel::new(Plan::new(&self.params, setup), device)?))
    }
}
