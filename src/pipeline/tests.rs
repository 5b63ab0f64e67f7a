//! Chains as programs over named pictures: masks, and the pool of pictures between kernels.

use super::parts::Part;
use super::route::Route;
use super::*;
use crate::device::cpu::{CpuExec, CpuLevel};
use crate::filters::{ALL, Wiring, chain, create};
use crate::params::{Arg, Call, Spelling, parse_chain, print_chain};
use crate::video::{FrameProps, Picture, StreamInfo};

const SIZE: (usize, usize) = (37, 22);

fn info(format: &str) -> StreamInfo {
    StreamInfo::bare(format.parse().unwrap(), SIZE.0, SIZE.1)
}

fn planned(text: &str, info: &StreamInfo) -> std::result::Result<ChainPlan, String> {
    let planned = chain(text).and_then(|filters| plan(filters, info, Target::default()));
    planned.map_err(|error| error.message().to_owned())
}

/// A picture with flat parts, edges and texture.
fn source(info: &StreamInfo) -> Picture {
    let mut picture = Picture::alloc(info.format, info.width, info.height).unwrap();
    let top = (1 << info.format.bit_depth()) - 1;
    let mut planes = picture.planes_mut();
    for component in 0..planes.len() {
        let plane = planes.get_mut(component);
        let (width, height) = (plane.width(), plane.height());
        for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
            let texture = if y > height / 2 { (x * 37 + y * 91) % 23 } else { 0 };
            let value = (40 + 90 * usize::from(x > width / 3) + texture + 9 * component) as i32;
            plane.set(x, y, value.min(top));
        }
    }
    picture
}

fn rows(picture: &Picture) -> Vec<Vec<u8>> {
    let planes = picture.format().planes();
    let height = |plane| picture.format().plane_size(plane, picture.width(), picture.height()).1;
    (0..planes).flat_map(|plane| (0..height(plane)).map(move |y| picture.row_bytes(plane, y).to_vec())).collect()
}

/// What the chain makes of [`source`]: the reference, and the same by the fast kernels.
fn made(text: &str, info: &StreamInfo) -> Vec<Vec<u8>> {
    let plan = planned(text, info).unwrap_or_else(|error| panic!("{text}: {error}"));
    let (src, props) = (source(info), FrameProps { frame_index: 3, pts: Some(3), ..FrameProps::default() });
    let run = |mut chain: CpuChain| {
        if chain.is_empty() {
            return rows(&src);
        }
        let StreamInfo { format, width, height, .. } = plan.output;
        let mut dst = Picture::alloc(format, width, height).unwrap();
        chain.run(&props, &src.planes(), &mut dst.planes_mut());
        rows(&dst)
    };
    let reference = run(CpuChain::reference(&plan).unwrap());
    let exec = CpuExec::new(2, CpuLevel::detect()).unwrap();
    assert_eq!(run(CpuChain::new(&plan, exec).unwrap()), reference, "{text}");
    reference
}

#[test]
fn a_mask_is_a_merge_by_it() {
    let mask = "keep=src,mask=edges:low=5:soft=20,keep=m,use=src";
    for format in ["gray8", "yuv420p", "yuv422p10", "gbrp12", "nv12", "yc48"] {
        for filter in ["box=3", "gauss=2:planes=y", "deband=preset=anime", "unsharp=2,median"] {
            let info = info(format);
            // The last filter of two has the mask.
            let (before, last) = filter.rsplit_once(',').map_or((String::new(), filter), |(a, b)| (format!("{a},"), b));
            let begins = if last.contains('=') { ":" } else { "=" };
            let short = made(&format!("{mask},{before}{last}{begins}mask=m"), &info);
            let long = format!("{mask},{before}keep=a,{last},keep=b,use=a,merge=with=b:mask=m:weight=1");
            assert_eq!(short, made(&long, &info), "{format} {filter}");
        }
    }
}

/// Black counts nothing and white everything, to the byte.
#[test]
fn the_ends_of_a_mask_are_exact() {
    let info = info("yuv420p");
    let by = |grey: &str, filter: &str| {
        made(&format!("keep=src,levels=gain=0:offset={grey},keep=m,use=src,{filter}"), &info)
    };
    assert_eq!(by("0", "box=4:mask=m"), rows(&source(&info)));
    assert_eq!(by("1", "box=4:mask=m"), made("box=4", &info));
    assert_ne!(by("0.5", "box=4:mask=m"), made("box=4", &info));
    // In its zone the filter is masked, and elsewhere there is nothing to mask.
    assert_eq!(by("1", "box=4:frames=3:mask=m"), made("box=4", &info));
    assert_eq!(by("1", "box=4:mask=m:frames=4"), rows(&source(&info)));
}

