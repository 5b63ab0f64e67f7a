//! The door between a host's pictures and the chain's: memory is checked, and what the chain does not know is converted.

use crate::float::Scale;
use std::ffi::c_void;
use std::ptr::NonNull;
use std::slice;
use vramp::error::{Error, Result};
use vramp::pipeline::Engine;
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
pub type Plane = (*mut u8, usize);

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
pub struct Door {
    storage: Storage,
    stream: StreamInfo,
    /// Where pictures are converted to and from.
    pool: Option<PicturePool>,
}

impl Door {
    /// The door to a stream whose pictures the host stores as `storage`.
    ///
    /// # Errors
    /// When the pictures are too large to be addressed.
    pub fn new(storage: Storage, stream: &StreamInfo) -> Result<Door> {
        let pool = || PicturePool::new(0, storage.format(), stream.width, stream.height);
        let pool = if matches!(storage, Storage::Plain(_)) { None } else { Some(pool()?) };
        Ok(Door { storage, stream: stream.clone(), pool })
    }

    /// How the host stores its pictures.
    pub fn storage(&self) -> Storage {
        self.storage
    }

    /// The stream behind the door.
    pub fn stream(&self) -> &StreamInfo {
        &self.stream
    }

    fn plane_size(&self, plane: usize) -> (usize, usize) {
        self.storage.plane_size(plane, self.stream.width, self.stream.height)
    }

    /// Refuses planes that cannot hold a picture, and gives those that there are. `what` names the picture in messages.
    ///
    /// # Errors
    /// With the plane and what is wrong with it.
    pub fn check<'p>(&self, planes: &'p [Plane], what: &str) -> Result<&'p [Plane]> {
        let (count, align) = (self.storage.planes(), self.storage.sample_bytes());
        let wrong = |plane: usize, why: String| Err(Error::bad_argument(format!("{what}: plane {plane} {why}")));
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
    fn spans<'p>(&'p self, planes: &'p [Plane]) -> impl Iterator<Item = (usize, usize)> + 'p {
        let span = |(i, (start, pitch)): (usize, &Plane)| (start.addr(), start.addr() + self.span(i, *pitch));
        planes.iter().enumerate().map(span)
    }

    /// The host's planes as the chain orders them.
    fn memory(&self, planes: &[Plane]) -> MemoryPlanes {
        let mut memory = [(NonNull::dangling(), 0); 3];
        for (plane, (start, pitch)) in planes.iter().enumerate() {
            if let Some(start) = NonNull::new(*start) {
                memory[memory_plane(self.storage.format(), plane)] = (start, *pitch);
            }
        }
        memory
    }
}

/// Filters a frame from the host's planes `src` to `dst`, through the doors at both ends of `engine`.
///
/// # Errors
/// When the planes cannot hold the pictures or overlap, and as [`Engine::process`].
///
/// # Safety
/// `src` must be readable, and `dst` writable by nobody else, for pictures of the doors' storage and size.
pub unsafe fn process(
    engine: &Engine,
    [input, output]: [&Door; 2],
    props: &FrameProps,
    src: &[Plane],
    dst: &[Plane],
) -> Result<()> {
    let [src, dst] = check([input, output], src, dst)?;
    let (entered, mut left);
    let (width, height) = (input.stream.width, input.stream.height);
    let from = match &input.pool {
        // SAFETY: the caller's promise; the planes were looked at.
        None => unsafe { Planes::at(input.storage.format(), width, height, &input.memory(src)) },
        Some(pool) => {
            let mut picture = pool.take()?;
            // SAFETY: as above.
            unsafe { input.convert_in(src, &mut picture) };
            entered = picture;
            entered.planes()
        }
    };
    match &output.pool {
        None => {
            // SAFETY: as above; no target overlaps another or a source.
            let mut to = unsafe { PlanesMut::at(output.storage.format(), width, height, &output.memory(dst)) };
            engine.process(props, &from, &mut to)
        }
        Some(pool) => {
            left = pool.take()?;
            engine.process(props, &from, &mut left.planes_mut())?;
            // SAFETY: as above.
            unsafe { output.convert_out(&left, src, dst) };
            Ok(())
        }
    }
}

