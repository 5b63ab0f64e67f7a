//! Where the samples of a component sit along a direction.

use crate::filters::siting::Siting;
use crate::video::Format;

/// The places of a component's samples along a direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleGrid {
    /// From one to the next, in luma samples.
    pub spacing: i64,
    /// Of the first, in halves of a luma sample.
    pub offset: i64,
}

impl SampleGrid {
    /// Those of columns.
    pub fn across(format: Format, component: usize, siting: Siting) -> SampleGrid {
        match format.is_chroma(component) && format.subsampling_w() > 0 {
            true => SampleGrid { spacing: 2, offset: siting.right() },
            false => SampleGrid { spacing: 1, offset: 0 },
        }
    }

    /// Those of rows.
    pub fn down(format: Format, component: usize, siting: Siting) -> SampleGrid {
        match format.is_chroma(component) && format.subsampling_h() > 0 {
            true => SampleGrid { spacing: 2, offset: siting.down() },
            false => SampleGrid { spacing: 1, offset: 0 },
        }
    }

    /// Those of the rows of one field, 0 or 1, where a frame has two. Chroma rows between two luma rows of a frame sit a quarter
    /// below the upper one in the top field, and three quarters in the bottom field, as H.264 has it.
    pub fn of_field(self, field: i64) -> SampleGrid {
        let offset = match (self.spacing, self.offset) {
            (2, 1) => 1 + 4 * field,
            (_, offset) => 2 * offset + 2 * field,
        };
        SampleGrid { spacing: 2 * self.spacing, offset }
    }
}
