//! What kernels hold is what their filters state, and counts before the start.

use crate::command::{Folder, Ran, refused, vramp};
use crate::driver::with_driver;
use crate::{GRADIENT, OUT_OF_MEMORY, driver};
use std::sync::Arc;
use vramp::device::cuda::CudaDevice;
use vramp::filters::{ALL, Descriptor, Setup, SideStorage, Spec, Wiring};
use vramp::params::parse_chain;
use vramp::video::{Format, StreamInfo};

/// Holds what `filter` states for a stream against what its kernel holds.
fn check(filter: &'static Descriptor, args: &str, input: &StreamInfo, device: &Arc<CudaDevice>) {
    let made = (filter.create)(&parse_chain(&filter.text(args)).unwrap()[0]).unwrap();
    let inputs = match made.wiring() {
        Wiring::Reads(names) => vec![input.clone(); 1 + names.len()],
        // It names pictures, and has no kernels.
        Wiring::Keep(_) | Wiring::Use(_) => return,
    };
    // A picture may be too small for it.
    let Ok(Spec { output, .. }) = made.spec(&inputs) else { return };
    // YC48 is stored as it is.
    let v16 = |format: Format| if format.is_yc48() { format } else { format.to_v16() };
    for src in [input.format, v16(input.format)] {
        let mut setup = Setup::of(input.clone(), src, output.clone(), v16(output.format));
        setup.sides = inputs[1..].iter().map(|info| SideStorage { info: info.clone(), src }).collect();
        // And for several frames at a time, where it gains by them.
        for batch in [1, made.cuda_batch(&setup).min(3)] {
            let setup = setup.for_batches(batch);
            let stated = made.cuda_memory(&setup, device).unwrap();
            let before = device.memory().unwrap().used;
            let kernel = made.cuda(&setup, device).unwrap();
            let held = device.memory().unwrap().used - before;
            drop(kernel);
            assert_eq!(stated, held, "{} [{args}] of {input:?} stored as {src}, {batch} at a time", filter.name);
            assert_eq!(device.memory().unwrap().used, before);
        }
    }
}

#[test]
fn every_kernel_holds_what_its_filter_states() {
    if !with_driver("memory::every_kernel_holds_what_its_filter_states") {
        return;
    }
    // As it is, and as a device without tensor cores and with no cache.
    let devices = [CudaDevice::open(0).unwrap(), CudaDevice::open_as(0, (6, 1), 0).unwrap()];
    let sizes = [(1, 1), (149, 131), (1999, 1201)];
    for (filter, device) in ALL.iter().flat_map(|filter| devices.iter().map(move |device| (*filter, device))) {
        for (args, (width, height)) in filter.cases.iter().flat_map(|args| sizes.map(|size| (*args, size))) {
            for format in ["gray8", "yuv420p", "yuv422p10", "gbrp", "yc48"].map(|name| name.parse().unwrap()) {
                if (filter.accepts)(format) {
                    check(filter, args, &StreamInfo::bare(format, width, height), device);
                }
            }
        }
    }
}

/// A run within a budget.
fn within(folder: &Folder, mebibytes: usize, chain: &str) -> Ran {
    let mut command = vramp();
    command.env("LD_LIBRARY_PATH", driver()).args([GRADIENT, &folder.path("out.md5"), "-y", "-f", "framemd5"]);
    command.args(["--device", "cuda", "--frames", "3", "--chain", chain, "--gpu-memory", &mebibytes.to_string()]);
    command.output().unwrap().into()
}

/// The budget that a refusal names is enough, and one mebibyte less is refused in the same words.
#[test]
fn a_budget_counts_what_kernels_hold_before_the_start() {
    let several = "deband,domain,box";
    for chain in
        ["deband=rand_each_frame=on", "box=radius=20:passes=3", "depth=8:dither=fs", "deband,bilateral,gauss", several]
    {
        let folder = Folder::new();
        let ran = within(&folder, 1, chain);
        refused(&ran, OUT_OF_MEMORY, &["slots for 640x360 frames need ", "of a budget of 1 MiB"]);
        assert_eq!(folder.names(), [""; 0]);
        let (_, rest) = ran.stderr.split_once(" need ").unwrap();
        let need: usize = rest.split_once(" MiB").unwrap().0.parse().unwrap();
        let ran = within(&folder, need - 1, chain);
        refused(&ran, OUT_OF_MEMORY, &["slots for 640x360 frames need "]);
        within(&folder, need, chain).ok();
    }
}
