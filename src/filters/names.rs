//! `keep` and `use`: names for pictures of the chain.

use crate::device::cpu::CpuLevel;
use crate::error::{Error, Result};
use crate::filters::{CpuKernel, Descriptor, Filter, Footprint, Setup, Spec, Wiring};
use crate::params::{Call, Name, ParamKind, Params};
use crate::video::StreamInfo;

crate::params! {
    /// What `keep` and `use` can be told.
    pub struct NameParams {
        /// What the picture is called.
        name: Name = Name::new("kept").expect("a name"), ParamKind::Text, unit "", aliases [];
    }
    presets {}
}

/// What `keep` is.
pub static KEEP: Descriptor = Descriptor {
    name: "keep",
    aliases: &[],
    summary: "Names the picture at this point of the chain, for later filters to read",
    definition: "\
Filters that take the name of a picture (`with=NAME`, `mask=NAME`) read what the chain had come to here, frame for frame. The \
chain itself goes on unchanged: `keep=sharp,gauss=3,merge=with=sharp:mask=edges`. A name that nothing reads is refused, and \
so is one that is there already, be it an input's.

Accuracy: no sample changes.

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
    summary: "Goes on from another picture: an input, or a point of the chain that was named",
    definition: "\
What the chain had come to is left, and the filters behind this one work on the picture that is named: one that `keep` named, \
or an input of the command. What is left must have a name and a reader, or the chain is refused: \
`keep=film,use=mask,gauss=2,keep=soft,use=film,merge=with=other:mask=soft`.

Accuracy: no sample changes.

Cost: none.",
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

/// Goes on from a picture that has a name.
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

#[cfg(test)]
mod tests {
    use crate::filters::{chain, find};
    use crate::pipeline::{Target, plan};
    use crate::video::StreamInfo;

    fn planned(text: &str) -> Result<Vec<&'static str>, String> {
        let input = StreamInfo::bare("yuv420p".parse().unwrap(), 16, 16);
        let plan = plan(chain(text).unwrap(), &input, Target::default()).map_err(|error| error.message().to_owned())?;
        Ok(plan.stages.iter().map(|stage| stage.filter.descriptor().name).collect())
    }

    #[test]
    fn points_of_a_chain_have_names() {
        assert_eq!(planned("keep=a,box=3,merge=with=a").unwrap(), ["box", "merge"]);
        assert_eq!(planned("keep=a,box=3,keep=b,use=a,gauss=2,diff=with=b").unwrap(), ["box", "gauss", "diff"]);
        assert_eq!(planned("keep,box=3,merge=kept").unwrap(), ["box", "merge"]);
    }

    #[test]
    fn names_that_stand_for_nothing_are_refused() {
        assert!(planned("merge=with=a").unwrap_err().starts_with("merge: no picture is called 'a' here"));
        assert!(planned("use=a").unwrap_err().starts_with("use: no picture is called 'a' here"));
        assert_eq!(planned("keep=a,box=3").unwrap_err(), "nothing in the chain reads the picture 'a'");
        assert_eq!(planned("keep=a,box=3,keep=a,merge=a").unwrap_err(), "keep: two pictures are called 'a'");
    }

    #[test]
    fn they_have_no_kernels() {
        let kernels = |name| find(name).unwrap().has_kernels();
        assert_eq!(["keep", "use", "merge", "box"].map(kernels), [false, false, true, true]);
    }
}
