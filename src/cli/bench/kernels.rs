//! Every filter, every case of its descriptor, in the formats it takes, on every CPU level.

use super::timing::{Effort, PictureRing};
use crate::cli::args::BenchArgs;
use crate::device::cpu::{CpuExec, CpuLevel};
use crate::error::Result;
use crate::filters::{self, Descriptor, Reach, Wiring};
use crate::params::{Arg, Call, Spelling, parse_chain, print_chain};
use crate::pipeline::{ChainPlan, CpuChain, Target, plan};
use crate::video::{Format, StreamInfo};
use serde::Serialize;
use std::fmt::Write;

/// Source and result storage, the most informative first.
const FORMATS: &[(&str, &str)] = &[
    ("yuv420p", "yuv420p16"),
    ("yuv420p", "yuv420p"),
    ("yuv420p10", "yuv420p10"),
    ("yuv420p16", "yuv420p16"),
    ("yuv420p16", "yuv420p"),
    ("yuv444p", "yuv444p16"),
    ("gray8", "gray8"),
    ("gray8", "gray16"),
    ("gray16", "gray16"),
    ("nv12", "p010"),
    ("p010", "p010"),
    ("yc48", "yc48"),
];

/// Of those, how many a quick run has.
const QUICK_FORMATS: usize = 2;

/// What was measured.
#[derive(Serialize)]
pub struct Report {
    width: usize,
    height: usize,
    formats: Vec<FormatReport>,
}

/// The times of one pair of formats.
#[derive(Serialize)]
struct FormatReport {
    src: String,
    dst: String,
    copy: Vec<Copy>,
    rows: Vec<Row>,
}

/// A plain copy.
#[derive(Serialize)]
struct Copy {
    threads: usize,
    ms: f64,
}

/// One filter's time.
#[derive(Serialize)]
struct Row {
    chain: String,
    level: &'static str,
    threads: usize,
    ms: f64,
    /// Over a plain copy with as many threads.
    times_copy: f64,
}

/// Measures, and hands each pair's table to `show`.
pub fn measure(args: &BenchArgs, show: &impl Fn(String) -> Result<()>) -> Result<Report> {
    let (width, height) = args.size;
    let mut formats = Vec::new();
    for (src, dst, calls) in work(args)? {
        let report = measure_format(&calls, src, dst, args)?;
        show(report.table(width, height))?;
        formats.push(report);
    }
    Ok(Report { width, height, formats })
}

/// Point filters that follow one another, which a plan folds into one kernel.
pub const FIVE: &str =
    "levels=gain=1.1,curves=preset=medium_contrast,adjust=saturation=1.2:vibrance=0.3,levels=gamma=1.1,range=full";

/// A chain to measure.
pub struct Subject {
    pub calls: Vec<Call>,
    /// Whether point filters that follow one another are one kernel.
    pub folds: bool,
    /// Whether it is the whole chain that was asked for, rather than one of its filters.
    pub is_whole: bool,
}

impl Subject {
    /// A filter, and names of pictures that it reads.
    pub fn new(calls: Vec<Call>) -> Subject {
        Subject { calls, folds: true, is_whole: false }
    }

    /// What reports call it.
    pub fn name(&self) -> String {
        let apart = if self.folds { "" } else { " (not folded)" };
        print_chain(&self.calls, Spelling::FFmpeg) + apart
    }

    /// The plan, or `None` when it would change nothing here, cannot end in `dst`, or makes its frames of several.
    pub fn plan(&self, src: Format, dst: Format, (width, height): (usize, usize)) -> Result<Option<ChainPlan>> {
        let info = StreamInfo::bare(src, width, height);
        let target = Target { format: Some(dst), folds: self.folds, ..Target::default() };
        let filters = self.calls.iter().map(filters::create).collect::<Result<_>>()?;
        let alone =
            |plan: &ChainPlan| matches!(&plan.parts[..], [part] if part.cycle.is_one()) && plan.reach() == Reach::NONE;
        Ok(plan(filters, &info, target).ok().filter(alone))
    }
}

