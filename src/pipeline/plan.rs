//! Negotiation: from streams, a chain and a wanted output to the kernels that run and the storage between them.

use crate::error::{Error, Result};
use crate::filters::depth::{Depth, Dither};
use crate::filters::point::Folded;
use crate::filters::{Change, Cycle, Filter, Reach, Setup, SideStorage, Spec, Wiring, masked, planes};
use crate::pipeline::parts::{Feed, Part, cut};
use crate::video::{Format, Rational, StreamInfo};
use std::collections::BTreeSet;

#[cfg(test)]
mod folded_tests;
mod unread;

/// What the sink wants of the last picture.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Storage format; `None` keeps the components at the depth the chain ends with, planar.
    pub format: Option<Format>,
    /// How a lower depth is reached; `None` rounds.
    pub dither: Dither,
    /// Whether point filters that follow one another become one kernel. The bytes are the same: tests and benches compare.
    pub folds: bool,
}

impl Default for Target {
    fn default() -> Self {
        Self { format: None, dither: Dither::None, folds: true }
    }
}

/// Where a kernel's picture comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operand {
    /// An input of the chain; 0 is its own.
    Input(usize),
    /// An earlier stage.
    Stage(usize),
}

/// One kernel of a plan.
#[derive(Debug)]
pub struct Stage {
    /// The filter.
    pub filter: Box<dyn Filter>,
    /// What its kernel is built for.
    pub setup: Setup,
    /// What it does to its streams.
    pub spec: Spec,
    /// Where each of its inputs comes from.
    pub operands: Vec<Operand>,
}

/// A stream beside the chain's own, under the name that the chain calls it by.
#[derive(Clone, Debug)]
pub struct SideInput {
    /// The name.
    pub name: String,
    /// The stream.
    pub info: StreamInfo,
}

/// A chain that fits its streams and a target.
#[derive(Debug)]
pub struct ChainPlan {
    /// The stream the chain gets.
    pub input: StreamInfo,
    /// Those it gets beside it: inputs 1 and up.
    pub sides: Vec<SideInput>,
    /// The stream it gives; `format` is the storage the sink gets.
    pub output: StreamInfo,
    /// The kernels in order. None: pictures pass untouched.
    pub stages: Vec<Stage>,
    /// The stages, cut where frames of other times are read. The last gives the result.
    pub parts: Vec<Part>,
    /// Calls left out because they would change no sample.
    pub skipped: Vec<String>,
    /// The source's frames are in GPU memory, where the first kernel reads them.
    pub resident: bool,
    /// The results stay in GPU memory, where an encoder reads them.
    pub stays: bool,
}

impl ChainPlan {
    /// The same plan for a source whose frames are in GPU memory, stored as `storage`. The stream stays what it is, and
    /// so does every result: only kernels that read the source read from another layout. An empty chain gets a kernel
    /// that copies.
    ///
    /// # Errors
    /// When `storage` does not hold the components of the source.
    pub fn resident(mut self, storage: Format) -> Result<ChainPlan> {
        let nominal = self.input.format;
        if !storage.holds(nominal) {
            return Err(Error::internal(format!("{nominal} cannot be stored as {storage}")));
        }
        self.fill();
        for stage in &mut self.stages {
            for (i, operand) in stage.operands.iter().enumerate() {
                if *operand == Operand::Input(0) {
                    *stage.setup.storage_mut(i) = storage;
                }
            }
        }
        self.resident = true;
        Ok(self)
    }

    /// The same plan for an encoder that reads the results in GPU memory. An empty chain gets a kernel that copies.
    pub fn staying(mut self) -> ChainPlan {
        self.fill();
        self.stays = true;
        self
    }

    /// A plan of kernels that follow one another as they are given, for tests.
    pub fn linear(input: StreamInfo, output: StreamInfo, kernels: Vec<(Box<dyn Filter>, Setup)>) -> ChainPlan {
        let from = |i: usize| if i == 0 { Operand::Input(0) } else { Operand::Stage(i - 1) };
        let stage = |(i, (filter, setup)): (usize, (Box<dyn Filter>, Setup))| {
            let spec = Spec::computed(setup.output.clone());
            Stage { filter, setup, spec, operands: vec![from(i)] }
        };
        let stages: Vec<_> = kernels.into_iter().enumerate().map(stage).collect();
        let parts = cut(&stages);
        let (sides, skipped) = (Vec::new(), Vec::new());
        ChainPlan { input, sides, output, stages, parts, skipped, resident: false, stays: false }
    }

