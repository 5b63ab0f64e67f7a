//! How the work is cut into tiles: as many rows as let what a tile is made from fit into shared memory.

use super::Draft;
use crate::filters::resample::taps::Taps;
use crate::filters::resample::tuning::cuda::{NARROW, ROWS, WIDE};

/// Bytes of shared memory that a block may have on any device.
const SHARED: usize = 48 << 10;

/// Taps that there are kernels for; those of `scale_halves_*`.
pub const TAPS: [usize; 6] = [2, 4, 6, 8, 12, 16];
const HALVES: [usize; 4] = [4, 8, 12, 16];

/// How the work is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// In tiles of so many columns and rows.
    Tiles { columns: usize, rows: usize, taps: Option<usize>, halves: bool },
    /// One direction and then the other, through memory.
    Far,
}

/// Weights that leave `size` samples as they are.
pub fn unchanged(size: usize) -> Taps {
    Taps { count: 1, stride: 1, first: (0..size).collect(), weights: vec![1.0; size], beside: None }
}

/// The same weights, `count` for each result: zeros behind the last.
pub fn padded(taps: &Taps, count: usize) -> Taps {
    let mut weights = Vec::with_capacity(taps.first.len() * count);
    for at in 0..taps.first.len() {
        weights.extend_from_slice(taps.weights_of(at));
        weights.resize((at + 1) * count, 0.0);
    }
    Taps { count, weights, ..taps.clone() }
}

/// The first sample of each tile of `results` results, on a multiple of `unit`, and the samples that the largest spans.
pub fn spans(taps: &Taps, results: usize, unit: usize) -> (Vec<i32>, usize) {
    let mut longest = 0;
    let origin = |start: usize| {
        let tile = start..(start + results).min(taps.first.len());
        let first = tile.clone().map(|at| taps.lowest(at)).min().unwrap_or(0) / unit * unit;
        // Taps of weight 0 are read as well.
        let last = tile.map(|at| taps.last(at, usize::MAX)).max().unwrap_or(first);
        longest = longest.max((last + 1 - first).next_multiple_of(unit));
        first as i32
    };
    let origins = (0..taps.first.len()).step_by(results).map(origin).collect();
    (origins, longest)
}

/// The pitch of a tile's source: halves of a row then lie in other banks of shared memory.
fn pitch(columns: usize, halves: bool) -> usize {
    if halves { (columns + 32).next_multiple_of(64) - 32 } else { columns.next_multiple_of(4) }
}

/// How drafts are worked on, with the pitch of a tile's source and its rows.
pub fn choose(drafts: &[Draft], down_first: bool) -> (How, usize, usize) {
    let most = drafts.iter().flat_map(|draft| [draft.across.count, draft.down.count]).max().unwrap_or(1);
    // Whether samples of neighbouring results begin about two columns apart.
    let reduces = |draft: &Draft| 2 * draft.from.0 >= 3 * draft.to.0;
    let halves = !down_first && drafts.iter().any(reduces) && HALVES.iter().any(|taps| most <= *taps);
    let known: &[usize] = if halves { &HALVES } else { &TAPS };
    let taps = known.iter().copied().find(|taps| most <= *taps);
    let columns = if halves { NARROW } else { WIDE };
    for rows in ROWS {
        let (mut row, mut source_rows) = (0, 0);
        for draft in drafts.iter().filter(|draft| draft.component.fills == 0) {
            let of = |direction: &Taps| padded(direction, taps.unwrap_or(direction.count));
            row = row.max(pitch(spans(&of(&draft.across), columns, 4).1, halves));
            source_rows = source_rows.max(spans(&of(&draft.down), rows, 1).1);
        }
        if shared(row, source_rows, (columns, rows), down_first) <= SHARED {
            return (How::Tiles { columns, rows, taps, halves }, row, source_rows);
        }
    }
    (How::Far, 0, 0)
}

/// Bytes of shared memory of a block.
pub fn shared(pitch: usize, source_rows: usize, (columns, rows): (usize, usize), down_first: bool) -> usize {
    let between = if down_first { rows * pitch } else { source_rows * columns };
    (source_rows * pitch + between) * size_of::<f32>()
}
