//! Frames through host → GPU → host, against the copies alone in the same run: what the pipeline adds.
//!
//! The source hands out page-locked pictures that are ready, the kernel only widens, the sink drops what it gets.

#[cfg(feature = "cuda")]
#[path = "../tests/cuda/fixture.rs"]
#[allow(dead_code)]
mod fixture;

#[cfg(feature = "cuda")]
fn main() {
    match vramp::device::cuda::CudaDevice::open(0) {
        Ok(device) => bench::all(&device),
        Err(error) => println!("skipped: {error}"),
    }
}

#[cfg(not(feature = "cuda"))]
fn main() {}

#[cfg(feature = "cuda")]
mod bench {
    use crate::fixture::{self, at};
    use std::sync::Arc;
    use std::time::{Duration, Instant};
    use vramp::device::cpu::CpuLevel;
    use vramp::device::cuda::{CudaDevice, DevicePicture, DevicePlanes, Function, PinnedAllocator, Shape, Stream};
    use vramp::error::{Error, Result};
    use vramp::filters::{CpuKernel, CudaKernel, Descriptor, Filter, Footprint, Setup};
    use vramp::params::{Call, Schema};
    use vramp::pipeline::{self, CudaChain, Frame, Item, Options, Packet, Plan, Sink, Source, Stage};
    use vramp::video::{Format, FrameProps, Picture, PicturePool, StreamInfo};

    pub fn all(device: &Arc<CudaDevice>) {
        println!("{}", device.info());
        println!(
            "{:>10} {:>6} {:>12} {:>12} {:>9}  busy: upload, kernels, download",
            "size", "slots", "limit fps", "fps", "of limit"
        );
        for (width, height, frames) in [(1280, 720, 6000), (1920, 1080, 4000), (3840, 2160, 1000)] {
            for slots in [1, 2, 3, 4, 6, 8] {
                let limit = copies_alone(device, width, height, frames);
                let (wall, busy) = through_the_pipeline(device, width, height, frames, slots);
                let fps = |time: Duration| frames as f64 / time.as_secs_f64();
                let share = |time: Duration| 100.0 * time.as_secs_f64() / wall.as_secs_f64();
                println!(
                    "{:>10} {slots:>6} {:>12.0} {:>12.0} {:>8.1}%  {:.0}%, {:.0}%, {:.0}%",
                    format!("{width}x{height}"),
                    fps(limit),
                    fps(wall),
                    100.0 * limit.as_secs_f64() / wall.as_secs_f64(),
                    share(busy.upload),
                    share(busy.chain),
                    share(busy.download),
                );
            }
        }
    }

    fn formats() -> (Format, Format) {
        (Format::yuv(1, 1, 8).unwrap(), Format::yuv(1, 1, 10).unwrap())
    }

    /// The same copies both ways at once, from and to as many pictures, with nothing else.
    fn copies_alone(device: &CudaDevice, width: usize, height: usize, frames: u64) -> Duration {
        let (input, output) = formats();
        let pinned = PinnedAllocator::new(device);
        let host = |format| (0..8).map(|_| Picture::alloc_in(&pinned, format, width, height).unwrap()).collect();
        let there = |format| (0..8).map(|_| DevicePicture::alloc(device, format, width, height).unwrap()).collect();
        let (sources, mut results): (Vec<Picture>, Vec<Picture>) = (host(input), host(output));
        let (ins, outs): (Vec<DevicePicture>, Vec<DevicePicture>) = (there(input), there(output));
        let [up, down] = [1, 2].map(|_| Stream::new(device).unwrap());
        let start = Instant::now();
        for i in 0..frames as usize {
            // SAFETY: the pictures live until both streams have been waited for; nobody looks at their samples.
            unsafe {
                ins[i % 8].upload(&sources[i % 8], &up).unwrap();
                outs[i % 8].download(&mut results[i % 8], &down).unwrap();
            }
        }
        up.synchronize().unwrap();
        down.synchronize().unwrap();
        start.elapsed()
    }

