//! The calling thread's own context, for callers that use CUDA themselves.

use super::driver;
use cust::sys::CUcontext;
use std::cell::Cell;
use std::ptr;

thread_local! {
    /// What the thread's context was, where somebody wants it back.
    static BEFORE: Cell<Before> = const { Cell::new(Before::Forgotten) };
}

/// What is known of the context that was current before the first of ours.
#[derive(Clone, Copy)]
enum Before {
    /// Nobody wants it back.
    Forgotten,
    /// None of ours has been current yet.
    Untouched,
    /// This one.
    Was(CUcontext),
}

/// While this lives, whatever is done here leaves the thread's context as it was: in the end it is put back.
#[must_use]
pub struct KeptContext {
    /// Inside another, which puts it back.
    inner: bool,
}

impl KeptContext {
    /// From now on.
    #[allow(clippy::new_without_default)]
    pub fn new() -> KeptContext {
        let inner = !matches!(BEFORE.get(), Before::Forgotten);
        if !inner {
            BEFORE.set(Before::Untouched);
        }
        KeptContext { inner }
    }
}

impl Drop for KeptContext {
    fn drop(&mut self) {
        if self.inner {
            return;
        }
        if let Before::Was(context) = BEFORE.replace(Before::Forgotten) {
            // SAFETY: it was current on this thread when the caller called, who keeps it.
            driver::note(unsafe { driver::cuCtxSetCurrent(context) }, "putting the caller's context back");
        }
    }
}

/// Notes what is current, before a context of ours becomes so.
pub fn note_current() {
    if let Before::Untouched = BEFORE.get() {
        let mut context = ptr::null_mut();
        // SAFETY: the driver writes a handle.
        if unsafe { driver::cuCtxGetCurrent(&mut context) } == 0 {
            BEFORE.set(Before::Was(context));
        }
    }
}