    /// Whether a filter that runs may make `change`.
    pub fn changes(&self, change: Change) -> bool {
        self.stages.iter().any(|stage| stage.filter.descriptor().changes.contains(&change))
    }

    /// How pictures of input `index` are stored.
    pub fn storage(&self, index: usize) -> Format {
        let reads = |stage: &Stage| stage.operands.iter().position(|operand| *operand == Operand::Input(index));
        let read = self.stages.iter().find_map(|stage| Some(stage.setup.storage(reads(stage)?)));
        read.unwrap_or(self.stream(index).format)
    }

    /// Input `index`.
    pub fn stream(&self, index: usize) -> &StreamInfo {
        if index == 0 { &self.input } else { &self.sides[index - 1].info }
    }

    /// The frames of input `input` that frame `n` of the result is made of, as far as the stream has them: the first and
    /// the last. Frames of other inputs than the chain's own are counted as its frames are.
    pub fn needs(&self, input: usize, n: u64) -> (u64, u64) {
        fn of(plan: &ChainPlan, part: usize, input: usize, (first, last): (u64, u64)) -> Option<(u64, u64)> {
            let Part { inputs, cycle, .. } = &plan.parts[part];
            let (first, last) = (cycle.owner(first), cycle.owner(last));
            let read = inputs.iter().filter_map(|read| {
                let from = first.saturating_sub(read.reach.before.into());
                let to = last.saturating_add(read.reach.after.into());
                match read.feed {
                    Feed::Input(known) => (known == input).then_some((from, to)),
                    Feed::Part(before) => of(plan, before, input, (from, to)),
                }
            });
            read.reduce(|(a, b), (c, d)| (a.min(c), b.max(d)))
        }
        self.parts.len().checked_sub(1).and_then(|last| of(self, last, input, (n, n))).unwrap_or((n, n))
    }

    /// Frames of the chain's own input that a frame of the result is made of, around the one that it belongs to.
    pub fn reach(&self) -> Reach {
        self.parts.last().map_or(Reach::NONE, |last| last.total_reach(&self.parts))
    }

    /// Puts a kernel that copies into an empty chain.
    fn fill(&mut self) {
        if self.stages.is_empty() {
            let copy = Box::new(Depth::to(self.input.format.bit_depth(), Dither::None));
            let setup = Setup::of(self.input.clone(), self.input.format, self.output.clone(), self.output.format);
            let spec = Spec::computed(self.output.clone());
            self.stages.push(Stage { filter: copy, setup, spec, operands: vec![Operand::Input(0)] });
            self.parts = cut(&self.stages);
        }
    }
}

/// Plans `filters` for `input`, ending in `target`.
///
/// # Errors
/// As [`plan_with`].
pub fn plan(filters: Vec<Box<dyn Filter>>, input: &StreamInfo, target: Target) -> Result<ChainPlan> {
    plan_with(filters, input, &[], target)
}

/// Plans `filters` for `input` and the streams beside it, ending in `target`.
///
/// Between filters samples are v16 (YC48 stays YC48). The first kernel widens and the last narrows, so no stage is
/// added for storage alone, but one: a `depth` where rounding a shift is not the right narrowing (full range, dither,
/// an empty chain).
///
/// # Errors
/// When a filter does not take its streams, a name stands for nothing or for nothing that is read, or the target's
/// components are not the chain's.
pub fn plan_with(
    filters: Vec<Box<dyn Filter>>,
    input: &StreamInfo,
    sides: &[SideInput],
    target: Target,
) -> Result<ChainPlan> {
    Draft::of(filters, input, sides)?.plan(target)
}

/// A picture of the chain while it is planned.
#[derive(Clone, Debug)]
struct ChainPoint {
    from: Operand,
    info: StreamInfo,
}

/// A filter that stays in the chain.
struct KeptFilter {
    filter: Box<dyn Filter>,
    operands: Vec<ChainPoint>,
    spec: Spec,
}

