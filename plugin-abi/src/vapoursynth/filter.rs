//! A node of a script: a chain on clips, or a part of one, whose frames are asked for in any order and from any thread.

use super::ffi::{Core, VideoInfo};
use super::gpu::{GpuDoor, Taken};
use super::host::{Frame, NewFrame, Node};
use crate::host_port::HostFrame;
use crate::script::props::{self, FrameTraits, RangeProperty, SetProps};
use crate::script::recipe::{Built, BuiltByTraits, Recipe, reduced};
use std::ffi::c_int;
use std::sync::Arc;
use vramp::error::{Error, Kind, Result};
use vramp::filters::{Cycle, Reach};
use vramp::pipeline::PartInput;
use vramp::video::{ColorInfo, FrameProps};

/// A clip that a filter reads.
pub struct InputClip {
    /// The clip.
    pub node: Node,
    /// What its frames share.
    pub info: VideoInfo,
    /// Frames around the one at hand.
    pub reach: Reach,
    /// The frame that is shown at the same time is read, not the one of the same number.
    pub by_time: bool,
}

impl InputClip {
    /// The clip at `node`, read as `input` says.
    pub fn new(node: Node, input: &PartInput) -> InputClip {
        let info = node.info();
        InputClip { node, info, reach: input.reach, by_time: input.by_time }
    }
}

/// What frames are filtered with.
pub enum Chains {
    /// Each with what is built for its own description.
    ByFrame(Box<Recipe>, BuiltByTraits),
    /// All with the same; frames that come from a clip must have these colours.
    One(Arc<Built>, Option<ColorInfo>),
}

/// The filter.
pub struct ScriptFilter {
    sources: Vec<InputClip>,
    cycle: Cycle,
    range: RangeProperty,
    chains: Chains,
    made: VideoInfo,
    gpu: Option<Arc<GpuDoor>>,
}

/// What is known of a frame before it is made.
struct Start {
    built: Arc<Built>,
    /// The properties of the frame that it belongs to.
    before: FrameProps,
    /// Nothing is done to it.
    is_untouched: bool,
    /// How long it is shown, where that changes.
    duration: Option<(i64, i64)>,
}

/// Frames of a clip that a frame is made of.
pub struct WantedFrames {
    /// The clip, by its place.
    pub source: usize,
    /// The first frame.
    pub first: c_int,
    /// The last of those whose samples are read.
    last: c_int,
    /// The last of all: of those that follow, the durations are read.
    pub last_of_all: c_int,
}

/// A frame that is ready.
pub struct ReadyFrame {
    /// The clip, by its place.
    pub source: usize,
    /// Its number there.
    pub n: c_int,
    /// The frame.
    pub frame: Frame,
}

impl ScriptFilter {
    /// A filter that reads `sources` and gives the clip of `made`, in which frames follow from those of the first by `cycle`. With a
    /// door all of them are in GPU memory.
    pub fn new(
        sources: Vec<InputClip>,
        cycle: Cycle,
        range: RangeProperty,
        chains: Chains,
        made: VideoInfo,
        gpu: Option<Arc<GpuDoor>>,
    ) -> ScriptFilter {
        ScriptFilter { sources, cycle, range, chains, made, gpu }
    }

    /// What filters frames in GPU memory, where they are there.
    pub fn gpu(&self) -> Option<&GpuDoor> {
        self.gpu.as_deref()
    }

    /// The clip that it makes.
    pub fn output_info(&self) -> &VideoInfo {
        &self.made
    }

    /// The clips that it reads.
    pub fn sources(&self) -> &[InputClip] {
        &self.sources
    }

    /// True when frame n of a source is read for frame n and no other.
    pub fn reads_one_by_one(&self, source: &InputClip) -> bool {
        let own = &self.sources[0].info;
        let same_rate = (own.fps_num, own.fps_den) == (source.info.fps_num, source.info.fps_den);
        self.cycle.is_one()
            && source.reach == Reach::NONE
            && (!source.by_time || same_rate)
            && source.info.num_frames >= own.num_frames
    }

    /// The frame of the first source that frame `n` belongs to.
    fn owner(&self, n: c_int) -> c_int {
        self.cycle.owner(n as u64) as c_int
    }

