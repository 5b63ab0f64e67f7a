//! What VapourSynth calls: to make a filter, to get its frames, and to end it.

use super::call::make;
use super::clip;
use super::ffi::{self, Api, Core, FilterDependency, FrameContext, Map, VideoInfo};
use super::filter::{Chains, InputClip, ReadyFrame, ScriptFilter, WantedFrames};
use super::gpu::{self, GpuDoor};
use super::host::{Frame, Host, MapRef, Node, c_text};
use super::signature;
use crate::guard::guard;
use crate::host_port::Storage;
use crate::script::clip::Clip;
use crate::script::props::{self, FrameTraits};
use crate::script::recipe::{BuiltByTraits, Recipe, reduced};
use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::Arc;
use vramp::error::{Error, Result};
use vramp::filters::{Cycle, Descriptor, Reach};
use vramp::pipeline::{ChainPlan, Feed, Part, PartInput};
use vramp::video::StreamInfo;

/// The function that runs a whole chain.
pub const CHAIN: &str = "Chain";

/// A filter of a script, or a part of one.
pub struct Instance {
    /// The function's name.
    pub name: String,
    descriptor: Option<&'static Descriptor>,
    filter: ScriptFilter,
}

/// Makes the nodes of one call of a function.
pub struct Maker {
    /// VapourSynth's functions.
    pub host: Host,
    /// The core that the nodes belong to.
    pub core: *mut Core,
    /// The function's filter; none for [`CHAIN`].
    pub descriptor: Option<&'static Descriptor>,
    /// What filters frames in GPU memory, where they are there.
    pub gpu: Option<Arc<GpuDoor>>,
}

impl Maker {
    /// The filter that gives the result of `recipe` on the clips `nodes`.
    ///
    /// # Errors
    /// When the chain does not fit the clips, or its device cannot be used.
    pub fn filter(self, recipe: Recipe, nodes: &[Node]) -> Result<Instance> {
        let plan = recipe.plan(&recipe.without_properties())?;
        let filter = if plan.sides.is_empty() && plan.parts.len() < 2 {
            self.by_frame(recipe, &plan, nodes)?
        } else {
            self.parts(&recipe, nodes)?
        };
        Ok(Instance { name: name(self.descriptor), descriptor: self.descriptor, filter })
    }

    /// One node, whose chain is planned for each frame by its properties.
    fn by_frame(&self, recipe: Recipe, plan: &ChainPlan, nodes: &[Node]) -> Result<ScriptFilter> {
        let Part { inputs, cycle, .. } = part(plan, 0);
        let sources: Vec<_> = inputs.iter().map(|input| InputClip::new(nodes[0].another(), input)).collect();
        let info = self.info(&recipe.result(plan), &sources[0].info, &cycle)?;
        let (range, built) = (recipe.range, BuiltByTraits::default());
        // What cannot be built is refused when the filter is made.
        built.get(&recipe, recipe.without_properties()[0])?;
        let chains = Chains::ByFrame(Box::new(recipe), built);
        Ok(ScriptFilter::new(sources, cycle, range, chains, info, self.gpu.clone()))
    }

    /// A node for each part, so that VapourSynth keeps what others read again. All are planned for the properties of the first frames.
    fn parts(&self, recipe: &Recipe, nodes: &[Node]) -> Result<ScriptFilter> {
        let first = |node: &Node| Ok(props::read(0, &node.first_frame()?.props(), recipe.range));
        let traits = nodes.iter().map(first).collect::<Result<Vec<_>>>()?;
        let plan = recipe.plan(&traits.iter().map(FrameTraits::of).collect::<Vec<_>>())?;
        let changes = props::changes(&plan.input, &plan.output, recipe.range);
        let parts: Vec<_> = (0..plan.parts.len().max(1)).map(|i| part(&plan, i)).collect();
        let (end, mut made) = (parts.len() - 1, Vec::new());
        for (i, (part, plan)) in parts.into_iter().zip(plan.split()).enumerate() {
            let node = |feed: Feed| match feed {
                Feed::Input(input) => nodes[input].another(),
                Feed::Part(part) => Node::another(&made[part]),
            };
            let storage = |(at, input): (usize, &PartInput)| match input.feed {
                Feed::Input(input) => recipe.clip(input).storage(),
                Feed::Part(_) => Storage::Plain(plan.stream(at).format),
            };
            let sources: Vec<_> = part.inputs.iter().map(|input| InputClip::new(node(input.feed), input)).collect();
            let storages = part.inputs.iter().enumerate().map(storage).collect();
            let result = if i == end { recipe.result(&plan) } else { Clip { info: plan.output.clone(), float: false } };
            let info = self.info(&result, &sources[0].info, &part.cycle)?;
            let color = match part.inputs[0].feed {
                Feed::Input(input) => Some(traits[input].color),
                Feed::Part(_) => None,
            };
            let changes = if i == end { changes.clone() } else { Vec::new() };
            let built = recipe.build(plan, storages, result.storage(), changes)?;
            let chains = Chains::One(Arc::new(built), color);
            let filter = ScriptFilter::new(sources, part.cycle, recipe.range, chains, info, self.gpu.clone());
            if i == end {
                return Ok(filter);
            }
            made.push(self.node(filter)?);
        }
        Err(Error::internal("the chain has no part"))
    }

