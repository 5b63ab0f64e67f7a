//! The plain sums: every sample is kept, and what is asked is worked out of all of them at the end.

use super::Statistic;
use super::sums::{PlaneSums, StatsSums};
use crate::filters::measure::Sums;
use crate::video::{Record, Value};

/// A plane's name, what is measured of it, and its samples, row by row.
type MeasuredPlane = (&'static str, Statistic, Vec<Vec<u16>>);

/// The samples of every plane that is measured.
#[derive(Clone)]
pub struct Reference {
    planes: Vec<Option<MeasuredPlane>>,
}

impl Reference {
    /// What `sums` measures.
    pub fn new(sums: StatsSums) -> Reference {
        let plane = |plane: PlaneSums| (plane.name, plane.what, Vec::new());
        Reference { planes: sums.0.into_iter().map(|sums| sums.map(plane)).collect() }
    }
}

impl Sums for Reference {
    fn row(&mut self, component: usize, _: usize, lanes: &[u16]) {
        if let Some((_, _, rows)) = &mut self.planes[component] {
            rows.push(lanes.to_vec());
        }
    }

    fn join(&mut self, _: &mut Reference) {
        unreachable!("the plain kernel has one sum")
    }

    fn finish(&mut self, record: &mut Record) {
        for (name, what, rows) in self.planes.iter_mut().flatten() {
            measure(name, *what, &std::mem::take(rows), record);
        }
    }
}

fn measure(name: &str, what: Statistic, rows: &[Vec<u16>], record: &mut Record) {
    let samples = || rows.iter().flatten().map(|sample| u128::from(*sample));
    let (n, sum) = (samples().count() as u128, samples().sum::<u128>());
    if what.has(Statistic::Basic) {
        let squares: u128 = samples().map(|v| v * v).sum();
        record.push(format!("{name}_min"), Value::Int(samples().min().unwrap_or(0) as i64));
        record.push(format!("{name}_max"), Value::Int(samples().max().unwrap_or(0) as i64));
        record.push(format!("{name}_sum"), Value::Int(sum as i64));
        record.push(format!("{name}_mean"), Value::Float(sum as f64 / n as f64));
        record.push(format!("{name}_variance"), Value::Float((n * squares - sum * sum) as f64 / (n * n) as f64));
    }
    if what.has(Statistic::Hist) {
        let mut bins = vec![0; 1024];
        samples().for_each(|v| bins[(v / 64) as usize] += 1);
        record.push(format!("{name}_histogram"), Value::List(bins));
    }
    if what.has(Statistic::Rows) {
        let sum = |row: &Vec<u16>| row.iter().map(|v| u64::from(*v)).sum();
        record.push(format!("{name}_rows"), Value::List(rows.iter().map(sum).collect()));
    }
    if what.has(Statistic::Columns) {
        let sum = |x: usize| rows.iter().map(|row| u64::from(row[x])).sum();
        record.push(format!("{name}_columns"), Value::List((0..rows[0].len()).map(sum).collect()));
    }
}
