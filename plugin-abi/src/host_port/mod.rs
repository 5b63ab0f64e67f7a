//! The port between a host's pictures and the chain's: memory is checked, and what the chain does not know is converted.

mod port;
mod storage;

pub use port::HostPort;
pub use storage::{Pixels, Storage};

use crate::editor::conversion::{Conversion, Made};
use crate::float;
use std::ptr::NonNull;
use vramp::error::{Error, Result};
use vramp::pipeline::{ChainPlan, DeviceInputFrame, Engine, InputFrame, RgbaFrame, RgbaWindow, WorkOrder};
use vramp::video::{FrameProps, Picture, PlanesMut, StreamInfo};

/// A plane of a host's: its first byte, and the bytes from row to row. Rows of RGBA may go from the bottom up.
pub type HostPlane = (*mut u8, isize);

/// A frame of one of a chain's inputs, in the host's memory.
pub struct HostFrame<'a> {
    /// The input, from 0.
    pub input: usize,
    /// Its properties; `frame_index` says which it is.
    pub props: FrameProps,
    /// Its planes.
    pub planes: &'a [HostPlane],
}

/// The ports of a chain: one for each of its inputs, and that of its results.
pub struct HostPorts {
    inputs: Vec<HostPort>,
    output: HostPort,
    /// Results in floating point are their sources plus a difference.
    carries: bool,
}

impl HostPorts {
    /// Ports of `plan`, for a host that stores its inputs as `inputs` says, in order, and results as `output`.
    ///
    /// # Errors
    /// When the pictures are too large to be addressed, or results have an alpha that no source has.
    pub fn new(plan: &ChainPlan, inputs: impl IntoIterator<Item = Storage>, output: Storage) -> Result<HostPorts> {
        let size = |info: &StreamInfo| (info.width, info.height);
        let has_alpha_of_source = plan.keeps_frames() && size(&plan.input) == size(&plan.output);
        if matches!(output, Storage::Rgba(_)) && !has_alpha_of_source {
            return Err(Error::unsupported(
                "alpha is copied from the source, and the chain changes the size or the number of frames: use RGB planes",
            ));
        }
        let input = |(i, storage)| HostPort::new(storage, plan.stream(i));
        let inputs: Vec<_> = inputs.into_iter().enumerate().map(input).collect::<Result<_>>()?;
        let carries = inputs[0].storage == output && float::carries(plan);
        let mut port = HostPort::new(output, &plan.output)?;
        if let Storage::Rgba(pixels) = output {
            let streams = [&plan.input, &plan.output];
            port.conversion = Some(Conversion::new(pixels.depth, pixels.colours, streams, carries));
        }
        Ok(HostPorts { inputs, output: port, carries: carries && matches!(output, Storage::Float(_)) })
    }

    /// The port of an input.
    ///
    /// # Errors
    /// When there is no such input.
    pub fn input(&self, input: usize) -> Result<&HostPort> {
        self.inputs.get(input).ok_or_else(|| Error::bad_argument(format!("the chain has no input {input}")))
    }

    /// The port of the results.
    pub fn output(&self) -> &HostPort {
        &self.output
    }

