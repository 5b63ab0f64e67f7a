//! `--html`: one page with plots over time. It refers to nothing but the pictures of `--worst`, and is whole without
//! its script, which shows the numbers of the frame under the pointer.

mod about;
mod chart;
mod link;
mod scale;
pub mod thumb;

pub use about::About;

use crate::cli::compare::banding::BandingTotals;
use crate::cli::compare::findings::{Findings, MeasuredPair, Runs, Subject};
use crate::cli::compare::pairs::FrameLabel;
use crate::cli::compare::spread;
use crate::cli::compare::text::{beyond, place, ranges};
use crate::cli::compare::worst::Shot;
use crate::compare::{PlaneTotals, Side, psnr};
use crate::error::{Error, Result};
use crate::io::TempFile;
use chart::{Chart, PlotCurve};
use scale::{PlotAxis, Top};
use serde::Serialize;
use std::ffi::OsStr;
use std::io::Write;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Rows of the table of worst frames, where --worst does not say.
const WORST_SHOWN: usize = 10;

/// What the plots need of every frame.
#[derive(Default)]
pub struct Page {
    pairs: Vec<PlotPoint>,
    alone: Vec<(Side, FrameLabel)>,
}

/// A pair as the plots show it.
struct PlotPoint {
    frame: FrameLabel,
    mse: f64,
    /// Mean squared error, similarity and largest difference of each plane.
    planes: Vec<(f64, f64, u16)>,
    /// Of A and of B, where it is asked for.
    banding: Option<[f64; 2]>,
}

impl Page {
    /// Adds a pair.
    pub fn pair(&mut self, pair: &MeasuredPair) {
        let planes = pair.difference.planes.iter();
        let planes = planes.map(|plane| (plane.mse(), plane.ssim, plane.largest.map_or(0, |largest| largest.value())));
        let (mse, banding) = (pair.difference.mse(), pair.banding);
        self.pairs.push(PlotPoint { frame: pair.a, mse, planes: planes.collect(), banding });
    }

    /// Adds a frame of `side` that the other lacks.
    pub fn alone(&mut self, side: Side, frame: FrameLabel) {
        self.alone.push((side, frame));
    }