/// Planes that a filter leaves alone stay where they lie: nothing is computed of them.
#[test]
fn a_mask_mixes_what_was_computed() {
    let info = info("yuv420p16");
    let plan = planned("keep=src,mask=edges,keep=m,use=src,box=4:planes=y:mask=m", &info).unwrap();
    let names: Vec<_> = plan.stages.iter().map(|stage| stage.filter.descriptor().name).collect();
    assert_eq!(names, ["mask", "box", "merge"]);
    assert_eq!([0, 1, 2].map(|component| plan.stages[2].spec.copies(component)), [false, true, true]);
}

/// Every filter that gives the stream that it gets takes a mask, in both spellings, and every other one says why not.
#[test]
fn every_filter_takes_a_mask_or_says_why_not() {
    let info = info("yuv420p");
    let mut masked = 0;
    for filter in ALL {
        let call = parse_chain(&filter.text(filter.cases[0])).unwrap().remove(0);
        let plain = create(&call).unwrap();
        let own = filter.schema.find("mask").is_some();
        let Wiring::Reads(others) = plain.wiring() else {
            let call = Call { args: vec![Arg { key: Some("mask".to_owned()), value: "m".to_owned() }], ..call };
            assert!(create(&call).unwrap_err().message().contains("computes no frames"), "{call}");
            continue;
        };
        let mut call = call;
        call.args.retain(|arg| arg.key.as_deref() != Some("mask"));
        call.args.push(Arg { key: Some("mask".to_owned()), value: "m".to_owned() });
        let made = create(&call).unwrap();
        assert_eq!(made.mask().is_some(), !own, "{call}");
        for spelling in [Spelling::FFmpeg, Spelling::Plain] {
            let text = print_chain(&[made.call()], spelling);
            assert_eq!(chain(&text).unwrap()[0].call(), made.call(), "{text}");
        }
        let inputs = vec![info.clone(); 1 + others.len()];
        let Ok(spec) = plain.spec(&inputs) else { continue };
        if own {
            continue;
        }
        let same = spec.output == info && spec.cycle.is_one() && !spec.measures;
        masked += usize::from(same);
        match made.spec(&inputs) {
            Ok(_) => assert!(same, "{call}"),
            Err(error) => assert!(!same && error.message().ends_with(": leave it out"), "{call}: {error}"),
        }
    }
    assert!(masked > 15, "{masked} filters");
}

#[test]
fn names_that_do_not_fit_are_refused_by_name() {
    let info = info("yuv420p");
    for (text, message) in [
        ("box=2:mask=m", "box: no picture is called 'm' here: name an input with --input m=FILE"),
        ("keep=mask,box=2:mask=msak", "(known: mask); did you mean 'mask'?"),
        ("keep=m,crop=8:8:0:0,box=2:mask=m", "box: the mask 'm' has 37x22, and what it is for has 8x8"),
        ("keep=a,crop=8:8:0:0,blend=with=a", "blend: the picture 'a' has 37x22, and the chain's has 8x8"),
        ("keep=a,format=gray,blend=with=a", "blend: the picture 'a' is yuv420p"),
        (
            "keep=m,crop=8:8:0:0:mask=m",
            "crop: mask=m mixes what a filter gets with what it gives, and this gives another size",
        ),
        ("keep=m,box,stats=mask=m", "stats: mask=m is for filters that change samples"),
        ("keep=m,box=mask=m:mask=m", "box: option 'mask' is given twice"),
        ("keep=m,box=mask=m:2", "box: '2' follows named options"),
        ("keep=m,box=mask=2nd", "box: option 'mask' cannot be '2nd': it takes a name of letters"),
        ("keep=a,keep=b,box,blend=with=a", "nothing in the chain reads the picture 'b'"),
        ("keep=a,box,use=a,median", "nothing in the chain reads what box makes"),
    ] {
        let error = planned(text, &info).expect_err(text);
        assert!(error.contains(message), "{text}: {error}");
    }
    // What changes nothing reads its mask all the same.
    assert_eq!(planned("keep=m,box=0:mask=m", &info).unwrap().stages.len(), 0);
}

