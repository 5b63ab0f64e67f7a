use crate::device::cpu::{CpuExec, CpuLevel};
use crate::filters::testing::{picture, samples};
use crate::filters::{CpuJob, CpuKernel, Frames, InputWindow, Setup, chain};
use crate::video::{Format, FrameProps, Picture, Record, StreamInfo, Value};

/// What `banding` with `args` measures of `src`, and its result, by the plain and every fast kernel.
fn measure(args: &str, src: &Picture) -> (Record, Picture) {
    let filter = chain(&super::DESCRIPTOR.text(args)).unwrap().remove(0);
    let (format, width, height) = (src.format(), src.width(), src.height());
    let input = StreamInfo::bare(format, width, height);
    let setup = Setup::of(input.clone(), format, input, format);
    let run = |kernel: &mut dyn CpuKernel, threads: usize| {
        let (planes, exec) = (src.planes(), CpuExec::new(threads, CpuLevel::Portable).unwrap());
        let mut out = Picture::alloc(format, width, height).unwrap();
        let mut record = Record::default();
        let windows = [InputWindow::of(&planes)];
        let (props, src) = (FrameProps::default(), Frames::new(&windows));
        // A second frame finds nothing of the first.
        for _ in 0..2 {
            record = Record::default();
            let (dst, record) = (out.planes_mut(), &mut record);
            kernel.run(CpuJob { props: &props, phase: 0, src, dst, record, exec: &exec });
        }
        (record, out)
    };
    let (record, out) = run(&mut *filter.reference(&setup).unwrap(), 1);
    for level in CpuLevel::available() {
        for threads in [1, 3] {
            let (fast, map) = run(&mut *filter.cpu(&setup, level).unwrap(), threads);
            assert_eq!(fast, record, "{level}, {threads} threads");
            (0..format.components()).for_each(|c| assert_eq!(samples(&map, c), samples(&out, c), "{level}, {c}"));
        }
    }
    (record, out)
}

fn number(record: &Record, name: &str) -> f64 {
    match record.get(name) {
        Some(Value::Float(value)) => *value,
        other => panic!("{name}: {other:?}"),
    }
}

fn index(args: &str, src: &Picture) -> f64 {
    number(&measure(args, src).0, "cambi")
}

fn gray(bits: u8, width: usize, height: usize, value: impl Fn(usize, usize) -> i32) -> Picture {
    picture(Format::gray(bits).unwrap(), width, height, |_, x, y| value(x, y))
}

/// A generator of noise: nothing depends on how good it is.
fn noise(x: usize, y: usize) -> i32 {
    let mixed = (x as u32).wrapping_mul(0x9E37_79B1) ^ (y as u32).wrapping_mul(0x85EB_CA77);
    (mixed ^ mixed >> 15).wrapping_mul(0x2C1B_3C6D).wrapping_shr(13) as i32
}

#[test]
fn an_edge_worked_out_by_hand() {
    // At 16 x 8 windows have no neighbours unless they are large: 127·24/6000 is 0.5. So at 300 x 8, 65·308/6000 is 3.3:
    // one sample to each side, nine in all. Ten bits are not averaged. Left of column 150 lies 100, right of it 101.
    let src = gray(10, 300, 8, |x, _| if x < 150 { 100 } else { 101 });
    let (record, _) = measure("topk=1", &src);
    // All but column 149 have neighbours alike; around it, and 48 blocks of none make (49 - 33 - 1)/2 = 7 flat ones enough,
    // so all is flat area. Scale 0: columns 149 and 150 see the other level. Inside, six samples of nine are of the own
    // level and three of the other: 6·3/9 = 2, of a step that weighs 1; so in rows 1 to 6. In rows 0 and 7 four and two:
    // 4·2/6 = 4/3. The gain is 4·65535/(4·9) = 7281, so they are 14562 and 9708.
    let sum = |inner: u64, outer: u64, rows: u64| 2 * (inner * (rows - 2) + outer * 2);
    let share =
        |weight: u64, sum: u64, width: u64, height: u64| (weight * sum) as f64 / (width * height * 7281 * 9) as f64;
    assert_eq!(number(&record, "cambi_scale_0"), share(16, sum(14562, 9708, 8), 300, 8));
    // Scales 1 and 2 are the same on half and a quarter of the columns and rows; 75 columns have their edge at 37.5.
    assert_eq!(number(&record, "cambi_scale_1"), share(8, sum(14562, 9708, 4), 150, 4));
    assert_eq!(number(&record, "cambi_scale_2"), share(4, sum(14562, 9708, 2), 75, 2));
    // One row: two of the own level and one of the other, 2·1/3.
    assert_eq!(number(&record, "cambi_scale_3"), share(2, 2 * 4854, 38, 1));
    assert_eq!(number(&record, "cambi_scale_4"), share(1, 2 * 4854, 19, 1));
    let all: f64 = (0..5).map(|scale| number(&record, &format!("cambi_scale_{scale}"))).sum();
    assert_eq!(number(&record, "cambi"), all);
}

