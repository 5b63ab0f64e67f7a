//! The parameters worked out for one stream: what every kernel computes with.

use super::GrainParams;
use super::template::GRAIN_BITS;
use crate::filters::combine::merge::Scale;
use crate::filters::device_struct::device_struct;
use crate::filters::random::mix;
use crate::filters::requant::bounds;
use crate::simd::rows::SIGN;
use crate::video::{Model, StreamInfo};

/// Bits of a strength, of which this many are one, and of the way from black to white.
const ONE_BITS: u32 = 12;
const ONE: i32 = 1 << ONE_BITS;

/// Below this part of the way grain goes to `shadows`, and above the other to `highlights`.
const DARK_BITS: u32 = ONE_BITS - 2;
const BRIGHT_BITS: u32 = ONE_BITS - 1;

/// Next to black, grain has at most so many times the distance from it.
const RISE_BITS: u32 = 3;

/// The parameters worked out for one stream. Values are lanes.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub seed: u64,
    /// The diameter of grains in samples of luma.
    pub size: f64,
    /// How much of the grain of R, G and B is their own, where one is what they share; `None` for YCbCr, whose components share none.
    pub own: Option<f64>,
    /// Base-two logarithms of the luma columns and rows that a chroma sample covers.
    pub subsampling: (usize, usize),
    pub curve: Curve,
    pub components: Vec<ComponentPlan>,
    still: bool,
}

/// What is done to one component.
#[derive(Clone, Copy, Debug)]
pub(super) struct ComponentPlan {
    /// The standard deviation of grain of full strength.
    pub amount: i32,
    /// Smallest result.
    pub low: i32,
    /// Largest result.
    pub high: i32,
    /// Whether luma says how strong grain is, and not the component itself.
    pub follows_luma: bool,
}

device_struct! {
    /// How strong grain is from black to white.
    #[derive(Debug)]
    pub(super) struct Curve = "GrainCurve" {
        black: i32,
        /// How far white is above it.
        span: i32,
        /// 2^28 / span.
        inverse: u32,
        /// How much less it is at black, and at white, than between.
        dark: i32,
        bright: i32,
    }
}

impl Plan {
    /// What `params` mean for `stream`.
    pub fn new(params: &GrainParams, stream: &StreamInfo) -> Plan {
        let format = stream.format;
        // Lane of the value 0.
        let zero = if format.is_yc48() { i32::from(SIGN) } else { 0 };
        let component = |index: usize| {
            let (is_filtered, is_chroma) = (params.planes.has(format, index), format.is_chroma(index));
            let share = if is_chroma { params.chroma } else { 1.0 };
            let amount = params.amount * share * f64::from(format.code_step());
            let (low, high) = bounds(format.is_yc48(), params.keep_tv_range && is_filtered, is_chroma);
            let amount = if is_filtered { libm::round(amount) as i32 } else { 0 };
            ComponentPlan { amount, low: zero + low, high: zero + high, follows_luma: is_chroma }
        };
        Plan {
            seed: params.seed as u64,
            size: params.size,
            own: (format.model() == Model::Rgb).then_some(params.chroma),
            subsampling: (format.subsampling_w().into(), format.subsampling_h().into()),
            curve: Curve::new(params, stream),
            components: (0..format.components()).map(component).collect(),
            still: params.still,
        }
    }

    /// True when component `component` is worked on, and not just copied.
    pub fn works_on(&self, component: usize) -> bool {
        let ComponentPlan { amount, low, high, .. } = self.components[component];
        amount > 0 || (low, high) != ALL
    }

    /// What chooses the places of the grain of frame `frame_index`.
    pub fn key(&self, frame_index: u64) -> u64 {
        key(self.seed, if self.still { 0 } else { frame_index })
    }
}

/// Number `number` of the random numbers of a seed.
pub(super) fn key(seed: u64, number: u64) -> u64 {
    mix(mix(seed).wrapping_add(number))
}

impl Curve {
    fn new(params: &GrainParams, stream: &StreamInfo) -> Curve {
        let Scale { black, span, .. } = Scale::of(stream);
        let less = |strength: f64| ONE - libm::round(strength * f64::from(ONE)) as i32;
        Curve {
            black,
            span,
            inverse: libm::round(f64::from(1u32 << 28) / f64::from(span)) as u32,
            dark: less(params.shadows),
            bright: less(params.highlights),
        }
    }

    /// How strong grain is where luma, or the component, is `lane`.
    #[inline(always)]
    pub fn strength(&self, lane: u16) -> i32 {
        let above = (i32::from(lane) - self.black).clamp(0, self.span);
        let way = ((above as u32 * self.inverse + (1 << 15)) >> 16) as i32;
        let dark = (self.dark * ((1 << DARK_BITS) - way).max(0)) >> DARK_BITS;
        let bright = (self.bright * (way - (1 << BRIGHT_BITS)).max(0)) >> BRIGHT_BITS;
        (ONE - dark - bright).min(way << RISE_BITS)
    }

    /// What becomes of `lane` where luma, or the component, is `steer`.
    #[inline(always)]
    pub fn grained(&self, component: &ComponentPlan, lane: u16, steer: u16, grain: i16) -> u16 {
        let deviation = (self.strength(steer) * component.amount + (ONE >> 1)) >> ONE_BITS;
        let noise = (i32::from(grain) * deviation + (1 << GRAIN_BITS >> 1)) >> GRAIN_BITS;
        (i32::from(lane) + noise).clamp(component.low, component.high) as u16
    }
}

/// All lanes.
const ALL: (i32, i32) = (0, u16::MAX as i32);
