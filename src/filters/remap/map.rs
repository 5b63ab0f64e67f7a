//! Where samples go: for a picture as its owner says it, and for one component as kernels walk it.

use crate::filters::requant::{NEUTRAL, Scaling, white};
use crate::simd::rows::SIGN;
use crate::video::{ChromaLocation, FieldOrder, Format, Rational, StreamInfo};

/// Where the columns, or the rows, of a picture go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// In their order, from this one on, which may lie before the first.
    From(i64),
    /// In reverse.
    Mirrored,
}

/// Where the samples of a picture go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// Luma width and height of the result.
    pub size: (usize, usize),
    /// Columns become rows, and rows columns. Every sample of the source then has its place in the result.
    pub swap: bool,
    /// Where columns go.
    pub columns: Axis,
    /// Where rows go.
    pub rows: Axis,
    /// What lies beside the source, in codes of 8 bits; `None` is black.
    pub fill: Option<[u8; 3]>,
}

impl Geometry {
    /// A picture of the same size.
    pub fn of(input: &StreamInfo, columns: Axis, rows: Axis) -> Geometry {
        Geometry { size: (input.width, input.height), swap: false, columns, rows, fill: None }
    }

    /// The picture of `input` as it is.
    pub fn whole(input: &StreamInfo) -> Geometry {
        Geometry::of(input, Axis::From(0), Axis::From(0))
    }

    /// The picture of `input` with columns for rows.
    pub fn swapped(input: &StreamInfo, columns: Axis, rows: Axis) -> Geometry {
        Geometry { size: (input.height, input.width), swap: true, columns, rows, fill: None }
    }

    /// True when every sample stays where it is.
    pub fn is_identity(&self, input: &StreamInfo) -> bool {
        let in_order = self.columns == Axis::From(0) && self.rows == Axis::From(0);
        in_order && !self.swap && self.size == (input.width, input.height)
    }

    /// The stream that `input` becomes.
    pub fn output(&self, input: &StreamInfo) -> StreamInfo {
        let mut output = StreamInfo { width: self.size.0, height: self.size.1, ..input.clone() };
        if self.swap && input.sar.value().is_some() {
            output.sar = Rational::new(input.sar.den, input.sar.num);
        }
        output.color.chroma_location = self.chroma_location(input);
        output.field_order = self.field_order(input.field_order, input.height);
        output
    }

    /// Where chroma sits in the result. Mirrored samples that sat left of the middle sit right of it, and there is no word
    /// for that.
    fn chroma_location(&self, input: &StreamInfo) -> ChromaLocation {
        // How far right and down, in halves of a luma sample, by H.273's number.
        const PLACES: [[i64; 2]; 6] = [[0, 1], [1, 1], [0, 0], [1, 0], [0, 2], [1, 2]];
        let stated = input.color.chroma_location;
        let Some([right, down]) = stated.0.and_then(|stated| PLACES.get(usize::from(stated)).copied()) else {
            return stated;
        };
        let mirrored = |axis: Axis, place: i64, size: usize, subsampled: u8| match axis {
            Axis::Mirrored if subsampled > 0 => 2 * i64::from(size.is_multiple_of(2)) - place,
            _ => place,
        };
        let right = mirrored(self.columns, right, input.width, input.format.subsampling_w());
        let down = mirrored(self.rows, down, input.height, input.format.subsampling_h());
        let place = if self.swap { [down, right] } else { [right, down] };
        ChromaLocation((0..).zip(PLACES).find(|(_, known)| *known == place).map(|(code, _)| code))
    }

    /// Whether rows of the top field become rows of the bottom field, in a component of so many rows.
    pub fn exchanges_fields(&self, height: usize, subsampling: u8) -> bool {
        match self.rows {
            Axis::From(first) => first >> subsampling & 1 == 1,
            Axis::Mirrored => height.is_multiple_of(2),
        }
    }

    /// The field order of frames whose fields were shown in `order`. Columns are no fields.
    pub fn field_order(&self, order: FieldOrder, height: usize) -> FieldOrder {
        match order {
            _ if self.swap => FieldOrder::Progressive,
            FieldOrder::TopFirst if self.exchanges_fields(height, 0) => FieldOrder::BottomFirst,
            FieldOrder::BottomFirst if self.exchanges_fields(height, 0) => FieldOrder::TopFirst,
            order => order,
        }
    }

