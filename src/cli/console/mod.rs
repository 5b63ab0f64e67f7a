//! What people and programs read while a command runs: messages, progress, reports, and what it prints. Signals are what
//! they answer with.

pub mod log;
pub mod print;
pub mod progress;
pub mod report;
pub mod signals;
