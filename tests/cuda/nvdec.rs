//! Frames from NVDEC are those of the software decoder, through the device's chain as through the CPU's.

use crate::card;
use crate::chain::Kept;
use crate::clips::{Folder, Recipe};
use crate::fixture;
use crate::gate::{device, in_a_process_of_its_own};
use std::sync::Arc;
use vramp::device::cpu::{CpuExec, CpuLevel};
use vramp::device::cuda::{CudaDevice, Event, PinnedAllocator, Stream};
use vramp::error::{Kind, Result};
use vramp::filters;
use vramp::io::libav::{CopyChoice, DecoderChoice, Input, InputOptions, Position, Window};
use vramp::pipeline::{self, Cancel, Chain, ChainPlan, CpuChain, CudaChain, Item, Options, Progress, Source, Target};
use vramp::video::{FrameProps, Picture};

const BUNNY: &str = "big-buck-bunny-720p.mp4";

/// Clips of what cards decode; which of these the card at hand does, it says.
const CLIPS: [Recipe; 17] = [
    Recipe::new("h264.mp4", "libx264", "yuv420p").with("bf=3 refs=4 g=25"),
    Recipe::new("h264-322x178.mkv", "libx264", "yuv420p").sized(322, 178).with("bf=2"),
    Recipe::new("h264-full.mp4", "libx264", "yuv420p").with("x264-params=fullrange=on"),
    Recipe::new("h264-fields.mkv", "libx264", "yuv420p").sized(320, 240).interlaced().with("bf=2"),
    Recipe::new("h264-many-refs.mkv", "libx264", "yuv420p").with("refs=16 bf=8"),
    Recipe::new("raw.h264", "libx264", "yuv420p").with("bf=0"),
    Recipe::new("hevc.mp4", "libx265", "yuv420p").with("preset=fast"),
    Recipe::new("hevc10.mkv", "libx265", "yuv420p10").with("preset=fast"),
    Recipe::new("hevc10-322x178.mkv", "libx265", "yuv420p10").sized(322, 178).with("preset=fast"),
    Recipe::new("hevc12.mkv", "libx265", "yuv420p12").with("preset=fast"),
    Recipe::new("hevc444.mkv", "libx265", "yuv444p").with("preset=fast"),
    Recipe::new("hevc444-10.mkv", "libx265", "yuv444p10").with("preset=fast"),
    Recipe::new("vp8.webm", "libvpx", "yuv420p").with("deadline=realtime cpu-used=8"),
    Recipe::new("vp9.webm", "libvpx-vp9", "yuv420p").with("deadline=realtime cpu-used=8"),
    Recipe::new("vp9-odd.webm", "libvpx-vp9", "yuv420p").sized(321, 179).with("deadline=realtime cpu-used=8"),
    Recipe::new("av1.mkv", "libsvtav1", "yuv420p").with("preset=10"),
    Recipe::new("av1-10.mkv", "libsvtav1", "yuv420p10").with("preset=10"),
];

/// What the frames go through, and the depth they end in.
const CHAINS: [(&str, Option<u8>); 5] = [
    ("", None),
    ("deband=range=16:sample=2", Some(10)),
    ("deband,depth=10:dither=ordered", None),
    TMEDIAN,
    ("box=1,tsoften=radius=1,select=cycle=2", Some(10)),
];

/// Reads more frames at a time than the decoder has surfaces to give.
const TMEDIAN: (&str, Option<u8>) = ("tmedian=radius=2", None);

fn sample(name: &str) -> String {
    let folder = std::env::var("VRAMP_SAMPLES").unwrap_or_else(|_| format!("{}/samples", env!("CARGO_MANIFEST_DIR")));
    format!("{folder}/{name}")
}

fn options(decoder: DecoderChoice, device: Option<&Arc<CudaDevice>>) -> InputOptions {
    InputOptions { decoder, device: device.cloned(), copy: CopyChoice::NONE, threads: 2, ..InputOptions::default() }
}

/// `path` in software.
fn software(path: &str) -> Input {
    Input::open(path, options(DecoderChoice::Software, None)).unwrap()
}

