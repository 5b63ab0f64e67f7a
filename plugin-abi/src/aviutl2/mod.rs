//! AviUtl2: a filter a file. `vramp_deband.auf2` is the effect of deband with the items of AviUtl's banding filter, and any other
//! name that of a chain; `vramp_deband_en.auf2` has English names. Projects store items by their names, so these do not follow
//! the host's language.

mod ffi;
mod items;
mod names;
mod picture;

use crate::editor::effect::{EFFECTS, Effect};
use crate::guard::guard;
use crate::{logging, own_file};
pub use ffi::{LogHandle, Table, Video};
use items::{Items, wide};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};
use vramp::error::{Error, Result};

/// The filter of this file.
struct Filter {
    items: Items,
    table: Table,
}

// SAFETY: the table's pointers are to texts and items that stay.
unsafe impl Send for Filter {}
// SAFETY: as above.
unsafe impl Sync for Filter {}

static FILTER: LazyLock<Filter> = LazyLock::new(|| {
    let stem = own_file::path().and_then(|path| Some(path.file_stem()?.to_string_lossy().into_owned()));
    let (effect, is_english) = effect(&stem.unwrap_or_default());
    let items = Items::new(effect, is_english);
    let table = Table {
        flag: ffi::FLAG_VIDEO | ffi::FLAG_FILTER,
        name: wide(&names::title(effect, is_english)),
        label: ptr::null(),
        information: wide(&format!("vramp {}: {}", env!("CARGO_PKG_VERSION"), effect.description.to_string_lossy())),
        items: items.list(),
        proc_video: Some(proc_video),
        proc_audio: None,
        create: None,
        destroy: None,
    };
    Filter { items, table }
});
/// AviUtl2 2.11: the oldest that is known to have the functions.
const OLDEST_HOST: u32 = 2_011_000;

static LOG: AtomicPtr<LogHandle> = AtomicPtr::new(ptr::null_mut());
/// What was last logged: every frame may fail alike.
static LOGGED: Mutex<String> = Mutex::new(String::new());

/// The effect of a file called `stem`, and whether its names are English.
fn effect(stem: &str) -> (&'static Effect, bool) {
    let (name, is_english) = stem.strip_suffix("_en").map_or((stem, false), |name| (name, true));
    let name = name.strip_prefix("vramp_").unwrap_or("chain");
    let found =
        EFFECTS.iter().find(|effect| effect.identifier.to_bytes().strip_prefix(b"org.vramp.") == Some(name.as_bytes()));
    (found.unwrap_or(&EFFECTS[0]), is_english)
}

/// `InitializeLogger`: where messages go.
#[unsafe(no_mangle)]
pub extern "C" fn InitializeLogger(log: *mut LogHandle) {
    LOG.store(log, Ordering::Release);
}

/// `RequiredVersion`: of older hosts, what a filter is called with ends before the functions that copy pictures of 16 bits.
#[unsafe(no_mangle)]
pub extern "C" fn RequiredVersion() -> u32 {
    OLDEST_HOST
}

/// `GetFilterPluginTable`. Null never.
#[unsafe(no_mangle)]
pub extern "C" fn GetFilterPluginTable() -> *const Table {
    let table = guard(|| {
        logging::start();
        Ok(&FILTER.table)
    });
    table.map_or(ptr::null(), ptr::from_ref)
}

/// Filters the picture at hand. Where that fails the host stops, so that no file has pictures as they were.
///
/// # Safety
/// As AviUtl2's documentation has it: `video` and what it points to live during the call.
unsafe extern "C" fn proc_video(video: *mut Video) -> bool {
    let done = guard(|| {
        // SAFETY: the caller's promise.
        let video = unsafe { video.as_ref() }.ok_or_else(|| Error::bad_argument("the host gives no picture"))?;
        let (program, rgb) = FILTER.items.program()?;
        // SAFETY: as above.
        unsafe { picture::filter(video, &program, rgb) }
    });
    report(done)
}

/// Whether all went well; else the host's log has why.
fn report(done: Result<()>) -> bool {
    let Err(error) = &done else {
        LOGGED.lock().unwrap_or_else(PoisonError::into_inner).clear();
        return true;
    };
    let text = format!("vramp: {}", logging::for_hosts(error.message()));
    {
        let mut logged = LOGGED.lock().unwrap_or_else(PoisonError::into_inner);
        if *logged == text {
            return false;
        }
        logged.clone_from(&text);
    }
    let log = LOG.load(Ordering::Acquire);
    // SAFETY: null, or the host's, which stays.
    match unsafe { log.as_ref() }.and_then(|log| log.error) {
        Some(say) => {
            let text: Vec<u16> = text.encode_utf16().chain([0]).collect();
            // SAFETY: as above; the text ends with a 0.
            unsafe { say(log, text.as_ptr()) };
        }
        None => log::error!("{}", logging::for_hosts(error.message())),
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_name_chooses_the_effect_and_the_language() {
        for (stem, identifier, is_english) in [
            ("vramp_deband", c"org.vramp.deband", false),
            ("vramp_deband_en", c"org.vramp.deband", true),
            ("vramp_surface_blur", c"org.vramp.surface_blur", false),
            ("vramp_chain_en", c"org.vramp.chain", true),
            ("libvramp", c"org.vramp.chain", false),
            ("vramp_nonsense", c"org.vramp.chain", false),
            ("", c"org.vramp.chain", false),
        ] {
            let (effect, english) = effect(stem);
            assert_eq!((effect.identifier.as_c_str(), english), (identifier, is_english), "{stem}");
        }
    }
}
