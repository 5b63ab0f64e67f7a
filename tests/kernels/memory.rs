//! Pictures in memory where every byte that is no sample is watched.

use crate::data::mix;
use std::ops::Range;
use std::sync::LazyLock;
#[cfg(feature = "cuda")]
use vramp::device::cuda::{DevicePlane, DevicePlanes};
use vramp::video::{Format, PlaneMut, PlaneRef, Planes, PlanesMut, Record};

/// Bytes before the first and after the last row; more than any vector.
const GUARD: usize = 160;

/// A picture whose planes have unequal pitches, start only as aligned as their samples are, and are surrounded by known
/// bytes, as the ends of their rows are. Its samples start as such bytes too.
pub struct Guarded {
    format: Format,
    width: usize,
    height: usize,
    seed: u64,
    planes: Vec<Memory>,
    /// What was measured while the picture was made.
    pub record: Record,
}

/// One plane of memory.
struct Memory {
    bytes: Vec<u8>,
    start: usize,
    pitch: usize,
    row: usize,
    rows: usize,
}

impl Memory {
    /// The bytes that belong to no row: before the first, after each.
    fn watched(&self) -> impl Iterator<Item = Range<usize>> {
        let row = |y: usize| self.start + y * self.pitch;
        let after = move |y: usize| row(y) + self.row..if y + 1 < self.rows { row(y + 1) } else { self.bytes.len() };
        std::iter::once(0..self.start).chain((0..self.rows).map(after))
    }

    /// The bytes of row `y`.
    fn row(&self, y: usize) -> &[u8] {
        &self.bytes[self.start + y * self.pitch..][..self.row]
    }
}

/// What memory holds before a kernel runs, over and over: no constant, so that none goes unnoticed, and a prime number
/// of bytes, so that rows do not fall in step with it.
static NOISE: LazyLock<Vec<u8>> = LazyLock::new(|| (0..4093).map(|i| mix(i) as u8).collect());

/// Where in the noise a plane's memory starts.
fn phase(seed: u64, plane: usize) -> usize {
    (seed as usize).wrapping_add(1000 * plane) % NOISE.len()
}

impl Guarded {
    /// A picture; `seed` decides the watched bytes, and how far rows are apart.
    pub fn new(format: Format, width: usize, height: usize, seed: u64) -> Guarded {
        Self::aligned(format, width, height, seed, 1)
    }

    /// The same with rows that start on `align` bytes from the start of the memory; 1: no better than samples need.
    pub fn aligned(format: Format, width: usize, height: usize, seed: u64, align: usize) -> Guarded {
        let plane = |plane: usize| {
            let (row, rows) = format.plane_size(plane, width, height);
            let sample = format.sample().bytes();
            let pitch = (row + sample * (1 + plane * 5 + (seed % 7) as usize)).next_multiple_of(align);
            let len = GUARD + sample.max(align) + pitch * rows + GUARD;
            let bytes: Vec<u8> = NOISE.iter().cycle().skip(phase(seed, plane)).take(len).copied().collect();
            let start = match align {
                // One sample past an aligned address is as unaligned as a plane may be.
                1 => GUARD + (bytes.as_ptr().addr() + GUARD) % 2 + sample,
                align => GUARD.next_multiple_of(align),
            };
            Memory { bytes, start, pitch, row, rows }
        };
        let planes = (0..format.planes()).map(plane).collect();
        Guarded { format, width, height, seed, planes, record: Record::default() }
    }

    /// The memory of each plane, guards and all.
    #[cfg(feature = "cuda")]
    pub fn memory(&mut self) -> impl Iterator<Item = &mut [u8]> {
        self.planes.iter_mut().map(|memory| memory.bytes.as_mut_slice())
    }

    /// The components in copies of the planes' memory that start at `addresses` on a device.
    #[cfg(feature = "cuda")]
    pub fn device_planes(&self, addresses: &[u64]) -> DevicePlanes {
        let view = |component| {
            let (plane, at, pitch, width, height) = self.component(component);
            let (_, _, layout) = self.format.component_layout(component);
            DevicePlane { address: addresses[plane] + at as u64, pitch, width, height, layout }
        };
        DevicePlanes::new(&(0..self.format.components()).map(view).collect::<Vec<_>>())
    }

