//! Every filter on a CUDA device against its reference. Inputs and outputs lie in guarded memory on the device, laid
//! out both as badly as samples allow and as well as the pipeline does it; what is read back was never on the host.

#[path = "../cuda/fixture.rs"]
#[allow(dead_code)]
mod fixture;
#[path = "../cuda/gate.rs"]
#[allow(dead_code)]
mod gate;

use crate::case::{Case, MEDIUM, SMALL, TESTED, cases, end_cases, sampled_cases};
use crate::check::{reference, run, sources};
use crate::data::fill;
use crate::memory::{Guarded, compare};
use crate::sample::{Sample, report};
use std::sync::{Arc, Mutex};
use std::thread;
use vramp::device::cpu::{CpuExec, CpuLevel};
use vramp::device::cuda::{CudaDevice, DeviceBuffer, DevicePlanes, Function, Stream};
use vramp::filters::{CudaJob, CudaKernel, Frames, InputWindow, Spec};
use vramp::video::{FrameProps, SampleType, StreamInfo};

/// How rows are aligned, in bytes: as samples need it, and as pictures on a device have it.
pub const ALIGNMENTS: [usize; 2] = [1, 64];

/// A large frame, and one with more rows than a grid may have blocks in y.
const LARGE: [(&str, (usize, usize)); 2] = [("yuv420p", (7680, 4320)), ("gray16", (33, 70_001))];

/// An ordinary frame of odd sizes, and of how many cases one meets it: a frame of two million samples is filled, filtered on
/// the CPU and compared in half a second.
pub const ODD: (usize, usize) = (1999, 1201);
const ODD_STEP: usize = 7;

/// Cases that are worked on at a time, where there are as many processors: what is compared is made there.
const WORKERS: usize = 16;

/// The device as it is.
pub fn device() -> Option<Arc<CudaDevice>> {
    gate::device()
}

/// The device as one of `compute`, with no more than so many bytes of cache.
fn device_as(compute: (u32, u32), l2_cache: usize) -> Option<Arc<CudaDevice>> {
    let ordinal = gate::device()?.info().ordinal;
    Some(CudaDevice::open_as(ordinal, compute, l2_cache).unwrap())
}

/// A device and what runs there, of one worker.
pub struct Gpu {
    pub device: Arc<CudaDevice>,
    stream: Stream,
    /// For the reference.
    plain: CpuExec,
    /// For the fast kernels that replace it.
    fast: CpuExec,
}

impl Gpu {
    pub fn new(device: &Arc<CudaDevice>) -> Gpu {
        let exec = |level| CpuExec::new(1, level).unwrap();
        Gpu {
            device: Arc::clone(device),
            stream: Stream::new(device).unwrap(),
            plain: exec(CpuLevel::Portable),
            fast: exec(CpuLevel::detect()),
        }
    }

    pub fn kernel(&self, case: &Case) -> Result<Box<dyn CudaKernel>, String> {
        self.kernel_for(case, 1)
    }

    /// The kernel that takes so many frames at a time.
    pub fn kernel_for(&self, case: &Case, frames: usize) -> Result<Box<dyn CudaKernel>, String> {
        let (filter, setup) = case.build().map_err(|e| e.to_string())?;
        filter.cuda(&setup.for_batches(frames), &self.device).map_err(|e| e.to_string())
    }

    /// What the reference makes of the frame `later` frames on.
    pub fn expected(&self, case: &Case, later: u64) -> Result<Guarded, String> {
        let (filter, setup) = case.build().map_err(|e| e.to_string())?;
        run(reference(&*filter, &setup)?.as_mut(), case, later, &self.plain, case.seed)
    }

    /// What the fast CPU kernel makes of the frame `later` frames on.
    pub fn expected_fast(&self, case: &Case, later: u64) -> Result<Guarded, String> {
        let (filter, setup) = case.build().map_err(|e| e.to_string())?;
        let mut cpu = filter.cpu(&setup, self.fast.level()).map_err(|e| e.to_string())?;
        run(cpu.as_mut(), case, later, &self.fast, case.seed)
    }

