//! From values to places along an axis, and where its ticks are.

/// Ticks that an axis has, about.
const TICKS: f64 = 5.0;

/// Where a value axis ends.
#[derive(Clone, Copy, PartialEq)]
pub enum Top {
    /// Where the values do.
    Any,
    /// At 1, the most there can be.
    One,
    /// Where the values do, from 0.
    FromZero,
}

/// A range of values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlotAxis {
    low: f64,
    high: f64,
    /// The distance of its ticks.
    step: f64,
}

impl PlotAxis {
    /// From the smallest to the largest of `values`; those that are not finite do not count.
    pub fn spanning(values: impl Iterator<Item = f64>) -> PlotAxis {
        let finite = values.filter(|value| value.is_finite());
        let (low, high) =
            finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (value.min(low), value.max(high)));
        if low > high { PlotAxis::over(0.0, 1.0) } else { PlotAxis::over(low, high) }
    }

    /// The same, ending as `top` says, and at ticks.
    pub fn nice(self, top: Top) -> PlotAxis {
        let (low, high) = match top {
            Top::Any => (self.low, self.high),
            Top::One => (self.low, 1.0),
            Top::FromZero => (0.0, self.high),
        };
        let step = PlotAxis::over(low, high).step;
        // The ticks stay those of the range within.
        PlotAxis { step, ..PlotAxis::over((low / step).floor() * step, (high / step).ceil() * step) }
    }

    /// The range from `low` to `high`. Nothing can be drawn in one of a single value.
    fn over(low: f64, high: f64) -> PlotAxis {
        let high = if high > low { high } else { low + 1.0 };
        let rough = (high - low) / TICKS;
        let power = 10f64.powf(rough.log10().floor());
        // 1, 2 or 5 of some power of ten.
        let steps = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power);
        PlotAxis { low, high, step: steps.into_iter().find(|step| *step >= rough).unwrap_or(rough) }
    }

    /// Where `value` is, from 0 to 1.
    pub fn part(self, value: f64) -> f64 {
        (value - self.low) / (self.high - self.low)
    }

    /// The ticks and their labels.
    pub fn ticks(self) -> Vec<(f64, String)> {
        let step = self.step;
        let digits = (-step.log10().floor()).max(0.0) as usize;
        let (first, last) = ((self.low / step - 1e-6).ceil() as i64, (self.high / step + 1e-6).floor() as i64);
        (first..=last).map(|i| i as f64 * step).map(|at| (at, format!("{at:.digits$}"))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: PlotAxis) -> String {
        axis.ticks().into_iter().map(|(_, label)| label).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn axes_end_at_round_numbers() {
        let axis = |values: &[f64], top| PlotAxis::spanning(values.iter().copied()).nice(top);
        assert_eq!(labels(axis(&[31.2, 48.9, f64::INFINITY], Top::Any)), "30 35 40 45 50");
        assert_eq!(labels(axis(&[0.9961, 0.9987], Top::One)), "0.996 0.997 0.998 0.999 1.000");
        assert_eq!(labels(axis(&[3.0, 7.0], Top::FromZero)), "0 2 4 6 8");
        assert_eq!(labels(axis(&[1.0, 1.0], Top::One)).split(' ').next(), Some("1.0"));
        assert_eq!(labels(axis(&[f64::INFINITY], Top::Any)).split(' ').next_back(), Some("1.0"));
        assert_eq!(PlotAxis::spanning([2.0, 4.0].into_iter()).part(3.0), 0.5);
    }
}
