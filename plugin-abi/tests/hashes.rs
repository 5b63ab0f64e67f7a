//! The C ABI gives the bytes of the command, for every format that both have.

mod so;

use so::api::{Api, Handle, frame, planes, planes_of, stream};
use so::command::{self, expected};
use vramp::filters;
use vramp::io::Hash;
use vramp::pipeline::{CpuChain, Target, plan};
use vramp::video::{Format, FrameProps, Picture, StreamInfo};
use vramp_plugin::c_abi::abi;

const SIZE: (usize, usize) = (91, 47);
const FRAMES: usize = 3;
/// Both make 10 bits of every format.
const CHAINS: [&str; 2] =
    ["deband=range=12:rand_each_frame=on,depth=10", "gradient=range=12,depth=10:dither=tpdf:animate=on"];

/// A clip of raw frames of `pix_fmt`, and its frames.
fn clip(pix_fmt: &str, format: Format) -> (String, Vec<Picture>) {
    let (path, raw) = command::clip(pix_fmt, SIZE, FRAMES);
    let mut bytes = raw.as_slice();
    let frames = (0..FRAMES).map(|_| {
        let mut picture = Picture::alloc(format, SIZE.0, SIZE.1).unwrap();
        for plane in 0..format.planes() {
            for y in 0..format.plane_size(plane, SIZE.0, SIZE.1).1 {
                let row = picture.row_bytes_mut(plane, y);
                let (from, rest) = bytes.split_at(row.len());
                row.copy_from_slice(from);
                bytes = rest;
            }
        }
        picture
    });
    let frames = frames.collect();
    assert!(bytes.is_empty());
    (path, frames)
}

/// The samples of `picture`, stored as `format`.
fn stored_as(format: Format, picture: &Picture) -> Picture {
    let mut stored = Picture::alloc(format, SIZE.0, SIZE.1).unwrap();
    let mut planes = stored.planes_mut();
    for (component, from) in picture.planes().iter().enumerate() {
        let to = planes.get_mut(component);
        for (x, y) in (0..from.height()).flat_map(|y| (0..from.width()).map(move |x| (x, y))) {
            to.set_v16(x, y, from.v16(x, y));
        }
    }
    stored
}

/// Names of FFmpeg's, and layouts and bit depths of the header's.
fn formats() -> Vec<(String, i32, i32)> {
    const DEPTHS: &[i32] = &[8, 9, 10, 12, 14, 16];
    let layouts = [
        ("yuv420p", abi::YUV420, DEPTHS),
        ("yuv422p", abi::YUV422, DEPTHS),
        ("yuv444p", abi::YUV444, DEPTHS),
        ("gray", abi::GRAY, DEPTHS),
        ("gbrp", abi::RGB, DEPTHS),
        // No file holds p010: the samples are those of a planar one.
        ("yuv420p", abi::NV12, &[8, 10, 12, 16]),
    ];
    let suffix = |depth: i32| if depth == 8 { String::new() } else { format!("{depth}le") };
    let of = |(name, layout, depths): (&'static str, i32, &'static [i32])| {
        depths.iter().map(move |depth| (format!("{name}{}", suffix(*depth)), layout, *depth))
    };
    layouts.into_iter().flat_map(of).collect()
}

/// The hashes of what the library makes of `frames` with planes as the header has them.
fn hashes(api: &Api, chain: Handle, frames: &[Picture], result: Format) -> Vec<String> {
    let hash = |(index, src): (usize, &Picture)| {
        let dst = Picture::alloc(result, SIZE.0, SIZE.1).unwrap();
        // SAFETY: both pictures have the chain's formats and size.
        api.ok(unsafe { (api.process)(chain, &frame(index as u64), &planes_of(src), &planes_of(&dst)) });
        Hash::Md5.of(&dst)
    };
    frames.iter().enumerate().map(hash).collect()
}

#[test]
fn every_format_has_the_commands_hashes() {
    let api = Api::open();
    for (pix_fmt, layout, depth) in formats() {
        let (path, mut frames) = clip(&pix_fmt, pix_fmt.parse().unwrap());
        let want = CHAINS.map(|chain| expected(&path, chain));
        std::fs::remove_file(path).unwrap();
        if layout == abi::NV12 {
            let format = Format::semi_planar(depth as u8).unwrap();
            frames = frames.iter().map(|picture| stored_as(format, picture)).collect();
        }
        let result = frames[0].format().to_planar(10).unwrap();
        for (text, want) in CHAINS.iter().zip(want) {
            let chain = api.chain(text, &stream(layout, depth, SIZE.0, SIZE.1), "cpu");
            assert_eq!(api.output(chain).bit_depth, 10, "{text}, {pix_fmt}");
            assert_eq!(hashes(&api, chain, &frames, result), want, "{text}, {pix_fmt} as layout {layout}");
            // SAFETY: a handle of the library's.
            api.ok(unsafe { (api.chain_destroy)(chain) });
        }
    }
}

/// Pixels R, G, B, A of a picture, whose alpha follows from the place.
fn rgba(picture: &Picture) -> Vec<u8> {
    let planes = picture.planes();
    let pixel = |i: usize| {
        let (x, y) = (i % SIZE.0, i / SIZE.0);
        let sample = |component: usize| planes[component].get(x, y) as u8;
        [sample(0), sample(1), sample(2), (x * 7 + y) as u8]
    };
    (0..SIZE.0 * SIZE.1).flat_map(pixel).collect()
}

