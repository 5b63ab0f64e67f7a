//! The port between a host's pictures and the chain's: memory is checked, and what the chain does not know is converted.

use crate::float::{self, FloatScale};
use std::ffi::c_void;
use std::ptr::NonNull;
use std::slice;
use vramp::error::{Error, Result};
use vramp::pipeline::{ChainPlan, Engine, InputFrame};
use vramp::video::{Format, FrameProps, Layout, MemoryPlanes, Picture, PicturePool, Planes, PlanesMut, StreamInfo};

/// How a host stores its pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// As the chain does.
    Plain(Format),
    /// In 32-bit float planes. The chain has planes of 16 bits.
    Float(Format),
    /// In bytes R, G, B, A. The chain has planes R, G, B.
    Rgba(Format),
}

/// A plane of a host's: its first byte, and the bytes from row to row.
pub type HostPlane = (*mut u8, usize);

/// Bytes of an RGBA pixel.
const RGBA: usize = 4;

impl Storage {
    /// What the chain has.
    pub fn format(self) -> Format {
        match self {
            Storage::Plain(format) | Storage::Float(format) | Storage::Rgba(format) => format,
        }
    }

    /// Memory planes.
    pub fn planes(self) -> usize {
        match self {
            Storage::Rgba(_) => 1,
            Storage::Plain(format) | Storage::Float(format) => format.planes(),
        }
    }

    /// Bytes of a sample, of which addresses and pitches are multiples.
    fn sample_bytes(self) -> usize {
        match self {
            Storage::Plain(format) => format.sample().bytes(),
            Storage::Float(_) => size_of::<f32>(),
            Storage::Rgba(_) => 1,
        }
    }

    /// Bytes in a row of plane `plane`, in the host's order of planes, and its rows.
    pub fn plane_size(self, plane: usize, width: usize, height: usize) -> (usize, usize) {
        match self {
            Storage::Rgba(_) => (width * RGBA, height),
            Storage::Float(format) => {
                let (width, height) = format.component_size(plane, width, height);
                (width * size_of::<f32>(), height)
            }
            Storage::Plain(format) => format.plane_size(memory_plane(format, plane), width, height),
        }
    }
}

/// The chain's memory plane for plane `plane` of a host's, where planes come in the order of the components.
fn memory_plane(format: Format, plane: usize) -> usize {
    match format.layout() {
        Layout::Planar => format.component_layout(plane).0,
        Layout::SemiPlanar | Layout::Packed => plane,
    }
}

/// One side of a chain: the host's pictures there.
pub struct HostPort {
    storage: Storage,
    stream: StreamInfo,
    /// Where pictures are converted to and from.
    pool: Option<PicturePool>,
}

impl HostPort {
    /// The port to a stream whose pictures the host stores as `storage`.
    ///
    /// # Errors
    /// When the pictures are too large to be addressed.
    fn new(storage: Storage, stream: &StreamInfo) -> Result<HostPort> {
        let pool = || PicturePool::new(0, storage.format(), stream.width, stream.height);
        let pool = if matches!(storage, Storage::Plain(_)) { None } else { Some(pool()?) };
        Ok(HostPort { storage, stream: stream.clone(), pool })
    }

    /// How the host stores its pictures.
    pub fn storage(&self) -> Storage {
        self.storage
    }

    /// The stream behind the port.
    pub fn stream(&self) -> &StreamInfo {
        &self.stream
    }

    fn plane_size(&self, plane: usize) -> (usize, usize) {
        self.storage.plane_size(plane, self.stream.width, self.stream.height)
    }

