//! A video that changes in mid-stream: frames of another format, size or range become like the first.

use crate::device::DeviceChoice;
use crate::error::{Error, Result};
use crate::filters;
use crate::io::libav::decode::props;
use crate::io::libav::format::convert::{self, Converter};
use crate::io::libav::format::pixfmt;
use crate::params::parse_chain;
use crate::pipeline::{Engine, Target, Workers, plan};
use crate::video::{ColorInfo, Format, FrameProps, Model, Picture, PicturePool, Range, Rational, StreamInfo};
use ffmpeg::frame::Video;
use ffmpeg_next as ffmpeg;
use std::sync::Arc;

/// Shapes that are this much alike are the same.
const SAME_SHAPE: f64 = 0.02;

/// Makes frames of one format, size and range like those of another stream.
pub(super) struct Refit {
    /// What a frame is turned into first, where the filters do not read it, or it has other components.
    converter: Option<Converter>,
    format: Format,
    engine: Engine,
    pool: PicturePool,
}

impl Refit {
    /// For frames like `frame`, described by `color` and of sample aspect ratio `sar`, which become like those of `to`: of its
    /// range and matrix, and scaled to its size, with borders where the shape differs.
    ///
    /// # Errors
    /// When nothing converts between the two.
    pub(super) fn new(frame: &Video, color: ColorInfo, sar: Rational, to: &StreamInfo) -> Result<Refit> {
        let (width, height) = (frame.width() as usize, frame.height() as usize);
        let native = pixfmt::native(frame.format()).map(|native| native.format);
        let same = native.filter(|native| native.to_planar(8).ok() == to.format.to_planar(8).ok());
        let (format, converter, color) = match same {
            Some(format) => (format, None, color),
            None => {
                let depth = native.or(convert::nearest(frame.format()).ok()).map_or(8, Format::bit_depth);
                let format = to.format.to_planar(depth.max(to.format.bit_depth()))?;
                let converter = Converter::new(frame.format(), format, width, height, color)?;
                let color = converter.color(color);
                (format, Some(converter), color)
            }
        };
        let range = if color.range.is_full_in(format) { Range::Full } else { Range::Limited };
        let from = StreamInfo { color: ColorInfo { range, ..color }, sar, ..StreamInfo::bare(format, width, height) };
        let chain = parse_chain(&chain(&from, to))?;
        let filters = chain.iter().map(filters::create).collect::<Result<Vec<_>>>()?;
        let plan = plan(filters, &from, Target { format: Some(to.format), ..Target::default() })?;
        if (plan.output.width, plan.output.height) != (to.width, to.height) {
            return Err(Error::internal("a frame of another size was not made like the first"));
        }
        let workers = Workers::new(DeviceChoice::Cpu, 0)?;
        let pool = PicturePool::new(1, to.format, to.width, to.height)?;
        Ok(Refit { converter, format, engine: Engine::of(plan, Arc::new(workers)), pool })
    }

    /// Makes `frame` like the first; `props` are its own.
    ///
    /// # Errors
    /// When memory runs out.
    pub(super) fn run(&mut self, frame: Video, props: &FrameProps) -> Result<Picture> {
        let picture = match &mut self.converter {
            Some(converter) => converter.run(&frame)?,
            None => props::picture(frame, self.format)?,
        };
        let mut out = self.pool.take()?;
        self.engine.process(props, &picture.planes(), &mut out.planes_mut())?;
        Ok(out)
    }
}

/// The filters that make frames of `from` like those of `to`.
fn chain(from: &StreamInfo, to: &StreamInfo) -> String {
    let mut filters = Vec::new();
    if from.is_full_range() != to.is_full_range() && from.format.model() != Model::Rgb {
        filters.push(format!("range={}", if to.is_full_range() { "full" } else { "limited" }));
    }
    if let (Some(own), Some(first)) = (matrix(from), matrix(to))
        && own != first
    {
        filters.push(format!("matrix=to={first}:from={own}"));
    }
    let (width, height) = inside(from, to);
    if (width, height) != (from.width, from.height) {
        filters.push(format!("scale=w={width}:h={height}"));
    }
    if (width, height) != (to.width, to.height) {
        filters.push(format!("pad=w={}:h={}:x=auto:y=auto", to.width, to.height));
    }
    filters.join(",")
}

