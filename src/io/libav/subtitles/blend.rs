//! A canvas in the output's own samples, laid over its frames.
//!
//! A sample of the result is `(below × (65535 − coverage) + above) / 65535`, rounded half up. `above` is the canvas's
//! premultiplied colour by the output's matrix and range, in exact fractions, rounded once. A chroma sample has the mean
//! of colour and coverage over its own area: two luma samples wide (and high in 4:2:0), about the place where it sits.

use super::canvas::{Canvas, ONE, Pixel};
use crate::error::{Error, Result};
use crate::video::{ColorInfo, Format, Model, Picture, SampleLayout, SampleType};
use std::ops::Range;

/// The weights of red and blue in luma, in ten thousandths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Luma {
    pub(super) red: i64,
    pub(super) blue: i64,
}

/// What [`Luma`] counts in.
const UNIT: i64 = 10_000;

impl Luma {
    pub(super) const BT601: Luma = Luma { red: 2990, blue: 1140 };
    pub(super) const BT709: Luma = Luma { red: 2126, blue: 722 };
    pub(super) const SMPTE240M: Luma = Luma { red: 2120, blue: 870 };
    pub(super) const FCC: Luma = Luma { red: 3000, blue: 1100 };
    const BT2020: Luma = Luma { red: 2627, blue: 593 };

    /// Those of an output of `format`; where it states none, by its height, as players do.
    ///
    /// # Errors
    /// When its matrix is not one of weights.
    fn of(color: &ColorInfo, format: Format, height: usize) -> Result<Luma> {
        Ok(match color.matrix {
            _ if format.model() == Model::Rgb => Luma::BT709,
            1 => Luma::BT709,
            4 => Luma::FCC,
            5 | 6 => Luma::BT601,
            7 => Luma::SMPTE240M,
            9 => Luma::BT2020,
            2 if height <= 576 => Luma::BT601,
            2 => Luma::BT709,
            other => {
                let what = format!("--burn-subtitles cannot draw in matrix coefficients {other}: leave it out");
                return Err(Error::unsupported(what));
            }
        })
    }
}

/// How colour becomes one component: `(offset × coverage + Σ weight × colour / unit)`, in code values.
struct Mix {
    offset: i64,
    weights: [i64; 3],
    unit: i64,
}

impl Mix {
    fn all(format: Format, is_full: bool, luma: Luma) -> Vec<Mix> {
        let depth = format.bit_depth();
        let (most, step) = ((1i64 << depth) - 1, 1i64 << (depth - 8));
        let (black, span, chroma_span) = if is_full { (0, most, most) } else { (16 * step, 219 * step, 224 * step) };
        let y = [luma.red, UNIT - luma.red - luma.blue, luma.blue];
        let difference = |component: usize| {
            let mut weights = y.map(|weight| -weight * chroma_span);
            weights[component] += UNIT * chroma_span;
            Mix { offset: 1 << (depth - 1), weights, unit: 2 * (UNIT - y[component]) }
        };
        let single = |component: usize| {
            let mut weights = [0; 3];
            weights[component] = span;
            Mix { offset: black, weights, unit: 1 }
        };
        let first = Mix { offset: black, weights: y.map(|weight| weight * span), unit: UNIT };
        match format.model() {
            Model::Gray => vec![first],
            Model::Yuv => vec![first, difference(2), difference(0)],
            Model::Rgb => (0..3).map(single).collect(),
        }
    }

    /// What `sums` of `weight` pixels make: how much of the picture below stays, and what is laid over it.
    fn sample(&self, sums: [i64; 4], weight: i64) -> OverlaySample {
        let [r, g, b, coverage] = sums;
        let color = self.weights[0] * r + self.weights[1] * g + self.weights[2] * b;
        let unit = self.unit * weight;
        let add = (self.offset * coverage * self.unit + color + unit / 2) / unit;
        OverlaySample { through: ONE - ((coverage + weight / 2) / weight) as u16, add: add as u32 }
    }
}

/// Where a chroma sample sits between two luma samples, in one direction.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Site {
    /// There is one for each.
    Each,
    First,
    Between,
    Second,
}

impl Site {
    /// Across and down, for component `component`. Where nothing is stated it is left, as in nearly all video.
    fn of(format: Format, color: &ColorInfo, component: usize) -> (Site, Site) {
        let is_chroma = format.is_chroma(component);
        let location = color.chroma_location.0.unwrap_or(0);
        let across = if matches!(location, 1 | 3 | 5) { Site::Between } else { Site::First };
        let down = match location {
            2 | 3 => Site::First,
            4 | 5 => Site::Second,
            _ => Site::Between,
        };
        (
            if is_chroma && format.subsampling_w() > 0 { across } else { Site::Each },
            if is_chroma && format.subsampling_h() > 0 { down } else { Site::Each },
        )
    }

    /// The luma samples in the area of sample `place`, of `count`, and their weights, which make four. Beyond the edge
    /// the last one counts.
    fn area(self, place: usize, count: usize) -> ([(usize, i64); 3], usize) {
        let at = |offset: isize| (2 * place).saturating_add_signed(offset).min(count - 1);
        match self {
            Site::Each => ([(place, 4), (0, 0), (0, 0)], 1),
            Site::Between => ([(at(0), 2), (at(1), 2), (0, 0)], 2),
            Site::First => ([(at(-1), 1), (at(0), 2), (at(1), 1)], 3),
            Site::Second => ([(at(0), 1), (at(1), 2), (at(2), 1)], 3),
        }
    }

