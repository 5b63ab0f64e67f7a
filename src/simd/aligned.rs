//! Memory that vectors begin at the start of: a load or a store across two lines of the cache costs as much as two.

use std::ops::{Deref, DerefMut};

/// Bytes of a line of the cache, and of the widest vector.
const LINE: usize = 64;

/// Values whose first begins a line.
#[derive(Default)]
pub struct Aligned<T> {
    /// As many more as may lie before a line begins.
    values: Vec<T>,
    start: usize,
}

impl<T: Copy + Default> Aligned<T> {
    /// Makes room for `len` values, of which none is kept.
    pub fn grow(&mut self, len: usize) {
        if len <= self.len() {
            return;
        }
        self.values = vec![T::default(); len + LINE / size_of::<T>()];
        self.start = self.values.as_ptr().align_offset(LINE);
        self.values.truncate(self.start + len);
    }
}

impl<T> Deref for Aligned<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        &self.values[self.start..]
    }
}

impl<T> DerefMut for Aligned<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.values[self.start..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_begin_a_line_however_many_there_are() {
        let mut values = Aligned::<u16>::default();
        for len in [0, 1, 33, 5, 4096, 70_001] {
            values.grow(len);
            assert!(values.len() >= len && (len == 0 || values.as_ptr().addr().is_multiple_of(LINE)), "{len}");
        }
    }
}
