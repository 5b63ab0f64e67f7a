//! The frei0r effects, in real hosts (FFmpeg, MLT, GStreamer) and called as a host might.
#![cfg(unix)]

mod calls;
mod folder;
mod hosts;
#[path = "../so/mod.rs"]
mod so;