    /// Refuses planes that cannot hold a picture, and gives those that there are.
    ///
    /// # Errors
    /// With the plane and what is wrong with it.
    fn check<'p>(&self, planes: &'p [HostPlane]) -> Result<&'p [HostPlane]> {
        let (count, align) = (self.storage.planes(), self.storage.sample_bytes());
        let wrong = |plane: usize, why: String| Err(Error::bad_argument(format!("plane {plane} {why}")));
        if planes.len() < count {
            return wrong(planes.len(), "is missing".to_owned());
        }
        for (plane, (start, pitch)) in planes[..count].iter().enumerate() {
            let (row, _) = self.plane_size(plane);
            if start.is_null() {
                return wrong(plane, "is NULL".to_owned());
            }
            if *pitch < row || *pitch > i32::MAX as usize {
                return wrong(plane, format!("has a pitch of {pitch} bytes: a row is {row} bytes long"));
            }
            if !start.addr().is_multiple_of(align) || !pitch.is_multiple_of(align) {
                return wrong(plane, format!("and its pitch must be multiples of {align} bytes, a sample's size"));
            }
            if start.addr().checked_add(self.span(plane, *pitch)).is_none() {
                return wrong(plane, "reaches beyond the end of memory".to_owned());
            }
        }
        Ok(&planes[..count])
    }

    /// Bytes from the first to the last of a plane.
    fn span(&self, plane: usize, pitch: usize) -> usize {
        let (row, rows) = self.plane_size(plane);
        (rows - 1) * pitch + row
    }

    /// The addresses of each plane.
    fn spans<'p>(&'p self, planes: &'p [HostPlane]) -> impl Iterator<Item = (usize, usize)> + 'p {
        let span = |(i, (start, pitch)): (usize, &HostPlane)| (start.addr(), start.addr() + self.span(i, *pitch));
        planes.iter().enumerate().map(span)
    }

    /// The host's planes as the chain orders them.
    fn memory(&self, planes: &[HostPlane]) -> MemoryPlanes {
        let mut memory = [(NonNull::dangling(), 0); 3];
        for (plane, (start, pitch)) in planes.iter().enumerate() {
            if let Some(start) = NonNull::new(*start) {
                memory[memory_plane(self.storage.format(), plane)] = (start, *pitch);
            }
        }
        memory
    }
}

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
    /// Float results are their sources plus a difference.
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
        let is_float = matches!(output, Storage::Float(_)) && inputs[0].storage == output;
        Ok(HostPorts {
            inputs,
            output: HostPort::new(output, &plan.output)?,
            carries: is_float && float::carries(plan),
        })
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
        let HostPort { storage, stream, pool } = &self.output;
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
                let carried = entered.get(own).and_then(Option::as_ref).filter(|_| self.carries);
                // SAFETY: as above.
                unsafe { self.output.convert_out(&left, planes, carried, dst) };
                Ok(props)
            }
        }
    }

    /// Puts the work for a frame in GPU memory into the order of `stream`: [`Engine::process_device`] behind the same ports.
    ///
    /// # Errors
    /// When the planes cannot hold the pictures or overlap, when they would have to be converted, and as there.
    ///
    /// # Safety
    /// As there.
    pub unsafe fn process_cuda(
        &self,
        engine: &Engine,
        frame: &HostFrame<'_>,
        dst: &[HostPlane],
        stream: *mut c_void,
    ) -> Result<()> {
        let dst = self.check(std::slice::from_ref(frame), dst)?;
        let input = self.input(frame.input)?;
        if input.pool.is_some() || self.output.pool.is_some() {
            return Err(Error::unsupported(
                "float and RGBA are converted in host memory: they are not taken on the GPU",
            ));
        }
        let src = &frame.planes[..input.storage.planes()];
        let address = |(start, pitch): (NonNull<u8>, usize)| (start.as_ptr().addr() as u64, pitch);
        let (src_planes, dst_planes) = (input.memory(src).map(address), self.output.memory(dst).map(address));
        // SAFETY: the caller's promise, unchanged.
        unsafe { engine.process_device(&frame.props, &src_planes[..src.len()], &dst_planes[..dst.len()], stream) }
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
        unsafe { port.convert_in(frame.planes, &mut picture) };
        Ok(Some(picture))
    }
}

fn overlap((start, end): (usize, usize), (other_start, other_end): (usize, usize)) -> bool {
    start < other_end && other_start < end
}

