//! Frames that stay in GPU memory, in contexts of the caller's and in every depth of RGBA, have the bytes of the host path. Without a
//! device these tests say so and pass; with `VRAMP_REQUIRE_CUDA=1` they fail.

mod so;

use so::api::{Api, Handle, frame, planes, stream};
use std::ffi::{CString, c_int, c_void};
use std::ptr;
use std::sync::Mutex;
use vramp_plugin::c_abi::abi::{self, Options, Planes};

/// What the tests call of the driver, as a program of its own would.
struct Driver {
    create: unsafe extern "C" fn(*mut *mut c_void, u32, c_int) -> c_int,
    destroy: unsafe extern "C" fn(*mut c_void) -> c_int,
    retain: unsafe extern "C" fn(*mut *mut c_void, c_int) -> c_int,
    set_current: unsafe extern "C" fn(*mut c_void) -> c_int,
    alloc: unsafe extern "C" fn(*mut u64, usize) -> c_int,
    free: unsafe extern "C" fn(u64) -> c_int,
    upload: unsafe extern "C" fn(u64, *const c_void, usize) -> c_int,
    download: unsafe extern "C" fn(*mut c_void, u64, usize) -> c_int,
    make_stream: unsafe extern "C" fn(*mut *mut c_void, u32) -> c_int,
    synchronize: unsafe extern "C" fn(*mut c_void) -> c_int,
    _library: libloading::Library,
}

impl Driver {
    /// The driver; `None` when there is none, and `VRAMP_REQUIRE_CUDA` does not ask for one.
    fn open() -> Option<Driver> {
        let required = std::env::var_os("VRAMP_REQUIRE_CUDA").is_some_and(|value| value == "1");
        // SAFETY: the driver's initialisers are those every CUDA program runs.
        let library = match unsafe { libloading::Library::new("libcuda.so.1") } {
            Ok(library) => library,
            Err(error) if required => panic!("VRAMP_REQUIRE_CUDA is set, but {error}"),
            Err(error) => {
                println!("skipped: {error}");
                return None;
            }
        };
        // SAFETY: the driver's functions, as its documentation has them.
        unsafe {
            let init: unsafe extern "C" fn(u32) -> c_int = *library.get(b"cuInit").unwrap();
            assert_eq!(init(0), 0);
            Some(Driver {
                create: *library.get(b"cuCtxCreate_v2").unwrap(),
                destroy: *library.get(b"cuCtxDestroy_v2").unwrap(),
                retain: *library.get(b"cuDevicePrimaryCtxRetain").unwrap(),
                set_current: *library.get(b"cuCtxSetCurrent").unwrap(),
                alloc: *library.get(b"cuMemAlloc_v2").unwrap(),
                free: *library.get(b"cuMemFree_v2").unwrap(),
                upload: *library.get(b"cuMemcpyHtoD_v2").unwrap(),
                download: *library.get(b"cuMemcpyDtoH_v2").unwrap(),
                make_stream: *library.get(b"cuStreamCreate").unwrap(),
                synchronize: *library.get(b"cuStreamSynchronize").unwrap(),
                _library: library,
            })
        }
    }

    /// A context, which is current then: a new one, or the primary one.
    fn context(&self, is_primary: bool) -> *mut c_void {
        let mut context = ptr::null_mut();
        // SAFETY: there is room for the handle, which is used at once.
        unsafe {
            let made = if is_primary { (self.retain)(&mut context, 0) } else { (self.create)(&mut context, 0, 0) };
            assert_eq!((made, (self.set_current)(context)), (0, 0));
        }
        context
    }

    /// A stream of the current context that does not wait for the default one.
    fn stream(&self) -> *mut c_void {
        let mut stream = ptr::null_mut();
        // SAFETY: there is room for the handle.
        assert_eq!(unsafe { (self.make_stream)(&mut stream, 1) }, 0);
        stream
    }

    /// Memory of the current context that holds `bytes`.
    fn memory(&self, bytes: &[u8]) -> u64 {
        let mut start = 0;
        // SAFETY: the memory has room for the bytes.
        unsafe {
            assert_eq!((self.alloc)(&mut start, bytes.len()), 0);
            assert_eq!((self.upload)(start, bytes.as_ptr().cast(), bytes.len()), 0);
        }
        start
    }

