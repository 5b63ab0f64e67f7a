//! Recorded work, and the limits that are measured with it.

use crate::fixture::{self, at};
use crate::gate::device;
use std::time::Duration;
use vramp::device::cuda::{DeviceBuffer, DevicePicture, Graph, LaunchConfig, Stream, limits};
use vramp::error::{Error, Kind};
use vramp::video::Picture;

#[test]
fn recorded_work_is_done_once_a_run_and_not_before() {
    let Some(device) = device() else { return };
    let mut original = Picture::alloc("gray8".parse().unwrap(), 131, 67).unwrap();
    fixture::fill(&mut original, 1);
    let xor = fixture::function(&device, "xor_u8");
    let there = DevicePicture::copy_of(&device, &original).unwrap();
    let other = DevicePicture::copy_of(&device, &original).unwrap();
    let (from, to) = (there.planes()[0], other.planes()[0]);
    // A first launch may load what cannot be loaded in a recording.
    let stream = Stream::new(&device).unwrap();
    fixture::xor(&xor, from, to, 0, &stream);
    stream.synchronize().unwrap();

    let graph = Graph::record(&device, [there, other], |_, stream| {
        fixture::xor(&xor, from, to, 1, stream);
        fixture::xor(&xor, to, from, 2, stream);
        Ok(())
    });
    let graph = graph.unwrap();
    for runs in 0..4u8 {
        let mut got = Picture::alloc(original.format(), 131, 67).unwrap();
        // SAFETY: the picture lives until the stream has been waited for.
        unsafe { graph.uses()[0].download(&mut got, &stream) }.unwrap();
        stream.synchronize().unwrap();
        let value = 3 * (runs % 2);
        for y in 0..67 {
            let expected: Vec<u8> = original.row_bytes(0, y).iter().map(|byte| byte ^ value).collect();
            assert_eq!(got.row_bytes(0, y), expected, "row {y} after {runs} runs");
        }
        graph.run().unwrap();
    }
}

#[test]
fn a_run_measures_the_time_of_the_device() {
    let Some(device) = device() else { return };
    let spin = fixture::function(&device, "spin");
    let launch = |spins: u32, stream: &Stream| {
        let shape = LaunchConfig { grid: [1, 1, 1], block: [1, 1, 1], shared: 0 };
        // SAFETY: the argument is the kernel's parameter.
        (0..spins).try_for_each(|_| unsafe { spin.launch(shape, &[at(&2_000_000u64)], stream) })
    };
    let stream = Stream::new(&device).unwrap();
    launch(1, &stream).and_then(|()| stream.synchronize()).unwrap();
    let [one, ten] = [1, 10].map(|spins| {
        let graph = Graph::record(&device, (), |(), stream| launch(spins, stream)).unwrap();
        graph.run().and_then(|_| graph.run()).unwrap()
    });
    assert!(one > Duration::from_micros(100) && ten > 5 * one, "{one:?}, {ten:?}");
}

#[test]
fn what_cannot_be_recorded_is_an_error_and_the_device_goes_on() {
    let Some(device) = device() else { return };
    let buffer = || DeviceBuffer::new(&device, 1000, "tests").unwrap();
    let refused = Graph::record(&device, (), |(), _| Err(Error::unsupported("not here"))).map(drop).unwrap_err();
    assert_eq!((refused.kind(), refused.message()), (Kind::Unsupported, "not here"));
    let waits = Graph::record(&device, (), |(), stream| stream.synchronize()).map(drop).unwrap_err();
    assert_eq!(waits.kind(), Kind::Device);
    let copied = Graph::record(&device, [buffer(), buffer()], |[from, to], stream| from.copy_to(to, 3, 900, stream));
    copied.unwrap().run().unwrap();
}

#[test]
fn copies_on_the_device_reach_their_bytes_and_no_others() {
    let Some(device) = device() else { return };
    let data: Vec<u8> = (0..1000u32).map(|i| (i * 7 + 1) as u8 | 1).collect();
    let from = DeviceBuffer::from_bytes(&device, &data, "tests").unwrap();
    let to = DeviceBuffer::new(&device, 1000, "tests").unwrap();
    let stream = Stream::new(&device).unwrap();
    from.copy_to(&to, 10, 500, &stream).and_then(|()| stream.synchronize()).unwrap();
    let mut got = vec![0; 1000];
    to.read(&mut got).unwrap();
    let expected: Vec<u8> = (0..1000).map(|i| if (10..510).contains(&i) { data[i] } else { 0 }).collect();
    assert_eq!(got, expected);
}

#[test]
fn the_limits_are_measured() {
    let Some(device) = device() else { return };
    for copies in limits::device_copies(&device, 4_000_001, 2).unwrap() {
        assert!(copies.run().unwrap() > Duration::ZERO);
    }
    let formats = ["yuv420p", "yuv420p10"].map(|name| name.parse().unwrap());
    let [input, output] = formats;
    for input in [Some(input), None] {
        assert!(limits::host_copies(&device, input, output, 1280, 720, 20).unwrap() > Duration::ZERO);
    }
}
