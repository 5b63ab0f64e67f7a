//! A call of a function: the clips that it was given, and whether their frames stay in GPU memory.

use super::clip;
use super::ffi::{self, Core};
use super::gpu::{self, GpuDoor};
use super::host::{Host, MapRef, Node};
use super::instance::{Instance, Maker};
use super::signature;
use crate::logging;
use crate::script::args::{self, ScriptArgs};
use crate::script::props::RangeProperty;
use crate::script::recipe::Recipe;
use log::Level;
use std::ffi::c_int;
use std::sync::Arc;
use vramp::device::DeviceChoice;
use vramp::device::cuda;
use vramp::error::{Error, Result};
use vramp::filters::{Descriptor, read_chain};

/// Makes the filter of `descriptor`, or a chain where there is none, from the arguments `input`. Clips in GPU memory stay there where
/// they can, and else are copied to host memory.
///
/// # Errors
/// For wrong arguments, and a device that cannot be used.
pub fn make(
    host: Host,
    core: *mut Core,
    descriptor: Option<&'static Descriptor>,
    input: MapRef<'_>,
) -> Result<Instance> {
    logging::start();
    let node = input.nodes(signature::CLIP).pop().ok_or_else(|| Error::bad_argument("the clip is missing"))?;
    let mut call = FunctionCall { host, core, descriptor, input, node, beside: Vec::new() };
    call.beside = match descriptor {
        Some(descriptor) => named_by_filter(descriptor, input),
        None => named_by_script(input)?,
    };
    let choice = args::device(&input)?;
    let mut why = None;
    if choice != DeviceChoice::Cpu && call.nodes().all(|node| gpu::is_on_gpu(host, node)) {
        let made = GpuDoor::open(host, core, choice).and_then(|door| call.filter(door.choice(), Some(Arc::new(door))));
        match made {
            Ok(made) => return Ok(made),
            Err(error) => why = Some(error),
        }
    }
    for node in std::iter::once(&mut call.node).chain(call.beside.iter_mut().map(|(_, node)| node)) {
        if gpu::is_on_gpu(host, node) {
            *node = gpu::downloaded(host, core, node)?;
        }
    }
    let made = call.filter(choice, None)?;
    if let Some(error) = why {
        let level = if cuda::is_present() { Level::Info } else { Level::Debug };
        log::log!(level, "{}: frames are copied from the GPU and back: {error}", made.name);
    }
    Ok(made)
}

/// A call of a function, with the clips that it was given.
struct FunctionCall<'a> {
    host: Host,
    core: *mut Core,
    descriptor: Option<&'static Descriptor>,
    input: MapRef<'a>,
    node: Node,
    beside: Vec<(String, Node)>,
}

impl FunctionCall<'_> {
    fn nodes(&self) -> impl Iterator<Item = &Node> {
        std::iter::once(&self.node).chain(self.beside.iter().map(|(_, node)| node))
    }

    /// The filter, which with a door filters frames in GPU memory.
    fn filter(&self, device: DeviceChoice, gpu: Option<Arc<GpuDoor>>) -> Result<Instance> {
        let FunctionCall { host, core, descriptor, input, node, beside } = self;
        let clip = clip::read(host, &node.info())?;
        let format = clip.info.format;
        let mut chain = match descriptor {
            Some(descriptor) => vec![args::call(descriptor, format, input)?],
            None => read_chain(&input.text(args::CHAIN)?.unwrap_or_default())?,
        };
        chain.extend(args::last_call(format, input)?);
        let mut clips = Vec::new();
        for (name, node) in beside {
            let clip = clip::read(host, &node.info()).map_err(|e| e.context(format!("the clip '{name}'")))?;
            clips.push((name.clone(), clip));
        }
        // SAFETY: a function of VapourSynth's that needs nothing.
        let range = range_property(unsafe { (host.get_api_version)() });
        let recipe = Recipe::new(chain, clip, clips, range, device)?;
        let recipe = if gpu.is_some() { recipe.on_device() } else { recipe };
        let nodes: Vec<_> = self.nodes().map(Node::another).collect();
        Maker { host, core: *core, descriptor: *descriptor, gpu }.filter(recipe, &nodes)
    }
}

/// The clips that a filter's function was given beside the first, by the names of its parameters.
fn named_by_filter(descriptor: &Descriptor, input: MapRef<'_>) -> Vec<(String, Node)> {
    let named = |name: &str| Some((name.to_owned(), input.nodes(name).pop()?));
    args::pictures(descriptor).into_iter().filter_map(named).collect()
}

/// The clips that `Chain` was given beside the first, by the names that the script gave them.
fn named_by_script(input: MapRef<'_>) -> Result<Vec<(String, Node)>> {
    let (names, nodes) = (input.texts(args::NAMES), input.nodes(signature::INPUTS));
    if names.len() != nodes.len() {
        let (names, clips) = (names.len(), nodes.len());
        return Err(Error::bad_argument(format!("{clips} inputs have {names} names: give each input one in names")));
    }
    Ok(names.into_iter().zip(nodes).collect())
}

/// The property that says the range in this version of the API.
fn range_property(api_version: c_int) -> RangeProperty {
    if api_version < ffi::version(4, 2) { RangeProperty::ColorRange } else { RangeProperty::Range }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ranges_name_follows_the_version() {
        let versions = [ffi::version(4, 0), ffi::version(4, 1), ffi::version(4, 2), ffi::version(4, 3)];
        let (old, new) = (RangeProperty::ColorRange, RangeProperty::Range);
        assert_eq!(versions.map(range_property), [old, old, new, new]);
    }
}
