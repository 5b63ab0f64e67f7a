//! What hosts ask of an effect in use: whether there is anything to do, which frames it needs, and pictures.

use super::ffi::{self, RectI, Status, names};
use super::host::{ClipHandle, EffectHandle, Params, Properties};
use super::image::Lent;
use crate::editor::chains::{Built, HostDevice, Inside, Request, built};
use crate::editor::colours::Colours;
use crate::editor::conversion::{Conversion, Made};
use crate::editor::effect::{COLOURS, Control, Effect, LINEAR, Shape};
use crate::editor::image::{Depth, Image};
use std::ffi::{CStr, c_void};
use std::ops::RangeInclusive;
use std::sync::Arc;
use vramp::device::cuda::{self, CudaDevice};
use vramp::error::{Error, Result};
use vramp::filters::Reach;
use vramp::pipeline::{InputFrame, RgbaFrame, RgbaWindow, StreamOrder};
use vramp::video::{FieldOrder, FrameProps};

/// The size that a chain is asked about by, where no image is at hand.
const NO_SIZE: (usize, usize) = (256, 256);
/// The frames that a source needs, by a property of its own.
const SOURCE_FRAMES: &CStr = c"OfxImageClipPropFrameRange_Source";
/// Times before the first frame count back from here, so that what repeats in frames goes on there.
const AROUND: i64 = 1 << 32;

/// What the user chose, at a time.
struct Settings {
    program: String,
    colours: Colours,
    scale: f64,
}

impl Settings {
    fn read(effect: &Effect, handle: EffectHandle, time: f64, in_args: Option<Properties>) -> Result<Settings> {
        let params = handle.params()?;
        let text = |control: &Control| text(params, control, time);
        let side = |index| in_args.and_then(|args| args.number(names::RENDER_SCALE, index)).unwrap_or(1.0);
        let scale = (side(0) * side(1)).sqrt();
        Ok(Settings {
            program: effect.program(text)?,
            colours: Colours { ycbcr: text(&COLOURS)? == "ycbcr", linear: text(&LINEAR)? == "on" },
            scale: if scale.is_finite() && scale > 0.0 { scale } else { 1.0 },
        })
    }

    fn request(&self, size: (usize, usize), depth: Depth) -> Request {
        let inside = Inside::of(depth, self.colours.ycbcr, self.colours.linear);
        Request { program: self.program.clone(), scale: self.scale, size, inside, device: None }
    }

    /// A chain to ask about. It costs little before its first picture.
    fn example(&self) -> Result<Arc<Built>> {
        built(&self.request(NO_SIZE, Depth::Float))
    }
}

/// A parameter's value at `time`, as a chain writes it.
fn text(params: Params, control: &Control, time: f64) -> Result<String> {
    match &control.shape {
        Shape::Switch(_) | Shape::Int { .. } | Shape::Choice { .. } => {
            Ok(control.shape.int_text(params.int(&control.name, time)?))
        }
        Shape::Number { .. } => Ok(control.shape.number_text(params.number(&control.name, time)?)),
        Shape::Text(_) => params.text(&control.name, time),
    }
}

/// Answers whether the result is the source.
///
/// # Errors
/// When the host does not say what it asks. A wrong chain is reported when a picture is asked for.
pub fn is_identity(effect: &Effect, handle: EffectHandle, in_args: Properties, out_args: Properties) -> Result<Status> {
    let time = in_args.number(names::TIME, 0).unwrap_or(0.0);
    let settings = Settings::read(effect, handle, time, Some(in_args))?;
    if !settings.example().is_ok_and(|built| built.engine.plan().stages.is_empty()) {
        return Ok(ffi::REPLY_DEFAULT);
    }
    out_args.set_text(names::NAME, 0, names::SOURCE);
    out_args.set_number(names::TIME, 0, time);
    Ok(ffi::OK)
}

/// Says whether equal pictures become different ones at other times.
///
/// # Errors
/// As [`is_identity`].
pub fn clip_preferences(effect: &Effect, handle: EffectHandle, out_args: Properties) -> Result<Status> {
    let settings = Settings::read(effect, handle, 0.0, None)?;
    let varies = settings.example().is_ok_and(|built| built.is_of_time);
    out_args.set_int(names::FRAME_VARYING, 0, varies.into());
    Ok(ffi::OK)
}

/// Says which frames the source must give.
///
/// # Errors
/// As [`is_identity`].
pub fn frames_needed(
    effect: &Effect,
    handle: EffectHandle,
    in_args: Properties,
    out_args: Properties,
) -> Result<Status> {
    let time = in_args.number(names::TIME, 0).unwrap_or(0.0);
    let settings = Settings::read(effect, handle, time, None)?;
    let reach = settings.example().map_or(Reach::NONE, |built| built.engine.plan().reach());
    if reach == Reach::NONE {
        return Ok(ffi::REPLY_DEFAULT);
    }
    out_args.set_number(SOURCE_FRAMES, 0, time - f64::from(reach.before));
    out_args.set_number(SOURCE_FRAMES, 1, time + f64::from(reach.after));
    Ok(ffi::OK)
}

