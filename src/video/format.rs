//! Sample formats: what components a picture has and how their samples lie in memory.

use crate::error::{Error, Result};
use crate::video::SampleLayout;
use std::fmt;
use std::str::FromStr;

/// Which components a picture has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Model {
    /// One component, luma.
    Gray,
    /// Y, Cb, Cr.
    Yuv,
    /// R, G, B; full range unless a stream says otherwise.
    Rgb,
}

/// How the components lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// One plane a component; those of RGB in libav's order, G, B, R.
    Planar,
    /// Y plane, then one plane of Cb, Cr pairs (nv12, p010).
    SemiPlanar,
    /// Y, Cb, Cr triples in one plane (YC48).
    Packed,
}

/// The machine type of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SampleType {
    /// Unsigned 8 bit.
    U8,
    /// Unsigned 16 bit, native byte order.
    U16,
    /// Signed 16 bit, native byte order (YC48 only).
    I16,
}

impl SampleType {
    /// Bytes a sample takes.
    pub const fn bytes(self) -> usize {
        match self {
            SampleType::U8 => 1,
            SampleType::U16 | SampleType::I16 => 2,
        }
    }
}

/// A picture's sample format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Format {
    model: Model,
    layout: Layout,
    subsampling_w: u8,
    subsampling_h: u8,
    bit_depth: u8,
    sample: SampleType,
    msb_aligned: bool,
}

impl Format {
    /// AviUtl's YC48: signed 16-bit Y, Cb, Cr triples in a 12-bit scale, 4:4:4.
    pub const YC48: Format = Format {
        model: Model::Yuv,
        layout: Layout::Packed,
        subsampling_w: 0,
        subsampling_h: 0,
        bit_depth: 12,
        sample: SampleType::I16,
        msb_aligned: false,
    };

    /// Planar grey of 8..=16 bits.
    pub fn gray(bit_depth: u8) -> Result<Format> {
        Self::planar(Model::Gray, 0, 0, bit_depth)
    }

    /// Planar Y, Cb, Cr of 8..=16 bits; `(subsampling_w, subsampling_h)` is (1,1), (1,0) or (0,0).
    pub fn yuv(subsampling_w: u8, subsampling_h: u8, bit_depth: u8) -> Result<Format> {
        Self::planar(Model::Yuv, subsampling_w, subsampling_h, bit_depth)
    }

    /// Planar R, G, B of 8..=16 bits.
    pub fn rgb(bit_depth: u8) -> Result<Format> {
        Self::planar(Model::Rgb, 0, 0, bit_depth)
    }

    fn planar(model: Model, subsampling_w: u8, subsampling_h: u8, bit_depth: u8) -> Result<Format> {
        if !(8..=16).contains(&bit_depth) {
            return Err(Error::bad_argument(format!("bit depth {bit_depth} is outside 8..16")));
        }
        if !matches!((subsampling_w, subsampling_h), (0, 0) | (1, 0) | (1, 1)) {
            return Err(Error::unsupported("only 4:0:0, 4:2:0, 4:2:2 and 4:4:4 are filtered"));
        }
        let sample = if bit_depth == 8 { SampleType::U8 } else { SampleType::U16 };
        Ok(Format {
            model,
            layout: Layout::Planar,
            subsampling_w,
            subsampling_h,
            bit_depth,
            sample,
            msb_aligned: false,
        })
    }

    /// 4:2:0 with interleaved chroma: nv12 (8), p010 (10), p012 (12) or p016 (16).
    pub fn semi_planar(bit_depth: u8) -> Result<Format> {
        if !matches!(bit_depth, 8 | 10 | 12 | 16) {
            return Err(Error::bad_argument(format!(
                "no semi-planar format has {bit_depth} bits: 8, 10, 12 and 16 have one"
            )));
        }
        let planar = Self::yuv(1, 1, bit_depth)?;
        Ok(Format { layout: Layout::SemiPlanar, msb_aligned: bit_depth > 8, ..planar })
    }

    /// The same components in planar layout with `bit_depth` bits, samples aligned at the low end.
    pub fn to_planar(self, bit_depth: u8) -> Result<Format> {
        Self::planar(self.model, self.subsampling_w, self.subsampling_h, bit_depth)
    }

    /// The chain's own storage of these components: planar, 16 bits (v16).
    pub fn to_v16(self) -> Format {
        Format { layout: Layout::Planar, bit_depth: 16, sample: SampleType::U16, msb_aligned: false, ..self }
    }

