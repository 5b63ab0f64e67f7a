//! One use of the effect in a host: its settings, and the chain that they made.
//!
//! Hosts of frei0r cannot be stopped. So a device that fails gives way to the CPU, whose bytes are the same.

use super::effect::{Effect, Parameter};
use super::time::frame_index;
use crate::editor::colours::Colours;
use crate::editor::image::Depth;
use crate::environment::{DEVICE, device};
use crate::host_port::{HostFrame, HostPorts, Pixels, Storage};
use crate::logging;
use std::ffi::{CStr, CString, c_char};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use vramp::device::DeviceChoice;
use vramp::error::{Error, Kind, Result};
use vramp::params::Control;
use vramp::pipeline::{ChainPlan, Engine, Target, Workers, plan};
use vramp::video::{FrameProps, StreamInfo};

/// The longest side of a picture.
const LONGEST: u32 = 65_535;

/// Bytes of a pixel.
const RGBA: usize = 4;

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
    /// What frames are filtered on from now on; none until the first chain asks for it.
    device: Option<DeviceChoice>,
    /// Frames so far.
    count: u64,
}

/// The chain that the values ask for.
enum Chain {
    /// Made by the next frame: hosts make instances only to ask them.
    Unknown,
    /// The values are wrong, or a frame failed. That is reported, and holds until a value changes.
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
        let value = |ty: Control, text: &str| {
            let number = ty.number_of(text).unwrap_or_default();
            ParamValue { text: CString::new(text).unwrap_or_default(), number }
        };
        let values = effect.parameters.iter().map(|parameter| value(parameter.ty, &parameter.default)).collect();
        let state = Mutex::new(State { values, chain: Chain::Unknown, workers: None, device: None, count: 0 });
        Ok(Instance { effect, width: width as usize, height: height as usize, state })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets parameter `index` from the host's number. Hosts set every parameter before every frame, so that one which does
    /// not change keeps the chain.
    pub fn set_number(&self, index: usize, number: f64) {
        let parameter = &self.effect.parameters[index];
        let Some(text) = parameter.ty.text_of(number) else { return };
        let mut state = self.state();
        if !(0.0..=1.0).contains(&number) && state.values[index].number != number {
            log::warn!("{}", beyond(parameter, number, &text));
        }
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
    /// What is wrong, once after each change of a setting.
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
        if let Chain::Refused = state.chain {
            return Ok(false);
        }
        // SAFETY: the caller's promise.
        let mut done = unsafe { self.filter_on_device(state, frame_index, src, dst) };
        if let Err(error) = &done
            && state.leaves_device(error)
        {
            // SAFETY: as above.
            done = unsafe { self.filter_on_device(state, frame_index, src, dst) };
        }
        if done.is_err() {
            state.chain = Chain::Refused;
        }
        done.map(|()| true)
    }

    /// Filters a picture on the device at hand, with a chain that is made where there is none.
    ///
    /// # Safety
    /// As [`Instance::update`].
    unsafe fn filter_on_device(&self, state: &mut State, frame_index: u64, src: *const u8, dst: *mut u8) -> Result<()> {
        if !matches!(state.chain, Chain::Built(_)) {
            state.chain = Chain::Built(Box::new(self.build(state)?));
        }
        let Chain::Built(built) = &state.chain else { return Err(Error::internal("a chain that was made is none")) };
        let props = FrameProps { frame_index, ..FrameProps::default() };
        let pitch = (self.width * RGBA) as isize;
        let frame = HostFrame { input: 0, props, planes: &[(src.cast_mut(), pitch)] };
        // SAFETY: the caller's promise; `build` saw to it that the result has the source's size.
        unsafe { built.ports.process(&built.engine, frame_index, &[frame], &[(dst, pitch)]) }.map(drop)
    }

