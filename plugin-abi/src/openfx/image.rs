//! A host's image: RGBA pixels, whose rows may go up or down in memory.

use super::ffi::{RectI, names};
use super::host::{ImageHandle, Properties};
use std::ffi::CStr;
use std::slice;
use vramp::error::{Error, Result};

/// Samples of a pixel.
pub const RGBA: usize = 4;

/// The longest side of a picture.
const LONGEST: usize = 65_535;

/// How samples are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// 8 bits.
    Byte,
    /// 16 bits.
    Short,
    /// 16-bit floating point.
    Half,
    /// 32-bit floating point.
    Float,
}

impl Depth {
    fn bytes(self) -> usize {
        match self {
            Depth::Byte => 1,
            Depth::Short | Depth::Half => 2,
            Depth::Float => 4,
        }
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
    _handle: ImageHandle,
}

impl Image {
    /// Looks at an image, which errors call `what`.
    ///
    /// # Errors
    /// When it is none of RGBA, or its memory cannot hold what it states.
    pub fn new(handle: ImageHandle, what: &str) -> Result<Image> {
        let properties = handle.properties;
        let wrong = |why: String| Error::bad_argument(format!("the {what} image {why}"));
        if let Some(components) = properties.text(names::COMPONENTS).filter(|text| text.as_c_str() != names::RGBA) {
            return Err(wrong(format!("has {}: RGBA is needed", components.to_string_lossy())));
        }
        let depth = depth_of(properties).ok_or_else(|| wrong("has no depth that is known".to_owned()))?;
        let bounds = properties.rect(names::IMAGE_BOUNDS).ok_or_else(|| wrong("has no bounds".to_owned()))?;
        let data: *mut u8 =
            properties.pointer(names::IMAGE_DATA).ok_or_else(|| wrong("has no pixels".to_owned()))?.cast();
        let row_bytes = properties.int(names::IMAGE_ROW_BYTES, 0).unwrap_or(0) as isize;
        let is_premultiplied = properties.text(names::PREMULTIPLICATION).as_deref() == Some(names::PREMULTIPLIED);
        let image = Image { bounds, depth, is_premultiplied, data, row_bytes, _handle: handle };
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
        let side = |from: i32, to: i32| usize::try_from(i64::from(to) - i64::from(from)).unwrap_or(0);
        (side(self.bounds.x1, self.bounds.x2), side(self.bounds.y1, self.bounds.y2))
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

    fn start(&self, y: i32) -> *mut u8 {
        self.data.wrapping_offset(self.row_bytes * (y - self.bounds.y1) as isize)
    }
}

fn depth_of(properties: Properties) -> Option<Depth> {
    let name = properties.text(names::PIXEL_DEPTH)?;
    let known: [(&CStr, Depth); 4] = [
        (names::BYTE, Depth::Byte),
        (names::SHORT, Depth::Short),
        (names::HALF, Depth::Half),
        (names::FLOAT, Depth::Float),
    ];
    known.into_iter().find(|(known, _)| *known == name.as_c_str()).map(|(_, depth)| depth)
}
