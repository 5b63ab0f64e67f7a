//! A free list of contexts: as many as there are callers at once, made when they are needed.

use crate::error::Result;
use std::ops::{Deref, DerefMut};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// What is free, and how many there are.
struct State<T> {
    free: Vec<T>,
    made: usize,
}

/// Contexts that callers take and give back.
pub struct ContextPool<T> {
    state: Mutex<State<T>>,
    returned: Condvar,
    most: usize,
}

impl<T> ContextPool<T> {
    /// A list that makes `most` contexts at most.
    pub fn new(most: usize) -> ContextPool<T> {
        ContextPool { state: Mutex::new(State { free: Vec::new(), made: 0 }), returned: Condvar::new(), most }
    }

    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A free context; else one of `make`; else, when there are enough or no more can be made, the next that is free.
    ///
    /// # Errors
    /// `make`'s, when there is no context at all to wait for.
    pub fn take(&self, make: impl Fn() -> Result<T>) -> Result<Lease<'_, T>> {
        let mut state = self.state();
        let mut failed = None;
        loop {
            if let Some(context) = state.free.pop() {
                return Ok(Lease { contexts: self, context: Some(context) });
            }
            match failed.take() {
                Some(error) if state.made == 0 => return Err(error),
                None if state.made < self.most => {
                    state.made += 1;
                    drop(state);
                    // Until it is made, the lease keeps its place, and gives it back when `make` fails or panics.
                    let mut lease = Lease { contexts: self, context: None };
                    match make() {
                        Ok(context) => {
                            lease.context = Some(context);
                            return Ok(lease);
                        }
                        Err(error) => failed = Some(error),
                    }
                    drop(lease);
                    state = self.state();
                }
                still => {
                    failed = still;
                    state = self.returned.wait(state).unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }
}

/// A context that a caller holds. It is free again when this is dropped, unless its work panicked.
pub struct Lease<'l, T> {
    contexts: &'l ContextPool<T>,
    context: Option<T>,
}

#[cfg(any(feature = "cuda", test))]
impl<T> Lease<'_, T> {
    /// Keeps a context that failed from being used again.
    pub fn discard(mut self) {
        self.context = None;
    }
}

impl<T> Deref for Lease<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.context.as_ref().expect("a lease that was given out has a context")
    }
}

impl<T> DerefMut for Lease<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.context.as_mut().expect("a lease that was given out has a context")
    }
}

impl<T> Drop for Lease<'_, T> {
    fn drop(&mut self) {
        let context = self.context.take().filter(|_| !thread::panicking());
        let mut state = self.contexts.state();
        match context {
            Some(context) => state.free.push(context),
            None => state.made -= 1,
        }
        drop(state);
        // All: one that waits for the last context of all may have to report instead of another that can go on.
        self.contexts.returned.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn a_context_is_used_again_and_made_only_when_all_are_busy() {
        let (contexts, made) = (ContextPool::new(8), AtomicUsize::new(0));
        let make = || Ok(made.fetch_add(1, Ordering::Relaxed));
        let first = contexts.take(make).unwrap();
        let second = contexts.take(make).unwrap();
        assert_eq!((*first, *second), (0, 1));
        drop(first);
        assert_eq!(*contexts.take(make).unwrap(), 0);
        second.discard();
        let (_first, third) = (contexts.take(make).unwrap(), contexts.take(make).unwrap());
        assert_eq!((*third, made.load(Ordering::Relaxed)), (2, 3));
    }

    #[test]
    fn more_callers_than_contexts_wait() {
        let (contexts, busy, most) = (ContextPool::new(2), AtomicUsize::new(0), AtomicUsize::new(0));
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let _context = contexts.take(|| Ok(())).unwrap();
                        most.fetch_max(busy.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        thread::yield_now();
                        busy.fetch_sub(1, Ordering::SeqCst);
                    }
                });
            }
        });
        assert!(most.load(Ordering::SeqCst) <= 2);
    }

    #[test]
    fn who_cannot_get_another_context_waits_for_one_that_is_there() {
        let contexts = ContextPool::new(8);
        let none_left = || Err(Error::internal("no memory"));
        assert_eq!(contexts.take(none_left).err(), Some(Error::internal("no memory")));
        let only: Lease<'_, u8> = contexts.take(|| Ok(7)).unwrap();
        thread::scope(|scope| {
            let waits = scope.spawn(|| contexts.take(none_left).map(|context| *context));
            thread::sleep(std::time::Duration::from_millis(20));
            drop(only);
            assert_eq!(waits.join().unwrap(), Ok(7));
        });
    }

    #[test]
    fn a_context_whose_work_panicked_is_gone() {
        let contexts = ContextPool::new(1);
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _context = contexts.take(|| Ok(1)).unwrap();
            panic!("on purpose");
        }));
        assert!(panicked.is_err());
        assert_eq!(*contexts.take(|| Ok(2)).unwrap(), 2);
    }
}
