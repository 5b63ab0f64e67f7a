use super::*;
use crate::filters::chain;
use crate::video::Picture;
use std::thread;

fn engine(text: &str, info: &StreamInfo, device: DeviceChoice) -> Result<Engine> {
    Engine::new(chain(text).unwrap(), info, Target::default(), device, 1)
}

fn info(format: &str, width: usize, height: usize) -> StreamInfo {
    StreamInfo::bare(format.parse().unwrap(), width, height)
}

/// A picture whose bytes follow from their place and from `seed`.
fn picture(info: &StreamInfo, seed: u64) -> Picture {
    let mut picture = Picture::alloc(info.format, info.width, info.height).unwrap();
    let mut state = seed;
    let top = if info.format.bit_depth() == 10 { 3 } else { 255 };
    for plane in 0..info.format.planes() {
        for y in 0..info.format.plane_size(plane, info.width, info.height).1 {
            for (x, byte) in picture.row_bytes_mut(plane, y).iter_mut().enumerate() {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                *byte = if x % 2 == 1 { (state >> 56) as u8 & top } else { (state >> 56) as u8 };
            }
        }
    }
    picture
}

fn rows(picture: &Picture) -> Vec<&[u8]> {
    let format = picture.format();
    let row = |plane| {
        let count = format.plane_size(plane, picture.width(), picture.height()).1;
        (0..count).map(move |y| picture.row_bytes(plane, y))
    };
    (0..format.planes()).flat_map(row).collect()
}

fn filtered(engine: &Engine, index: u64, src: &Picture) -> Picture {
    let StreamInfo { format, width, height, .. } = engine.plan().output;
    let mut dst = Picture::alloc(format, width, height).unwrap();
    let props = FrameProps { frame_index: index, ..FrameProps::default() };
    engine.process(&props, &src.planes(), &mut dst.planes_mut()).unwrap();
    dst
}

#[test]
fn an_engine_gives_the_bytes_of_a_cpu_chain() {
    for format in ["gray8", "yuv420p", "yuv422p10", "yuv444p16", "gbrp10", "nv12", "p010", "yc48"] {
        for text in ["deband", "deband,gauss", "box=radius=2,deband,gauss"] {
            let info = info(format, 37, 19);
            let engine = engine(text, &info, DeviceChoice::Cpu).unwrap();
            let mut reference = CpuChain::reference(engine.plan()).unwrap();
            let src = picture(&info, 5);
            let mut want = Picture::alloc(engine.plan().output.format, 37, 19).unwrap();
            let props = FrameProps { frame_index: 9, ..FrameProps::default() };
            reference.run(&props, &src.planes(), &mut want.planes_mut());
            assert_eq!(rows(&filtered(&engine, 9, &src)), rows(&want), "{format} {text}");
        }
    }
}

#[test]
fn an_empty_chain_copies() {
    for format in ["gray16", "yuv420p", "gbrp", "nv12", "p010", "yc48"] {
        let info = info(format, 13, 7);
        let engine = engine("", &info, DeviceChoice::Auto).unwrap();
        let src = picture(&info, 1);
        assert_eq!(rows(&filtered(&engine, 0, &src)), rows(&src), "{format}");
        assert_eq!(engine.needs(0, 7), (7, 7));
    }
}

#[test]
fn frames_come_in_any_order_from_many_threads() {
    let info = info("yuv420p10", 64, 36);
    let engine =
        engine("deband=dither=4:rand_each_frame=on,gauss,depth=8:dither=fs", &info, DeviceChoice::Cpu).unwrap();
    let sources: Vec<_> = (0..12).map(|seed| picture(&info, seed)).collect();
    let want: Vec<_> = (0..12).map(|i| filtered(&engine, i, &sources[i as usize])).collect();
    thread::scope(|scope| {
        for worker in 0..8u64 {
            let (engine, sources, want) = (&engine, &sources, &want);
            scope.spawn(move || {
                for step in 0..12 {
                    let i = (worker * 5 + step * 7) % 12;
                    let got = filtered(engine, i, &sources[i as usize]);
                    assert_eq!(rows(&got), rows(&want[i as usize]), "frame {i}");
                }
            });
        }
    });
}

#[test]
fn views_of_another_picture_are_refused() {
    let right = info("yuv420p", 16, 8);
    let engine = engine("deband", &right, DeviceChoice::Cpu).unwrap();
    let good = Picture::alloc(right.format, 16, 8).unwrap();
    for (format, width, height) in [("yuv420p", 15, 8), ("yuv420p", 16, 7), ("nv12", 16, 8), ("gray8", 16, 8)] {
        let mut wrong = Picture::alloc(format.parse().unwrap(), width, height).unwrap();
        let mut out = Picture::alloc(engine.plan().output.format, 16, 8).unwrap();
        let props = FrameProps::default();
        let error = engine.process(&props, &wrong.planes(), &mut out.planes_mut()).unwrap_err();
        assert!(error.message().contains("the source is not a picture of yuv420p, 16x8"), "{error}");
        let error = engine.process(&props, &good.planes(), &mut wrong.planes_mut()).unwrap_err();
        assert!(error.message().contains("the target is not"), "{error}");
    }
}