/// A chain whole, and not folded as well where a plan folds it.
fn whole(text: &str, src: Format, dst: Format, size: (usize, usize)) -> Result<Vec<Subject>> {
    let subject = |folds| Ok(Subject { calls: parse_chain(text)?, folds, is_whole: true });
    let (folded, apart): (Subject, Subject) = (subject(true)?, subject(false)?);
    let kernels = |subject: &Subject| Ok(subject.plan(src, dst, size)?.map(|plan| plan.stages.len()));
    let differ = kernels(&folded)? != kernels(&apart)?;
    Ok([folded].into_iter().chain(differ.then_some(apart)).collect())
}

/// Source and result storage, and the chains to run between them.
type BenchCase = (Format, Format, Vec<Subject>);

/// What `args` ask to measure: source and result storage, and chains. Those are single filters, or the filters of a chain
/// one by one and then the chain; last a run of point filters, folded and not.
pub fn work(args: &BenchArgs) -> Result<Vec<BenchCase>> {
    let pairs = if args.quick { &FORMATS[..QUICK_FORMATS] } else { FORMATS };
    let mut work = Vec::new();
    for (src, dst) in pairs {
        let (src, dst) = (src.parse::<Format>()?, dst.parse::<Format>()?);
        let chosen = chosen(args)?.into_iter().filter(|filter| (filter.accepts)(src));
        let cases = chosen.map(|filter| cases(filter, args.quick)).collect::<Result<Vec<_>>>()?.concat();
        // The other pictures that a filter reads are the source, under their names.
        let single = |call: Call| -> Vec<Call> {
            let names = match filters::create(&call).map(|filter| filter.wiring()) {
                Ok(Wiring::Reads(names)) => names,
                _ => Vec::new(),
            };
            let keep = |name| Call { name: "keep".to_owned(), args: vec![Arg { key: None, value: name }] };
            names.into_iter().map(keep).chain([call]).collect()
        };
        let mut chains: Vec<Subject> = match &args.chain {
            Some(chain) => parse_chain(chain)?.into_iter().map(single).map(Subject::new).collect(),
            None => cases.into_iter().map(single).map(Subject::new).collect(),
        };
        // Folded point filters are measured with all filters, and with those that were asked for where that is a chain.
        let run = args.chain.as_deref().or(args.filter.is_empty().then_some(FIVE));
        if let Some(run) = run {
            chains.extend(whole(run, src, dst, args.size)?);
        }
        if !chains.is_empty() {
            work.push((src, dst, chains));
        }
    }
    Ok(work)
}

/// The filters that `args` name, or all.
pub fn chosen(args: &BenchArgs) -> Result<Vec<&'static Descriptor>> {
    let named = args.filter.iter().map(|name| filters::find_or_suggest(name)).collect::<Result<Vec<_>>>()?;
    let computing = || filters::ALL.iter().copied().filter(|filter| filter.has_kernels()).collect();
    Ok(if named.is_empty() { computing() } else { named })
}

/// The calls to measure `filter` with; the first alone where it has to be `quick`.
pub fn cases(filter: &Descriptor, quick: bool) -> Result<Vec<Call>> {
    let cases = filter.cases.iter().take(if quick { 1 } else { filter.cases.len() });
    let chains = cases.map(|case| parse_chain(&filter.text(case)));
    Ok(chains.collect::<Result<Vec<_>>>()?.concat())
}

