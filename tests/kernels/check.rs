//! The checks, each giving in words what is wrong.

use crate::case::{Case, MEDIUM};
use crate::data::fill;
use crate::memory::{Guarded, compare};
use vramp::device::cpu::{CpuExec, CpuLevel};
use vramp::filters::{CpuJob, CpuKernel, Filter, Frames, InputWindow, Reach, Setup, Spec};
use vramp::video::{FrameProps, Planes, PlanesMut, Record};

/// Threads to run with.
const THREADS: [usize; 3] = [1, 2, 3];

/// Executors of every level this processor has, with every number of threads.
pub struct Execs(Vec<[CpuExec; 3]>);

impl Execs {
    pub fn new() -> Execs {
        Execs(CpuLevel::available().map(|level| THREADS.map(|n| CpuExec::new(n, level).unwrap())).collect())
    }

    /// The levels, lowest first.
    pub fn levels(&self) -> impl Iterator<Item = &[CpuExec; 3]> {
        self.0.iter()
    }

    /// The levels that `case` runs at: all of them, but where the picture is large, the highest and one of the others by
    /// turns. Those are compiled from one source, so that every format is met in a large picture at one of them.
    fn levels_of(&self, case: &Case) -> impl Iterator<Item = &[CpuExec; 3]> {
        let highest = self.0.len() - 1;
        let turn = case.seed as usize % highest.max(1);
        self.0
            .iter()
            .enumerate()
            .filter(move |(i, _)| case.shape() != MEDIUM || *i == highest || *i == turn)
            .map(|(_, exec)| exec)
    }

    /// An executor for the reference, which uses none of it.
    pub fn plain(&self) -> &CpuExec {
        &self.0[0][0]
    }
}

/// The fast kernel at `level`, which says that it is that.
fn fast(filter: &dyn Filter, setup: &Setup, level: CpuLevel) -> Result<Box<dyn CpuKernel>, String> {
    let kernel = filter.cpu(setup, level).map_err(|e| format!("{level}: {e}"))?;
    match kernel.path() {
        path if path == level.to_string() => Ok(kernel),
        path => Err(format!("{level}: the kernel takes the path '{path}'")),
    }
}

/// The plain kernel, which says that it is that.
pub fn reference(filter: &dyn Filter, setup: &Setup) -> Result<Box<dyn CpuKernel>, String> {
    let kernel = filter.reference(setup).map_err(|e| format!("reference: {e}"))?;
    match kernel.path() {
        "reference" => Ok(kernel),
        path => Err(format!("reference: the kernel takes the path '{path}'")),
    }
}

/// What `kernel` makes of the frame `later` frames on, from and into memory with its own guards and pitches.
pub fn run(
    kernel: &mut dyn CpuKernel,
    case: &Case,
    later: u64,
    exec: &CpuExec,
    poison: u64,
) -> Result<Guarded, String> {
    let spec = case.spec().map_err(|e| e.to_string())?;
    let sources = sources(case, &spec, later, poison, 1);
    let planes: Vec<Vec<_>> = sources.iter().map(|frames| frames.iter().map(Guarded::planes).collect()).collect();
    let mut dst = Guarded::new(case.dst, spec.output.width, spec.output.height, poison + 1);
    dst.record = run_job(kernel, &spec, &case.props(later), &planes, dst.planes_mut(), exec);
    dst.damage().map_err(|fault| format!("{}: {fault}", kernel.path()))?;
    Ok(dst)
}

