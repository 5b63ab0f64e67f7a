//! What `--json` prints: docs/COMPARE.md explains every field. JSON has no infinity, so the PSNR of equal samples is null.

use crate::cli::compare::banding::BandingTotals;
use crate::cli::compare::beside;
use crate::cli::compare::findings::{Findings, MeasuredPair, Runs, Subject};
use crate::cli::compare::pairs::FrameLabel;
use crate::cli::compare::worst::Shot;
use crate::cli::print;
use crate::compare::{Extreme, FrameDifference, PlaneTotals, Side, psnr};
use crate::error::{Error, Result};
use serde::Serialize;
use std::path::Path;

/// The layout's version: raised when a field changes its meaning or goes.
const VERSION: u32 = 1;

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum JsonLine<'a> {
    Compare {
        version: u32,
        a: StreamJson<'a>,
        b: StreamJson<'a>,
        width: usize,
        height: usize,
        format: String,
        planes: &'a [&'a str],
        align: &'a str,
        tolerance: Option<String>,
    },
    Frame {
        a: FrameId,
        b: FrameId,
        mse: f64,
        psnr: f64,
        ssim: f64,
        max: u16,
        planes: Vec<PlaneJson<'a>>,
        banding: Option<Both<f64>>,
        within: Option<bool>,
    },
    Missing {
        a: Option<FrameId>,
        b: Option<FrameId>,
    },
    Summary {
        pairs: u64,
        different: u64,
        first_difference: Option<FrameId>,
        only_a: Vec<[u64; 2]>,
        only_b: Vec<[u64; 2]>,
        largest_time_difference: f64,
        all: Overall<'a>,
        planes: Vec<Overall<'a>>,
        banding: Option<Box<Both<Indices>>>,
        worst: Vec<Png<'a>>,
        beside: Vec<beside::AsideJson<'a>>,
        hint: Option<Moved<'a>>,
        beyond_tolerance: Option<u64>,
        passed: Option<bool>,
        complete: bool,
    },
}

#[derive(Serialize)]
struct StreamJson<'a> {
    name: &'a str,
    chain: &'a str,
    alpha_ignored: bool,
    timebase: String,
}

/// Frames that look alike, and the options that pair them.
#[derive(Serialize)]
struct Moved<'a> {
    a: FrameId,
    b: FrameId,
    options: &'a str,
}

#[derive(Serialize)]
struct FrameId {
    index: u64,
    pts: Option<i64>,
    time: Option<f64>,
}

#[derive(Serialize)]
struct PlaneJson<'a> {
    plane: &'a str,
    mse: f64,
    psnr: f64,
    ssim: f64,
    max: u16,
    at: Option<At>,
}

#[derive(Serialize)]
struct At {
    x: usize,
    y: usize,
    a: u16,
    b: u16,
}

#[derive(Serialize)]
struct Overall<'a> {
    plane: Option<&'a str>,
    mse: f64,
    psnr: f64,
    ssim: f64,
    lowest_psnr: Option<WorstJson<f64>>,
    lowest_ssim: Option<WorstJson<f64>>,
    max: Option<WorstJson<u16>>,
}

/// What each video has.
#[derive(Serialize)]
struct Both<T> {
    a: T,
    b: T,
}

#[derive(Serialize)]
struct Indices {
    mean: f64,
    max: Option<WorstJson<f64>>,
}

#[derive(Serialize)]
struct WorstJson<T> {
    value: T,
    frame: u64,
}

#[derive(Serialize)]
struct Png<'a> {
    frame: u64,
    psnr: f64,
    a: &'a Path,
    b: &'a Path,
    difference: &'a Path,
    gain: f32,
}

/// Prints what is compared.
pub fn subject(subject: &Subject) -> Result<()> {
    let stream = |i: usize| StreamJson {
        name: &subject.names[i],
        chain: &subject.chains[i],
        alpha_ignored: subject.alpha_ignored[i],
        timebase: subject.infos[i].timebase.to_string(),
    };
    let info = &subject.infos[0];
    print(&JsonLine::Compare {
        version: VERSION,
        a: stream(0),
        b: stream(1),
        width: info.width,
        height: info.height,
        format: info.format.to_string(),
        planes: subject.planes(),
        align: subject.align.name(),
        tolerance: subject.tolerance.map(|tolerance| tolerance.to_string()),
    })
}

