//! Kernels that can work in several ways, on a CUDA device: each way of each gives what the reference gives. A choice between them may
//! then depend on a clock, and on a file of any content.

use crate::case::{Case, MEDIUM, TESTED, cases};
use crate::cuda::{ALIGNMENTS, Gpu, ODD, all_on, device, sized};
use crate::memory::{Guarded, compare};
use crate::sample::run_seed;
use std::collections::BTreeSet;
use std::sync::Mutex;
use vramp::device::cuda::CudaDevice;

/// Filters that have such kernels.
const CHOOSING: [&str; 5] = ["bilateral", "box", "convolve", "deband", "gauss"];

/// Of how many cases of a medium size one meets frames that are many blocks wide and high.
const ODD_STEP: usize = 11;

/// Kernels, and ways in which they worked.
type Tried = Mutex<BTreeSet<(String, String)>>;

/// Every way of every kernel of `case` gives what `expected` says.
fn check_ways(
    case: &Case,
    gpu: &Gpu,
    alignments: &[usize],
    tried: &Tried,
    expected: impl Fn() -> Result<Guarded, String>,
) -> Result<(), String> {
    let tuning = gpu.device.tuning();
    tuning.take_met();
    gpu.kernel(case)?;
    let mut met = tuning.take_met();
    met.retain(|_, space| space.ways.len() > 1);
    if met.is_empty() {
        return Ok(());
    }
    let expected = expected()?;
    for (key, space) in met {
        for way in &space.ways {
            tuning.force(&key, way);
            let ran = alignments.iter().try_for_each(|align| {
                let got = gpu.run(gpu.kernel(case)?.as_mut(), case, 0, *align, case.seed + 10);
                got.and_then(|got| compare(&expected, &got)).map_err(|fault| format!("rows on {align} bytes: {fault}"))
            });
            let taken = tuning.take_met().remove(&key).map(|space| space.ways[space.taken].clone());
            tuning.release();
            ran.map_err(|fault| format!("by {way}: {fault}"))?;
            if taken.as_ref() != Some(way) {
                return Err(format!("{way} was asked for, and {taken:?} taken"));
            }
            tried.lock().unwrap().insert((key.kernel.clone(), way.clone()));
        }
    }
    Ok(())
}

/// Runs `check` on `cases`, on a device of each worker's own: what one forces is nothing to the others.
fn all_ways(
    cases: impl Iterator<Item = Case> + Send,
    check: impl Fn(&Case, &Gpu, &Tried) -> Result<(), String> + Sync,
) {
    let (Some(device), tried) = (device(), Tried::default()) else { return };
    let own = || Gpu::new(&CudaDevice::open(device.info().ordinal).unwrap());
    all_on(&device, own, cases, |case, gpu| check(case, gpu, &tried));
    let tried = tried.into_inner().unwrap();
    let only = std::env::var("VRAMP_FILTER").ok();
    for name in CHOOSING.iter().filter(|name| only.as_deref().is_none_or(|only| only == **name)) {
        assert!(
            tried.iter().filter(|(kernel, _)| kernel == name).count() > 1,
            "VRAMP_SEED={}: {name}: {tried:?}",
            run_seed()
        );
    }
    println!("{} ways: {tried:?}", tried.len());
}

#[test]
fn cuda_every_candidate_equals_the_reference() {
    all_ways(cases(&TESTED), |case, gpu, tried| check_ways(case, gpu, &ALIGNMENTS, tried, || gpu.expected(case, 0)));
}

/// On frames that are many blocks wide and high, where ways differ most in how they cut.
#[test]
fn cuda_every_candidate_equals_the_cpu_on_odd_frames() {
    let medium = cases(&TESTED).filter(|case| case.shape() == MEDIUM && CHOOSING.contains(&case.filter.name));
    let odd = medium.step_by(ODD_STEP).map(|case| sized(case, ODD)).filter(Case::fits);
    all_ways(odd, |case, gpu, tried| check_ways(case, gpu, &[64], tried, || gpu.expected_fast(case)));
}