#[test]
fn rgba_is_the_commands_rgb_and_alpha_is_copied() {
    const CHAIN: &str = "deband=range=12,box=radius=1";
    let api = Api::open();
    let format = Format::rgb(8).unwrap();
    let (path, frames) = clip("gbrp", format);
    let want = expected(&path, CHAIN);
    std::fs::remove_file(path).unwrap();
    let chain = api.chain(CHAIN, &stream(abi::RGBA, 8, SIZE.0, SIZE.1), "cpu");
    let output = api.output(chain);
    assert_eq!((output.layout, output.bit_depth), (abi::RGBA, 8));
    for (index, (picture, want)) in frames.iter().zip(&want).enumerate() {
        let (mut src, mut dst) = (rgba(picture), vec![0xee; SIZE.0 * SIZE.1 * 4 + 4]);
        let (from, to) = ((src.as_mut_ptr().cast(), SIZE.0 * 4), (dst.as_mut_ptr().cast(), SIZE.0 * 4));
        // SAFETY: both have the rows of a picture.
        api.ok(unsafe { (api.process)(chain, &frame(index as u64), &planes(&[from]), &planes(&[to])) });
        assert_eq!(dst.split_off(SIZE.0 * SIZE.1 * 4), [0xee; 4]);
        let mut got = Picture::alloc(format, SIZE.0, SIZE.1).unwrap();
        for (i, (before, after)) in src.chunks_exact(4).zip(dst.chunks_exact(4)).enumerate() {
            assert_eq!(before[3], after[3], "alpha");
            let mut views = got.planes_mut();
            for (component, sample) in after[..3].iter().enumerate() {
                views.get_mut(component).set(i % SIZE.0, i / SIZE.0, (*sample).into());
            }
        }
        assert_eq!(&Hash::Md5.of(&got), want, "frame {index}");
    }
    // SAFETY: a handle of the library's.
    api.ok(unsafe { (api.chain_destroy)(chain) });
}

#[test]
fn float_is_the_commands_sixteen_bits() {
    const CHAIN: &str = "deband=range=12,gauss=sigma=1.5";
    let api = Api::open();
    for (pix_fmt, layout) in [("gray16le", abi::GRAY), ("yuv420p16le", abi::YUV420), ("gbrp16le", abi::RGB)] {
        let format: Format = pix_fmt.parse().unwrap();
        let (path, frames) = clip(pix_fmt, format);
        let want = expected(&path, CHAIN);
        std::fs::remove_file(path).unwrap();
        let chain = api.chain(CHAIN, &stream(layout, 32, SIZE.0, SIZE.1), "cpu");
        assert_eq!(api.output(chain).bit_depth, 32);
        // As the header says, for the range that each has when none is stated.
        let (scale, zero) = if layout == abi::RGB { (65535.0, 0.0) } else { (56064.0, 4096.0) };
        let line = |component: usize| if format.is_chroma(component) { (57344.0, 32768.0) } else { (scale, zero) };
        for (index, (picture, want)) in frames.iter().zip(&want).enumerate() {
            let views = picture.planes();
            let mut src: Vec<Vec<f32>> = Vec::new();
            for (component, view) in views.iter().enumerate() {
                let (scale, zero) = line(component);
                let rows = (0..view.height()).flat_map(|y| view.row_u16(y));
                src.push(rows.map(|code| (f32::from(*code) - zero) / scale).collect());
            }
            let mut dst: Vec<Vec<f32>> = src.iter().map(|plane| vec![f32::NAN; plane.len()]).collect();
            let place = |memory: &mut [Vec<f32>]| {
                let list = memory.iter_mut().zip(views.iter());
                planes(&list.map(|(plane, view)| (plane.as_mut_ptr().cast(), view.width() * 4)).collect::<Vec<_>>())
            };
            let (from, to) = (place(&mut src), place(&mut dst));
            // SAFETY: both have the rows of a picture.
            api.ok(unsafe { (api.process)(chain, &frame(index as u64), &from, &to) });
            let mut got = Picture::alloc(format, SIZE.0, SIZE.1).unwrap();
            for (component, plane) in dst.iter().enumerate() {
                let (scale, zero) = line(component);
                let (mut pictures, width) = (got.planes_mut(), views[component].width());
                for (i, value) in plane.iter().enumerate() {
                    let code = (value * scale + (zero + 0.5)).floor() as i32;
                    pictures.get_mut(component).set(i % width, i / width, code);
                }
            }
            assert_eq!(&Hash::Md5.of(&got), want, "{pix_fmt}, frame {index}");
        }
        // SAFETY: a handle of the library's.
        api.ok(unsafe { (api.chain_destroy)(chain) });
    }
}

/// No file holds YC48: the command's chain replaces the command.
#[test]
fn yc48_is_the_chains() {
    let api = Api::open();
    let (text, info) = ("deband=range=12:sample=2", StreamInfo::bare(Format::YC48, SIZE.0, SIZE.1));
    let plan = plan(filters::chain(text).unwrap(), &info, Target::default()).unwrap();
    let mut reference = CpuChain::reference(&plan).unwrap();
    let mut src = Picture::alloc(Format::YC48, SIZE.0, SIZE.1).unwrap();
    for (x, y) in (0..SIZE.1).flat_map(|y| (0..SIZE.0).map(move |x| (x, y))) {
        let mut views = src.planes_mut();
        for component in 0..3 {
            views.get_mut(component).set(x, y, (x * 13 + y * 5) as i32 * 3 - 1500 + component as i32);
        }
    }
    let mut want = Picture::alloc(Format::YC48, SIZE.0, SIZE.1).unwrap();
    reference.run(&FrameProps::default(), &src.planes(), &mut want.planes_mut());
    let chain = api.chain(text, &stream(abi::YC48, 12, SIZE.0, SIZE.1), "cpu");
    assert_eq!(hashes(&api, chain, &[src], Format::YC48), [Hash::Md5.of(&want)]);
    // SAFETY: a handle of the library's.
    api.ok(unsafe { (api.chain_destroy)(chain) });
}