    /// Each component's memory plane, its first sample's byte there, its pitch, width and height.
    fn component(&self, component: usize) -> (usize, usize, usize, usize, usize) {
        let (plane, offset, layout) = self.format.component_layout(component);
        let memory = &self.planes[plane];
        let (width, height) = self.format.component_size(component, self.width, self.height);
        (plane, memory.start + offset * layout.sample.bytes(), memory.pitch, width, height)
    }

    /// Read views.
    pub fn planes(&self) -> Planes<'_> {
        let view = |component| {
            let (plane, at, pitch, width, height) = self.component(component);
            let (_, _, layout) = self.format.component_layout(component);
            PlaneRef::new(&self.planes[plane].bytes[at..], pitch, width, height, layout)
        };
        Planes::new(&(0..self.format.components()).map(view).collect::<Vec<_>>())
    }

    /// Write views.
    pub fn planes_mut(&mut self) -> PlanesMut<'_> {
        let starts: Vec<*mut u8> = self.planes.iter_mut().map(|memory| memory.bytes.as_mut_ptr()).collect();
        PlanesMut::new((0..self.format.components()).map(|component| {
            let (plane, at, pitch, width, height) = self.component(component);
            let (_, _, layout) = self.format.component_layout(component);
            // SAFETY: the plane's memory covers all its rows and is borrowed exclusively; components share no sample.
            unsafe { PlaneMut::from_raw(starts[plane].add(at), pitch, width, height, layout) }
        }))
    }

    /// The first watched byte that changed, in words.
    pub fn damage(&self) -> Result<(), String> {
        for (plane, memory) in self.planes.iter().enumerate() {
            let phase = phase(self.seed, plane);
            let changed = |at: &usize| memory.bytes[*at] != NOISE[(phase + at) % NOISE.len()];
            let Some(at) = memory.watched().flatten().find(changed) else { continue };
            let offset = at as isize - memory.start as isize;
            let (row, byte) = (offset.div_euclid(memory.pitch as isize), offset.rem_euclid(memory.pitch as isize));
            return Err(format!(
                "memory plane {plane} was written outside its rows: at byte {byte} of row {row} \
                 (rows 0..{} of {} bytes, {} apart)",
                memory.rows, memory.row, memory.pitch
            ));
        }
        Ok(())
    }
}

/// The first sample or measured value in which two pictures of one format and shape differ, in words.
pub fn compare(expected: &Guarded, got: &Guarded) -> Result<(), String> {
    let same = |(a, b): (&Memory, &Memory)| (0..a.rows).all(|y| a.row(y) == b.row(y));
    if expected.record.values != got.record.values {
        return Err(different_records(&expected.record, &got.record));
    }
    if expected.planes.iter().zip(&got.planes).all(same) {
        return Ok(());
    }
    for (component, (expected, got)) in expected.planes().iter().zip(got.planes().iter()).enumerate() {
        let blocks = (*expected, *got);
        for (x, y) in (0..expected.height()).flat_map(|y| (0..expected.width()).map(move |x| (x, y))) {
            let (expected, got) = (expected.get(x, y), got.get(x, y));
            if expected != got {
                let [want, have] = [&blocks.0, &blocks.1].map(|plane| block(plane, x, y));
                return Err(format!(
                    "component {component} at ({x}, {y}): expected {expected}, got {got}; around it expected\n{want}got\n{have}"
                ));
            }
        }
    }
    unreachable!("rows are made of samples")
}

/// The first value in which two records differ, in words.
fn different_records(expected: &Record, got: &Record) -> String {
    let pairs = expected.values.iter().zip(&got.values);
    match pairs.into_iter().find(|(expected, got)| expected != got) {
        Some(((name, expected), (_, got))) => format!("{name}: expected {expected:?}, got {got:?}"),
        None => format!("expected {} measured values, got {}", expected.values.len(), got.values.len()),
    }
}

/// The samples around one, row by row, with that one marked.
fn block(plane: &PlaneRef<'_>, x: usize, y: usize) -> String {
    const REACH: (usize, usize) = (4, 2);
    let mut text = String::new();
    for row in y.saturating_sub(REACH.1)..plane.height().min(y + REACH.1 + 1) {
        for column in x.saturating_sub(REACH.0)..plane.width().min(x + REACH.0 + 1) {
            let mark = if (column, row) == (x, y) { '*' } else { ' ' };
            text += &format!("{mark}{:6}", plane.get(column, row));
        }
        text.push('\n');
    }
    text
}