/// With a weight of 0 the step is left out, and with it what it alone would read.
#[test]
fn what_is_made_for_a_step_without_effect_is_not_made() {
    let names = |text: &str| {
        let plan = planned(text, &info("yuv420p")).unwrap_or_else(|error| panic!("{text}: {error}"));
        plan.stages.iter().map(|stage| stage.filter.descriptor().name).collect::<Vec<_>>()
    };
    let program = |weight: f64, radius: i64| {
        format!(
            "keep=src,mask=edges,gauss=2,keep=near,use=src,median,keep=calm,use=src,\
             blend=min:with=calm:weight={weight}:mask=near,box={radius}:mask=near,unsharp"
        )
    };
    assert_eq!(names(&program(1.0, 3)), ["mask", "gauss", "median", "blend", "box", "merge", "unsharp"]);
    assert_eq!(names(&program(0.0, 3)), ["mask", "gauss", "box", "merge", "unsharp"]);
    assert_eq!(names(&program(1.0, 0)), ["mask", "gauss", "median", "blend", "unsharp"]);
    assert_eq!(names(&program(0.0, 0)), ["unsharp"]);
    let info = info("yuv420p");
    assert_eq!(made(&program(0.0, 0), &info), made("unsharp", &info));
    assert_eq!(
        made(&program(0.0, 3), &info),
        made("keep=src,mask=edges,gauss=2,keep=m,use=src,box=3:mask=m,unsharp", &info)
    );
}

/// The most results of a part that are read later, or written, at any of its kernels.
fn peak(plan: &ChainPlan, part: &Part) -> usize {
    let last_read = |stage: usize| {
        let reads = |at: &usize| plan.stages[*at].operands.contains(&Operand::Stage(stage));
        part.stages.iter().copied().filter(reads).max().unwrap_or(stage)
    };
    let end = part.stages.len() - 1;
    let alive = |at: usize| {
        let held = part.stages[..at].iter().filter(|stage| last_read(**stage) >= part.stages[at]).count();
        held + usize::from(at < end)
    };
    (0..=end).map(alive).max().unwrap_or(0)
}

/// Pictures between the kernels of the chain's last part, of grey in 16 bits: each kernel writes one.
fn pool(text: &str) -> (usize, usize) {
    let plan = planned(text, &info("gray16")).unwrap_or_else(|error| panic!("{text}: {error}"));
    let part = plan.parts.last().unwrap();
    (Route::of(&plan, part).unwrap().buffers.len(), peak(&plan, part))
}

/// A picture is released after its last use.
#[test]
fn a_program_holds_the_pictures_that_are_read_later() {
    for (text, pictures) in [
        // The source itself is in no buffer.
        ("keep=src,box,blend=with=src", 1),
        ("box,keep=a,gauss=2,blend=with=a", 2),
        // a is read last by the blend in the middle, and what follows takes turns in its three.
        ("box,keep=a,gauss=2,blend=with=a,median,unsharp=1,median,unsharp=1", 3),
        ("box,keep=a,gauss=2,keep=b,use=a,median,blend=with=b", 3),
        ("keep=src,box,keep=m,use=src,gauss=2:mask=m,unsharp=1", 3),
        // The mask, what is filtered, what the filter makes of it, and what both are mixed into.
        ("keep=src,box,keep=m,use=src,gauss=2:mask=m,median=mask=m,unsharp=1", 4),
    ] {
        assert_eq!(pool(text), (pictures, pictures), "{text}");
    }
    // Twenty stages: five named pictures are alive in the middle, and then one by one no more.
    let names: Vec<_> = (1..=5).map(|i| format!("use=src,box={i},gauss=1,keep=n{i}")).collect();
    let uses: Vec<_> = (1..=5).map(|i| format!("blend=add_signed:with=n{i},median")).collect();
    let text = format!("keep=src,{},use=src,{}", names.join(","), uses.join(","));
    let plan = planned(&text, &info("gray16")).unwrap();
    assert_eq!(plan.stages.len(), 20);
    assert_eq!(pool(&text), (6, 6), "five named, and the one that is written");
}

/// Random programs hold as many pictures as are alive at once, never more.
#[test]
fn the_pool_is_the_peak_of_any_program() {
    let mut state = 7u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for _ in 0..200 {
        let (mut text, mut unread) = ("keep=n0".to_owned(), vec![0]);
        for i in 1..=1 + random(12) {
            let from = random(i);
            text += &format!(",use=n{from},");
            unread.retain(|name| *name != from);
            text += &match random(3) {
                0 => "box".to_owned(),
                1 => "gauss=1".to_owned(),
                _ => {
                    let with = random(i);
                    unread.retain(|name| *name != with);
                    format!("blend=mean:with=n{with}")
                }
            };
            text += &format!(",keep=n{i}");
            unread.push(i);
        }
        unread.iter().for_each(|name| text += &format!(",blend=min:with=n{name}"));
        let (pictures, peak) = pool(&text);
        assert_eq!(pictures, peak, "{text}");
    }
}
