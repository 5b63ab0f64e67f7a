//! What a script asks for: a chain, the clips that it reads, and where it runs. And what is built of it.

use super::clip::Clip;
use super::props::{self, FrameTraits, RangeProperty};
use crate::host_port::{HostPorts, Storage};
use std::sync::{Arc, PoisonError, RwLock};
use vramp::device::DeviceChoice;
use vramp::error::{Error, Result};
use vramp::filters;
use vramp::params::Call;
use vramp::pipeline::{ChainPlan, Engine, SideInput, Target, Workers, plan_with};
use vramp::video::{Rational, StreamInfo};

/// Hosts run frames in parallel by themselves.
const THREADS_OF_A_FRAME: usize = 1;

/// Chains that a filter keeps built: one for each description that frames have of themselves, of which a clip rarely has two.
const MOST_BUILT: usize = 4;

/// A chain on clips.
pub struct Recipe {
    chain: Vec<Call>,
    /// The chain's own clip, and those beside it with their names.
    clip: Clip,
    beside: Vec<(String, Clip)>,
    float: bool,
    /// The name of the property that says the range.
    pub range: RangeProperty,
    workers: Arc<Workers>,
    device: DeviceChoice,
    /// Frames lie on the device, and stay there.
    stays: bool,
}

impl Recipe {
    /// `chain` on `clip`, and on the clips `beside` it.
    ///
    /// # Errors
    /// When the chain does not fit the clip.
    pub fn new(
        chain: Vec<Call>,
        clip: Clip,
        beside: Vec<(String, Clip)>,
        range: RangeProperty,
        device: DeviceChoice,
    ) -> Result<Recipe> {
        let workers = Arc::new(Workers::new(device, THREADS_OF_A_FRAME)?);
        let mut recipe = Recipe { chain, clip, beside, float: false, range, workers, device, stays: false };
        recipe.float = recipe.clip.float && recipe.follows_depth();
        Ok(recipe)
    }

    /// The same for frames that lie on the device, and stay there.
    #[must_use]
    pub fn on_device(self) -> Recipe {
        Recipe { stays: true, ..self }
    }

    /// Input `input`.
    pub fn clip(&self, input: usize) -> &Clip {
        if input == 0 { &self.clip } else { &self.beside[input - 1].1 }
    }

    /// Every clip, the chain's own first.
    fn clips(&self) -> impl Iterator<Item = &Clip> {
        (0..=self.beside.len()).map(|input| self.clip(input))
    }

    /// The clip that the chain makes, of which `plan` has the stream.
    pub fn result(&self, plan: &ChainPlan) -> Clip {
        Clip { info: plan.output.clone(), float: self.float }
    }

    /// What clips state before their first frame.
    pub fn without_properties(&self) -> Vec<FrameTraits> {
        self.clips().map(|clip| FrameTraits::nothing(&clip.info)).collect()
    }

    /// The plan for clips whose frames have these properties.
    ///
    /// # Errors
    /// When the chain does not fit them.
    pub fn plan(&self, traits: &[FrameTraits]) -> Result<ChainPlan> {
        let streams: Vec<_> = self.clips().zip(traits).map(|(clip, traits)| traits.stream(&clip.info)).collect();
        self.plan_for(&streams)
    }

    fn plan_for(&self, streams: &[StreamInfo]) -> Result<ChainPlan> {
        let filters = self.chain.iter().map(filters::create).collect::<Result<_>>()?;
        let side =
            |((name, _), info): (&(String, Clip), &StreamInfo)| SideInput { name: name.clone(), info: info.clone() };
        let sides: Vec<_> = self.beside.iter().zip(&streams[1..]).map(side).collect();
        plan_with(filters, &streams[0], &sides, Target::default())
    }

