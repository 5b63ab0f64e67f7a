//! Pictures that end where memory ends: a kernel that touches a byte beside its samples dies of it.

use crate::case::Case;
use crate::check::{Execs, frames, reference, run_job, survey_of};
use crate::data::fill;
use crate::sample::report;
use libc::{MAP_ANON, MAP_FAILED, MAP_PRIVATE, PROT_NONE, PROT_READ, PROT_WRITE, mmap, mprotect, sysconf};
use std::cell::RefCell;
use std::collections::HashMap;
use std::ptr;
use vramp::filters::CpuKernel;
use vramp::video::{Format, PlaneMut, PlaneRef, Planes, PlanesMut};

/// Where a buffer's wall is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wall {
    /// Before its first sample.
    Before,
    /// After its last.
    After,
}

/// Memory between walls: pages nobody may touch.
struct Buffer {
    pages: *mut u8,
    mapped: usize,
    start: *mut u8,
    len: usize,
}

thread_local! {
    /// Mappings that are free again, by their size: the system takes longer to make one than a kernel to run.
    static FREE: RefCell<HashMap<usize, Vec<*mut u8>>> = RefCell::default();
}

impl Buffer {
    /// `len` bytes, all zero, with nothing between them and the wall.
    fn new(len: usize, wall: Wall) -> Buffer {
        // SAFETY: it only reads a constant of the system.
        let page = usize::try_from(unsafe { sysconf(libc::_SC_PAGESIZE) }).unwrap();
        let inside = len.next_multiple_of(page);
        let mapped = inside + 2 * page;
        let free = FREE.with_borrow_mut(|free| free.get_mut(&mapped)?.pop());
        let pages = free.unwrap_or_else(|| map(page, inside));
        // SAFETY: the pages between the closed ones are mapped, and nobody else has them.
        unsafe {
            let start = pages.add(if wall == Wall::Before { page } else { page + inside - len });
            start.write_bytes(0, len);
            Buffer { pages, mapped, start, len }
        }
    }
}

/// A mapping of `inside` bytes between two closed pages.
fn map(page: usize, inside: usize) -> *mut u8 {
    // SAFETY: a mapping of our own; its first and last page are closed before anybody has their addresses.
    unsafe {
        let pages = mmap(ptr::null_mut(), inside + 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
        assert_ne!(pages, MAP_FAILED);
        for closed in [pages, pages.byte_add(page + inside)] {
            assert_eq!(mprotect(closed, page, PROT_NONE), 0);
        }
        pages.cast()
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        FREE.with_borrow_mut(|free| free.entry(self.mapped).or_default().push(self.pages));
    }
}

/// A picture in walled buffers: one for each memory plane, or one for each component, where interleaved components lie
/// apart with their gaps.
struct Picture {
    format: Format,
    width: usize,
    height: usize,
    buffers: Vec<Buffer>,
    apart: bool,
}

impl Picture {
    fn new(format: Format, (width, height): (usize, usize), wall: Wall, apart: bool) -> Picture {
        let mut picture = Picture { format, width, height, buffers: Vec::new(), apart };
        let count = if apart { format.components() } else { format.planes() };
        picture.buffers = (0..count).map(|index| Buffer::new(picture.len(index), wall)).collect();
        picture
    }

    /// Bytes from the first sample of buffer `index` to its last.
    fn len(&self, index: usize) -> usize {
        if self.apart {
            let (width, height) = self.format.component_size(index, self.width, self.height);
            let (_, _, layout) = self.format.component_layout(index);
            let row = ((width - 1) * usize::from(layout.step) + 1) * layout.sample.bytes();
            return self.pitch(index) * (height - 1) + row;
        }
        let (row, rows) = self.format.plane_size(index, self.width, self.height);
        self.pitch(index) * (rows - 1) + row
    }

    /// Bytes from one row of component or plane `index` to the next: one sample more than there are.
    fn pitch(&self, index: usize) -> usize {
        let plane = if self.apart { self.format.component_layout(index).0 } else { index };
        self.format.plane_size(plane, self.width, self.height).0 + self.format.sample().bytes()
    }

    /// The buffer of a component, its first byte there, and its pitch.
    fn place(&self, component: usize) -> (&Buffer, usize, usize) {
        let (plane, offset, layout) = self.format.component_layout(component);
        let (index, offset) = if self.apart { (component, 0) } else { (plane, offset) };
        (&self.buffers[index], offset * layout.sample.bytes(), self.pitch(index))
    }

    fn planes(&self) -> Planes<'_> {
        let view = |component| {
            let (buffer, at, pitch) = self.place(component);
            let (width, height) = self.format.component_size(component, self.width, self.height);
            // SAFETY: the buffer is mapped as long as the picture lives, and not written while it is borrowed.
            let bytes = unsafe { std::slice::from_raw_parts(buffer.start, buffer.len) };
            PlaneRef::new(&bytes[at..], pitch, width, height, self.format.component_layout(component).2)
        };
        Planes::new(&(0..self.format.components()).map(view).collect::<Vec<_>>())
    }

    fn planes_mut(&mut self) -> PlanesMut<'_> {
        PlanesMut::new((0..self.format.components()).map(|component| {
            let (buffer, at, pitch) = self.place(component);
            let (width, height) = self.format.component_size(component, self.width, self.height);
            let layout = self.format.component_layout(component).2;
            // SAFETY: the buffer covers every row and is borrowed exclusively; components share no sample.
            unsafe { PlaneMut::from_raw(buffer.start.add(at), pitch, width, height, layout) }
        }))
    }

    /// Every sample, component by component.
    fn samples(&self) -> Vec<i32> {
        let planes = self.planes();
        let of = |plane: &PlaneRef<'_>| {
            let (width, height, plane) = (plane.width(), plane.height(), *plane);
            (0..height).flat_map(move |y| (0..width).map(move |x| plane.get(x, y))).collect::<Vec<_>>()
        };
        planes.iter().flat_map(of).collect()
    }
}

