//! The weights of one direction: for every sample that is made, which samples make it, and by how much.

use super::kernel::{ResamplingKernel, Shape};
use super::sample_grid::SampleGrid;

/// Parts of a sample that windows are counted in.
pub const FINE: i64 = 65_536;

/// Normalised weights below this count as none: sines miss their zeros by less.
const NOTHING: f64 = 1.0 / (1u64 << 32) as f64;

/// One direction of a component.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// Samples that there are.
    pub from: usize,
    /// Samples that are made.
    pub to: usize,
    /// Luma samples that are made.
    pub luma: usize,
    /// Where the window of the source begins and how far it goes, in [`FINE`] parts of a luma sample.
    pub window: (i64, i64),
    /// The places of what there is.
    pub source: SampleGrid,
    /// The places of what is made.
    pub result: SampleGrid,
    /// Each field by itself.
    pub fields: bool,
}

/// The weights of one direction.
#[derive(Clone, Debug)]
pub struct Taps {
    /// Weights of a sample, as many for each: what needs fewer has zeros.
    pub count: usize,
    /// From one sample that is weighed to the next: 2 where fields lie between each other.
    pub stride: usize,
    /// The first sample that each is made from. Those behind the last sample there is have weight 0.
    pub first: Vec<usize>,
    /// `count` weights of each.
    pub weights: Vec<f32>,
    /// The two samples beside each place, where results may be held between them.
    pub beside: Option<Vec<[usize; 2]>>,
}

impl Line {
    /// The place of sample `at` of a field (of the only one in a frame) among the source's samples of that field: a whole number
    /// and a fraction, as exact as a fraction is.
    fn place(&self, at: usize, source: SampleGrid, result: SampleGrid) -> (i64, f64) {
        let ((start, size), luma) = (self.window, self.luma as i64);
        let made = 2 * result.spacing * at as i64 + result.offset + 1;
        let numerator = made * size - luma * FINE * (1 + source.offset) + 2 * luma * start;
        let denominator = 2 * luma * FINE * source.spacing;
        let whole = numerator.div_euclid(denominator);
        (whole, numerator.rem_euclid(denominator) as f64 / denominator as f64)
    }

    /// Source samples from one that is made to the next.
    fn step(&self) -> f64 {
        (self.window.1 * self.result.spacing) as f64 / (self.luma as i64 * FINE * self.source.spacing) as f64
    }

    /// True when every sample is made where one lies.
    fn stays(&self) -> bool {
        let same_step = self.window.1 * self.result.spacing == self.luma as i64 * FINE * self.source.spacing;
        same_step && self.from == self.to && self.places_of(0).0 == self.places_of(0).1 && self.window.0 == 0
    }

    /// The places of the source and of the result, of a field.
    fn places_of(&self, field: usize) -> (SampleGrid, SampleGrid) {
        match self.fields {
            true => (self.source.of_field(field as i64), self.result.of_field(field as i64)),
            false => (self.source, self.result),
        }
    }

    /// The weights, with what results are held between where they are `held`; `None` where every sample stays what it is.
    pub fn taps(&self, kernel: &ResamplingKernel, held: bool) -> Option<Taps> {
        if self.stays() {
            return None;
        }
        let stride = if self.fields && self.from > 1 { 2 } else { 1 };
        let mut made: Vec<Made> = (0..self.to).map(|at| self.make(kernel, at, stride)).collect();
        // No window begins before an earlier one: one whose first weights are none begins with them.
        let mut earliest = [usize::MAX; 2];
        for Made { field, first, weights } in made.iter_mut().rev() {
            let begin = earliest[*field].min(*first);
            weights.splice(0..0, std::iter::repeat_n(0.0, *first - begin));
            (*first, earliest[*field]) = (begin, begin);
        }
        let count = made.iter().map(|made| made.weights.len()).max().unwrap_or(1);
        let mut taps = Taps { count, stride, first: Vec::new(), weights: Vec::new(), beside: None };
        for Made { field, first, weights } in &made {
            // Windows that would end behind the last sample begin earlier.
            let last = (self.from - field).div_ceil(stride);
            let begin = (*first).min(last.saturating_sub(count));
            taps.first.push(begin * stride + field);
            let from = taps.weights.len() + first - begin;
            taps.weights.resize(taps.weights.len() + count, 0.0);
            taps.weights[from..][..weights.len()].copy_from_slice(weights);
        }
        // What is reduced has a mean of many samples for its middle, between no two of them.
        if held && self.step() <= 1.0 {
            taps.beside = Some((0..self.to).map(|at| self.beside(at, stride)).collect());
        }
        Some(taps)
    }