/// Prints a pair.
pub fn pair(subject: &Subject, pair: &MeasuredPair) -> Result<()> {
    let difference = &pair.difference;
    print(&JsonLine::Frame {
        a: pair.a.into(),
        b: pair.b.into(),
        mse: difference.mse(),
        psnr: psnr(difference.mse(), subject.bit_depth()),
        ssim: difference.ssim(),
        max: difference.largest(),
        planes: planes(subject, difference),
        banding: pair.banding.map(|[a, b]| Both { a, b }),
        within: subject.tolerance.map(|_| pair.fault.is_none()),
    })
}

fn planes<'a>(subject: &Subject, difference: &FrameDifference) -> Vec<PlaneJson<'a>> {
    let plane = |(name, plane): (&&'static str, &crate::compare::PlaneDifference)| PlaneJson {
        plane: name,
        mse: plane.mse(),
        psnr: psnr(plane.mse(), subject.bit_depth()),
        ssim: plane.ssim,
        max: plane.largest.map_or(0, |largest| largest.value()),
        at: plane.largest.map(|at| At { x: at.x, y: at.y, a: at.a, b: at.b }),
    };
    subject.planes().iter().zip(&difference.planes).map(plane).collect()
}

/// Prints a frame of `side` that the other lacks.
pub fn alone(side: Side, frame: FrameLabel) -> Result<()> {
    let place = |of| (side == of).then(|| frame.into());
    print(&JsonLine::Missing { a: place(Side::A), b: place(Side::B) })
}

/// Prints what was found. `complete`: both videos decoded to their ends.
pub fn summary(subject: &Subject, findings: &Findings, shots: &[Shot], complete: bool) -> Result<()> {
    let totals = &findings.totals;
    let depth = subject.bit_depth();
    let overall = |plane, of: &PlaneTotals| Overall {
        plane,
        mse: totals.mean_mse(of),
        psnr: psnr(totals.mean_mse(of), depth),
        ssim: totals.mean_ssim(of),
        lowest_psnr: of.worst_mse.map(|worst| WorstJson { value: psnr(worst.value, depth), frame: worst.frame }),
        lowest_ssim: of.worst_ssim.map(WorstJson::from),
        max: of.largest.map(WorstJson::from),
    };
    let worst = shots.iter().map(|shot| {
        let [a, b, difference] = &shot.files;
        Png { frame: shot.frame, psnr: psnr(shot.mse, depth), a, b, difference, gain: shot.gain }
    });
    print(&JsonLine::Summary {
        pairs: totals.pairs,
        different: totals.different,
        first_difference: findings.first.as_ref().map(|(frame, _)| (*frame).into()),
        only_a: ranges(&findings.alone[0]),
        only_b: ranges(&findings.alone[1]),
        largest_time_difference: findings.apart,
        all: overall(None, &totals.frame),
        planes: subject.planes().iter().zip(&totals.planes).map(|(name, of)| overall(Some(name), of)).collect(),
        banding: subject.banding.then(|| {
            let [a, b] = findings.banding.each_ref().map(Indices::from);
            Box::new(Both { a, b })
        }),
        worst: worst.collect(),
        beside: findings.asides.iter().map(beside::AsideJson::from).collect(),
        hint: findings.hint.as_ref().map(|hint| Moved {
            a: hint.frames[0].into(),
            b: hint.frames[1].into(),
            options: &hint.options,
        }),
        beyond_tolerance: subject.tolerance.map(|_| findings.faults),
        passed: subject.tolerance.map(|_| complete && findings.passes()),
        complete,
    })
}

fn ranges(runs: &Runs) -> Vec<[u64; 2]> {
    runs.0.iter().map(|run| [*run.start(), *run.end()]).collect()
}

fn print(line: &JsonLine<'_>) -> Result<()> {
    let mut text = serde_json::to_string(line).map_err(|e| Error::internal(format!("JSON: {e}")))?;
    text.push('\n');
    print::text(&text)
}

impl From<FrameLabel> for FrameId {
    fn from(FrameLabel { index, pts, time }: FrameLabel) -> FrameId {
        FrameId { index, pts, time }
    }
}

impl From<&BandingTotals> for Indices {
    fn from(banding: &BandingTotals) -> Indices {
        Indices { mean: banding.mean(), max: banding.highest.map(|(value, frame)| WorstJson { value, frame }) }
    }
}

impl<T> From<Extreme<T>> for WorstJson<T> {
    fn from(Extreme { value, frame }: Extreme<T>) -> WorstJson<T> {
        WorstJson { value, frame }
    }
}
