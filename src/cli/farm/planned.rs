//! The half of a plan that is found out: what of the encoder is pinned, which frames there are, and where each part begins.

use crate::cli::args::FilterArgs;
use crate::cli::farm::{Goal, request};
use crate::cli::transcode::{Prepared, Stop};
use crate::error::{Error, Result};
use crate::farm::{FilmPlan, Folder, PinRequest, PlannedOpening, PlannedPart, Seek, cut, pins};
use crate::io::libav::{FrameList, versions};
use crate::pipeline::{self, Cancel};
use std::cell::OnceCell;

/// Finds out what `request` leaves open: what is pinned, and the frames of the film.
///
/// # Errors
/// When the encoder or the container refuses, the film's packets do not say for certain which frames there are, or the chain
/// changes their number.
pub fn complete(mut plan: FilmPlan, asked: &FilterArgs, folder: &Folder, cancel: &Cancel) -> Result<FilmPlan> {
    let request = PinRequest {
        encoder: &plan.encoder.name,
        options: &asked.option,
        threads: asked.encoder_threads,
        has_rate: asked.bitrate.is_some(),
    };
    let libraries: Vec<_> = versions().into_iter().map(|(name, version)| format!("{name} {version}")).collect();
    plan.encoder.library = libraries.join(", ");
    if plan.cutting.fast {
        plan.encoder.threads = asked.encoder_threads;
        plan.encoder.why = vec!["--fast pins nothing".to_owned()];
    } else {
        let pins = pins(request);
        plan.reproducible = !pins.varies;
        (plan.encoder.threads, plan.encoder.options, plan.encoder.why) = (pins.threads, pins.options, pins.why);
    }

    let found = OnceCell::new();
    let stop = Stop::with(cancel);
    // The folder is not there yet, from which names are meant.
    let mut job = request::idle(request::job(&plan, folder)?);
    job.paths = vec![asked.input()?.to_owned(), asked.output()?.to_owned()];
    let Prepared { mut input, plan: chain, .. } = Prepared::for_goal(&job, &stop, &Goal::Plan(&found))?;
    check_chain(&chain)?;
    if let Some(print) = found.get().filter(|_| plan.reproducible) {
        plan.encoder.identify(*print);
    }
    plan.format = chain.output.format.to_string();
    let unit = input.info().timebase;
    let list = input.list_frames()?;
    plan.input.timebase = (unit.num, unit.den);
    plan.input.frames = list.times.len() as u64;
    plan.input.origin = list.times.first().copied().unwrap_or(0);
    plan.input.opening = input.opening().as_ref().map(PlannedOpening::from);
    let starts = cut(&list, unit, plan.cutting.segment, plan.cutting.cuts);
    plan.parts = parts(&list, &starts, chain.reach().before);
    plan.sealed()
}

/// Refuses chains whose frames are not those of the film one by one.
pub fn check_chain(chain: &pipeline::ChainPlan) -> Result<()> {
    let changes = chain.stages.iter().find(|stage| !stage.spec.cycle.is_one());
    match changes {
        Some(stage) => Err(Error::unsupported(format!(
            "{} changes the number of frames: parts need one for each of the film's",
            stage.filter.descriptor().name
        ))),
        None => Ok(()),
    }
}

/// The parts that begin with `starts` of the frames of `list`. The chain reads `before` frames before each.
pub fn parts(list: &FrameList, starts: &[usize], before: u32) -> Vec<PlannedPart> {
    let ends = starts.iter().skip(1).copied().chain([list.times.len()]);
    let part = |(start, end): (&usize, usize)| {
        let first = list.first + *start as u64;
        let times = &list.times[*start..end];
        let contents = list.packets.of(times[0]..=times[times.len() - 1]);
        PlannedPart::of(first, times, contents, seek(list, first.saturating_sub(before.into())))
    };
    starts.iter().zip(ends).map(part).collect()
}

/// Where decoding begins so that `frame` is decoded. Near the start nothing is saved.
fn seek(list: &FrameList, frame: u64) -> Option<Seek> {
    let at = |frame: u64| list.entries.partition_point(|entry| entry.place.frame <= frame).checked_sub(1);
    let landing = list.entries.get(at(frame)?)?.begins;
    let entry = list.entries.get(at(landing)?).filter(|entry| entry.place.frame == landing)?;
    (landing > 0).then(|| Seek::from(&entry.place))
}