/// Makes a picture.
///
/// # Errors
/// When the chain is wrong or does not fit the host, an image is none that can be filtered, or filtering fails.
///
/// # Safety
/// The host's images are what their properties state, and stay until they are given back.
pub unsafe fn render(effect: &Effect, handle: EffectHandle, in_args: Properties) -> Result<()> {
    let time = in_args.number(names::TIME, 0).ok_or_else(|| Error::bad_argument("the host gives no time"))?;
    let settings = Settings::read(effect, handle, time, Some(in_args))?;
    let clip = handle.clip(names::SOURCE)?;
    let target =
        handle.clip(names::OUTPUT)?.image(time).ok_or_else(|| Error::unsupported("the host gives no output image"))?;
    let mut target = Lent::new(target, "output")?;
    let window = in_args.rect(names::RENDER_WINDOW).unwrap_or(target.image.bounds);
    if !holds(target.image.bounds, window) {
        return Err(Error::bad_argument(format!(
            "the host asks for {window:?} of an image of {:?}",
            target.image.bounds
        )));
    }
    let source = clip.image(time).ok_or_else(|| Error::unsupported("the source has no image at this time"))?;
    let source = Lent::new(source, "source")?;
    let Lent { image: source, .. } = &source;
    check_pair(source, &target.image)?;
    let device = if is_on_device(in_args) { Some(HostDevice(device_of(source)?)) } else { None };
    let built = built(&Request { device, ..settings.request(source.size(), source.depth) })?;
    let around = Around::new(&built, handle, &clip, time)?;
    let (neighbours, frames) = around.images(&clip, source)?;
    let images: Vec<&Image> = std::iter::once(source).chain(neighbours.iter().map(|lent| &lent.image)).collect();
    let field_order = field_order(clip.properties);
    let frames = frames.iter().map(|(frame_index, place)| {
        let props = FrameProps { frame_index: *frame_index, field_order, ..FrameProps::default() };
        (props, *place)
    });
    let made = Rendering {
        built: &built,
        n: around.n,
        images: &images,
        frames: frames.collect(),
        conversion: built.conversion(source.depth, settings.colours),
        window,
    };
    // SAFETY: the caller's promise; neighbours have the source's depth and size, and source and target do not overlap.
    unsafe {
        match is_on_device(in_args) {
            true => made.on_device(&target.image, in_args.pointer(names::CUDA_STREAM)),
            false => made.in_host_memory(&mut target.image),
        }
    }
}

/// Whether the images of an action lie in the memory of a CUDA device.
pub fn is_on_device(in_args: Properties) -> bool {
    in_args.int(names::CUDA_ENABLED, 0) == Some(1)
}

/// The device of the context that an image lies in; memory that is of none is the calling thread's context's.
fn device_of(image: &Image) -> Result<Arc<CudaDevice>> {
    let context = cuda::context_of(image.on_device().address).or_else(cuda::current_context);
    let context =
        context.ok_or_else(|| Error::unsupported("the host renders with CUDA, and no CUDA context is current"))?;
    // SAFETY: the driver's own word.
    unsafe { CudaDevice::in_context(context) }
}

/// A picture that is made.
struct Rendering<'a> {
    built: &'a Built,
    n: u64,
    /// The source, and then its neighbours.
    images: &'a [&'a Image],
    /// The frames that it is made of, with the places of their images.
    frames: Vec<(FrameProps, usize)>,
    conversion: Conversion,
    window: RectI,
}

impl Rendering<'_> {
    /// # Safety
    /// The images are what the host states, and nobody else uses the target.
    unsafe fn in_host_memory(&self, target: &mut Image) -> Result<()> {
        let Rendering { built, n, images, frames, conversion, window } = self;
        let enter = |image: &&Image| {
            let mut picture = built.before.take()?;
            // SAFETY: the caller's promise.
            unsafe { conversion.enter(image, &mut picture) };
            Ok(picture)
        };
        let entered = images.iter().map(enter).collect::<Result<Vec<_>>>()?;
        let given = frames.iter().map(|(props, place)| InputFrame {
            input: 0,
            props: props.clone(),
            planes: entered[*place].planes(),
        });
        let mut after = built.after.take()?;
        built.engine.process_frames(*n, &given.collect::<Vec<_>>(), &mut after.planes_mut())?;
        let made = Made { source: images[0], before: &entered[0], after: &after };
        // SAFETY: as above.
        unsafe { conversion.leave(&made, target, *window) };
        Ok(())
    }

    /// The same on the device, in the host's stream; without one the picture is waited for.
    ///
    /// # Safety
    /// As there, and nobody else uses the images until the work is done.
    unsafe fn on_device(&self, target: &Image, stream: Option<*mut c_void>) -> Result<()> {
        let Rendering { built, n, images, frames, conversion, window } = self;
        let source = images[0];
        let image = |place: usize| images[place].on_device();
        let frames: Vec<_> =
            frames.iter().map(|(props, place)| RgbaFrame { props: props.clone(), image: image(*place) }).collect();
        let window = RgbaWindow {
            image: target.part_on_device(*window),
            left: window.x1 - source.bounds.x1,
            top: source.bounds.y2 - window.y2,
        };
        let order = stream.map_or(StreamOrder::Waited, StreamOrder::In);
        let conversion = conversion.on_device(source.is_premultiplied);
        // SAFETY: the caller's promise.
        unsafe { built.engine.process_rgba(*n, &frames, &conversion, &window, &order.into()) }.map(drop)
    }
}

