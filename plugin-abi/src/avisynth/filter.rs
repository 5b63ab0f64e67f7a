//! A filter of a script: a chain on clips, whose frames are asked for in any order and from any thread.

use super::arguments::Arguments;
use super::clip;
use super::ffi::{ScriptEnvironment, VideoInfo};
use super::host::{Clip, Frame, Host, NewFrame, RECORDED};
use super::signature::{CLIP, INPUTS};
use crate::host_port::{HostFrame, HostPlane};
use crate::script::args::{self, ScriptArgs};
use crate::script::props::{self, FrameTraits, RangeProperty, SetProps};
use crate::script::recipe::{Built, BuiltByTraits, Recipe, reduced};
use std::ffi::c_int;
use std::sync::Arc;
use vramp::error::{Error, Result};
use vramp::filters::{Descriptor, read_chain};
use vramp::pipeline::{ChainPlan, Feed};
use vramp::video::{FrameProps, StreamInfo};

/// AviSynth's property of the range.
const RANGE: RangeProperty = RangeProperty::ColorRange;

/// The filter.
pub struct Filter {
    sources: Vec<Clip>,
    infos: Vec<VideoInfo>,
    chains: Chains,
    /// The clip that it makes.
    pub made: VideoInfo,
}

/// What frames are filtered with.
enum Chains {
    /// Each with what is built for its own description.
    ByFrame(Box<Recipe>, BuiltByTraits),
    /// All with the same, since they are read together.
    One(Arc<Built>),
}

impl Filter {
    /// The filter of `descriptor`, or any chain where there is none, with the arguments of a script.
    ///
    /// # Errors
    /// For wrong arguments, and clips that the chain does not take.
    pub fn new(host: Host, descriptor: Option<&'static Descriptor>, given: &Arguments<'_>) -> Result<Filter> {
        let missing = || Error::bad_argument("the clip is missing");
        let mut sources = vec![Clip::new(host, given.value(CLIP).ok_or_else(missing)?)?];
        let first = clip::read(&sources[0].info())?;
        let format = first.info.format;
        let (mut chain, names) = match descriptor {
            Some(descriptor) => {
                let pictures = args::pictures(descriptor).into_iter().filter(|name| given.has(name));
                (vec![args::call(descriptor, format, given)?], pictures.map(str::to_owned).collect())
            }
            None => (read_chain(&given.text(args::CHAIN)?.unwrap_or_default())?, names(given)?),
        };
        chain.extend(args::last_call(format, given)?);
        let mut beside = Vec::new();
        let values = names.iter().filter_map(|name| given.value(name)).chain(given.list(INPUTS));
        for (name, value) in names.iter().zip(values) {
            let source = Clip::new(host, value)?;
            let read = clip::read(&source.info()).map_err(|e| e.context(format!("the clip '{name}'")))?;
            beside.push((name.clone(), read));
            sources.push(source);
        }
        let recipe = Recipe::new(chain, first, beside, RANGE, args::device(given)?)?;
        Filter::of(recipe, sources, host.env)
    }

    fn of(recipe: Recipe, sources: Vec<Clip>, env: *mut ScriptEnvironment) -> Result<Filter> {
        let infos: Vec<_> = sources.iter().map(Clip::info).collect();
        let mut plan = recipe.plan(&recipe.without_properties())?;
        let chains = if plan.is_frame_by_frame() {
            let built = BuiltByTraits::default();
            // What cannot be built is refused when the filter is made.
            built.get(&recipe, recipe.without_properties()[0])?;
            Chains::ByFrame(Box::new(recipe), built)
        } else {
            let first = |source: &Clip| Ok(FrameTraits::of(&props::read(0, &source.frame(env, 0)?.props()?, RANGE)));
            let traits = sources.iter().map(first).collect::<Result<Vec<_>>>()?;
            plan = recipe.plan(&traits)?;
            let storages = (0..sources.len()).map(|input| recipe.clip(input).storage()).collect();
            let output = recipe.result(&plan).storage();
            let changes = props::changes(&plan.input, &plan.output, RANGE);
            Chains::One(Arc::new(recipe.build(recipe.plan(&traits)?, storages, output, changes)?))
        };
        let made = made(&plan, &infos)?;
        Ok(Filter { sources, infos, chains, made })
    }

