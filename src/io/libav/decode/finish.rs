//! From a decoded AVFrame to a frame of the pipeline: checked, converted where needed, described.

use crate::error::{Error, Result};
use crate::io::libav::decode::props;
use crate::io::libav::decode::refit::Refit;
use crate::io::libav::format::alpha::AlphaReader;
use crate::io::libav::format::convert::{self, Converter};
use crate::io::libav::format::pixfmt;
#[cfg(feature = "cuda")]
use crate::io::libav::hwaccel::Surface;
use crate::pipeline::{Frame, Item};
use crate::video::{ColorInfo, Format, FrameProps, Model, Rational, StreamInfo};
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
    /// What takes the frames' alpha, where that is what is given.
    alpha: Option<AlphaReader>,
    /// The matrix by which RGB becomes YCbCr, where the output calls for one.
    matrix: Option<u8>,
    /// What makes later frames like the first, by what they are. `None`: a change is an error.
    refits: Option<Vec<(FrameFormat, Refit)>>,
    /// The one line about the conversion; taken when it is logged.
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
    /// A finisher for a stream that begins with `first`. With `fit_changes`, frames of another format, size or range become
    /// like it; else they are errors.
    ///
    /// # Errors
    /// When neither the chain nor swscale reads its format.
    pub(in crate::io::libav) fn new(first_frame: &Video, sar: Rational, fit_changes: bool) -> Result<Finisher> {
        let shape = FrameFormat::of(first_frame);
        let native = pixfmt::native(shape.pixel);
        let format = native.map_or_else(|| convert::nearest(shape.pixel), |native| Ok(native.format))?;
        let first = props::props(first_frame, 0, shape.full_range, sar);
        let mut finisher = Finisher {
            shape,
            sar,
            first,
            format,
            converter: None,
            alpha: None,
            matrix: None,
            refits: fit_changes.then(Vec::new),
            notice: None,
        };
        if native.is_none() {
            finisher.convert(format)?;
            finisher.notice = Some(Notice::Needed);
        }
        Ok(finisher)
    }

    /// A finisher of the alpha of such a stream: frames are grey.
    ///
    /// # Errors
    /// When it has no alpha that is read.
    pub(in crate::io::libav) fn of_alpha(first_frame: &Video, sar: Rational) -> Result<Finisher> {
        let shape = FrameFormat::of(first_frame);
        let alpha = AlphaReader::new(shape.pixel, shape.width as usize, shape.height as usize)?;
        let first = props::props(first_frame, 0, shape.full_range, sar);
        Ok(Finisher {
            shape,
            sar,
            first,
            format: alpha.format(),
            converter: None,
            alpha: Some(alpha),
            matrix: None,
            refits: None,
            notice: None,
        })
    }

    /// Whether frames of another format, size or range than the first become like it.
    pub(in crate::io::libav) fn fits_changes(&self) -> bool {
        self.refits.is_some()
    }

    /// Converts every frame to `format`.
    ///
    /// # Errors
    /// When libav cannot convert it.
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

    /// The format of the frames given.
    pub(in crate::io::libav) fn format(&self) -> Format {
        self.format
    }

    /// How frames in GPU memory are stored; `None` when they are in host memory.
    pub(in crate::io::libav) fn surfaces(&self) -> Option<Format> {
        self.shape.surfaces
    }

    /// Whether frames are converted.
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

    /// Whether the source has alpha, which is dropped.
    pub(in crate::io::libav) fn drops_alpha(&self) -> bool {
        self.alpha.is_none() && convert::has_alpha(self.shape.pixel)
    }

    /// Whether frames have alpha, which is dropped or given.
    pub(in crate::io::libav) fn knows_alpha(&self) -> bool {
        convert::has_alpha(self.shape.pixel)
    }

    /// What the first frame given says of itself.
    pub(in crate::io::libav) fn first(&self) -> FrameProps {
        FrameProps { color: self.color(self.first.color), ..self.first.clone() }
    }

    fn color(&self, color: ColorInfo) -> ColorInfo {
        match (&self.alpha, &self.converter) {
            (Some(_), _) => AlphaReader::color(),
            (None, Some(converter)) => converter.color(color),
            (None, None) => color,
        }
    }

    /// Leaves out what [`Finisher::say_conversion`] would say.
    pub(in crate::io::libav) fn forget_notice(&mut self) {
        self.notice = None;
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

    /// The frame of absolute index `index`, as it is given.
    ///
    /// # Errors
    /// When it is not of the first one's format, size and range, or memory runs out.
    pub(in crate::io::libav) fn frame(&mut self, frame: Video, index: u64) -> Result<Item> {
        let shape = FrameFormat::of(&frame);
        if shape != self.shape && (FrameFormat { surfaces: self.shape.surfaces, ..shape }) == self.shape {
            return Err(Error::unsupported(format!("NVDEC gives up at frame {index}: add --decoder software")));
        }
        if shape != self.shape {
            return self.changed(frame, shape, index).map(Item::Frame);
        }
        let mut props = props::props(&frame, index, shape.full_range, self.sar);
        props.color = self.color(props.color);
        #[cfg(feature = "cuda")]
        if let Some(surface) = Surface::of(&frame) {
            return surface.wrap(frame, props).map(Item::DeviceFrame);
        }
        let picture = match (&self.alpha, &mut self.converter) {
            (Some(alpha), _) => alpha.run(&frame)?,
            (None, Some(converter)) => converter.run(&frame)?,
            (None, None) => props::picture(frame, self.format)?,
        };
        Ok(Item::Frame(Frame { props, picture }))
    }

    /// The frame of index `index`, which is of `shape`, made like the first.
    fn changed(&mut self, frame: Video, shape: FrameFormat, index: u64) -> Result<Frame> {
        let pts = frame.pts().map_or_else(|| "no pts".to_owned(), |pts| format!("pts {pts}"));
        let change = format!("the video changes at frame {index} ({pts}) from {} to {shape}", self.shape);
        let refused = |e: &Error| Error::unsupported(format!("{change}: split the file there ({e})"));
        let mut props = props::props(&frame, index, shape.full_range, Rational::new(0, 1));
        let first = self.first();
        let (width, height) = self.size();
        let to = StreamInfo { color: first.color, sar: first.sar, ..StreamInfo::bare(self.format, width, height) };
        let Some(refits) = &mut self.refits else {
            return Err(Error::unsupported(format!("{change}: split the file there")));
        };
        if self.shape.surfaces.is_some() || shape.surfaces.is_some() {
            return Err(Error::unsupported(format!("{change}, which NVDEC does not follow: add --decoder software")));
        }
        let known = refits.iter().position(|(known, _)| *known == shape);
        let place = match known {
            Some(place) => place,
            None => {
                let sar = if props.sar.value().is_some() { props.sar } else { self.sar };
                let refit = Refit::new(&frame, props.color, sar, &to).map_err(|e| refused(&e))?;
                log::warn!("{change}: such frames become like the first");
                refits.push((shape, refit));
                refits.len() - 1
            }
        };
        let picture = refits[place].1.run(frame, &props)?;
        (props.color, props.sar) = (to.color, to.sar);
        Ok(Frame { props, picture })
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
