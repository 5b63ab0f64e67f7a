//! A chain while it is planned: what each filter reads and gives, before storage is chosen.

mod fitted;
mod unread;

use super::{ChainPlan, Operand, SideInput, Stage, Target, gcd};
use crate::error::{Error, Result};
use crate::filters::depth::{Depth, Dither};
use crate::filters::point::Folded;
use crate::filters::{Cycle, Filter, Setup, SideStorage, Spec, Wiring, masked, planes};
use crate::pipeline::parts::cut;
use crate::video::{Format, Rational, StreamInfo};
use std::collections::BTreeSet;

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
    /// The input beside the chain's own that it helps to make like the chain's pictures.
    fits: Option<usize>,
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
        let mut spec = self.fitted(&*filter, &mut operands).map_err(|e| e.context(name))?;
        let input = operands[0].info.clone();
        if may_be_skipped && spec.is_identity(&input) {
            self.skipped.push(crate::params::print_chain(&[filter.call()], crate::params::Spelling::FFmpeg));
            let others = operands[1..].iter().chain(mask.iter().map(|(_, point)| point));
            self.excused.extend(others.map(|point| point.from));
            self.here.info = spec.output;
            return Ok(());
        }
        paced(&spec.cycle, &input, &mut spec.output);
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
        self.kept.push(KeptFilter { filter, operands, spec, fits: None });
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
        let fitted = fitted::fitted(&kept, sides);
        let mut stages: Vec<Stage> = Vec::new();
        for (i, KeptFilter { filter, operands, spec, .. }) in kept.into_iter().enumerate() {
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
            fitted,
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