impl KeptFilter {
    /// Becomes this filter with `next`, which reads its result alone, if both are point filters. False when it stays.
    fn absorb(&mut self, next: &KeptFilter) -> Result<bool> {
        let (input, middle) = (&self.operands[0].info, &next.operands[0].info);
        let Some(folded) = Folded::of(&*self.filter, input, &*next.filter, middle)? else { return Ok(false) };
        self.spec = folded.spec(std::slice::from_ref(input))?;
        self.filter = Box::new(folded);
        Ok(true)
    }
}

/// `from`, where the result of each stage is made elsewhere.
fn moved(from: Operand, places: &[usize]) -> Operand {
    match from {
        Operand::Stage(stage) => Operand::Stage(places[stage]),
        input => input,
    }
}

/// A chain that fits its streams, before its target is chosen.
pub struct Draft<'a> {
    input: &'a StreamInfo,
    sides: &'a [SideInput],
    kept: Vec<KeptFilter>,
    skipped: Vec<String>,
    /// The picture that the chain has so far.
    here: ChainPoint,
    named: Vec<(String, ChainPoint)>,
    read: BTreeSet<String>,
    /// What filters would read that were left out.
    excused: BTreeSet<Operand>,
}

impl<'a> Draft<'a> {
    /// `filters` for `input` and the streams beside it.
    ///
    /// # Errors
    /// When a filter does not take its streams, or a name stands for nothing or for nothing that is read.
    pub fn of(filters: Vec<Box<dyn Filter>>, input: &'a StreamInfo, sides: &'a [SideInput]) -> Result<Draft<'a>> {
        let mut draft = Draft::new(input, sides)?;
        for filter in filters {
            draft.add(filter)?;
        }
        draft.drop_unread()?;
        Ok(draft)
    }

    /// The stream that it gives, stored as it is where a target names no format.
    ///
    /// # Errors
    /// When no planar format has its components.
    pub fn end(&self) -> Result<StreamInfo> {
        let info = &self.here.info;
        let untouched = self.here.from == Operand::Input(0) && info.format == self.input.format;
        let format = match untouched || info.format.is_yc48() {
            true => info.format,
            false => info.format.to_planar(info.format.bit_depth())?,
        };
        Ok(StreamInfo { format, ..info.clone() })
    }

    /// The plan that ends in `target`.
    ///
    /// # Errors
    /// When the target's components are not the chain's.
    pub fn plan(mut self, target: Target) -> Result<ChainPlan> {
        let format = match target.format {
            Some(format) => format,
            None => self.end()?.format,
        };
        if self.needs_depth(format, target.dither)? {
            self.append(Box::new(Depth::to(format.bit_depth(), target.dither)), false)?;
        }
        self.drop_roundings(format);
        if target.folds {
            self.fold()?;
        }
        Ok(self.finish(format))
    }

    fn new(input: &'a StreamInfo, sides: &'a [SideInput]) -> Result<Draft<'a>> {
        let here = ChainPoint { from: Operand::Input(0), info: input.clone() };
        let mut draft = Draft {
            input,
            sides,
            kept: Vec::new(),
            skipped: Vec::new(),
            here,
            named: Vec::new(),
            read: BTreeSet::new(),
            excused: BTreeSet::new(),
        };
        for (i, side) in sides.iter().enumerate() {
            draft.name(&side.name, ChainPoint { from: Operand::Input(i + 1), info: side.info.clone() })?;
        }
        Ok(draft)
    }

    fn name(&mut self, name: &str, point: ChainPoint) -> Result<()> {
        if self.named.iter().any(|(known, _)| known == name) {
            return Err(Error::bad_argument(format!("two pictures are called '{name}'")));
        }
        self.named.push((name.to_owned(), point));
        Ok(())
    }

    fn find(&mut self, name: &str) -> Result<ChainPoint> {
        let Some((_, point)) = self.named.iter().find(|(known, _)| known == name) else {
            let names: Vec<_> = self.named.iter().map(|(known, _)| known.as_str()).collect();
            let known = if names.is_empty() { "there is none".to_owned() } else { names.join(", ") };
            let near = crate::params::did_you_mean(name, names.into_iter());
            return Err(Error::bad_argument(format!(
                "no picture is called '{name}' here: name an input with --input {name}=FILE, or a point of the chain \
                 with keep={name} (known: {known}){near}"
            )));
        };
        self.read.insert(name.to_owned());
        Ok(point.clone())
    }

    /// Adds what `filter` does, or notes why it does nothing.
    fn add(&mut self, filter: Box<dyn Filter>) -> Result<()> {
        let descriptor = filter.descriptor();
        match filter.wiring() {
            Wiring::Keep(name) => return self.name(&name, self.here.clone()).map_err(|e| e.context(descriptor.name)),
            Wiring::Use(name) => {
                self.here = self.find(&name).map_err(|e| e.context(descriptor.name))?;
                return Ok(());
            }
            Wiring::Reads(_) => {}
        }
        let format = self.here.info.format;
        if !(descriptor.accepts)(format) {
            return Err(Error::unsupported(format!("{} does not take {format}", descriptor.name)));
        }
        planes::check(&*filter, format).map_err(|e| e.context(descriptor.name))?;
        self.append(filter, true)
    }

    /// Adds `filter`, or notes that it changes nothing where it `may_be_skipped`.
    fn append(&mut self, filter: Box<dyn Filter>, may_be_skipped: bool) -> Result<()> {
        let name = filter.descriptor().name;
        let mut operands = vec![self.here.clone()];
        if let Wiring::Reads(names) = filter.wiring() {
            for other in names {
                operands.push(self.find(&other).map_err(|e| e.context(name))?);
            }
        }
        let mask = match filter.mask() {
            Some(mask) => Some((mask.clone(), self.find(mask.as_str()).map_err(|e| e.context(name))?)),
            None => None,
        };
        let infos: Vec<_> = operands.iter().map(|point| point.info.clone()).collect();
        let mut spec = filter.spec(&infos).map_err(|e| e.context(name))?;
        if may_be_skipped && spec.is_identity(&infos[0]) {
            self.skipped.push(crate::params::print_chain(&[filter.call()], crate::params::Spelling::FFmpeg));
            let others = operands[1..].iter().chain(mask.iter().map(|(_, point)| point));
            self.excused.extend(others.map(|point| point.from));
            self.here.info = spec.output;
            return Ok(());
        }
        paced(&spec.cycle, &infos[0], &mut spec.output);
        let before = operands[0].clone();
        if let Some(survey) = filter.survey(&before.info) {
            operands.push(self.survey(survey, before.clone()).map_err(|e| e.context(name))?);
        }
        let mixing = mask.map(|(mask, point)| (masked::mixing(&mask, &before.info, &spec), point));
        self.push(filter, operands, spec);
        if let Some((mixing, mask)) = mixing {
            let operands = vec![before, self.here.clone(), mask];
            let infos: Vec<_> = operands.iter().map(|point| point.info.clone()).collect();
            let spec = mixing.spec(&infos).map_err(|e| e.context(name))?;
            self.push(mixing, operands, spec);
        }
        Ok(())
    }

    /// Adds the stage that makes `survey` of the picture `of`. The chain goes on from where it was.
    fn survey(&mut self, survey: Box<dyn Filter>, of: ChainPoint) -> Result<ChainPoint> {
        let spec = survey.spec(std::slice::from_ref(&of.info))?;
        let here = self.here.clone();
        self.push(survey, vec![of], spec);
        Ok(std::mem::replace(&mut self.here, here))
    }

    /// Adds a stage, which the chain goes on from.
    fn push(&mut self, filter: Box<dyn Filter>, operands: Vec<ChainPoint>, spec: Spec) {
        self.here = ChainPoint { from: Operand::Stage(self.kept.len()), info: spec.output.clone() };
        self.kept.push(KeptFilter { filter, operands, spec });
    }

    /// Whether a `depth` stage must end the chain to reach `format`.
    fn needs_depth(&self, format: Format, dither: Dither) -> Result<bool> {
        let info = &self.here.info;
        let components = |f: Format| (f.model(), f.subsampling_w(), f.subsampling_h(), f.is_yc48());
        if components(info.format) != components(format) {
            return Err(Error::unsupported(format!(
                "the chain ends in {} and cannot be stored as {format}",
                info.format
            )));
        }
        let Operand::Stage(last) = self.here.from else {
            return Ok(self.here.from != Operand::Input(0) || format != self.input.format);
        };
        let depth_changes = format.bit_depth() != info.format.bit_depth();
        let lower = format.bit_depth() < info.format.bit_depth();
        // The end of the chain loses bits: it ends in fewer than the stream has, or its filters leave v16 values between
        // the stream's codes.
        let ends_in_depth = self.kept[last].filter.descriptor().name == crate::filters::depth::DESCRIPTOR.name;
        let narrows = lower || !ends_in_depth;
        let stored_by_shift = !(depth_changes && info.is_full_range()) && (dither == Dither::None || !narrows);
        // Only a stage of its own stores a picture that others read as v16.
        let is_last = last + 1 == self.kept.len();
        Ok(!stored_by_shift || !is_last)
    }

    /// Leaves out what only rounds to the depth of the storage: the kernel before it does that anyway, while it writes.
    fn drop_roundings(&mut self, format: Format) {
        while let [.., before, last] = self.kept.as_slice()
            && last.spec.rounds_to == Some(format.bit_depth())
            && last.operands.iter().all(|point| point.from == Operand::Stage(self.kept.len() - 2))
            && before.spec.output.format.components() == last.spec.output.format.components()
            && !self.named.iter().any(|(_, point)| point.from == Operand::Stage(self.kept.len() - 2))
        {
            self.kept.pop();
            self.here.from = Operand::Stage(self.kept.len() - 1);
        }
    }

    /// Makes one filter of point filters that follow one another, where nobody else reads what lies between them.
    fn fold(&mut self) -> Result<()> {
        let reads = |kept: &KeptFilter, stage: usize| {
            kept.operands.iter().filter(|point| point.from == Operand::Stage(stage)).count()
        };
        let readers = |stage: usize| self.kept.iter().map(|kept| reads(kept, stage)).sum::<usize>();
        let is_read_once: Vec<bool> = (0..self.kept.len()).map(|stage| readers(stage) == 1).collect();
        // Where the result of each stage is made now.
        let mut places: Vec<usize> = Vec::new();
        let mut folded: Vec<KeptFilter> = Vec::new();
        for (stage, mut next) in std::mem::take(&mut self.kept).into_iter().enumerate() {
            let follows = stage > 0 && is_read_once[stage - 1] && reads(&next, stage - 1) == next.operands.len();
            for point in &mut next.operands {
                point.from = moved(point.from, &places);
            }
            let absorbed = follows && folded.last_mut().map_or(Ok(false), |last| last.absorb(&next))?;
            if !absorbed {
                folded.push(next);
            }
            places.push(folded.len() - 1);
        }
        self.kept = folded;
        self.here.from = moved(self.here.from, &places);
        Ok(())
    }

    /// The plan, whose last picture is stored as `format`.
    fn finish(self, format: Format) -> ChainPlan {
        let Draft { input, sides, kept, skipped, here, .. } = self;
        let mid = |format: Format| if format.is_yc48() { Format::YC48 } else { format.to_v16() };
        let last = kept.len().saturating_sub(1);
        let mut stages: Vec<Stage> = Vec::new();
        for (i, KeptFilter { filter, operands, spec }) in kept.into_iter().enumerate() {
            let stored = |point: &ChainPoint| match point.from {
                Operand::Input(0) => input.format,
                Operand::Input(side) => sides[side - 1].info.format,
                Operand::Stage(stage) => stages[stage].setup.dst,
            };
            let passes_on = spec.output.format == operands[0].info.format
                && (0..spec.origins.len()).all(|component| spec.copies(component));
            let dst = match i {
                _ if i == last => format,
                // What changes no sample leaves them as they are stored, and where.
                _ if passes_on => stored(&operands[0]),
                _ => mid(spec.output.format),
            };
            let mut setup = Setup::of(operands[0].info.clone(), stored(&operands[0]), spec.output.clone(), dst);
            setup.sides = operands[1..]
                .iter()
                .map(|point| SideStorage { info: point.info.clone(), src: stored(point) })
                .collect();
            stages.push(Stage { filter, setup, spec, operands: operands.iter().map(|point| point.from).collect() });
        }
        ChainPlan {
            input: input.clone(),
            sides: sides.to_vec(),
            output: StreamInfo { format, ..here.info },
            parts: cut(&stages),
            stages,
            skipped,
            resident: false,
            stays: false,
        }
    }
}

