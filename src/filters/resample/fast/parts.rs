//! What a component is cut into, and what threads work in.

use super::across::{Across, GROUP, SLACK};
use super::pairs::Pair;
use super::period::{self, Period};
use super::sums::STEP;
use crate::device::cpu::CpuLevel;
use crate::filters::resample::plan::ComponentPlan;
use crate::filters::resample::taps::Taps;
use crate::filters::resample::tuning::cpu::{LEAST, MOST, PIECE, RING};
use crate::simd::aligned::Aligned;
use std::ops::Range;

/// One component, as it is walked.
pub struct ComponentWalk {
    pub component: ComponentPlan,
    /// It has two directions, and sums of columns come first.
    pub down_first: bool,
    pub across: Option<Across>,
    pub parts: Vec<Part>,
    /// The rows of the result that each begins a pair of, where nothing but sums is made of rows last; else there are none.
    pub pairs: Vec<Option<Pair>>,
    /// Rows of the ring: as many as one row of the result may need, and those before it.
    pub ring: usize,
}

/// Columns of the result, and those of the source that they are made of.
#[derive(Clone)]
pub struct Columns {
    pub to: Range<usize>,
    pub from: Range<usize>,
}

/// Columns that are walked together.
pub struct Part {
    pub all: Columns,
    /// Those whose rows are read and weighed in one go: what lies between the two stays in the first cache.
    pub pieces: Vec<Piece>,
}

/// Columns that are weighed in one way.
pub struct Piece {
    pub columns: Columns,
    /// Their weights repeat.
    pub repeats: bool,
}

impl ComponentWalk {
    pub fn new(
        component: &ComponentPlan,
        down_first: bool,
        (width, height): (usize, usize),
        (to_width, _): (usize, usize),
    ) -> ComponentWalk {
        let down_first = down_first && component.across.is_some() && component.down.is_some();
        let is_plain = component.light.is_none() && !down_first;
        let pairs = match &component.down {
            Some(down) if is_plain && down.beside.is_none() => Pair::all(down),
            _ => Vec::new(),
        };
        let ring = component.down.as_ref().map_or(1, |down| depth(down, &pairs, height));
        // A ring has rows of results where rows are weighed first, and else rows of the source.
        let floats = RING / size_of::<f32>() / ring;
        let shrink = if down_first { width.div_ceil(to_width) } else { 1 };
        let columns = (floats / shrink).clamp(LEAST, MOST) / LEAST * LEAST;
        let columns_of = |to: Range<usize>| {
            let from = component.across.as_ref().map_or(to.clone(), |taps| samples(taps, to.clone(), width));
            Columns { to, from }
        };
        let across = component.across.as_ref().map(Across::new);
        let period = across.as_ref().and_then(|across| across.period.as_ref());
        let part = |start: usize| {
            let all = columns_of(start..(start + columns).min(to_width));
            let inner = period.map_or(start..start, |period| period.within(&all.to));
            let pieces = [(start..inner.start, false), (inner.clone(), true), (inner.end..all.to.end, false)];
            let cut = |(to, repeats): (Range<usize>, bool)| {
                let end = to.end;
                let piece = move |start: usize| start..(start + PIECE).min(end);
                to.step_by(PIECE).map(piece).map(move |to| (to, repeats))
            };
            let piece = |(to, repeats)| Piece { columns: columns_of(to), repeats };
            Part { all, pieces: pieces.into_iter().flat_map(cut).map(piece).collect() }
        };
        ComponentWalk {
            component: component.clone(),
            down_first,
            parts: (0..to_width).step_by(columns).map(part).collect(),
            across,
            pairs,
            ring,
        }
    }
}

/// The samples of `from` that `results` are made from.
fn samples(taps: &Taps, results: Range<usize>, from: usize) -> Range<usize> {
    let start = results.clone().map(|at| taps.lowest(at)).min().unwrap_or(0);
    start..results.map(|at| taps.last(at, from) + 1).max().unwrap_or(start)
}

/// Rows from the first that a row of the result needs to the last that it, the other of its pair, or one before them needed.
fn depth(down: &Taps, pairs: &[Option<Pair>], from: usize) -> usize {
    let mut reached = 0;
    let spans = (0..down.first.len()).map(|at| {
        let end = at + usize::from(pairs.get(at).is_some_and(Option::is_some));
        reached = (at..=end).map(|at| down.last(at, from)).fold(reached, usize::max);
        reached + 1 - down.lowest(at)
    });
    spans.max().unwrap_or(1)
}

/// What a thread works in.
#[derive(Default)]
pub struct Scratch {
    /// Rows of a part; row y lies at `y % ComponentWalk::ring`.
    pub ring: Aligned<f32>,
    /// A row of the source, and room behind it.
    pub row: Aligned<f32>,
    pub by_period: ByPeriod,
    /// Sums of a row.
    pub sums: Aligned<f32>,
    /// The lanes of a row, or of two.
    pub lanes: Aligned<u16>,
    /// The lanes of a row of the source.
    pub source: Aligned<u16>,
    /// Where in the ring rows begin that are weighed.
    pub places: Vec<usize>,
}

/// What a thread works in where weights repeat.
#[derive(Default)]
pub struct ByPeriod {
    /// Samples by their place in a period.
    kinds: [Aligned<f32>; period::MOST],
    /// Results by theirs.
    made: Aligned<f32>,
}

impl ByPeriod {
    /// Room for whole groups of results.
    #[inline(always)]
    pub fn straight(&mut self, results: usize) -> &mut [f32] {
        &mut self.made[..results.next_multiple_of(GROUP)]
    }

    /// Makes the results of `columns` of the row part that begins with their first sample.
    ///
    /// # Safety
    /// The processor has `level`.
    #[inline(always)]
    pub unsafe fn weigh(
        &mut self,
        level: CpuLevel,
        period: &Period,
        row: &[f32],
        columns: &Columns,
        in_turn: bool,
        out: &mut [f32],
    ) {
        let samples = &row[..columns.from.len()];
        match period.samples {
            1 => {}
            2 => period::split::<2>(samples, &mut self.kinds),
            3 => period::split::<3>(samples, &mut self.kinds),
            _ => period::split::<4>(samples, &mut self.kinds),
        }
        let [a, b, c, d] = &self.kinds;
        let first = if period.samples == 1 { row } else { &a[..] };
        // SAFETY: by the caller.
        unsafe { period.run(level, [first, b, c, d], columns, in_turn, &mut self.made, out) };
    }
}

impl Scratch {
    /// Makes room for the parts of `works`.
    pub fn fit(works: &[ComponentWalk]) -> Scratch {
        let mut scratch = Scratch::default();
        for work in works {
            let longest = |range: fn(&Columns) -> &Range<usize>| work.parts.iter().map(|p| range(&p.all).len()).max();
            let from = longest(|columns| &columns.from).unwrap_or(0) + SLACK;
            let most = from.max(longest(|columns| &columns.to).unwrap_or(0).next_multiple_of(GROUP));
            scratch.ring.grow(work.ring * most.next_multiple_of(STEP));
            scratch.row.grow(most.next_multiple_of(STEP));
            scratch.sums.grow(most.next_multiple_of(STEP));
            scratch.by_period.made.grow(2 * most);
            scratch.by_period.kinds.iter_mut().for_each(|kind| kind.grow(from));
            scratch.lanes.grow(2 * most);
            scratch.source.grow(most);
        }
        scratch
    }
}