    /// What memory of the current context holds; it is freed.
    fn bytes(&self, start: u64, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        // SAFETY: the memory has so many bytes.
        unsafe {
            assert_eq!((self.download)(bytes.as_mut_ptr().cast(), start, count), 0);
            assert_eq!((self.free)(start), 0);
        }
        bytes
    }

    fn finish(&self, stream: *mut c_void) {
        // SAFETY: a stream of the current context.
        assert_eq!(unsafe { (self.synchronize)(stream) }, 0);
    }
}

/// What lies where no pixel is, and in targets.
const POISON: u8 = 0x5a;

/// Pictures of RGBA of a depth, some samples' size apart from row to row.
#[derive(Clone, Copy)]
struct Pixels {
    depth: i32,
    size: (usize, usize),
    gap: usize,
}

impl Pixels {
    fn sample(self) -> usize {
        match self.depth {
            8 => 1,
            abi::DEPTH_FLOAT => 4,
            _ => 2,
        }
    }

    fn pitch(self) -> usize {
        (4 * self.size.0 + self.gap) * self.sample()
    }

    fn bytes(self) -> usize {
        self.pitch() * self.size.1
    }

    /// A picture of bands, an edge, and beyond it noise that goes beyond 0 and 1 where numbers can.
    fn picture(self, seed: usize) -> Vec<u8> {
        let mut bytes = vec![POISON; self.bytes()];
        let mut state = seed as u32 + 1;
        for (x, y) in (0..self.size.1).flat_map(|y| (0..self.size.0).map(move |x| (x, y))) {
            for component in 0..4 {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let noise = (state >> 8) as f32 / 16_777_216.0;
                let band = ((x / 3 + y / 2 + 9 * component + seed) % 61) as f32 / 80.0;
                let number = if x * 3 > self.size.0 * 2 { 3.0 * noise - 1.0 } else { band + 0.004 * noise };
                let at = y * self.pitch() + (4 * x + component) * self.sample();
                match self.depth {
                    8 => bytes[at] = (number * 255.0) as u8,
                    16 => bytes[at..at + 2].copy_from_slice(&((number * 65535.0) as u16).to_le_bytes()),
                    abi::DEPTH_HALF => {
                        // Any positive half up to 6, or a negative one.
                        let half = (number.abs() * 8192.0) as u16 | if number < 0.0 { 0x8000 } else { 0 };
                        bytes[at..at + 2].copy_from_slice(&half.to_le_bytes());
                    }
                    _ => bytes[at..at + 4].copy_from_slice(&number.to_le_bytes()),
                }
            }
        }
        bytes
    }

    /// Its planes where the memory begins at `start`: rows downward, or upward.
    fn planes(self, start: u64, upward: bool) -> Planes {
        let last = (self.pitch() * (self.size.1 - 1)) as u64;
        let first = if upward { start + last } else { start };
        let mut planes = planes(&[(ptr::with_exposed_provenance_mut(first as usize), self.pitch())]);
        if upward {
            planes.pitch[0] = -planes.pitch[0];
        }
        planes
    }

    fn chain(self, api: &Api, text: &str, rgba: u32, context: Option<*mut c_void>) -> Handle {
        let text = CString::new(text).unwrap();
        let device = if context.is_some() { ptr::null() } else { c"cpu".as_ptr() };
        let cuda_context = context.unwrap_or(ptr::null_mut());
        let options = Options { device, threads: 1, cuda_context, rgba, ..Options::default() };
        let mut chain = ptr::null_mut();
        let stream = stream(abi::RGBA, self.depth, self.size.0, self.size.1);
        // SAFETY: everything lives through the call, and the context longer.
        api.ok(unsafe { (api.chain_create)(text.as_ptr(), &stream, &options, &mut chain) });
        chain
    }