    /// VapourSynth's description of `clip`, whose frames follow from those of a clip of `from` by `cycle`.
    fn info(&self, clip: &Clip, from: &VideoInfo, cycle: &Cycle) -> Result<VideoInfo> {
        let count = cycle.first_of(from.num_frames.max(0) as u64);
        let num_frames = c_int::try_from(count).ok().filter(|count| *count > 0).ok_or_else(|| {
            Error::unsupported(format!("a clip of {} frames would become one of {count}", from.num_frames))
        })?;
        let rate = |num: i64, factor: u64| i128::from(num) * i128::from(factor);
        let rate = reduced(rate(from.fps_num, cycle.output()), rate(from.fps_den, cycle.input()));
        let (fps_num, fps_den) = if cycle.is_one() { None } else { rate }.unwrap_or((from.fps_num, from.fps_den));
        let StreamInfo { format, width, height, .. } = clip.info;
        if !width.is_multiple_of(1 << format.subsampling_w()) || !height.is_multiple_of(1 << format.subsampling_h()) {
            return Err(Error::unsupported(format!(
                "the result would be {format} of {width}x{height}, and VapourSynth has no such sizes: they are multiples of what \
                 chroma is smaller by"
            )));
        }
        let (width, height) = (width as c_int, height as c_int);
        Ok(VideoInfo {
            format: clip::host_format(clip, self.host, self.core)?,
            fps_num,
            fps_den,
            width,
            height,
            num_frames,
        })
    }

    /// The clip of a filter that others read.
    fn node(&self, filter: ScriptFilter) -> Result<Node> {
        let (name, info, needs) = (name(self.descriptor), *filter.output_info(), needs(&filter));
        let instance = Instance { name: name.clone(), descriptor: self.descriptor, filter };
        let name = c_text(&name);
        let instance = Box::into_raw(Box::new(instance)).cast();
        let (list, count) = (needs.as_ptr(), needs.len() as c_int);
        // SAFETY: VapourSynth copies name, description and dependencies, and hands the instance only to these functions.
        let node = unsafe {
            let node = match self.gpu.as_ref().and_then(|_| gpu::newer(self.host)) {
                Some(newer) => {
                    let (make, flags) = (newer.create_video_filter_ex2, gpu::ffi::GPU_OUTPUT);
                    make(name.as_ptr(), &info, get_frame, free, ffi::PARALLEL, flags, list, count, instance, self.core)
                }
                None => {
                    let make = self.host.create_video_filter2;
                    make(name.as_ptr(), &info, get_frame, free, ffi::PARALLEL, list, count, instance, self.core)
                }
            };
            Node::from_raw(self.host, node)
        };
        node.ok_or_else(|| Error::internal("VapourSynth makes no clip of a part of the chain"))
    }
}

/// Part `i` of `plan`; where it has none, frames pass.
fn part(plan: &ChainPlan, i: usize) -> Part {
    let pass = || PartInput { feed: Feed::Input(0), reach: Reach::NONE, by_time: false };
    let whole = || Part { stages: Vec::new(), inputs: vec![pass()], cycle: Cycle::one() };
    plan.parts.get(i).cloned().unwrap_or_else(whole)
}

/// What VapourSynth is to know of the clips that a filter reads.
fn needs(filter: &ScriptFilter) -> Vec<FilterDependency> {
    let need = |source: &InputClip| {
        let pattern = if filter.reads_one_by_one(source) { ffi::STRICT_SPATIAL } else { ffi::GENERAL };
        FilterDependency { source: source.node.as_raw(), request_pattern: pattern }
    };
    filter.sources().iter().map(need).collect()
}

fn name(descriptor: Option<&Descriptor>) -> String {
    descriptor.map_or_else(|| CHAIN.to_owned(), signature::function_name)
}

/// An error as VapourSynth's own are written: "Deband: …".
fn message(descriptor: Option<&Descriptor>, error: &Error) -> String {
    let text = error.message();
    let own = descriptor.and_then(|descriptor| text.strip_prefix(descriptor.name)?.strip_prefix(": "));
    format!("{}: {}", name(descriptor), own.unwrap_or(text))
}

