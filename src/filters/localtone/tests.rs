//! `localtone`: what it promises, for all presets, and values worked out by hand.

use super::adapt::gains;
use super::curves::{LightCurve, RemapCurves, exposures, gain_table, skin_table};
use super::plan::{MethodPlan, Plan};
use super::{DESCRIPTOR, Localtone, LocaltoneParams};
use crate::filters::testing::{self, digest, picture, samples};
use crate::filters::{Filter, Setup};
use crate::params::{Params, parse_chain};
use crate::video::{Format, Picture, StreamInfo};

fn filter(args: &str) -> Localtone {
    let text = DESCRIPTOR.text(args);
    Localtone { params: LocaltoneParams::from_call(&parse_chain(&text).unwrap()[0]).unwrap() }
}

/// What the filter makes of `src`; this runs every fast kernel too.
fn run(args: &str, src: &Picture) -> Picture {
    testing::run(&filter(args), src, src.format())
}

fn presets() -> impl Iterator<Item = String> {
    assert_eq!(DESCRIPTOR.schema.presets.len(), 16);
    DESCRIPTOR.schema.presets.iter().map(|preset| format!("preset={}", preset.name))
}

fn format(name: &str) -> Format {
    name.parse().unwrap()
}

/// A picture with light, dark, soft and hard parts, and colours.
fn scene(format: Format, width: usize, height: usize) -> Picture {
    let top = (1 << format.bit_depth()) - 1;
    picture(format, width, height, |component, x, y| {
        let wave = (x as f64 / 11.0).sin() * (y as f64 / 7.0 + component as f64).cos();
        let edge = if x > y { 0.2 } else { 0.0 };
        ((0.45 + 0.3 * wave + edge) * f64::from(top)) as i32
    })
}

#[test]
fn bars_stay_black_whatever_is_between_them() {
    let format = format("yuv420p16");
    let inside = scene(format, 64, 48);
    let bar = |y: usize, height: usize| y < height / 6 || y >= height - height / 6;
    let src =
        picture(format, 64, 48, |component, x, y| match (bar(y, if component == 0 { 48 } else { 24 }), component) {
            (true, 0) => 4096,
            (true, _) => 32_768,
            (false, _) => inside.planes()[component].get(x, y),
        });
    for args in presets() {
        let made = run(&args, &src);
        for (component, value) in [(0, 4096), (1, 32_768), (2, 32_768)] {
            let plane = made.planes()[component];
            let rows = (0..plane.height()).filter(|y| bar(*y, plane.height()));
            let wrong =
                rows.flat_map(|y| (0..plane.width()).map(move |x| (x, y))).find(|(x, y)| plane.get(*x, *y) != value);
            assert_eq!(wrong, None, "{args}, component {component}");
        }
        assert_ne!(samples(&made, 0), samples(&src, 0), "{args} does something");
    }
}

#[test]
fn flat_planes_stay_flat_and_white_stays_white() {
    let flat = |name: &str, value: i32| {
        let format = format(name);
        let middle = 1 << (format.bit_depth() - 1);
        picture(format, 37, 29, move |component, _, _| if component == 0 { value } else { middle })
    };
    for args in presets() {
        for value in [64, 300, 700, 940] {
            let src = flat("yuv420p10", value);
            let made = run(&args, &src);
            let luma = samples(&made, 0);
            assert!(luma.iter().all(|v| *v == luma[0]), "{args} at {value}");
            if [64, 940].contains(&value) {
                assert_eq!((luma[0], samples(&made, 1)[0], samples(&made, 2)[0]), (value, 512, 512), "{args}");
            }
        }
        let white = flat("gray8", 255);
        let full = StreamInfo { color: full_range(), ..StreamInfo::bare(white.format(), 37, 29) };
        let setup = Setup::of(full.clone(), white.format(), full, white.format());
        let plan = Plan::new(&filter(&args).params, &setup);
        assert_eq!((plan.scale.light(65_280), plan.scale.light(0)), (16_383, 0), "{args}");
    }
}

fn full_range() -> crate::video::ColorInfo {
    crate::video::ColorInfo { range: crate::video::Range::Full, ..Default::default() }
}