/// What the filter `matrix` calls that of a stream, where one is stated.
fn matrix(info: &StreamInfo) -> Option<&'static str> {
    match info.color.matrix {
        1 => Some("bt709"),
        5 | 6 => Some("bt601"),
        9 => Some("bt2020"),
        _ => None,
    }
}

/// The size at which frames of `from` are shown inside those of `to`, in their own shape: all of it where that is the same.
fn inside(from: &StreamInfo, to: &StreamInfo) -> (usize, usize) {
    let shape = |info: &StreamInfo| {
        info.width as f64 / info.height as f64 * info.sar.value().filter(|sar| *sar > 0.0).unwrap_or(1.0)
    };
    let ratio = shape(from) / shape(to);
    // So that the borders on both sides are alike, in whole samples of chroma.
    let side = |whole: usize, part: f64, subsampling: u8| {
        let step = 2 << subsampling;
        let border = ((whole as f64 * (1.0 - part)) / step as f64).round() as usize * step;
        whole.saturating_sub(border).max(step)
    };
    match ratio {
        same if (same - 1.0).abs() < SAME_SHAPE => (to.width, to.height),
        wider if wider > 1.0 => (to.width, side(to.height, 1.0 / ratio, to.format.subsampling_h())),
        _ => (side(to.width, ratio, to.format.subsampling_w()), to.height),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(format: &str, width: usize, height: usize) -> StreamInfo {
        StreamInfo { sar: Rational::new(1, 1), ..StreamInfo::bare(format.parse().unwrap(), width, height) }
    }

    #[test]
    fn frames_keep_their_shape_inside_the_first_ones() {
        let hd = stream("yuv420p", 1920, 1080);
        assert_eq!(chain(&stream("yuv420p", 1280, 720), &hd), "scale=w=1920:h=1080");
        assert_eq!(chain(&stream("yuv420p10", 1920, 1080), &hd), "");
        // 4:3 in 16:9 has 240 columns on either side.
        let pal = StreamInfo { sar: Rational::new(16, 15), ..stream("yuv420p", 720, 576) };
        assert_eq!(chain(&pal, &hd), "scale=w=1440:h=1080,pad=w=1920:h=1080:x=auto:y=auto");
        // 16:9 in 4:3 of 576 rows is 432 rows high.
        assert_eq!(chain(&hd, &pal), "scale=w=720:h=432,pad=w=720:h=576:x=auto:y=auto");
        // A frame that fits as it is gets borders alone.
        assert_eq!(chain(&stream("yuv420p", 1440, 1080), &hd), "pad=w=1920:h=1080:x=auto:y=auto");
    }

    #[test]
    fn the_matrix_becomes_the_first_ones_where_both_state_one() {
        let of =
            |matrix| StreamInfo { color: ColorInfo { matrix, ..ColorInfo::default() }, ..stream("yuv420p", 64, 48) };
        assert_eq!(chain(&of(6), &of(1)), "matrix=to=bt709:from=bt601");
        assert_eq!(chain(&of(5), &of(6)), "");
        assert_eq!(chain(&of(2), &of(1)), "");
        assert_eq!(chain(&of(9), &of(2)), "");
    }

    #[test]
    fn the_range_becomes_the_first_ones() {
        let limited = stream("yuv420p", 64, 48);
        let full = StreamInfo { color: ColorInfo { range: Range::Full, ..limited.color }, ..limited.clone() };
        assert_eq!(chain(&full, &limited), "range=limited");
        assert_eq!(chain(&limited, &full), "range=full");
    }
}
