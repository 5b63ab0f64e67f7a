//! Filters on a CUDA device, each against its reference.

#[path = "../cuda/gate.rs"]
#[allow(dead_code)]
pub mod gate;

use crate::TESTED;
use crate::candidates;
use crate::case::{Case, MEDIUM, SMALL, cases, end_cases, sampled_cases};
use crate::gpu::{ALIGNMENTS, Gpu, all_on};
use crate::memory::compare;
use crate::sample::Sample;
use libtest_mimic::Trial;
use std::sync::Arc;
use vramp::device::cuda::CudaDevice;
use vramp::filters::Descriptor;
use vramp::video::{SampleType, StreamInfo};

/// A large frame, and one with more rows than a grid may have blocks in y.
const LARGE: [(&str, (usize, usize)); 2] = [("yuv420p", (7680, 4320)), ("gray16", (33, 70_001))];

/// An ordinary frame of odd sizes, and of how many cases one meets it: a frame of two million samples is filled, filtered on
/// the CPU and compared in half a second.
pub const ODD: (usize, usize) = (1999, 1201);
const ODD_STEP: usize = 7;

/// Of how many cases one meets the kernels of the PTX, and those of small blocks.
const PTX_STEP: usize = 7;
const SMALL_BLOCKS_STEP: usize = 5;

/// The device as it is.
pub fn device() -> Option<Arc<CudaDevice>> {
    gate::device()
}

/// The device as one of `compute`, with no more than so many bytes of cache.
fn device_as(compute: (u32, u32), l2_cache: usize) -> Option<Arc<CudaDevice>> {
    let ordinal = gate::device()?.info().ordinal;
    Some(CudaDevice::open_as(ordinal, compute, l2_cache).unwrap())
}

