//! `keep` and `use`: names for pictures of the chain.

use crate::device::cpu::CpuLevel;
use crate::error::{Error, Result};
use crate::filters::{CpuKernel, Descriptor, Filter, Footprint, Setup, Spec, Wiring};
use crate::params::{Call, Name, ParamKind, Params};
use crate::video::StreamInfo;

crate::params! {
    /// The parameters of `keep` and `use`.
    pub struct NameParams {
        /// What the picture is called.
        name: Name = Name::new("kept").expect("a name"), ParamKind::Name, unit "", aliases [];
    }
    presets {}
}

/// What `keep` is.
pub static KEEP: Descriptor = Descriptor {
    name: "keep",
    aliases: &[],
    summary: "Names the picture at this point of the chain, for later filters to read",
    definition: "\
Filters that take the name of a picture (`with=NAME`, `mask=NAME`) read the picture at this point, frame for frame. The chain \
itself continues unchanged: `keep=sharp,gauss=3,merge=with=sharp:mask=edges`. A name that nothing reads is refused, and so is \
one that exists already, also an input's.

Accuracy: it computes nothing, so no sample changes.

Cost: memory for the picture until the last filter that reads it.",
    schema: NameParams::SCHEMA,
    accepts: |_| true,
    footprint: Footprint::Point,
    temporal: "",
    changes: &[],
    neutral: &[],
    cases: &["sharp"],
    create: |call| Ok(Box::new(Keep(NameParams::from_call(call)?))),
};

/// What `use` is.
pub static USE: Descriptor = Descriptor {
    name: "use",
    aliases: &[],
    summary: "Continues from another picture: an input, or a point of the chain that was named",
    definition: "\
The filters after this one work on the picture that is named: one that `keep` named, or an input of the command. The picture \
before it must have a name and a reader, or the chain is refused: \
`keep=film,use=mask,gauss=2,keep=soft,use=film,merge=with=other:mask=soft`.

Accuracy: it computes nothing, so no sample changes.

Cost: nothing but what it costs to keep the picture that is named.",
    schema: NameParams::SCHEMA,
    accepts: |_| true,
    footprint: Footprint::Point,
    temporal: "",
    changes: &[],
    neutral: &[],
    cases: &["sharp"],
    create: |call| Ok(Box::new(Use(NameParams::from_call(call)?))),
};

/// Names the chain's picture.
#[derive(Debug)]
struct Keep(NameParams);

/// Continues from a picture that has a name.
#[derive(Debug)]
struct Use(NameParams);

macro_rules! wires {
    ($($filter:ident is $descriptor:ident;)*) => { $(
        impl Filter for $filter {
            fn descriptor(&self) -> &'static Descriptor {
                &$descriptor
            }

            fn call(&self) -> Call {
                self.0.to_call($descriptor.name)
            }

            fn spec(&self, inputs: &[StreamInfo]) -> Result<Spec> {
                Ok(Spec::copying(inputs[0].clone(), |_| true))
            }

            fn wiring(&self) -> Wiring {
                Wiring::$filter(self.0.name.as_str().to_owned())
            }

            fn reference(&self, _: &Setup) -> Result<Box<dyn CpuKernel>> {
                Err(no_kernel($descriptor.name))
            }

            fn cpu(&self, _: &Setup, _: CpuLevel) -> Result<Box<dyn CpuKernel>> {
                Err(no_kernel($descriptor.name))
            }
        }
    )* };
}
wires! {
    Keep is KEEP;
    Use is USE;
}

/// It is done with when the chain is planned.
fn no_kernel(name: &str) -> Error {
    Error::internal(format!("{name} has no kernel"))
}
