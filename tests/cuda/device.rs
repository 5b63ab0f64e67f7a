//! Memory, copies, streams and errors of a device.

use crate::fixture::{self, IMAGE, at};
use crate::gate::{device, in_a_process_of_its_own, own_device};
use std::time::Duration;
use vramp::device::cuda::{
    self, CudaDevice, DeviceBuffer, DevicePicture, Event, KernelImage, LaunchConfig, Module, NativeCode,
    PinnedAllocator, Stream,
};
use vramp::error::Kind;
use vramp::video::Picture;

#[test]
fn a_machine_without_a_device_gets_a_remedy() {
    match cuda::list() {
        Ok(devices) => {
            assert_eq!(devices.len(), cuda::count().unwrap());
            let error = CudaDevice::open(devices.len()).unwrap_err();
            assert_eq!(error.kind(), Kind::BadArgument);
            assert!(error.message().starts_with(&format!("there is no CUDA device {}: ", devices.len())), "{error}");
        }
        Err(error) => {
            assert_eq!(error.kind(), Kind::Unsupported);
            assert!(error.message().contains("NVIDIA driver"), "{error}");
            assert_eq!(CudaDevice::open(0).unwrap_err(), error);
        }
    }
}

#[test]
fn a_device_describes_itself() {
    let Some(device) = device() else { return };
    let info = device.info();
    println!("{info}: {info:?}, driver {:?}", cuda::driver_version().unwrap());
    assert!(!info.name.is_empty() && info.compute >= (6, 1) && info.multiprocessors > 0 && info.copy_engines > 0);
    let memory = device.memory().unwrap();
    assert!(memory.free > 0 && memory.free <= info.memory && memory.budget.is_none());
}

#[test]
fn memory_starts_zeroed_and_keeps_what_it_is_given() {
    let Some(device) = device() else { return };
    let mut bytes = vec![1; 100_003];
    DeviceBuffer::new(&device, bytes.len(), "tests").unwrap().read(&mut bytes).unwrap();
    assert!(bytes.iter().all(|byte| *byte == 0));
    let data: Vec<u8> = (0..100_003u32).map(|i| (i.wrapping_mul(i) >> 5) as u8).collect();
    DeviceBuffer::from_bytes(&device, &data, "tests").unwrap().read(&mut bytes).unwrap();
    assert_eq!(bytes, data);
    DeviceBuffer::new(&device, 0, "tests").unwrap();
}

#[test]
fn pictures_round_trip() {
    let Some(device) = device() else { return };
    let (pinned, stream) = (PinnedAllocator::new(&device), Stream::new(&device).unwrap());
    for (seed, (format, width, height)) in fixture::shapes().into_iter().enumerate() {
        let what = format!("{format} {width}x{height}");
        let mut own = Picture::alloc_in(&pinned, format, width, height).unwrap();
        fixture::fill(&mut own, seed as u64);
        for src in [&own, &fixture::foreign_copy(&own)] {
            let there = DevicePicture::alloc(&device, format, width, height).unwrap();
            let mut back = Picture::alloc_in(&pinned, format, width, height).unwrap();
            // SAFETY: the pictures live until the stream has been waited for.
            unsafe {
                there.upload(src, &stream).unwrap();
                there.download(&mut back, &stream).unwrap();
            }
            stream.synchronize().unwrap();
            fixture::assert_same(&back, &own, &what);
        }
    }
}

#[test]
fn a_surface_with_a_pitch_of_its_own_round_trips() {
    let Some(device) = device() else { return };
    let stream = Stream::new(&device).unwrap();
    for (seed, (format, width, height)) in fixture::shapes().into_iter().enumerate() {
        let mut own = Picture::alloc(format, width, height).unwrap();
        fixture::fill(&mut own, seed as u64);
        let host = fixture::foreign_copy(&own);
        let buffers: Vec<_> = (0..format.planes())
            .map(|plane| {
                let ((_, rows), (start, pitch)) = (format.plane_size(plane, width, height), host.plane(plane));
                // SAFETY: the plane's memory has these rows.
                let bytes = unsafe { std::slice::from_raw_parts(start, rows * pitch) };
                (DeviceBuffer::from_bytes(&device, bytes, "tests").unwrap(), pitch)
            })
            .collect();
        let planes: Vec<_> = buffers.iter().map(|(buffer, pitch)| (buffer.address(), *pitch)).collect();
        // SAFETY: the buffers hold these rows and go along.
        let surface = unsafe { DevicePicture::foreign(&device, format, width, height, &planes, Box::new(buffers)) };
        let mut back = Picture::alloc(format, width, height).unwrap();
        // SAFETY: the pictures live until the stream has been waited for.
        unsafe { surface.download(&mut back, &stream) }.unwrap();
        stream.synchronize().unwrap();
        fixture::assert_same(&back, &own, &format!("{format} {width}x{height}"));
    }
}