fn overlapping(plane: usize) -> Error {
    Error::bad_argument(format!("the target: plane {plane} overlaps the source or another plane"))
}

/// Row `y` of a host's plane.
///
/// # Safety
/// The row must hold `count` samples, aligned, that nobody writes to.
unsafe fn row<'a, T>((start, pitch): HostPlane, y: usize, count: usize) -> &'a [T] {
    // SAFETY: the caller's promise, unchanged.
    unsafe { slice::from_raw_parts(start.add(y * pitch).cast(), count) }
}

/// The same, to write.
///
/// # Safety
/// As [`row`], and nobody else may use it.
unsafe fn row_mut<'a, T>((start, pitch): HostPlane, y: usize, count: usize) -> &'a mut [T] {
    // SAFETY: the caller's promise, unchanged.
    unsafe { slice::from_raw_parts_mut(start.add(y * pitch).cast(), count) }
}

impl HostPort {
    /// The host's picture as it lies.
    ///
    /// # Safety
    /// The planes must be readable for such a picture, and stay so.
    unsafe fn view<'a>(&self, planes: &[HostPlane]) -> Planes<'a> {
        let StreamInfo { width, height, .. } = self.stream;
        let planes = &planes[..self.storage.planes()];
        // SAFETY: the caller's promise, unchanged.
        unsafe { Planes::at(self.storage.format(), width, height, &self.memory(planes)) }
    }

    /// Converts the host's picture.
    ///
    /// # Safety
    /// The planes must be readable for such a picture.
    unsafe fn convert_in(&self, planes: &[HostPlane], picture: &mut Picture) {
        let mut views = picture.planes_mut();
        for component in 0..views.len() {
            let view = views.get_mut(component);
            let (width, height) = (view.width(), view.height());
            let scale = FloatScale::of(&self.stream, component);
            for y in 0..height {
                if let Storage::Float(_) = self.storage {
                    // SAFETY: the caller's promise.
                    scale.to_16_bits(unsafe { row(planes[component], y, width) }, view.row_u16_mut(y));
                } else {
                    // SAFETY: as above.
                    let pixels: &[[u8; RGBA]] = unsafe { row(planes[0], y, width) };
                    for (sample, pixel) in view.row_u8_mut(y).iter_mut().zip(pixels) {
                        *sample = pixel[component];
                    }
                }
            }
        }
    }

    /// Converts to the host's picture; `src` is the host's source, from which alpha comes. `carried` is what became of that
    /// source where its values beyond 16 bits are kept.
    ///
    /// # Safety
    /// The planes must be readable and writable for such pictures.
    unsafe fn convert_out(
        &self,
        picture: &Picture,
        src: &[HostPlane],
        carried: Option<&Picture>,
        planes: &[HostPlane],
    ) {
        let views = picture.planes();
        if let Storage::Rgba(_) = self.storage {
            for y in 0..self.stream.height {
                let [r, g, b] = [0, 1, 2].map(|component| views[component].row_u8(y));
                // SAFETY: the caller's promise; source and target do not overlap.
                let (from, to): (&[[u8; RGBA]], &mut [[u8; RGBA]]) =
                    unsafe { (row(src[0], y, r.len()), row_mut(planes[0], y, r.len())) };
                for (i, (to, from)) in to.iter_mut().zip(from).enumerate() {
                    *to = [r[i], g[i], b[i], from[3]];
                }
            }
            return;
        }
        let carried = carried.map(Picture::planes);
        for (component, view) in views.iter().enumerate() {
            let scale = FloatScale::of(&self.stream, component);
            for y in 0..view.height() {
                // SAFETY: the caller's promise.
                let to = unsafe { row_mut(planes[component], y, view.width()) };
                match &carried {
                    None => scale.from_16_bits(view.row_u16(y), to),
                    Some(before) => {
                        // SAFETY: as above; source and target do not overlap.
                        let origin = unsafe { row(src[component], y, view.width()) };
                        scale.carry(origin, before[component].row_u16(y), view.row_u16(y), to);
                    }
                }
            }
        }
    }
}
