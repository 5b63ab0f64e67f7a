//! From a host's images to pictures of a chain, and back. The host's top row is the chain's first. cuda/rgba.cu does the same, to the
//! bit.

use super::chains::Inside;
use super::colours::Colours;
use super::image::{Depth, Image, RGBA, RectI};
use super::samples::{Half, Sample};
use crate::float::FloatScale;
use vramp::pipeline::RgbaConversion;
use vramp::video::{Picture, PlaneMut, PlaneRef, StreamInfo};

/// The components of a colour.
const COLOURS: [usize; 3] = [0, 1, 2];

/// A sample that the chain holds as the host does.
trait Code: Sample {
    fn row<'v>(view: &'v PlaneRef<'_>, y: usize) -> &'v [Self];
    fn row_mut<'v>(view: &'v mut PlaneMut<'_>, y: usize) -> &'v mut [Self];
}

impl Code for u8 {
    fn row<'v>(view: &'v PlaneRef<'_>, y: usize) -> &'v [u8] {
        view.row_u8(y)
    }

    fn row_mut<'v>(view: &'v mut PlaneMut<'_>, y: usize) -> &'v mut [u8] {
        view.row_u8_mut(y)
    }
}

impl Code for u16 {
    fn row<'v>(view: &'v PlaneRef<'_>, y: usize) -> &'v [u16] {
        view.row_u16(y)
    }

    fn row_mut<'v>(view: &'v mut PlaneMut<'_>, y: usize) -> &'v mut [u16] {
        view.row_u16_mut(y)
    }
}

/// What becomes of an image, and where it goes.
pub struct Made<'a> {
    /// The host's image.
    pub source: &'a Image,
    /// The picture that the chain got of it.
    pub before: &'a Picture,
    /// The chain's result.
    pub after: &'a Picture,
}

/// What becomes of samples before a chain and after it.
#[derive(Clone, Copy, Debug)]
pub struct Conversion {
    depth: Depth,
    inside: Inside,
    colours: Colours,
    carries: bool,
    source: [FloatScale; 3],
    result: [FloatScale; 3],
}

impl Conversion {
    /// For images of `depth`, of which filters see `colours`, and a chain of these streams. `carries`: results are their sources
    /// plus a difference.
    pub fn new(depth: Depth, colours: Colours, [source, result]: [&StreamInfo; 2], carries: bool) -> Conversion {
        let scales = |stream: &StreamInfo| COLOURS.map(|component| FloatScale::of(stream, component));
        let inside = Inside::of(depth, colours.ycbcr, colours.linear);
        Conversion { depth, inside, colours, carries, source: scales(source), result: scales(result) }
    }

    /// The same for the GPU.
    pub fn on_device(&self, is_premultiplied: bool) -> RgbaConversion {
        RgbaConversion {
            depth: self.depth,
            codes: self.inside.is_codes(),
            ycbcr: self.colours.ycbcr,
            linear: self.colours.linear,
            carries: self.carries,
            premultiplied: is_premultiplied,
            source: self.source.map(FloatScale::on_device),
            result: self.result.map(FloatScale::on_device),
        }
    }

    /// Makes the chain's picture of an image of its size.
    ///
    /// # Safety
    /// The image has this depth, its memory is what the host states, and nobody writes to it.
    pub unsafe fn enter(&self, image: &Image, picture: &mut Picture) {
        // SAFETY: the caller's promise; each depth has its samples.
        unsafe {
            match (self.inside, image.depth) {
                (Inside::Rgb8, _) => copy_in::<u8>(image, picture),
                (Inside::Rgb16, _) => copy_in::<u16>(image, picture),
                (_, Depth::Byte) => self.convert_in::<u8>(image, picture),
                (_, Depth::Short) => self.convert_in::<u16>(image, picture),
                (_, Depth::Half) => self.convert_in::<Half>(image, picture),
                (_, Depth::Float) => self.convert_in::<f32>(image, picture),
            }
        }
    }

    /// Writes what was made to the host's image within `window`, which is part of it.
    ///
    /// # Safety
    /// As [`Conversion::enter`] of both images, and nobody else uses the target.
    pub unsafe fn leave(&self, made: &Made<'_>, target: &mut Image, window: RectI) {
        // SAFETY: the caller's promise; each depth has its samples.
        unsafe {
            match (self.inside, target.depth) {
                (Inside::Rgb8, _) => copy_out::<u8>(made, target, window),
                (Inside::Rgb16, _) => copy_out::<u16>(made, target, window),
                (_, Depth::Byte) => self.convert_out::<u8>(made, target, window),
                (_, Depth::Short) => self.convert_out::<u16>(made, target, window),
                (_, Depth::Half) => self.convert_out::<Half>(made, target, window),
                (_, Depth::Float) => self.convert_out::<f32>(made, target, window),
            }
        }
    }