    /// What the chain makes of frame `index` in host memory.
    fn in_host_memory(self, api: &Api, chain: Handle, index: u64, upward: bool) -> Vec<u8> {
        let (src, dst) = (self.picture(index as usize), vec![POISON; self.bytes()]);
        let planes = |bytes: &[u8], upward| self.planes(bytes.as_ptr().expose_provenance() as u64, upward);
        // SAFETY: both have the rows of a picture.
        api.ok(unsafe { (api.process)(chain, &frame(index), &planes(&src, false), &planes(&dst, upward)) });
        dst
    }
}

const DEPTHS: [i32; 4] = [8, 16, abi::DEPTH_HALF, abi::DEPTH_FLOAT];
/// Those that carry a difference, one that does not, and none.
const CHAINS: [&str; 4] = ["deband=range=9:rand_each_frame=on", "gauss=sigma=1.5", "levels=gamma=1.3", ""];

/// One test at a time: devices are few.
static ALONE: Mutex<()> = Mutex::new(());

/// Frames in one stream, none of which is waited for before the last, are those of the host path.
fn compare(api: &Api, driver: &Driver, context: *mut c_void, pixels: Pixels, text: &str, rgba: u32) {
    let (cpu, gpu) = (pixels.chain(api, text, rgba, None), pixels.chain(api, text, rgba, Some(context)));
    let order = if rgba == 0 { ptr::null_mut() } else { driver.stream() };
    let frames: Vec<_> = (0..3u64)
        .map(|index| {
            let upward = index % 2 == 1;
            let (src, dst) =
                (driver.memory(&pixels.picture(index as usize)), driver.memory(&vec![POISON; pixels.bytes()]));
            let (from, to) = (pixels.planes(src, false), pixels.planes(dst, upward));
            // SAFETY: memory of the context with the rows of such pictures, until the stream has been waited for.
            api.ok(unsafe { (api.process_cuda)(gpu, &frame(index), &from, &to, order) });
            (index, upward, src, dst)
        })
        .collect();
    driver.finish(order);
    for (index, upward, src, dst) in frames {
        let want = pixels.in_host_memory(api, cpu, index, upward);
        let got = driver.bytes(dst, pixels.bytes());
        driver.bytes(src, 0);
        let wrong = got.iter().zip(&want).position(|(got, want)| got != want);
        let Pixels { depth, size, .. } = pixels;
        assert_eq!(wrong, None, "depth {depth}, {size:?}, '{text}', rgba {rgba}, frame {index}: the first other byte");
    }
    // SAFETY: handles of the library's.
    [cpu, gpu].iter().for_each(|chain| api.ok(unsafe { (api.chain_destroy)(*chain) }));
}

#[test]
fn rgba_has_the_bytes_of_the_host_path() {
    let _alone = ALONE.lock();
    let Some(driver) = Driver::open() else { return };
    let api = Api::open();
    for is_primary in [false, true] {
        let context = driver.context(is_primary);
        for depth in DEPTHS {
            for (size, gap) in [((67, 41), 3), ((640, 360), 0), ((1, 1), 1)] {
                for (flags, text) in (0..8).flat_map(|flags| CHAINS.map(|text| (flags, text))) {
                    if size == (67, 41) || flags == 1 {
                        compare(&api, &driver, context, Pixels { depth, size, gap }, text, flags);
                    }
                }
            }
        }
    }
}

#[test]
fn contexts_work_side_by_side() {
    let _alone = ALONE.lock();
    if Driver::open().is_none() {
        return;
    }
    std::thread::scope(|scope| {
        for worker in 0..4 {
            scope.spawn(move || {
                let (api, driver) = (Api::open(), Driver::open().unwrap());
                let context = driver.context(worker == 3);
                for round in 0..6 {
                    let pixels = Pixels { depth: DEPTHS[(worker + round) % 4], size: (320, 180), gap: worker };
                    compare(&api, &driver, context, pixels, CHAINS[round % 2], 1 + (round % 2) as u32);
                }
                if worker < 3 {
                    // SAFETY: nothing of it is used any more.
                    assert_eq!(unsafe { (driver.destroy)(context) }, 0);
                }
            });
        }
    });
}

