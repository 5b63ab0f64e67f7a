//! The CUDA device layer and the pipeline on it. Without a device these tests say so and pass; with
//! `VRAMP_REQUIRE_CUDA=1` they fail.
#![cfg(feature = "cuda")]

#[cfg(feature = "transcode")]
mod card;
mod chain;
mod chains;
#[cfg(feature = "transcode")]
mod clips;
mod device;
mod fixture;
#[allow(dead_code)]
mod gate;
mod graph;
#[cfg(feature = "transcode")]
mod nvdec;
#[cfg(feature = "transcode")]
mod nvenc;
#[cfg(feature = "transcode")]
mod transcode;
