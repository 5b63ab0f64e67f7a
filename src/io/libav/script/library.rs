//! VSScript's library, loaded when the first script is opened: a build does not depend on it.

use super::ffi::{API, Api, SCRIPT_API, ScriptApi};
use crate::error::{Error, Result};
use libloading::{Error as LoadError, Library};
use std::env;
use std::ffi::{CStr, OsStr, c_char, c_int};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The variable that names the library: that of `vapoursynth register-install`.
const VARIABLE: &str = "VSSCRIPT_PATH";

/// Its names, by system and age.
const NAMES: [&str; 5] = [
    "libvsscript.so",
    "libvapoursynth-script.so.0",
    "libvsscript.dylib",
    "libvapoursynth-script.0.dylib",
    "VSScript.dll",
];

/// Where a package of Python's has it, from the folder of `vspipe` on.
const IN_PACKAGES: &str = "lib*/python3*/site-packages/vapoursynth";

/// The functions of VSScript and of VapourSynth.
pub struct ScriptLibrary {
    /// What runs scripts.
    pub script: &'static ScriptApi,
    /// What reads clips.
    pub api: &'static Api,
}

/// The functions of the library that is installed. It stays loaded: Python does not start twice.
///
/// # Errors
/// When there is none, or it finds no Python.
pub fn functions() -> Result<&'static ScriptLibrary> {
    static FUNCTIONS: OnceLock<std::result::Result<ScriptLibrary, String>> = OnceLock::new();
    FUNCTIONS.get_or_init(|| find().and_then(start)).as_ref().map_err(|why| Error::unsupported(why.clone()))
}

fn find() -> std::result::Result<Library, String> {
    if let Some(named) = env::var_os(VARIABLE).filter(|named| !named.is_empty()) {
        return load(&named).map_err(|error| format!("{VARIABLE}: {error}"));
    }
    let anywhere = NAMES.iter().find_map(|name| load(OsStr::new(name)).ok());
    anywhere.or_else(|| beside_vspipe().iter().find_map(|path| load(path.as_os_str()).ok())).ok_or_else(|| {
        format!(
            "scripts need VapourSynth: install it ('pip install vapoursynth', then 'vapoursynth config'), name its libvsscript \
             in {VARIABLE}, or pipe its frames: vspipe -c y4m SCRIPT - | vramp - OUT"
        )
    })
}

/// Libraries in the packages of the Pythons whose `vspipe` is on the path.
fn beside_vspipe() -> Vec<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = env::split_paths(&path).filter(|folder| folder.join("vspipe").exists());
    let homes = folders.filter_map(|folder| folder.parent().map(Path::to_owned));
    homes.flat_map(|home| packages(&home)).flat_map(|package| NAMES.map(|name| package.join(name))).collect()
}

fn packages(home: &Path) -> Vec<PathBuf> {
    let Some(home) = home.to_str() else { return Vec::new() };
    let found = glob::glob(&format!("{}/{IN_PACKAGES}", glob::Pattern::escape(home)));
    found.into_iter().flatten().flatten().collect()
}

#[cfg(unix)]
fn load(name: &OsStr) -> std::result::Result<Library, LoadError> {
    use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
    // Python's modules look for Python's own names in what the process shows to all.
    // SAFETY: the library does nothing when it is loaded; it is never unloaded.
    unsafe { Library::open(Some(name), RTLD_NOW | RTLD_GLOBAL) }.map(Into::into)
}

#[cfg(not(unix))]
fn load(name: &OsStr) -> std::result::Result<Library, LoadError> {
    // SAFETY: the library does nothing when it is loaded; it is never unloaded.
    unsafe { Library::new(name) }
}

/// Starts Python.
fn start(library: Library) -> std::result::Result<ScriptLibrary, String> {
    let library = Box::leak(Box::new(library));
    // SAFETY: the header declares the two with these types. What they return is static, or null.
    unsafe {
        let entry = library.get::<unsafe extern "C" fn(c_int) -> *const ScriptApi>(b"getVSScriptAPI\0");
        let entry = entry.map_err(|_| "this VapourSynth is too old: version R58 or newer is needed".to_owned())?;
        let cause = || {
            let last = library.get::<unsafe extern "C" fn() -> *const c_char>(b"getVSScriptAPILastError\0").ok();
            let text = last.map(|last| last()).filter(|text| !text.is_null());
            let text = text.map(|text| CStr::from_ptr(text).to_string_lossy().into_owned());
            format!("VapourSynth does not start: {}", text.as_deref().unwrap_or("run 'vapoursynth config'"))
        };
        let script = entry(SCRIPT_API).as_ref().ok_or_else(cause)?;
        let api = (script.get_vsapi)(API).as_ref().ok_or("this VapourSynth has no API 4")?;
        Ok(ScriptLibrary { script, api })
    }
}
