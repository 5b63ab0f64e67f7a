//! Subtitles, as the command draws and converts them; judged by ffmpeg and ffprobe.
#![cfg(feature = "cli")]

mod bitmaps;
mod burn;
#[path = "../command/mod.rs"]
mod command;
mod convert;
mod fonts;
mod sup;
mod video;
mod vobsub;
