//! Handles: numbers in the place of pointers, so that a stale one is refused and not followed.

use std::collections::BTreeMap;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use vramp::error::{Error, Result};

/// No number is given twice, to whatever kind of thing, and none could be the address of a struct: all are odd.
static NEXT: AtomicUsize = AtomicUsize::new(1);

/// The things of one kind that callers hold.
pub struct Handles<T> {
    what: &'static str,
    living: RwLock<BTreeMap<usize, Arc<T>>>,
}

impl<T> Handles<T> {
    /// An empty list; `what` names a handle in messages.
    pub const fn new(what: &'static str) -> Handles<T> {
        Handles { what, living: RwLock::new(BTreeMap::new()) }
    }

    /// A handle for `thing`.
    pub fn insert<H>(&self, thing: T) -> *mut H {
        let number = NEXT.fetch_add(2, Ordering::Relaxed);
        self.living.write().unwrap_or_else(PoisonError::into_inner).insert(number, Arc::new(thing));
        ptr::without_provenance_mut(number)
    }

    /// What `handle` refers to. It stays until the last holder releases it.
    ///
    /// # Errors
    /// When it stands for nothing, or nothing any more.
    pub fn get<H>(&self, handle: *const H) -> Result<Arc<T>> {
        let living = self.living.read().unwrap_or_else(PoisonError::into_inner);
        living.get(&handle.addr()).map(Arc::clone).ok_or_else(|| self.unknown(handle))
    }

    /// The same, and from now on the handle stands for nothing.
    ///
    /// # Errors
    /// As [`Handles::get`].
    pub fn remove<H>(&self, handle: *const H) -> Result<Arc<T>> {
        let mut living = self.living.write().unwrap_or_else(PoisonError::into_inner);
        living.remove(&handle.addr()).ok_or_else(|| self.unknown(handle))
    }

    fn unknown<H>(&self, handle: *const H) -> Error {
        let what = self.what;
        Error::bad_argument(match handle.is_null() {
            true => format!("the {what} is NULL"),
            false => format!("{handle:p} is no {what}, or was destroyed"),
        })
    }
}
