//! `vramp compare`: how far two videos are apart, frame by frame.

mod args;
mod banding;
mod beside;
mod findings;
mod html;
mod json;
mod moved;
mod pairs;
mod spread;
mod text;
mod video;
mod worst;

pub use args::CompareArgs;

use crate::cli::progress::Reporter;
use crate::cli::{print, report, signals};
use crate::compare::{FrameMeasure, Side, Step};
use crate::device::cpu::{CpuExec, CpuLevel};
use crate::error::{Error, Kind, Result};
use crate::filters::chain_file;
use crate::io::TempFile;
use crate::io::libav::Window;
use crate::io::refuse_input;
use crate::pipeline::{Cancel, Frame, Progress, Summary};
use args::Align;
use crossbeam_channel::bounded;
use findings::{Findings, MeasuredPair, Subject};
use html::{About, Page};
use moved::MovedFrames;
use pairs::{FrameLabel, Pairs};
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::thread;
use std::time::Instant;
use video::Video;
use worst::{Made, Worst};

/// Frames of each video that may wait to be measured.
const WAITING: usize = 2;

/// Refuses outputs that would replace what is read, or each other, before any of them is begun.
fn check_outputs(args: &CompareArgs, pictures: Option<&Path>) -> Result<()> {
    let videos = [&args.a, &args.b].into_iter().map(OsString::as_os_str);
    let chains = args.chain_a.iter().chain(&args.chain_b).filter_map(|chain| chain_file(chain)).map(OsStr::new);
    let inputs: Vec<&OsStr> = videos.chain(chains).collect();
    if let Some(folder) = pictures {
        inputs.iter().try_for_each(|input| worst::check_outside(input, folder))?;
        worst::check_folder(folder, args.overwrite)?;
    }
    let Some(page) = &args.html else { return Ok(()) };
    inputs.iter().try_for_each(|input| refuse_input(page, input))?;
    pictures.map_or(Ok(()), |folder| worst::check_apart(page, folder))
}

/// Runs `vramp compare`.
///
/// # Errors
/// [`Kind::Mismatch`] beyond the tolerance; [`Kind::Incomplete`] when a video stopped decoding; of every part.
pub fn run(args: &CompareArgs, quiet: bool) -> Result<()> {
    args.validate()?;
    let worst = args.worst()?;
    let chains = video::chains(args)?;
    let cancel = Cancel::default();
    signals::install([cancel.clone()])?;
    let folder = worst.as_ref().map(|(_, folder)| folder.as_path());
    check_outputs(args, folder)?;
    // It outlives the page, which is gone first where the comparison fails.
    let _made = args.html.as_ref().zip(folder).map(|(page, folder)| Made::around(page, folder)).transpose()?;
    let page = args.html.as_ref().map(|path| TempFile::create(path, args.overwrite, &cancel)).transpose()?;
    let mut videos = video::open(args, &chains, &cancel)?;
    let subject = Subject::new(args, &videos);
    let worst = worst.map(|(most, folder)| Worst::new(most, folder, &subject)).transpose()?;
    let exec = CpuExec::new(args.on.threads, args.on.cpu_level.unwrap_or_else(CpuLevel::detect))?;
    let mut comparison = Comparison {
        measure: FrameMeasure::new(exec, subject.bit_depth()),
        findings: Findings::new(subject.planes().len()),
        page: page.as_ref().map(|_| Page::default()),
        worst,
        moved: MovedFrames::default(),
        json: args.json,
        subject: &subject,
    };
    let mut reporter = Reporter::new(args.progress, quiet, expected_pairs(&videos, &args.window()));
    let damage = comparison.run(args, &mut videos, &cancel, &mut reporter)?;
    drop(reporter);
    if !damage.is_empty() && args.decoder_threads != 1 {
        report::damage_varies();
    }

    let Comparison { mut findings, page: plots, worst, moved, .. } = comparison;
    findings.asides = beside::asides(args, &mut videos, &findings);
    findings.hint = moved.hint(args.align);
    findings.hint.iter().for_each(|hint| log::warn!("{hint}"));
    let shots = worst.map(|worst| worst.write(args.overwrite, &subject, &cancel)).transpose()?.unwrap_or_default();
    if let (Some(path), Some(mut file), Some(plots)) = (&args.html, page, plots) {
        let about = [About::new(&videos[0], &args.a), About::new(&videos[1], &args.b)];
        plots.write(&subject, &about, &findings, &shots, path, &mut file)?;
    }
    if args.json {
        json::summary(&subject, &findings, &shots, damage.is_empty())?;
    } else if !quiet && args.html.as_deref().is_none_or(|path| path != "-") {
        print::text(&text::summary(&subject, &findings))?;
    }
    verdict(&subject, &findings, damage)
}

/// A comparison in progress.
struct Comparison<'a> {
    subject: &'a Subject,
    measure: FrameMeasure,
    findings: Findings,
    page: Option<Page>,
    worst: Option<Worst>,
    moved: MovedFrames,
    json: bool,
}

