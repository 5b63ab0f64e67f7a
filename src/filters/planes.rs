//! Which planes a filter works on: the option `planes` of every filter that has it.

crate::choices! {
    /// The planes that a filter works on; the others are passed on.
    pub enum PlaneSet {
        /// All of them.
        Yuv = "yuv",
        /// Luma or grey.
        Y = "y",
        /// Cb.
        U = "u",
        /// Cr.
        V = "v",
        /// Chroma.
        Uv = "uv",
        /// Luma and Cb.
        Yu = "yu",
        /// Luma and Cr.
        Yv = "yv",
    }
}

impl PlaneSet {
    /// True when component `component` (0 is luma or grey) is worked on.
    pub fn has(self, component: usize) -> bool {
        let has = match self {
            PlaneSet::Yuv => [true, true, true],
            PlaneSet::Y => [true, false, false],
            PlaneSet::U => [false, true, false],
            PlaneSet::V => [false, false, true],
            PlaneSet::Uv => [false, true, true],
            PlaneSet::Yu => [true, true, false],
            PlaneSet::Yv => [true, false, true],
        };
        has[component]
    }
}
