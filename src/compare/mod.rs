//! Two videos compared: which frames belong together, how far apart they are, and what explains the difference.
//!
//! Every number follows from the samples alone: sums are exact or taken in a fixed order, so threads and vector
//! instructions change nothing. docs/COMPARE.md has the definitions.

mod align;
mod cells;
pub mod diagnosis;
mod difference;
mod measure;
mod sequence;
mod shift;
mod ssim;
mod tolerance;
mod totals;

pub use align::{Aligner, Clocks, Rule, Side, Stamp, Step};
pub use difference::{FrameDifference, Largest, PlaneDifference, psnr};
pub use measure::FrameMeasure;
pub use shift::Shifts;
pub use tolerance::{Fault, Tolerance};
pub use totals::{Extreme, PlaneTotals, Totals};
