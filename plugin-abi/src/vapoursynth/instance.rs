//! What VapourSynth calls: to make a filter, to get its frames, and to end it.

use super::args::{self, Values};
use super::clip::Clip;
use super::ffi::{self, Api, Core, FilterDependency, FrameContext, Map};
use super::filter::Filter;
use super::host::{Frame, Host, MapRef, Node, c_text};
use crate::guard::guard;
use crate::logging;
use std::ffi::{c_int, c_void};
use std::ptr;
use vramp::error::{Error, Result};
use vramp::filters::Descriptor;
use vramp::params::parse_chain;

/// The function that runs a whole chain.
pub const CHAIN: &str = "Chain";

/// A filter of a script, and the clip that it reads.
struct Instance {
    name: String,
    descriptor: Option<&'static Descriptor>,
    node: Node,
    filter: Filter,
}

/// Makes the filter of `descriptor`, or a chain where there is none, from the arguments `input`.
fn make(host: Host, core: *mut Core, descriptor: Option<&'static Descriptor>, input: MapRef<'_>) -> Result<Instance> {
    logging::start();
    let node = input.node(args::CLIP).ok_or_else(|| Error::bad_argument("the clip is missing"))?;
    let info = node.info();
    let format = Clip::new(host, &info)?.info.format;
    let mut chain = match descriptor {
        Some(descriptor) => vec![args::call(descriptor, format, &input)?],
        None => parse_chain(&input.text(args::CHAIN)?.unwrap_or_default())?,
    };
    chain.extend(args::last_call(format, &input)?);
    let filter = Filter::new(host, core, &info, chain, args::device(&input)?)?;
    Ok(Instance { name: name(descriptor), descriptor, node, filter })
}

fn name(descriptor: Option<&Descriptor>) -> String {
    descriptor.map_or_else(|| CHAIN.to_owned(), args::function_name)
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
    let needs = FilterDependency { source: instance.node.as_raw(), request_pattern: ffi::STRICT_SPATIAL };
    let instance = Box::into_raw(Box::new(instance)).cast();
    // SAFETY: VapourSynth copies name, description and dependency, and hands the instance only to these functions.
    unsafe {
        (host.create_video_filter)(
            out,
            name.as_ptr(),
            &info,
            get_frame,
            free,
            ffi::PARALLEL,
            &needs,
            1,
            instance,
            core,
        );
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
    let node = instance.node.as_raw();
    if reason == ffi::INITIAL {
        // SAFETY: the clip lives, and the context is that of this call.
        unsafe { (host.request_frame_filter)(n, node, context) };
    }
    if reason != ffi::ALL_FRAMES_READY {
        return ptr::null();
    }
    let made = guard(|| {
        // SAFETY: as above; the reference that comes is ours.
        let src = unsafe { Frame::from_raw(host, (host.get_frame_filter)(n, node, context)) };
        instance.filter.frame(n, &src.ok_or_else(|| Error::internal("the frame that was asked for is missing"))?, core)
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
    // There is nobody to tell.
    drop(done);
}
