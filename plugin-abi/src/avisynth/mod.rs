//! AviSynth+: `vramp_deband(clip, range=16)`, a function for every filter, and `vramp_chain(clip, "…")`.
//!
//! The C interface, version 8 (AviSynth+ 3.6) and newer, on Windows and elsewhere.

mod arguments;
mod clip;
mod ffi;
mod filter;
mod host;
mod signature;

use crate::guard::guard;
use crate::logging;
use crate::script::args::has_function;
use arguments::Arguments;
pub use ffi::ScriptEnvironment;
use ffi::{Api, FilterInfo, Value, VideoFrame};
use filter::Filter;
use host::{Host, c_text};
use signature::Signature;
use std::ffi::{c_char, c_int, c_void};
use std::ptr;
use std::sync::{Mutex, PoisonError};
use vramp::error::{Error, Result};
use vramp::filters::{ALL, Descriptor};

/// What AviSynth shows of the plugin.
const NAME: &std::ffi::CStr = c"vramp: video filters on GPU and CPU, with the same bytes from both";

/// A function of scripts.
struct Function {
    api: &'static Api,
    filter: Option<&'static Descriptor>,
    signature: Signature,
}

/// The functions for each AviSynth that has loaded the plugin, by its address. A process rarely has two; scripts of one share
/// them.
static FUNCTIONS: Mutex<Vec<(usize, &'static [Function])>> = Mutex::new(Vec::new());

/// What AviSynth+ from 3.7.4 on calls when it loads the library: values may have 64 bits.
///
/// # Safety
/// As AviSynth's documentation has it: `env` lives.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn avisynth_c_plugin_init2(env: *mut ScriptEnvironment) -> *const c_char {
    let added = guard(|| {
        logging::start();
        let api = Api::of_process().ok_or_else(|| Error::unsupported("vramp needs AviSynth+ 3.6 or newer"))?;
        for function in functions(api) {
            let (name, types) = (c_text(&function.signature.name), c_text(&function.signature.types));
            let data = ptr::from_ref(function).cast_mut().cast();
            // SAFETY: the caller's promise; AviSynth copies the texts, and the function lives for ever.
            unsafe { (api.add_function)(env, name.as_ptr(), types.as_ptr(), apply, data) };
        }
        Ok(())
    });
    match added {
        Ok(()) => NAME.as_ptr(),
        Err(error) => {
            log::error!("{error}");
            ptr::null()
        }
    }
}

/// What older ones call.
///
/// # Safety
/// As [`avisynth_c_plugin_init2`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn avisynth_c_plugin_init(env: *mut ScriptEnvironment) -> *const c_char {
    // SAFETY: the caller's promise.
    unsafe { avisynth_c_plugin_init2(env) }
}

/// The functions by `api`.
fn functions(api: Api) -> &'static [Function] {
    let mut known = FUNCTIONS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, functions)) = known.iter().find(|(address, _)| *address == api.address()) {
        return functions;
    }
    let api: &'static Api = Box::leak(Box::new(api));
    let filters = ALL.iter().copied().filter(|filter| has_function(filter)).map(Some);
    let all = filters.chain([None]).map(|filter| Function { api, filter, signature: Signature::of(filter) });
    let functions: &'static [Function] = Vec::leak(all.collect());
    known.push((api.address(), functions));
    functions
}

/// A filter in use.
struct Instance {
    filter: Filter,
    function: &'static Function,
}

/// An error as a script shows it: "vramp_deband: …".
fn message(function: &Function, error: &Error) -> String {
    let text = logging::for_hosts(error.message());
    let own = function.filter.and_then(|filter| text.strip_prefix(filter.name)?.strip_prefix(": "));
    format!("{}: {}", function.signature.name, own.unwrap_or(text))
}

/// A function of the plugin; `data` is its [`Function`].
///
/// # Safety
/// As AviSynth's documentation of `AVS_ApplyFunc` has it.
unsafe extern "C" fn apply(env: *mut ScriptEnvironment, values: Value, data: *mut c_void) -> Value {
    // SAFETY: what was registered, which lives for ever.
    let function = unsafe { &*data.cast::<Function>() };
    let host = Host { api: function.api, env };
    // SAFETY: AviSynth's values live during the call.
    let made = guard(|| unsafe { make(host, function, &values) });
    made.unwrap_or_else(|error| Value::error(host.saved(&message(function, &error))))
}

/// The clip of a filter with these arguments.
///
/// # Safety
/// As [`apply`].
unsafe fn make(host: Host, function: &'static Function, values: &Value) -> Result<Value> {
    // SAFETY: the caller's promise.
    let given = unsafe { Arguments::new(&function.signature.names, values) };
    let filter = Filter::new(host, function.filter, &given)?;
    let child = given.value(signature::CLIP).copied().unwrap_or_else(Value::void);
    let (made, mut info, mut result) = (filter.made, ptr::null_mut(), Value::void());
    // SAFETY: environment and child live. AviSynth keeps the child, from which it takes sound and parity.
    let clip = unsafe { (host.api.new_c_filter)(host.env, &mut info, child, 1) };
    if clip.is_null() || info.is_null() {
        return Err(Error::internal("AviSynth makes no clip of the filter"));
    }
    // SAFETY: the new filter's own, which nobody else has yet; AviSynth counts the reference to its clip.
    unsafe {
        let FilterInfo { vi, user_data, .. } = &mut *info;
        *vi = made;
        *user_data = Box::into_raw(Box::new(Instance { filter, function })).cast();
        (*info).get_frame = Some(get_frame);
        (*info).set_cache_hints = Some(set_cache_hints);
        (*info).free_filter = Some(free_filter);
        (host.api.set_to_clip)(&mut result, clip);
        (host.api.release_clip)(clip);
    }
    Ok(result)
}

/// Makes frame `n`; null with `error` set where there is none.
///
/// # Safety
/// As AviSynth's documentation has it: the filter is one of [`make`]'s.
unsafe extern "C" fn get_frame(info: *mut FilterInfo, n: c_int) -> *mut VideoFrame {
    // SAFETY: the caller's promise; the instance lives until `free_filter`.
    let (instance, env) = unsafe { (&*(*info).user_data.cast::<Instance>(), (*info).env) };
    match guard(|| instance.filter.frame(env, n)) {
        Ok(frame) => frame.into_raw(),
        Err(error) => {
            let text = Host { api: instance.function.api, env }.saved(&message(instance.function, &error));
            // SAFETY: as above; AviSynth reads it after the call.
            unsafe { (*info).error = text };
            ptr::null_mut()
        }
    }
}

/// Answers what the cache asks: any number of threads may ask one instance for frames.
unsafe extern "C" fn set_cache_hints(_info: *mut FilterInfo, hint: c_int, _range: c_int) -> c_int {
    if hint == ffi::GET_MT_MODE { ffi::MT_NICE_FILTER } else { 0 }
}

/// Ends a filter.
///
/// # Safety
/// As [`get_frame`], and it is not used again.
unsafe extern "C" fn free_filter(info: *mut FilterInfo) {
    let done = guard(|| {
        // SAFETY: what `make` gave, once.
        drop(unsafe { Box::from_raw((*info).user_data.cast::<Instance>()) });
        Ok(())
    });
    // Nobody can be informed.
    drop(done);
}
