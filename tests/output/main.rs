//! The libav output, read back with ffprobe and ffmpeg: what goes in must be read back.
#![cfg(feature = "transcode")]

mod colour;
mod encoders;
mod files;
mod joints;
mod media;
mod refusals;
mod sound;
mod streams;
mod sync;
mod times;