#[test]
fn page_locked_memory_is_known_as_such() {
    let Some(device) = device() else { return };
    let format = "yuv420p".parse().unwrap();
    let pinned = Picture::alloc_in(&PinnedAllocator::new(&device), format, 640, 360).unwrap();
    assert!(cuda::is_pinned(&device, &pinned));
    assert!(pinned.block().unwrap().iter().all(|byte| *byte == 0));
    assert!(!cuda::is_pinned(&device, &Picture::alloc(format, 640, 360).unwrap()));
}

#[test]
fn a_kernel_sees_components_where_they_are() {
    let Some(device) = device() else { return };
    let stream = Stream::new(&device).unwrap();
    let xor = fixture::function(&device, "xor_u8");
    // Planar formats: a component is a plane.
    for name in ["gray8", "yuv420p", "yuv422p10", "yuv444p16"] {
        let format = name.parse().unwrap();
        let [mut src, mut dst] = [1, 2].map(|_| Picture::alloc(format, 67, 35).unwrap());
        fixture::fill(&mut src, 7);
        let [from, to] = [1, 2].map(|_| DevicePicture::alloc(&device, format, 67, 35).unwrap());
        // SAFETY: the pictures live until the stream has been waited for.
        unsafe { from.upload(&src, &stream) }.unwrap();
        assert_eq!(from.planes().len(), format.components());
        for (from, to) in from.planes().iter().zip(to.planes().iter()) {
            fixture::xor(&xor, *from, *to, 0x5a, &stream);
        }
        // SAFETY: as above.
        unsafe { to.download(&mut dst, &stream) }.unwrap();
        stream.synchronize().unwrap();
        for plane in 0..format.planes() {
            for y in 0..format.plane_size(plane, 67, 35).1 {
                src.row_bytes_mut(plane, y).iter_mut().for_each(|byte| *byte ^= 0x5a);
            }
        }
        fixture::assert_same(&dst, &src, name);
    }
}

#[test]
fn a_stream_waits_for_an_event_of_another() {
    let Some(device) = device() else { return };
    let [first, second] = [1, 2].map(|_| Stream::new(&device).unwrap());
    let [begin, end] = [1, 2].map(|_| Event::new(&device).unwrap());
    let format = "gray8".parse().unwrap();
    let pinned = PinnedAllocator::new(&device);
    let [mut src, mut back] = [1, 2].map(|_| Picture::alloc_in(&pinned, format, 64, 64).unwrap());
    fixture::fill(&mut src, 3);
    let there = DevicePicture::alloc(&device, format, 64, 64).unwrap();
    begin.record(&first).unwrap();
    fixture::spin(&device, 50_000_000, &first);
    // SAFETY: the pictures live until both streams have been waited for.
    unsafe { there.upload(&src, &first) }.unwrap();
    end.record(&first).unwrap();
    second.wait_for(&end).unwrap();
    // SAFETY: as above.
    unsafe { there.download(&mut back, &second) }.unwrap();
    second.synchronize().unwrap();
    fixture::assert_same(&back, &src, "the second stream's copy");
    end.synchronize().unwrap();
    assert!(end.since(&begin).unwrap() > Duration::from_millis(5), "the first stream did not spin");
}