    /// Whether a picture stored in this format can hold the samples of `other`: it has its components, and as many bits.
    pub fn holds(self, other: Format) -> bool {
        let components = |f: Format| (f.model, f.subsampling_w, f.subsampling_h, f.is_yc48());
        components(self) == components(other) && self.bit_depth >= other.bit_depth
    }

    /// Which components there are.
    pub fn model(self) -> Model {
        self.model
    }

    /// True when component `component` is a colour difference, Cb or Cr, which has no black and white but a middle.
    pub fn is_chroma(self, component: usize) -> bool {
        self.model == Model::Yuv && component > 0
    }

    /// What the components are called.
    pub fn component_names(self) -> &'static [&'static str] {
        match self.model {
            Model::Gray => &["y"],
            Model::Yuv => &["y", "u", "v"],
            Model::Rgb => &["r", "g", "b"],
        }
    }

    /// How they lie in memory.
    pub fn layout(self) -> Layout {
        self.layout
    }

    /// log2 of the horizontal chroma subsampling.
    pub fn subsampling_w(self) -> u8 {
        self.subsampling_w
    }

    /// log2 of the vertical chroma subsampling.
    pub fn subsampling_h(self) -> u8 {
        self.subsampling_h
    }

    /// Significant bits a sample.
    pub fn bit_depth(self) -> u8 {
        self.bit_depth
    }

    /// The machine type of a sample.
    pub fn sample(self) -> SampleType {
        self.sample
    }

    /// True for [`Format::YC48`].
    pub fn is_yc48(self) -> bool {
        self.sample == SampleType::I16
    }

    /// What a code value of 8 bits is in the values that filters compute with: v16, or YC48's own.
    pub fn code_step(self) -> u16 {
        if self.is_yc48() { 16 } else { 256 }
    }

    /// Components: 1 or 3.
    pub fn components(self) -> usize {
        if self.model == Model::Gray { 1 } else { 3 }
    }

    /// Memory planes: 1, 2 or 3.
    pub fn planes(self) -> usize {
        match (self.model, self.layout) {
            (Model::Gray, _) | (_, Layout::Packed) => 1,
            (_, Layout::SemiPlanar) => 2,
            (_, Layout::Planar) => 3,
        }
    }

    /// Width and height of component `component` (0 is luma or R) in a picture of `width`×`height`, rounded up as libav does.
    pub fn component_size(self, component: usize, width: usize, height: usize) -> (usize, usize) {
        if self.is_chroma(component) {
            (width.div_ceil(1 << self.subsampling_w), height.div_ceil(1 << self.subsampling_h))
        } else {
            (width, height)
        }
    }

    /// Bytes in one row of memory plane `plane`, and its number of rows.
    pub fn plane_size(self, plane: usize, width: usize, height: usize) -> (usize, usize) {
        let (w, h) = self.component_size(plane, width, height);
        let samples = match self.layout {
            Layout::Packed => 3,
            Layout::SemiPlanar if plane == 1 => 2,
            _ => 1,
        };
        (w * samples * self.sample.bytes(), h)
    }

    /// Where component `component` lies: its memory plane, the first sample's offset in samples, and its sample layout.
    pub fn component_layout(self, component: usize) -> (usize, usize, SampleLayout) {
        let (plane, offset, step) = match self.layout {
            Layout::Planar if self.model == Model::Rgb => ([2, 0, 1][component], 0, 1),
            Layout::Planar => (component, 0, 1),
            Layout::SemiPlanar if component == 0 => (0, 0, 1),
            Layout::SemiPlanar => (1, component - 1, 2),
            Layout::Packed => (0, component, 3),
        };
        let shift = if self.msb_aligned || self.is_yc48() { 0 } else { 16 - self.bit_depth };
        (plane, offset, SampleLayout { sample: self.sample, step, shift, bit_depth: self.bit_depth })
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let base = match (self.layout, self.model, self.subsampling_w, self.subsampling_h) {
            (Layout::Packed, ..) => return f.write_str("yc48"),
            (Layout::SemiPlanar, ..) if self.bit_depth == 8 => return f.write_str("nv12"),
            (Layout::SemiPlanar, ..) => return write!(f, "p0{}", self.bit_depth),
            (_, Model::Gray, ..) if self.bit_depth == 8 => return f.write_str("gray8"),
            (_, Model::Gray, ..) => return write!(f, "gray{}", self.bit_depth),
            (_, Model::Rgb, ..) => "gbrp",
            (_, _, 1, 1) => "yuv420p",
            (_, _, 1, 0) => "yuv422p",
            _ => "yuv444p",
        };
        f.write_str(base)?;
        if self.bit_depth > 8 { write!(f, "{}", self.bit_depth) } else { Ok(()) }
    }
}

