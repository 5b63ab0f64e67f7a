//! OpenFX: effects for Resolve, Natron, Nuke, Vegas, MLT from 7.38 on (Kdenlive, Shotcut) and others. The specification is
//! OpenFX 1.4, by <https://openfx.readthedocs.io>.
//!
//! One library has all effects: any chain as text, and one for each filter that makes a picture of the same size of one clip.
//! Instances hold nothing, since some hosts make one for every frame; `editor::chains` holds what is dear.

mod describe;
mod ffi;
mod host;
mod image;
mod messages;
mod render;

use crate::editor::chains;
use crate::editor::effect::{EFFECTS, Effect};
use crate::guard::guard;
use crate::logging;
use ffi::names;
pub use ffi::{Host, MainEntry, Plugin, PropertySet, Status};
use host::Suites;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::LazyLock;
use vramp::error::{Error, Kind, Result};

/// Makes an entry point for each number: hosts say nothing else of the effect that they call.
macro_rules! entries {
    ($($number:literal)*) => { [$(main_entry::<$number>),*] };
}

/// Entry points, more than there are effects.
static ENTRIES: [MainEntry; 64] = entries!(
    0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
    32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63
);

static PLUGINS: LazyLock<Vec<Plugin>> = LazyLock::new(|| {
    let version = |part: &str| part.parse().unwrap_or_default();
    let plugin = |(effect, main_entry): (&Effect, &MainEntry)| Plugin {
        plugin_api: ffi::PLUGIN_API.as_ptr(),
        api_version: ffi::PLUGIN_API_VERSION,
        plugin_identifier: effect.identifier.as_ptr(),
        plugin_version_major: version(env!("CARGO_PKG_VERSION_MAJOR")),
        plugin_version_minor: version(env!("CARGO_PKG_VERSION_MINOR")),
        set_host,
        main_entry: *main_entry,
    };
    EFFECTS.iter().zip(&ENTRIES).map(plugin).collect()
});

/// `OfxGetNumberOfPlugins`.
#[unsafe(no_mangle)]
pub extern "C" fn OfxGetNumberOfPlugins() -> c_int {
    guard(|| Ok(PLUGINS.len() as c_int)).unwrap_or_default()
}

/// `OfxGetPlugin`. Null where there is none.
#[unsafe(no_mangle)]
pub extern "C" fn OfxGetPlugin(number: c_int) -> *const Plugin {
    let found = guard(|| Ok(usize::try_from(number).ok().and_then(|number| PLUGINS.get(number))));
    found.unwrap_or_default().map_or(std::ptr::null(), std::ptr::from_ref)
}

/// `OfxSetHost`, which hosts of OpenFX 1.5 call first.
///
/// # Safety
/// As the specification says: `host` stays as long as the library is used.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn OfxSetHost(host: *const Host) -> Status {
    host::set(host.cast_mut());
    ffi::OK
}

/// `setHost` of every plugin.
unsafe extern "C" fn set_host(host: *mut Host) {
    host::set(host);
}

/// `mainEntry` of effect `NUMBER`.
unsafe extern "C" fn main_entry<const NUMBER: usize>(
    action: *const c_char,
    handle: *const c_void,
    in_args: *mut PropertySet,
    out_args: *mut PropertySet,
) -> Status {
    logging::start();
    let done = guard(|| {
        let effect = EFFECTS.get(NUMBER).ok_or_else(|| Error::internal("an effect that is none"))?;
        if action.is_null() {
            return Err(Error::bad_argument("the host gives no action"));
        }
        // SAFETY: by the specification the action is a text.
        let action = unsafe { CStr::from_ptr(action) };
        // SAFETY: by the specification handles and properties are those of the action.
        let done = unsafe { act(effect, action, handle, in_args, out_args) };
        done.or_else(|error| {
            messages::report(effect, handle, &error);
            let in_args = || Suites::get().and_then(|suites| suites.properties(in_args));
            Ok(status(&error, action == names::RENDER && in_args().is_ok_and(render::is_on_device)))
        })
    });
    done.unwrap_or(ffi::FAILED)
}

/// Does what the host asks.
///
/// # Safety
/// As the specification says: handle and properties are those of the action, and the host is there.
unsafe fn act(
    effect: &Effect,
    action: &CStr,
    handle: *const c_void,
    in_args: *mut PropertySet,
    out_args: *mut PropertySet,
) -> Result<Status> {
    let suites = Suites::get;
    let properties = |set| suites()?.properties(set);
    let effect_handle = || suites()?.effect(handle);
    match action {
        action if action == names::LOAD => return load(),
        action if action == names::DESCRIBE => describe::describe(effect, effect_handle()?)?,
        action if action == names::DESCRIBE_IN_CONTEXT => describe::describe_in_context(effect, effect_handle()?)?,
        action if action == names::DESTROY_INSTANCE => messages::forget(handle),
        action if action == names::PURGE_CACHES => chains::forget(),
        action if [names::UNLOAD, names::CREATE_INSTANCE].contains(&action) => {}
        action if action == names::GET_CLIP_PREFERENCES => {
            return render::clip_preferences(effect, effect_handle()?, properties(out_args)?);
        }
        action if action == names::GET_FRAMES_NEEDED => {
            return render::frames_needed(effect, effect_handle()?, properties(in_args)?, properties(out_args)?);
        }
        action if action == names::IS_IDENTITY => {
            return render::is_identity(effect, effect_handle()?, properties(in_args)?, properties(out_args)?);
        }
        action if action == names::RENDER => {
            // SAFETY: the caller's promise.
            unsafe { render::render(effect, effect_handle()?, properties(in_args)?) }?;
            messages::clear(effect_handle()?);
        }
        _ => return Ok(ffi::REPLY_DEFAULT),
    }
    Ok(ffi::OK)
}

/// The status for an error, which says to a host whose images lie on a GPU that the CPU may do better.
fn status(error: &Error, on_device: bool) -> Status {
    match (error.kind(), on_device) {
        (Kind::OutOfMemory, false) => ffi::NO_MEMORY,
        (_, false) => ffi::FAILED,
        (Kind::OutOfMemory, true) => ffi::GPU_OUT_OF_MEMORY,
        (_, true) => ffi::GPU_RENDER_FAILED,
    }
}

/// Loads an effect: hosts learn by the status what they lack.
fn load() -> Result<Status> {
    // SAFETY: by the specification the host that was set stays, and its tables are those of their names.
    match unsafe { Suites::load() } {
        Err(error) if error.kind() == Kind::Unsupported => {
            log::error!("{}", error.message());
            Ok(ffi::MISSING_HOST_FEATURE)
        }
        loaded => loaded.map(|()| ffi::OK),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_effect_has_an_entry_of_its_own() {
        assert!(EFFECTS.len() <= ENTRIES.len(), "{} effects", EFFECTS.len());
        assert_eq!(OfxGetNumberOfPlugins() as usize, EFFECTS.len());
        assert!(OfxGetPlugin(-1).is_null() && OfxGetPlugin(OfxGetNumberOfPlugins()).is_null());
    }
}
