//! What is made once and shared for as long as somebody uses it.

use std::sync::{Arc, Mutex, PoisonError, Weak};

/// What is in use, by what it follows from.
pub(crate) struct Shared<K, T>(Mutex<Vec<(K, Weak<T>)>>);

impl<K: PartialEq, T> Shared<K, T> {
    pub const fn new() -> Shared<K, T> {
        Shared(Mutex::new(Vec::new()))
    }

    /// What is in use for `key`, or else what `make` gives; others wait meanwhile.
    ///
    /// # Errors
    /// Those of `make`.
    pub fn get<E>(&self, key: K, make: impl FnOnce() -> Result<Arc<T>, E>) -> Result<Arc<T>, E> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|(_, one)| one.strong_count() > 0);
        if let Some(one) = known.iter().filter(|(of, _)| *of == key).find_map(|(_, one)| one.upgrade()) {
            return Ok(one);
        }
        let one = make()?;
        known.push((key, Arc::downgrade(&one)));
        Ok(one)
    }
}