impl FromStr for Format {
    type Err = Error;

    /// Reads a name as FFmpeg writes it, with or without the `le` of 16-bit names.
    fn from_str(name: &str) -> Result<Format> {
        let unknown = || {
            Error::bad_argument(format!(
                "format '{name}' is not known: use gray8..gray16, yuv420p, yuv422p or yuv444p with an optional depth (yuv420p10), gbrp..gbrp16, nv12, p010, p012 or p016"
            ))
        };
        let lower = name.to_ascii_lowercase();
        let text = lower.strip_suffix("le").unwrap_or(&lower);
        match text {
            "gray" => return Self::gray(8),
            "nv12" => return Self::semi_planar(8),
            "yc48" => return Ok(Self::YC48),
            _ => {}
        }
        if let Some(depth) = text.strip_prefix("gray") {
            return Self::gray(depth.parse().map_err(|_| unknown())?);
        }
        if let Some(depth) = text.strip_prefix("p0") {
            return Self::semi_planar(depth.parse().map_err(|_| unknown())?);
        }
        for (prefix, model, w, h) in [
            ("yuv420p", Model::Yuv, 1, 1),
            ("yuv422p", Model::Yuv, 1, 0),
            ("yuv444p", Model::Yuv, 0, 0),
            ("gbrp", Model::Rgb, 0, 0),
        ] {
            if let Some(depth) = text.strip_prefix(prefix) {
                let depth = if depth.is_empty() { 8 } else { depth.parse().map_err(|_| unknown())? };
                return Self::planar(model, w, h, depth);
            }
        }
        Err(unknown())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for name in [
            "gray8",
            "gray16",
            "yuv420p",
            "yuv420p10",
            "yuv422p12",
            "yuv444p16",
            "gbrp",
            "gbrp10",
            "gbrp16",
            "nv12",
            "p010",
            "p016",
            "yc48",
        ] {
            assert_eq!(name.parse::<Format>().unwrap().to_string(), name);
        }
        assert_eq!("yuv420p10le".parse::<Format>().unwrap().to_string(), "yuv420p10");
        for name in
            ["", "gray", "yuv420p7", "yuv420p17", "yuv411p", "rgb24", "gbrp7", "gbrap", "p011", "p0", "yuv420pp"]
        {
            assert_eq!(name.parse::<Format>().is_ok(), name == "gray", "{name}");
        }
    }

    #[test]
    fn a_format_holds_others_of_its_components_and_no_more_bits() {
        for (storage, nominal, holds) in [
            ("nv12", "yuv420p", true),
            ("p010", "yuv420p10", true),
            ("p016", "yuv420p12", true),
            ("yuv444p16", "yuv444p10", true),
            ("p010", "yuv420p12", false),
            ("nv12", "yuv422p", false),
            ("nv12", "gray8", false),
            ("yuv444p16", "yc48", false),
            ("gbrp16", "gbrp10", true),
            ("gbrp", "yuv444p", false),
        ] {
            assert_eq!(
                storage.parse::<Format>().unwrap().holds(nominal.parse().unwrap()),
                holds,
                "{storage} {nominal}"
            );
        }
    }

    #[test]
    fn rgb_lies_as_green_blue_red_and_has_no_chroma() {
        let rgb = Format::rgb(10).unwrap();
        assert_eq!([0, 1, 2].map(|component| rgb.component_layout(component).0), [2, 0, 1]);
        assert_eq!([0, 1, 2].map(|component| rgb.is_chroma(component)), [false; 3]);
        assert_eq!([0, 1, 2].map(|component| Format::YC48.is_chroma(component)), [false, true, true]);
        assert_eq!((rgb.components(), rgb.planes(), rgb.component_size(2, 5, 3)), (3, 3, (5, 3)));
        assert_eq!((rgb.to_v16().to_string(), rgb.to_planar(8).unwrap().to_string()), ("gbrp16".into(), "gbrp".into()));
    }

    #[test]
    fn odd_sizes_round_chroma_up() {
        let format = Format::yuv(1, 1, 8).unwrap();
        assert_eq!(format.component_size(1, 5, 3), (3, 2));
        assert_eq!(Format::semi_planar(10).unwrap().plane_size(1, 5, 3), (12, 2));
    }
}