/// A lane's memory is used by the host's frames and the caller's streams in turns: none begins before the other ends.
#[test]
fn frames_of_the_host_and_of_the_gpu_take_turns() {
    let _alone = ALONE.lock();
    let Some(driver) = Driver::open() else { return };
    let api = Api::open();
    let context = driver.context(false);
    let (pixels, text) =
        (Pixels { depth: 16, size: (1280, 720), gap: 0 }, "gauss=sigma=8,deband=range=20,box=radius=9");
    let (cpu, gpu) = (pixels.chain(&api, text, 1, None), pixels.chain(&api, text, 1, Some(context)));
    let orders = [driver.stream(), driver.stream(), ptr::null_mut()];
    let mut made = Vec::new();
    for index in 0..9u64 {
        let (src, dst) = (driver.memory(&pixels.picture(index as usize)), driver.memory(&vec![POISON; pixels.bytes()]));
        let (from, to) = (pixels.planes(src, false), pixels.planes(dst, false));
        // SAFETY: memory of the context, until its stream has been waited for.
        api.ok(unsafe { (api.process_cuda)(gpu, &frame(index), &from, &to, orders[index as usize % 3]) });
        made.push((src, dst));
        let got = pixels.in_host_memory(&api, gpu, index + 1, false);
        assert!(got == pixels.in_host_memory(&api, cpu, index + 1, false), "frame {} of the host", index + 1);
    }
    orders.iter().for_each(|order| driver.finish(*order));
    for ((src, dst), index) in made.into_iter().zip(0..) {
        let got = driver.bytes(dst, pixels.bytes());
        driver.bytes(src, 0);
        assert!(got == pixels.in_host_memory(&api, cpu, index, false), "frame {index} of the GPU");
    }
    // SAFETY: handles of the library's.
    [cpu, gpu].iter().for_each(|chain| api.ok(unsafe { (api.chain_destroy)(*chain) }));
}

#[test]
fn what_the_driver_knows_to_be_wrong_is_refused() {
    let _alone = ALONE.lock();
    let Some(driver) = Driver::open() else { return };
    let api = Api::open();
    let pixels = Pixels { depth: abi::DEPTH_HALF, size: (65, 33), gap: 0 };
    let (other, context) = (driver.context(false), driver.context(false));
    let chain = pixels.chain(&api, "deband", 0, Some(context));
    let fits = [0, 1].map(|_| pixels.planes(driver.memory(&vec![0; pixels.bytes()]), false));
    let process = |src: &Planes, dst: &Planes, order| {
        // SAFETY: what is wrong is found before anything is done.
        let status = unsafe { (api.process_cuda)(chain, &frame(0), src, dst, order) };
        (status, api.error())
    };
    assert_eq!(process(&fits[0], &fits[1], ptr::null_mut()), (abi::OK, String::new()));
    driver.finish(ptr::null_mut());
    let refused = |src: &Planes, dst: &Planes, order, words: &str| {
        let (status, error) = process(src, dst, order);
        assert!(status == abi::BAD_ARGUMENT && error.contains(words), "{status}: {error}");
    };
    let start = fits[1].data[0].addr() as u64;
    let mut upward = fits[1];
    upward.pitch[0] = -upward.pitch[0];
    refused(&fits[0], &upward, ptr::null_mut(), "the target");
    refused(&fits[0], &pixels.planes(start + 8, false), ptr::null_mut(), "beyond its memory");
    let here = vec![0u8; pixels.bytes()];
    refused(&fits[0], &pixels.planes(here.as_ptr().addr() as u64, false), ptr::null_mut(), "no memory of the GPU");
    // SAFETY: the context lives.
    assert_eq!(unsafe { (driver.set_current)(other) }, 0);
    let theirs = pixels.planes(driver.memory(&vec![0; pixels.bytes()]), false);
    refused(&fits[0], &theirs, ptr::null_mut(), "another CUDA context");
    refused(&fits[0], &fits[1], driver.stream(), "the stream is of another CUDA context");
    // SAFETY: the library does no more work there.
    assert_eq!(unsafe { (driver.destroy)(context) }, 0);
    refused(&fits[0], &fits[1], ptr::null_mut(), "was destroyed");
    // SAFETY: a handle of the library's, and a context that lives.
    unsafe {
        api.ok((api.chain_destroy)(chain));
        assert_eq!((driver.destroy)(other), 0);
    }
}
