//! VapourSynth: `core.vramp.Deband(clip, range=16)`, a function for every filter, and `core.vramp.Chain(clip, "…")`.
//!
//! The plugin asks for API 4.0; what is newer is used only after VapourSynth's version was asked. Clips in GPU memory, which R81 has,
//! stay there (`gpu`).

mod call;
mod clip;
mod ffi;
mod filter;
mod gpu;
mod host;
mod instance;
mod signature;

use crate::guard::guard;
use crate::script::args;
use ffi::{Plugin, PluginApi};
use host::c_text;
use std::ptr;
use vramp::filters::{ALL, Descriptor};

const IDENTIFIER: &str = "vramp.filters";
const NAMESPACE: &str = "vramp";
const NAME: &str = "Video filters on GPU and CPU, with the same bytes from both";

/// What VapourSynth calls when it loads the library.
///
/// # Safety
/// As VapourSynth's documentation of the function has it: `api` is valid during the call. Null does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn VapourSynthPluginInit2(plugin: *mut Plugin, api: *const PluginApi) {
    let done = guard(|| {
        // SAFETY: the caller's promise.
        if let Some(api) = unsafe { api.as_ref() } {
            register(plugin, api);
        }
        Ok(())
    });
    // Nobody can be informed: VapourSynth finds the functions missing.
    drop(done);
}

/// Names the plugin and adds its functions.
fn register(plugin: *mut Plugin, api: &PluginApi) {
    let version = |part: &str| part.parse().unwrap_or(0);
    let version = ffi::version(version(env!("CARGO_PKG_VERSION_MAJOR")), version(env!("CARGO_PKG_VERSION_MINOR")));
    let (identifier, namespace, name) = (c_text(IDENTIFIER), c_text(NAMESPACE), c_text(NAME));
    // SAFETY: VapourSynth copies the texts, and `plugin` is what it gave.
    unsafe {
        (api.config_plugin)(
            identifier.as_ptr(),
            namespace.as_ptr(),
            name.as_ptr(),
            version,
            ffi::API_VERSION,
            0,
            plugin,
        );
    }
    let add = |name: &str, args: &str, filter: Option<&'static Descriptor>| {
        // SAFETY: a function of VapourSynth's that needs nothing.
        let types = |text: &str| c_text(&signature::for_version(text, unsafe { (api.get_api_version)() }));
        let (name, args, result) = (c_text(name), types(args), types("clip:vnode;"));
        let data = filter.map_or(ptr::null(), ptr::from_ref).cast_mut().cast();
        // SAFETY: as above; descriptors live for ever.
        unsafe {
            (api.register_function)(name.as_ptr(), args.as_ptr(), result.as_ptr(), instance::create, data, plugin)
        };
    };
    for filter in ALL.iter().filter(|filter| args::has_function(filter)) {
        add(&signature::function_name(filter), &signature::signature(filter), Some(filter));
    }
    add(instance::CHAIN, &signature::chain_signature(), None);
}