    /// What `kernel` makes of the frame `later` frames on, from and into guarded memory on the device.
    pub fn run(
        &self,
        kernel: &mut dyn CudaKernel,
        case: &Case,
        later: u64,
        align: usize,
        poison: u64,
    ) -> Result<Guarded, String> {
        let made = self.run_batch(kernel, case, &[later], align, poison)?;
        made.into_iter().next().ok_or_else(|| "nothing was made".to_owned())
    }

    /// The same of several frames at once, which nothing is measured of.
    pub fn run_batch(
        &self,
        kernel: &mut dyn CudaKernel,
        case: &Case,
        laters: &[u64],
        align: usize,
        poison: u64,
    ) -> Result<Vec<Guarded>, String> {
        let spec = case.spec().map_err(|e| e.to_string())?;
        let mut placed: Vec<Placed> =
            laters.iter().map(|later| self.place(case, &spec, *later, align, poison)).collect();
        let measure = kernel.measure();
        assert!(measure.is_none() || laters.len() == 1);
        let mut bytes = vec![0; measure.as_ref().map_or(8, |measure| measure.bytes)];
        let measured = DeviceBuffer::from_bytes(&self.device, &bytes, "tests");
        let measured = measured.map_err(|e| e.to_string())?;
        let windows = placed.iter().map(|placed| {
            let inputs = placed.src.iter().zip(&spec.reads);
            inputs.map(|(planes, reach)| InputWindow::new(planes, *reach)).collect::<Vec<_>>()
        });
        let windows: Vec<Vec<_>> = windows.collect();
        let jobs = placed.iter().zip(&windows).map(|(placed, windows)| CudaJob {
            props: &placed.props,
            phase: spec.cycle.phase(placed.props.frame_index),
            src: Frames::new(windows),
            dst: &placed.to,
            record: measured.address(),
            stream: &self.stream,
        });
        let jobs: Vec<_> = jobs.collect();
        let done = if let [job] = &jobs[..] { kernel.enqueue(job) } else { kernel.enqueue_batch(&jobs) };
        done.map_err(|e| e.to_string())?;
        self.stream.synchronize().map_err(|e| e.to_string())?;
        for Placed { back, dst, .. } in &mut placed {
            for (buffer, bytes) in back.iter().zip(dst.memory()) {
                buffer.read(bytes).map_err(|e| e.to_string())?;
            }
        }
        measured.read(&mut bytes).map_err(|e| e.to_string())?;
        if let Some(measure) = measure {
            (measure.collect)(&bytes, &mut placed[0].dst.record);
        }
        placed.into_iter().map(|Placed { dst, .. }| dst.damage().map(|()| dst)).collect()
    }

    /// Puts the frame `later` frames on, and room for what is made of it, on the device.
    fn place(&self, case: &Case, spec: &Spec, later: u64, align: usize, poison: u64) -> Placed {
        let mut frames = sources(case, spec, later, poison, align);
        let mut dst = Guarded::aligned(case.dst, spec.output.width, spec.output.height, poison + 1, align);
        let there: Vec<Vec<_>> =
            frames.iter_mut().map(|frames| frames.iter_mut().map(|src| self.copy(src)).collect()).collect();
        let place = |(src, buffers): (&Guarded, &Vec<DeviceBuffer>)| src.device_planes(&addresses(buffers));
        let src = frames
            .iter()
            .zip(&there)
            .map(|(frames, buffers)| frames.iter().zip(buffers).map(place).collect())
            .collect();
        let back = self.copy(&mut dst);
        let to = dst.device_planes(&addresses(&back));
        Placed { src, _there: there, to, back, dst, props: case.props(later) }
    }

    fn copy(&self, picture: &mut Guarded) -> Vec<DeviceBuffer> {
        picture.memory().map(|bytes| DeviceBuffer::from_bytes(&self.device, bytes, "tests").unwrap()).collect()
    }
}

