//! The parameters worked out for one stream: what every kernel computes with.

use super::{Border, DebandParams, Field};
use crate::error::{Error, Result};
use crate::filters::Setup;
use crate::filters::requant::bounds;
use crate::video::{FrameProps, StreamInfo};

/// What a kernel does to one component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ComponentPlan {
    /// Samples in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// How far references may lie.
    pub range: usize,
    /// A sample that differs less than this becomes the average.
    pub threshold: i32,
    /// With `sample` from 5 on: if it also differs less than this from every reference ...
    pub farthest: i32,
    /// ... and less than this from the middle of each pair.
    pub middle: i32,
    /// Noise reaches from −`dither` to `dither`.
    pub dither: i32,
    /// Smallest result.
    pub low: i32,
    /// Largest result.
    pub high: i32,
}

/// The parameters worked out for one stream. Sample values are v16, or YC48's own.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Plan {
    /// Luma width.
    pub width: usize,
    /// Luma height.
    pub height: usize,
    /// Which references a sample has, and how they are taken.
    pub sample: i64,
    /// Compare with the average of the references.
    pub blur_first: bool,
    /// References outside are the nearest samples inside; the range does not shrink towards the border.
    pub extend: bool,
    /// Other random bytes in each of 16 frames.
    pub rand_each_frame: bool,
    /// Seed of the random table.
    pub seed: u32,
    /// Signed samples that are never converted.
    pub yc48: bool,
    /// With `sample` 7: what multiplies the thresholds where the gradient is steady ...
    pub angle_boost: f64,
    /// ... which it is where angles differ from the sample's own by so many 65536ths of half a turn at most.
    pub max_angle: u32,
    /// The components.
    pub components: Vec<ComponentPlan>,
    field: Field,
}

impl Plan {
    /// What `params` mean for `stream`.
    pub(super) fn new(params: &DebandParams, stream: &StreamInfo) -> Plan {
        let format = stream.format;
        let yc48 = format.is_yc48();
        // Thresholds and noise are stated in YC48's scale; v16 has 16 times as many steps.
        let scale = if yc48 { 0 } else { 4 };
        // One reference is its own average, and the last modes compare with both.
        let blur_first = (1..5).contains(&params.sample) && params.blur_first;
        let threshold_shift = if blur_first { 1 } else { 2 } + scale;
        let dither = params.dither.unwrap_or(if params.sample == 0 { 0 } else { 15 });
        let component = |index: usize| {
            let (width, height) = format.component_size(index, stream.width, stream.height);
            let is_filtered = params.planes.has(format, index);
            let is_chroma = format.is_chroma(index);
            let subsampled = is_chroma && (format.subsampling_w() > 0 || format.subsampling_h() > 0);
            let own = |[y, cb, cr]: [Option<i64>; 3]| if is_chroma { [cb, cr][index - 1] } else { y };
            let threshold = own([params.y, params.cb, params.cr]).unwrap_or(params.threshold);
            let farthest = own([params.y_1, params.cb_1, params.cr_1]).unwrap_or(threshold);
            let middle = own([params.y_2, params.cb_2, params.cr_2]).unwrap_or(threshold);
            let noise = if is_chroma { params.dither_c } else { params.dither_y }.unwrap_or(dither);
            // Nothing is below a threshold of zero, so that what is not filtered is copied as it is.
            let [threshold, noise] = [threshold, noise].map(|strength| if is_filtered { strength } else { 0 });
            let (low, high) = bounds(yc48, params.keep_tv_range && is_filtered, is_chroma);
            ComponentPlan {
                width,
                height,
                range: params.range as usize >> usize::from(subsampled),
                threshold: (threshold as i32) << threshold_shift,
                farthest: (farthest as i32) << threshold_shift,
                middle: (middle as i32) << threshold_shift,
                dither: (noise as i32) << scale,
                low,
                high,
            }
        };
        Plan {
            width: stream.width,
            height: stream.height,
            sample: params.sample,
            blur_first,
            extend: params.border == Border::Extend,
            rand_each_frame: params.rand_each_frame,
            seed: params.seed as u32,
            yc48,
            angle_boost: params.angle_boost,
            max_angle: (params.max_angle * 65536.0) as u32,
            components: (0..format.components()).map(component).collect(),
            field: params.field,
        }
    }

    /// What `params` mean for a kernel that reads and writes as `setup` says.
    ///
    /// # Errors
    /// When only one side of the kernel is YC48, which is never converted.
    pub(super) fn for_setup(params: &DebandParams, setup: &Setup) -> Result<Plan> {
        let plan = Plan::new(params, &setup.input);
        if [setup.src, setup.dst].iter().any(|format| format.is_yc48() != plan.yc48) {
            return Err(Error::internal(format!(
                "deband of {} cannot read {} and write {}: YC48 is not converted",
                setup.input.format, setup.src, setup.dst
            )));
        }
        Ok(plan)
    }

    /// How many references a sample has.
    #[cfg(feature = "cuda")]
    pub(super) fn references(&self) -> usize {
        references(self.sample as usize)
    }

    /// True when samples go a share of the distance to the average, as in modes 6 and 7.
    pub(super) fn is_soft(&self) -> bool {
        self.sample >= 6
    }

    /// True when no sample can change.
    pub(super) fn is_identity(&self) -> bool {
        (0..self.components.len()).all(|component| self.keeps(component))
    }

    /// True when no sample of component `component` can change.
    pub(super) fn keeps(&self, component: usize) -> bool {
        let c = &self.components[component];
        c.threshold == 0 && c.dither == 0 && (c.low, c.high) == bounds(self.yc48, false, false)
    }

    /// True when a frame's vertical offsets stay within a field.
    pub(super) fn by_field(&self, props: &FrameProps) -> bool {
        match self.field {
            Field::Auto => props.field_order.is_interlaced(),
            Field::Off => false,
            Field::On => true,
        }
    }
}

/// How many references a sample has in mode `sample`.
pub(super) const fn references(sample: usize) -> usize {
    match sample {
        0 => 1,
        1 | 3 => 2,
        _ => 4,
    }
}

/// The row that replaces row `y` of a picture of `height` rows, or of a field of it: itself or the nearest inside.
pub(super) fn nearest_row(y: isize, height: usize, by_field: bool) -> usize {
    let last = height as isize - 1;
    let inside = y.clamp(0, last);
    let is_other_field = by_field && (y - inside) % 2 != 0;
    (inside - if is_other_field { (y - inside).signum() } else { 0 }).clamp(0, last) as usize
}