    /// What kernels walk, for each component of `input`.
    pub fn maps(&self, input: &StreamInfo) -> [Map; 3] {
        let format = input.format;
        let walk = |axis: Axis, size: usize, subsampling: u8| match axis {
            Axis::From(first) => Walk { first: first >> subsampling, step: 1 },
            Axis::Mirrored => Walk { first: size as i64 - 1, step: -1 },
        };
        [0, 1, 2].map(|component: usize| {
            let component = component.min(format.components() - 1);
            let (width, height) = format.component_size(component, input.width, input.height);
            let subsampled = |log2: u8| if format.is_chroma(component) { log2 } else { 0 };
            Map {
                swap: self.swap,
                columns: walk(self.columns, width, subsampled(format.subsampling_w())),
                rows: walk(self.rows, height, subsampled(format.subsampling_h())),
                beside: Outside::Fill(lane(input, component, self.fill)),
            }
        })
    }
}

/// The lane of a colour in codes of 8 bits, or of black.
fn lane(input: &StreamInfo, component: usize, codes: Option<[u8; 3]>) -> u16 {
    let (format, full) = (input.format, input.is_full_range());
    let is_chroma = format.is_chroma(component);
    let black = if is_chroma { 128 } else { 16 * u8::from(!full) };
    let code = i32::from(codes.map_or(black, |codes| codes[component]));
    if format.is_yc48() {
        let (origin, span) = if is_chroma { (128, 224) } else { (16, 219) };
        // Half up, as everywhere.
        let value = ((code - origin) * 4096 * 2 + span).div_euclid(2 * span);
        return value as i16 as u16 ^ SIGN;
    }
    let v16 = (code << 8) as u16;
    let bits = format.bit_depth();
    if !full || bits == 8 {
        return v16;
    }
    let middle = if is_chroma { NEUTRAL } else { 0 };
    let scaling = Scaling { from: middle, to: middle, num: white(bits), den: white(8), top: white(bits) };
    ((scaling.exact(v16, 1) + 1) >> 1) as u16
}

/// Places along one direction of a component: the first, and how far the next is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Walk {
    pub first: i64,
    /// 1 or −1.
    pub step: i64,
}

impl Walk {
    /// Every place in its order.
    pub const IN_ORDER: Walk = Walk { first: 0, step: 1 };

    /// The place `i` steps on.
    pub fn at(self, i: usize) -> i64 {
        self.first + self.step * i as i64
    }

    /// The steps, of `count`, at which the place is one of `size`.
    pub fn inside(self, size: usize, count: usize) -> std::ops::Range<usize> {
        let (size, count) = (size as i64, count as i64);
        let (start, end) = match self.step {
            1 => (-self.first, size - self.first),
            _ => (self.first + 1 - size, self.first + 1),
        };
        let start = start.clamp(0, count);
        start as usize..end.clamp(start, count) as usize
    }
}

/// What is written where there is no sample of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outside {
    /// A colour, as a lane.
    Fill(u16),
    /// The nearest row.
    NearestRow,
}

/// Where the samples of one component go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Map {
    /// Whether the result's rows walk the source's columns.
    pub swap: bool,
    /// The source's columns.
    pub columns: Walk,
    /// The source's rows.
    pub rows: Walk,
    /// What is shown beside the source.
    pub beside: Outside,
}

impl Map {
    /// Rows of a source that may be short of some.
    pub const ROWS: Map =
        Map { swap: false, columns: Walk::IN_ORDER, rows: Walk::IN_ORDER, beside: Outside::NearestRow };

    /// The place of the source that (x, y) of the result shows, of a source that is so high.
    pub fn place(&self, x: usize, y: usize, height: usize) -> (i64, i64) {
        let (along, down) = if self.swap { (y, x) } else { (x, y) };
        let row = self.rows.at(down);
        match self.beside {
            Outside::Fill(_) => (self.columns.at(along), row),
            Outside::NearestRow => (self.columns.at(along), row.clamp(0, height as i64 - 1)),
        }
    }

    /// The lane of what is shown beside the source.
    pub fn fill(&self) -> u16 {
        match self.beside {
            Outside::Fill(lane) => lane,
            Outside::NearestRow => 0,
        }
    }
}

/// The offsets that samples of `format` may move by across and down: whole samples of chroma, and of interlaced chroma
/// whole rows of both fields.
pub fn units(input: &StreamInfo) -> (i64, i64) {
    let format: Format = input.format;
    let fields = input.field_order.is_interlaced() && format.subsampling_h() > 0;
    (1 << format.subsampling_w(), 1 << (format.subsampling_h() + u8::from(fields)))
}