    fn through_the_pipeline(
        device: &Arc<CudaDevice>,
        width: usize,
        height: usize,
        frames: u64,
        slots: usize,
    ) -> (Duration, pipeline::Busy) {
        let (input, output) = formats();
        let info = |format| StreamInfo::bare(format, width, height);
        let setup = Setup { input: info(input), output: info(output), src: input, dst: output };
        let stages = vec![Stage { filter: Box::new(Widen), setup }];
        let plan = Plan { input: info(input), output: info(output), stages, skipped: Vec::new(), resident: false };
        let mut chain = CudaChain::new(&plan, device, slots).unwrap();
        chain.prepare(&plan).unwrap();
        let pool = PicturePool::new_in(Arc::new(PinnedAllocator::new(device)), 2 * slots + 4, input, width, height);
        let mut ready = Ready { info: info(input), pool: pool.unwrap(), left: frames, frames };
        let options = Options { slots, ..Options::default() };
        let mut nowhere = Nowhere::default();
        let (summary, _) = pipeline::run(&mut ready, &plan, &mut chain, &mut nowhere, &options, &mut |_| {}).unwrap();
        assert_eq!(summary.frames, frames);
        (nowhere.last.unwrap() - nowhere.first.unwrap(), summary.busy)
    }

    /// Pictures that are ready.
    struct Ready {
        info: StreamInfo,
        pool: PicturePool,
        frames: u64,
        left: u64,
    }

    impl Source for Ready {
        fn info(&self) -> &StreamInfo {
            &self.info
        }

        fn next(&mut self) -> Result<Option<Item>> {
            if self.left == 0 {
                return Ok(None);
            }
            let props = FrameProps { frame_index: self.frames - self.left, ..FrameProps::default() };
            self.left -= 1;
            Ok(Some(Item::Frame(Frame { props, picture: self.pool.take()? })))
        }

        fn damage(&self) -> Option<Error> {
            None
        }
    }

    /// Drops what it gets, and keeps the times of the first and the last frame: between them lies no set-up.
    #[derive(Default)]
    struct Nowhere {
        first: Option<Instant>,
        last: Option<Instant>,
    }

    impl Sink for Nowhere {
        fn frame(&mut self, _: Frame) -> Result<()> {
            let now = Instant::now();
            self.first.get_or_insert(now);
            self.last = Some(now);
            Ok(())
        }

        fn packet(&mut self, _: Packet) -> Result<()> {
            Ok(())
        }

        fn finish(&mut self) -> Result<()> {
            Ok(())
        }

        fn bytes(&self) -> u64 {
            0
        }
    }

    /// 8 bits to 10, a launch a plane.
    #[derive(Debug)]
    struct Widen;

    static DESCRIPTOR: Descriptor = Descriptor {
        name: "widen",
        aliases: &[],
        summary: "",
        definition: "",
        schema: &Schema { params: &[], presets: &[] },
        accepts: |_| true,
        footprint: Footprint::Point,
        temporal: (0, 0),
        changes: &[],
        neutral: &[],
        cases: &[],
        create: |_| Ok(Box::new(Widen)),
    };

    impl Filter for Widen {
        fn descriptor(&self) -> &'static Descriptor {
            &DESCRIPTOR
        }

        fn call(&self) -> Call {
            Call { name: "widen".to_owned(), args: Vec::new() }
        }

        fn is_identity(&self, _: &StreamInfo) -> bool {
            false
        }

        fn reference(&self, _: &Setup) -> Result<Box<dyn CpuKernel>> {
            Err(Error::unsupported("only benched on CUDA"))
        }

        fn cpu(&self, setup: &Setup, _: CpuLevel) -> Result<Box<dyn CpuKernel>> {
            self.reference(setup)
        }

        fn cuda(&self, _: &Setup, device: &Arc<CudaDevice>) -> Result<Box<dyn CudaKernel>> {
            Ok(Box::new(WidenOnCuda(fixture::function(device, "widen_u8_u10"))))
        }
    }

    struct WidenOnCuda(Function);

    impl CudaKernel for WidenOnCuda {
        fn enqueue(&mut self, _: &FrameProps, src: &DevicePlanes, dst: &DevicePlanes, stream: &Stream) -> Result<()> {
            for (from, to) in src.iter().zip(dst.iter()) {
                let (src_pitch, dst_pitch, width) = (from.pitch as u32, to.pitch as u32, from.width as u32);
                let args = [at(&from.address), at(&src_pitch), at(&to.address), at(&dst_pitch), at(&width)];
                let shape = Shape { grid: [width.div_ceil(128), from.height as u32, 1], block: [128, 1, 1], shared: 0 };
                // SAFETY: the arguments are the kernel's parameters, and the planes have these rows.
                unsafe { self.0.launch(shape, &args, stream) }?;
            }
            Ok(())
        }
    }
}
