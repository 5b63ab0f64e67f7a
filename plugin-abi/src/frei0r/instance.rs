//! One use of the effect in a host: its settings, and the chain that they made.

use super::effect::{Effect, Type};
use super::time::frame_index;
use crate::host_port::{HostFrame, HostPorts, Storage};
use std::ffi::{CStr, CString, c_char};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use vramp::device::DeviceChoice;
use vramp::error::{Error, Result};
use vramp::pipeline::{ChainPlan, Engine, Target, Workers, plan};
use vramp::video::{Format, FrameProps, StreamInfo};

/// The longest side of a picture.
const LONGEST: u32 = 65_535;

/// Bytes of a pixel.
const RGBA: usize = 4;

/// What names the device, since hosts show no such parameter: as `--device` of the command.
const DEVICE: &str = "VRAMP_DEVICE";

/// One use of the effect. Hosts may call it from several threads, which then take turns.
pub struct Instance {
    effect: &'static Effect,
    width: usize,
    height: usize,
    state: Mutex<State>,
}

struct State {
    values: Vec<ParamValue>,
    chain: Chain,
    /// Of one chain after another: an animated value makes a chain each frame.
    workers: Option<Arc<Workers>>,
    /// Frames so far.
    count: u64,
}

/// The chain that the values ask for.
enum Chain {
    /// Made by the next frame: hosts make instances only to ask them.
    Unknown,
    /// The values are wrong.
    Refused,
    Built(Box<Built>),
}

/// A parameter's value.
struct ParamValue {
    /// As a chain writes it, and the same for hosts that read it.
    text: CString,
    /// The number that the host set.
    number: f64,
}

struct Built {
    engine: Engine,
    ports: HostPorts,
}

