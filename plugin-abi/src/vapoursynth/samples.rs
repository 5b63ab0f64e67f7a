//! The samples of VapourSynth's frames, as the chain reads and writes them.

use super::host::{Frame, NewFrame};
use crate::float::Scale;
use std::slice;
use vramp::error::{Error, Result};
use vramp::video::{Picture, PlaneMut, PlaneRef, Planes, PlanesMut, StreamInfo};

fn elsewhere() -> Error {
    Error::unsupported("the frame is not in host memory")
}

/// Views of a frame of `stream`.
///
/// # Errors
/// When the frame is not in host memory.
pub fn views<'f>(frame: &'f Frame, stream: &StreamInfo) -> Result<Planes<'f>> {
    let view = |component| {
        let (data, pitch) = frame.plane(component).ok_or_else(elsewhere)?;
        let (width, height) = frame.plane_size(component);
        let (_, _, layout) = stream.format.component_layout(component);
        // SAFETY: VapourSynth keeps a plane of this size there as long as the frame lives, and nobody writes to it.
        Ok(unsafe { PlaneRef::from_raw(data, pitch, width, height, layout) })
    };
    let views: Vec<_> = (0..stream.format.components()).map(view).collect::<Result<_>>()?;
    Ok(Planes::new(&views))
}

/// The same of a frame that is being made.
///
/// # Errors
/// As [`views`].
pub fn views_mut<'f>(frame: &'f mut NewFrame, stream: &StreamInfo) -> Result<PlanesMut<'f>> {
    let mut view = |component| {
        let (data, pitch) = frame.plane_mut(component).ok_or_else(elsewhere)?;
        let (width, height) = frame.plane_size(component);
        let (_, _, layout) = stream.format.component_layout(component);
        // SAFETY: VapourSynth keeps a plane of this size there as long as the frame lives, the frame is borrowed
        // exclusively, and planes are apart.
        Ok(unsafe { PlaneMut::from_raw(data, pitch, width, height, layout) })
    };
    let views: Vec<_> = (0..stream.format.components()).map(&mut view).collect::<Result<_>>()?;
    Ok(PlanesMut::new(views))
}

/// Rounds a frame in floating point to the 16-bit picture of `stream` that it is filtered as.
///
/// # Errors
/// As [`views`].
pub fn from_float(frame: &Frame, stream: &StreamInfo, to: &mut Picture) -> Result<()> {
    for component in 0..stream.format.components() {
        let scale = Scale::of(stream, component);
        let (data, pitch) = frame.plane(component).ok_or_else(elsewhere)?;
        let mut planes = to.planes_mut();
        let plane = planes.get_mut(component);
        for y in 0..plane.height() {
            // SAFETY: VapourSynth keeps as many samples in as many rows there as long as the frame lives.
            let row = unsafe { slice::from_raw_parts(data.add(y * pitch).cast(), plane.width()) };
            scale.to_16_bits(row, plane.row_u16_mut(y));
        }
    }
    Ok(())
}

/// Writes the numbers that a 16-bit picture of `stream` stands for to a frame in floating point.
///
/// # Errors
/// As [`views`].
pub fn to_float(from: &Picture, stream: &StreamInfo, frame: &mut NewFrame) -> Result<()> {
    for (component, plane) in from.planes().iter().enumerate() {
        let scale = Scale::of(stream, component);
        let (data, pitch) = frame.plane_mut(component).ok_or_else(elsewhere)?;
        for y in 0..plane.height() {
            // SAFETY: as in `from_float`; the frame is borrowed exclusively.
            let row = unsafe { slice::from_raw_parts_mut(data.add(y * pitch).cast(), plane.width()) };
            scale.from_16_bits(plane.row_u16(y), row);
        }
    }
    Ok(())
}
