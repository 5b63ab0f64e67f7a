//! How kernels take samples, and how stages of them lie in device memory.

use crate::device::cuda::{CudaDevice, DeviceBuffer};
use crate::error::Result;
use crate::filters::gradient::level::cells;
use crate::filters::gradient::plan::{ComponentPlan, Offset, Plan};
use crate::filters::gradient::tuning::cuda::{COLUMNS, PAIR_ROWS};

/// What rows of stages begin at multiples of, in samples.
const ALIGN: usize = 64;

/// How many samples a thread takes at a time.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SampleGrouping {
    Singly,
    /// Those of two rows, half a picture apart, lie in a word.
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

    /// Rows of a stage of a picture that has `height`, without borders. Blocks have whole cells of both halves.
    pub fn rows(self, height: usize) -> usize {
        match self {
            SampleGrouping::Singly => height,
            SampleGrouping::Pairs => height.div_ceil(2).next_multiple_of(PAIR_ROWS),
        }
    }

    /// Rows of samples that are continued to both sides, of a stage that is continued by `reach`.
    pub fn border_rows(self, height: usize, reach: usize) -> usize {
        (self.rows(height) + 2 * reach) * self.samples()
    }

    /// Samples of a word.
    fn samples(self) -> usize {
        match self {
            SampleGrouping::Singly => 1,
            SampleGrouping::Pairs => 2,
        }
    }
}

/// How stages of one component lie in memory: the source and what passes make, one after the other, then the evidence and, of
/// cells, means, means of rows of them, and levels.
pub(super) struct StageLayout {
    /// How far they are continued.
    reach: usize,
    /// Words before the first of a row, and from one row to the next.
    side: usize,
    pitch: usize,
    /// Bytes of a word, and of a stage.
    word: usize,
    stage: usize,
    /// Bytes of evidence, and of a number for each cell.
    evidence: usize,
    cells: usize,
    /// Of all.
    pub bytes: usize,
}

impl StageLayout {
    pub fn new(way: SampleGrouping, numbers: &ComponentPlan, (width, height): (usize, usize)) -> StageLayout {
        let reach = numbers.reach(0);
        let side = reach.next_multiple_of(ALIGN);
        let pitch = width.next_multiple_of(COLUMNS) + 2 * side;
        let word = way.samples() * size_of::<u16>();
        let stage = pitch * (way.rows(height) + 2 * reach) * word;
        let evidence = pitch * height;
        let cells = cells(width) * cells(height) * size_of::<i32>();
        StageLayout { reach, side, pitch, word, stage, evidence, cells, bytes: 3 * stage + evidence + 3 * cells }
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

    fn address(&self, bytes: usize) -> u64 {
        self.memory.address() + bytes as u64
    }

    /// The address of the first word of stage `index` inside the borders.
    pub fn stage(&self, index: usize) -> u64 {
        let StageLayout { reach, side, pitch, word, stage, .. } = self.layout;
        self.address(index * stage + (reach * pitch + side) * word)
    }

    pub fn evidence(&self) -> u64 {
        self.address(3 * self.layout.stage + self.layout.side)
    }

    pub fn cells(&self) -> u64 {
        self.address(3 * self.layout.stage + self.layout.evidence)
    }

    pub fn levels(&self) -> u64 {
        self.cells() + 2 * self.layout.cells as u64
    }

    /// Words from one to another.
    pub fn distance(&self, (x, y): Offset) -> i32 {
        (y * self.layout.pitch as isize + x) as i32
    }
}
