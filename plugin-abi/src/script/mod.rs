//! What hosts of scripts have in common: arguments by name, clips whose frames state themselves, chains built for them.

pub mod args;
pub mod clip;
pub mod props;
pub mod recipe;
