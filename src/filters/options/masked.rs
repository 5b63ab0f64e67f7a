//! `mask=NAME` of every filter: its result counts where a picture says so, and its input elsewhere.
//!
//! A chain mixes both by a kernel of [`merge`] behind the filter's own, so that every device, storage and buffer between
//! kernels is what it is for a chain that spells this out: `keep=a,FILTER,keep=b,use=a,merge=with=b:mask=NAME:weight=1`.

use crate::device::cpu::CpuLevel;
#[cfg(feature = "cuda")]
use crate::device::cuda::CudaDevice;
use crate::error::{Error, Result};
#[cfg(feature = "cuda")]
use crate::filters::CudaKernel;
use crate::filters::combine::merge;
use crate::filters::options::says_for_inner;
use crate::filters::{CpuKernel, Descriptor, Filter, Setup, Spec, Wiring, zones};
use crate::params::{Arg, Argument, Call, Name, Param, ParamKind, ParamValue, unnamed};
use crate::video::{FrameProps, StreamInfo};
#[cfg(feature = "cuda")]
use std::sync::Arc;

const MASK: &str = "mask";

/// The option, for what reads and refuses values.
static PARAM: Param = Param {
    name: MASK,
    aliases: &[],
    kind: ParamKind::Name,
    auto: false,
    default: String::new,
    unit: "",
    label: "",
    doc: "The picture by which the result counts.",
};

/// Makes `filter` as `call` asks for it, under the mask that it names.
///
/// # Errors
/// For wrong arguments.
pub(crate) fn create(filter: &'static Descriptor, call: &Call) -> Result<Box<dyn Filter>> {
    // Some filters have such an option of their own.
    let is_mask = |arg: &Arg| arg.key.as_deref() == Some(MASK) && filter.schema.find(MASK).is_none();
    let (masks, own): (Vec<Arg>, Vec<Arg>) = call.args.iter().cloned().partition(is_mask);
    let mask = match &masks[..] {
        [] => return zones::create(filter, call),
        [mask] => mask,
        _ => return Err(Error::bad_argument(format!("{}: option '{MASK}' is given twice", call.name))),
    };
    if let Some(arg) = call.args.iter().skip_while(|arg| !is_mask(arg)).find(|arg| arg.key.is_none()) {
        return Err(unnamed(&call.name, &arg.value));
    }
    let given = Argument { param: &PARAM, name: MASK, text: &mask.value };
    let mask = Name::parse(&given).map_err(|e| e.context(&call.name))?;
    let inner = zones::create(filter, &Call { name: call.name.clone(), args: own })?;
    match inner.wiring() {
        Wiring::Reads(_) => Ok(Box::new(Masked { inner, mask })),
        Wiring::Keep(_) | Wiring::Use(_) => {
            Err(Error::bad_argument(format!("{} computes no frames: {MASK}= has no meaning for it", filter.name)))
        }
    }
}

/// The filter that mixes what a stage of `spec` makes of `input` with `input`, by `mask`. It reads the input, the result and
/// the mask.
pub(crate) fn mixing(mask: &Name, input: &StreamInfo, spec: &Spec) -> Box<dyn Filter> {
    merge::by_mask(mask, |component| !spec.copies(component), input.format)
}

/// A filter whose result is mixed with its input. Its kernels are the filter's: mixing is the chain's work.
#[derive(Debug)]
struct Masked {
    inner: Box<dyn Filter>,
    mask: Name,
}

impl Filter for Masked {
    says_for_inner!();

    fn call(&self) -> Call {
        let mut call = self.inner.call();
        call.args.push(Arg { key: Some(MASK.to_owned()), value: self.mask.as_str().to_owned() });
        call
    }

    fn mixes(&self) -> bool {
        self.inner.mixes()
    }

    fn spec(&self, inputs: &[StreamInfo]) -> Result<Spec> {
        let spec = self.inner.spec(inputs)?;
        if let Some(difference) = zones::difference(&spec, &inputs[0]) {
            return Err(Error::bad_argument(format!(
                "{MASK}={} mixes what a filter gets with what it gives, and this gives another {difference}: leave it out",
                self.mask.as_str()
            )));
        }
        if spec.measures {
            return Err(Error::bad_argument(format!(
                "{MASK}={} is for filters that change samples, and this measures every frame: leave it out",
                self.mask.as_str()
            )));
        }
        Ok(spec)
    }

    fn mask(&self) -> Option<&Name> {
        Some(&self.mask)
    }

    fn note(&self, setup: &Setup) -> Option<String> {
        self.inner.note(setup)
    }

    fn describe(&self, setup: &Setup, props: &mut FrameProps) {
        self.inner.describe(setup, props);
    }

    fn reference(&self, setup: &Setup) -> Result<Box<dyn CpuKernel>> {
        self.inner.reference(setup)
    }

    fn cpu(&self, setup: &Setup, level: CpuLevel) -> Result<Box<dyn CpuKernel>> {
        self.inner.cpu(setup, level)
    }

    #[cfg(feature = "cuda")]
    fn cuda_batch(&self, setup: &Setup) -> usize {
        self.inner.cuda_batch(setup)
    }

    #[cfg(feature = "cuda")]
    fn cuda(&self, setup: &Setup, device: &Arc<CudaDevice>) -> Result<Box<dyn CudaKernel>> {
        self.inner.cuda(setup, device)
    }
}
