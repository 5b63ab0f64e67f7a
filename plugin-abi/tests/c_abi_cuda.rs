//! On a GPU the C ABI gives the CPU's bytes: from host memory, and from memory of the GPU. Without a device these tests say so
//! and pass; with `VRAMP_REQUIRE_CUDA=1` they fail.

mod so;

use so::api::{Api, Handle, frame, places, planes, planes_of, stream};
use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;
use vramp::device::cuda::{CudaDevice, DevicePicture, Stream};
use vramp::video::{Format, Picture};
use vramp_plugin::c_abi::abi;

const CHAIN: &str = "deband=range=12:rand_each_frame=on,gauss=sigma=1.5,depth=10:dither=fs";

/// The device; `None` when there is none, and `VRAMP_REQUIRE_CUDA` does not ask for one.
fn device() -> Option<Arc<CudaDevice>> {
    let required = std::env::var_os("VRAMP_REQUIRE_CUDA").is_some_and(|value| value == "1");
    match CudaDevice::open(0) {
        Ok(device) => Some(device),
        Err(error) if required => panic!("VRAMP_REQUIRE_CUDA is set, but {error}"),
        Err(error) => {
            println!("skipped: {error}");
            None
        }
    }
}

/// Formats of vramp's, and layouts of the header's.
const FORMATS: &[(&str, i32)] = &[
    ("gray8", abi::GRAY),
    ("gray16", abi::GRAY),
    ("yuv420p", abi::YUV420),
    ("yuv422p10", abi::YUV422),
    ("yuv444p12", abi::YUV444),
    ("gbrp", abi::RGB),
    ("gbrp16", abi::RGB),
    ("nv12", abi::NV12),
    ("p010", abi::NV12),
];

const SIZES: &[(usize, usize)] = &[(1, 1), (65, 33), (640, 360)];

/// A picture whose samples follow from their place and from `seed`.
fn picture(format: Format, (width, height): (usize, usize), seed: usize) -> Picture {
    let mut picture = Picture::alloc(format, width, height).unwrap();
    let mut planes = picture.planes_mut();
    for component in 0..planes.len() {
        let plane = planes.get_mut(component);
        let (width, height) = (plane.width(), plane.height());
        for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
            let v16 = x * 97 + y * 331 + component * 9001 + seed * 257 + (x * y * 7919) % 1024;
            plane.set_v16(x, y, v16 as u16);
        }
    }
    picture
}

#[track_caller]
fn assert_same(got: &Picture, want: &Picture, what: &str) {
    for plane in 0..want.format().planes() {
        for y in 0..want.format().plane_size(plane, want.width(), want.height()).1 {
            assert_eq!(got.row_bytes(plane, y), want.row_bytes(plane, y), "{what}: plane {plane}, row {y}");
        }
    }
}

/// Chains on the CPU and on the GPU, and the format that they end in.
fn chains(api: &Api, format: Format, layout: i32, (width, height): (usize, usize)) -> ([Handle; 2], Format) {
    let stream = stream(layout, format.bit_depth().into(), width, height);
    let chains = ["cpu", "cuda"].map(|device| api.chain(CHAIN, &stream, device));
    (chains, format.to_planar(10).unwrap())
}

fn destroy(api: &Api, chains: [Handle; 2]) {
    // SAFETY: handles of the library's.
    chains.iter().for_each(|chain| api.ok(unsafe { (api.chain_destroy)(*chain) }));
}

/// What the chain makes of frame `index` in host memory.
fn in_host_memory(api: &Api, chain: Handle, index: u64, src: &Picture, result: Format) -> Picture {
    let dst = Picture::alloc(result, src.width(), src.height()).unwrap();
    // SAFETY: both pictures have the chain's formats and size.
    api.ok(unsafe { (api.process)(chain, &frame(index), &planes_of(src), &planes_of(&dst)) });
    dst
}

#[test]
fn host_memory_equals_the_cpu() {
    let Some(_device) = device() else { return };
    let api = Api::open();
    for (name, layout) in FORMATS {
        for size in SIZES {
            let format: Format = name.parse().unwrap();
            let ([cpu, gpu], result) = chains(&api, format, *layout, *size);
            for index in [0, 5, 3] {
                let src = picture(format, *size, index as usize);
                let want = in_host_memory(&api, cpu, index, &src, result);
                let got = in_host_memory(&api, gpu, index, &src, result);
                assert_same(&got, &want, &format!("{name} {size:?}, frame {index}"));
            }
            destroy(&api, [cpu, gpu]);
        }
    }
}