/// `path` as `auto` decodes it.
fn auto(path: &str, device: &Arc<CudaDevice>) -> Input {
    Input::open(path, options(DecoderChoice::Auto, Some(device))).unwrap()
}

/// `path` on the card, which must do that.
fn nvdec(path: &str, device: &Arc<CudaDevice>) -> Input {
    let card = Input::open(path, options(DecoderChoice::Nvdec, Some(device))).unwrap();
    assert!(card.surfaces().is_some(), "{path}: NVDEC was asked for, and frames are not in GPU memory");
    card
}

fn plan(input: &Input, chain: &str, depth: Option<u8>) -> ChainPlan {
    let format = depth.map(|depth| input.info().format.to_planar(depth).unwrap());
    let target = Target { format, ..Target::default() };
    let plan = pipeline::plan(filters::chain(chain).unwrap(), input.info(), target).unwrap();
    match input.surfaces() {
        Some(storage) => plan.resident(storage).unwrap(),
        None => plan,
    }
}

fn run(input: &mut Input, plan: &ChainPlan, chain: &mut dyn Chain, slots: usize) -> Result<Kept> {
    let mut kept = Kept::default();
    let options = Options { slots, ..Options::default() };
    pipeline::run(input, plan, chain, &mut kept, &options, &mut |_| {}).map(|_| kept)
}

fn on_cpu(mut input: Input, chain: &str, depth: Option<u8>) -> Kept {
    let plan = plan(&input, chain, depth);
    let mut chain = CpuChain::new(&plan, CpuExec::new(0, CpuLevel::detect()).unwrap()).unwrap();
    run(&mut input, &plan, &mut chain, 3).unwrap()
}

fn on_cuda(mut input: Input, chain: &str, depth: Option<u8>, device: &Arc<CudaDevice>, slots: usize) -> Kept {
    let plan = plan(&input, chain, depth);
    input.decode_into(Arc::new(PinnedAllocator::new(device)));
    run(&mut input, &plan, &mut CudaChain::new(&plan, device, slots).unwrap(), slots).unwrap()
}

/// What of the properties must be the same. libav's own AV1 decoder reports less than the one that software uses.
fn comparable(props: &FrameProps, what: &str) -> FrameProps {
    let side_data = if what.contains("av1") { Vec::new() } else { props.side_data.clone() };
    FrameProps { side_data, ..props.clone() }
}

fn assert_same(got: &Kept, want: &Kept, what: &str) {
    assert_eq!(got.frames.len(), want.frames.len(), "{what}");
    for (got, want) in got.frames.iter().zip(&want.frames) {
        let what = format!("{what}, frame {}", want.props.frame_index);
        assert_eq!(comparable(&got.props, &what), comparable(&want.props, &what), "{what}");
        fixture::assert_same(&got.picture, &want.picture, &what);
    }
}

/// Every clip that this libav can make and the card decodes by the driver's word, and the bunny. Of the others a message states that
/// they did not run.
fn clips(folder: &Folder, device: &Arc<CudaDevice>) -> Vec<(&'static str, String)> {
    let on_card = |recipe: &Recipe| -> Result<String, String> {
        card::decodes(device, recipe)?;
        let (width, height) = recipe.size;
        if width % 2 != 0 || height % 2 != 0 {
            return Err("surfaces of odd sizes are left to software".to_owned());
        }
        let path = recipe.make(folder).map_err(|error| error.to_string())?;
        match Input::open(&path, options(DecoderChoice::Nvdec, Some(device))) {
            Err(error) if error.message().contains("this libav has no NVDEC") => Err(error.to_string()),
            _ => Ok(path),
        }
    };
    let made = CLIPS.iter().filter_map(|recipe| match on_card(recipe) {
        Ok(path) => Some((recipe.name, path)),
        Err(why) => {
            println!("skipped: {} on NVDEC: {why}", recipe.name);
            None
        }
    });
    made.chain([(BUNNY, sample(BUNNY))]).collect()
}

