//! The tables of gains that are there: kernels share them, however many frames and films are filtered at once.

use super::peaks::{GainSource, GainTables};
use crate::device::Shared;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};

/// So many stay when no kernel uses them any more. All tables of a curve with a knee are 33 MB and up to two seconds of work, and
/// hosts build kernels more often than they change parameters.
const KEPT: usize = 2;

static SHARED: SharedGains = SharedGains::new();

/// The tables for `source`: those that are there already, or new ones. Nobody waits here for a table to be worked out: that is done
/// when it is first asked for.
pub fn gains(source: GainSource) -> Arc<GainTables> {
    SHARED.get(source)
}

struct SharedGains {
    used: Shared<GainSource, GainTables>,
    /// Those that were asked for last, the latest first.
    last: Mutex<Vec<Arc<GainTables>>>,
}

impl SharedGains {
    const fn new() -> SharedGains {
        SharedGains { used: Shared::new(), last: Mutex::new(Vec::new()) }
    }

    fn get(&self, source: GainSource) -> Arc<GainTables> {
        let Ok(tables) = self.used.get(source, || Ok::<_, Infallible>(Arc::new(GainTables::new(source))));
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.retain(|last| !Arc::ptr_eq(last, &tables));
        last.insert(0, Arc::clone(&tables));
        last.truncate(KEPT);
        tables
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filters::colour::tonemap::TonemapParams;

    #[test]
    fn tables_stay_while_they_are_used_and_the_last_ones_longer() {
        let shared = SharedGains::new();
        let get = |target: f64| {
            let params = TonemapParams { target, ..TonemapParams::default() };
            shared.get(params.gain_source(false))
        };
        let used = get(100.0);
        let [unused, last, latest] = [101.0, 102.0, 103.0].map(|target| Arc::downgrade(&get(target)));
        assert!(Arc::ptr_eq(&used, &get(100.0)));
        // That was the latest.
        assert_eq!([unused, last, latest].map(|tables| tables.strong_count()), [0, 0, 1]);
    }
}