/// A frame on the device, and room for what is made of it.
struct Placed {
    src: Vec<Vec<DevicePlanes>>,
    _there: Vec<Vec<Vec<DeviceBuffer>>>,
    to: DevicePlanes,
    back: Vec<DeviceBuffer>,
    dst: Guarded,
    props: FrameProps,
}

fn addresses(buffers: &[DeviceBuffer]) -> Vec<u64> {
    buffers.iter().map(DeviceBuffer::address).collect()
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

/// A kernel that takes several frames at a time gives for each what the reference gives.
fn check_batches(case: &Case, gpu: &Gpu) -> Result<(), String> {
    const MOST: usize = 3;
    let mut kernel = gpu.kernel_for(case, MOST)?;
    for laters in [&[0, 1, 2][..], &[2, 0]] {
        let made = gpu.run_batch(kernel.as_mut(), case, laters, 64, case.seed + 2)?;
        for (later, got) in laters.iter().zip(made) {
            let same = compare(&gpu.expected(case, *later)?, &got);
            same.map_err(|fault| format!("frame {later} of {laters:?} at a time: {fault}"))?;
        }
    }
    Ok(())
}

/// Runs `check` on the cases, several at a time, and reports the first failures. `VRAMP_CASE_STEP=N` takes every Nth case,
/// for tools that slow a device down a hundredfold.
fn all(
    device: Option<Arc<CudaDevice>>,
    cases: impl Iterator<Item = Case> + Send,
    check: impl Fn(&Case, &Gpu) -> Result<(), String> + Sync,
) {
    if let Some(device) = device {
        all_on(&device, || Gpu::new(&device), cases, check);
    }
}

/// The same, where each worker has a GPU that `gpu` makes.
pub fn all_on(
    device: &CudaDevice,
    gpu: impl Fn() -> Gpu + Sync,
    cases: impl Iterator<Item = Case> + Send,
    check: impl Fn(&Case, &Gpu) -> Result<(), String> + Sync,
) {
    const SHOWN: usize = 10;
    let step = std::env::var("VRAMP_CASE_STEP").map_or(1, |n| n.parse().expect("VRAMP_CASE_STEP is a number"));
    let cases = Mutex::new((0, cases.step_by(step)));
    let failures = Mutex::new(Vec::new());
    let next = || {
        let (ran, cases) = &mut *cases.lock().unwrap();
        let case = cases.next().filter(|_| failures.lock().unwrap().len() < SHOWN)?;
        *ran += 1;
        Some(case)
    };
    let work = || {
        let gpu = gpu();
        while let Some(case) = next() {
            if let Err(fault) = check(&case, &gpu) {
                failures.lock().unwrap().push(format!("{case}: {fault}"));
            }
        }
    };
    let workers = thread::available_parallelism().map_or(1, |count| count.get().min(WORKERS));
    thread::scope(|scope| (0..workers).for_each(|_| drop(scope.spawn(work))));
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "on {}, {}", device.info(), report(&failures));
    println!("{} cases on {}", cases.into_inner().unwrap().0, device.info());
}

#[test]
fn cuda_kernels_equal_the_reference() {
    all(device(), cases(&TESTED), check_kernels);
}

/// Tensor cores leave kernels out that earlier devices run, and a large cache does so for samples of eight bits. There is no
/// machine code for a device so early, so that these are also the kernels of the PTX.
#[test]
fn cuda_kernels_for_early_devices_equal_the_reference() {
    all(device_as((6, 1), 0), cases(&TESTED), check_kernels);
    let of_bytes = cases(&TESTED).filter(|case| case.src.sample() == SampleType::U8);
    all(device_as((6, 1), usize::MAX), of_bytes, check_kernels);
}

/// As a device that has tensor cores, and no machine code of its own.
#[test]
fn cuda_kernels_of_the_ptx_equal_the_reference() {
    const STEP: usize = 7;
    all(device_as((8, 0), usize::MAX), cases(&TESTED).step_by(STEP), check_kernels);
}