    /// Makes frame `n` of the result in the host's planes `dst`. `frames` are those that [`Engine::needs`] asks for. Gives
    /// the properties of the result.
    ///
    /// # Errors
    /// When the planes cannot hold the pictures or overlap, and as [`Engine::process_frames`].
    ///
    /// # Safety
    /// The planes of `frames` must be readable, and `dst` writable by nobody else, for pictures of the ports' storage and
    /// size.
    pub unsafe fn process(
        &self,
        engine: &Engine,
        n: u64,
        frames: &[HostFrame<'_>],
        dst: &[HostPlane],
    ) -> Result<FrameProps> {
        let dst = self.check(frames, dst)?;
        // SAFETY: the caller's promise; the planes were looked at.
        let entered: Vec<_> = frames.iter().map(|frame| unsafe { self.enter(frame) }).collect::<Result<_>>()?;
        let mut given = Vec::new();
        for (frame, entered) in frames.iter().zip(&entered) {
            let planes = match entered {
                Some(picture) => picture.planes(),
                // SAFETY: as above, and the host's planes outlive the call.
                None => unsafe { self.inputs[frame.input].view(frame.planes) },
            };
            given.push(InputFrame { input: frame.input, props: frame.props.clone(), planes });
        }
        let HostPort { storage, stream, pool, .. } = &self.output;
        match pool {
            None => {
                let memory = self.output.memory(dst);
                // SAFETY: as above; no target overlaps another or a source.
                let mut to = unsafe { PlanesMut::at(storage.format(), stream.width, stream.height, &memory) };
                engine.process_frames(n, &given, &mut to)
            }
            Some(pool) => {
                let mut left = pool.take()?;
                let props = engine.process_frames(n, &given, &mut left.planes_mut())?;
                // Alpha, and what is carried, are the frame's own, which a chain that makes a frame n of it has read.
                let own = frames.iter().position(|frame| frame.input == 0 && frame.props.frame_index == n);
                let own = own.unwrap_or(0);
                let planes = frames.get(own).map_or(&[][..], |frame| frame.planes);
                let before = entered.get(own).and_then(Option::as_ref);
                // SAFETY: as above.
                unsafe {
                    match before.zip(self.output.conversion) {
                        Some((before, conversion)) => {
                            self.pixels_out(&conversion, [before, &left], planes[0], dst[0])?
                        }
                        None => self.output.float_out(&left, planes, before.filter(|_| self.carries), dst),
                    }
                }
                Ok(props)
            }
        }
    }

    /// Puts the work for frame `n` of the result, made of `frames`, all in GPU memory, where `order` says: [`Engine::process_device`]
    /// behind the same ports.
    ///
    /// # Errors
    /// When the planes cannot hold the pictures or overlap, when they would have to be converted, and as there.
    ///
    /// # Safety
    /// As there.
    pub unsafe fn process_cuda(
        &self,
        engine: &Engine,
        n: u64,
        frames: &[HostFrame<'_>],
        dst: &[HostPlane],
        order: &WorkOrder<'_>,
    ) -> Result<FrameProps> {
        let dst = self.check(frames, dst)?;
        if let (Storage::Rgba(pixels), Some(conversion)) = (self.output.storage, self.output.conversion) {
            let image = |port: &HostPort, plane, what| Ok(port.image(plane, pixels, what)?.on_device());
            let rgba = |frame: &HostFrame<'_>| {
                let image = image(self.input(frame.input)?, frame.planes[0], "source")?;
                Ok(RgbaFrame { props: frame.props.clone(), image })
            };
            let sources = frames.iter().map(rgba).collect::<Result<Vec<_>>>()?;
            let window = RgbaWindow { image: image(&self.output, dst[0], "target")?, left: 0, top: 0 };
            let conversion = conversion.on_device(pixels.is_premultiplied);
            // SAFETY: the caller's promise, unchanged.
            return unsafe { engine.process_rgba(n, &sources, &conversion, &window, order) };
        }
        if !self.lie_as_they_are() {
            return Err(Error::unsupported(
                "float planes, and planes of RGBA, are converted in host memory: on the GPU take RGBA, or planes of integers",
            ));
        }
        let places = |port: &HostPort, planes: &[HostPlane]| {
            port.memory(planes).map(|(start, pitch): (NonNull<u8>, usize)| (start.as_ptr().addr() as u64, pitch))
        };
        let mut sources = Vec::new();
        for frame in frames {
            let port = self.input(frame.input)?;
            let count = port.storage.planes();
            sources.push((places(port, &frame.planes[..count]), count));
        }
        let with_places = frames.iter().zip(&sources);
        let given: Vec<_> = with_places
            .map(|(frame, (places, count))| {
                let HostFrame { input, props, .. } = frame;
                DeviceInputFrame { input: *input, props: props.clone(), planes: &places[..*count] }
            })
            .collect();
        let target = places(&self.output, dst);
        // SAFETY: the caller's promise, unchanged.
        unsafe { engine.process_device(n, &given, &target[..dst.len()], order) }
    }

    /// Whether every picture is taken and given as it lies, with nothing converted.
    pub fn lie_as_they_are(&self) -> bool {
        self.inputs.iter().chain([&self.output]).all(|port| port.pool.is_none())
    }

    /// Refuses planes that cannot hold the pictures, and a target that overlaps; gives the target's planes that there are.
    ///
    /// # Errors
    /// With the plane and what is wrong with it.
    pub fn check<'p>(&self, frames: &[HostFrame<'_>], dst: &'p [HostPlane]) -> Result<&'p [HostPlane]> {
        let dst = self.output.check(dst).map_err(|e| e.context("the target"))?;
        for frame in frames {
            let port = self.input(frame.input)?;
            let source = || match frames.len() {
                1 => "the source".to_owned(),
                _ => format!("frame {} of input {}", frame.props.frame_index, frame.input),
            };
            let src = port.check(frame.planes).map_err(|e| e.context(source()))?;
            for (plane, span) in self.output.spans(dst).enumerate() {
                if port.spans(src).any(|other| overlap(span, other)) {
                    return Err(overlapping(plane));
                }
            }
        }
        for (plane, span) in self.output.spans(dst).enumerate() {
            if self.output.spans(dst).take(plane).any(|other| overlap(span, other)) {
                return Err(overlapping(plane));
            }
        }
        Ok(dst)
    }

    /// The picture that a frame is converted to, where it is not taken as it lies.
    ///
    /// # Safety
    /// Its planes must be readable for a picture of its port.
    unsafe fn enter(&self, frame: &HostFrame<'_>) -> Result<Option<Picture>> {
        let port = self.input(frame.input)?;
        let Some(pool) = &port.pool else { return Ok(None) };
        let mut picture = pool.take()?;
        // SAFETY: the caller's promise.
        unsafe {
            match (port.storage, port.conversion) {
                (Storage::Rgba(pixels), Some(conversion)) => {
                    conversion.enter(&port.image(frame.planes[0], pixels, "source")?, &mut picture);
                }
                _ => port.float_in(frame.planes, &mut picture),
            }
        }
        Ok(Some(picture))
    }

    /// Converts the chain's result to the host's pixels at `dst`. `src` are those that it is made of, and `before` is what the
    /// chain got of them.
    ///
    /// # Safety
    /// The planes must be readable and writable for such pictures.
    unsafe fn pixels_out(
        &self,
        conversion: &Conversion,
        [before, after]: [&Picture; 2],
        src: HostPlane,
        dst: HostPlane,
    ) -> Result<()> {
        let Storage::Rgba(pixels) = self.output.storage else { return Err(Error::internal("pixels that are none")) };
        let source = self.inputs[0].image(src, pixels, "source")?;
        let mut target = self.output.image(dst, pixels, "target")?;
        let window = target.bounds;
        // SAFETY: the caller's promise; source and target do not overlap.
        unsafe { conversion.leave(&Made { source: &source, before, after }, &mut target, window) };
        Ok(())
    }
}

fn overlap((start, end): (usize, usize), (other_start, other_end): (usize, usize)) -> bool {
    start < other_end && other_start < end
}

fn overlapping(plane: usize) -> Error {
    Error::bad_argument(format!("the target: plane {plane} overlaps the source or another plane"))
}
