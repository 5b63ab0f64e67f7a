//! Sizes that decide speed, never a result.
//!
//! `vramp bench --filter surface_blur --device cuda` measures them. After a change compare the ratios to the plain copy, before
//! and after, on one machine.

/// Samples side by side that a thread makes: few, or many from a radius on where more samples around a block cost less than a
/// thread saves on its rows.
pub const FEW: usize = 4;
pub const MANY: usize = 8;
pub const MANY_FROM: usize = 3;
