//! A filter of a script: a chain on a clip, whose frames are asked for in any order and from any thread.

use super::clip::Clip;
use super::ffi::{self, VideoFormat, VideoInfo};
use super::host::{Frame, Host, NewFrame};
use super::props::{self, RangeProperty};
use crate::door::{self, Door};
use std::ffi::c_int;
use std::sync::{Arc, PoisonError, RwLock};
use vramp::device::DeviceChoice;
use vramp::error::{Error, Kind, Result};
use vramp::filters;
use vramp::params::Call;
use vramp::pipeline::{Engine, Target};
use vramp::video::{ColorInfo, StreamInfo};

/// VapourSynth runs frames in parallel by itself.
const THREADS_OF_A_FRAME: usize = 1;

/// Chains that a filter keeps built: one a colour description, of which a clip rarely has two.
const MOST_BUILT: usize = 4;

/// The filter.
pub struct Filter {
    chain: Vec<Call>,
    device: DeviceChoice,
    range: RangeProperty,
    input: Clip,
    /// Whether its frames are in floating point.
    float: bool,
    input_format: VideoFormat,
    output_info: VideoInfo,
    built: RwLock<Vec<Arc<Built>>>,
}

/// A chain built for frames of one colour description.
struct Built {
    engine: Engine,
    input: Door,
    output: Door,
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
        let float = input.float && follows_depth(&chain, &input.info)?;
        // SAFETY: a function of VapourSynth's that needs nothing.
        let range = RangeProperty::of(unsafe { (api.get_api_version)() });
        let (input_format, output_info, built) = (clip.format, *clip, RwLock::default());
        let mut filter = Filter { chain, device, range, input, float, input_format, output_info, built };

        let first = filter.built(filter.input.info.color)?;
        if matches!(device, DeviceChoice::Cuda(_)) {
            first.engine.prepare()?;
        }
        let output = Clip { info: first.engine.plan().output.clone(), float };
        let (width, height) = (output.info.width as c_int, output.info.height as c_int);
        filter.output_info = VideoInfo { format: output.host_format(api, core)?, width, height, ..*clip };
        Ok(filter)
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
        if src.format() != self.input_format || src.size() != (self.input.info.width, self.input.info.height) {
            return Err(Error::corrupt("the frame has another format or size than its clip"));
        }
        let frame_props = props::read(n as u64, &src.props(), self.range);
        let built = self.built(frame_props.color)?;
        let plan = built.engine.plan();
        let VideoInfo { format, width, height, .. } = &self.output_info;
        let untouched = plan.stages.is_empty() && *format == self.input_format;
        let made = if untouched { src.copy(core) } else { src.sibling(format, (*width, *height), core) };
        let mut dst = made.ok_or_else(|| Error::new(Kind::OutOfMemory, "VapourSynth has no memory for a frame"))?;
        if !untouched {
            let doors = [&built.input, &built.output];
            // SAFETY: VapourSynth keeps planes of these formats and sizes there while the frames live; nobody writes to
            // `src`, and nobody else has `dst`.
            unsafe { door::process(&built.engine, doors, &frame_props, &src.planes(), &dst.planes_mut())? };
        }
        for (name, value) in props::changes(&plan.input, &plan.output, self.range) {
            dst.set(name, value);
        }
        Ok(dst)
    }

    /// The chain for frames of this colour description. What it needs on its device is made with the first frame.
    fn built(&self, color: ColorInfo) -> Result<Arc<Built>> {
        let find = |built: &[Arc<Built>]| built.iter().find(|built| built.engine.plan().input.color == color).cloned();
        if let Some(found) = find(&self.built.read().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(found);
        }
        let mut built = self.built.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = find(&built) {
            return Ok(found);
        }
        let made = Arc::new(self.build(color)?);
        if built.len() == MOST_BUILT {
            built.remove(0);
        }
        built.push(Arc::clone(&made));
        Ok(made)
    }

    fn build(&self, color: ColorInfo) -> Result<Built> {
        let info = StreamInfo { color, ..self.input.info.clone() };
        let filters = self.chain.iter().map(filters::create).collect::<Result<_>>()?;
        let engine = Engine::new(filters, &info, Target::default(), self.device, THREADS_OF_A_FRAME)?;
        let output = Clip { info: engine.plan().output.clone(), float: self.float };
        Ok(Built {
            input: Door::new(self.input.storage(), &info)?,
            output: Door::new(output.storage(), &output.info)?,
            engine,
        })
    }
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