impl Instance {
    /// An instance for pictures of this size, with every parameter at its default.
    ///
    /// # Errors
    /// For a size that no picture has.
    pub fn new(effect: &'static Effect, width: u32, height: u32) -> Result<Instance> {
        if !(1..=LONGEST).contains(&width) || !(1..=LONGEST).contains(&height) {
            return Err(Error::bad_argument(format!("a picture of {width}x{height}: sides go from 1 to {LONGEST}")));
        }
        let value = |ty: Type, text: &str| {
            let number = ty.number_of(text).unwrap_or_default();
            ParamValue { text: CString::new(text).unwrap_or_default(), number }
        };
        let values = effect.parameters.iter().map(|parameter| value(parameter.ty, &parameter.default)).collect();
        let state = Mutex::new(State { values, chain: Chain::Unknown, workers: None, count: 0 });
        Ok(Instance { effect, width: width as usize, height: height as usize, state })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets parameter `index` from the host's number. Hosts set every parameter before every frame, so that one which does
    /// not change keeps the chain.
    pub fn set_number(&self, index: usize, number: f64) {
        let Some(text) = self.effect.parameters[index].ty.text_of(number) else { return };
        let mut state = self.state();
        state.values[index].number = number;
        state.set(index, text);
    }

    /// Sets parameter `index` from the host's text.
    pub fn set_text(&self, index: usize, text: &CStr) {
        self.state().set(index, text.to_string_lossy().into_owned());
    }

    /// The number of parameter `index`.
    pub fn number(&self, index: usize) -> f64 {
        self.state().values[index].number
    }

    /// The text of parameter `index`, which stays until the parameter changes.
    pub fn text(&self, index: usize) -> *const c_char {
        self.state().values[index].text.as_ptr()
    }

    /// Filters the picture at `src`, shown at `time`, to `dst`. A picture that cannot be filtered is copied.
    ///
    /// # Errors
    /// What is wrong with the settings, once after each change; and whatever goes wrong with a frame.
    ///
    /// # Safety
    /// `src` must be readable, and `dst` writable by nobody else, for a picture of RGBA.
    pub unsafe fn update(&self, time: f64, src: *const u8, dst: *mut u8) -> Result<()> {
        // SAFETY: the caller's promise, unchanged.
        let done = unsafe { self.filter(time, src, dst) };
        if done != Ok(true) {
            // SAFETY: the caller's promise; `copy` takes a source and a target that are the same.
            unsafe { src.copy_to(dst, self.width * self.height * RGBA) };
        }
        done.map(|_| ())
    }

    /// As [`Instance::update`]. False where the settings were refused before.
    ///
    /// # Safety
    /// As there.
    unsafe fn filter(&self, time: f64, src: *const u8, dst: *mut u8) -> Result<bool> {
        // Held to the end: threads take turns.
        let state = &mut *self.state();
        let frame_index = frame_index(time, state.count);
        state.count += 1;
        if let Chain::Unknown = state.chain {
            state.chain = Chain::Refused;
            state.chain = Chain::Built(Box::new(self.build(state)?));
        }
        let Chain::Built(built) = &state.chain else { return Ok(false) };
        let props = FrameProps { frame_index, ..FrameProps::default() };
        let pitch = self.width * RGBA;
        let frame = HostFrame { input: 0, props, planes: &[(src.cast_mut(), pitch)] };
        // SAFETY: the caller's promise; `build` saw to it that the result has the source's size.
        unsafe { built.ports.process(&built.engine, frame_index, &[frame], &[(dst, pitch)]) }?;
        Ok(true)
    }

    fn build(&self, state: &mut State) -> Result<Built> {
        let text = |value: &ParamValue| value.text.to_string_lossy().into_owned();
        let filters = self.effect.filters(&state.values.iter().map(text).collect::<Vec<_>>())?;
        let format = Format::rgb(8)?;
        let stream = StreamInfo::bare(format, self.width, self.height);
        let target = Target { format: Some(format), ..Target::default() };
        let plan = plan(filters, &stream, target)?;
        fits_the_host(&plan)?;
        let ports = HostPorts::new(&plan, [Storage::Rgba(format)], Storage::Rgba(format))?;
        Ok(Built { engine: Engine::of(plan, state.workers()?), ports })
    }
}

/// Refuses what frei0r cannot express: the host gives one picture, and has room for another of the same size.
fn fits_the_host(plan: &ChainPlan) -> Result<()> {
    let size = |info: &StreamInfo| (info.width, info.height);
    let ((width, height), (made_width, made_height)) = (size(&plan.input), size(&plan.output));
    if (width, height) != (made_width, made_height) {
        return Err(Error::unsupported(format!(
            "the chain makes {made_width}x{made_height} of {width}x{height}, and hosts of frei0r give and take one size: \
             resize with the host's own filter"
        )));
    }
    if !plan.keeps_frames() {
        return Err(Error::unsupported("the chain changes the number of frames, which hosts of frei0r do not"));
    }
    if !plan.is_frame_by_frame() {
        return Err(Error::unsupported("the chain reads more than one frame, and hosts of frei0r give one at a time"));
    }
    Ok(())
}

impl State {
    /// The workers, made for the first chain.
    fn workers(&mut self) -> Result<Arc<Workers>> {
        let made = match self.workers.take() {
            Some(made) => made,
            None => Arc::new(Workers::new(device()?, 0)?),
        };
        Ok(Arc::clone(self.workers.insert(made)))
    }

    /// Sets the text of parameter `index`. The chain stays while nothing changes.
    fn set(&mut self, index: usize, text: String) {
        let value = &mut self.values[index].text;
        if value.as_bytes() != text.as_bytes() {
            *value = CString::new(text).unwrap_or_default();
            self.chain = Chain::Unknown;
        }
    }
}

fn device() -> Result<DeviceChoice> {
    match std::env::var(DEVICE) {
        Ok(name) => name.parse::<DeviceChoice>().map_err(|e| e.context(DEVICE)),
        Err(_) => Ok(DeviceChoice::Auto),
    }
}

#[cfg(test)]
mod tests {
    use super::super::effect::Effect;
    use super::*;
    use crate::testing::Mixed;
    use vramp::filters::Cycle;

    fn instance(name: &str) -> Instance {
        Instance::new(Box::leak(Box::new(Effect::named(name))), 8, 8).unwrap()
    }

