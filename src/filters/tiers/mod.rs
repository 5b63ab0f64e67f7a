//! What filters are written on. The first tier is the contract itself; these own storage, borders, threads, vector levels and
//! launches, so that a filter on one of them states its function and little else. docs/FILTER-GUIDE.md says which to choose.

pub mod local;
pub mod measure;
pub mod point;
pub mod window;
