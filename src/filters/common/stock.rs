//! What threads work in, kept from frame to frame.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Workspaces that nobody uses at the moment.
pub(crate) struct Stock<T>(Mutex<Vec<T>>);

impl<T> Stock<T> {
    /// Holds `first`, the first thread's. Those that later join make their own once.
    pub(crate) fn new(first: T) -> Stock<T> {
        Stock(Mutex::new(vec![first]))
    }

    /// Works in one of them, or in what `make` gives when all are in use.
    pub(crate) fn with(&self, make: impl FnOnce() -> T, work: impl FnOnce(&mut T)) {
        // The lock is not held while the workspace is made or used.
        let kept = self.lock().pop();
        let mut one = kept.unwrap_or_else(make);
        work(&mut one);
        self.lock().push(one);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