    /// The frames that frame `n` is made of. Those beyond a clip's end are left out.
    pub fn wanted(&self, n: c_int) -> Vec<WantedFrames> {
        let owner = self.owner(n);
        let next = if self.cycle.is_one() { owner } else { self.next_owner(n) - 1 };
        let wanted = |(place, source): (usize, &InputClip)| {
            let end = source.info.num_frames - 1;
            let centre = if source.by_time { self.shown_with(owner, source).min(end) } else { owner };
            let around = |frames: u32| c_int::try_from(frames).unwrap_or(c_int::MAX);
            let last = centre.saturating_add(around(source.reach.after)).min(end);
            let last_of_all = if place == 0 { last.max(next.min(end)) } else { last };
            WantedFrames { source: place, first: (centre - around(source.reach.before)).max(0), last, last_of_all }
        };
        self.sources.iter().enumerate().map(wanted).collect()
    }

    /// The first frame after the one that frame `n` belongs to that others belong to.
    fn next_owner(&self, n: c_int) -> c_int {
        let owner = self.owner(n);
        (n..).map(|n| self.owner(n)).find(|later| *later > owner).unwrap_or(owner)
    }

    /// The frame of `source` that is shown when frame `n` of the first source is.
    fn shown_with(&self, n: c_int, source: &InputClip) -> c_int {
        let (own, other) = (&self.sources[0].info, &source.info);
        let (num, den) =
            (i128::from(own.fps_den) * i128::from(other.fps_num), i128::from(own.fps_num) * i128::from(other.fps_den));
        if num <= 0 || den <= 0 {
            return n;
        }
        c_int::try_from(i128::from(n) * num / den).unwrap_or(c_int::MAX)
    }

    /// Frame `n`, made of `frames`, which are those that were wanted.
    ///
    /// # Errors
    /// When a frame is not what its clip states, memory runs out, or the device fails.
    pub fn frame(&self, n: c_int, frames: &[ReadyFrame], core: *mut Core) -> Result<NewFrame> {
        let start = self.start(n, frames)?;
        let own = self.own(n, frames)?;
        if start.is_untouched {
            return Ok(self.finish(own.copy(core).ok_or_else(no_memory)?, &start, None));
        }
        let (Start { built, .. }, VideoInfo { format, width, height, .. }) = (&start, &self.made);
        let mut dst = own.sibling(format, (*width, *height), core).ok_or_else(no_memory)?;
        let read: Vec<_> = self.read(n, frames).map(|given| (given, given.frame.planes())).collect();
        let as_taken = read.iter().map(|(given, planes)| {
            let props = self.props(built, given);
            HostFrame { input: given.source, props, planes }
        });
        let read: Vec<_> = as_taken.collect();
        // SAFETY: VapourSynth keeps planes of these formats and sizes there while the frames live; nobody writes to
        // sources, and nobody else has `dst`.
        let after = unsafe { built.ports.process(&built.engine, n as u64, &read, &dst.planes_mut()) }?;
        Ok(self.finish(dst, &start, Some(&after)))
    }

    /// The same of frames in GPU memory. Those that are read are taken anew, with `take`, for CUDA.
    ///
    /// # Errors
    /// As [`ScriptFilter::frame`].
    pub fn frame_on_gpu(
        &self,
        door: &GpuDoor,
        n: c_int,
        frames: Vec<ReadyFrame>,
        take: impl Fn(usize, c_int) -> Result<Frame>,
        core: *mut Core,
    ) -> Result<NewFrame> {
        let start = self.start(n, &frames)?;
        if start.is_untouched {
            return Ok(self.finish(self.own(n, &frames)?.copy(core).ok_or_else(no_memory)?, &start, None));
        }
        let Start { built, .. } = &start;
        let read: Vec<_> =
            self.read(n, &frames).map(|given| (given.source, given.n, self.props(built, given))).collect();
        // Of frames that nobody has, VapourSynth gives CUDA the memory itself, and else a copy.
        drop(frames);
        let node = |source: usize| self.sources[source].node.as_raw();
        let mut taken: Vec<((_, c_int), Frame)> = Vec::new();
        for (source, n, _) in &read {
            if !taken.iter().any(|(key, _)| *key == (node(*source), *n)) {
                taken.push(((node(*source), *n), take(*source, *n)?));
            }
        }
        let find = |source: usize, n: c_int| {
            let found = taken.iter().find(|(key, _)| *key == (node(source), n));
            found.map(|(_, frame)| frame).ok_or_else(missing)
        };
        let source = |(input, n, props)| Ok(Taken { input, props, frame: find(input, n)? });
        let sources = read.into_iter().map(source).collect::<Result<Vec<_>>>()?;
        let (own, VideoInfo { format, width, height, .. }) = (find(0, self.owner(n))?, &self.made);
        let (dst, after) = door.process(built, n as u64, &sources, own, (format, (*width, *height)), core)?;
        Ok(self.finish(dst, &start, Some(&after)))
    }

