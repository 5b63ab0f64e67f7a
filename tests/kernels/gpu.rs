//! Kernels on a CUDA device. Inputs and outputs lie in guarded memory there, laid out both as badly as samples allow and as well
//! as the pipeline does it; what is read back was never on the host.

use crate::case::Case;
use crate::check::{reference, run, sources};
use crate::memory::Guarded;
use crate::sample::report;
use std::sync::{Arc, Mutex};
use std::thread;
use vramp::device::cpu::{CpuExec, CpuLevel};
use vramp::device::cuda::{CudaDevice, DeviceBuffer, DevicePlanes, Stream};
use vramp::filters::{CudaJob, CudaKernel, Frames, InputWindow, Spec};
use vramp::video::FrameProps;

/// How rows are aligned, in bytes: as samples need it, and as pictures on a device have it.
pub const ALIGNMENTS: [usize; 2] = [1, 64];

/// Cases that are worked on at a time, where there are as many processors: what is compared is made there.
const WORKERS: usize = 16;

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

/// Runs `check` on the cases, several at a time, each worker on a GPU that `gpu` makes. Reports the first failures.
pub fn all_on(
    device: &CudaDevice,
    gpu: impl Fn() -> Gpu + Sync,
    cases: impl Iterator<Item = Case> + Send,
    check: impl Fn(&Case, &Gpu) -> Result<(), String> + Sync,
) {
    const SHOWN: usize = 10;
    let cases = Mutex::new((0, cases));
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
