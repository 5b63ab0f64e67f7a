use super::GrainParams;
use super::plan::{Curve, Plan};
use super::template::{BLOCK, COLUMNS, GRAIN_BITS, OVERLAP, ROWS, Template, blend, place};
use crate::filters::testing::{digest, one_thread, picture, run_levels, samples};
use crate::filters::{Setup, chain};
use crate::video::{Format, FrameProps, Picture, StreamInfo};

const WHOLE: f64 = (1 << GRAIN_BITS) as f64;

fn template(size: f64, format: Format, component: usize) -> Template {
    let params = GrainParams { size, ..GrainParams::default() };
    Template::new(&Plan::new(&params, &StreamInfo::bare(format, 64, 64)), component)
}

fn gray(depth: u8) -> Format {
    Format::gray(depth).unwrap()
}

/// What the filter makes of frame `frame_index`.
fn frame(text: &str, src: &Picture, frame_index: u64) -> Picture {
    let filter = chain(text).unwrap().remove(0);
    let info = StreamInfo::bare(src.format(), src.width(), src.height());
    let spec = filter.spec(std::slice::from_ref(&info)).unwrap();
    let setup = Setup::of(info.clone(), src.format(), info, src.format());
    let props = FrameProps { frame_index, ..FrameProps::default() };
    run_levels(&*filter, &setup, &spec, &[vec![src.planes()]], &props, &one_thread()).0
}

