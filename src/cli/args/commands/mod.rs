//! Options of the commands beside the main job.

mod batch;
mod bench;
mod farm;
pub mod gallery;
mod plugins;
mod presets;
pub mod scenes;
mod submit;
mod tools;
mod tune;

pub use batch::BatchArgs;
pub use bench::BenchArgs;
pub use farm::{CutArgs, GpuList, JoinArgs, PartArgs, PlanArgs, SegmentArgs, StatusArgs};
pub use plugins::PluginsArgs;
pub use presets::PresetsArgs;
pub use submit::{FarmEngine, SubmitArgs};
pub use tools::{FiltersArgs, ManArgs, ProbeArgs};
pub use tune::TuneArgs;
