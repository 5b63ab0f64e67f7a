//! Look-up tables of colour (LUTs) as files have them: curves for each component, and a cube of colours.

mod cube;
mod hald;
pub(crate) mod looks;
mod mesh;
mod plain;
#[cfg(test)]
mod tests;
mod text;

use crate::error::{Error, Result};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The largest file that is read, in bytes.
const MOST_BYTES: u64 = 256 << 20;
/// The largest cube, in colours along an edge.
pub const MOST_EDGE: usize = 256;
/// The longest curve, in values.
const LONGEST_CURVE: usize = 65_536;

/// A table: curves first, if there are any, then the cube, if there is one. One of them is there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lut {
    /// Curves of red, green and blue.
    pub curves: Option<Curves>,
    /// Colours by colours.
    pub cube: Option<ColourCube>,
    /// Whether what goes in, and what results, are codes of limited range, as the file states.
    pub limited: [bool; 2],
}

/// A curve for each component.
#[derive(Clone, Debug, PartialEq)]
pub struct Curves {
    /// What the first and the last values belong to.
    pub domain: LutDomain,
    /// Evenly spaced values, two at least.
    pub values: Vec<[f32; 3]>,
}

/// A cube of colours.
#[derive(Clone, Debug, PartialEq)]
pub struct ColourCube {
    /// What the first and the last colours belong to.
    pub domain: LutDomain,
    /// Colours along an edge, two at least.
    pub edge: usize,
    /// `edge`³ colours, red fastest.
    pub values: Vec<[f32; 3]>,
}

/// The values of red, green and blue that a table begins and ends with: black is 0 and white 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LutDomain {
    /// Least.
    pub min: [f64; 3],
    /// Largest.
    pub max: [f64; 3],
}

impl LutDomain {
    /// From black to white.
    pub const UNIT: LutDomain = LutDomain { min: [0.0; 3], max: [1.0; 3] };

    /// The same for every component.
    pub fn of([min, max]: [f64; 2]) -> LutDomain {
        LutDomain { min: [min; 3], max: [max; 3] }
    }

    /// Where `value` of component `i` lies, from 0 to 1. Values outside are taken for the nearest inside.
    pub fn place(&self, i: usize, value: f64) -> f64 {
        ((value - self.min[i]) / (self.max[i] - self.min[i])).clamp(0.0, 1.0)
    }
}

/// Formats of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LutKind {
    /// Adobe's and Resolve's `.cube`.
    Cube,
    /// Autodesk's `.3dl`.
    Mesh,
    /// `.dat` of DaVinci.
    Dat,
    /// Pandora's `.m3d`.
    M3d,
    /// A picture of colours, the HaldCLUT.
    Hald,
}

impl LutKind {
    /// Every kind, with the ending of its files' names.
    pub const ALL: [(&'static str, LutKind); 5] = [
        ("cube", LutKind::Cube),
        ("3dl", LutKind::Mesh),
        ("dat", LutKind::Dat),
        ("m3d", LutKind::M3d),
        ("png", LutKind::Hald),
    ];

    fn of(path: &Path) -> Result<LutKind> {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
        let known = LutKind::ALL.iter().find(|(known, _)| ending.as_deref() == Some(known));
        known.map(|(_, kind)| *kind).ok_or_else(|| {
            Error::unsupported("tables are read from .cube, .3dl, .dat, .m3d, and .png (HaldCLUT): convert it to .cube")
        })
    }
}

/// The table in the file `path`, and the SHA-256 of its bytes.
///
/// # Errors
/// When it cannot be read, or is no table: with the line where that shows.
pub fn read(path: &Path) -> Result<(Lut, String)> {
    let kind = LutKind::of(path)?;
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut bytes));
    read.map_err(|error| Error::new(crate::error::Kind::Io, error.to_string()))?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(Error::unsupported(format!(
            "the file is larger than {} MiB, the most that is read",
            MOST_BYTES >> 20
        )));
    }
    let hash = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    Ok((parse(kind, &bytes)?, hash))
}

/// The table that the bytes of a file of `kind` are.
///
/// # Errors
/// When they are none, with the line where that shows.
pub fn parse(kind: LutKind, bytes: &[u8]) -> Result<Lut> {
    match kind {
        LutKind::Cube => cube::parse(bytes),
        LutKind::Mesh => mesh::parse(bytes),
        LutKind::Dat => plain::parse_dat(bytes),
        LutKind::M3d => plain::parse_m3d(bytes),
        LutKind::Hald => hald::parse(bytes),
    }
}

impl Lut {
    /// A cube that begins with black and ends with white.
    fn of_cube(edge: usize, values: Vec<[f32; 3]>) -> Lut {
        Lut { cube: Some(ColourCube { domain: LutDomain::UNIT, edge, values }), ..Lut::default() }
    }
}

/// The colours of a file in which blue is fastest, red fastest.
fn red_fastest(edge: usize, values: &[[f32; 3]]) -> Vec<[f32; 3]> {
    let places = (0..edge).flat_map(|b| (0..edge).flat_map(move |g| (0..edge).map(move |r| (r * edge + g) * edge + b)));
    places.map(|place| values[place]).collect()
}