#[test]
fn the_share_that_counts_is_that_of_the_highest() {
    let src = gray(10, 300, 8, |x, _| if x < 150 { 100 } else { 101 });
    let scale_0 = |args: &str| number(&measure(args, &src).0, "cambi_scale_0");
    // 16 samples of 2400 have any contrast. 0.0005·2400 is 1: only one of the highest counts.
    assert_eq!(scale_0("topk=0.0005"), (16 * 14562) as f64 / (7281 * 9) as f64);
    assert!((scale_0("topk=0.6") * 0.6 - scale_0("topk=1")).abs() < 1e-9);
}

#[test]
fn what_is_flat_or_noise_or_too_bright_has_no_banding() {
    for (bits, value) in [(8, 0), (8, 100), (8, 255), (10, 1023), (12, 2000), (16, 65535)] {
        assert_eq!(index("", &gray(bits, 200, 120, |_, _| value)), 0.0, "{bits} bits, {value}");
    }
    assert!(index("", &gray(8, 320, 180, |x, y| noise(x, y) & 255)) < 0.01);
    let stairs = |from: i32, step: i32| gray(8, 320, 180, move |x, _| from + step * (x as i32 / 20));
    // Steps of one are banding in the dark and cannot be seen in the light; those of eight are edges.
    let dark = index("", &stairs(30, 1));
    assert!(dark > 1.0, "{dark}");
    assert_eq!(index("", &stairs(220, 1)), 0.0);
    assert_eq!(index("", &stairs(30, 8)), 0.0);
    // And light can be too little for them.
    assert!(index("vis_lum_threshold=300", &stairs(30, 1)) == 0.0);
}

#[test]
fn the_index_is_the_same_upside_down_but_for_the_choice_of_neighbours() {
    // Without averages, every step but that to halves is symmetric where sizes are 16·n + 1.
    let (width, height) = (321, 177);
    let value = |x: usize, y: usize| 100 + ((x * x + 3 * y * y) / 4000) as i32;
    let index_of = |value: &dyn Fn(usize, usize) -> i32| index("", &gray(10, width, height, value));
    let upright = index_of(&value);
    let turned = index_of(&|x, y| value(width - 1 - x, height - 1 - y));
    assert!(upright > 0.5 && (upright - turned).abs() < 0.05 * upright, "{upright} {turned}");
}

#[test]
fn depths_agree_where_they_hold_the_same_picture() {
    let ten = |x: usize, y: usize| 200 + ((2 * x + y) / 30) as i32;
    let of = |bits: u8| index("", &gray(bits, 320, 180, |x, y| ten(x, y) << (bits - 10)));
    assert!(of(10) > 0.1, "{}", of(10));
    assert_eq!((of(12), of(16)), (of(10), of(10)));
    // Eight bits are averaged over neighbours first, unless they were encoded with more.
    let eight = gray(8, 320, 180, |x, y| ten(x, y) >> 2);
    let same = gray(10, 320, 180, |x, y| ten(x, y) >> 2 << 2);
    assert_eq!(index("enc_bitdepth=10", &eight), index("", &same));
    assert_eq!(index("", &eight), index("enc_bitdepth=8", &same));
    assert_ne!(index("", &eight), index("", &same));
}

#[test]
fn the_map_shows_where() {
    let value = |c: usize, x: usize, _: usize| match c {
        0 => 40 + (x >= 160) as i32,
        _ => 90,
    };
    let src = picture(Format::yuv(1, 1, 8).unwrap(), 320, 180, value);
    let (record, map) = measure("map=on", &src);
    assert_eq!(record, measure("", &src).0, "the map measures the same");
    let at = |x: usize| samples(&map, 0)[90 * 320 + x];
    assert_eq!((at(0), at(60)), (16, 16), "black where there is nothing");
    assert!(at(159) > 100 && at(159) <= 235, "{}", at(159));
    assert!(samples(&map, 1).iter().all(|value| *value == 128));
}

#[test]
fn odd_and_tiny_pictures() {
    for (width, height) in [(1, 1), (1, 9), (7, 5), (3, 130), (131, 129)] {
        for args in ["", "window_size=127:map=on", "window_size=127:max_log_contrast=5:tvi_threshold=0.0001:topk=1"] {
            measure(args, &gray(10, width, height, |x, y| 64 + ((x / 3 + y / 5) % 7) as i32));
            measure(args, &gray(8, width, height, |x, y| 60 + (noise(x / 4, y / 4) & 3)));
        }
    }
}
