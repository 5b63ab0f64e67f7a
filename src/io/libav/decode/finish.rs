//! From a decoded AVFrame to a frame of the pipeline: checked, converted where needed, described.

use crate::error::{Error, Result};
use crate::io::libav::decode::props;
use crate::io::libav::format::convert::{self, Converter};
use crate::io::libav::format::pixfmt;
#[cfg(feature = "cuda")]
use crate::io::libav::hwaccel::Surface;
use crate::pipeline::{Frame, Item};
use crate::video::{ColorInfo, Format, FrameProps, Model, Rational};
use ffmpeg::format::Pixel;
use ffmpeg::frame::Video;
use ffmpeg_next as ffmpeg;
use std::fmt;

/// Finishes the frames of one stream.
pub(in crate::io::libav) struct Finisher {
    shape: FrameFormat,
    /// The container's sample aspect ratio, which goes before the frame's.
    sar: Rational,
    /// What the first frame says of itself, before any conversion.
    first: FrameProps,
    format: Format,
    converter: Option<Converter>,
    /// The matrix by which RGB becomes YCbCr, where the output calls for one.
    matrix: Option<u8>,
    /// What the one line about the conversion says; taken when it is said.
    notice: Option<Notice>,
}

/// Why there is a conversion.
#[derive(Clone, Copy)]
enum Notice {
    /// The chain cannot read the source as it is.
    Needed,
    /// It was asked for.
    Wanted,
}

impl Finisher {
    /// A finisher for a stream that begins with `first`.
    ///
    /// # Errors
    /// When neither the chain nor swscale reads its format.
    pub(in crate::io::libav) fn new(first_frame: &Video, sar: Rational) -> Result<Finisher> {
        let shape = FrameFormat::of(first_frame);
        let native = pixfmt::native(shape.pixel);
        let format = native.map_or_else(|| convert::nearest(shape.pixel), |native| Ok(native.format))?;
        let first = props::props(first_frame, 0, shape.full_range, sar);
        let mut finisher = Finisher { shape, sar, first, format, converter: None, matrix: None, notice: None };
        if native.is_none() {
            finisher.convert(format)?;
            finisher.notice = Some(Notice::Needed);
        }
        Ok(finisher)
    }

    /// Converts every frame to `format`.
    ///
    /// # Errors
    /// When libav does not know the way.
    pub(in crate::io::libav) fn convert_to(&mut self, format: Format) -> Result<()> {
        if format != self.format {
            self.convert(format)?;
            self.notice.get_or_insert(Notice::Wanted);
        }
        Ok(())
    }

    /// Has RGB become YCbCr by `matrix`, if it does.
    pub(in crate::io::libav) fn use_matrix(&mut self, matrix: u8) {
        self.matrix = (self.format.model() == Model::Rgb).then_some(matrix);
    }

    fn convert(&mut self, format: Format) -> Result<()> {
        let FrameFormat { pixel, width, height, .. } = self.shape;
        let color = ColorInfo { matrix: self.matrix.unwrap_or(self.first.color.matrix), ..self.first.color };
        self.converter = Some(Converter::new(pixel, format, width as usize, height as usize, color)?);
        self.format = format;
        Ok(())
    }

    /// The format frames come out in.
    pub(in crate::io::libav) fn format(&self) -> Format {
        self.format
    }

    /// How frames in GPU memory are stored; `None` when they come in host memory.
    pub(in crate::io::libav) fn surfaces(&self) -> Option<Format> {
        self.shape.surfaces
    }

    /// Whether frames are converted before they come out.
    pub(in crate::io::libav) fn is_converting(&self) -> bool {
        self.converter.is_some()
    }

    /// The container's sample aspect ratio.
    pub(in crate::io::libav) fn sar(&self) -> Rational {
        self.sar
    }

    /// Width and height.
    pub(in crate::io::libav) fn size(&self) -> (usize, usize) {
        (self.shape.width as usize, self.shape.height as usize)
    }

    /// The source's pixel format, as libav calls it.
    pub(in crate::io::libav) fn source_format(&self) -> &'static str {
        convert::name(self.shape.pixel)
    }

    /// Whether the source has alpha, which does not come out.
    pub(in crate::io::libav) fn drops_alpha(&self) -> bool {
        convert::has_alpha(self.shape.pixel)
    }

    /// What the first frame says of itself, as it comes out.
    pub(in crate::io::libav) fn first(&self) -> FrameProps {
        FrameProps { color: self.color(self.first.color), ..self.first.clone() }
    }

    fn color(&self, color: ColorInfo) -> ColorInfo {
        self.converter.as_ref().map_or(color, |converter| converter.color(color))
    }

    /// Says once, about the source `path`, what is converted.
    pub(in crate::io::libav) fn say_conversion(&mut self, path: impl fmt::Display) {
        let Some(way) = self.converter.as_ref().map(Converter::describe) else { return };
        match self.notice.take() {
            Some(Notice::Needed) => log::warn!("{path}: converted from {way}, which the filters read"),
            Some(Notice::Wanted) => log::info!("{path}: converted from {way}"),
            None => {}
        }
    }

    /// The frame of absolute index `index`, as it comes out.
    ///
    /// # Errors
    /// When it is not of the first one's format, size and range, or memory runs out.
    pub(in crate::io::libav) fn frame(&mut self, frame: Video, index: u64) -> Result<Item> {
        let shape = FrameFormat::of(&frame);
        if shape != self.shape && (FrameFormat { surfaces: self.shape.surfaces, ..shape }) == self.shape {
            return Err(Error::unsupported(format!("NVDEC gives up at frame {index}: add --decoder software")));
        }
        if shape != self.shape {
            let pts = frame.pts().map_or_else(|| "no pts".to_owned(), |pts| format!("pts {pts}"));
            return Err(Error::unsupported(format!(
                "the video changes at frame {index} ({pts}) from {} to {shape}: split the file there",
                self.shape
            )));
        }
        let mut props = props::props(&frame, index, shape.full_range, self.sar);
        props.color = self.color(props.color);
        #[cfg(feature = "cuda")]
        if let Some(surface) = Surface::of(&frame) {
            return surface.wrap(frame, props).map(Item::DeviceFrame);
        }
        let picture = match &mut self.converter {
            Some(converter) => converter.run(&frame)?,
            None => props::picture(frame, self.format)?,
        };
        Ok(Item::Frame(Frame { props, picture }))
    }
}

/// What every frame of a stream must share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FrameFormat {
    pixel: Pixel,
    width: u32,
    height: u32,
    full_range: bool,
    /// How it is stored in GPU memory, if it is there.
    surfaces: Option<Format>,
}

impl FrameFormat {
    /// The shape of `frame`, in host memory or, as software would decode it, on the device.
    fn of(frame: &Video) -> FrameFormat {
        let (pixel, width, height) = (frame.format(), frame.width(), frame.height());
        let shape = FrameFormat { pixel, width, height, full_range: false, surfaces: None };
        #[cfg(feature = "cuda")]
        let shape = match Surface::of(frame) {
            Some(Surface { storage, pixel, size: (width, height), .. }) => {
                FrameFormat { pixel, width: width as u32, height: height as u32, surfaces: Some(storage), ..shape }
            }
            None => shape,
        };
        let full_range = props::color(frame, convert::is_full_by_name(shape.pixel)).range.is_full();
        FrameFormat { full_range, ..shape }
    }
}

impl fmt::Display for FrameFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let range = if self.full_range { "full range" } else { "limited range" };
        write!(f, "{}x{} {}, {range}", self.width, self.height, convert::name(self.pixel))
    }
}