    /// Writes the page to `file`, which was created for `path`, and finishes it.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(
        &self,
        subject: &Subject,
        about: &[About; 2],
        findings: &Findings,
        shots: &[Shot],
        path: &OsStr,
        file: &mut TempFile,
    ) -> Result<()> {
        let page = self.page(subject, about, findings, shots, path)?;
        file.write_all(page.as_bytes()).map_err(|e| Error::io(path.display(), &e))?;
        file.commit()
    }

    fn page(
        &self,
        subject: &Subject,
        about: &[About; 2],
        findings: &Findings,
        shots: &[Shot],
        path: &OsStr,
    ) -> Result<String> {
        let [a, b] = subject.names.each_ref().map(|name| escaped(name));
        let [about_a, about_b] = about.each_ref().map(About::words);
        let parts = [
            format!("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{a} and {b}</title>"),
            "<meta name=\"viewport\" content=\"width=device-width\">".to_owned(),
            format!("<style>\n{STYLE}</style></head><body><main>"),
            format!("<h1>{a}<br><small>and</small> {b}</h1>"),
            format!("<p class=\"about\">A: {about_a}<br>B: {about_b}</p>{}", result(subject, findings)),
            totals(subject, findings),
            self.plots(subject)?,
            self.worst(subject, shots),
            pictures(shots, path)?,
            missing(findings),
            about::made(),
            format!("</main><script>\n{SCRIPT}</script></body></html>\n"),
        ];
        Ok(parts.join("\n"))
    }

    /// Where along the plots a frame is: its time, or its number where not all have one.
    fn along(&self) -> (impl Fn(&FrameLabel) -> f64, &'static str) {
        let frames = self.pairs.iter().map(|point| &point.frame).chain(self.alone.iter().map(|(_, frame)| frame));
        let timed = frames.into_iter().all(|frame| frame.time.is_some());
        let at = move |frame: &FrameLabel| frame.time.filter(|_| timed).unwrap_or(frame.index as f64);
        (at, if timed { "seconds" } else { "frame of A" })
    }

    fn plots(&self, subject: &Subject) -> Result<String> {
        if self.pairs.is_empty() {
            return Ok(String::new());
        }
        let (at, unit) = self.along();
        let along = |frames: &mut dyn Iterator<Item = &FrameLabel>| frames.map(&at).collect::<Vec<_>>();
        let xs = along(&mut self.pairs.iter().map(|point| &point.frame));
        let alone = along(&mut self.alone.iter().map(|(_, frame)| frame));
        let x = PlotAxis::spanning(xs.iter().chain(&alone).copied());
        let depth = subject.bit_depth();
        let limits = subject.tolerance.unwrap_or_default();
        let series = |value: &dyn Fn(&(f64, f64, u16)) -> f64| -> Vec<Vec<f64>> {
            let plane = |i: usize| self.pairs.iter().map(|point| value(&point.planes[i])).collect();
            (0..subject.planes().len()).map(plane).collect()
        };
        let (decibels, similarity, largest) =
            (series(&|p| psnr(p.0, depth)), series(&|p| p.1), series(&|p| f64::from(p.2)));
        let banding: Vec<[f64; 2]> = self.pairs.iter().filter_map(|point| point.banding).collect();
        let banding = match banding[..] {
            [] => Vec::new(),
            _ => [0, 1].map(|side| banding.iter().map(|both| both[side]).collect::<Vec<_>>()).to_vec(),
        };
        let plot = |title, names: &[&str], values: &[Vec<f64>], top, limit: Option<f64>| {
            let curves = names.iter().zip(values);
            let curves = curves.map(|(name, values)| PlotCurve { name, values }).collect();
            Chart { title, x, unit, xs: &xs, alone: &alone, curves, top, limit }.svg()
        };
        let planes = subject.planes();
        let mut charts = vec![
            plot("PSNR, dB", planes, &decibels, Top::Any, limits.psnr),
            plot("SSIM", planes, &similarity, Top::One, limits.ssim),
            plot("largest difference, code values", planes, &largest, Top::FromZero, limits.max.map(f64::from)),
        ];
        if !banding.is_empty() {
            charts.push(plot("banding of A and, dashed, of B (CAMBI)", &["A", "B"], &banding, Top::FromZero, None));
        }
        let numbers = Numbers {
            planes: subject.planes(),
            index: self.pairs.iter().map(|point| point.frame.index).collect(),
            time: self.pairs.iter().map(|point| point.frame.time).collect(),
            x: xs.iter().map(|at| chart::across(x, *at)).collect(),
            psnr: decibels.iter().map(|values| values.iter().map(|value| rounded(*value, 1e3)).collect()).collect(),
            ssim: similarity.iter().map(|values| values.iter().map(|value| rounded(*value, 1e6)).collect()).collect(),
            max: largest,
            banding: banding.iter().map(|values| values.iter().map(|value| rounded(*value, 1e3)).collect()).collect(),
        };
        // Inside a script only "</" would end it, which numbers and plane names do not have.
        let numbers = serde_json::to_string(&numbers).map_err(|e| Error::internal(format!("JSON: {e}")))?;
        Ok(format!(
            "<h2>Over time</h2>\n<p class=\"keys\">{}</p>\n<output id=\"readout\" aria-live=\"polite\">Point at a plot, or \
             focus one and use the arrow keys, for the numbers of a frame.</output>\n<div class=\"wide\">{}</div>\n<script \
             type=\"application/json\" id=\"numbers\">{numbers}</script>",
            keys(subject, !self.alone.is_empty()),
            charts.concat()
        ))
    }

    /// The numbers of the worst frames: of those with pictures, where there are any.
    fn worst(&self, subject: &Subject, shots: &[Shot]) -> String {
        let is_shown = |point: &&PlotPoint| match shots {
            [] => point.mse > 0.0,
            shots => shots.iter().any(|shot| shot.frame == point.frame.index),
        };
        let shown = self.pairs.iter().filter(is_shown).collect();
        let (most, apart) = (shots.len().max(WORST_SHOWN), spread::apart(&subject.infos[0]));
        let worst = spread::worst(shown, most, apart, |point| (point.frame.index, point.mse));
        if worst.is_empty() {
            return String::new();
        }
        let row = |point: &&PlotPoint| {
            let cells = point.planes.iter().map(|(mse, ssim, max)| {
                format!("<td>{}</td><td>{ssim:.6}</td><td>{max}</td>", decibels(*mse, subject.bit_depth()))
            });
            format!("<tr><th scope=\"row\">{}</th>{}</tr>", place(&point.frame), cells.collect::<String>())
        };
        let heads = subject.planes().iter().map(|name| {
            format!("<th scope=\"col\">{name} PSNR</th><th scope=\"col\">SSIM</th><th scope=\"col\">max</th>")
        });
        format!(
            "<h2>Worst frames</h2>\n<div class=\"wide\"><table><tr><th scope=\"col\">frame of A</th>{}</tr>{}</table></div>",
            heads.collect::<String>(),
            worst.iter().map(row).collect::<String>()
        )
    }
}

