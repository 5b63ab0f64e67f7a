//! What a kernel is run with: a filter, its arguments, a stream, the storage of its pictures, a frame.

use crate::data::{CONTENTS, Content, mix};
use crate::sample::{Sample, run_seed};
use std::fmt;
use vramp::error::Result;
use vramp::filters::{Descriptor, Filter, Setup, SideStorage, Spec, Wiring};
use vramp::params::{ParamKind, parse_chain};
use vramp::video::{FieldOrder, Format, FrameProps, Model, Range, StreamInfo};

/// Formats of sources. A filter meets those it accepts.
const FORMATS: &[&str] = &[
    "gray8",
    "gray10",
    "gray16",
    "yuv420p",
    "yuv420p10",
    "yuv420p12",
    "yuv420p16",
    "yuv422p",
    "yuv422p10",
    "yuv444p",
    "yuv444p9",
    "yuv444p12",
    "yuv444p16",
    "gbrp",
    "gbrp10",
    "gbrp16",
    "nv12",
    "p010",
    "p016",
    "yc48",
];

/// A picture that many runs can share.
pub const SMALL: (usize, usize) = (17, 5);

/// A picture larger than any vector, band or table that kernels work in.
pub const MEDIUM: (usize, usize) = (149, 131);

/// Sizes: single samples, odd, tiny, wide, tall.
pub const SHAPES: &[(usize, usize)] =
    &[(1, 1), (2, 1), (1, 2), (3, 3), SMALL, (5, 18), (64, 2), (1000, 3), (3, 600), MEDIUM];

/// Ranges a stream can have.
pub const RANGES: &[Range] = &[Range::Unspecified, Range::Limited, Range::Full];

/// Field orders a frame can have.
pub const FIELD_ORDERS: &[FieldOrder] = &[FieldOrder::Progressive, FieldOrder::TopFirst, FieldOrder::BottomFirst];

/// Frame indices: the first, small, around 16 (after which some tables repeat), and beyond 32 bits.
const FRAMES: &[u64] = &[0, 1, 5, 15, 16, 17, 100_003, u64::MAX / 3];

/// One thing to run.
pub struct Case {
    pub filter: &'static Descriptor,
    pub args: &'static str,
    pub input: StreamInfo,
    pub src: Format,
    pub dst: Format,
    pub frame_index: u64,
    pub field_order: FieldOrder,
    pub content: Content,
    pub seed: u64,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Case { filter, args, input, src, dst, frame_index, field_order, content, seed } = self;
        let (name, range) = (filter.name, input.color.range);
        write!(
            f,
            "{name} [{args}] {} {range:?} stored {src} to {dst}, {}x{}, {content:?}, {field_order:?}, \
             frame {frame_index}, seed {seed:#x}",
            input.format, input.width, input.height
        )
    }
}

impl Case {
    /// Luma width and height.
    pub fn shape(&self) -> (usize, usize) {
        (self.input.width, self.input.height)
    }

    /// The filter, and what its kernels are built for.
    pub fn build(&self) -> Result<(Box<dyn Filter>, Setup)> {
        let filter = create(self.filter, self.args)?;
        let spec = self.spec_of(&*filter)?;
        let mut setup = Setup::of(self.input.clone(), self.src, spec.output, self.dst);
        setup.sides = vec![SideStorage { info: self.input.clone(), src: self.src }; spec.reads.len() - 1];
        if let (Some((_, survey)), Some(side)) = (self.survey()?, setup.sides.last_mut()) {
            *side = SideStorage { src: survey.dst, info: survey.output };
        }
        Ok((filter, setup))
    }

    /// The filter that makes the surveys that this one reads, which are its last input.
    pub fn survey(&self) -> Result<Option<(Box<dyn Filter>, Setup)>> {
        let Some(survey) = create(self.filter, self.args)?.survey(&self.input) else { return Ok(None) };
        let output = survey.spec(std::slice::from_ref(&self.input))?.output;
        let format = output.format;
        Ok(Some((survey, Setup::of(self.input.clone(), self.src, output, format))))
    }

