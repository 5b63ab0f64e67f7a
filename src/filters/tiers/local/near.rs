//! The samples around a sample, as a filter reads them: of one sample, or of several side by side.

/// The samples near a place.
pub trait Near<V> {
    /// The sample of source `source`, `dx` columns to the right and `dy` rows below. Beyond the border it is the
    /// nearest.
    ///
    /// # Panics
    /// When the filter did not say that it reads so far.
    fn at(&self, source: usize, dx: isize, dy: isize) -> V;

    /// What the filter's table has for a value.
    fn look_up(&self, value: u16) -> u16;
}

/// The samples near places side by side.
pub trait Around<V>: Near<V> {
    /// Those near one of them.
    fn lane(&self, lane: usize) -> impl Near<u16>;
}