#[test]
fn a_frame_does_not_depend_on_those_before() {
    use crate::device::cpu::{CpuExec, CpuLevel};
    let format = format("yuv420p10");
    let (one, other) = (scene(format, 70, 50), scene(format, 70, 50));
    let info = StreamInfo::bare(format, 70, 50);
    let setup = Setup::of(info.clone(), format, info, format);
    let exec = CpuExec::new(1, CpuLevel::detect()).unwrap();
    for args in presets() {
        let mut kernel = filter(&args).cpu(&setup, CpuLevel::detect()).unwrap();
        let mut made = || {
            let mut made = Picture::alloc(format, 70, 50).unwrap();
            kernel.run_alone(&Default::default(), &one.planes(), &mut made.planes_mut(), &exec);
            samples(&made, 0)
        };
        let first = made();
        assert_eq!(first, made(), "{args}");
        assert_eq!(first, samples(&run(&args, &other), 0), "{args}");
    }
}

#[test]
fn strength_fades_to_the_source() {
    let src = scene(format("yuv444p10"), 40, 30);
    let away = |strength: &str, component: usize| {
        let made = run(&format!("preset=grunge:strength={strength}"), &src);
        let pairs = samples(&made, component).into_iter().zip(samples(&src, component));
        pairs.map(|(a, b)| (a - b).abs()).sum::<i32>()
    };
    for component in 0..3 {
        let [all, half, little] = ["1", "0.5", "0.02"].map(|strength| away(strength, component));
        assert!(little < half && half < all && 10 * little < all, "{component}: {little}, {half}, {all}");
    }
}

#[test]
fn grey_stays_grey_in_rgb_and_mono_has_no_colour() {
    let format = format("gbrp10");
    let grey = picture(format, 40, 30, |_, x, y| (x * 20 + y * 5) as i32);
    let made = run("preset=vivid", &grey);
    assert_eq!(samples(&made, 0), samples(&made, 1));
    assert_eq!(samples(&made, 0), samples(&made, 2));
    let made = run("preset=mono", &scene(format, 40, 30));
    assert_eq!(samples(&made, 0), samples(&made, 2));
}

#[test]
fn values_by_hand() {
    let info = StreamInfo::bare(format("yuv420p10"), 64, 64);
    let setup = Setup::of(info.clone(), info.format, info.clone(), info.format);
    let plan = Plan::new(&filter("").params, &setup);
    // Limited range: black 4096, white 60160, in between 8192 of 16384.
    assert_eq!([0, 4096, 32_128, 60_160, 65_535].map(|v| plan.scale.light(v)), [0, 0, 8192, 16_383, 16_383]);
    // Up from 1000: the head is 3000. 1500 is half of it and stays; 3000 becomes 3000 - 3000²/12000 = 2250.
    assert_eq!([2500, 4000].map(|local| plan.bounded(1000, local, 1000)), [2500, 3250]);
    // Black never moves, and nothing falls below it: down from 1000 by 2000 is 1000 - (1000 - 1000²/8000) = 125.
    assert_eq!((plan.bounded(0, 9000, 0), plan.bounded(1000, -1000, 1000)), (0, 125));
    assert_eq!(plan.luma(4096, 0, 16_383), 4096 + 56_061);

    let MethodPlan::Mixed(mixed) = &plan.method else { panic!("mixed is the default") };
    // 64 rows: halved to 32, 16 and 8.
    assert_eq!(mixed.pyramid.sizes, [(64, 64), (32, 32), (16, 16), (8, 8)]);
    // Grey is no skin; a typical skin is.
    assert_eq!([(0, 0), (-26 << 8, 26 << 8)].map(|(cb, cr)| plan.colour.skin_of(cb, cr)), [0, 256]);
}

/// The kernels look samples up by their codes. Between filters samples have all 16 bits, whatever the stream's depth is.
#[cfg(feature = "cuda")]
#[test]
fn codes_are_those_of_the_stored_samples() {
    let below = |nominal: &str, stored: &str| {
        let info = StreamInfo::bare(format(nominal), 64, 64);
        let setup = Setup::of(info.clone(), format(stored), info.clone(), format(stored));
        Plan::new(&filter("").params, &setup).below_codes
    };
    assert_eq!([below("yuv420p", "yuv420p"), below("yuv420p10", "yuv420p10"), below("gray12", "gray12")], [8, 6, 4]);
    assert_eq!([below("yuv420p", "yuv420p16"), below("yuv420p10", "p010"), below("gbrp", "gbrp")], [0; 3]);
}