    /// The samples whose area meets the luma samples of `range`, of `count` samples in all.
    fn met(self, range: Range<usize>, count: usize) -> Range<usize> {
        match self {
            _ if range.is_empty() => 0..0,
            Site::Each => range,
            _ => (range.start.saturating_sub(1) / 2)..(range.end / 2 + 1).min(count),
        }
    }
}

/// The weights of an area make this.
const AREA: i64 = 16;

/// One sample of the overlay.
#[derive(Clone, Copy)]
struct OverlaySample {
    through: u16,
    add: u32,
}

/// A run of samples in a row of one component.
struct SampleRun {
    y: usize,
    x: usize,
    samples: Range<usize>,
}

/// One component: how it is made, and what is drawn in it.
struct Layer {
    mix: Mix,
    sites: (Site, Site),
    rows: Vec<SampleRun>,
    samples: Vec<OverlaySample>,
}

/// What is drawn, in an output's samples.
pub(super) struct Overlay {
    format: Format,
    layers: Vec<Layer>,
}

impl Overlay {
    /// Nothing yet, for an output of `format`, `height` rows and these colours. `luma` replaces its matrix.
    ///
    /// # Errors
    /// When the output's matrix is not one of luma and colour differences.
    pub(super) fn new(format: Format, color: &ColorInfo, height: usize, luma: Option<Luma>) -> Result<Overlay> {
        let stated = Luma::of(color, format, height)?;
        let mixes = Mix::all(format, color.range.is_full_in(format), luma.unwrap_or(stated));
        let layer = |(component, mix)| Layer {
            mix,
            sites: Site::of(format, color, component),
            rows: Vec::new(),
            samples: Vec::new(),
        };
        Ok(Overlay { format, layers: mixes.into_iter().enumerate().map(layer).collect() })
    }

    /// From now on it is `canvas`, of the output's size.
    pub(super) fn set(&mut self, canvas: &Canvas) {
        for (component, layer) in self.layers.iter_mut().enumerate() {
            layer.set(canvas, self.format.component_size(component, canvas.width(), canvas.height()));
        }
    }

    /// Whether nothing is drawn.
    pub(super) fn is_empty(&self) -> bool {
        self.layers.iter().all(|layer| layer.rows.is_empty())
    }

    /// Draws it over `picture`, of the output's format and size.
    pub(super) fn draw(&self, picture: &mut Picture) {
        let most = (1u32 << self.format.bit_depth()) - 1;
        for (component, layer) in self.layers.iter().enumerate() {
            let (plane, offset, layout) = self.format.component_layout(component);
            for row in &layer.rows {
                let bytes = picture.row_bytes_mut(plane, row.y);
                let start = (row.x * usize::from(layout.step) + offset) * layout.sample.bytes();
                draw_row(&mut bytes[start..], layout, &layer.samples[row.samples.clone()], most);
            }
        }
    }
}

impl Layer {
    fn set(&mut self, canvas: &Canvas, (width, height): (usize, usize)) {
        self.rows.clear();
        self.samples.clear();
        let (across, down) = self.sites;
        for y in 0..height {
            let (lines, count) = down.area(y, canvas.height());
            let lines = &lines[..count];
            let drawn = lines.iter().map(|(line, _)| canvas.drawn(*line)).filter(|drawn| !drawn.is_empty());
            let Some(drawn) = drawn.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end)) else { continue };
            let met = across.met(drawn, width);
            let first = self.samples.len();
            for x in met.clone() {
                let (columns, count) = across.area(x, canvas.width());
                let mut sums = [0i64; 4];
                for (line, high) in lines {
                    let line = canvas.row(*line);
                    for (column, wide) in &columns[..count] {
                        add(&mut sums, line[*column], high * wide);
                    }
                }
                self.samples.push(self.mix.sample(sums, AREA));
            }
            self.rows.push(SampleRun { y, x: met.start, samples: first..self.samples.len() });
        }
    }
}

fn add(sums: &mut [i64; 4], pixel: Pixel, weight: i64) {
    for (sum, value) in sums.iter_mut().zip(pixel) {
        *sum += weight * i64::from(value);
    }
}

/// Draws `samples` over those in `bytes`, the first of which is the first there. None becomes more than `most`.
fn draw_row(bytes: &mut [u8], layout: SampleLayout, samples: &[OverlaySample], most: u32) {
    let step = usize::from(layout.step) * layout.sample.bytes();
    match layout.sample {
        SampleType::U8 => {
            for (byte, sample) in bytes.iter_mut().step_by(step).zip(samples) {
                *byte = over(u32::from(*byte), *sample, most) as u8;
            }
        }
        SampleType::U16 | SampleType::I16 => {
            // Formats like p010 keep their bits at the top.
            let shift = 16 - layout.bit_depth - layout.shift;
            for (at, sample) in samples.iter().enumerate() {
                let place = &mut bytes[at * step..][..2];
                let below = u32::from(u16::from_ne_bytes([place[0], place[1]]) >> shift);
                let above = over(below, *sample, most) as u16;
                place.copy_from_slice(&(above << shift).to_ne_bytes());
            }
        }
    }
}

fn over(below: u32, sample: OverlaySample, most: u32) -> u32 {
    let one = u32::from(ONE);
    ((below * u32::from(sample.through) + sample.add + one / 2) / one).min(most)
}

#[cfg(test)]
mod tests;