    /// What is known of frame `n` before it is made.
    fn start(&self, n: c_int, frames: &[ReadyFrame]) -> Result<Start> {
        for ReadyFrame { source, frame, .. } in frames {
            let VideoInfo { format, width, height, .. } = self.sources[*source].info;
            if frame.format() != format || frame.size() != (width as usize, height as usize) {
                return Err(Error::corrupt("the frame has another format or size than its clip"));
            }
        }
        let before = props::read(n as u64, &self.own(n, frames)?.props(), self.range);
        let built = match &self.chains {
            Chains::ByFrame(recipe, built) => built.get(recipe, FrameTraits::of(&before))?,
            Chains::One(_, Some(color)) if *color != before.color => {
                let owner = self.owner(n);
                return Err(Error::unsupported(format!(
                    "frame {owner} has other colours (_Range, _Matrix and so on) than the first, and the chain reads \
                     frames together: set these properties with std.SetFrameProps before it"
                )));
            }
            Chains::One(built, _) => Arc::clone(built),
        };
        let is_untouched = built.engine.plan().stages.is_empty() && self.made.format == self.sources[0].info.format;
        let duration = if self.cycle.is_one() { None } else { self.duration(n, frames) };
        Ok(Start { built, before, is_untouched, duration })
    }

    /// The frame that frame `n` belongs to.
    fn own<'f>(&self, n: c_int, frames: &'f [ReadyFrame]) -> Result<&'f Frame> {
        let owner = self.owner(n);
        let own = frames.iter().find(|given| given.source == 0 && given.n == owner);
        own.map(|given| &given.frame).ok_or_else(missing)
    }

    /// Those of the frames whose samples are read for frame `n`.
    fn read<'f>(&self, n: c_int, frames: &'f [ReadyFrame]) -> impl Iterator<Item = &'f ReadyFrame> + use<'f> {
        let wanted = self.wanted(n);
        frames.iter().filter(move |given| given.n <= wanted[given.source].last)
    }

    /// The result with its properties; `after` are those that the chain gave it.
    fn finish(&self, mut dst: NewFrame, start: &Start, after: Option<&FrameProps>) -> NewFrame {
        if let Some(after) = after {
            for (name, value) in props::differences(&start.before, after) {
                dst.set(name, value);
            }
            props::set_records(&mut dst, &after.records);
        }
        for (name, value) in &start.built.changes {
            dst.set(name, *value);
        }
        if let Some(duration) = start.duration {
            props::set_duration(&mut dst, duration);
        }
        dst
    }

    /// The properties of a frame as the chain takes them.
    fn props(&self, built: &Built, given: &ReadyFrame) -> FrameProps {
        let mut props = props::read(given.n as u64, &given.frame.props(), self.range);
        props.pts = built.is_timed.then_some(i64::from(given.n));
        props.duration = i64::from(built.is_timed);
        props.color = built.engine.plan().stream(given.source).color;
        props
    }

    /// How long frame `n` is shown: frames that belong to the same one share the time up to the next that others belong to.
    fn duration(&self, n: c_int, frames: &[ReadyFrame]) -> Option<(i64, i64)> {
        let (owner, next) = (self.owner(n), self.next_owner(n));
        let mut span = (0, 1);
        for given in frames.iter().filter(|given| given.source == 0 && (owner..next).contains(&given.n)) {
            span = sum(span, props::duration(&given.frame.props())?)?;
        }
        let alike = self.cycle.first_of(owner as u64 + 1) - self.cycle.first_of(owner as u64);
        reduced(span.0, span.1.checked_mul(i128::from(alike))?)
    }
}

fn missing() -> Error {
    Error::internal("the frame that was asked for is missing")
}

fn no_memory() -> Error {
    Error::new(Kind::OutOfMemory, "VapourSynth has no memory for a frame")
}

fn sum((a, b): (i128, i128), (c, d): (i64, i64)) -> Option<(i128, i128)> {
    let (c, d) = (i128::from(c), i128::from(d));
    let (num, den) = reduced(a.checked_mul(d)?.checked_add(c.checked_mul(b)?)?, b.checked_mul(d)?)?;
    Some((num.into(), den.into()))
}
