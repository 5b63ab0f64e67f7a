//! The libav input against ffmpeg and ffprobe, on files that ffmpeg makes.
#![cfg(feature = "transcode")]

mod around;
mod describe;
mod faults;
mod frames;
mod media;
mod seek;
mod window;