/// A frame's number, and the place of its image.
type Numbered = (u64, usize);

/// The frames that a picture is made of.
struct Around {
    /// Its own number.
    n: u64,
    time: f64,
    first: u64,
    last: u64,
    /// The times that the clip has.
    times: RangeInclusive<f64>,
}

impl Around {
    /// # Errors
    /// When there are other frames than its own, and the host has none of other times.
    fn new(built: &Built, handle: EffectHandle, clip: &ClipHandle, time: f64) -> Result<Around> {
        // What is no time is the first frame's.
        let n = (time.round() as i64).rem_euclid(AROUND) as u64;
        let (first, last) = built.engine.needs(0, n);
        if (first, last) != (n, n) && !handle.suites().has_other_times {
            return Err(Error::unsupported("the chain reads frames around its own, and the host gives one at a time"));
        }
        let end = |index| clip.properties.number(names::FRAME_RANGE, index);
        let times = match (end(0), end(1)) {
            (Some(start), Some(end)) if (start..=end).contains(&time) => start..=end,
            _ => f64::NEG_INFINITY..=f64::INFINITY,
        };
        Ok(Around { n, time, first, last, times })
    }

    /// The images beside `source`, and of each frame its number and its image: 0 is the source, and the others follow. Where the
    /// clip has no more, the nearest is repeated.
    fn images(&self, clip: &ClipHandle, source: &Image) -> Result<(Vec<Lent>, Vec<Numbered>)> {
        let (mut images, mut frames) = (Vec::new(), vec![(self.n, 0)]);
        for numbers in [(self.first..self.n).rev().collect::<Vec<_>>(), (self.n + 1..=self.last).collect()] {
            let mut place = 0;
            for number in numbers {
                if let Some(image) = self.image(clip, source, number)? {
                    images.push(image);
                    place = images.len();
                }
                frames.push((number, place));
            }
        }
        frames.sort_unstable();
        Ok((images, frames))
    }

    /// The image of frame `number`, if the clip has it.
    fn image(&self, clip: &ClipHandle, source: &Image, number: u64) -> Result<Option<Lent>> {
        let time = self.time + (number as f64 - self.n as f64);
        let Some(image) = self.times.contains(&time).then(|| clip.image(time)).flatten() else { return Ok(None) };
        let image = Lent::new(image, "neighbouring")?;
        if (image.image.size(), image.image.depth) != (source.size(), source.depth) {
            let what = "the chain reads frames around its own, which have another size or depth";
            return Err(Error::unsupported(what));
        }
        Ok(Some(image))
    }
}

/// Whether `window` is part of `bounds`.
fn holds(bounds: RectI, window: RectI) -> bool {
    let is_within = |(from, to): (i32, i32), (low, high): (i32, i32)| low <= from && from <= to && to <= high;
    is_within((window.x1, window.x2), (bounds.x1, bounds.x2))
        && is_within((window.y1, window.y2), (bounds.y1, bounds.y2))
}

/// Refuses a target that cannot get what the source becomes.
fn check_pair(source: &Image, target: &Image) -> Result<()> {
    if source.depth != target.depth {
        return Err(Error::unsupported("the host's source and output have different depths"));
    }
    let ((start, end), (other_start, other_end)) = (source.span(), target.span());
    if start < other_end && other_start < end {
        return Err(Error::bad_argument("the host's source and output overlap in memory"));
    }
    Ok(())
}

/// Which field of a clip's frames comes first, as the host states it.
fn field_order(clip: Properties) -> FieldOrder {
    match clip.text(names::FIELD_ORDER) {
        Some(text) if text.as_c_str() == names::FIELD_LOWER => FieldOrder::BottomFirst,
        Some(text) if text.as_c_str() == names::FIELD_UPPER => FieldOrder::TopFirst,
        _ => FieldOrder::Progressive,
    }
}