/// The pictures of `shots`, small, with links to the files as the page at `path` reaches them.
fn pictures(shots: &[Shot], path: &OsStr) -> Result<String> {
    let mut html = String::new();
    for shot in shots {
        let frame = shot.frame;
        let names = ["A".to_owned(), "B".to_owned(), format!("difference ×{}", shot.gain)];
        html += &format!("<div class=\"shot\"><p>frame {frame}</p>");
        for ((file, small), name) in shot.files.iter().zip(&shot.small).zip(names) {
            let (link, address) = (escaped(&link::relative(path, file)), thumb::address(small)?);
            let (width, height) = (small.width, small.height);
            html += &format!(
                "<a href=\"{link}\"><img src=\"{address}\" width=\"{width}\" height=\"{height}\" \
                 alt=\"frame {frame}, {name}\">{name}</a>"
            );
        }
        html += "</div>\n";
    }
    Ok(html)
}

/// The numbers that the script shows. The PSNR of equal planes is null.
#[derive(Serialize)]
struct Numbers<'a> {
    planes: &'a [&'a str],
    index: Vec<u64>,
    time: Vec<Option<f64>>,
    /// Where a frame is along the plots, in their units.
    x: Vec<f64>,
    psnr: Vec<Vec<f64>>,
    ssim: Vec<Vec<f64>>,
    max: Vec<Vec<f64>>,
    /// Of A and of B, or nothing.
    banding: Vec<Vec<f64>>,
}

fn rounded(value: f64, to: f64) -> f64 {
    (value * to).round() / to
}

fn decibels(mse: f64, bit_depth: u8) -> String {
    match psnr(mse, bit_depth) {
        value if value.is_finite() => format!("{value:.3}"),
        _ => "equal".to_owned(),
    }
}

/// Text as HTML has it, also within quotes.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&#39;")
}

fn result(subject: &Subject, findings: &Findings) -> String {
    let verdict = match subject.tolerance {
        None => String::new(),
        Some(tolerance) if findings.passes() => format!("<strong class=\"pass\">Within {tolerance}.</strong> "),
        Some(tolerance) => {
            let beyond = escaped(&beyond(subject, findings));
            format!("<strong class=\"fail\">Not within {tolerance}: {beyond}.</strong> ")
        }
    };
    let info = &subject.infos[0];
    let first = findings.first.as_ref().map_or_else(
        || "no sample differs".to_owned(),
        |(frame, _)| format!("{} differ, first frame {}", findings.totals.different, place(frame)),
    );
    let chains = subject.chains.iter().zip(["A", "B"]).filter(|(chain, _)| !chain.is_empty());
    let chains = chains.map(|(chain, name)| format!(" {name} is filtered: <code>{}</code>.", escaped(chain)));
    let hint = findings
        .hint
        .as_ref()
        .map_or_else(String::new, |hint| format!("<p>Moved: {}.</p>", escaped(&hint.to_string())));
    let asides: String =
        findings.asides.iter().map(|aside| format!("<li>{}</li>", escaped(&aside.to_string()))).collect();
    let asides = if asides.is_empty() { asides } else { format!("<p>Besides the frames:</p><ul>{asides}</ul>") };
    format!(
        "<p>{verdict}{} pairs of {}×{} {} frames by {}: {first}. Only in A: {}; only in B: {}{}.{}</p>{asides}{hint}",
        findings.totals.pairs,
        info.width,
        info.height,
        info.format,
        subject.align.name(),
        findings.alone[0].count(),
        findings.alone[1].count(),
        subject.remark(),
        chains.collect::<String>()
    )
}

