//! How kernels take samples, and how stages of them lie in device memory.

use crate::device::cuda::{CudaDevice, DeviceBuffer};
use crate::error::Result;
use crate::filters::gradient::level::cells;
use crate::filters::gradient::plan::{ComponentPlan, EVIDENCE_REACH, Plan, rows_of};
use crate::filters::gradient::tuning::cuda::{COLUMNS, PAIR_ROWS};

/// Bytes on both sides of a row of evidence, in which it is replicated, as many as are read at a time.
const SIDE: usize = 4;

/// Numbers for each cell: its mean; in pairs two sums of it, a mean of its row and its level.
const CELL_NUMBERS: usize = 4;

/// How many columns and rows away pass `index` looks. Evidence is looked for in what the first one reads.
pub(super) fn reach(numbers: &ComponentPlan, index: usize) -> (usize, usize) {
    let offsets = &numbers.passes[index].offsets;
    let columns = offsets.iter().map(|(x, _)| x.unsigned_abs()).max().unwrap_or(0);
    let least = if index == 0 { EVIDENCE_REACH } else { 0 };
    (columns.max(least), rows_of(offsets).max(least))
}

/// How many samples a thread takes at a time.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SampleGrouping {
    Singly,
    /// A word holds two: of rows as far from the upper and from the lower border.
    Pairs,
}

impl SampleGrouping {
    /// The module that takes two at a time.
    pub const PAIRS: &'static str = "gradient_pairs";

    /// Pairs, where the device knows their instructions and all that decides and counts fits the 11 bits of a half of a float.
    pub fn choose(plan: &Plan, device: &CudaDevice) -> SampleGrouping {
        let passes = || plan.components.iter().filter(|numbers| numbers.filters).flat_map(|numbers| &numbers.passes);
        let fits =
            plan.evidence.near < 768 && passes().all(|pass| pass.near < 1024 && pass.bump <= 341 && pass.limit <= 500);
        if fits && device.runs(SampleGrouping::PAIRS) { SampleGrouping::Pairs } else { SampleGrouping::Singly }
    }

    /// The module.
    pub fn module(self) -> &'static str {
        match self {
            SampleGrouping::Singly => "gradient",
            SampleGrouping::Pairs => SampleGrouping::PAIRS,
        }
    }

    /// The kernels of the four passes.
    pub fn passes(self) -> [&'static str; 4] {
        match self {
            SampleGrouping::Singly => ["gradient_first", "gradient_pass", "gradient_pass", "gradient_last"],
            SampleGrouping::Pairs => ["gradient_first", "gradient_second", "gradient_third", "gradient_last"],
        }
    }

    /// Rows of a stage of a picture that has `height`. Those of words are whole cells.
    pub fn rows(self, height: usize) -> usize {
        match self {
            SampleGrouping::Singly => height,
            SampleGrouping::Pairs => height.div_ceil(2).next_multiple_of(PAIR_ROWS),
        }
    }

    /// Rows below those of a stage that passes look at, up to `reach` of them.
    fn rows_below(self, reach: usize) -> usize {
        match self {
            SampleGrouping::Singly => 0,
            SampleGrouping::Pairs => reach,
        }
    }

    /// Samples of a word.
    fn samples(self) -> usize {
        match self {
            SampleGrouping::Singly => 1,
            SampleGrouping::Pairs => 2,
        }
    }
}

/// How stages of one component lie in memory: the source and what passes make, one after the other, then the evidence and the numbers
/// of cells, the last of which are levels.
pub(super) struct StageLayout {
    /// Words from one row to the next, and bytes from one row of evidence to the next.
    pitch: usize,
    evidence_pitch: usize,
    /// Bytes of a stage, of evidence, and of a number for each cell.
    stage: usize,
    evidence: usize,
    cells: usize,
    /// Of all.
    pub bytes: usize,
}

impl StageLayout {
    pub fn new(way: SampleGrouping, numbers: &ComponentPlan, (width, height): (usize, usize)) -> StageLayout {
        let pitch = width.next_multiple_of(COLUMNS);
        let evidence_pitch = pitch + 2 * SIDE;
        let word = way.samples() * size_of::<u16>();
        let (_, rows_away) = reach(numbers, 0);
        let stage = pitch * (way.rows(height) + way.rows_below(rows_away)) * word;
        let evidence = evidence_pitch * height;
        let cells = cells(width) * cells(height) * size_of::<i32>();
        StageLayout {
            pitch,
            evidence_pitch,
            stage,
            evidence,
            cells,
            bytes: 3 * stage + evidence + CELL_NUMBERS * cells,
        }
    }
}

/// The stages of one component.
pub(super) struct Stages {
    memory: DeviceBuffer,
    layout: StageLayout,
}

impl Stages {
    /// Stages of planes of this size.
    pub fn new(
        device: &CudaDevice,
        way: SampleGrouping,
        numbers: &ComponentPlan,
        size: (usize, usize),
    ) -> Result<Stages> {
        let layout = StageLayout::new(way, numbers, size);
        Ok(Stages { memory: DeviceBuffer::new(device, layout.bytes, "gradient's stages")?, layout })
    }

    /// Words from one row to the next.
    pub fn pitch(&self) -> usize {
        self.layout.pitch
    }

    /// Bytes from one row of evidence to the next.
    pub fn evidence_pitch(&self) -> usize {
        self.layout.evidence_pitch
    }

    fn address(&self, bytes: usize) -> u64 {
        self.memory.address() + bytes as u64
    }

    /// The address of the first word of stage `index`.
    pub fn stage(&self, index: usize) -> u64 {
        self.address(index * self.layout.stage)
    }

    pub fn evidence(&self) -> u64 {
        self.address(3 * self.layout.stage + SIDE)
    }

    pub fn cells(&self) -> u64 {
        self.address(3 * self.layout.stage + self.layout.evidence)
    }

    pub fn levels(&self) -> u64 {
        self.cells() + ((CELL_NUMBERS - 1) * self.layout.cells) as u64
    }
}