/// As a device whose blocks have 99 KiB of shared memory, as most that are sold.
#[test]
fn cuda_kernels_of_small_blocks_equal_the_reference() {
    const STEP: usize = 5;
    all(device_as((8, 6), usize::MAX), cases(&TESTED).skip(1).step_by(STEP), check_kernels);
}

#[test]
fn cuda_kernels_equal_the_reference_at_the_ends_of_options() {
    all(device(), end_cases(&TESTED), check_kernels);
}

#[test]
fn cuda_results_do_not_depend_on_earlier_frames() {
    all(device(), cases(&TESTED).filter(|case| case.shape() == SMALL), check_history);
}

#[test]
fn cuda_batches_equal_the_reference() {
    all(device(), cases(&TESTED).filter(|case| batch(case) > 1), check_batches);
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

#[test]
fn cuda_kernels_equal_the_cpu_on_large_frames() {
    let each = TESTED.iter().flat_map(|filter| LARGE.map(|large| (*filter, large)));
    let large = each.filter_map(|(filter, (format, size))| {
        let small = sampled_cases(&[filter], Sample::All).find(|case| case.input.format.to_string() == format);
        small.map(|case| sized(case, size)).filter(Case::fits)
    });
    all(device(), large, check_against_cpu);
}

/// Every filter with all its arguments on frames that are many blocks wide and high, in some of its formats each.
#[test]
fn cuda_kernels_equal_the_cpu_on_odd_frames() {
    let medium = cases(&TESTED).filter(|case| case.shape() == MEDIUM);
    all(device(), medium.step_by(ODD_STEP).map(|case| sized(case, ODD)).filter(Case::fits), check_against_cpu);
}

/// A copy on the device, right or wrong, that a right harness distinguishes.
struct Copy {
    copy: Function,
    /// Changes every byte.
    value: u32,
    /// Bytes written after each row.
    beyond: usize,
    /// Whether the last row is written.
    last_row: bool,
}

impl CudaKernel for Copy {
    fn enqueue(&mut self, job: &CudaJob<'_>) -> vramp::error::Result<()> {
        let CudaJob { src, dst, stream, .. } = *job;
        let src = src.here();
        for (from, to) in src.iter().zip(dst.iter()) {
            let (mut from, to) = (*from, *to);
            from.width += self.beyond;
            from.height -= usize::from(!self.last_row);
            if from.height > 0 {
                fixture::xor(&self.copy, from, to, self.value, stream);
            }
        }
        Ok(())
    }
}

#[test]
fn wrong_kernels_on_cuda_are_caught() {
    let Some(device) = device() else { return };
    let gpu = Gpu::new(&device);
    let copy = fixture::function(&gpu.device, "xor_u8");
    let planar = |case: &Case| case.src == case.dst && case.src.planes() == case.src.components() && case.shape().1 > 1;
    let cases: Vec<Case> = cases(&TESTED).filter(planar).take(20).collect();
    assert!(cases.len() == 20);
    let run = |case: &Case, value, beyond, last_row| {
        let mut kernel = Copy { copy: copy.clone(), value, beyond, last_row };
        let mut expected = Guarded::new(case.src, case.input.width, case.input.height, case.seed);
        fill(&mut expected.planes_mut(), case.content, case.seed(0));
        let caught =
            |align| gpu.run(&mut kernel, case, 0, align, case.seed + 4).and_then(|got| compare(&expected, &got));
        ALIGNMENTS.map(caught)
    };
    for case in &cases {
        assert_eq!(run(case, 0, 0, true), [Ok(()), Ok(())], "{}", report(&[case.to_string()]));
        for (value, beyond, last_row, message) in
            [(1, 0, true, "expected"), (0, 1, true, "outside its rows"), (0, 0, false, "expected")]
        {
            for fault in run(case, value, beyond, last_row) {
                let fault = fault.expect_err(message);
                assert!(fault.contains(message), "{}", report(&[format!("{case}: {fault}")]));
            }
        }
    }
}