fn totals(subject: &Subject, findings: &Findings) -> String {
    let totals = &findings.totals;
    if totals.pairs == 0 {
        return String::new();
    }
    let depth = subject.bit_depth();
    let row = |(name, of): (&str, &PlaneTotals)| {
        let cell = |value: Option<(String, u64)>| value.map_or_else(String::new, |(v, at)| format!("{v} (frame {at})"));
        format!(
            "<tr><th scope=\"row\">{name}</th><td>{}</td><td>{}</td><td>{:.6}</td><td>{}</td><td>{}</td></tr>",
            decibels(totals.mean_mse(of), depth),
            cell(of.worst_mse.map(|worst| (decibels(worst.value, depth), worst.frame))),
            totals.mean_ssim(of),
            cell(of.worst_ssim.map(|worst| (format!("{:.6}", worst.value), worst.frame))),
            cell(of.largest.map(|worst| (worst.value.to_string(), worst.frame))),
        )
    };
    let rows = subject.planes().iter().copied().zip(&totals.planes).chain([("all", &totals.frame)]).map(row);
    let banding = if subject.banding { banding(findings) } else { String::new() };
    format!(
        "<div class=\"wide\"><table><tr><th scope=\"col\">plane</th><th scope=\"col\">mean PSNR, dB</th><th \
         scope=\"col\">lowest</th><th scope=\"col\">mean SSIM</th><th scope=\"col\">lowest</th><th scope=\"col\">largest \
         difference</th></tr>{}</table></div>{banding}",
        rows.collect::<String>()
    )
}

fn banding(findings: &Findings) -> String {
    let row = |(name, banding): (&str, &BandingTotals)| {
        let highest = banding.highest.map_or_else(String::new, |(value, frame)| format!("{value:.3} (frame {frame})"));
        format!("<tr><th scope=\"row\">{name}</th><td>{:.3}</td><td>{highest}</td></tr>", banding.mean())
    };
    let rows: String = ["A", "B"].into_iter().zip(&findings.banding).map(row).collect();
    format!(
        "<div class=\"wide\"><table><tr><th scope=\"col\">video</th><th scope=\"col\">mean banding</th><th \
         scope=\"col\">highest</th></tr>{rows}</table></div>"
    )
}

fn keys(subject: &Subject, alone: bool) -> String {
    let key = |(i, name): (usize, &&str)| {
        format!(
            "<svg class=\"key\" viewBox=\"0 0 30 10\" aria-hidden=\"true\"><path class=\"c{i}\" d=\"M0 5H30\"/></svg>{name}"
        )
    };
    let mut keys: Vec<_> = subject.planes().iter().enumerate().map(key).collect();
    if alone {
        keys.push("<svg class=\"key\" viewBox=\"0 0 30 10\" aria-hidden=\"true\"><path class=\"alone\" d=\"M15 0V10\"/></svg>in one video only".to_owned());
    }
    keys.join(" ")
}

fn missing(findings: &Findings) -> String {
    let list = |(runs, name): (&Runs, &str)| match runs.count() {
        0 => String::new(),
        count => format!("<p>{count} frames only in {name}: {}</p>", ranges(runs)),
    };
    let lists: String = findings.alone.iter().zip(["A", "B"]).map(list).collect();
    if lists.is_empty() { lists } else { format!("<h2>Missing frames</h2>\n{lists}") }
}