/// The samples of `surface` as `like` stores them, through a copy to the host.
fn downloaded(frame: &pipeline::DeviceFrame, like: &Picture, device: &CudaDevice) -> Picture {
    let (stream, written) = (Stream::new(device).unwrap(), Event::new(device).unwrap());
    written.record(&frame.stream).unwrap();
    stream.wait_for(&written).unwrap();
    let mut surface = Picture::alloc(frame.picture.format(), frame.picture.width(), frame.picture.height()).unwrap();
    // SAFETY: both pictures live until the stream is done.
    unsafe { frame.picture.download(&mut surface, &stream) }.unwrap();
    stream.synchronize().unwrap();
    let mut picture = Picture::alloc(like.format(), surface.width(), surface.height()).unwrap();
    let (from, mut to) = (surface.planes(), picture.planes_mut());
    for component in 0..from.len() {
        let (from, to) = (&from[component], to.get_mut(component));
        let shift = like.format().component_layout(0).2.shift - surface.format().component_layout(0).2.shift;
        let (width, height) = (to.width(), to.height());
        for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
            to.set(x, y, from.get(x, y) >> shift);
        }
    }
    picture
}

/// Needs no device: the clips are what they are meant to be.
#[test]
fn clips_decode_in_software() {
    let folder = Folder::new("clips");
    for recipe in CLIPS {
        match recipe.make(&folder) {
            Ok(path) => {
                let input = software(&path);
                let info = input.info();
                assert_eq!((info.format.to_string().as_str(), (info.width, info.height)), (recipe.format, recipe.size));
                assert_eq!(on_cpu(input, "", None).frames.len() as u64, recipe.frames, "{}", recipe.name);
            }
            Err(error) => assert!(error.message().contains("not known to this libav"), "{}: {error}", recipe.name),
        }
    }
}

/// No kernel takes part: what the card decodes is what software decodes.
#[test]
fn surfaces_hold_what_software_decodes() {
    let Some(device) = device() else { return };
    let folder = Folder::new("surfaces");
    let clips = clips(&folder, &device);
    for (name, path) in &clips {
        let (mut ours, mut card) = (software(path), nvdec(path, &device));
        println!("{name}: {}", card.surfaces().unwrap());
        assert_eq!(card.info(), ours.info(), "{name}");
        let mut frames = 0;
        while let Some(Item::Frame(want)) = ours.next().unwrap() {
            let Some(Item::DeviceFrame(got)) = card.next().unwrap() else { panic!("{name}: frame {frames} is lost") };
            let what = format!("{name}, frame {frames}");
            assert_eq!(comparable(&got.props, &what), comparable(&want.props, &what), "{what}");
            fixture::assert_same(&downloaded(&got, &want.picture, &device), &want.picture, &what);
            frames += 1;
        }
        assert!(card.next().unwrap().is_none() && frames >= 50, "{name}: {frames}");
        assert_eq!(card.damage(), None, "{name}");
    }
    for name in ["h264.mp4", "h264-322x178.mkv", "hevc10.mkv"] {
        assert!(clips.iter().any(|clip| clip.0 == name), "{name} was not decoded on the card");
    }
}

/// `auto` takes what is by name decoded on the card, but for AV1 where libav would lose metadata, and never odd sizes.
#[test]
fn auto_uses_what_the_card_decodes() {
    let Some(device) = device() else { return };
    let folder = Folder::new("auto");
    for (name, path) in clips(&folder, &device) {
        assert!(auto(&path, &device).surfaces().is_some() || name.contains("av1"), "{name}");
    }
    let odd = CLIPS.iter().find(|recipe| recipe.name == "vp9-odd.webm").unwrap();
    let Ok(path) = odd.make(&folder) else {
        return println!("skipped: {} on NVDEC: this libav cannot make it", odd.name);
    };
    assert_eq!(auto(&path, &device).surfaces(), None);
    let expected = on_cpu(software(&path), "", None);
    assert_same(&on_cuda(auto(&path, &device), "", None, &device, 2), &expected, odd.name);
}

