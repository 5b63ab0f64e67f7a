//! Options of the commands beside the main job.

mod batch;
mod farm;
pub mod gallery;
mod plugins;
mod presets;
pub mod scenes;
mod submit;

pub use batch::BatchArgs;
pub use farm::{CutArgs, GpuList, JoinArgs, PartArgs, PlanArgs, SegmentArgs, StatusArgs};
pub use plugins::PluginsArgs;
pub use presets::PresetsArgs;
pub use submit::{Engine, SubmitArgs};