    /// # Safety
    /// As [`Conversion::enter`].
    unsafe fn convert_in<T: Sample>(&self, image: &Image, picture: &mut Picture) {
        let mut views = picture.planes_mut();
        let mut numbers = COLOURS.map(|_| vec![0.0; image.size().0]);
        for (top, y) in (image.bounds.y1..image.bounds.y2).rev().enumerate() {
            // SAFETY: the caller's promise.
            for (x, pixel) in unsafe { image.row::<T>(y) }.iter().enumerate() {
                let seen = self.colours.seen(COLOURS.map(|component| pixel[component].number()));
                COLOURS.iter().for_each(|component| numbers[*component][x] = seen[*component]);
            }
            for component in COLOURS {
                self.source[component].to_16_bits(&numbers[component], views.get_mut(component).row_u16_mut(top));
            }
        }
    }

    /// # Safety
    /// As [`Conversion::leave`].
    unsafe fn convert_out<T: Sample>(&self, made: &Made<'_>, target: &mut Image, window: RectI) {
        let (before, after) = (made.before.planes(), made.after.planes());
        let convert = |top: usize, first: usize, from: &[[T; RGBA]], to: &mut [[T; RGBA]]| {
            let before = COLOURS.map(|component| &before[component].row_u16(top)[first..]);
            let after = COLOURS.map(|component| &after[component].row_u16(top)[first..]);
            for (x, (from, to)) in from.iter().zip(to).enumerate() {
                let colour = COLOURS.map(|component| from[component].number());
                let mut result = if self.carries {
                    let growth = COLOURS.map(|i| self.result[i].growth(before[i][x], after[i][x]));
                    self.colours.grown(colour, growth)
                } else {
                    self.colours.shown(COLOURS.map(|i| self.result[i].number(after[i][x])))
                };
                let alpha = from[3].number();
                if made.source.is_premultiplied {
                    result = within(alpha, colour, result);
                }
                *to = [T::of(result[0]), T::of(result[1]), T::of(result[2]), from[3]];
            }
        };
        // SAFETY: the caller's promise.
        unsafe { each_row(made.source, target, window, convert) };
    }
}

/// A result that keeps to what a premultiplied colour may be, where its source did: nothing appears where nothing is.
fn within(alpha: f32, source: [f32; 3], result: [f32; 3]) -> [f32; 3] {
    let keep = |i: usize| if (0.0..=alpha).contains(&source[i]) { result[i].clamp(0.0, alpha) } else { result[i] };
    COLOURS.map(keep)
}

/// # Safety
/// As [`Conversion::enter`], and `T` is the chain's sample.
unsafe fn copy_in<T: Code>(image: &Image, picture: &mut Picture) {
    let mut views = picture.planes_mut();
    for (top, y) in (image.bounds.y1..image.bounds.y2).rev().enumerate() {
        // SAFETY: the caller's promise.
        let pixels = unsafe { image.row::<T>(y) };
        for component in COLOURS {
            for (code, pixel) in T::row_mut(views.get_mut(component), top).iter_mut().zip(pixels) {
                *code = pixel[component];
            }
        }
    }
}

/// # Safety
/// As [`Conversion::leave`], and `T` is the chain's sample.
unsafe fn copy_out<T: Code>(made: &Made<'_>, target: &mut Image, window: RectI) {
    let planes = made.after.planes();
    let copy = |top: usize, first: usize, from: &[[T; RGBA]], to: &mut [[T; RGBA]]| {
        let [r, g, b] = COLOURS.map(|component| &T::row(&planes[component], top)[first..]);
        for (x, (from, to)) in from.iter().zip(to).enumerate() {
            *to = [r[x], g[x], b[x], from[3]];
        }
    };
    // SAFETY: the caller's promise.
    unsafe { each_row(made.source, target, window, copy) };
}

/// Has `write` make every row of `window`: of the row from the top, the first column, and the pixels of source and target there.
/// What the source has no pixels for is transparent.
///
/// # Safety
/// `T` is the sample of both, and as [`Conversion::leave`].
unsafe fn each_row<T: Sample>(
    source: &Image,
    target: &mut Image,
    window: RectI,
    write: impl Fn(usize, usize, &[[T; RGBA]], &mut [[T; RGBA]]),
) {
    let (own, left) = (source.bounds, target.bounds.x1);
    let (first, end) = (window.x1.max(own.x1), window.x2.min(own.x2));
    for y in window.y1..window.y2 {
        // SAFETY: the caller's promise; the window is part of the target.
        let to = unsafe { target.row_mut::<T>(y) };
        if !(own.y1..own.y2).contains(&y) || first >= end {
            to[(window.x1 - left) as usize..(window.x2 - left) as usize].fill([T::of(0.0); RGBA]);
            continue;
        }
        to[(window.x1 - left) as usize..(first - left) as usize].fill([T::of(0.0); RGBA]);
        to[(end - left) as usize..(window.x2 - left) as usize].fill([T::of(0.0); RGBA]);
        // SAFETY: as above; the row is one of the source.
        let from = unsafe { source.row::<T>(y) };
        let columns = (first - own.x1) as usize..(end - own.x1) as usize;
        let to = &mut to[(first - left) as usize..(end - left) as usize];
        write((own.y2 - 1 - y) as usize, columns.start, &from[columns], to);
    }
}