#[test]
fn nvdec_through_the_chain_gives_the_bytes_of_software() {
    let Some(device) = device() else { return };
    let folder = Folder::new("nvdec");
    for (name, path) in clips(&folder, &device) {
        for (chain, depth) in CHAINS {
            let expected = on_cpu(software(&path), chain, depth);
            let what = format!("{name}, '{chain}'");
            assert_same(&on_cuda(software(&path), chain, depth, &device, 3), &expected, &format!("{what}, software"));
            assert_same(
                &on_cuda(nvdec(&path, &device), chain, depth, &device, 3),
                &expected,
                &format!("{what}, NVDEC"),
            );
        }
    }
}

#[test]
fn more_slots_than_surfaces_do_no_harm() {
    let Some(device) = device() else { return };
    let (chain, depth) = CHAINS[1];
    let expected = on_cpu(software(&sample(BUNNY)), chain, depth);
    for slots in [1, 2, 3, 5, 8, 16] {
        let got = on_cuda(nvdec(&sample(BUNNY), &device), chain, depth, &device, slots);
        assert_same(&got, &expected, &format!("{slots} slots"));
    }
}

#[test]
fn surfaces_that_are_held_are_an_error_and_no_hang() {
    let Some(device) = device() else { return };
    let mut input = nvdec(&sample(BUNNY), &device);
    let mut held = Vec::new();
    let error = loop {
        match input.next() {
            Ok(frame) => held.push(frame),
            Err(error) => break error,
        }
    };
    assert!(error.message().contains("surfaces of NVDEC are held") && (3..10).contains(&held.len()), "{error}");
}

#[test]
fn what_the_card_does_not_take_is_decoded_in_software() {
    let Some(device) = device() else { return };
    let folder = Folder::new("fallback");
    let high = Recipe::new("h264-422.mkv", "libx264", "yuv422p");
    let deep = Recipe::new("h264-10.mkv", "libx264", "yuv420p10");
    let lossless = Recipe::new("ffv1.mkv", "ffv1", "yuv420p");
    let rounded = Recipe::new("mpeg2.mkv", "mpeg2video", "yuv420p");
    for recipe in [high, deep, lossless, rounded] {
        let path = recipe.make(&folder).unwrap();
        let input = auto(&path, &device);
        if input.surfaces().is_some() {
            println!("{}: this card decodes it", recipe.name);
            assert!(![lossless.name, rounded.name].contains(&recipe.name));
        }
        let expected = on_cpu(software(&path), "", None);
        assert_same(&on_cuda(input, "", None, &device, 2), &expected, recipe.name);
        let by_name = Input::open(&path, options(DecoderChoice::Nvdec, Some(&device)));
        match by_name.map(|input| input.surfaces()) {
            Ok(surfaces) => assert!(surfaces.is_some(), "{}", recipe.name),
            Err(error) => {
                println!("{error}");
                assert_eq!(error.kind(), Kind::Unsupported);
                assert!(error.message().contains("NVDEC does not decode this: "), "{error}");
            }
        }
    }
    let error = Input::open(&sample(BUNNY), options(DecoderChoice::Nvdec, None)).err().unwrap();
    assert!(error.message().contains("add --device cuda"), "{error}");
}

/// MPEG-2 is not defined to the last bit, and taken only by name: frames, times and fields are the same nevertheless.
#[test]
fn fields_of_mpeg2_stay_in_their_frames() {
    let Some(device) = device() else { return };
    let folder = Folder::new("mpeg2");
    let path = Recipe::new("mpeg2-fields.mkv", "mpeg2video", "yuv420p").interlaced().make(&folder).unwrap();
    let card = match Input::open(&path, options(DecoderChoice::Nvdec, Some(&device))) {
        Ok(card) => card,
        Err(error) => return println!("skipped: MPEG-2 on NVDEC: {error}"),
    };
    let (got, want) = (on_cuda(card, "", None, &device, 2), on_cpu(software(&path), "", None));
    assert_eq!(got.frames.len(), want.frames.len());
    for (got, want) in got.frames.iter().zip(&want.frames) {
        assert_eq!(got.props, want.props);
        let (got, want) = (got.picture.planes(), want.picture.planes());
        let apart = |y: usize| (0..want[0].width()).map(move |x| (got[0].get(x, y) - want[0].get(x, y)).abs());
        let most = (0..want[0].height()).flat_map(apart).max().unwrap();
        assert!(most < 16, "samples differ by up to {most}");
    }
}

