//! Kernels and pictures that the tests use.

use std::ffi::c_void;
use std::sync::Arc;
use vramp::device::cuda::{CudaDevice, DevicePlane, Function, KernelImage, LaunchConfig, Module, Stream};
use vramp::video::{Format, Picture};

/// The module of tests/cuda/fixture.ptx.
pub const IMAGE: KernelImage = KernelImage {
    name: "fixture",
    ptx: include_bytes!("fixture.ptx"),
    compute: (6, 1),
    driver: (9, 0),
    packed_native: &[],
    native: &[],
};

/// A kernel of the fixture.
pub fn function(device: &CudaDevice, name: &str) -> Function {
    Module::load(device, &IMAGE).unwrap().function(name).unwrap()
}

/// Puts `dst = src ^ value` into `stream`.
pub fn xor(function: &Function, src: DevicePlane, dst: DevicePlane, value: u32, stream: &Stream) {
    let bytes = (src.width * usize::from(src.layout.step) * src.layout.sample.bytes()) as u32;
    let (src_pitch, dst_pitch) = (src.pitch as u32, dst.pitch as u32);
    let shape = LaunchConfig { grid: [bytes.div_ceil(128), src.height as u32, 1], block: [128, 1, 1], shared: 0 };
    let args = [at(&src.address), at(&src_pitch), at(&dst.address), at(&dst_pitch), at(&bytes), at(&value)];
    // SAFETY: the arguments are the kernel's parameters; the planes have these rows, and their owners outlive the work.
    unsafe { function.launch(shape, &args, stream) }.unwrap();
}

/// Keeps `stream` busy for about so many clocks.
pub fn spin(device: &CudaDevice, clocks: u64, stream: &Stream) {
    let shape = LaunchConfig { grid: [1, 1, 1], block: [1, 1, 1], shared: 0 };
    // SAFETY: the argument is the kernel's parameter.
    unsafe { function(device, "spin").launch(shape, &[at(&clocks)], stream) }.unwrap();
}

/// Puts a kernel that fails into `stream`, and gives it. What fails is the context, for good: for tests in processes of their own.
pub fn fault(device: &CudaDevice, stream: &Stream) -> Function {
    let shape = LaunchConfig { grid: [1, 1, 1], block: [1, 1, 1], shared: 0 };
    let store = function(device, "store_u32");
    // SAFETY: none is needed: the device catches the write to address 64, which is what this is for.
    unsafe { store.launch(shape, &[at(&64u64), at(&1u32)], stream) }.unwrap();
    store
}

/// The address of a kernel's argument.
pub fn at<T>(value: &T) -> *const c_void {
    (&raw const *value).cast()
}

/// Fills a picture's rows with bytes that follow from `seed`.
pub fn fill(picture: &mut Picture, seed: u64) {
    let mut state = seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for plane in 0..picture.format().planes() {
        let (_, rows) = picture.format().plane_size(plane, picture.width(), picture.height());
        for y in 0..rows {
            for byte in picture.row_bytes_mut(plane, y) {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                *byte = (state >> 56) as u8;
            }
        }
    }
}

/// Asserts that every row of two pictures is the same.
pub fn assert_same(a: &Picture, b: &Picture, what: &str) {
    assert_eq!((a.format(), a.width(), a.height()), (b.format(), b.width(), b.height()), "{what}");
    for plane in 0..a.format().planes() {
        let (_, rows) = a.format().plane_size(plane, a.width(), a.height());
        for y in 0..rows {
            assert_eq!(a.row_bytes(plane, y), b.row_bytes(plane, y), "{what}: plane {plane}, row {y}");
        }
    }
}

/// A picture in memory of a library's, with pitches unlike vramp's own.
pub fn foreign_copy(picture: &Picture) -> Picture {
    let format = picture.format();
    let sizes: Vec<_> = (0..format.planes()).map(|i| format.plane_size(i, picture.width(), picture.height())).collect();
    let mut memory: Vec<Box<[u8]>> = sizes.iter().map(|(row, rows)| vec![0xee; (row + 6) * rows].into()).collect();
    for (plane, bytes) in memory.iter_mut().enumerate() {
        for (y, row) in bytes.chunks_mut(sizes[plane].0 + 6).enumerate() {
            row[..sizes[plane].0].copy_from_slice(picture.row_bytes(plane, y));
        }
    }
    let start = |bytes: &[u8]| std::ptr::NonNull::from(bytes).cast::<u8>();
    let planes: Vec<_> = memory.iter().zip(&sizes).map(|(bytes, (row, _))| (start(bytes), row + 6)).collect();
    // SAFETY: every plane has its rows, and the boxes that hold them go along unchanged.
    unsafe { Picture::foreign(format, picture.width(), picture.height(), &planes, Box::new(Arc::new(memory))) }
}

/// Formats of every layout, as (format, width, height), odd and tiny sizes among them.
pub fn shapes() -> Vec<(Format, usize, usize)> {
    let formats = ["gray8", "gray16", "yuv420p", "yuv422p10", "yuv444p12", "nv12", "p010", "yc48"];
    let sizes = [(1, 1), (5, 3), (64, 2), (127, 65), (640, 360)];
    let format = |name: &str| name.parse().unwrap();
    formats.iter().flat_map(|name| sizes.map(|(w, h)| (format(name), w, h))).collect()
}
