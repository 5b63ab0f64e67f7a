//! The host's images, as long as it lends them.

use super::ffi::names;
use super::host::{ImageHandle, Properties};
use crate::editor::image::{Depth, Image};
use std::ffi::CStr;
use vramp::error::{Error, Result};

/// An image that the host lends until this is dropped.
pub struct Lent {
    /// The image.
    pub image: Image,
    _handle: ImageHandle,
}

impl Lent {
    /// Looks at an image, which errors call `what`.
    ///
    /// # Errors
    /// When it is none of RGBA, or its memory cannot hold what it states.
    pub fn new(handle: ImageHandle, what: &str) -> Result<Lent> {
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
        let image = Image::new((data, row_bytes), bounds, depth, is_premultiplied, what)?;
        Ok(Lent { image, _handle: handle })
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
