//! What nothing reads is a mistake, unless its reader was left out because it would change nothing.

use super::{Draft, KeptFilter, Operand};
use crate::error::{Error, Result};

impl Draft<'_> {
    /// Refuses names and stages that nothing reads. Stages whose readers were all left out are left out as well: with a weight
    /// of 0 the step is not there at all.
    pub(super) fn drop_unread(&mut self) -> Result<()> {
        if let Some((name, _)) = self.named.iter().find(|(name, _)| !self.read.contains(name)) {
            return Err(Error::bad_argument(format!("nothing in the chain reads the picture '{name}'")));
        }
        // From the end, so that what a dropped stage read is looked at after it.
        for stage in (0..self.kept.len()).rev() {
            let from = Operand::Stage(stage);
            let reads = |kept: &KeptFilter| kept.operands.iter().any(|point| point.from == from);
            if self.here.from == from || self.kept.iter().any(reads) {
                continue;
            }
            if !self.excused.contains(&from) {
                let name = self.kept[stage].filter.descriptor().name;
                return Err(Error::bad_argument(format!("nothing in the chain reads what {name} makes")));
            }
            self.drop_stage(stage);
        }
        Ok(())
    }

    /// Takes a stage out that nothing reads; those behind it move up.
    fn drop_stage(&mut self, stage: usize) {
        let KeptFilter { filter, operands, fits, .. } = self.kept.remove(stage);
        if fits.is_none() {
            self.skipped.push(filter.call().to_string());
        }
        self.excused.extend(operands.iter().map(|point| point.from));
        let moved = |from: &mut Operand| {
            if let Operand::Stage(at) = from
                && *at > stage
            {
                *at -= 1;
            }
        };
        self.kept.iter_mut().flat_map(|kept| &mut kept.operands).for_each(|point| moved(&mut point.from));
        self.named.iter_mut().for_each(|(_, point)| moved(&mut point.from));
        moved(&mut self.here.from);
    }
}
