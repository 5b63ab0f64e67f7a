//! A picture of AviUtl2's, which has 16-bit R, G, B multiplied by alpha.

use super::ffi::{PA64, Video};
use crate::editor::chains::{Built, Inside, Request, built};
use crate::editor::colours::Colours;
use crate::editor::conversion::Made;
use crate::editor::image::{Depth, Image, RGBA, RectI};
use std::ffi::c_int;
use vramp::error::{Error, Kind, Result};
use vramp::pipeline::InputFrame;
use vramp::video::FrameProps;

/// The resource of the picture at hand: "object".
const OBJECT: [u16; 7] = [111, 98, 106, 101, 99, 116, 0];

/// A sample of each of R, G, B and A.
type Pixel = [u16; RGBA];

/// Filters the picture at hand by `program`.
///
/// # Errors
/// When the chain is wrong or needs other frames, memory runs out, filtering fails, or the host gives or takes no picture.
///
/// # Safety
/// `video` is what AviUtl2 gave, and lives.
pub unsafe fn filter(video: &Video, program: &str, rgb: bool) -> Result<()> {
    // SAFETY: the caller's promise.
    let object = unsafe { video.object.as_ref() }.ok_or_else(|| Error::bad_argument("the host gives no object"))?;
    let (Some(get), Some(set)) = (video.get_data, video.set_data) else {
        return Err(Error::unsupported("the host is too old: update AviUtl2"));
    };
    let mut pixels = Pixels::new(object.width, object.height)?;
    let colours = Colours { ycbcr: !rgb, linear: false };
    let inside = Inside::of(Depth::Short, colours.ycbcr, colours.linear);
    let built = built(&Request { program: program.to_owned(), scale: 1.0, size: pixels.size(), inside, device: None })?;
    if built.engine.plan().stages.is_empty() {
        return Ok(());
    }
    let n = u64::try_from(object.frame).unwrap_or(0);
    if built.engine.needs(0, n) != (n, n) || built.engine.needs(0, n + 9) != (n + 9, n + 9) {
        return Err(Error::unsupported("the chain reads frames around its own, and AviUtl2 gives one at a time"));
    }
    let Pixels { width, height, pitch, .. } = pixels;
    // SAFETY: there is room for so many rows of this pitch.
    if !unsafe { get(OBJECT.as_ptr(), pixels.samples.as_mut_ptr().cast(), width, height, pitch, PA64) } {
        return Err(Error::unsupported("the host gives no picture of 16 bits"));
    }
    let made = process(&built, &mut pixels, colours, n)?;
    // SAFETY: as above.
    if !unsafe { set(OBJECT.as_ptr(), made.samples.as_ptr().cast(), width, height, pitch, PA64) } {
        return Err(Error::unsupported("the host takes no picture of 16 bits"));
    }
    Ok(())
}

/// What the chain makes of `pixels`, which are frame `n`.
fn process(built: &Built, pixels: &mut Pixels, colours: Colours, n: u64) -> Result<Pixels> {
    let mut result = Pixels::new(pixels.width, pixels.height)?;
    let (source, mut target) = (pixels.image("source")?, result.image("output")?);
    let conversion = built.conversion(Depth::Short, colours);
    let mut before = built.before.take()?;
    // SAFETY: both images are of memory that is ours alone.
    unsafe { conversion.enter(&source, &mut before) };
    let props = FrameProps { frame_index: n, ..FrameProps::default() };
    let given = [InputFrame { input: 0, props, planes: before.planes() }];
    let mut after = built.after.take()?;
    built.engine.process_frames(n, &given, &mut after.planes_mut())?;
    let window = target.bounds;
    // SAFETY: as above.
    unsafe { conversion.leave(&Made { source: &source, before: &before, after: &after }, &mut target, window) };
    Ok(result)
}

/// Memory for a picture, the top row first.
struct Pixels {
    samples: Vec<Pixel>,
    width: c_int,
    height: c_int,
    /// Bytes from row to row.
    pitch: c_int,
}

impl Pixels {
    fn new(width: c_int, height: c_int) -> Result<Pixels> {
        let none = || Error::bad_argument(format!("the host's picture has {width}x{height} pixels"));
        let pitch = width.checked_mul(size_of::<Pixel>() as c_int).filter(|_| width > 0 && height > 0);
        let count = (width.max(0) as usize).checked_mul(height.max(0) as usize);
        let (pitch, count) = pitch.zip(count).ok_or_else(none)?;
        let mut samples = Vec::new();
        let no_memory = |_| Error::new(Kind::OutOfMemory, format!("no memory for a picture of {width}x{height}"));
        samples.try_reserve_exact(count).map_err(no_memory)?;
        samples.resize(count, [0; RGBA]);
        Ok(Pixels { samples, width, height, pitch })
    }

    fn size(&self) -> (usize, usize) {
        (self.width as usize, self.height as usize)
    }

    /// It as an image, whose rows count from the bottom.
    fn image(&mut self, what: &str) -> Result<Image> {
        let last = (self.samples.len() - self.width as usize) * size_of::<Pixel>();
        let bottom = self.samples.as_mut_ptr().cast::<u8>().wrapping_add(last);
        let bounds = RectI { x1: 0, y1: 0, x2: self.width, y2: self.height };
        Image::new((bottom, -(self.pitch as isize)), bounds, Depth::Short, true, what)
    }
}
