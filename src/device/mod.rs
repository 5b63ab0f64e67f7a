//! Where filters run.

pub mod cpu;