/// Memory of the library's, which the GPU reaches by itself; `gap` bytes lie behind every row.
fn pinned(api: &Api, picture: &Picture, gap: usize) -> (*mut c_void, abi::Planes) {
    let format = picture.format();
    let shape = |plane| {
        let (row, rows) = format.plane_size(plane, picture.width(), picture.height());
        (row.next_multiple_of(64) + gap, rows)
    };
    let total = (0..format.planes()).map(|plane| shape(plane).0 * shape(plane).1).sum();
    let mut block = ptr::null_mut();
    // SAFETY: the pointer is there to be written.
    api.ok(unsafe { (api.alloc)(c"cuda".as_ptr(), total, &mut block) });
    let mut start = block.cast::<u8>();
    let mut list = Vec::new();
    for plane in 0..format.planes() {
        let (pitch, rows) = shape(plane);
        list.push((start.expose_provenance() as u64, pitch));
        for y in 0..rows {
            let row = picture.row_bytes(plane, y);
            // SAFETY: the block was allocated for all these rows.
            unsafe { start.add(y * pitch).copy_from_nonoverlapping(row.as_ptr(), row.len()) };
        }
        start = start.wrapping_add(rows * pitch);
    }
    (block, planes(&places(format, |plane| list[plane])))
}

#[test]
fn page_locked_memory_equals_the_cpu() {
    let Some(_device) = device() else { return };
    let api = Api::open();
    for (name, layout) in FORMATS {
        let (format, size) = (name.parse::<Format>().unwrap(), (65, 33));
        let ([cpu, gpu], result) = chains(&api, format, *layout, size);
        let src = picture(format, size, 9);
        let want = in_host_memory(&api, cpu, 2, &src, result);
        let (from, from_planes) = pinned(&api, &src, 128);
        let (to, to_planes) = pinned(&api, &Picture::alloc(result, size.0, size.1).unwrap(), 64);
        // SAFETY: both blocks hold the rows of such pictures.
        api.ok(unsafe { (api.process)(gpu, &frame(2), &from_planes, &to_planes) });
        for component in 0..result.components() {
            let (row, rows) = result.plane_size(result.component_layout(component).0, size.0, size.1);
            for y in 0..rows {
                let start =
                    to_planes.data[component].cast::<u8>().wrapping_add(y * to_planes.pitch[component] as usize);
                // SAFETY: as above.
                let got = unsafe { std::slice::from_raw_parts(start, row) };
                let want = want.row_bytes(result.component_layout(component).0, y);
                assert_eq!(got, want, "{name}, component {component}, row {y}");
            }
        }
        // SAFETY: blocks of the library's.
        [from, to].iter().for_each(|block| api.ok(unsafe { (api.free)(*block) }));
        destroy(&api, [cpu, gpu]);
    }
}

/// The planes of a picture on the device.
fn device_planes(picture: &DevicePicture) -> abi::Planes {
    planes(&places(picture.format(), |plane| picture.plane(plane)))
}

#[test]
fn memory_of_the_gpu_equals_the_cpu() {
    let Some(device) = device() else { return };
    let api = Api::open();
    for (name, layout) in FORMATS {
        for size in SIZES {
            let format: Format = name.parse().unwrap();
            let ([cpu, gpu], result) = chains(&api, format, *layout, *size);
            let order = Stream::new(&device).unwrap();
            // Several frames in one stream, and none is waited for before the last.
            let frames: Vec<_> = (0..4).map(|index| picture(format, *size, index)).collect();
            let sources: Vec<_> = frames.iter().map(|src| DevicePicture::copy_of(&device, src).unwrap()).collect();
            let target = || DevicePicture::alloc(&device, result, size.0, size.1).unwrap();
            let targets: Vec<_> = frames.iter().map(|_| target()).collect();
            for (index, (src, dst)) in sources.iter().zip(&targets).enumerate() {
                let (src, dst) = (device_planes(src), device_planes(dst));
                // SAFETY: pictures of the chain's formats and size, which live until the stream has been waited for.
                api.ok(unsafe { (api.process_cuda)(gpu, &frame(index as u64), &src, &dst, order.as_raw().cast()) });
            }
            let mut got: Vec<_> = frames.iter().map(|_| Picture::alloc(result, size.0, size.1).unwrap()).collect();
            for (from, to) in targets.iter().zip(&mut got) {
                // SAFETY: both live until the stream has been waited for, and nobody else uses them.
                unsafe { from.download(to, &order) }.unwrap();
            }
            order.synchronize().unwrap();
            for (index, (src, got)) in frames.iter().zip(&got).enumerate() {
                let want = in_host_memory(&api, cpu, index as u64, src, result);
                assert_same(got, &want, &format!("{name} {size:?}, frame {index}"));
            }
            destroy(&api, [cpu, gpu]);
        }
    }
}

