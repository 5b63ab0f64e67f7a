//! A picture of a host's: rows of RGBA in any depth and order of rows.

use std::slice;
use vramp::error::{Error, Result};
/// How samples are stored.
pub use vramp::pipeline::RgbaDepth as Depth;
use vramp::pipeline::RgbaImage;

/// Samples of a pixel.
pub const RGBA: usize = 4;

/// The longest side of a picture.
const LONGEST: usize = 65_535;

/// Whole places: left, bottom, and what is beyond right and top.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RectI {
    /// The first column.
    pub x1: i32,
    /// The lowest row.
    pub y1: i32,
    /// The column beyond the last.
    pub x2: i32,
    /// The row beyond the highest.
    pub y2: i32,
}

impl RectI {
    /// Width and height.
    pub fn size(self) -> (usize, usize) {
        let side = |from: i32, to: i32| usize::try_from(i64::from(to) - i64::from(from)).unwrap_or(0);
        (side(self.x1, self.x2), side(self.y1, self.y2))
    }
}

/// An image, as long as the host lends it.
pub struct Image {
    /// Where its pixels are.
    pub bounds: RectI,
    /// How its samples are stored.
    pub depth: Depth,
    /// Whether colours are multiplied by alpha.
    pub is_premultiplied: bool,
    /// The bottom row.
    data: *mut u8,
    row_bytes: isize,
}

impl Image {
    /// The image whose bottom row is at `data`, and each next `row_bytes` behind; `what` names it in errors.
    ///
    /// # Errors
    /// When its memory cannot hold what it states.
    pub fn new(
        (data, row_bytes): (*mut u8, isize),
        bounds: RectI,
        depth: Depth,
        is_premultiplied: bool,
        what: &str,
    ) -> Result<Image> {
        let wrong = |why: String| Error::bad_argument(format!("the {what} image {why}"));
        let image = Image { bounds, depth, is_premultiplied, data, row_bytes };
        let (width, height) = image.size();
        if !(1..=LONGEST).contains(&width) || !(1..=LONGEST).contains(&height) {
            return Err(wrong(format!("has {width}x{height} pixels: sides go from 1 to {LONGEST}")));
        }
        let row = width * RGBA * depth.bytes();
        if row_bytes.unsigned_abs() < row {
            return Err(wrong(format!("has {row_bytes} bytes from row to row: a row is {row} bytes long")));
        }
        if !data.addr().is_multiple_of(depth.bytes()) || !row_bytes.unsigned_abs().is_multiple_of(depth.bytes()) {
            return Err(wrong(format!(
                "and its rows must lie at multiples of {} bytes, a sample's size",
                depth.bytes()
            )));
        }
        Ok(image)
    }

    /// Width and height.
    pub fn size(&self) -> (usize, usize) {
        self.bounds.size()
    }

    /// The addresses of its memory: the first, and that behind the last.
    pub fn span(&self) -> (usize, usize) {
        let (width, height) = self.size();
        let last = self.data.addr().wrapping_add_signed(self.row_bytes * (height as isize - 1));
        let (low, high) = (self.data.addr().min(last), self.data.addr().max(last));
        (low, high.saturating_add(width * RGBA * self.depth.bytes()))
    }

    /// Row `y` of the host, in which the bottom is least.
    ///
    /// # Safety
    /// `T` is a sample of the image's depth, the memory is what the host states, `y` is within bounds, and nobody writes to the
    /// row.
    pub unsafe fn row<T>(&self, y: i32) -> &[[T; RGBA]] {
        // SAFETY: the caller's promise.
        unsafe { slice::from_raw_parts(self.start(y).cast(), self.size().0) }
    }

    /// The same, to write.
    ///
    /// # Safety
    /// As [`Image::row`], and nobody else uses the row.
    pub unsafe fn row_mut<T>(&mut self, y: i32) -> &mut [[T; RGBA]] {
        // SAFETY: the caller's promise.
        unsafe { slice::from_raw_parts_mut(self.start(y).cast(), self.size().0) }
    }

    /// It as the GPU knows it, where its memory is there.
    pub fn on_device(&self) -> RgbaImage {
        self.part_on_device(self.bounds)
    }

    /// The same of `part`, which lies in it.
    pub fn part_on_device(&self, part: RectI) -> RgbaImage {
        let (width, height) = part.size();
        let left = (part.x1 - self.bounds.x1) as usize * RGBA * self.depth.bytes();
        let first = self.start(part.y2 - 1).wrapping_add(left);
        RgbaImage { address: first.addr() as u64, pitch: -(self.row_bytes as i64), width, height }
    }

    fn start(&self, y: i32) -> *mut u8 {
        self.data.wrapping_offset(self.row_bytes * (y - self.bounds.y1) as isize)
    }
}
