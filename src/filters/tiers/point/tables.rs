//! Steps as kernels run them: functions of one sample become tables.

use super::{Map, Mix, Points, Step, Vibrance};
use crate::filters::Setup;

/// All values of 16 bits.
const VALUES: usize = 1 << 16;

/// What a function gives for every value.
///
/// The entry of a value lies where its bits, turned to the right by some, say. Turned by the bits that the stream lacks, the
/// values that it really has lie side by side: 256 of eight bits take 512 bytes of a cache, where they would touch 256 lines.
pub struct Table(Box<[u16; VALUES]>);

impl Table {
    pub fn new(map: &Map, turned: u32) -> Table {
        let entries: Box<[u16]> = (0..=u16::MAX).map(|place| map(place.rotate_left(turned))).collect();
        Table(entries.try_into().expect("an entry for every value"))
    }

    /// The entry of `value`, which the table is turned by `turned` for.
    #[inline(always)]
    pub fn look_up(&self, value: u16, turned: u32) -> u16 {
        self.0[usize::from(value.rotate_right(turned))]
    }

    /// The entries as they lie.
    #[cfg(feature = "cuda")]
    pub fn entries(&self) -> &[u16] {
        &self.0[..]
    }
}

/// A step.
pub enum BuiltStep {
    /// Tables of components, turned by as many bits.
    Tables { tables: [Option<Table>; 3], turned: u32 },
    /// As [`Step::Mix`].
    Mix(Mix),
    /// As [`Step::Vibrance`].
    Vibrance(Vibrance),
}

#[cfg(feature = "cuda")]
impl BuiltStep {
    /// Bytes of its tables.
    pub fn bytes(&self) -> usize {
        match self {
            BuiltStep::Tables { tables, .. } => tables.iter().flatten().map(|table| size_of_val(table.entries())).sum(),
            BuiltStep::Mix(_) | BuiltStep::Vibrance(_) => 0,
        }
    }
}

/// The steps of a group of components for a stream that is stored as `setup` has it.
pub fn compile(points: &Points, setup: &Setup) -> Vec<BuiltStep> {
    let lacks = if setup.src.is_yc48() { 0 } else { 16 - u32::from(setup.src.bit_depth()) };
    let work = |(i, step): (usize, &Step)| match step {
        Step::Maps(maps) => {
            // Only the first step meets values as they are stored.
            let turned = if i == 0 { lacks } else { 0 };
            BuiltStep::Tables { tables: maps.each_ref().map(|map| Some(Table::new(map.as_ref()?, turned))), turned }
        }
        Step::Mix(mix) => BuiltStep::Mix(*mix),
        Step::Vibrance(vibrance) => BuiltStep::Vibrance(*vibrance),
    };
    points.steps().iter().enumerate().map(work).collect()
}
