//! How a host stores its pictures.

use crate::editor::chains::Inside;
use crate::editor::colours::Colours;
use crate::editor::image::{Depth, RGBA};
use vramp::error::Result;
use vramp::video::{Format, Layout};

/// How a host stores its pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// As the chain does.
    Plain(Format),
    /// In 32-bit float planes. The chain has planes of 16 bits.
    Float(Format),
    /// In pixels of R, G, B, A. The chain has planes.
    Rgba(Pixels),
}

/// Pixels of R, G, B, A, and what a chain sees of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pixels {
    /// How samples are stored.
    pub depth: Depth,
    /// What filters see.
    pub colours: Colours,
    /// Whether colours are multiplied by alpha.
    pub is_premultiplied: bool,
    /// What the chain has.
    format: Format,
}

impl Pixels {
    /// # Errors
    /// When the chain has no format for them.
    pub fn new(depth: Depth, colours: Colours, is_premultiplied: bool) -> Result<Pixels> {
        let format = Inside::of(depth, colours.ycbcr, colours.linear).format()?;
        Ok(Pixels { depth, colours, is_premultiplied, format })
    }

    /// How the chain holds them.
    pub fn inside(self) -> Inside {
        Inside::of(self.depth, self.colours.ycbcr, self.colours.linear)
    }
}

impl Storage {
    /// What the chain has.
    pub fn format(self) -> Format {
        match self {
            Storage::Plain(format) | Storage::Float(format) | Storage::Rgba(Pixels { format, .. }) => format,
        }
    }

    /// Memory planes.
    pub fn planes(self) -> usize {
        match self {
            Storage::Rgba(_) => 1,
            Storage::Plain(format) | Storage::Float(format) => format.planes(),
        }
    }

    /// Whether rows may lie from the bottom up.
    pub fn takes_either_order(self) -> bool {
        matches!(self, Storage::Rgba(_))
    }

    /// Bytes of a sample, of which addresses and pitches are multiples.
    pub fn sample_bytes(self) -> usize {
        match self {
            Storage::Plain(format) => format.sample().bytes(),
            Storage::Float(_) => size_of::<f32>(),
            Storage::Rgba(pixels) => pixels.depth.bytes(),
        }
    }

    /// Bytes in a row of plane `plane`, in the host's order of planes, and its rows.
    pub fn plane_size(self, plane: usize, width: usize, height: usize) -> (usize, usize) {
        match self {
            Storage::Rgba(pixels) => (width * RGBA * pixels.depth.bytes(), height),
            Storage::Float(format) => {
                let (width, height) = format.component_size(plane, width, height);
                (width * size_of::<f32>(), height)
            }
            Storage::Plain(format) => format.plane_size(memory_plane(format, plane), width, height),
        }
    }
}

/// The chain's memory plane for plane `plane` of a host's, where planes come in the order of the components.
pub fn memory_plane(format: Format, plane: usize) -> usize {
    match format.layout() {
        Layout::Planar => format.component_layout(plane).0,
        Layout::SemiPlanar | Layout::Packed => plane,
    }
}