/// The stages of `plan`, each in a chain of its own, which reads and writes whole pictures.
fn one_by_one(plan: &ChainPlan, props: &FrameProps, src: &Picture) -> Picture {
    let mut picture = None;
    for stage in &plan.stages {
        let setup = stage.setup.clone();
        let filter = crate::filters::create(&stage.filter.call()).unwrap();
        let input = StreamInfo { format: setup.src, ..setup.input.clone() };
        let output = StreamInfo { format: setup.dst, ..setup.output.clone() };
        let alone = ChainPlan::linear(input, output, vec![(filter, setup)]);
        let mut next = Picture::alloc(alone.output.format, src.width(), src.height()).unwrap();
        let from = picture.as_ref().unwrap_or(src);
        CpuChain::reference(&alone).unwrap().run(props, &from.planes(), &mut next.planes_mut());
        picture = Some(next);
    }
    picture.unwrap()
}

#[test]
fn components_that_stay_where_they_are_are_copies() {
    let planes = ["box=planes=y", "gauss=planes=uv", "box=planes=u:passes=2", "gauss=planes=v", "deband", "box"];
    for format in ["gray16", "yuv420p", "yuv420p16", "yuv444p10", "yuv422p16", "gbrp16", "p010", "yc48"] {
        // Every three of them, in every order.
        for n in 0..planes.len().pow(3) {
            let [a, b, c] = [n, n / 6, n / 36].map(|digit| planes[digit % 6]);
            let (text, info) = (format!("{a},{b},{c}"), info(format, 21, 13));
            let engine = match engine(&text, &info, DeviceChoice::Cpu) {
                Err(error) if error.message().contains("is no plane of") => continue,
                engine => engine.unwrap(),
            };
            if engine.plan().stages.is_empty() {
                continue;
            }
            let (src, props) = (picture(&info, n as u64), FrameProps { frame_index: 4, ..FrameProps::default() });
            assert_eq!(
                rows(&filtered(&engine, 4, &src)),
                rows(&one_by_one(engine.plan(), &props, &src)),
                "{format} {text}"
            );
        }
    }
}

#[test]
fn a_chain_of_a_hundred_filters_takes_two_pictures() {
    let names = ["deband=threshold=4", "box=planes=y", "gauss=sigma=0.6", "bilateral=radius=1", "depth=12"];
    let text: Vec<_> = (0..100).map(|i| names[i % names.len()]).collect();
    let info = info("yuv420p10", 13, 7);
    let engine = engine(&text.join(","), &info, DeviceChoice::Cpu).unwrap();
    let (src, props) = (picture(&info, 3), FrameProps { frame_index: 4, ..FrameProps::default() });
    assert_eq!(rows(&filtered(&engine, 4, &src)), rows(&one_by_one(engine.plan(), &props, &src)));
    let chain = CpuChain::new(
        engine.plan(),
        crate::device::cpu::CpuExec::new(1, crate::device::cpu::CpuLevel::Portable).unwrap(),
    )
    .unwrap();
    let picture = Picture::bytes(info.format.to_v16(), info.width, info.height).unwrap();
    assert!(chain.bytes() <= 2 * picture + 6 * 64, "{} bytes, a picture has {picture}", chain.bytes());
}

/// Kernels that measure in the middle of a chain leave the picture where it is, and measure what they read.
#[test]
fn a_chain_that_measures_gives_what_it_gives_without() {
    for format in ["gray8", "yuv420p", "yuv422p10", "gbrp", "nv12"] {
        let info = info(format, 37, 21);
        let src = picture(&info, 3);
        let run = |text: &str| {
            let target = Target { format: Some(info.format), ..Target::default() };
            let plan = plan(chain(text).unwrap(), &info, target).unwrap();
            let mut out = Picture::alloc(info.format, 37, 21).unwrap();
            let exec = crate::device::cpu::CpuExec::new(2, crate::device::cpu::CpuLevel::detect()).unwrap();
            let copied: Vec<_> = plan.stages.iter().map(|stage| stage.setup.src != stage.setup.dst).collect();
            let mut chain = CpuChain::new(&plan, exec).unwrap();
            chain.run(&FrameProps::default(), &src.planes(), &mut out.planes_mut());
            (out, copied, chain.bytes())
        };
        let (plain, _, bytes) = run("box=1,gauss=1");
        for text in
            ["stats,box=1,gauss=1", "box=1,stats=all,gauss=1", "box=1,gauss=1,stats", "stats,box=1,stats,gauss=1"]
        {
            let (got, copied, _) = run(text);
            assert_eq!(rows(&got), rows(&plain), "{format} {text}");
            assert!(!text.starts_with("stats") || !copied[0], "{text}: it leaves the source as it is stored");
        }
        assert_eq!(run("stats,box=1,stats,gauss=1").2, bytes, "no picture is there for what only measures");
    }
}
