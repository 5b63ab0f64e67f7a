//! A plot over time as SVG.

use crate::cli::compare::html::scale::{PlotAxis, Top};
use std::fmt::Write;

const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 220.0;
const LEFT: f64 = 60.0;
const RIGHT: f64 = 10.0;
const TOP: f64 = 24.0;
const BOTTOM: f64 = 36.0;

/// How far above the highest value what is infinite lies.
const ABOVE: f64 = 16.0;

/// One line of a plot.
pub struct PlotCurve<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its value at every x.
    pub values: &'a [f64],
}

/// A plot.
pub struct Chart<'a> {
    /// What the values are.
    pub title: &'a str,
    /// The range of all x.
    pub x: PlotAxis,
    /// What x counts.
    pub unit: &'a str,
    /// The x of every pair.
    pub xs: &'a [f64],
    /// The x of frames without a partner.
    pub alone: &'a [f64],
    /// The lines.
    pub curves: Vec<PlotCurve<'a>>,
    /// Where the values end.
    pub top: Top,
    /// The limit that values are compared with.
    pub limit: Option<f64>,
}

/// Where `x` is, in the units of the plots.
pub fn across(axis: PlotAxis, x: f64) -> f64 {
    let place = LEFT + axis.part(x) * (WIDTH - LEFT - RIGHT);
    (place * 10.0).round() / 10.0
}

impl Chart<'_> {
    /// The whole plot.
    pub fn svg(&self) -> String {
        let values = || self.curves.iter().flat_map(|curve| curve.values).copied();
        let y = PlotAxis::spanning(values().chain(self.limit)).nice(self.top);
        let above = if values().any(f64::is_infinite) { ABOVE } else { 0.0 };
        let at = |value: f64| match value.is_finite() {
            true => HEIGHT - BOTTOM - y.part(value) * (HEIGHT - TOP - BOTTOM - above),
            false => TOP,
        };
        let mut svg = format!(
            "<figure><figcaption>{title}</figcaption><svg class=\"plot\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
             tabindex=\"0\" aria-label=\"{title} over {}: {}\">",
            self.unit,
            self.described(),
            title = self.title,
        );
        // Writing to a string cannot fail.
        let mut put = |text: std::fmt::Arguments<'_>| {
            let _ = svg.write_fmt(text);
        };
        for (value, label) in y.ticks() {
            let (y, right) = (at(value), WIDTH - RIGHT);
            put(format_args!("<path class=\"grid\" d=\"M{LEFT} {y:.1}H{right}\"/>"));
            put(format_args!("<text class=\"y\" x=\"{}\" y=\"{:.1}\">{label}</text>", LEFT - 6.0, y + 4.0));
        }
        if above > 0.0 {
            put(format_args!("<text class=\"y\" x=\"{}\" y=\"{}\">equal</text>", LEFT - 6.0, TOP + 4.0));
        }
        for (value, label) in self.x.ticks() {
            let (x, y) = (across(self.x, value), HEIGHT - BOTTOM);
            put(format_args!(
                "<path class=\"grid\" d=\"M{x} {y}v5\"/><text class=\"x\" x=\"{x}\" y=\"{}\">{label}</text>",
                y + 18.0
            ));
        }
        put(format_args!("<text class=\"x\" x=\"{}\" y=\"{}\">{}</text>", WIDTH / 2.0, HEIGHT - 4.0, self.unit));
        if let Some(limit) = self.limit {
            put(format_args!("<path class=\"limit\" d=\"M{LEFT} {:.1}H{}\"/>", at(limit), WIDTH - RIGHT));
        }
        let mut marks: Vec<_> = self.alone.iter().map(|x| across(self.x, *x).round()).collect();
        marks.dedup();
        marks.iter().for_each(|x| put(format_args!("<path class=\"alone\" d=\"M{x} {}v-8\"/>", HEIGHT - BOTTOM)));
        for (i, curve) in self.curves.iter().enumerate().rev() {
            put(format_args!("<path class=\"c{i}\" d=\"{}\"/>", self.line(curve.values, &at)));
        }
        svg + &format!("<path class=\"cursor\" d=\"M0 {TOP}V{}\"/></svg></figure>", HEIGHT - BOTTOM)
    }

    /// The line through `values`. Of those that share a place the lowest and the highest are drawn: no frame is hidden.
    fn line(&self, values: &[f64], at: &dyn Fn(f64) -> f64) -> String {
        let mut path = String::new();
        let points: Vec<_> =
            self.xs.iter().zip(values).map(|(x, value)| (across(self.x, *x).round(), at(*value))).collect();
        for column in points.chunk_by(|a, b| a.0 == b.0) {
            let (high, low) =
                column.iter().fold((f64::MAX, f64::MIN), |(high, low), (_, y)| (high.min(*y), low.max(*y)));
            let command = if path.is_empty() { 'M' } else { 'L' };
            let x = column[0].0;
            let _ = write!(path, "{command}{x} {high:.1}");
            if low > high {
                let _ = write!(path, "V{low:.1}");
            }
        }
        // A lone point is seen as a short line.
        if points.len() == 1 { path + "h4" } else { path }
    }

    /// The ranges in words, for those who do not see the plot.
    fn described(&self) -> String {
        let value = |value: f64| {
            if value.is_finite() { format!("{}", (value * 1e4).round() / 1e4) } else { "equal".to_owned() }
        };
        let range = |curve: &PlotCurve<'_>| {
            let (low, high) =
                curve.values.iter().fold((f64::INFINITY, 0.0f64), |(low, high), v| (v.min(low), v.max(high)));
            format!("{} from {} to {}", curve.name, value(low), value(high))
        };
        self.curves.iter().map(range).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_that_share_a_column_are_all_within_the_line() {
        let xs: Vec<f64> = (0..100_000).map(f64::from).collect();
        let mut values = vec![50.0; xs.len()];
        values[77_777] = 20.0;
        let curves = vec![PlotCurve { name: "y", values: &values }];
        let x = PlotAxis::spanning(xs.iter().copied());
        let chart = Chart { title: "t", x, unit: "u", xs: &xs, alone: &[], curves, top: Top::Any, limit: None };
        let line = chart.line(&values, &|value| value);
        assert_eq!(line.matches('V').count(), 1, "the one bad frame shows");
        assert!(line.contains("20.0V50.0") && line.len() < 12_000);
    }
}