/// A rung: its name, the device that the filter runs on, the cases on it, and what is checked of each.
struct Rung {
    name: &'static str,
    device: fn() -> Option<Arc<CudaDevice>>,
    cases: fn(&[&'static Descriptor]) -> Vec<Case>,
    check: fn(&Case, &Gpu) -> Result<(), String>,
}

const RUNGS: [Rung; 10] = [
    Rung {
        name: "cuda_kernels_equal_the_reference",
        device,
        cases: |filters| cases(filters).collect(),
        check: check_kernels,
    },
    // Tensor cores leave kernels out that earlier devices run. There is no machine code for a device so early, so that these are
    // also the kernels of the PTX.
    Rung {
        name: "cuda_kernels_for_early_devices_equal_the_reference",
        device: || device_as((6, 1), 0),
        cases: |filters| cases(filters).collect(),
        check: check_kernels,
    },
    // A large cache leaves kernels out as well, for samples of eight bits.
    Rung {
        name: "cuda_kernels_for_large_caches_equal_the_reference",
        device: || device_as((6, 1), usize::MAX),
        cases: |filters| cases(filters).filter(|case| case.src.sample() == SampleType::U8).collect(),
        check: check_kernels,
    },
    // As a device that has tensor cores, and no machine code of its own.
    Rung {
        name: "cuda_kernels_of_the_ptx_equal_the_reference",
        device: || device_as((8, 0), usize::MAX),
        cases: |filters| cases(filters).step_by(PTX_STEP).collect(),
        check: check_kernels,
    },
    // As a device whose blocks have 99 KiB of shared memory, as most that are sold.
    Rung {
        name: "cuda_kernels_of_small_blocks_equal_the_reference",
        device: || device_as((8, 6), usize::MAX),
        cases: |filters| cases(filters).skip(1).step_by(SMALL_BLOCKS_STEP).collect(),
        check: check_kernels,
    },
    Rung {
        name: "cuda_options_work_at_the_ends_of_what_they_take",
        device,
        cases: |filters| end_cases(filters).collect(),
        check: check_kernels,
    },
    Rung {
        name: "cuda_results_do_not_depend_on_earlier_frames",
        device,
        cases: |filters| cases(filters).filter(|case| case.shape() == SMALL).collect(),
        check: check_history,
    },
    Rung {
        name: "cuda_batches_equal_the_reference",
        device,
        cases: |filters| cases(filters).filter(|case| batch(case) > 1).collect(),
        check: check_batches,
    },
    Rung { name: "cuda_kernels_equal_the_cpu_on_large_frames", device, cases: large_cases, check: check_against_cpu },
    // With all its arguments on frames that are many blocks wide and high, in some of its formats each.
    Rung { name: "cuda_kernels_equal_the_cpu_on_odd_frames", device, cases: odd_cases, check: check_against_cpu },
];

/// The tests of `filter` on a device. `runs`: there is one, or there has to be.
pub fn trials(filter: &'static Descriptor, runs: bool) -> impl Iterator<Item = Trial> {
    let own = RUNGS.iter().map(move |rung| trial(filter, rung.name, move || climb(rung, filter)));
    let candidates = candidates::RUNGS.iter().map(move |(name, climb)| trial(filter, name, move || climb(filter)));
    own.chain(candidates).map(move |trial| trial.with_ignored_flag(!runs))
}

fn trial(filter: &Descriptor, name: &str, climb: impl FnOnce() + Send + 'static) -> Trial {
    Trial::test(format!("{}::{name}", filter.name), move || {
        climb();
        Ok(())
    })
}

fn climb(rung: &Rung, filter: &'static Descriptor) {
    if let Some(device) = (rung.device)() {
        all_on(&device, || Gpu::new(&device), sampled(filter, (rung.cases)(&[filter])), rung.check);
    }
}

/// `VRAMP_CASE_STEP=N` takes every Nth case, for tools that slow a device down a hundredfold: of each filter other ones.
pub fn sampled(filter: &Descriptor, cases: Vec<Case>) -> impl Iterator<Item = Case> + Send {
    let step = std::env::var("VRAMP_CASE_STEP").map_or(1, |n| n.parse().expect("VRAMP_CASE_STEP is a number"));
    let place = TESTED.iter().position(|tested| tested.name == filter.name).unwrap_or(0);
    cases.into_iter().skip(37 * place % step).step_by(step)
}

fn large_cases(filters: &[&'static Descriptor]) -> Vec<Case> {
    let each = filters.iter().flat_map(|filter| LARGE.map(|large| (*filter, large)));
    let large = each.filter_map(|(filter, (format, size))| {
        let small = sampled_cases(&[filter], Sample::All).find(|case| case.input.format.to_string() == format);
        small.map(|case| sized(case, size)).filter(Case::fits)
    });
    large.collect()
}

fn odd_cases(filters: &[&'static Descriptor]) -> Vec<Case> {
    let medium = cases(filters).filter(|case| case.shape() == MEDIUM);
    medium.step_by(ODD_STEP).map(|case| sized(case, ODD)).filter(Case::fits).collect()
}

/// The kernel gives what the reference gives, in either alignment.
fn check_kernels(case: &Case, gpu: &Gpu) -> Result<(), String> {
    let expected = gpu.expected(case, 0)?;
    for (i, align) in ALIGNMENTS.into_iter().enumerate() {
        let got = gpu.run(gpu.kernel(case)?.as_mut(), case, 0, align, case.seed + 10 + i as u64);
        got.and_then(|got| compare(&expected, &got)).map_err(|fault| format!("rows on {align} bytes: {fault}"))?;
    }
    Ok(())
}

/// A kernel that ran other frames before, or the same one, gives what the reference gives.
fn check_history(case: &Case, gpu: &Gpu) -> Result<(), String> {
    const ORDER: [u64; 5] = [0, 1, 2, 2, 0];
    let mut running = gpu.kernel(case)?;
    for (i, later) in ORDER.into_iter().enumerate() {
        let got = gpu.run(running.as_mut(), case, later, 64, case.seed + 2 + i as u64);
        let same = got.and_then(|got| compare(&gpu.expected(case, later)?, &got));
        same.map_err(|fault| format!("after frames {:?}: {fault}", &ORDER[..i]))?;
    }
    Ok(())
}

/// How many frames at a time a kernel of this case gains by.
pub fn batch(case: &Case) -> usize {
    case.build().map_or(1, |(filter, setup)| filter.cuda_batch(&setup))
}

/// A kernel that takes several frames at a time gives for each what the reference gives: of as many, of more than one launch takes,
/// and of few.
fn check_batches(case: &Case, gpu: &Gpu) -> Result<(), String> {
    let whole = batch(case);
    let mut kernel = gpu.kernel_for(case, whole)?;
    let laters: Vec<u64> = (0..=whole as u64).collect();
    let expected = laters.iter().map(|later| gpu.expected(case, *later)).collect::<Result<Vec<_>, _>>()?;
    for laters in [&laters[..whole], &laters, &[1, 0]] {
        let made = gpu.run_batch(kernel.as_mut(), case, laters, 64, case.seed + 2)?;
        for (later, got) in laters.iter().zip(made) {
            let same = compare(&expected[*later as usize], &got);
            same.map_err(|fault| format!("frame {later} of {laters:?} at a time: {fault}"))?;
        }
    }
    Ok(())
}

/// A kernel gives what the fast CPU kernel gives, which replaces the reference: that would take minutes.
fn check_against_cpu(case: &Case, gpu: &Gpu) -> Result<(), String> {
    let got = gpu.run(gpu.kernel(case)?.as_mut(), case, 0, 64, case.seed + 10);
    got.and_then(|got| compare(&gpu.expected_fast(case, 0)?, &got))
}

/// The case with a frame of another size.
pub fn sized(case: Case, (width, height): (usize, usize)) -> Case {
    Case { input: StreamInfo { width, height, ..case.input.clone() }, ..case }
}
