//! A filter of a script: a chain on a clip, whose frames are asked for in any order and from any thread.

use super::clip::Clip;
use super::ffi::{self, VideoFormat, VideoInfo};
use super::host::{Frame, Host, NewFrame};
use super::props::{self, RangeProperty};
use super::samples;
use std::ffi::c_int;
use std::sync::{Arc, PoisonError, RwLock};
use vramp::device::DeviceChoice;
use vramp::error::{Error, Kind, Result};
use vramp::filters;
use vramp::params::Call;
use vramp::pipeline::{Engine, Target};
use vramp::video::{ColorInfo, FrameProps, PicturePool, StreamInfo};

/// VapourSynth runs frames in parallel by itself.
const THREADS_OF_A_FRAME: usize = 1;

/// Engines that a filter keeps: one a colour description, of which a clip rarely has two.
const MOST_ENGINES: usize = 4;

/// The filter.
pub struct Filter {
    chain: Vec<Call>,
    device: DeviceChoice,
    range: RangeProperty,
    input: Clip,
    output: Clip,
    /// What VapourSynth is told of input and output.
    input_format: VideoFormat,
    output_info: VideoInfo,
    engines: RwLock<Vec<Arc<Engine>>>,
    /// 16-bit pictures for clips in floating point, of the input's and the output's format.
    pools: Option<(PicturePool, PicturePool)>,
}

impl Filter {
    /// `chain` on frames of `clip`.
    ///
    /// # Errors
    /// When the chain does not fit the clip, or the device that was asked for cannot be used.
    pub fn new(
        api: Host,
        core: *mut ffi::Core,
        clip: &VideoInfo,
        chain: Vec<Call>,
        device: DeviceChoice,
    ) -> Result<Filter> {
        let input = Clip::new(api, clip)?;
        let engine = engine(&chain, &input.info, device)?;
        if matches!(device, DeviceChoice::Cuda(_)) {
            engine.prepare()?;
        }
        let info = engine.plan().output.clone();
        let float = input.float && follows_depth(&chain, &input.info)?;
        let output = Clip { info, float };
        let pool = |info: &StreamInfo| PicturePool::new(0, info.format, info.width, info.height);
        let pools = if input.float { Some((pool(&input.info)?, pool(&output.info)?)) } else { None };
        let output_info = VideoInfo {
            format: output.host_format(api, core)?,
            width: output.info.width as c_int,
            height: output.info.height as c_int,
            ..*clip
        };
        // SAFETY: a function of VapourSynth's that needs nothing.
        let range = RangeProperty::of(unsafe { (api.get_api_version)() });
        let engines = RwLock::new(vec![Arc::new(engine)]);
        Ok(Filter { chain, device, range, input, output, input_format: clip.format, output_info, engines, pools })
    }

    /// The clip that it makes.
    pub fn output_info(&self) -> &VideoInfo {
        &self.output_info
    }

    /// Frame `n`, made from frame `n` of the clip.
    ///
    /// # Errors
    /// When the frame is not what the clip said, memory runs out, or the device fails.
    pub fn frame(&self, n: c_int, src: &Frame, core: *mut ffi::Core) -> Result<NewFrame> {
        let size = (self.input.info.width, self.input.info.height);
        if src.format() != self.input_format || src.plane_size(0) != size {
            return Err(Error::corrupt("the frame has another format or size than its clip"));
        }
        let frame_props = props::read(n as u64, &src.props(), self.range);
        let engine = self.engine(frame_props.color)?;
        let plan = engine.plan();
        let untouched = plan.stages.is_empty() && self.input_format == self.output_info.format;
        let VideoInfo { format, width, height, .. } = &self.output_info;
        let made = if untouched { src.copy(core) } else { src.sibling(format, (*width, *height), core) };
        let mut dst = made.ok_or_else(|| Error::new(Kind::OutOfMemory, "VapourSynth has no memory for a frame"))?;
        if !untouched {
            self.run(&engine, &frame_props, src, &mut dst)?;
        }
        for (name, value) in props::changes(&plan.input, &plan.output, self.range) {
            dst.set(name, value);
        }
        Ok(dst)
    }

    /// Filters the samples of `src` into `dst`.
    fn run(&self, engine: &Engine, props: &FrameProps, src: &Frame, dst: &mut NewFrame) -> Result<()> {
        let (from, to) = (&engine.plan().input, &engine.plan().output);
        let Some((sources, results)) = &self.pools else {
            return engine.process(props, &samples::views(src, from)?, &mut samples::views_mut(dst, to)?);
        };
        let mut source = sources.take()?;
        samples::from_float(src, from, &mut source)?;
        if !self.output.float {
            return engine.process(props, &source.planes(), &mut samples::views_mut(dst, to)?);
        }
        let mut result = results.take()?;
        engine.process(props, &source.planes(), &mut result.planes_mut())?;
        samples::to_float(&result, to, dst)
    }

    /// The engine for frames of this colour description.
    fn engine(&self, color: ColorInfo) -> Result<Arc<Engine>> {
        let find = |engines: &[Arc<Engine>]| engines.iter().find(|engine| engine.plan().input.color == color).cloned();
        if let Some(engine) = find(&self.engines.read().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(engine);
        }
        let mut engines = self.engines.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(engine) = find(&engines) {
            return Ok(engine);
        }
        let info = StreamInfo { color, ..self.input.info.clone() };
        let made = Arc::new(engine(&self.chain, &info, self.device)?);
        if engines.len() == MOST_ENGINES {
            engines.remove(0);
        }
        engines.push(Arc::clone(&made));
        Ok(made)
    }
}

/// `chain` built for one stream. What it needs on its device is made with the first frame.
fn engine(chain: &[Call], info: &StreamInfo, device: DeviceChoice) -> Result<Engine> {
    let filters = chain.iter().map(filters::create).collect::<Result<_>>()?;
    Engine::new(filters, info, Target::default(), device, THREADS_OF_A_FRAME)
}

/// Whether `chain` ends in the depth that it is given. A clip in floating point then stays one.
fn follows_depth(chain: &[Call], info: &StreamInfo) -> Result<bool> {
    let follows = |bits: u8| {
        let mut info = StreamInfo { format: info.format.to_planar(bits)?, ..info.clone() };
        for call in chain {
            info = filters::create(call)?.output(&info)?;
        }
        Ok(info.format.bit_depth() == bits)
    };
    Ok(follows(15)? && follows(16)?)
}