    /// Whether `input` of a filter of `spec` are surveys, and what makes them.
    pub fn survey_for(&self, spec: &Spec, input: usize) -> Option<(Box<dyn Filter>, Setup)> {
        self.survey().expect("a survey of any picture").filter(|_| input + 1 == spec.reads.len())
    }

    /// What the filter does to its streams: every input is like the first.
    pub fn spec(&self) -> Result<Spec> {
        self.spec_of(&*create(self.filter, self.args)?)
    }

    fn spec_of(&self, filter: &dyn Filter) -> Result<Spec> {
        let others = match filter.wiring() {
            Wiring::Reads(names) => names.len(),
            Wiring::Keep(_) | Wiring::Use(_) => 0,
        };
        filter.spec(&vec![self.input.clone(); 1 + others])
    }

    /// Whether the filter takes pictures of this shape: a picture may be too small for it.
    pub fn fits(&self) -> bool {
        self.spec().is_ok()
    }

    /// The frame's properties, `later` frames on.
    pub fn props(&self, later: u64) -> FrameProps {
        let frame_index = self.frame_index + later;
        FrameProps { frame_index, field_order: self.field_order, color: self.input.color, ..FrameProps::default() }
    }

    /// The seed of the frame `later` frames on.
    pub fn seed(&self, later: u64) -> u64 {
        self.seed + later
    }

    /// The seed of the frame of `input` that is `offset` frames from the one `later` frames on.
    pub fn seed_of(&self, input: usize, later: u64, offset: i64) -> u64 {
        let seed = self.seed(later).wrapping_add_signed(offset);
        if input == 0 { seed } else { mix(seed.wrapping_add(input as u64)) }
    }
}

/// Whether `filter` takes pictures of this format and shape with these arguments.
pub fn fits(filter: &'static Descriptor, args: &'static str, format: Format, shape: (usize, usize)) -> bool {
    case(filter, args, format, shape, 0).fits()
}

/// The filter with arguments as its descriptor writes them.
pub fn create(filter: &'static Descriptor, args: &str) -> Result<Box<dyn Filter>> {
    (filter.create)(&parse_chain(&filter.text(args))?[0])
}

/// The formats that `filter` accepts.
pub fn formats(filter: &Descriptor) -> impl Iterator<Item = Format> {
    FORMATS.iter().map(|name| name.parse().expect("the name of a format")).filter(|format| (filter.accepts)(*format))
}

