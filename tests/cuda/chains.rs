//! Chains of several filters, whose components lie in different places, against the CPU.

use crate::gate::device;
use vramp::device::DeviceChoice;
use vramp::filters::{Filter, chain, planes};
use vramp::pipeline::{Engine, Target};
use vramp::video::{FrameProps, Picture, StreamInfo};

/// What `text` makes of a picture whose bytes follow from their place.
fn filtered(text: &str, format: &str, device: DeviceChoice) -> Vec<Vec<u8>> {
    filtered_at((150, 41), text, format, device)
}

fn filtered_at((width, height): (usize, usize), text: &str, format: &str, device: DeviceChoice) -> Vec<Vec<u8>> {
    let info = StreamInfo::bare(format.parse().unwrap(), width, height);
    let engine = Engine::new(chain(text).unwrap(), &info, Target::default(), device, 1).unwrap();
    let mut src = Picture::alloc(info.format, info.width, info.height).unwrap();
    for (at, byte) in src.block_mut().unwrap().iter_mut().enumerate() {
        *byte = (at as u32).wrapping_mul(2_654_435_761).to_be_bytes()[0] & if at % 2 == 1 { 3 } else { 255 };
    }
    let output = engine.plan().output.clone();
    let mut dst = Picture::alloc(output.format, output.width, output.height).unwrap();
    let props = FrameProps { frame_index: 7, ..FrameProps::default() };
    engine.process(&props, &src.planes(), &mut dst.planes_mut()).unwrap();
    let rows = |plane| (0..output.format.plane_size(plane, output.width, output.height).1).map(move |y| (plane, y));
    (0..output.format.planes()).flat_map(rows).map(|(plane, y)| dst.row_bytes(plane, y).to_vec()).collect()
}

/// What a filter reads behind another one has all 16 bits, whatever the stream's depth is.
#[test]
fn filters_read_whole_samples_behind_others() {
    if device().is_none() {
        return;
    }
    for format in ["gray8", "yuv420p", "yuv420p10", "yuv444p12"] {
        for text in [
            "box,localtone",
            "gauss,localtone=method=scenery",
            "box,localtone=method=people",
            "box,curves=preset=darker,box",
        ] {
            let cpu = filtered(text, format, DeviceChoice::Cpu);
            assert!(filtered(text, format, DeviceChoice::Cuda(0)) == cpu, "{format} {text}");
        }
    }
}

#[test]
fn components_may_lie_in_different_places() {
    if device().is_none() {
        return;
    }
    for format in ["gray16", "yuv420p", "yuv420p10", "yuv420p16", "yuv422p16", "yuv444p16", "gbrp16", "p010", "yc48"] {
        for text in [
            "box=planes=y,gauss=planes=uv,box",
            "gauss=planes=u,box=planes=v:passes=3,gauss=planes=y,deband",
            "deband,box=planes=uv:radius=40,gauss=planes=y:sigma=5,depth=8:dither=ordered",
            "box=planes=y,box=planes=y,box=planes=y",
            "box=planes=r,gauss=planes=gb,box=planes=rg:passes=3",
        ] {
            // A format has not all planes.
            let works = |filter: Box<dyn Filter>| planes::check(&*filter, format.parse().unwrap()).is_ok();
            if !chain(text).unwrap().into_iter().all(works) {
                continue;
            }
            // YC48 has one depth.
            let text = if format == "yc48" { text.replace(",depth=8:dither=ordered", "") } else { text.to_owned() };
            let cpu = filtered(&text, format, DeviceChoice::Cpu);
            assert!(filtered(&text, format, DeviceChoice::Cuda(0)) == cpu, "{format} {text}");
        }
    }
}

/// Of frames that are many blocks wide and high, where the components that are copied may have none to copy.
#[test]
fn components_of_large_frames_may_stay_where_they_are() {
    if device().is_none() {
        return;
    }
    for (format, text) in
        [("yuv420p", "box,bilateral=planes=y,box"), ("yuv444p16", "bilateral=planes=uv:radius_c=7,box")]
    {
        let [cpu, gpu] =
            [DeviceChoice::Cpu, DeviceChoice::Cuda(0)].map(|on| filtered_at((1920, 1080), text, format, on));
        assert!(gpu == cpu, "{format} {text}");
    }
}