fn measure_format(work: &[Subject], src: Format, dst: Format, args: &BenchArgs) -> Result<FormatReport> {
    let effort = Effort::new(args.quick);
    let (width, height) = args.size;
    let mut ring = PictureRing::new(src, dst, width, height)?;
    let runs = runs(args.quick);
    let mut copy: Vec<Copy> = Vec::new();
    for (level, threads) in &runs {
        let exec = CpuExec::new(*threads, *level)?;
        if copy.iter().all(|copy| copy.threads != exec.threads()) {
            copy.push(Copy { threads: exec.threads(), ms: ring.copy_floor(effort, &exec) });
        }
    }
    let mut rows = Vec::new();
    for subject in work {
        let Some(plan) = subject.plan(src, dst, args.size)? else { continue };
        ring.give(plan.output.width, plan.output.height)?;
        let chain = |(level, threads): &(CpuLevel, usize)| CpuChain::new(&plan, CpuExec::new(*threads, *level)?);
        let mut chains = runs.iter().map(chain).collect::<Result<Vec<_>>>()?;
        let times = ring.medians(effort, runs.len(), |which, props, src, dst| {
            chains[which].run(props, &src.planes(), &mut dst.planes_mut());
        });
        for (chain, ms) in chains.iter().zip(times) {
            let (level, threads) = (chain.exec().level().name(), chain.exec().threads());
            let floor = copy.iter().find(|copy| copy.threads == threads).map_or(f64::NAN, |copy| copy.ms);
            rows.push(Row { chain: subject.name(), level, threads, ms, times_copy: ms / floor });
        }
    }
    Ok(FormatReport { src: src.to_string(), dst: dst.to_string(), copy, rows })
}

/// Levels and threads: every level on one thread, the best on all.
fn runs(quick: bool) -> Vec<(CpuLevel, usize)> {
    let best = CpuLevel::detect();
    let mut runs: Vec<_> = CpuLevel::available().filter(|l| !quick || *l == best).map(|level| (level, 1)).collect();
    runs.push((best, 0));
    runs
}

impl FormatReport {
    /// One line a case, one column a (level, threads).
    fn table(&self, width: usize, height: usize) -> String {
        let mut columns: Vec<(&str, usize)> = Vec::new();
        let mut chains: Vec<&str> = Vec::new();
        for row in &self.rows {
            if !columns.contains(&(row.level, row.threads)) {
                columns.push((row.level, row.threads));
            }
            if !chains.contains(&row.chain.as_str()) {
                chains.push(&row.chain);
            }
        }
        let name = chains.iter().map(|chain| chain.chars().count()).max().unwrap_or(0);
        let copies: Vec<_> =
            self.copy.iter().map(|c| format!("{:.3} ms on {}", c.ms, thread_word(c.threads))).collect();
        let mut text = format!(
            "\n{} to {}, {width}x{height}: ms a frame (x a plain copy: {})\n{:name$}",
            self.src,
            self.dst,
            copies.join(", "),
            ""
        );
        for (level, threads) in &columns {
            let _ = write!(text, "  {:>18}", format!("{level}, {}", thread_word(*threads)));
        }
        text.push('\n');
        for chain in chains {
            let _ = write!(text, "{chain:name$}");
            for column in &columns {
                let row = self.rows.iter().find(|row| row.chain == chain && (row.level, row.threads) == *column);
                let cell = row.map_or(String::new(), |row| format!("{:.3} ({:.1}x)", row.ms, row.times_copy));
                let _ = write!(text, "  {cell:>18}");
            }
            text.push('\n');
        }
        text
    }
}

/// "1 thread" or "2 threads".
pub fn thread_word(threads: usize) -> String {
    if threads == 1 { "1 thread".to_owned() } else { format!("{threads} threads") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::{Cli, Command};
    use crate::params::{Spelling, print_chain};
    use clap::Parser;
    use std::collections::HashSet;

    /// Every registered filter, and every case of it, is measured; a quick run has every filter's first.
    #[test]
    fn every_filter_is_measured() {
        for (line, cases) in [("vramp bench", usize::MAX), ("vramp bench --quick", 1)] {
            let Some(Command::Bench(args)) = Cli::try_parse_from(line.split(' ')).unwrap().command else {
                panic!("{line} is no bench");
            };
            let measured: HashSet<String> =
                work(&args).unwrap().into_iter().flat_map(|(.., calls)| calls).map(|subject| subject.name()).collect();
            for filter in filters::ALL.iter().filter(|filter| filter.has_kernels()) {
                for case in filter.cases.iter().take(cases) {
                    let chain = parse_chain(&filter.text(case)).unwrap();
                    let chain = print_chain(&chain, Spelling::FFmpeg);
                    assert!(measured.iter().any(|measured| measured.ends_with(&chain)), "{line} leaves out {chain}");
                }
            }
        }
    }
}