#[test]
fn a_budget_is_kept_and_refused_with_figures() {
    let Some(device) = own_device() else { return };
    device.set_budget(3 << 20);
    let held = DeviceBuffer::new(&device, 2 << 20, "frames").unwrap();
    assert_eq!(device.memory().unwrap().free, 1 << 20);
    for error in [
        device.require((1 << 20) + 1, "4 slots").unwrap_err(),
        DeviceBuffer::new(&device, (1 << 20) + 1, "4 slots").map(drop).unwrap_err(),
    ] {
        assert_eq!(error.kind(), Kind::OutOfMemory);
        assert!(error.message().starts_with("4 slots need 2 MiB on "), "{error}");
        assert!(error.message().contains("1 MiB are free of a budget of 3 MiB"), "{error}");
    }
    device.require(1 << 20, "4 slots").unwrap();
    drop(held);
    assert_eq!(device.memory().unwrap().used, 0);
    DeviceBuffer::new(&device, 3 << 20, "frames").unwrap();
}

#[test]
fn memory_that_no_device_has_is_refused() {
    let Some(device) = own_device() else { return };
    let error = DeviceBuffer::new(&device, 1 << 46, "frames").map(drop).unwrap_err();
    assert_eq!(error.kind(), Kind::OutOfMemory);
    assert!(error.message().starts_with("frames need 67108864 MiB on "), "{error}");
    assert_eq!(device.memory().unwrap().used, 0);
}

#[test]
fn errors_name_the_deed_and_the_driver_s_reason() {
    let Some(device) = device() else { return };
    let stream = Stream::new(&device).unwrap();
    let spin = fixture::function(&device, "spin");
    let shape = LaunchConfig { grid: [1, 1, 1], block: [4096, 1, 1], shared: 0 };
    // SAFETY: the argument is the kernel's parameter.
    let error = unsafe { spin.launch(shape, &[at(&0u64)], &stream) }.unwrap_err();
    assert_eq!((error.kind(), error.message()), (Kind::Device, "launching a kernel: CUDA_ERROR_INVALID_VALUE"));

    let module = Module::load(&device, &IMAGE).unwrap();
    let error = module.function("nothing").map(drop).unwrap_err();
    assert_eq!(error.message(), "looking for the kernel 'nothing': CUDA_ERROR_NOT_FOUND");
    assert_eq!(device.function("nothing", "x").map(drop).unwrap_err().kind(), Kind::Unsupported);
}

#[test]
fn images_that_do_not_fit_are_refused_in_words() {
    let Some(device) = device() else { return };
    let refuse = |image: KernelImage| Module::load(&device, &image).map(drop).unwrap_err();
    let error = refuse(KernelImage { ptx: b".version 6.0\n.target sm_61\n.address_size 64\nnonsense\n", ..IMAGE });
    assert_eq!(error.kind(), Kind::Device);
    assert!(error.message().contains("line 4"), "the compiler's log is missing: {error}");

    let error = refuse(KernelImage { driver: (99, 1), ..IMAGE });
    assert_eq!(error.kind(), Kind::Unsupported);
    assert!(error.message().contains("too old") && error.message().contains("99.1 is needed"), "{error}");

    let error = refuse(KernelImage { compute: (99, 0), ..IMAGE });
    assert!(error.message().contains("compute capability 99.0 is needed"), "{error}");

    // Machine code that is none: the PTX serves.
    let compute = device.info().compute;
    let packed_native = b"nothing a device runs";
    let native = Box::leak(Box::new([NativeCode { compute, begins_early: false, code: 0..packed_native.len() }]));
    Module::load(&device, &KernelImage { packed_native, native, ..IMAGE }).unwrap();
}

#[test]
fn a_fault_in_a_kernel_is_an_error_and_everything_still_drops() {
    if device().is_none()
        || !in_a_process_of_its_own("device::a_fault_in_a_kernel_is_an_error_and_everything_still_drops")
    {
        return;
    }
    let device = device().unwrap();
    let stream = Stream::new(&device).unwrap();
    let buffer = DeviceBuffer::new(&device, 1000, "tests").unwrap();
    let picture = Picture::alloc_in(&PinnedAllocator::new(&device), "gray8".parse().unwrap(), 64, 64).unwrap();
    let store = fixture::fault(&device, &stream);
    let error = stream.synchronize().unwrap_err();
    assert_eq!((error.kind(), error.message()), (Kind::Device, "waiting for the GPU: CUDA_ERROR_ILLEGAL_ADDRESS"));
    let error = DeviceBuffer::new(&device, 1000, "tests").map(drop).unwrap_err();
    assert!(error.message().contains("CUDA_ERROR_ILLEGAL_ADDRESS"), "{error}");
    drop((store, buffer, picture, stream, device));
}
