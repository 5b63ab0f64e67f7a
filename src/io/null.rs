//! The sink that throws frames away: decode and filter speed without an encoder.

use crate::error::Result;
#[cfg(feature = "cuda")]
use crate::pipeline::DeviceFrame;
use crate::pipeline::{Frame, Packet, Sink};

/// Takes everything and keeps nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NullSink;

impl Sink for NullSink {
    fn frame(&mut self, _: Frame) -> Result<()> {
        Ok(())
    }

    #[cfg(feature = "cuda")]
    fn device_frame(&mut self, _: DeviceFrame) -> Result<()> {
        Ok(())
    }

    fn packet(&mut self, _: Packet) -> Result<()> {
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        Ok(())
    }

    fn bytes(&self) -> u64 {
        0
    }
}
