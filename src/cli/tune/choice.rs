//! Which way wins.

/// The share of the default's time that another way may take at most: what differs by less comes and goes with the clocks.
const LEAD: f64 = 0.98;

/// The median of `times`.
///
/// # Panics
/// When there are none.
pub fn median(times: &[f64]) -> f64 {
    let mut times = times.to_vec();
    times.sort_unstable_by(f64::total_cmp);
    times[times.len() / 2]
}

/// The number of the way that wins by the times of its replays; an empty list is of a way that is out. The first is the default, and
/// wins unless another leads in both halves.
pub fn winner(times: &[Vec<f64>]) -> usize {
    let halves = |times: &[f64]| {
        let (first, second) = times.split_at(times.len() / 2);
        [if first.is_empty() { second } else { first }, second].map(median)
    };
    let default = halves(&times[0]);
    let leads = |times: &[f64]| {
        let own = halves(times);
        own[0] < LEAD * default[0] && own[1] < LEAD * default[1]
    };
    let leading = (1..times.len()).filter(|way| !times[*way].is_empty() && leads(&times[*way]));
    leading.min_by(|a, b| median(&times[*a]).total_cmp(&median(&times[*b]))).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fastest_that_leads_in_both_halves_wins() {
        let way = |first: f64, second: f64| vec![first, first, first, second, second, second];
        for (times, expected) in [
            (vec![way(1.0, 1.0)], 0),
            (vec![way(1.0, 1.0), way(0.99, 0.99)], 0),
            (vec![way(1.0, 1.0), way(0.9, 0.99)], 0),
            (vec![way(1.0, 1.0), way(0.9, 0.9), way(0.8, 0.8)], 2),
            (vec![way(1.0, 1.0), way(0.9, 0.9), Vec::new()], 1),
            (vec![way(1.0, 0.5), way(0.9, 0.7)], 0),
            (vec![vec![1.0], vec![0.5]], 1),
        ] {
            assert_eq!(winner(&times), expected, "{times:?}");
        }
    }
}