/// Puts the work for a frame in GPU memory into the order of `stream`: [`Engine::process_device`] behind the same doors.
///
/// # Errors
/// When the planes cannot hold the pictures or overlap, when they would have to be converted, and as there.
///
/// # Safety
/// As there.
pub unsafe fn process_cuda(
    engine: &Engine,
    [input, output]: [&Door; 2],
    props: &FrameProps,
    src: &[Plane],
    dst: &[Plane],
    stream: *mut c_void,
) -> Result<()> {
    let [src, dst] = check([input, output], src, dst)?;
    if input.pool.is_some() || output.pool.is_some() {
        return Err(Error::unsupported("float and RGBA are converted in host memory: they are not taken on the GPU"));
    }
    let address = |(start, pitch): (NonNull<u8>, usize)| (start.as_ptr().addr() as u64, pitch);
    let (src_planes, dst_planes) = (input.memory(src).map(address), output.memory(dst).map(address));
    // SAFETY: passed on.
    unsafe { engine.process_device(props, &src_planes[..src.len()], &dst_planes[..dst.len()], stream) }
}

/// Refuses planes that cannot hold the pictures at both doors, and those that overlap; gives those that there are.
///
/// # Errors
/// With the plane and what is wrong with it.
pub fn check<'p>([input, output]: [&Door; 2], src: &'p [Plane], dst: &'p [Plane]) -> Result<[&'p [Plane]; 2]> {
    let (src, dst) = (input.check(src, "the source")?, output.check(dst, "the target")?);
    let spans = || input.spans(src).chain(output.spans(dst));
    for (i, (start, end)) in spans().enumerate().skip(src.len()) {
        if spans().take(i).any(|(other_start, other_end)| start < other_end && other_start < end) {
            let plane = i - src.len();
            return Err(Error::bad_argument(format!("the target: plane {plane} overlaps the source or another plane")));
        }
    }
    Ok([src, dst])
}

/// Row `y` of a host's plane.
///
/// # Safety
/// The row must hold `count` samples, aligned, that nobody writes to.
unsafe fn row<'a, T>((start, pitch): Plane, y: usize, count: usize) -> &'a [T] {
    // SAFETY: passed on.
    unsafe { slice::from_raw_parts(start.add(y * pitch).cast(), count) }
}

/// The same, to write.
///
/// # Safety
/// As [`row`], and nobody else may use it.
unsafe fn row_mut<'a, T>((start, pitch): Plane, y: usize, count: usize) -> &'a mut [T] {
    // SAFETY: passed on.
    unsafe { slice::from_raw_parts_mut(start.add(y * pitch).cast(), count) }
}

impl Door {
    /// Converts the host's picture.
    ///
    /// # Safety
    /// The planes must be readable for such a picture.
    unsafe fn convert_in(&self, planes: &[Plane], picture: &mut Picture) {
        let mut views = picture.planes_mut();
        for component in 0..views.len() {
            let view = views.get_mut(component);
            let (width, height) = (view.width(), view.height());
            let scale = Scale::of(&self.stream, component);
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

    /// Converts to the host's picture; `src` is the host's source, from which alpha comes.
    ///
    /// # Safety
    /// The planes must be readable and writable for such pictures.
    unsafe fn convert_out(&self, picture: &Picture, src: &[Plane], planes: &[Plane]) {
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
        for (component, view) in views.iter().enumerate() {
            let scale = Scale::of(&self.stream, component);
            for y in 0..view.height() {
                // SAFETY: the caller's promise.
                let to = unsafe { row_mut(planes[component], y, view.width()) };
                scale.from_16_bits(view.row_u16(y), to);
            }
        }
    }
}