/// Every filter × its cases × formats × shapes; all else takes turns.
pub fn cases(filters: &[&'static Descriptor]) -> impl Iterator<Item = Case> {
    sampled_cases(filters, Sample::asked())
}

/// The same of a sample of them.
pub fn sampled_cases(filters: &[&'static Descriptor], sample: Sample) -> impl Iterator<Item = Case> {
    product(filters, sample, |filter| filter.cases).map(stored_in_turn)
}

/// Every filter × its options at the ends of what they take × formats, in a small picture; all else takes turns.
pub fn end_cases(filters: &[&'static Descriptor]) -> impl Iterator<Item = Case> {
    product(filters, Sample::asked(), ends).filter(|case| case.shape() == SMALL).map(stored_in_turn)
}

/// Every option of `filter` at either end of its range, one at a time, where it can be there alone.
fn ends(filter: &'static Descriptor) -> &'static [&'static str] {
    let values = |kind: ParamKind| match kind {
        ParamKind::Bool => vec!["on".to_owned(), "off".to_owned()],
        ParamKind::Int { min, max } => vec![min.to_string(), max.to_string()],
        ParamKind::Float { min, max } => vec![min.to_string(), max.to_string()],
        ParamKind::Choice(words) => words.iter().map(|word| (*word).to_owned()).collect(),
        // It has no ends.
        ParamKind::Text(_) => Vec::new(),
        ParamKind::Name => vec!["x".to_owned(), "Some_name_2".to_owned()],
    };
    let params = filter.schema.params.iter();
    let args = params.flat_map(|param| values(param.kind).into_iter().map(|value| format!("{}={value}", param.name)));
    // As long as the program runs: descriptors have no other arguments.
    args.filter(|args| create(filter, args).is_ok()).map(|args| &*args.leak()).collect::<Vec<_>>().leak()
}

/// The case with storage that a chain may have given it.
fn stored_in_turn(mut case: Case) -> Case {
    let mut turn = Turn::new(case.seed + 1);
    case.src = *turn.pick(&sources(case.input.format));
    // A case that cannot be built is left for the check to report.
    if let Ok((_, setup)) = case.build() {
        case.dst = *turn.pick(&sinks(case.input.format, setup.output.format));
    }
    case
}

/// Every filter × its neutral settings × formats × shapes, the result stored as the source is.
pub fn neutral_cases(filters: &[&'static Descriptor]) -> impl Iterator<Item = Case> {
    product(filters, Sample::asked(), |filter| filter.neutral)
}

/// Every filter × its arguments × formats × shapes, in the source's own storage.
fn product(
    filters: &[&'static Descriptor],
    sample: Sample,
    arguments: fn(&'static Descriptor) -> &'static [&'static str],
) -> impl Iterator<Item = Case> {
    let (step, seed) = (sample.step(), run_seed());
    filters
        .iter()
        .filter(|filter| filter.has_kernels())
        .flat_map(move |filter| arguments(filter).iter().enumerate().map(|(place, args)| (*filter, *args, place)))
        .flat_map(|(filter, args, place)| {
            formats(filter).enumerate().map(move |(i, format)| (filter, args, format, place + i))
        })
        .flat_map(|(filter, args, format, place)| {
            SHAPES.iter().enumerate().map(move |(i, shape)| (filter, args, format, *shape, place + i))
        })
        .enumerate()
        .filter(move |(_, (.., place))| (*place as u64).wrapping_add(seed).is_multiple_of(step))
        .map(move |(number, (filter, args, format, shape, _))| {
            case(filter, args, format, shape, (number as u64).wrapping_add(seed))
        })
        .filter(Case::fits)
}

/// A case in the source's own storage; what is no dimension of the product takes turns.
fn case(
    filter: &'static Descriptor,
    args: &'static str,
    format: Format,
    (width, height): (usize, usize),
    number: u64,
) -> Case {
    let seed = mix(number);
    let mut turn = Turn::new(seed);
    let mut input = StreamInfo::bare(format, width, height);
    input.color.range = *turn.pick(RANGES);
    Case {
        filter,
        args,
        input,
        src: format,
        dst: format,
        frame_index: *turn.pick(FRAMES),
        field_order: *turn.pick(FIELD_ORDERS),
        content: *turn.pick(CONTENTS),
        seed,
    }
}

/// How a chain may store what a filter reads: as the source does, or as v16.
fn sources(format: Format) -> Vec<Format> {
    if format.is_yc48() { vec![format] } else { vec![format, format.to_v16()] }
}

/// How a chain may store what a filter writes: as v16, or as a sink that takes `output` wants it.
fn sinks(input: Format, output: Format) -> Vec<Format> {
    if output.is_yc48() {
        return vec![output];
    }
    let planar = |bits| output.to_planar(bits).expect("a depth of 8 to 16");
    // As the source is, where the result has its components.
    let same = if input.to_v16() == output.to_v16() { input } else { output };
    let mut sinks = vec![output.to_v16(), same, output, planar(8), planar(10)];
    if output.model() == Model::Yuv && (output.subsampling_w(), output.subsampling_h()) == (1, 1) {
        sinks.extend([8, 10, 12, 16].map(|bits| Format::semi_planar(bits).expect("a semi-planar depth")));
    }
    sinks
}

/// Picks what a dimension has, in an order that only the seed decides.
pub struct Turn(u64);

impl Turn {
    pub fn new(seed: u64) -> Turn {
        Turn(seed)
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        self.0 = mix(self.0);
        &from[(self.0 >> 32) as usize % from.len()]
    }
}