    /// The field of sample `at`, and its place there.
    fn field_of(&self, at: usize, stride: usize) -> (usize, usize) {
        (at % stride, at / stride)
    }

    fn beside(&self, at: usize, stride: usize) -> [usize; 2] {
        let (field, at) = self.field_of(at, stride);
        let (source, result) = self.places_of(field);
        let last = ((self.from - field).div_ceil(stride) - 1) as i64;
        let (whole, _) = self.place(at, source, result);
        [whole, whole + 1].map(|i| i.clamp(0, last) as usize * stride + field)
    }

    fn make(&self, kernel: &ResamplingKernel, at: usize, stride: usize) -> Made {
        let (field, at) = self.field_of(at, stride);
        let (source, result) = self.places_of(field);
        let (whole, fraction) = self.place(at, source, result);
        let raw = raw_weights(kernel, self.step(), fraction);
        let sum: f64 = raw.iter().map(|(_, weight)| weight).sum();
        // Samples beside the picture are those at its border.
        let last = ((self.from - field).div_ceil(stride) - 1) as i64;
        let mut folded: Vec<(usize, f64)> = Vec::new();
        for (distance, weight) in raw {
            let weight = weight / sum;
            let sample = (whole + distance).clamp(0, last) as usize;
            match folded.last_mut().filter(|(before, _)| *before == sample) {
                Some((_, folded)) => *folded += weight,
                None => folded.push((sample, weight)),
            }
        }
        let counts = |(_, weight): &(usize, f64)| weight.abs() >= NOTHING;
        let start = folded.iter().position(counts).unwrap_or(0);
        let end = folded.iter().rposition(counts).unwrap_or(0);
        let used = &folded[start..=end];
        let weights = rounded(used.iter().map(|(_, weight)| if weight.abs() < NOTHING { 0.0 } else { *weight }));
        Made { field, first: used[0].0, weights }
    }
}

/// What one sample is made from, in samples of its field.
struct Made {
    field: usize,
    first: usize,
    weights: Vec<f32>,
}

/// The weight of each sample that counts, by its distance from the one at or before the place.
fn raw_weights(kernel: &ResamplingKernel, step: f64, fraction: f64) -> Vec<(i64, f64)> {
    match kernel.shape {
        Shape::Point => vec![((fraction + 0.5).floor() as i64, 1.0)],
        Shape::Area => {
            let (left, right) = (fraction - step / 2.0, fraction + step / 2.0);
            let overlap = |i: i64| (right.min(i as f64 + 0.5) - left.max(i as f64 - 0.5)).max(0.0);
            let (first, last) = ((left + 0.5).floor() as i64, (right + 0.5).floor() as i64);
            (first..=last).map(|i| (i, overlap(i))).collect()
        }
        _ => {
            let stretch = step.max(1.0);
            let reach = kernel.radius() * stretch;
            let (first, last) = ((fraction - reach).ceil() as i64, (fraction + reach).floor() as i64);
            (first..=last).map(|i| (i, kernel.at((i as f64 - fraction) / stretch))).collect()
        }
    }
}

/// Weights of 32 bits whose sum is as near to 1 as the largest of them can make it.
fn rounded(weights: impl Iterator<Item = f64>) -> Vec<f32> {
    let mut rounded: Vec<f32> = weights.map(|weight| weight as f32).collect();
    let rest = 1.0 - rounded.iter().map(|weight| f64::from(*weight)).sum::<f64>();
    let mut largest = 0;
    for (i, weight) in rounded.iter().enumerate() {
        if weight.abs() > rounded[largest].abs() {
            largest = i;
        }
    }
    rounded[largest] = (f64::from(rounded[largest]) + rest) as f32;
    rounded
}

impl Taps {
    /// The weights of sample `at`.
    pub fn weights_of(&self, at: usize) -> &[f32] {
        &self.weights[at * self.count..][..self.count]
    }

    /// The last sample that sample `at` is made from, of `from` samples.
    pub fn last(&self, at: usize, from: usize) -> usize {
        let last = (self.first[at] + self.stride * (self.count - 1)).min(from - 1);
        self.beside.as_ref().map_or(last, |beside| last.max(beside[at][1]))
    }

    /// The first one.
    pub fn lowest(&self, at: usize) -> usize {
        self.beside.as_ref().map_or(self.first[at], |beside| self.first[at].min(beside[at][0]))
    }
}
