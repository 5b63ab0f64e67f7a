//! What hosts ask before an effect is used: what it can do, its clips and its parameters.

use super::ffi::names;
use super::host::{EffectHandle, Params, Properties};
use crate::editor::effect::{COLOURS, Control, Effect, LINEAR, Shape};
use crate::environment;
use std::ffi::{CStr, c_int};
use vramp::device::DeviceChoice;
use vramp::device::cuda;
use vramp::error::Result;

/// The depths of samples that are taken.
const DEPTHS: [&CStr; 4] = [names::BYTE, names::SHORT, names::HALF, names::FLOAT];
/// The page of all parameters, for hosts that have pages.
const PAGE: &CStr = c"controls";
/// The group of those that every effect has.
const GROUP: &CStr = c"colours";

/// Describes `effect`.
///
/// # Errors
/// When the host gives no properties.
pub fn describe(effect: &Effect, handle: EffectHandle) -> Result<()> {
    let properties = handle.properties()?;
    properties.set_text(names::LABEL, 0, &effect.label);
    properties.set_text(names::GROUPING, 0, c"vramp");
    properties.set_text(names::DESCRIPTION, 0, &effect.description);
    for (i, context) in [names::FILTER_CONTEXT, names::GENERAL_CONTEXT].into_iter().enumerate() {
        properties.set_text(names::SUPPORTED_CONTEXTS, i, context);
    }
    for (i, depth) in DEPTHS.into_iter().enumerate() {
        properties.set_text(names::SUPPORTED_DEPTHS, i, depth);
    }
    properties.set_text(names::THREAD_SAFETY, 0, names::FULLY_SAFE);
    // Filters look around: a part of a picture would have seams, and another size other noise.
    for name in [
        names::HOST_FRAME_THREADING,
        names::SUPPORTS_TILES,
        names::SUPPORTS_MULTI_RESOLUTION,
        names::SUPPORTS_SEVERAL_DEPTHS,
        names::RENDER_TWICE_ALWAYS,
    ] {
        properties.set_int(name, 0, 0);
    }
    properties.set_int(names::TEMPORAL_CLIP_ACCESS, 0, effect.reads_around.into());
    // Where it is not supported the host hands out images in its own memory.
    let cuda = if takes_cuda(handle) { c"true" } else { c"false" };
    properties.set_text(names::CUDA_RENDER_SUPPORTED, 0, cuda);
    properties.set_text(names::CUDA_STREAM_SUPPORTED, 0, cuda);
    Ok(())
}

/// Whether images may lie in the memory of a CUDA device: the host has such, there is a device, and nobody chose the CPU.
fn takes_cuda(handle: EffectHandle) -> bool {
    handle.suites().has_cuda && environment::device() != DeviceChoice::Cpu && cuda::count().is_ok()
}

/// Describes the clips and the parameters of `effect`, which are the same in every context.
///
/// # Errors
/// When the host refuses one.
pub fn describe_in_context(effect: &Effect, handle: EffectHandle) -> Result<()> {
    for name in [names::SOURCE, names::OUTPUT] {
        let clip = handle.define_clip(name)?;
        clip.set_text(names::SUPPORTED_COMPONENTS, 0, names::RGBA);
        clip.set_int(names::SUPPORTS_TILES, 0, 0);
        clip.set_int(names::TEMPORAL_CLIP_ACCESS, 0, effect.reads_around.into());
        // Whole frames: filters know fields by themselves.
        clip.set_text(names::FIELD_EXTRACTION, 0, names::FIELD_BOTH);
    }
    let params = handle.params()?;
    let page = params.define(names::PARAM_PAGE, PAGE)?;
    page.set_text(names::LABEL, 0, c"Controls");
    let group = params.define(names::PARAM_GROUP, GROUP)?;
    group.set_text(names::LABEL, 0, c"Colours");
    group.set_int(names::GROUP_OPEN, 0, 0);
    for (i, control) in effect.controls().into_iter().enumerate() {
        let properties = define(control, params)?;
        if [&COLOURS.name, &LINEAR.name].contains(&&control.name) {
            properties.set_text(names::PARENT, 0, GROUP);
        }
        page.set_text(names::PAGE_CHILD, i, &control.name);
    }
    Ok(())
}

/// Adds a parameter.
fn define(control: &Control, params: Params) -> Result<Properties> {
    let define = |kind: &CStr| params.define(kind, &control.name);
    let properties = match &control.shape {
        Shape::Switch(first) => {
            let properties = define(names::PARAM_BOOLEAN)?;
            properties.set_int(names::DEFAULT, 0, (*first).into());
            properties
        }
        Shape::Int { min, max, first } => {
            let properties = define(names::PARAM_INTEGER)?;
            properties.set_int(names::DEFAULT, 0, *first);
            for (name, end) in ends(*min, *max) {
                properties.set_int(name, 0, end);
            }
            properties
        }
        Shape::Number { min, max, first } => {
            let properties = define(names::PARAM_DOUBLE)?;
            properties.set_number(names::DEFAULT, 0, *first);
            for (name, end) in ends(*min, *max) {
                properties.set_number(name, 0, end);
            }
            properties
        }
        Shape::Choice { labels, first, .. } => {
            let properties = define(names::PARAM_CHOICE)?;
            for (i, label) in labels.iter().enumerate() {
                properties.set_text(names::CHOICE_OPTION, i, label);
            }
            properties.set_int(names::DEFAULT, 0, *first as c_int);
            properties
        }
        Shape::Text(first) => {
            let properties = define(names::PARAM_STRING)?;
            properties.set_text(names::STRING_MODE, 0, names::SINGLE_LINE);
            properties.set_text(names::DEFAULT, 0, first);
            properties.set_int(names::ANIMATES, 0, 0);
            properties
        }
    };
    properties.set_text(names::LABEL, 0, &control.label);
    properties.set_text(names::HINT, 0, &control.hint);
    Ok(properties)
}

/// The ends of a parameter's values, and of its slider.
fn ends<T: Copy>(min: T, max: T) -> [(&'static CStr, T); 4] {
    [(names::MIN, min), (names::MAX, max), (names::DISPLAY_MIN, min), (names::DISPLAY_MAX, max)]
}