/// Runs the kernels of `case` at every level between walls. The fast ones must give what the reference gives.
fn check(case: &Case, execs: &Execs) {
    let (filter, setup) = case.build().unwrap();
    let spec = case.spec().unwrap();
    for (wall, apart) in [(Wall::After, false), (Wall::Before, false), (Wall::After, true), (Wall::Before, true)] {
        let result = |kernel: &mut dyn CpuKernel, exec| {
            let picture = |input, offset| {
                let mut src = Picture::new(case.src, case.shape(), wall, apart);
                fill(&mut src.planes_mut(), case.content, case.seed_of(input, 0, offset));
                src
            };
            let frame = |input, offset| match case.survey_for(&spec, input) {
                Some((filter, setup)) => {
                    let shape = (setup.output.width, setup.output.height);
                    let mut survey = Picture::new(setup.dst, shape, wall, apart);
                    survey_of(&*filter, &setup, &picture(0, offset).planes(), survey.planes_mut());
                    survey
                }
                None => picture(input, offset),
            };
            let sources = frames(&spec, frame);
            let planes: Vec<Vec<_>> =
                sources.iter().map(|frames| frames.iter().map(Picture::planes).collect()).collect();
            let mut dst = Picture::new(case.dst, (spec.output.width, spec.output.height), wall, apart);
            run_job(kernel, &spec, &case.props(0), &planes, dst.planes_mut(), exec);
            dst.samples()
        };
        let expected = result(reference(&*filter, &setup).unwrap().as_mut(), execs.plain());
        for [exec, ..] in execs.levels() {
            let got = result(filter.cpu(&setup, exec.level()).unwrap().as_mut(), exec);
            let differs = || format!("{case}: {} differs, {wall:?}, components apart: {apart}", exec.level());
            assert!(got == expected, "{}", report(&[differs()]));
        }
    }
}

/// Runs `cases`, and prints each before: who dies has no other last words.
pub fn all(cases: impl Iterator<Item = Case>) {
    let execs = Execs::new();
    for case in cases {
        eprintln!("{case}");
        check(&case, &execs);
    }
}

/// Whether the case runs between walls: where it is small.
pub fn is_walled(case: &Case) -> bool {
    case.input.width * case.input.height < 1000
}
