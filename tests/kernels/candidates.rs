//! Kernels that can work in several ways, on a CUDA device: each way of each gives what the reference gives. A choice between them may
//! then depend on a clock, and on a file of any content.

use crate::case::{Case, MEDIUM, TESTED, cases};
use crate::cuda::{ALIGNMENTS, Gpu, ODD, all_on, batch, device, sized};
use crate::memory::{Guarded, compare};
use crate::sample::run_seed;
use std::collections::BTreeSet;
use std::sync::Mutex;
use vramp::device::cuda::CudaDevice;

/// Filters that have such kernels.
const CHOOSING: [&str; 6] = ["bilateral", "box", "convolve", "deband", "domain", "gauss"];

/// Those that take several frames at a time, how many here, and of how many cases one meets them.
const BATCHED: [&str; 1] = ["domain"];
const FRAMES: u64 = 3;
const BATCH_STEP: usize = 3;

/// Of how many cases of a medium size one meets frames that are many blocks wide and high.
const ODD_STEP: usize = 11;

/// Kernels, and ways in which they worked.
type Tried = Mutex<BTreeSet<(String, String)>>;

/// Every way of every kernel of `case` gives of the first frames, all at a time, what `expected` says of each.
fn check_ways(
    case: &Case,
    gpu: &Gpu,
    alignments: &[usize],
    frames: u64,
    tried: &Tried,
    expected: impl Fn(u64) -> Result<Guarded, String>,
) -> Result<(), String> {
    let (tuning, laters) = (gpu.device.tuning(), (0..frames).collect::<Vec<_>>());
    let kernel = || gpu.kernel_for(case, laters.len());
    tuning.take_met();
    kernel()?;
    let mut met = tuning.take_met();
    met.retain(|_, space| space.ways.len() > 1);
    if met.is_empty() {
        return Ok(());
    }
    let expected = laters.iter().map(|later| expected(*later)).collect::<Result<Vec<_>, _>>()?;
    for (key, space) in met {
        for way in &space.ways {
            tuning.force(&key, way);
            let ran = alignments.iter().try_for_each(|align| {
                let got = gpu.run_batch(kernel()?.as_mut(), case, &laters, *align, case.seed + 10);
                let same = got.and_then(|got| expected.iter().zip(&got).try_for_each(|(one, got)| compare(one, got)));
                same.map_err(|fault| format!("rows on {align} bytes: {fault}"))
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

/// Runs `check` on `cases`, on a device of each worker's own, of no more than `compute`: what one forces is nothing to the others. Of
/// each of `kernels`, some way is tried.
fn all_ways(
    kernels: &[&str],
    compute: (u32, u32),
    cases: impl Iterator<Item = Case> + Send,
    check: impl Fn(&Case, &Gpu, &Tried) -> Result<(), String> + Sync,
) {
    let (Some(device), tried) = (device(), Tried::default()) else { return };
    let own = || Gpu::new(&CudaDevice::open_as(device.info().ordinal, compute, usize::MAX).unwrap());
    all_on(&device, own, cases, |case, gpu| check(case, gpu, &tried));
    let tried = tried.into_inner().unwrap();
    let only = std::env::var("VRAMP_FILTER").ok();
    for name in kernels.iter().filter(|name| only.as_deref().is_none_or(|only| only == **name)) {
        assert!(
            tried.iter().filter(|(kernel, _)| kernel == name).count() > 1,
            "VRAMP_SEED={}: {name}: {tried:?}",
            run_seed()
        );
    }
    println!("{} ways: {tried:?}", tried.len());
}

/// Any device.
const ANY: (u32, u32) = (u32::MAX, 0);

/// Of each of `kernels` every `step`th case of a medium size, with a frame that is many blocks wide and high, where ways differ most
/// in how they cut.
fn odd(kernels: &'static [&'static str], step: usize) -> impl Iterator<Item = Case> + Send {
    let of = move |name: &&'static str| {
        let name = *name;
        let medium = cases(&TESTED).filter(move |case| case.shape() == MEDIUM && case.filter.name == name);
        medium.step_by(step)
    };
    kernels.iter().flat_map(of).map(|case| sized(case, ODD)).filter(Case::fits)
}

#[test]
fn cuda_every_candidate_equals_the_reference() {
    all_ways(&CHOOSING, ANY, cases(&TESTED), |case, gpu, tried| {
        check_ways(case, gpu, &ALIGNMENTS, 1, tried, |later| gpu.expected(case, later))
    });
}

#[test]
fn cuda_every_candidate_equals_the_cpu_on_odd_frames() {
    all_ways(&CHOOSING, ANY, odd(&CHOOSING, ODD_STEP), |case, gpu, tried| {
        check_ways(case, gpu, &[64], 1, tried, |later| gpu.expected_fast(case, later))
    });
}

/// Of several frames there is more in a block's shared memory, or less of each.
#[test]
fn cuda_every_candidate_equals_the_cpu_on_odd_batches() {
    let batched = odd(&BATCHED, BATCH_STEP).filter(|case| batch(case) > 1);
    all_ways(&BATCHED, ANY, batched, |case, gpu, tried| {
        check_ways(case, gpu, &[64], FRAMES, tried, |later| gpu.expected_fast(case, later))
    });
}

/// So there is in blocks with 99 KiB of it, as most devices have that are sold.
#[test]
fn cuda_every_candidate_of_small_blocks_equals_the_cpu_on_odd_frames() {
    all_ways(&BATCHED, (8, 6), odd(&BATCHED, BATCH_STEP), |case, gpu, tried| {
        check_ways(case, gpu, &[64], 1, tried, |later| gpu.expected_fast(case, later))
    });
}
