//! What an encoder would read in GPU memory, taken back to the host.

use super::EncoderSurfaces;
use crate::device::cuda::CudaDevice;
use crate::error::{Error, Kind, Result};
use crate::io::libav::decode::props;
use crate::io::libav::format::pixfmt;
use crate::io::libav::format::wrap::BorrowedFrame;
use crate::io::libav::mux::failure;
use crate::pipeline::{DeviceFrame, Frame, Packet, Sink};
use crate::video::StreamInfo;
use ffmpeg::ffi;
use ffmpeg::frame::Video;
use ffmpeg_next as ffmpeg;
use std::sync::Arc;

/// A sink of frames in GPU memory that makes of each the `AVFrame` that an encoder gets, has libav copy that back to the
/// host, and hands the copy to another sink: the proof, on a card without an encoder, that one would read the right bytes.
pub struct Readback<S> {
    info: StreamInfo,
    surfaces: EncoderSurfaces,
    sink: S,
}

impl<S: Sink> Readback<S> {
    /// For frames of `info` on `device`, which `sink` gets in the end.
    ///
    /// # Errors
    /// When no encoder reads such frames in GPU memory, or memory runs out.
    pub fn new(device: &Arc<CudaDevice>, info: &StreamInfo, sink: S) -> Result<Readback<S>> {
        crate::io::libav::init();
        let unknown = || Error::unsupported(format!("libav has no format {}", info.format));
        let storage = pixfmt::pixel(info.format).ok_or_else(unknown)?;
        Ok(Readback { surfaces: EncoderSurfaces::new(device, info, storage.into())?, info: info.clone(), sink })
    }

    /// The sink that got the frames.
    pub fn into_inner(self) -> S {
        self.sink
    }
}

impl<S: Sink> Sink for Readback<S> {
    fn frame(&mut self, frame: Frame) -> Result<()> {
        Err(Error::internal(format!("frame {} is not in GPU memory", frame.props.frame_index)))
    }

    fn device_frame(&mut self, frame: DeviceFrame) -> Result<()> {
        let props = frame.props.clone();
        let borrowed = BorrowedFrame::of_surface(frame, &self.info, &self.surfaces, props.pts.unwrap_or(0))?;
        let mut copy = Video::empty();
        // SAFETY: both frames are alive; libav gives the empty one memory, and waits for the copy.
        let code = unsafe { ffi::av_hwframe_transfer_data(copy.as_mut_ptr(), borrowed.as_ptr(), 0) };
        if code < 0 {
            return Err(failure::error("copying a frame back from GPU memory", code, Kind::Device));
        }
        if pixfmt::native(copy.format()).map(|native| native.format) != Some(self.info.format) {
            return Err(Error::internal("libav changed a frame's format on its way back from GPU memory"));
        }
        let picture = props::picture(copy, self.info.format)?;
        self.sink.frame(Frame { props, picture })
    }

    fn packet(&mut self, packet: Packet) -> Result<()> {
        self.sink.packet(packet)
    }

    fn finish(&mut self) -> Result<()> {
        self.sink.finish()
    }

    fn bytes(&self) -> u64 {
        self.sink.bytes()
    }

    fn damage(&self) -> Option<Error> {
        self.sink.damage()
    }
}
