//! Expressions for the planes of a stream.

use super::words::{Expression, Given};
use super::{ExprParams, SampleScale};
use crate::filters::Setup;
use crate::video::StreamInfo;

/// Codes of limited range on the scale of 16 bits: black, white, the most chroma.
const LIMITED: [u32; 3] = [16 << 8, 235 << 8, 240 << 8];

/// What is done to each component; `None`: it is copied.
pub struct Plan {
    pub components: Vec<Option<ComponentPlan>>,
    /// For every picture that expressions may read, its input; a name that is not given has none.
    pub inputs: [Option<usize>; 3],
}

/// What is done to a component.
pub struct ComponentPlan {
    pub expression: Expression,
    pub stream: StreamValues,
}

/// What a stream says to expressions of one of its planes.
#[derive(Clone, Copy)]
pub struct StreamValues {
    /// Values of 16 bits in a code: a power of two.
    pub unit: f32,
    depth: u8,
    is_full: bool,
    size: (usize, usize),
}

impl Plan {
    /// The plan of `params` for the pictures of `setup`.
    pub fn new(params: &ExprParams, setup: &Setup) -> Plan {
        let input = &setup.input;
        let component = |index| {
            let expression = params.changed(input, index)?.clone();
            Some(ComponentPlan { expression, stream: StreamValues::new(input, index, params.scale) })
        };
        let second = params.with.as_ref().map(|_| 1);
        let third = params.with2.as_ref().map(|_| 1 + second.unwrap_or(0));
        Plan { components: (0..input.format.components()).map(component).collect(), inputs: [Some(0), second, third] }
    }
}

impl StreamValues {
    fn new(info: &StreamInfo, component: usize, scale: SampleScale) -> StreamValues {
        let depth = info.format.bit_depth();
        let unit = match scale {
            SampleScale::Eight => 256.0,
            SampleScale::Native => (1u32 << (16 - depth)) as f32,
        };
        let size = info.format.component_size(component, info.width, info.height);
        StreamValues { unit, depth, is_full: info.is_full_range(), size }
    }

    /// The number that a word stands for, where that is one for the whole plane of every frame.
    pub fn number(&self, given: Given) -> Option<f32> {
        let codes = |value: u32| value as f32 / self.unit;
        let largest = codes((1 << 16) - (1 << (16 - self.depth)));
        let [black, white, most] = LIMITED.map(codes);
        Some(match given {
            Given::Column | Given::Row | Given::Frame => return None,
            Given::Width => self.size.0 as f32,
            Given::Height => self.size.1 as f32,
            Given::Pi => std::f32::consts::PI,
            Given::RangeHalf => codes(1 << 15),
            Given::RangeMax => largest,
            Given::LumaMax | Given::ChromaMax if self.is_full => largest,
            Given::LumaMin | Given::ChromaMin if !self.is_full => black,
            Given::LumaMax => white,
            Given::ChromaMax => most,
            Given::RangeMin | Given::LumaMin | Given::ChromaMin => 0.0,
        })
    }

    /// The sample of 16 bits that a result is: what is no number is 0.
    #[inline(always)]
    pub fn sample(&self, result: f32) -> u16 {
        let value = result * self.unit;
        let value = if value > 0.0 { value } else { 0.0 };
        let value = if value < 65535.0 { value } else { 65535.0 };
        (value + 0.5) as i32 as u16
    }
}
