//! Pictures of other files that are made like the chain's, where a filter reads them beside it.

use super::{ChainPoint, Draft, KeptFilter, Operand, SideInput};
use crate::error::Result;
use crate::filters::likening::likening;
use crate::filters::{Filter, Spec};
use crate::params::{Spelling, print_chain};

impl Draft<'_> {
    /// What `filter` makes of `operands`. Pictures of other files that one which mixes refuses are made like the chain's one after
    /// another, as far as there are filters for that: a logo is of RGB, and most films are not.
    ///
    /// # Errors
    /// What the filter says of its operands.
    pub(super) fn fitted(&mut self, filter: &dyn Filter, operands: &mut [ChainPoint]) -> Result<Spec> {
        let spec =
            |operands: &[ChainPoint]| filter.spec(&operands.iter().map(|point| point.info.clone()).collect::<Vec<_>>());
        let mut made = spec(operands);
        for number in 1..operands.len() {
            if made.is_ok() || !filter.mixes() {
                break;
            }
            let Operand::Input(side @ 1..) = operands[number].from else { continue };
            let (first, other) = (&operands[0].info, &operands[number].info);
            // Light of HDR is not made, nor made of it.
            if first.color.is_hdr() || other.color.is_hdr() {
                continue;
            }
            let Some(filters) = likening(first, other) else { continue };
            let kept = self.kept.len();
            operands[number] = self.aside(filters, operands[number].clone())?;
            self.kept[kept..].iter_mut().for_each(|stage| stage.fits = Some(side));
            made = spec(operands);
        }
        made
    }

    /// Adds `filters` to the picture `of`. The chain goes on from where it was.
    fn aside(&mut self, filters: Vec<Box<dyn Filter>>, of: ChainPoint) -> Result<ChainPoint> {
        let here = std::mem::replace(&mut self.here, of);
        let added = filters.into_iter().try_for_each(|filter| self.add(filter));
        let made = std::mem::replace(&mut self.here, here);
        added.map(|()| made)
    }
}

/// The names of `sides` that stages of `kept` make like the chain's pictures, each with the calls that do.
pub(super) fn fitted(kept: &[KeptFilter], sides: &[SideInput]) -> Vec<(String, String)> {
    let mut fitted = Vec::new();
    for run in kept.chunk_by(|a, b| a.fits == b.fits) {
        let Some(side) = run[0].fits else { continue };
        let calls: Vec<_> = run.iter().flat_map(|stage| stage.filter.calls()).collect();
        let one = (sides[side - 1].name.clone(), print_chain(&calls, Spelling::FFmpeg));
        if !fitted.contains(&one) {
            fitted.push(one);
        }
    }
    fitted
}
