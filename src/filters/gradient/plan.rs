//! The parameters worked out for one stream: what every kernel computes with.

use super::GradientParams;
use crate::filters::deband::Field;
use crate::filters::requant::bounds;
use crate::video::{Format, FrameProps, StreamInfo};

/// How far evidence of texture is looked for.
pub(super) const EVIDENCE_REACH: usize = 6;

/// Rows and columns of a cell of which the level is found.
pub(super) const CELL: usize = 16;

/// Parts of a v16 step that levels of cells count.
pub(super) const LEVEL_PARTS: i32 = 8;

/// What pairs of a sample weigh in 32768ths, when so many of them count. The sample weighs two.
pub(super) const SHARES: [u16; 7] = [16384, 8192, 5461, 4096, 3277, 2731, 2341];

/// Where one sample of a pair lies, by column and row. The other lies opposite.
pub(super) type Offset = (isize, isize);

/// The parameters worked out for one stream, in v16.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub components: Vec<ComponentPlan>,
    pub evidence: Evidence,
    field: Field,
}

/// What is done to one component.
#[derive(Clone, Debug)]
pub(super) struct ComponentPlan {
    /// False when it is copied.
    pub filters: bool,
    pub passes: [Pass; 4],
    /// Cells from a window's middle to where its weight is nothing.
    pub window: usize,
    /// Smallest and largest result.
    pub low: u16,
    pub high: u16,
}

/// One pass.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pass {
    pub offsets: [Offset; 3],
    /// How near both samples of a pair must be.
    pub near: u16,
    /// How much their sum may differ from twice the sample.
    pub bump: u16,
    /// How far its results may lie from the source.
    pub limit: u16,
}

/// How evidence of texture is found and weighed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Evidence {
    pub offsets: [Offset; 6],
    pub near: u16,
    /// What is no evidence yet.
    pub floor: u16,
    /// From v16 to 256ths of a step.
    pub scale: u16,
    /// The sum at which nothing is left of the filter.
    pub end: u16,
    /// 32768ths for each of the sum below that.
    pub gain: u16,
}

/// `sum` over `count`, rounded half up.
pub(super) fn rounded(sum: i32, count: i32) -> i32 {
    (2 * sum + count).div_euclid(2 * count)
}

impl Pass {
    /// Rows that it looks up and down.
    pub fn rows(&self) -> usize {
        rows_of(&self.offsets)
    }
}

/// The most rows that one of `offsets` spans.
pub(super) fn rows_of(offsets: &[Offset]) -> usize {
    offsets.iter().map(|(_, y)| y.unsigned_abs()).max().unwrap_or(0)
}

/// Three directions, 60 degrees apart, at a distance of `step` samples; turned by 30 degrees or not. Upside down they are the same.
fn directions(step: usize, turned: bool) -> [Offset; 3] {
    let (s, half, high) = (step as isize, step.div_ceil(2) as isize, ((step * 887 + 512) >> 10) as isize);
    match turned {
        false => [(s, 0), (half, high), (-half, high)],
        true => [(high, half), (0, s), (-high, half)],
    }
}

/// The range for frames of `height` rows: 64 at 1080, in proportion, but never below 48.
fn auto_range(height: usize) -> usize {
    ((8 * height + 67) / 135).clamp(48, 255)
}

/// The window for a range: half as wide again, and wide enough for bands of narrower ranges too.
fn window(range: usize) -> usize {
    ((3 * range + CELL) / (2 * CELL)).max(5)
}

impl Plan {
    /// What `params` mean for `stream`.
    pub fn new(params: &GradientParams, stream: &StreamInfo) -> Plan {
        let format = stream.format;
        let depth = params.bits.map_or(format.bit_depth().min(10), |bits| bits as u8);
        let step = 1 << (16 - depth);
        let scaled = |number: i64| ((number * step + 128) >> 8) as u16;
        let range = params.range.map_or_else(|| auto_range(stream.height), |range| range as usize);
        let moves = scaled(params.cell) + scaled(params.slack) > 0 || params.keep_tv_range;
        let component = |index: usize| {
            let range = if is_subsampled(format, index) { range.div_ceil(2) } else { range };
            let pass = |i: usize| {
                let step = (range >> i).max(1);
                Pass {
                    offsets: directions(step, i % 2 == 1),
                    near: scaled(params.t1),
                    bump: scaled(if i == 0 { params.t2 } else { params.t2f }),
                    limit: scaled(params.cell) + if i == 3 { scaled(params.slack) } else { 0 },
                }
            };
            let filters = moves && params.planes.has(format, index);
            let (low, high) = bounds(false, params.keep_tv_range, format.is_chroma(index));
            let (low, high) = (low as u16, high as u16);
            ComponentPlan { filters, passes: std::array::from_fn(pass), window: window(range), low, high }
        };
        let (near, far) = (directions(EVIDENCE_REACH, false), directions(EVIDENCE_REACH, true));
        let fade = params.s1 - params.s0;
        Plan {
            components: (0..format.components()).map(component).collect(),
            evidence: Evidence {
                offsets: [near[0], near[1], near[2], far[0], far[1], far[2]],
                near: scaled(params.tm),
                floor: scaled(params.cell + params.tol),
                scale: 1 << (depth - 8),
                end: params.s1 as u16,
                gain: ((32767 + fade / 2) / fade) as u16,
            },
            field: params.field,
        }
    }

    /// Into how many pictures a frame's rows are dealt out: its fields, or itself.
    pub fn fields(&self, props: &FrameProps) -> usize {
        let by_field = match self.field {
            Field::Auto => props.field_order.is_interlaced(),
            Field::Off => false,
            Field::On => true,
        };
        if by_field { 2 } else { 1 }
    }
}

impl Evidence {
    /// What is left of the filter in 32768ths where the evidence around a sample is `sum`.
    pub fn weight(&self, sum: i32) -> i32 {
        ((i32::from(self.end) - sum) * i32::from(self.gain)).clamp(0, 32767)
    }
}

/// Whether component `index` has fewer samples than luma.
fn is_subsampled(format: Format, index: usize) -> bool {
    format.is_chroma(index) && (format.subsampling_w() > 0 || format.subsampling_h() > 0)
}
