//! Placeholder until the depth filter lands.
use crate::filters::{Descriptor, Filter};
crate::choices! {
    /// How a lower depth is reached.
    pub enum Dither {
        /// Round.
        None = "none",
    }
}
/// depth
#[derive(Debug)]
pub struct Depth;
impl Depth {
    /// to
    pub fn to(_b: u8, _d: Dither) -> Depth {
        Depth
    }
}
impl Filter for Depth {
    fn descriptor(&self) -> &'static Descriptor {
        todo!()
    }
    fn call(&self) -> crate::params::Call {
        todo!()
    }
    fn is_identity(&self, _: &crate::video::StreamInfo) -> bool {
        todo!()
    }
    fn reference(&self, _: &crate::filters::Setup) -> crate::error::Result<Box<dyn crate::filters::CpuKernel>> {
        todo!()
    }
    fn cpu(
        &self,
        _: &crate::filters::Setup,
        _: crate::device::cpu::CpuLevel,
    ) -> crate::error::Result<Box<dyn crate::filters::CpuKernel>> {
        todo!()
    }
}
/// d
pub static DESCRIPTOR: Descriptor = Descriptor {
    name: "depth",
    aliases: &[],
    summary: "",
    definition: "",
    schema: &crate::params::Schema { params: &[], presets: &[] },
    accepts: |_| true,
    footprint: crate::filters::Footprint::Point,
    temporal: (0, 0),
    changes: &[],
    neutral: &[],
    cases: &[],
    create: |_| todo!(),
};
