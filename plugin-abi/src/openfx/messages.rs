//! What went wrong, in one line: with the effect where the host shows messages, and else once in the log.

use super::host::{EffectHandle, Suites};
use crate::editor::effect::Effect;
use crate::logging;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::c_void;
use std::sync::{Mutex, PoisonError};
use vramp::error::Error;

/// The message that each effect shows, by its address.
static SHOWN: Mutex<BTreeMap<usize, String>> = Mutex::new(BTreeMap::new());
/// What was logged. Every frame may fail alike.
static LOGGED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
/// Messages that are remembered: an animated value may be wrong in a new manner each frame.
const MOST_LOGGED: usize = 100;

/// Reports an error of the effect at the host's handle.
pub fn report(effect: &Effect, handle: *const c_void, error: &Error) {
    let text = format!("{}: {}", effect.label.to_string_lossy(), logging::for_hosts(error.message()));
    let is_shown = Suites::get().and_then(|suites| suites.effect(handle)).is_ok_and(|handle| show(handle, &text));
    let mut logged = LOGGED.lock().unwrap_or_else(PoisonError::into_inner);
    if !is_shown && logged.len() < MOST_LOGGED && logged.insert(text.clone()) {
        log::error!("{text}");
    }
}

/// Shows `text`, unless it is there. False where the host shows no messages.
fn show(handle: EffectHandle, text: &str) -> bool {
    // The host may ask for another picture meanwhile: nothing is locked while it is called.
    let shown = || SHOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let old = shown().insert(handle.address(), text.to_owned());
    if old.is_some_and(|old| old == text) {
        return true;
    }
    let is_shown = handle.show(text);
    if !is_shown {
        shown().remove(&handle.address());
    }
    is_shown
}

/// Clears the effect's message, if it has one: a frame went well.
pub fn clear(handle: EffectHandle) {
    let had = SHOWN.lock().unwrap_or_else(PoisonError::into_inner).remove(&handle.address());
    if had.is_some() {
        handle.clear();
    }
}

/// Forgets an effect that ends.
pub fn forget(handle: *const c_void) {
    SHOWN.lock().unwrap_or_else(PoisonError::into_inner).remove(&handle.addr());
}