/// What is added to a flat picture of one value in each component.
fn added(text: &str, format: Format, size: (usize, usize), values: [i32; 3], component: usize) -> Vec<f64> {
    let src = picture(format, size.0, size.1, |component, _, _| values[component]);
    samples(&frame(text, &src, 3), component).iter().map(|value| f64::from(value - values[component])).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn deviation(values: &[f64]) -> f64 {
    mean(&values.iter().map(|value| value * value).collect::<Vec<_>>()).sqrt()
}

#[test]
fn templates_are_the_same_on_every_platform() {
    let of = |size: f64| {
        let grain = template(size, Format::yuv(1, 1, 8).unwrap(), 1);
        digest(grain.grain().iter().map(|value| u64::from(value.cast_unsigned())))
    };
    assert_eq!([1.0, 2.7, 6.0].map(of), [0xd59b_2f8f_15cf_6dc7, 0x8747_e4d0_cd77_80a5, 0xeb10_b20e_e7c1_0e87]);
}

/// Grain of diameter 3: a third apart `t = 1/3`, acos t = 1.23096, t·√(1 − t²) = 0.31427, so 0.58357. Two thirds apart: 0.84107 and
/// 0.49690, so 0.21911. Three apart nothing. It is so across, down, and on both diagonals (√2/3: 1.07991, 0.41574, 0.42283).
#[test]
fn grain_is_as_coarse_as_asked_in_all_directions() {
    let template = template(3.0, gray(8), 0);
    let at = |x: usize, y: usize| f64::from(template.grain()[y * COLUMNS + x]) / WHOLE;
    let alike = |dx: isize, dy: usize| {
        let places = (0..ROWS - 4).flat_map(|y| (4..COLUMNS - 4).map(move |x| (x, y)));
        mean(&places.map(|(x, y)| at(x, y) * at(x.wrapping_add_signed(dx), y + dy)).collect::<Vec<_>>())
    };
    for (dx, dy, expected) in [
        (0, 0, 1.0),
        (1, 0, 0.584),
        (0, 1, 0.584),
        (2, 0, 0.219),
        (0, 2, 0.219),
        (1, 1, 0.423),
        (-1, 1, 0.423),
        (3, 0, 0.0),
    ] {
        assert!((alike(dx, dy) - expected).abs() < 0.04, "{dx}, {dy}: {}", alike(dx, dy));
    }
}

#[test]
fn every_size_gives_grain_without_end_or_mean() {
    for step in 0..=50 {
        let size = 1.0 + f64::from(step) / 10.0;
        let grain: Vec<_> = template(size, gray(8), 0).grain().iter().map(|value| f64::from(*value)).collect();
        let most = grain.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
        assert!(mean(&grain).abs() < 0.1 && (deviation(&grain) - WHOLE).abs() < 0.1, "{size}");
        assert!(most > 3.0 * WHOLE && most < 6.0 * WHOLE, "{size}: {most}");
    }
}

/// Places are many, and every template has all of each.
#[test]
fn blocks_have_places_of_their_own() {
    let template = template(2.0, gray(8), 0);
    let mut places: Vec<_> = (0..40).flat_map(|row| (0..60).map(move |column| place(7, column, row))).collect();
    places.iter().for_each(|at| assert_eq!(template.row(*at, BLOCK + OVERLAP - 1).len(), BLOCK + OVERLAP));
    places.sort_unstable();
    places.dedup();
    // 2400 of 4096 at random: 4096·(1 − e^(−2400/4096)) = 1816 different ones.
    assert!((1750..1880).contains(&places.len()), "{}", places.len());
}

/// (27·1000 + 17·200 + 16)/32 = 950.5, and (17·1000 + 27·200 + 16)/32 = 700.5.
#[test]
fn overlaps_lean_to_the_nearer_block() {
    assert_eq!((blend(0, 1000, 200), blend(1, 1000, 200)), (950, 700));
}

/// From 4096 to 60160: an eighth of the way is 7008 above black, a quarter 14016, and three quarters 42048.
#[test]
fn strength_follows_luma() {
    let params = GrainParams { shadows: 0.5, highlights: 0.25, ..GrainParams::default() };
    let Plan { curve, .. } = Plan::new(&params, &StreamInfo::bare(gray(16), 8, 8));
    let of = |curve: &Curve, lane: u16| f64::from(curve.strength(lane)) / 4096.0;
    for (lane, expected) in [
        (0, 0.0),
        (4096, 0.0),
        (4096 + 876, 0.125),
        (4096 + 7008, 0.75),
        (4096 + 14_016, 1.0),
        (4096 + 28_032, 1.0),
        (4096 + 42_048, 0.625),
        (60_160, 0.25),
        (65_535, 0.25),
    ] {
        assert!((of(&curve, lane) - expected).abs() < 0.001, "{lane}: {}", of(&curve, lane));
    }
}

/// Middle grey gets grain of the whole amount, at every depth; at white it is as strong as `highlights` says.
#[test]
fn grain_is_as_strong_as_asked() {
    for (text, format, value, expected) in [
        ("grain=amount=4:size=3", gray(16), 30_000, 4.0 * 256.0),
        ("grain=amount=4:size=3", gray(10), 500, 4.0 * 4.0),
        ("grain=amount=8:size=1:highlights=0.5", gray(16), 60_160, 4.0 * 256.0),
    ] {
        let noise = added(text, format, (640, 480), [value; 3], 0);
        assert!((deviation(&noise) / expected - 1.0).abs() < 0.03, "{text}: {}", deviation(&noise));
        assert!(mean(&noise).abs() < 0.04 * expected, "{text}: {}", mean(&noise));
    }
}

/// Where blocks meet, grain is neither weaker nor unlike its neighbours.
#[test]
fn blocks_leave_no_seams() {
    let (width, height) = (1280, 960);
    let noise = added("grain=amount=8:size=3", gray(16), (width, height), [30_000; 3], 0);
    let columns =
        |column: usize| (0..height).flat_map(move |y| (1..width / BLOCK).map(move |i| (i * BLOCK + column, y)));
    let at = |(x, y): (usize, usize)| noise[y * width + x];
    let strength = |column| deviation(&columns(column).map(at).collect::<Vec<_>>());
    let step = |column| deviation(&columns(column).map(|(x, y)| at((x, y)) - at((x - 1, y))).collect::<Vec<_>>());
    for column in [0, 1] {
        assert!((strength(column) / strength(16) - 1.0).abs() < 0.06, "{column}");
        // Unlike ones would differ 1.55 times as much: √(2/(2 − 2·0.584)).
        assert!(step(column) < 1.2 * step(16), "{column}: {} and {}", step(column), step(16));
    }
}

#[test]
fn frames_and_seeds_have_their_own_grain() {
    let src = picture(gray(16), 100, 70, |_, _, _| 30_000);
    let of = |text: &str, index| samples(&frame(text, &src, index), 0);
    assert_ne!(of("grain", 5), of("grain", 6));
    assert_eq!(of("grain", 5), of("grain", 5));
    assert_ne!(of("grain", 5), of("grain=seed=1", 5));
    assert_eq!(of("grain=still=on", 5), of("grain=still=on", 6));
    assert_ne!(of("grain=still=on", 5), of("grain=still=on:seed=1", 5));
}

/// Over many frames the grain of a place goes round its value: nothing of it stays.
#[test]
fn no_pattern_stands_still() {
    let src = picture(gray(16), 64, 48, |_, _, _| 30_000);
    let mut sums = vec![0.0; 64 * 48];
    for index in 0..100 {
        let made = samples(&frame("grain=amount=4", &src, index), 0);
        sums.iter_mut().zip(made).for_each(|(sum, value)| *sum += f64::from(value - 30_000));
    }
    // A tenth of 1024, as of 100 independent frames.
    let stays = deviation(&sums.iter().map(|sum| sum / 100.0).collect::<Vec<_>>());
    assert!(stays < 1.15 * 102.4, "{stays}");
}

#[test]
fn bars_stay_black() {
    let values = [4096, 32_768, 32_768];
    for component in 0..3 {
        let noise = added("grain=preset=super8", Format::yuv(1, 1, 16).unwrap(), (64, 64), values, component);
        assert!(noise.iter().all(|value| *value == 0.0), "component {component}");
    }
}

#[test]
fn colour_is_as_strong_as_asked() {
    let (format, values) = (Format::yuv(1, 1, 16).unwrap(), [30_000, 32_768, 40_000]);
    let of = |text: &str, component| deviation(&added(text, format, (640, 480), values, component));
    assert_eq!((of("grain=chroma=0", 1), of("grain=planes=y", 2), of("grain=planes=uv", 0)), (0.0, 0.0, 0.0));
    for component in [1, 2] {
        let deviation = of("grain=amount=4:chroma=0.5", component);
        assert!((deviation / 512.0 - 1.0).abs() < 0.05, "{component}: {deviation}");
    }
}

/// R, G and B have the same grain, and with `chroma` a part of their own: of `a + c·b` and `a + c·b'`, where all three are
/// independent, the correlation is 1/(1 + c²).
#[test]
fn red_green_and_blue_share_grain() {
    let format = Format::rgb(16).unwrap();
    let of = |text: &str, component| added(text, format, (320, 240), [30_000; 3], component);
    assert_eq!(of("grain=chroma=0", 0), of("grain=chroma=0", 2));
    let (red, blue) = (of("grain=chroma=0.5", 0), of("grain=chroma=0.5", 2));
    let alike = mean(&red.iter().zip(&blue).map(|(red, blue)| red * blue).collect::<Vec<_>>());
    assert!((alike / (deviation(&red) * deviation(&blue)) - 0.8).abs() < 0.03, "{alike}");
}

#[test]
fn limited_range_is_kept() {
    let (format, values) = (Format::yuv(0, 0, 8).unwrap(), [234, 17, 239]);
    let text = "grain=amount=20:chroma=2:highlights=2:keep_tv_range=on";
    let (mut low, mut high) = ([255; 3], [0; 3]);
    for component in 0..3 {
        for value in added(text, format, (64, 64), values, component) {
            low[component] = low[component].min(values[component] + value as i32);
            high[component] = high[component].max(values[component] + value as i32);
        }
    }
    assert!(low[1] == 16 && high[0] == 235 && high[2] == 240, "{low:?} {high:?}");
}

#[test]
fn odd_sizes_of_every_kind_have_the_same_bytes_at_every_level() {
    for (format, width, height) in
        [("yuv420p", 67, 35), ("yuv422p10", 33, 34), ("gray", 70, 33), ("nv12", 66, 36), ("gbrp12", 31, 33)]
    {
        let format: Format = format.parse().unwrap();
        let top = (1usize << format.bit_depth()) - 1;
        let src = picture(format, width, height, |c, x, y| ((x * 7919 + y * 104_729 + x * y * 31 + c) % top) as i32);
        frame("grain=preset=super8:shadows=2:chroma=1.3", &src, 9);
    }
}
