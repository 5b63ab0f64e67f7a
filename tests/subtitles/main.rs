//! Subtitles, as the command draws and converts them; judged by ffmpeg and ffprobe.
#![cfg(feature = "cli")]

#[path = "../command/mod.rs"]
mod command;
mod bitmaps;
mod burn;
mod fonts;
mod sup;
mod video;
