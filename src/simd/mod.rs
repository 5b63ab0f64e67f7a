//! Vectors of 16-bit lanes on the CPU: dispatch by the level of the processor, rows of samples to lanes and back, and one
//! vector type for code that is written for any width.

pub mod aligned;
pub mod dispatch;
pub mod divide;
pub mod lanes;
pub mod order;
pub mod rows;