    /// Frame `n`, for work in `env`. Numbers beyond the ends are those of the ends, as everywhere in AviSynth.
    ///
    /// # Errors
    /// When a source gives no frame, or one that is not what its clip states, memory runs out, or the device fails.
    pub fn frame(&self, env: *mut ScriptEnvironment, n: c_int) -> Result<NewFrame> {
        let n = n.clamp(0, self.made.num_frames - 1) as u64;
        let (frames, built) = match &self.chains {
            Chains::ByFrame(recipe, built) => {
                let frame = self.source(env, 0, n, n)?;
                let traits = FrameTraits::of(&frame.props);
                (vec![frame], built.get(recipe, traits)?)
            }
            Chains::One(built) => (self.needed(env, built, n)?, Arc::clone(built)),
        };
        let plan = built.engine.plan();
        let (input, owner) = owner(plan, n);
        let own = frames.iter().find(|frame| frame.input == input && frame.index == owner);
        let own = own.or(frames.first()).ok_or_else(|| Error::internal("the chain reads no frame"))?;
        let before = &own.props;
        if let Chains::One(_) = self.chains
            && before.color != plan.stream(own.input).color
        {
            return Err(Error::unsupported(format!(
                "frame {owner} has other colours (_ColorRange, _Matrix and so on) than the first, and the chain reads frames \
                 together: set these properties with propSet before it"
            )));
        }
        let planes = frames.iter().map(|frame| self.planes(&built, frame)).collect::<Result<Vec<_>>>()?;
        let given: Vec<_> = frames.iter().zip(&planes).map(|(frame, planes)| frame.given(&built, planes)).collect();
        let mut made = own.frame.sibling(&self.made)?;
        let to = made.planes_mut(clip::planes(plan.output.format));
        // SAFETY: AviSynth keeps planes of these sizes there while the frames live; nobody writes to sources, and nobody
        // else has the new frame.
        let after = unsafe { built.ports.process(&built.engine, n, &given, &to) }?;
        for (name, value) in props::differences(before, &after) {
            made.set(name, value);
        }
        if !after.records.is_empty() {
            props::set_records(&mut made, &after.records);
            made.set(RECORDED, 1);
        }
        for (name, value) in &built.changes {
            made.set(name, *value);
        }
        let (times, per) = plan.rate();
        if times != per
            && let Some((num, den)) = props::duration(&own.frame.props()?)
            && let Some(shown) = reduced(i128::from(num) * i128::from(per), i128::from(den) * i128::from(times))
        {
            props::set_duration(&mut made, shown);
        }
        Ok(made)
    }

    /// Every frame that frame `n` of the result is made of.
    fn needed(&self, env: *mut ScriptEnvironment, built: &Built, n: u64) -> Result<Vec<SourceFrame>> {
        let mut frames = Vec::new();
        for (input, info) in self.infos.iter().enumerate() {
            let end = info.num_frames.max(1) as u64 - 1;
            let (first, last) = built.engine.needs(input, n);
            let by_time = input > 0 && is_by_time(built.engine.plan(), input);
            // The last frame is shown on, where another clip is longer.
            let last = if by_time { last } else { last.min(end.max(first)) };
            for index in first..=last {
                let shown = if by_time { self.shown_with(index, info) } else { index };
                frames.push(self.source(env, input, index, shown.min(end))?);
            }
        }
        Ok(frames)
    }

    /// The frame of the clip of `info` that is shown when frame `index` of the first is.
    fn shown_with(&self, index: u64, info: &VideoInfo) -> u64 {
        let own = &self.infos[0];
        let num = u128::from(own.fps_denominator) * u128::from(info.fps_numerator);
        let den = u128::from(own.fps_numerator) * u128::from(info.fps_denominator);
        if num == 0 || den == 0 { index } else { u64::try_from(u128::from(index) * num / den).unwrap_or(u64::MAX) }
    }

    fn source(&self, env: *mut ScriptEnvironment, input: usize, index: u64, n: u64) -> Result<SourceFrame> {
        let frame = self.sources[input].frame(env, c_int::try_from(n).unwrap_or(c_int::MAX))?;
        let props = props::read(index, &frame.props()?, RANGE);
        Ok(SourceFrame { input, index, frame, props })
    }