    /// Whether the chain ends in the depth that it is given. A clip in floating point then stays one.
    fn follows_depth(&self) -> bool {
        let follows = |bits: u8| -> Result<bool> {
            let of_depth =
                |clip: &Clip| Ok(StreamInfo { format: clip.info.format.to_planar(bits)?, ..clip.info.clone() });
            let streams = self.clips().map(of_depth).collect::<Result<Vec<_>>>()?;
            Ok(self.plan_for(&streams)?.output.format.bit_depth() == bits)
        };
        [15, 16].into_iter().all(|bits| follows(bits).is_ok_and(|follows| follows))
    }

    /// Builds `plan`, or a part of one, for frames that are stored as these storages say.
    ///
    /// # Errors
    /// When memory runs out, or the device that was asked for cannot be used.
    pub fn build(
        &self,
        mut plan: ChainPlan,
        inputs: Vec<Storage>,
        output: Storage,
        changes: Vec<(&'static str, i64)>,
    ) -> Result<Built> {
        let streams = std::iter::once(&mut plan.input).chain(plan.sides.iter_mut().map(|side| &mut side.info));
        let timed: Vec<bool> = streams.map(count_frames).collect();
        let ports = HostPorts::new(&plan, inputs, output)?;
        let measures = plan.stages.iter().any(|stage| stage.spec.measures);
        let engine = Engine::of(plan, Arc::clone(&self.workers));
        if self.stays {
            if !ports.lie_as_they_are() || measures {
                return Err(Error::unsupported("floating point, and what is measured, is for frames in host memory"));
            }
            engine.prepare_device()?;
        } else if matches!(self.device, DeviceChoice::Cuda(_)) {
            engine.prepare()?;
        }
        Ok(Built { engine, ports, is_timed: timed.into_iter().all(|is_timed| is_timed), changes })
    }

    /// The whole chain for frames with these properties.
    ///
    /// # Errors
    /// When the chain does not fit them, and as [`Recipe::build`].
    pub fn build_for(&self, traits: FrameTraits) -> Result<Built> {
        let plan = self.plan(&[traits])?;
        let output = self.result(&plan).storage();
        let changes = props::changes(&plan.input, &plan.output, self.range);
        self.build(plan, vec![self.clip.storage()], output, changes)
    }
}

/// Makes the time of frame n `n`. False where the frame rate is not known.
fn count_frames(info: &mut StreamInfo) -> bool {
    let rate = info.frame_rate;
    let is_known = rate.value().is_some();
    if is_known {
        info.timebase = Rational::new(rate.den, rate.num);
    }
    is_known
}

/// A chain, or a part of one, built for frames with the same properties.
pub struct Built {
    /// What filters.
    pub engine: Engine,
    /// The host's pictures on both sides.
    pub ports: HostPorts,
    /// Whether frames have times: their numbers, in the timebases of the plan.
    pub is_timed: bool,
    /// The properties that say what the whole chain changes of the colours, where the frames are its results.
    pub changes: Vec<(&'static str, i64)>,
}

/// Chains that are built, by what frames state of themselves.
#[derive(Default)]
pub struct BuiltByTraits(RwLock<Vec<(FrameTraits, Arc<Built>)>>);

impl BuiltByTraits {
    /// The chain for frames with these properties. What it needs on its device is made with the first frame.
    ///
    /// # Errors
    /// As [`Recipe::build_for`].
    pub fn get(&self, recipe: &Recipe, traits: FrameTraits) -> Result<Arc<Built>> {
        let find = |all: &[(FrameTraits, Arc<Built>)]| {
            all.iter().find(|(known, _)| *known == traits).map(|(_, built)| Arc::clone(built))
        };
        if let Some(found) = find(&self.0.read().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(found);
        }
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = find(&all) {
            return Ok(found);
        }
        let made = Arc::new(recipe.build_for(traits)?);
        if all.len() == MOST_BUILT {
            all.remove(0);
        }
        all.push((traits, Arc::clone(&made)));
        Ok(made)
    }
}

/// `num / den` in lowest terms, where it fits.
pub fn reduced(num: i128, den: i128) -> Option<(i64, i64)> {
    let (mut a, mut b) = (num, den);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    let common = a.abs().max(1);
    Some((i64::try_from(num / common).ok()?, i64::try_from(den / common).ok()?))
}