    fn build(&self, state: &mut State) -> Result<Built> {
        let text = |value: &ParamValue| value.text.to_string_lossy().into_owned();
        let filters = self.effect.filters(&state.values.iter().map(text).collect::<Vec<_>>())?;
        let storage = Storage::Rgba(Pixels::new(Depth::Byte, Colours::default(), false)?);
        let format = storage.format();
        let stream = StreamInfo::bare(format, self.width, self.height);
        let target = Target { format: Some(format), ..Target::default() };
        let plan = plan(filters, &stream, target)?;
        fits_the_host(&plan)?;
        let ports = HostPorts::new(&plan, [storage], storage)?;
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
            None => Arc::new(Workers::new(*self.device.get_or_insert_with(device), 0)?),
        };
        Ok(Arc::clone(self.workers.insert(made)))
    }

    /// Whether `error` is one of a device, which then is the CPU from now on.
    fn leaves_device(&mut self, error: &Error) -> bool {
        let is_gpu = matches!(self.device, Some(DeviceChoice::Cuda(_)));
        // What is wrong with the settings is so on every device.
        if !is_gpu || error.kind() == Kind::BadArgument {
            return false;
        }
        let why = logging::for_hosts(error.message());
        log::error!("{DEVICE} cannot be used, so the CPU filters, with the same bytes: {why}");
        (self.device, self.workers, self.chain) = (Some(DeviceChoice::Cpu), None, Chain::Unknown);
        true
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

/// What becomes of a number that is none from 0 to 1, as of one that is meant in the filter's own unit.
fn beyond(parameter: &Parameter, number: f64, text: &str) -> String {
    let name = parameter.name.to_string_lossy();
    let share = parameter.ty.number_of(&number.to_string()).filter(|share| (0.0..=1.0).contains(share));
    let meant = share.map(|share| format!("; {number} is {share:.5} here")).unwrap_or_default();
    format!("{name} is given as 0 to 1 in hosts of frei0r, so {number} makes it {text}{meant}")
}

#[cfg(test)]
mod tests {
    use super::super::effect::Effect;
    use super::*;
    use crate::testing::Mixed;
    use vramp::filters::Cycle;
    use vramp::video::Format;

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

    /// Whatever fails with a frame is no news in the next.
    #[test]
    fn a_frame_that_fails_is_reported_once() {
        let instance = instance("vramp_deband");
        let mut both: Vec<u8> = (0..=255).collect();
        // SAFETY: it holds 8×8 pixels, and being source and target is what is refused.
        let update = |both: &mut Vec<u8>| unsafe { instance.update(0.0, both.as_ptr(), both.as_mut_ptr()) };
        assert!(update(&mut both).unwrap_err().message().contains("overlaps"));
        assert_eq!(update(&mut both), Ok(()));
        instance.set_number(0, 1.0);
        assert!(update(&mut both).is_err(), "a value changed");
    }

    /// The driver that is missing, or the device that is too many.
    #[test]
    fn a_device_that_fails_gives_way_to_the_cpu() {
        let (instance, other) = (instance("vramp_deband"), instance("vramp_deband"));
        other.state().device = Some(DeviceChoice::Cuda(9_999));
        instance.state().device = Some(DeviceChoice::Cpu);
        let ((dst, done), (expected, _)) = (result(&other, 0.0), result(&instance, 0.0));
        assert_eq!(done, Ok(()));
        assert!(dst == expected && dst != (0..=255).collect::<Vec<u8>>(), "it is filtered");
        assert_eq!(other.state().device, Some(DeviceChoice::Cpu));
    }

    #[test]
    fn a_number_in_the_filters_unit_is_explained() {
        let effect = Effect::named("vramp_deband");
        assert_eq!(
            beyond(&effect.parameters[0], 16.0, "127"),
            "range is given as 0 to 1 in hosts of frei0r, so 16 makes it 127; 16 is 0.12598 here"
        );
        assert!(beyond(&effect.parameters[0], 1e9, "127").ends_with("makes it 127"));
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