/// Gives `output` the timebase, rate and length that `cycle` makes of those of `input`.
fn paced(cycle: &Cycle, input: &StreamInfo, output: &mut StreamInfo) {
    let times = |rational: Rational, num: u64, den: u64| {
        let (num, den) = (i64::from(rational.num) * num as i64, i64::from(rational.den) * den as i64);
        let common = gcd(num.unsigned_abs(), den.unsigned_abs()).max(1) as i64;
        match (i32::try_from(num / common), i32::try_from(den / common)) {
            (Ok(num), Ok(den)) => Rational::new(num, den),
            _ => rational,
        }
    };
    if cycle.is_one() {
        return;
    }
    output.timebase = Rational { den: input.timebase.den.saturating_mul(cycle.most_alike() as i32), ..input.timebase };
    output.frame_rate = times(input.frame_rate, cycle.output(), cycle.input());
    output.frame_count = input.frame_count.map(|count| cycle.first_of(count));
}

pub(super) fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filters::chain;
    use crate::video::{ColorInfo, Range};

    /// The stages that `text` becomes, as "filter source-storage>sink-storage".
    fn stages(text: &str, input: &StreamInfo, target: Target) -> Vec<String> {
        let plan = plan(chain(text).unwrap(), input, target).unwrap();
        let name = |s: &Stage| format!("{} {}>{}", s.filter.descriptor().name, s.setup.src, s.setup.dst);
        plan.stages.iter().map(name).collect()
    }

    fn stream(format: &str, range: Range) -> StreamInfo {
        let color = ColorInfo { range, ..ColorInfo::default() };
        StreamInfo { color, ..StreamInfo::bare(format.parse().unwrap(), 8, 8) }
    }

    fn to(format: &str) -> Target {
        Target { format: Some(format.parse().unwrap()), ..Target::default() }
    }

    #[test]
    fn one_filter_is_one_kernel() {
        let limited = stream("yuv420p", Range::Limited);
        assert_eq!(stages("deband", &limited, to("yuv420p10")), ["deband yuv420p>yuv420p10"]);
        assert_eq!(stages("deband,depth=10", &limited, Target::default()), ["deband yuv420p>yuv420p10"]);
        assert_eq!(stages("deband,depth=10", &limited, to("yuv420p10")), ["deband yuv420p>yuv420p10"]);
    }

    #[test]
    fn a_depth_that_does_more_than_round_stays() {
        let (limited, full) = (stream("yuv420p", Range::Limited), stream("yuv420p", Range::Full));
        let two = ["deband yuv420p>yuv420p16", "depth yuv420p16>yuv420p10"];
        assert_eq!(stages("deband,depth=10", &full, to("yuv420p10")), two);
        assert_eq!(stages("deband,depth=10:dither=fs", &limited, to("yuv420p10")), two);
        // Rounded to 10 bits and then to 8 is not rounded to 8.
        let both = ["deband yuv420p>yuv420p16", "depth yuv420p16>yuv420p"];
        assert_eq!(stages("deband,depth=10", &limited, to("yuv420p")), both);
    }

    #[test]
    fn the_sink_decides_the_storage() {
        let (limited, full) = (stream("nv12", Range::Limited), stream("yuv444p", Range::Full));
        assert_eq!(stages("", &limited, Target::default()), [""; 0]);
        assert_eq!(stages("", &limited, to("yuv420p")), ["depth nv12>yuv420p"]);
        // Not one sample changes in 16 bits between filters, but the storage does.
        assert_eq!(stages("depth=16", &limited, Target::default()), ["depth nv12>yuv420p16"]);
        assert_eq!(stages("deband", &limited, to("p010")), ["deband nv12>p010"]);
        assert_eq!(stages("deband", &full, to("yuv444p12")), ["deband yuv444p>yuv444p16", "depth yuv444p16>yuv444p12"]);
        let dithered = Target { dither: Dither::Blue, ..to("yuv444p") };
        assert_eq!(stages("deband", &full, dithered), ["deband yuv444p>yuv444p16", "depth yuv444p16>yuv444p"]);
    }

    #[test]
    fn what_changes_nothing_is_left_out() {
        let plan =
            plan(chain("deband=threshold=0:dither=0,deband").unwrap(), &stream("gray8", Range::Limited), to("gray8"));
        let plan = plan.unwrap();
        assert_eq!((plan.stages.len(), plan.skipped), (1, vec!["deband=threshold=0:dither=0".to_owned()]));
    }

    #[test]
    fn a_source_on_the_device_changes_what_the_first_kernel_reads() {
        let resident = |text: &str, format: &str, storage: &str, target| {
            let plan = plan(chain(text).unwrap(), &stream(format, Range::Limited), target).unwrap();
            let (nominal, end) = (plan.input.clone(), plan.output.clone());
            let plan = plan.resident(storage.parse().unwrap()).unwrap();
            assert_eq!((&plan.input, &plan.output, plan.resident), (&nominal, &end, true));
            let name = |s: &Stage| format!("{} {}>{}", s.filter.descriptor().name, s.setup.src, s.setup.dst);
            plan.stages.iter().map(name).collect::<Vec<_>>()
        };
        assert_eq!(resident("deband", "yuv420p", "nv12", to("yuv420p10")), ["deband nv12>yuv420p10"]);
        let two = ["deband yuv444p16>yuv444p16", "deband yuv444p16>yuv444p10"];
        assert_eq!(resident("deband,deband", "yuv444p10", "yuv444p16", Target::default()), two);
        assert_eq!(resident("", "yuv420p10", "p010", Target::default()), ["depth p010>yuv420p10"]);
        assert_eq!(resident("", "yuv420p", "nv12", to("yuv420p12")), ["depth nv12>yuv420p12"]);
        let plan = plan(Vec::new(), &stream("yuv422p", Range::Limited), Target::default()).unwrap();
        let copying = plan.staying();
        assert!(copying.stays && copying.stages.len() == 1);
        let plan = super::plan(Vec::new(), &stream("yuv422p", Range::Limited), Target::default()).unwrap();
        assert!(plan.resident("nv12".parse().unwrap()).is_err());
    }

    #[test]
    fn point_filters_that_follow_one_another_are_one_kernel() {
        let limited = stream("yuv420p", Range::Limited);
        let five = "levels=gain=1.1,saturation=1.2,range=full,adjust=gamma=1.2,depth=9";
        assert_eq!(stages(five, &limited, to("yuv420p9")), ["folded yuv420p>yuv420p9"]);
        let apart = stages(five, &limited, Target { folds: false, ..to("yuv420p9") });
        assert_eq!((apart.len(), apart[4].as_str()), (5, "depth yuv420p16>yuv420p9"));
        // What is no point filter lies between, or keeps what one reads.
        let three = ["folded yuv420p>yuv420p16", "box yuv420p16>yuv420p16", "folded yuv420p16>yuv420p"];
        let text = "levels=gain=1.1,levels=gamma=2,box=2,levels=gain=0.8,adjust=saturation=2";
        assert_eq!(stages(text, &limited, to("yuv420p")), three);
        let dithered = ["folded yuv420p>yuv420p16", "depth yuv420p16>yuv420p"];
        assert_eq!(stages("levels=gain=2,levels=gamma=2,depth=8:dither=fs", &limited, to("yuv420p")), dithered);
        let zoned = ["levels yuv420p>yuv420p16", "levels yuv420p16>yuv420p"];
        assert_eq!(stages("levels=gain=2,levels=gamma=2:frames=3-5", &limited, to("yuv420p")), zoned);
        let kept = "levels=gain=2,keep=other,levels=gamma=2,saturation=2,merge=with=other";
        let three = ["levels yuv420p>yuv420p16", "folded yuv420p16>yuv420p16", "merge yuv420p16>yuv420p"];
        assert_eq!(stages(kept, &limited, to("yuv420p")), three);
        let calls = plan(chain("levels=gain=2,saturation=2").unwrap(), &limited, to("yuv420p")).unwrap();
        let calls: Vec<String> = calls.stages[0].filter.calls().iter().map(ToString::to_string).collect();
        assert_eq!(calls, ["levels=gain=2", "saturation=saturation=2"]);
    }

    #[test]
    fn a_run_with_too_many_steps_is_several_kernels() {
        // A table between two mixtures does not become one with the next.
        let text = ["levels=gain=1.1,saturation=1.2"; 7].join(",");
        let two = ["folded yuv420p>yuv420p16", "folded yuv420p16>yuv420p"];
        let chroma = text.replace("gain=1.1", "gain=1.1:planes=uv");
        assert_eq!(stages(&chroma, &stream("yuv420p", Range::Limited), to("yuv420p")), two);
    }

    #[test]
    fn components_never_change() {
        let error = plan(chain("deband").unwrap(), &stream("yuv420p", Range::Limited), to("yuv444p")).unwrap_err();
        assert_eq!(error.kind(), crate::error::Kind::Unsupported);
    }
}
