//! What is used again: memory that goes from thread to thread and back.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Things that nobody uses at the moment, the one that has been free for longest first. In a steady state it allocates nothing,
/// which a channel does.
pub(crate) struct FreeList<T>(Arc<Mutex<VecDeque<T>>>);

/// The way back to a list. Where the list is gone, what comes back is dropped.
pub(crate) struct Home<T>(Weak<Mutex<VecDeque<T>>>);

impl<T> FreeList<T> {
    /// A list of nothing.
    pub(crate) fn new() -> FreeList<T> {
        FreeList(Arc::default())
    }

    /// One that is free.
    pub(crate) fn take(&self) -> Option<T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }

    /// The way back for what is taken, or made beside it.
    pub(crate) fn home(&self) -> Home<T> {
        Home(Arc::downgrade(&self.0))
    }

    /// The sum of what `measure` says of each that is free.
    #[cfg(feature = "cuda")]
    pub(crate) fn sum(&self, measure: impl Fn(&T) -> usize) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().map(measure).sum()
    }
}

impl<T> Clone for Home<T> {
    fn clone(&self) -> Home<T> {
        Home(Weak::clone(&self.0))
    }
}

impl<T> Home<T> {
    /// Makes `one` free.
    pub(crate) fn give(&self, one: T) {
        if let Some(list) = self.0.upgrade() {
            list.lock().unwrap_or_else(PoisonError::into_inner).push_back(one);
        }
    }
}

/// The memory of `used` as an empty vector of values of another kind, or of another lifetime: the standard library collects in
/// place where both are of one size.
pub(crate) fn emptied<T, U>(mut used: Vec<T>) -> Vec<U> {
    used.clear();
    used.into_iter().map(|_| unreachable!("the vector is empty")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_back_is_taken_in_its_order_and_without_a_list_dropped() {
        let list = FreeList::new();
        let home = list.home();
        let (first, second) = (Arc::new(1), Arc::new(2));
        [&first, &second].into_iter().for_each(|one| home.give(Arc::clone(one)));
        assert_eq!([list.take(), list.take(), list.take()].map(|one| one.map(|one| *one)), [Some(1), Some(2), None]);
        home.give(Arc::clone(&first));
        drop(list);
        home.give(Arc::clone(&second));
        assert_eq!([&first, &second].map(Arc::strong_count), [1, 1]);
    }

    #[test]
    fn a_vector_is_emptied_where_it_lies() {
        let texts = ["a".to_owned(), "b".to_owned()];
        let used: Vec<&str> = texts.iter().map(String::as_str).collect();
        let (start, capacity) = (used.as_ptr(), used.capacity());
        let empty: Vec<&'static str> = emptied(used);
        assert_eq!((empty.as_ptr(), empty.capacity(), empty.len()), (start, capacity, 0));
    }
}