    fn planes(&self, built: &Built, frame: &SourceFrame) -> Result<Vec<HostPlane>> {
        let StreamInfo { format, width, height, .. } = *built.engine.plan().stream(frame.input);
        let storage = built.ports.input(frame.input)?.storage();
        frame.frame.planes(clip::planes(format), |plane| storage.plane_size(plane, width, height))
    }
}

/// A frame of a source.
struct SourceFrame {
    input: usize,
    /// Its number, as the chain counts.
    index: u64,
    frame: Frame,
    /// What its properties say: AviSynth keeps every name that it is asked for, so they are read once.
    props: FrameProps,
}

impl SourceFrame {
    /// It, as the port takes it.
    fn given<'a>(&self, built: &Built, planes: &'a [HostPlane]) -> HostFrame<'a> {
        let props = FrameProps {
            pts: built.is_timed.then_some(self.index as i64),
            duration: i64::from(built.is_timed),
            color: built.engine.plan().stream(self.input).color,
            ..self.props.clone()
        };
        HostFrame { input: self.input, props, planes }
    }
}

/// The names of the clips that `vramp_chain` was given beside the first.
fn names(given: &Arguments<'_>) -> Result<Vec<String>> {
    let text = given.text(args::NAMES)?.unwrap_or_default();
    let names: Vec<_> = text.split([' ', ',']).filter(|name| !name.is_empty()).map(str::to_owned).collect();
    let clips = given.list(INPUTS).len();
    if names.len() != clips {
        return Err(Error::bad_argument(format!(
            "{clips} more clips have {} names: give each one in names, as in names=\"mask other\"",
            names.len()
        )));
    }
    Ok(names)
}

/// The input that the result's frames belong to, and the frame of it that frame `n` belongs to.
fn owner(plan: &ChainPlan, n: u64) -> (usize, u64) {
    let (mut n, mut place) = (n, plan.parts.len().checked_sub(1));
    while let Some(part) = place.and_then(|place| plan.parts.get(place)) {
        n = part.cycle.owner(n);
        match part.inputs.first().map(|input| input.feed) {
            Some(Feed::Part(before)) => place = Some(before),
            Some(Feed::Input(input)) => return (input, n),
            None => break,
        }
    }
    (0, n)
}

/// Whether frames of `input` are chosen by the time at which they are shown.
fn is_by_time(plan: &ChainPlan, input: usize) -> bool {
    let mut all = plan.parts.iter().flat_map(|part| &part.inputs);
    all.any(|read| read.by_time && matches!(read.feed, Feed::Input(known) if known == input))
}

/// AviSynth's description of what `plan` makes of the clips of `infos`.
fn made(plan: &ChainPlan, infos: &[VideoInfo]) -> Result<VideoInfo> {
    let from = &infos[owner(plan, 0).0];
    let StreamInfo { format, width, height, .. } = plan.output;
    let count = plan.frames(from.num_frames.max(0) as u64);
    let num_frames = c_int::try_from(count).ok().filter(|count| *count > 0).ok_or_else(|| {
        Error::unsupported(format!("a clip of {} frames would become one of {count}", from.num_frames))
    })?;
    if !width.is_multiple_of(1 << format.subsampling_w()) || !height.is_multiple_of(1 << format.subsampling_h()) {
        return Err(Error::unsupported(format!(
            "the result would be {format} of {width}x{height}, and AviSynth has no such sizes: they are multiples of what \
             chroma is smaller by"
        )));
    }
    let (times, per) = plan.rate();
    let rate =
        reduced(i128::from(from.fps_numerator) * i128::from(times), i128::from(from.fps_denominator) * i128::from(per));
    let narrow = |(num, den): (i64, i64)| Some((u32::try_from(num).ok()?, u32::try_from(den).ok()?));
    let rate = rate.and_then(narrow).filter(|_| times != per);
    let (fps_numerator, fps_denominator) = rate.unwrap_or((from.fps_numerator, from.fps_denominator));
    let (width, height) = (width as c_int, height as c_int);
    let pixel_type = clip::pixel_type(format, from.pixel_type)?;
    // Sound is the first clip's.
    Ok(VideoInfo { width, height, fps_numerator, fps_denominator, num_frames, pixel_type, ..infos[0] })
}