#[test]
fn tables_are_what_they_were() {
    let words = |table: &[u16]| digest(table.iter().map(|word| u64::from(*word)));
    let curve = LightCurve { exposure: 0.6, shadows: 0.9, highlights: 0.3, contrast: 0.2, black: 0.05 };
    let signed = |table: Vec<i16>| digest(table.into_iter().map(|v| v as u16 as u64));
    let remap = RemapCurves { range: 0.6, clarity: 1.5, edge: 0.3, noise: 3.0 };
    let exposed = exposures([-1.5, 0.0, 2.75]);
    let exposed = exposed.iter().flat_map(|e| [e.weights[0], e.weights[1], e.values[0], e.values[2], e.base]);
    // How much of each level is of fine and of middle structures.
    let amounts = |height: usize| {
        let info = StreamInfo::bare(format("gray16"), 64, height);
        let setup = Setup::of(info.clone(), info.format, info.clone(), info.format);
        let plan = Plan::new(&filter("method=mixed:detail=1:clarity=0.3").params, &setup);
        let MethodPlan::Mixed(mixed) = plan.method else { panic!("mixed was asked for") };
        mixed.pyramid.amounts.into_iter().map(|amount| i64::from(amount).cast_unsigned()).collect::<Vec<_>>()
    };
    let made = [
        words(&curve.table(1.0)[..]),
        words(&gain_table(0.25, 1.5)[..]),
        signed(remap.tables()),
        signed(exposed.collect()),
        words(&skin_table(77.0, 127.0, 6.0)),
        digest(gains(0.7).into_iter().map(u64::from)),
        digest([480, 540, 720, 1080, 2160].into_iter().flat_map(amounts)),
    ];
    let known = [
        0x5729_b939_40a6_15f8,
        0xe361_2133_63ca_aed5,
        0x89e8_217a_5366_7b6d,
        0x6aa7_dc43_4e5c_0106,
        0xdd77_ed8d_e265_83aa,
        0xf9bc_f6a3_393e_cfdb,
        0xe073_308a_8640_a5a9,
    ];
    assert_eq!(made, known);
}

#[test]
fn brighter_stays_brighter_in_every_preset() {
    let info = StreamInfo::bare(format("yuv420p10"), 64, 64);
    let setup = Setup::of(info.clone(), info.format, info.clone(), info.format);
    for args in presets() {
        let plan = Plan::new(&filter(&args).params, &setup);
        let curve: Vec<i32> = match plan.method {
            MethodPlan::Scenery(scenery) => scenery.curve.into_iter().map(i32::from).collect(),
            MethodPlan::People(people) => people.curve.into_iter().map(i32::from).collect(),
            MethodPlan::Mixed(mixed) => mixed.exposures.into_iter().map(|of| i32::from(of.base)).collect(),
        };
        let mut highest = 0;
        for (light, made) in curve.into_iter().enumerate() {
            highest = highest.max(made);
            // Weights and values are rounded: one step of light is allowed, a 75th of one of 8 bits.
            assert!(made + 1 >= highest, "{args}: {light} becomes {made}, and less light {highest}");
        }
        assert!(plan.last.is_sorted(), "{args}");
    }
}

#[test]
fn curves_rise_as_far_as_options_go() {
    for (shadows, highlights, exposure) in [(1.5, 1.5, -2.0), (1.5, 0.0, 2.0), (0.0, 1.5, 0.0)] {
        let table = LightCurve { shadows, highlights, exposure, ..LightCurve::default() }.table(1.0);
        assert!(table.is_sorted() && table[0] == 0 && table[16_383] == 16_383, "{shadows} {highlights} {exposure}");
    }
    let none = LightCurve::default().table(1.0);
    assert!(none.iter().enumerate().all(|(i, v)| i == usize::from(*v)));
}