#[test]
fn a_part_of_a_clip_is_the_same_part() {
    let Some(device) = device() else { return };
    let window = Window { start: Some(Position::Frame(17)), end: None, frames: Some(23) };
    let open = |options: InputOptions| Input::open(&sample(BUNNY), InputOptions { window, ..options }).unwrap();
    for (chain, depth) in [CHAINS[1], TMEDIAN] {
        let expected = on_cpu(open(options(DecoderChoice::Software, None)), chain, depth);
        assert_eq!((expected.frames.len(), expected.frames[0].props.frame_index), (23, 17), "{chain}");
        let whole = on_cpu(software(&sample(BUNNY)), chain, depth);
        for (part, whole) in expected.frames.iter().zip(&whole.frames[17..]) {
            assert_eq!(part.props, whole.props, "{chain}");
            fixture::assert_same(&part.picture, &whole.picture, chain);
        }
        let card = open(options(DecoderChoice::Auto, Some(&device)));
        assert!(card.surfaces().is_some());
        assert_same(&on_cuda(card, chain, depth, &device, 4), &expected, &format!("a part, '{chain}'"));
    }
}

#[test]
fn frames_that_must_be_converted_are_decoded_in_software_from_the_first_on() {
    let Some(device) = device() else { return };
    let format = "yuv444p10".parse().unwrap();
    let converted = |mut input: Input| {
        input.convert_to(format).unwrap();
        assert_eq!((input.surfaces(), input.info().format), (None, format));
        on_cpu(input, "", None)
    };
    assert_same(&converted(auto(&sample(BUNNY), &device)), &converted(software(&sample(BUNNY))), "converted");
    let mut input = auto(&sample(BUNNY), &device);
    input.decode_in_software("a test").unwrap();
    assert_same(&on_cpu(input, "", None), &on_cpu(software(&sample(BUNNY)), "", None), "in software after all");
}

#[test]
fn a_change_in_mid_stream_ends_the_run_as_in_software() {
    let folder = Folder::new("change");
    let clip = |name, format| Recipe::new(name, "libx264", format).with("bf=0").long(20);
    let first = clip("a.h264", "yuv420p");
    for (second, shape) in [
        (clip("b.h264", "yuv420p").sized(352, 192), "352x192 yuv420p,"),
        (clip("c.h264", "yuv422p"), "320x192 yuv422p,"),
        (clip("d.h264", "yuv420p10"), "320x192 yuv420p10le,"),
    ] {
        let both = [first, second].map(|recipe| std::fs::read(recipe.make(&folder).unwrap()).unwrap()).concat();
        let path = folder.file("both.h264");
        std::fs::write(&path, both).unwrap();
        let failure =
            |input: &mut Input, plan: &ChainPlan, chain: &mut dyn Chain| run(input, plan, chain, 2).err().unwrap();
        let mut input = software(&path);
        let on_host = plan(&input, "", None);
        let exec = CpuExec::new(1, CpuLevel::detect()).unwrap();
        let want = failure(&mut input, &on_host, &mut CpuChain::new(&on_host, exec).unwrap());
        assert!(want.message().contains("the video changes at frame 20") && want.message().contains(shape), "{want}");

        let Some(device) = device() else { continue };
        let mut card = auto(&path, &device);
        assert!(card.surfaces().is_some());
        let on_card = plan(&card, "", None);
        let got = failure(&mut card, &on_card, &mut CudaChain::new(&on_card, &device, 2).unwrap());
        assert_eq!(got, want);
    }
}