#[test]
fn an_empty_chain_copies_in_the_default_stream() {
    let Some(device) = device() else { return };
    let api = Api::open();
    for (name, layout) in [("yuv420p10", abi::YUV420), ("p010", abi::NV12), ("yc48", abi::YC48)] {
        let (format, size) = (name.parse::<Format>().unwrap(), (65, 33));
        let chain = api.chain("", &stream(layout, format.bit_depth().into(), size.0, size.1), "cuda");
        let mut src = Picture::alloc(format, size.0, size.1).unwrap();
        for plane in 0..format.planes() {
            for y in 0..format.plane_size(plane, size.0, size.1).1 {
                src.row_bytes_mut(plane, y).iter_mut().enumerate().for_each(|(x, byte)| *byte = (x * 3 + y) as u8);
            }
        }
        let from = DevicePicture::copy_of(&device, &src).unwrap();
        let to = DevicePicture::alloc(&device, format, size.0, size.1).unwrap();
        // SAFETY: pictures of the chain's format and size; the null stream is the default stream.
        let done = unsafe {
            (api.process_cuda)(chain, &frame(0), &device_planes(&from), &device_planes(&to), ptr::null_mut())
        };
        api.ok(done);
        let mut got = Picture::alloc(format, size.0, size.1).unwrap();
        // SAFETY: a null stream is the default stream, which lasts.
        let default = unsafe { Stream::borrowed(&device, ptr::null_mut()) };
        // SAFETY: both live until the stream has been waited for.
        unsafe { to.download(&mut got, &default) }.unwrap();
        default.synchronize().unwrap();
        assert_same(&got, &src, name);
        // SAFETY: a handle of the library's.
        api.ok(unsafe { (api.chain_destroy)(chain) });
    }
}

#[test]
fn a_queue_and_many_threads_equal_the_cpu() {
    let Some(_device) = device() else { return };
    let api = Api::open();
    let (format, size) = (Format::yuv(1, 1, 8).unwrap(), (640, 360));
    let ([cpu, gpu], result) = chains(&api, format, abi::YUV420, size);
    let sources: Vec<_> = (0..24).map(|index| picture(format, size, index)).collect();
    let want: Vec<_> =
        sources.iter().zip(0..).map(|(src, index)| in_host_memory(&api, cpu, index, src, result)).collect();

    let mut queue = ptr::null_mut();
    // SAFETY: the pointer is there to be written.
    api.ok(unsafe { (api.queue_create)(gpu, 12, &mut queue) });
    let got: Vec<_> = sources.iter().map(|_| Picture::alloc(result, size.0, size.1).unwrap()).collect();
    for (index, (src, dst)) in sources.iter().zip(&got).enumerate() {
        // SAFETY: the pictures live until the queue is destroyed.
        let submit = || unsafe {
            (api.queue_submit)(queue, &frame(index as u64), &planes_of(src), &planes_of(dst), ptr::null_mut())
        };
        while submit() == abi::AGAIN {
            // SAFETY: a handle of the library's.
            api.ok(unsafe { (api.queue_receive)(queue, 1, ptr::null_mut()) });
        }
    }
    // SAFETY: as above.
    while unsafe { (api.queue_receive)(queue, 1, ptr::null_mut()) } == abi::OK {}
    assert_eq!(api.error(), "");
    // SAFETY: as above.
    api.ok(unsafe { (api.queue_destroy)(queue) });
    for (index, (got, want)) in got.iter().zip(&want).enumerate() {
        assert_same(got, want, &format!("queue, frame {index}"));
    }

    let chain = gpu.addr();
    std::thread::scope(|scope| {
        for worker in 0..12 {
            let (api, sources, want) = (&api, &sources, &want);
            scope.spawn(move || {
                for step in 0..12 {
                    let index = (worker * 7 + step * 5) % sources.len();
                    let chain = ptr::without_provenance_mut(chain);
                    let got = in_host_memory(api, chain, index as u64, &sources[index], result);
                    assert_same(&got, &want[index], &format!("thread {worker}, frame {index}"));
                }
            });
        }
    });
    destroy(&api, [cpu, gpu]);
}
