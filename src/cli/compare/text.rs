//! The summary for people.

use crate::cli::compare::findings::{Findings, Runs, Subject};
use crate::cli::compare::pairs::FrameLabel;
use crate::compare::{Largest, PlaneTotals, psnr};
use std::fmt::Write;

/// Ranges that are written out before "and more".
const RANGES_SHOWN: usize = 8;

/// The whole summary, in lines.
pub fn summary(subject: &Subject, findings: &Findings) -> String {
    let totals = &findings.totals;
    let mut text = String::new();
    let info = &subject.infos[0];
    let [a, b] = &subject.names;
    line(&mut text, format!("A  {a}\nB  {b}"));
    line(
        &mut text,
        format!(
            "{} pairs of {}x{} {} frames, by {}{}",
            totals.pairs,
            info.width,
            info.height,
            info.format,
            subject.align.name(),
            subject.remark()
        ),
    );
    for (runs, name) in findings.alone.iter().zip(["A", "B"]) {
        if runs.count() > 0 {
            line(&mut text, format!("{} frames only in {name}: {}", runs.count(), ranges(runs)));
        }
    }
    for aside in &findings.asides {
        line(&mut text, format!("besides the frames: {aside}"));
    }
    if findings.apart > 0.0 {
        line(&mut text, format!("times of a pair are up to {:.3} ms apart", findings.apart * 1e3));
    }
    if totals.pairs == 0 {
        return text;
    }
    line(&mut text, first(subject, findings));
    line(
        &mut text,
        "\n       mean PSNR    lowest             mean SSIM  lowest              largest difference".to_owned(),
    );
    let planes = subject.planes().iter().zip(&totals.planes);
    for (name, of) in planes.map(|(name, of)| (*name, of)).chain([("all", &totals.frame)]) {
        line(&mut text, row(subject, findings, name, of));
    }
    if subject.banding {
        line(&mut text, "\n       mean banding  highest".to_owned());
        for (name, banding) in ["A", "B"].iter().zip(&findings.banding) {
            let highest =
                banding.highest.map_or_else(String::new, |(value, frame)| format!("{value:.3} (frame {frame})"));
            line(&mut text, format!("{name:<5}  {:<12.3}  {highest}", banding.mean()));
        }
    }
    text
}

fn line(text: &mut String, line: String) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{line}");
}

fn first(subject: &Subject, findings: &Findings) -> String {
    let Some((frame, difference)) = &findings.first else { return "no sample differs".to_owned() };
    let planes = subject.planes().iter().zip(&difference.planes);
    let figures = planes.filter_map(|(name, plane)| {
        let at = plane.largest?;
        let Largest { x, y, a, b } = at;
        Some(format!("{name} by up to {}: {a} and {b} at ({x}, {y})", at.value()))
    });
    let (count, figures) = (findings.totals.different, figures.collect::<Vec<_>>().join("; "));
    format!("{count} pairs differ, first frame {}: {figures}", place(frame))
}

/// "12 (0.480 s)".
pub fn place(frame: &FrameLabel) -> String {
    let time = frame.time.map_or_else(String::new, |time| format!(" ({time:.3} s)"));
    format!("{}{time}", frame.index)
}

fn row(subject: &Subject, findings: &Findings, name: &str, of: &PlaneTotals) -> String {
    let (totals, depth) = (&findings.totals, subject.bit_depth());
    let at = |frame: Option<u64>| frame.map_or_else(String::new, |frame| format!("(frame {frame})"));
    let decibels = |mse: f64| match psnr(mse, depth) {
        value if value.is_finite() => format!("{value:.3} dB"),
        _ => "equal".to_owned(),
    };
    let (mse, ssim, largest) = (of.worst_mse, of.worst_ssim, of.largest);
    format!(
        "{name:<5}  {:<11}  {:<17}  {:<9.6}  {:<18}  {} {}",
        decibels(totals.mean_mse(of)),
        format!("{} {}", mse.map_or_else(String::new, |worst| decibels(worst.value)), at(mse.map(|worst| worst.frame))),
        totals.mean_ssim(of),
        format!("{:.6} {}", ssim.map_or(1.0, |worst| worst.value), at(ssim.map(|worst| worst.frame))),
        largest.map_or(0, |worst| worst.value),
        at(largest.map(|worst| worst.frame)),
    )
}

/// What is beyond the tolerance.
pub fn beyond(subject: &Subject, findings: &Findings) -> String {
    let pairs = findings.totals.pairs;
    let worse = findings.first_fault.map(|(frame, fault)| {
        let (plane, frame) = (subject.planes()[fault.plane], place(&frame));
        let value = (fault.got * 1e6).round() / 1e6;
        format!(
            "{} of {pairs} pairs, first frame {frame} with {} {value} in plane {plane}",
            findings.faults, fault.what
        )
    });
    let missing = findings.alone.iter().zip(["A", "B"]).filter(|(runs, _)| runs.count() > 0);
    let missing = missing.map(|(runs, name)| format!("frames only in {name}: {}", ranges(runs)));
    let asides = findings.asides.iter().filter(|aside| aside.is_beyond).map(ToString::to_string);
    worse.into_iter().chain(missing).chain(asides).collect::<Vec<_>>().join("; ")
}

/// "3-5, 9 and 2 ranges more".
pub fn ranges(runs: &Runs) -> String {
    let range = |run: &std::ops::RangeInclusive<u64>| match (run.start(), run.end()) {
        (start, end) if start == end => start.to_string(),
        (start, end) => format!("{start}-{end}"),
    };
    let shown: Vec<_> = runs.0.iter().take(RANGES_SHOWN).map(range).collect();
    let more = runs.0.len().saturating_sub(RANGES_SHOWN);
    let more = if more > 0 { format!(" and {more} ranges more") } else { String::new() };
    shown.join(", ") + &more
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_written_as_people_do() {
        assert_eq!(ranges(&Runs(vec![3..=5, 9..=9])), "3-5, 9");
        assert_eq!(
            ranges(&Runs((0..10).map(|i| 2 * i..=2 * i).collect())),
            "0, 2, 4, 6, 8, 10, 12, 14 and 2 ranges more"
        );
    }
}