impl Comparison<'_> {
    /// Reads both videos, each on threads of its own, and measures every pair. Gives what they lost.
    fn run(
        &mut self,
        args: &CompareArgs,
        videos: &mut [Video; 2],
        cancel: &Cancel,
        reporter: &mut Reporter,
    ) -> Result<Vec<Error>> {
        if self.json {
            json::subject(self.subject)?;
        }
        let [(feed_a, events_a), (feed_b, events_b)] = [bounded(WAITING), bounded(WAITING)];
        let mut pairs = Pairs::new(args.align.rule(), args.offset, videos, [events_a, events_b])?;
        thread::scope(|scope| {
            let [a, b] = videos;
            scope.spawn(move || a.read(&feed_a, cancel));
            scope.spawn(move || b.read(&feed_b, cancel));
            // A video that fails must not leave the other one waiting for its pipe.
            let taken = self.take_all(&mut pairs, reporter).inspect_err(|_| cancel.request());
            let damage = pairs.into_damage();
            taken.map(|()| damage)
        })
    }

    fn take_all(&mut self, pairs: &mut Pairs, reporter: &mut Reporter) -> Result<()> {
        let start = Instant::now();
        loop {
            match pairs.next()? {
                Step::Pair((at_a, a), (at_b, b)) => self.pair(a, b, pairs.apart(at_a, at_b))?,
                Step::Alone(side, frame) => self.alone(side, &frame)?,
                Step::Need(_) => {}
                Step::End => break,
            }
            let frames = self.findings.totals.pairs;
            reporter.update(Progress { frames, time: None, bytes: 0, elapsed: start.elapsed() });
        }
        reporter.finish(&Summary { frames: self.findings.totals.pairs, ..Summary::default() });
        Ok(())
    }

    fn pair(&mut self, a: Frame, b: Frame, apart: Option<f64>) -> Result<()> {
        let difference = self.measure.frame(&a.picture.planes(), &b.picture.planes());
        let [in_a, in_b] = &self.subject.infos;
        let tolerance = self.subject.tolerance;
        let banding = banding::index(&a).zip(banding::index(&b)).filter(|_| self.subject.banding);
        let pair = MeasuredPair {
            banding: banding.map(|(a, b)| [a, b]),
            a: FrameLabel::new(&a.props, in_a.timebase),
            b: FrameLabel::new(&b.props, in_b.timebase),
            apart,
            fault: tolerance.and_then(|tolerance| tolerance.check(&difference, self.subject.bit_depth())),
            difference,
        };
        self.findings.pair(&pair);
        self.moved.pair((pair.a, &a.picture), (pair.b, &b.picture));
        if self.json {
            json::pair(self.subject, &pair)?;
        }
        if let Some(page) = &mut self.page {
            page.pair(&pair);
        }
        if let Some(worst) = &mut self.worst {
            worst.offer(&pair, a.picture, b.picture);
        }
        Ok(())
    }

    fn alone(&mut self, side: Side, frame: &Frame) -> Result<()> {
        let shown = FrameLabel::new(&frame.props, self.subject.infos[side as usize].timebase);
        self.findings.alone(side, shown.index);
        self.moved.add(side, (shown, &frame.picture));
        if let Some(page) = &mut self.page {
            page.alone(side, shown);
        }
        if self.json { json::alone(side, shown) } else { Ok(()) }
    }
}

/// As many pairs as the shorter video has frames.
fn expected_pairs(videos: &[Video; 2], part: &Window) -> Option<u64> {
    videos.iter().filter_map(|video| video.expected_frames(part)).min()
}

/// The result of the comparison, as the exit code has it.
fn verdict(subject: &Subject, findings: &Findings, damage: Vec<Error>) -> Result<()> {
    let [a, b] = &subject.names;
    let unpaired = (findings.totals.pairs == 0).then(|| match subject.align {
        Align::Pts => {
            format!("no frame of {a} is shown when one of {b} is: --align index pairs by order, --offset moves B")
        }
        Align::Index => format!("no frame of {a} meets one of {b}: --offset moves B by more frames than there are"),
    });
    if let Some(tolerance) = &subject.tolerance
        && !findings.passes()
    {
        damage.iter().for_each(|error| log::warn!("{error}"));
        let why = unpaired.unwrap_or_else(|| text::beyond(subject, findings));
        return Err(Error::new(
            Kind::Mismatch,
            format!("{a} and {b} are not within {tolerance}: {why}{}", subject.remark()),
        ));
    }
    let mut damage = damage.into_iter();
    match (unpaired, damage.next()) {
        (Some(why), _) => Err(Error::bad_argument(why)),
        (None, Some(first)) => {
            damage.for_each(|error| log::warn!("{error}"));
            Err(Error::new(Kind::Incomplete, format!("only what decodes was compared: {first}")))
        }
        (None, None) => Ok(()),
    }
}
