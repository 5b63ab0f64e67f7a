//! A film worked on in parts: the plan, which is a file, and the folder of parts beside it. docs/FARM.md says how it is used.
//!
//! The plan alone decides every byte of the result. What is done is what lies in the folder: there is no queue and no list
//! that could say something else.

mod cuts;
mod disputes;
mod folder;
mod identity;
mod joined;
mod pins;
mod plan;
mod ranges;
mod records;
mod task;

pub use cuts::{CutAt, cut};
pub use disputes::Dispute;
pub use folder::{Folder, host};
pub use identity::Identity;
pub use joined::{ExpectedPart, Joined, Verified, verify};
pub use pins::{Pins, Request as PinRequest, pins};
pub use plan::{Cutting, FilmPlan, InputFile, OtherFile, OutputFile, PinnedEncoder, PlannedOpening, PlannedPart, Seek};
pub use ranges::Ranges;
pub use records::{PartEvent, PartRecord, blamed, made_wrong, unaudited};
pub use task::{SUBMISSION, parts_of_task, submission, task};