/// Runs `kernel` on the frames of each of its inputs, and gives what it measured.
pub fn run_job(
    kernel: &mut dyn CpuKernel,
    spec: &Spec,
    props: &FrameProps,
    inputs: &[Vec<Planes<'_>>],
    dst: PlanesMut<'_>,
    exec: &CpuExec,
) -> Record {
    let windows: Vec<_> =
        inputs.iter().zip(&spec.reads).map(|(planes, reach)| InputWindow::new(planes, *reach)).collect();
    let (phase, mut record) = (spec.cycle.phase(props.frame_index), Record::default());
    kernel.run(CpuJob { props, phase, src: Frames::new(&windows), dst, record: &mut record, exec });
    record
}

/// The frames that make the frame `later` frames on, for each input.
pub fn sources(case: &Case, spec: &Spec, later: u64, poison: u64, align: usize) -> Vec<Vec<Guarded>> {
    let (width, height) = case.shape();
    let picture = |input, offset| {
        let mut src = Guarded::aligned(case.src, width, height, poison, align);
        fill(&mut src.planes_mut(), case.content, case.seed_of(input, later, offset));
        src
    };
    let frame = |input, offset| match case.survey_for(spec, input) {
        Some((filter, setup)) => {
            let mut survey = Guarded::aligned(setup.dst, setup.output.width, setup.output.height, poison, align);
            survey_of(&*filter, &setup, &picture(0, offset).planes(), survey.planes_mut());
            survey
        }
        None => picture(input, offset),
    };
    frames(spec, frame)
}

/// Makes the survey of a picture, plainly.
pub fn survey_of(filter: &dyn Filter, setup: &Setup, src: &Planes<'_>, dst: PlanesMut<'_>) {
    let exec = CpuExec::new(1, CpuLevel::Portable).unwrap();
    let spec = Spec::computed(setup.output.clone());
    let mut kernel = filter.reference(setup).unwrap();
    run_job(kernel.as_mut(), &spec, &FrameProps::default(), &[vec![*src]], dst, &exec);
}

/// `frame(input, offset)` for every frame that a job reads of each input.
pub fn frames<F>(spec: &Spec, frame: impl Fn(usize, i64) -> F) -> Vec<Vec<F>> {
    let of = |(input, reach): (usize, &Reach)| {
        (-i64::from(reach.before)..=i64::from(reach.after)).map(|offset| frame(input, offset)).collect()
    };
    spec.reads.iter().enumerate().map(of).collect()
}

/// Every fast kernel gives what the reference gives. Guards, pitches and what the output held before differ from
/// run to run, so that a result made of them, or a sample never written, differs too.
pub fn check_kernels(case: &Case, execs: &Execs) -> Result<(), String> {
    let (filter, setup) = case.build().map_err(|e| e.to_string())?;
    let expected = run(reference(&*filter, &setup)?.as_mut(), case, 0, execs.plain(), case.seed)?;
    for (i, exec) in execs.levels_of(case).enumerate() {
        let exec = &exec[(case.seed as usize + i) % THREADS.len()];
        let mut kernel = fast(&*filter, &setup, exec.level())?;
        let got = run(kernel.as_mut(), case, 0, exec, case.seed + 10 + i as u64)?;
        compare(&expected, &got).map_err(|fault| format!("{exec:?}: {fault}"))?;
    }
    Ok(())
}

/// The result is the source, and the filter says so.
pub fn check_neutral(case: &Case, execs: &Execs) -> Result<(), String> {
    let (filter, setup) = case.build().map_err(|e| e.to_string())?;
    if !case.spec().is_ok_and(|spec| spec.is_identity(&case.input)) {
        return Err("the filter does not say that it is the identity".to_owned());
    }
    let (width, height) = case.shape();
    let mut expected = Guarded::new(case.src, width, height, case.seed);
    fill(&mut expected.planes_mut(), case.content, case.seed(0));
    let got = run(reference(&*filter, &setup)?.as_mut(), case, 0, execs.plain(), case.seed + 2)?;
    compare(&expected, &got).map_err(|fault| format!("reference: {fault}"))?;
    for [exec, ..] in execs.levels() {
        let got = run(fast(&*filter, &setup, exec.level())?.as_mut(), case, 0, exec, case.seed + 3)?;
        compare(&expected, &got).map_err(|fault| format!("{exec:?}: {fault}"))?;
    }
    Ok(())
}

/// A kernel that ran other frames before, or the same one, gives what a new kernel gives: a run may start and be
/// split anywhere.
pub fn check_history(case: &Case, execs: &Execs) -> Result<(), String> {
    const ORDER: [u64; 5] = [0, 1, 2, 2, 0];
    let (filter, setup) = case.build().map_err(|e| e.to_string())?;
    let new = |level: Option<CpuLevel>| match level {
        Some(level) => fast(&*filter, &setup, level),
        None => reference(&*filter, &setup),
    };
    let plain = std::iter::once((None, execs.plain()));
    for (level, exec) in plain.chain(execs.levels().map(|[exec, ..]| (Some(exec.level()), exec))) {
        let mut running = new(level)?;
        for (i, later) in ORDER.into_iter().enumerate() {
            let expected = run(new(level)?.as_mut(), case, later, exec, case.seed)?;
            let got = run(running.as_mut(), case, later, exec, case.seed + 2 + i as u64)?;
            let context = |fault| format!("{}, after frames {:?}: {fault}", running.path(), &ORDER[..i]);
            compare(&expected, &got).map_err(context)?;
        }
    }
    Ok(())
}

/// Every number of threads gives the same, at the highest level: bands are shared alike at all of them, and
/// [`check_kernels`] runs each with each number of threads.
pub fn check_threads(case: &Case, execs: &Execs) -> Result<(), String> {
    let (filter, setup) = case.build().map_err(|e| e.to_string())?;
    let Some([one, more @ ..]) = execs.levels().last() else { return Err("there is no level".to_owned()) };
    let mut kernel = fast(&*filter, &setup, one.level())?;
    let expected = run(kernel.as_mut(), case, 0, one, case.seed)?;
    for (i, exec) in more.iter().enumerate() {
        let got = run(kernel.as_mut(), case, 0, exec, case.seed + 2 + i as u64)?;
        compare(&expected, &got).map_err(|fault| format!("{exec:?}: {fault}"))?;
    }
    Ok(())
}
