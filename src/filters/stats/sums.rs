//! What is measured of a picture.

use super::Statistic;
use crate::filters::measure::Sums;
use crate::filters::stats::tuning::cpu::{PART, TABLES};
use crate::video::{Record, Value};

/// Values that a histogram distinguishes, and how far they lie below those of 16 bits.
pub const BINS: usize = 1024;
pub const BIN_SHIFT: u32 = 6;

/// The sums of one plane.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaneSums {
    pub name: &'static str,
    pub what: Statistic,
    count: u64,
    pub min: u16,
    pub max: u16,
    pub sum: u64,
    pub squares: u64,
    /// `TABLES` of [`BINS`] each, or none.
    pub histogram: Vec<u32>,
    pub rows: Vec<u32>,
    pub columns: Vec<u32>,
}

impl PlaneSums {
    /// Of a plane called `name`, of `width` and `height`.
    pub fn new(name: &'static str, what: Statistic, (width, height): (usize, usize)) -> PlaneSums {
        let words = |part: Statistic, count: usize| vec![0; if what.has(part) { count } else { 0 }];
        PlaneSums {
            name,
            what,
            count: width as u64 * height as u64,
            min: u16::MAX,
            max: 0,
            sum: 0,
            squares: 0,
            histogram: words(Statistic::Hist, TABLES * BINS),
            rows: words(Statistic::Rows, height),
            columns: words(Statistic::Columns, width),
        }
    }

    #[inline(always)]
    fn add(&mut self, y: usize, lanes: &[u16]) {
        if self.what.has(Statistic::Basic) {
            self.add_basic(lanes);
        }
        if let Some(row) = self.rows.get_mut(y) {
            *row = lanes.iter().map(|lane| u32::from(*lane)).sum();
        }
        for (column, lane) in self.columns.iter_mut().zip(lanes) {
            *column += u32::from(*lane);
        }
        if let Ok(tables) = <&mut [u32; TABLES * BINS]>::try_from(&mut self.histogram[..]) {
            for four in lanes.chunks(TABLES) {
                for (table, lane) in four.iter().enumerate() {
                    tables[table * BINS + usize::from(*lane >> BIN_SHIFT)] += 1;
                }
            }
        }
    }

    #[inline(always)]
    fn add_basic(&mut self, lanes: &[u16]) {
        let (mut min, mut max) = (self.min, self.max);
        for part in lanes.chunks(PART) {
            let (mut sum, mut squares) = (0u32, 0u64);
            for lane in part {
                (min, max) = (min.min(*lane), max.max(*lane));
                sum += u32::from(*lane);
                squares += u64::from(u32::from(*lane) * u32::from(*lane));
            }
            self.sum += u64::from(sum);
            self.squares += squares;
        }
        (self.min, self.max) = (min, max);
    }

    fn join(&mut self, other: &mut PlaneSums) {
        self.min = self.min.min(std::mem::replace(&mut other.min, u16::MAX));
        self.max = self.max.max(std::mem::take(&mut other.max));
        self.sum += std::mem::take(&mut other.sum);
        self.squares += std::mem::take(&mut other.squares);
        let lists = [&mut self.histogram, &mut self.rows, &mut self.columns];
        for (mine, others) in lists.into_iter().zip([&mut other.histogram, &mut other.rows, &mut other.columns]) {
            for (mine, other) in mine.iter_mut().zip(others) {
                *mine += std::mem::take(other);
            }
        }
    }

    fn finish(&mut self, record: &mut Record) {
        let mut push = |value: &str, to: Value| record.push(format!("{}_{value}", self.name), to);
        if self.what.has(Statistic::Basic) {
            let (n, sum, squares) = (u128::from(self.count), u128::from(self.sum), u128::from(self.squares));
            push("min", Value::Int(self.min.into()));
            push("max", Value::Int(self.max.into()));
            push("sum", Value::Int(self.sum as i64));
            push("mean", Value::Float(self.sum as f64 / self.count as f64));
            push("variance", Value::Float((n * squares - sum * sum) as f64 / (n * n) as f64));
        }
        let list = |words: &[u32]| Value::List(words.iter().map(|word| u64::from(*word)).collect());
        if self.what.has(Statistic::Hist) {
            let of_bin = |bin: usize| (0..TABLES).map(|table| u64::from(self.histogram[table * BINS + bin])).sum();
            push("histogram", Value::List((0..BINS).map(of_bin).collect()));
        }
        if self.what.has(Statistic::Rows) {
            push("rows", list(&self.rows));
        }
        if self.what.has(Statistic::Columns) {
            push("columns", list(&self.columns));
        }
        (self.min, self.max, self.sum, self.squares) = (u16::MAX, 0, 0, 0);
        [&mut self.histogram, &mut self.rows, &mut self.columns].into_iter().for_each(|list| list.fill(0));
    }
}

/// The sums of every plane that is measured.
#[derive(Clone, Debug)]
pub struct StatsSums(pub Vec<Option<PlaneSums>>);

impl Sums for StatsSums {
    #[inline(always)]
    fn row(&mut self, component: usize, y: usize, lanes: &[u16]) {
        if let Some(plane) = &mut self.0[component] {
            plane.add(y, lanes);
        }
    }

    fn join(&mut self, other: &mut StatsSums) {
        for (mine, other) in self.0.iter_mut().zip(&mut other.0) {
            if let (Some(mine), Some(other)) = (mine, other) {
                mine.join(other);
            }
        }
    }

    fn finish(&mut self, record: &mut Record) {
        self.0.iter_mut().flatten().for_each(|plane| plane.finish(record));
    }
}