    /// What becomes of a picture whose bytes count up.
    fn result(instance: &Instance, time: f64) -> (Vec<u8>, Result<()>) {
        let src: Vec<u8> = (0..=255).collect();
        let mut dst = vec![0; src.len()];
        // SAFETY: both hold 8×8 pixels.
        let done = unsafe { instance.update(time, src.as_ptr(), dst.as_mut_ptr()) };
        (dst, done)
    }

    #[test]
    fn a_size_that_is_none_is_refused() {
        for (width, height) in [(0, 8), (8, 0), (u32::MAX, 8)] {
            assert!(Instance::new(&super::super::effect::EFFECT, width, height).is_err());
        }
    }

    #[test]
    fn alpha_passes_and_colours_are_filtered() {
        let instance = instance("vramp_chain");
        instance.set_text(0, c"box(2)");
        let (dst, done) = result(&instance, 0.0);
        assert_eq!(done, Ok(()));
        assert!((0..64).all(|i| dst[4 * i + 3] == (4 * i + 3) as u8));
        assert!((0..64).any(|i| dst[4 * i] != (4 * i) as u8));
    }

    #[test]
    fn the_chain_is_kept_until_a_value_changes() {
        let instance = instance("vramp_deband");
        let is_built = || matches!(instance.state().chain, Chain::Built(_));
        assert!(!is_built(), "an instance that only answers costs nothing");
        result(&instance, 0.0).1.unwrap();
        let range = instance.number(0);
        instance.set_number(0, range);
        instance.set_text(2, c"auto");
        assert!(is_built());
        instance.set_number(0, 1.0);
        assert!(!is_built());
        assert_eq!(instance.number(0), 1.0);
    }

    /// As a slider that a host animates does.
    #[test]
    fn a_chain_takes_over_the_workers_of_the_one_before() {
        let instance = instance("vramp_deband");
        let workers = || instance.state().workers.clone();
        result(&instance, 0.0).1.unwrap();
        let first = workers().unwrap();
        for value in [0.1, 0.2, 0.3] {
            instance.set_number(0, value);
            result(&instance, value).1.unwrap();
            let State { chain: Chain::Built(_), workers: Some(now), .. } = &*instance.state() else {
                panic!("no chain")
            };
            assert!(Arc::ptr_eq(&first, now));
        }
    }

    #[test]
    fn errors_are_logged_once_and_pictures_pass() {
        let instance = instance("vramp_chain");
        instance.set_text(0, c"debnad");
        let (dst, done) = result(&instance, 0.0);
        assert!(done.unwrap_err().message().contains("did you mean 'deband'"));
        assert!(dst.iter().copied().eq(0..=255));
        assert_eq!(result(&instance, 1.0).1, Ok(()), "said before");
        instance.set_text(0, c"deband");
        assert_eq!(result(&instance, 2.0).1, Ok(()));
    }

    #[test]
    fn what_the_host_cannot_do_is_refused() {
        let refusal = |filter: Mixed| {
            let stream = StreamInfo::bare(Format::rgb(8).unwrap(), 8, 8);
            fits_the_host(&plan(vec![filter.boxed()], &stream, Target::default()).unwrap()).err()
        };
        assert_eq!(refusal(Mixed::default()), None);
        let halved = Mixed { cycle: Cycle::new(2, vec![0]), ..Mixed::default() };
        for (filter, why) in [
            (Mixed { grows: 1, ..Mixed::default() }, "makes 9x9 of 8x8"),
            (Mixed::around(1, 0), "reads more than one frame"),
            (Mixed::around(0, 3), "reads more than one frame"),
            (halved, "changes the number of frames"),
        ] {
            let error = refusal(filter).unwrap();
            assert!(error.message().contains(why), "{error}");
        }
    }

    #[test]
    fn noise_follows_the_time() {
        let instance = instance("vramp_chain");
        instance.set_text(0, c"deband(dither 31, rand_each_frame on)");
        let all: Vec<_> = (0..16).map(|n| result(&instance, f64::from(n) / 25.0).0).collect();
        assert!(all.iter().any(|picture| *picture != all[0]));
        assert_eq!(result(&instance, 0.0).0, all[0]);
    }
}
