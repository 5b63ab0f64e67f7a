//! Kernels that can work in several ways, on a CUDA device: each way of each gives what the reference gives. A choice between them may
//! then depend on a clock, and on a file of any content.

use crate::case::{Case, MEDIUM, cases};
use crate::cuda::{ODD, batch, device, sampled, sized};
use crate::gpu::{ALIGNMENTS, Gpu, all_on};
use crate::memory::{Guarded, compare};
use crate::sample::run_seed;
use std::collections::BTreeSet;
use std::sync::Mutex;
use vramp::device::cuda::CudaDevice;
use vramp::filters::Descriptor;

/// Filters that have such kernels.
const CHOOSING: [&str; 7] = ["bilateral", "box", "convolve", "deband", "domain", "gauss", "gradient"];

/// Those that take several frames at a time, and of how many cases one meets them.
const BATCHED: [&str; 2] = ["domain", "gradient"];
const BATCH_STEP: usize = 3;

/// Of how many cases of a medium size one meets frames that are many blocks wide and high.
const ODD_STEP: usize = 11;

/// Kernels, and ways in which they worked.
type Tried = Mutex<BTreeSet<(String, String)>>;

/// Every way of every kernel of `case` gives what `expected` says of each frame: of the first one, or of a `batch` at a time and one
/// more, which is another launch.
fn check_ways(
    case: &Case,
    gpu: &Gpu,
    alignments: &[usize],
    batch: usize,
    tried: &Tried,
    expected: impl Fn(u64) -> Result<Guarded, String>,
) -> Result<(), String> {
    let (tuning, frames) = (gpu.device.tuning(), if batch > 1 { batch + 1 } else { 1 });
    let laters: Vec<u64> = (0..frames as u64).collect();
    let kernel = || gpu.kernel_for(case, batch);
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

/// Runs `check` on `cases` of `filter`, on a device of each worker's own, of no more than `compute`: what one forces is nothing to the
/// others. Of a kernel of its name several ways are tried where the filter is among `choosing`, and only there.
fn all_ways(
    filter: &'static Descriptor,
    choosing: &[&str],
    compute: (u32, u32),
    cases: Vec<Case>,
    check: impl Fn(&Case, &Gpu, &Tried) -> Result<(), String> + Sync,
) {
    let (Some(device), tried) = (device(), Tried::default()) else { return };
    let own = || Gpu::new(&CudaDevice::open_as(device.info().ordinal, compute, usize::MAX).unwrap());
    all_on(&device, own, sampled(filter, cases), |case, gpu| check(case, gpu, &tried));
    let tried = tried.into_inner().unwrap();
    let own = tried.iter().filter(|(kernel, _)| kernel == filter.name).count();
    assert_eq!(own > 1, choosing.contains(&filter.name), "VRAMP_SEED={}: {}: {tried:?}", run_seed(), filter.name);
    if !tried.is_empty() {
        println!("{} ways: {tried:?}", tried.len());
    }
}

/// Any device.
const ANY: (u32, u32) = (u32::MAX, 0);

/// Every `step`th case of a medium size, with a frame that is many blocks wide and high, where ways differ most in how they cut.
fn odd(filter: &'static Descriptor, step: usize) -> Vec<Case> {
    let one = [filter];
    let medium = cases(&one).filter(|case| case.shape() == MEDIUM);
    medium.step_by(step).map(|case| sized(case, ODD)).filter(Case::fits).collect()
}

/// What a rung checks of a filter.
type Climb = fn(&'static Descriptor);

/// The rungs, by their names.
pub const RUNGS: [(&str, Climb); 4] = [
    ("cuda_every_candidate_equals_the_reference", |filter| {
        all_ways(filter, &CHOOSING, ANY, cases(&[filter]).collect(), |case, gpu, tried| {
            check_ways(case, gpu, &ALIGNMENTS, 1, tried, |later| gpu.expected(case, later))
        });
    }),
    ("cuda_every_candidate_equals_the_cpu_on_odd_frames", |filter| {
        let odd = if CHOOSING.contains(&filter.name) { odd(filter, ODD_STEP) } else { Vec::new() };
        all_ways(filter, &CHOOSING, ANY, odd, |case, gpu, tried| {
            check_ways(case, gpu, &[64], 1, tried, |later| gpu.expected_fast(case, later))
        });
    }),
    // Of several frames there is more in a block's shared memory, or less of each, and a launch has blocks of all.
    ("cuda_every_candidate_equals_the_cpu_on_odd_batches", |filter| {
        all_ways(filter, &BATCHED, ANY, batched(filter), |case, gpu, tried| {
            check_ways(case, gpu, &[64], batch(case), tried, |later| gpu.expected_fast(case, later))
        });
    }),
    // So there is in blocks with 99 KiB of it, as most devices have that are sold.
    ("cuda_every_candidate_of_small_blocks_equals_the_cpu_on_odd_frames", |filter| {
        all_ways(filter, &BATCHED, (8, 6), batched(filter), |case, gpu, tried| {
            check_ways(case, gpu, &[64], 1, tried, |later| gpu.expected_fast(case, later))
        });
    }),
];

fn batched(filter: &'static Descriptor) -> Vec<Case> {
    if !BATCHED.contains(&filter.name) {
        return Vec::new();
    }
    odd(filter, BATCH_STEP).into_iter().filter(|case| batch(case) > 1).collect()
}