/// A function of the plugin. `data` is the descriptor of its filter; null for [`CHAIN`].
///
/// # Safety
/// As VapourSynth's documentation of `VSPublicFunction` has it.
pub unsafe extern "C" fn create(input: *const Map, out: *mut Map, data: *mut c_void, core: *mut Core, api: *const Api) {
    // SAFETY: the map lives during the call, the functions for ever; `data` is what was registered.
    let (host, input, descriptor): (Host, _, _) = unsafe { (&*api, &*input, data.cast::<Descriptor>().as_ref()) };
    match guard(|| make(host, core, descriptor, MapRef::new(host, input))) {
        // SAFETY: `out` and `core` are those of this call.
        Ok(instance) => unsafe { hand_over(instance, host, core, out) },
        Err(error) => {
            let message = c_text(&message(descriptor, &error));
            // SAFETY: as above; VapourSynth copies the text.
            unsafe { (host.map_set_error)(out, message.as_ptr()) }
        }
    }
}

/// Gives a filter to VapourSynth, which calls [`free`] in the end.
///
/// # Safety
/// `out` and `core` must be VapourSynth's, and alive.
unsafe fn hand_over(instance: Instance, host: Host, core: *mut Core, out: *mut Map) {
    let (name, info) = (c_text(&instance.name), *instance.filter.output_info());
    let needs = needs(&instance.filter);
    let newer = instance.filter.gpu().and_then(|_| gpu::newer(host));
    let instance = Box::into_raw(Box::new(instance)).cast();
    let (name, list, count) = (name.as_ptr(), needs.as_ptr(), needs.len() as c_int);
    // SAFETY: VapourSynth copies name, description and dependencies, and hands the instance only to these functions.
    unsafe {
        match newer {
            Some(newer) => {
                let (make, flags) = (newer.create_video_filter_ex, gpu::ffi::GPU_OUTPUT);
                make(out, name, &info, get_frame, free, ffi::PARALLEL, flags, list, count, instance, core);
            }
            None => {
                let make = host.create_video_filter;
                make(out, name, &info, get_frame, free, ffi::PARALLEL, list, count, instance, core);
            }
        }
    }
}

/// Makes frame `n`.
///
/// # Safety
/// As VapourSynth's documentation of `VSFilterGetFrame` has it.
unsafe extern "C" fn get_frame(
    n: c_int,
    reason: c_int,
    instance: *mut c_void,
    _frame_data: *mut *mut c_void,
    context: *mut FrameContext,
    core: *mut Core,
    api: *const Api,
) -> *const ffi::Frame {
    // SAFETY: the instance is what `hand_over` gave, and lives until `free`; the functions live for ever.
    let (instance, host): (_, Host) = unsafe { (&*instance.cast::<Instance>(), &*api) };
    let filter = &instance.filter;
    // Every frame of every clip, each once: a clip may be read in two places.
    let wanted = || {
        let frames = |wanted: WantedFrames| (wanted.first..=wanted.last_of_all).map(move |n| (wanted.source, n));
        filter.wanted(n).into_iter().flat_map(frames)
    };
    let raw = |source: usize| filter.sources()[source].node.as_raw();
    if reason == ffi::INITIAL {
        let mut asked = Vec::new();
        for (source, n) in wanted() {
            if !asked.contains(&(raw(source), n)) {
                asked.push((raw(source), n));
                // SAFETY: the clip lives, and the context is that of this call.
                unsafe { (host.request_frame_filter)(n, raw(source), context) };
            }
        }
    }
    if reason != ffi::ALL_FRAMES_READY {
        return ptr::null();
    }
    let made = guard(|| {
        let given = |(source, n)| {
            // SAFETY: as above; the reference that it returns is ours.
            let frame = unsafe { Frame::from_raw(host, (host.get_frame_filter)(n, raw(source), context)) };
            let frame = frame.ok_or_else(|| Error::internal("a frame that was asked for is missing"))?;
            Ok(ReadyFrame { source, n, frame })
        };
        let frames = wanted().map(given).collect::<Result<Vec<_>>>()?;
        match filter.gpu() {
            None => filter.frame(n, &frames, core),
            Some(door) => {
                let take = |source: usize, n| door.take(n, &filter.sources()[source].node, context);
                filter.frame_on_gpu(door, n, frames, take, core)
            }
        }
    });
    match made {
        Ok(frame) => frame.into_raw(),
        Err(error) => {
            let message = c_text(&message(instance.descriptor, &error));
            // SAFETY: as above; VapourSynth copies the text.
            unsafe { (host.set_filter_error)(message.as_ptr(), context) };
            ptr::null()
        }
    }
}

/// Ends a filter.
///
/// # Safety
/// As VapourSynth's documentation of `VSFilterFree` has it.
unsafe extern "C" fn free(instance: *mut c_void, _core: *mut Core, _api: *const Api) {
    let done = guard(|| {
        // SAFETY: the instance is what `hand_over` gave, and nobody uses it any more.
        drop(unsafe { Box::from_raw(instance.cast::<Instance>()) });
        Ok(())
    });
    // Nobody can be informed.
    drop(done);
}