/// A card conceals by its own method, and reports it: what software reports as damaged is not passed off as sound. Of HEVC the
/// drivers that were tried report nothing, which is printed.
#[test]
fn damage_inside_pictures_is_reported() {
    let Some(device) = device() else { return };
    let folder = Folder::new("damage");
    for recipe in [
        Recipe::new("damaged.h264", "libx264", "yuv420p").with("bf=0 x264-params=keyint=30:slices=1"),
        Recipe::new("damaged.hevc", "libx265", "yuv420p").with("preset=fast"),
    ] {
        let path = match card::decodes(&device, &recipe).and_then(|()| recipe.make(&folder).map_err(|e| e.to_string()))
        {
            Ok(path) => path,
            Err(why) => {
                println!("skipped: {} on NVDEC: {why}", recipe.name);
                continue;
            }
        };
        // One byte in some hundred, behind the parameter sets and the first picture.
        let mut bytes = std::fs::read(&path).unwrap();
        let from = bytes.len() / 4;
        bytes[from..].iter_mut().step_by(701).for_each(|byte| *byte ^= 0x55);
        std::fs::write(&path, bytes).unwrap();
        let damage = |mut input: Input| {
            while input.next().unwrap().is_some() {}
            input.damage().map(|damage| damage.to_string())
        };
        let (software, card) = (damage(software(&path)), damage(nvdec(&path, &device)));
        println!("{}: software: {software:?}; NVDEC: {card:?}", recipe.name);
        let comparable = card.is_some() || recipe.name.ends_with(".hevc");
        assert!(software.is_some() && comparable, "{}: software: {software:?}; NVDEC: {card:?}", recipe.name);
        if card.is_none() {
            println!("skipped: damage of {} on NVDEC: the driver reports none", recipe.name);
        }
    }
}

/// libav reports both alike.
#[test]
fn a_gpu_that_fails_is_no_damaged_film() {
    if device().is_none() || !in_a_process_of_its_own("nvdec::a_gpu_that_fails_is_no_damaged_film") {
        return;
    }
    let device = device().unwrap();
    let stream = Stream::new(&device).unwrap();
    let mut input = nvdec(&sample(BUNNY), &device);
    assert!(input.next().unwrap().is_some());
    let kernel = fixture::fault(&device, &stream);
    let error = loop {
        match input.next() {
            Ok(frame) => assert!(frame.is_some(), "the film ends as if nothing had happened"),
            Err(error) => break error,
        }
    };
    assert!(error.kind() == Kind::Device && error.message().contains("CUDA_ERROR"), "{error}");
    drop((kernel, input));
}

#[test]
fn a_stop_in_mid_run_is_quick() {
    let Some(device) = device() else { return };
    for stop_at in [1, 7] {
        let cancel = Cancel::default();
        let open = InputOptions { cancel: cancel.clone(), ..options(DecoderChoice::Auto, Some(&device)) };
        let mut input = Input::open(&sample(BUNNY), open).unwrap();
        let plan = plan(&input, CHAINS[1].0, CHAINS[1].1);
        let mut chain = CudaChain::new(&plan, &device, 4).unwrap();
        let options = Options { slots: 4, cancel: cancel.clone() };
        let mut report = |progress: Progress| {
            if progress.frames == stop_at {
                cancel.request();
            }
        };
        let mut kept = Kept::default();
        let error = pipeline::run(&mut input, &plan, &mut chain, &mut kept, &options, &mut report).unwrap_err();
        assert_eq!(error.kind(), Kind::Cancelled);
        assert!(kept.frames.len() as u64 <= stop_at + 1);
    }
}

#[test]
fn a_chain_planned_for_the_host_refuses_surfaces() {
    let Some(device) = device() else { return };
    let mut input = nvdec(&sample(BUNNY), &device);
    for (chain, depth) in CHAINS {
        let host = pipeline::plan(
            filters::chain(chain).unwrap(),
            input.info(),
            Target { format: depth.map(|depth| input.info().format.to_planar(depth).unwrap()), ..Target::default() },
        );
        let host = host.unwrap();
        let error = run(&mut input, &host, &mut CudaChain::new(&host, &device, 2).unwrap(), 2).err().unwrap();
        assert_eq!(error.kind(), Kind::Internal);
    }
}
