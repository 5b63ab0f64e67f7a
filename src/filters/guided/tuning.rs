//! Sizes that decide speed, never a result.
//!
//! `vramp bench --filter guided --device cuda` measures them. After a change compare the ratios to the plain copy, before and
//! after, on one machine.

/// Threads of a block, each with a column: few, or many from a radius on where the columns beside a strip would be a large part.
pub const FEW: usize = 256;
pub const MANY: usize = 512;
pub const MANY_FROM: usize = 24;

/// Warps that a multiprocessor shall get, as far as there are rows, and the fewest rows of a block, in radii: its first window
/// takes two.
pub const WARPS: usize = 32;
pub const FEWEST_RADII: usize = 2;
pub const FEWEST_ROWS: usize = 8;
