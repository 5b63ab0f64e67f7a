//! The scalar reference against vectors worked out by hand.
//!
//! The random bytes are chosen, not drawn, so that offsets can be followed on paper: with n = 2 the byte 255 spreads to
//! ((5·255) >> 8) − 2 = 2, the byte 0 to −2 and the byte 102 to ((5·102) >> 8) − 2 = −1.

use super::plan::Plan;
use super::reference::Reference;
use super::table::Table;
use super::{DESCRIPTOR, DebandParams};
use crate::device::cpu::{CpuExec, CpuLevel};
use crate::filters::testing::{picture, run, samples};
use crate::filters::{CpuKernel, Setup, chain};
use crate::params::{Params, parse_chain};
use crate::video::{FieldOrder, Format, FrameProps, Picture, StreamInfo};

/// Offsets a and b, and noise, as bytes that every position draws.
#[derive(Clone, Copy)]
struct Bytes {
    a: u8,
    b: u8,
    noise: u8,
}

/// a = 2 and b = −2 where n is 2; noise as far down as it goes.
const FAR: Bytes = Bytes { a: 255, b: 0, noise: 0 };

/// What `deband=args` makes of component `component` at (x, y) of a picture whose samples are `sample(component, x, y)`.
fn result(
    args: &str,
    (format, storage): (&str, &str),
    (width, height): (usize, usize),
    sample: impl Fn(usize, usize, usize) -> i32,
    bytes: Bytes,
    props: &FrameProps,
    (component, x, y): (usize, usize, usize),
) -> i32 {
    let call = parse_chain(&format!("deband={args}")).unwrap().remove(0);
    let params = DebandParams::from_call(&call).unwrap();
    let (src_format, dst_format): (Format, Format) = (format.parse().unwrap(), storage.parse().unwrap());
    let info = StreamInfo::bare(src_format, width, height);
    let setup = Setup::of(info.clone(), src_format, info, dst_format);
    let mut src = Picture::alloc(src_format, width, height).unwrap();
    let mut dst = Picture::alloc(dst_format, width, height).unwrap();
    for c in 0..src_format.components() {
        let mut planes = src.planes_mut();
        let plane = planes.get_mut(c);
        let (w, h) = (plane.width(), plane.height());
        for (x, y) in (0..h).flat_map(|y| (0..w).map(move |x| (x, y))) {
            plane.set(x, y, sample(c, x, y));
        }
    }
    let table = Table::of(width, height, |plane, _, _| [bytes.a, bytes.b, bytes.noise][plane.min(2)]);
    let mut kernel = Reference::with_table(Plan::for_setup(&params, &setup).unwrap(), table);
    let exec = CpuExec::new(1, CpuLevel::Portable).unwrap();
    let kernel: &mut dyn CpuKernel = &mut kernel;
    kernel.run_alone(props, &src.planes(), &mut dst.planes_mut(), &exec);
    dst.planes()[component].get(x, y)
}

/// The centre of a 5×5 grey picture of 8 bits, in 16. Around it lie, at the corners:
///
/// ```text
/// 97 . . . 101       pairs for a = 2, b = −2:  (x + b, y + a) = (0, 4) is 103, opposite (4, 0) is 101;
///  .  100   .        (x + a, y − b) = (4, 4) is 104, opposite (0, 0) is 97
/// 103 . . . 104
/// ```
fn centre(args: &str, bytes: Bytes) -> i32 {
    let sample = |_, x, y| match (x, y) {
        (0, 0) => 97,
        (4, 0) => 101,
        (0, 4) => 103,
        (4, 4) => 104,
        _ => 100,
    };
    let args = format!("range=2:{args}");
    result(&args, ("gray8", "gray16"), (5, 5), sample, bytes, &FrameProps::default(), (0, 2, 2))
}

#[test]
fn sample_0_copies_the_reference() {
    // |100 − 103| is 3 · 256 = 768. The threshold is t << 2 << 4 = 64t: 832 for 13, exactly 768 for 12, and less is less.
    assert_eq!(centre("sample=0:threshold=13", FAR), 103 << 8);
    assert_eq!(centre("sample=0:threshold=12", FAR), 100 << 8);
    // blur_first means nothing here, so it changes neither the difference nor the threshold.
    assert_eq!(centre("sample=0:threshold=13:blur_first=on", FAR), 103 << 8);
    assert_eq!(centre("sample=0:threshold=12:blur_first=on", FAR), 100 << 8);
}

#[test]
fn sample_1_averages_a_pair() {
    // (103 + 101)/2 = 102. The larger difference is 768, as above.
    assert_eq!(centre("sample=1:threshold=13:dither=0", FAR), 102 << 8);
    assert_eq!(centre("sample=1:threshold=12:dither=0", FAR), 100 << 8);
    // blur_first: |100 − 102| is 512, the threshold t << 1 << 4 = 32t: 544 for 17, exactly 512 for 16.
    assert_eq!(centre("sample=1:threshold=17:dither=0:blur_first=on", FAR), 102 << 8);
    assert_eq!(centre("sample=1:threshold=16:dither=0:blur_first=on", FAR), 100 << 8);
}

#[test]
fn sample_2_averages_two_pairs() {
    // (103 + 101 + 104 + 97)·256 = 103680, + 2, >> 2 is 25920 = 101.25 steps. The largest difference is 4 · 256 = 1024:
    // 64t is 1088 for 17, exactly 1024 for 16.
    assert_eq!(centre("sample=2:threshold=17:dither=0", FAR), 25920);
    assert_eq!(centre("sample=2:threshold=16:dither=0", FAR), 100 << 8);
    // blur_first: 25920 − 25600 = 320: 32t is 352 for 11, exactly 320 for 10.
    assert_eq!(centre("sample=2:threshold=11:dither=0:blur_first=on", FAR), 25920);
    assert_eq!(centre("sample=2:threshold=10:dither=0:blur_first=on", FAR), 100 << 8);
}

/// The same with references in the middle of each edge, for a = 2 and b = −2 (or 2, where b is drawn so):
///
/// ```text
///  .  . 103 .   .      the pair of the column is (2, 4), which is 102, and (2, 0), 103;
///  97 . 100 . 104      that of the row (0, 2), 97, and (4, 2), 104
///  .  . 102 .   .
/// ```
fn cross(args: &str) -> i32 {
    let sample = |_, x, y| match (x, y) {
        (2, 0) => 103,
        (2, 4) => 102,
        (0, 2) => 97,
        (4, 2) => 104,
        _ => 100,
    };
    let args = format!("range=2:dither=0:{args}");
    result(&args, ("gray8", "gray16"), (5, 5), sample, FAR, &FrameProps::default(), (0, 2, 2))
}

#[test]
fn sample_3_averages_a_pair_of_the_row() {
    // (97 + 104)/2 = 100.5. The larger difference is 4 · 256 = 1024 = 64 · 16.
    assert_eq!(cross("sample=3:threshold=17"), 25728);
    assert_eq!(cross("sample=3:threshold=16"), 100 << 8);
    // blur_first: half a step is 128, exactly 32 · 4.
    assert_eq!(cross("sample=3:threshold=5:blur_first=on"), 25728);
    assert_eq!(cross("sample=3:threshold=4:blur_first=on"), 100 << 8);
}

#[test]
fn sample_4_decides_each_pair_alone() {
    // The column's 102.5 and the row's 100.5 have the mean 101.5.
    assert_eq!(cross("sample=4:threshold=17"), 25984);
    // The row differs by 1024 and stays 100: with the column's 102.5 that is 101.25.
    assert_eq!(cross("sample=4:threshold=16"), 25920);
    // The column differs by 768 = 64 · 12.
    assert_eq!(cross("sample=4:threshold=12"), 100 << 8);
    // blur_first: the column's average differs by 640 = 32 · 20, the row's by 128.
    assert_eq!(cross("sample=4:threshold=20:blur_first=on"), (100 << 8) + 64);
}

#[test]
fn sample_5_has_three_thresholds() {
    // The average of all four is 101.5, which differs by 384 = 64 · 6; the farthest is 1024 = 64 · 16 away, the middle of
    // the column, 102.5, 640 = 64 · 10.
    assert_eq!(cross("sample=5:threshold=17"), 25984);
    assert_eq!(cross("sample=5:threshold=7:y_1=17:y_2=11"), 25984);
    for one_too_low in ["threshold=6:y_1=17:y_2=11", "threshold=7:y_1=16:y_2=11", "threshold=7:y_1=17:y_2=10"] {
        assert_eq!(cross(&format!("sample=5:{one_too_low}")), 100 << 8, "{one_too_low}");
        assert_eq!(cross(&format!("sample=5:blur_first=on:{one_too_low}")), 100 << 8, "{one_too_low}");
    }
    // What is not stated is the component's own first threshold.
    assert_eq!(cross("sample=5:threshold=1:y=17"), 25984);
    assert_eq!(cross("sample=5:threshold=31:y=17:y_1=16"), 100 << 8);
}

#[test]
fn sample_6_goes_a_part_of_the_distance() {
    // Differences: 384 from the average of 101.5, 1024 from the farthest, 640 and 128 from the middles. Up to two thirds of a
    // threshold nothing is lost: 1536 = 64 · 24 is the threshold whose two thirds are 1024.
    assert_eq!(cross("sample=6:threshold=24"), 25984);
    // With y_1 = 20, which is 1280, three times what is left of it is 3·(1 − 1024/1280) = 0.6. Its tenth root is 0.950199, and
    // that of 384 is 364.88.
    assert_eq!(cross("sample=6:threshold=24:y_1=20"), 25600 + 365);
    // With y_2 = 11 besides, which is 704, three times what is left is 3·(1 − 640/704) = 0.272727: together 0.163636, whose
    // tenth root is 0.834433, and that of 384 is 320.42.
    assert_eq!(cross("sample=6:threshold=24:y_1=20:y_2=11:blur_first=on"), 25600 + 320);
    for at_a_threshold in ["threshold=6:y_1=31:y_2=31", "threshold=31:y_1=16", "threshold=31:y_2=10"] {
        assert_eq!(cross(&format!("sample=6:{at_a_threshold}")), 100 << 8, "{at_a_threshold}");
        assert_eq!(cross(&format!("sample=7:max_angle=0:{at_a_threshold}")), 100 << 8, "{at_a_threshold}");
    }
}

#[test]
fn sample_7_raises_thresholds_where_the_gradient_is_steady() {
    // A slope to the right, whose rows from 48 on are brighter. n = 4: the byte 255 spreads to 4, 0 to −4.
    let at = |args: &str, brighter: i32| {
        let sample = |_, x: usize, y: usize| match (x, y) {
            (34, 30) => 98,
            _ => 60 + x as i32 + if y > 47 { brighter } else { 0 },
        };
        let args = format!("range=4:dither=0:threshold=8:{args}");
        result(&args, ("gray8", "gray16"), (61, 61), sample, FAR, &FrameProps::default(), (0, 30, 30))
    };
    // References: 98, 86, 90, 90: the average is 91, the farthest 8 · 256 = 2048 away, the middle of the row 92, 512 away. The
    // threshold of 64 · 8 is 512, raised to 1280, of which 512 is less than two thirds; y_1 of 1984 is raised to 4960.
    let args = "sample=7:y_1=31:angle_boost=2.5";
    assert_eq!(at(args, 0), 91 << 8);
    assert_eq!(at("sample=6:y_1=31", 0), 90 << 8);
    // The sample sees row 50 below it, 60 brighter, as do the references in its row and below; the one above does not, and its
    // angle is 0.5. Theirs is atan(−240/160)/π + 0.5 = 0.187.
    assert_eq!(at(args, 60), 90 << 8);
    assert_eq!(at(&format!("{args}:max_angle=0.32"), 60), 91 << 8);
    assert_eq!(at(&format!("{args}:max_angle=0.31"), 60), 90 << 8);
}

/// A grey row of 8 bits: 100, 101, 102, 103, 104.
#[test]
fn an_extended_border_is_debanded() {
    let at = |args: &str, x: usize| {
        let args = format!("range=2:sample=3:threshold=31:dither=0:{args}");
        let sample = |_, x, _| 100 + x as i32;
        result(&args, ("gray8", "gray16"), (5, 1), sample, FAR, &FrameProps::default(), (0, x, 0))
    };
    // b = −2: the pair of column 0 is 100, which stands for column −2, and 102. Of column 1 it is 100 and 103; of 4 it is
    // 104 and 102.
    assert_eq!([0, 1, 2, 4].map(|x| at("border=extend", x)), [25856, 25984, 102 << 8, 103 << 8]);
    // One row leaves no range.
    assert_eq!([0, 1, 2, 4].map(|x| at("border=shrink", x)), [100 << 8, 101 << 8, 102 << 8, 104 << 8]);
}

#[test]
fn an_extended_field_ends_at_its_own_rows() {
    // The column's value is its row's: 100 + y.
    let at = |args: &str, height: usize, y: usize| {
        let args = format!("range=2:sample=4:threshold=31:dither=0:border=extend:{args}");
        let sample = |_, _, y| 100 + y as i32;
        result(&args, ("gray8", "gray16"), (1, height), sample, FAR, &FrameProps::default(), (0, 0, y))
    };
    // a = 2, row 1 of 6: rows 3 and −1, replaced by row 0: (103 + 100)/2 = 101.5. The row's pair is the sample itself,
    // so that the mean is 101.25. In a field row 1 replaces it: 102, and 101.5.
    assert_eq!(at("field=off", 6, 1), 25920);
    assert_eq!(at("field=on", 6, 1), 25984);
    // Row 4 of 6: rows 2 and 6, replaced by 5, or by 4 in a field: 103.5 and 103; the means with 104 are 103.75 and 103.5.
    assert_eq!(at("field=off", 6, 4), 26560);
    assert_eq!(at("field=on", 6, 4), 26496);
    // One row is all there is of its field.
    assert_eq!(at("field=on", 1, 0), 100 << 8);
}

#[test]
fn both_pairs_keep_their_field() {
    // Threshold 31 lets 1984 pass; the differences below are at most 6 · 256 = 1536.
    let at = |field: &str| {
        let sample = |_, x, y| match (x, y) {
            (4, 4) => 104,
            (0, 0) => 97,
            (4, 3) => 106,
            _ => 100,
        };
        // a = 2 is even as it is; b = −1 is the odd one.
        let bytes = Bytes { a: 255, b: 102, noise: 0 };
        let args = format!("range=2:sample=2:threshold=31:dither=0:field={field}");
        result(&args, ("gray8", "gray16"), (5, 5), sample, bytes, &FrameProps::default(), (0, 2, 2))
    };
    // The first pair is (x + b, y + a) = (1, 4) and (3, 0), 100 each, in either order. The second goes down b rows: −1 is
    // rounded to −2, so it is (x + a, y + 2) = (4, 4) and (x − a, y − 2) = (0, 0): (100 + 100 + 104 + 97)·256 = 102656,
    // and 2 more, >> 2 is 25664.
    assert_eq!(at("on"), 25664);
    // Without fields it is (4, 3) and (0, 1): (100 + 100 + 106 + 100)·256 = 103936, and 2 more, >> 2 is 25984.
    assert_eq!(at("off"), 25984);
}

#[test]
fn averages_round_half_up() {
    let at_centre = |args: &str, corners: [i32; 4]| {
        let sample = |_, x, y| match (x, y) {
            (0, 4) => corners[0],
            (4, 0) => corners[1],
            (4, 4) => corners[2],
            (0, 0) => corners[3],
            _ => 1000,
        };
        let args = format!("range=2:dither=0:{args}");
        result(&args, ("gray16", "gray16"), (5, 5), sample, FAR, &FrameProps::default(), (0, 2, 2))
    };
    // (1001 + 1000 + 1) >> 1 = 1001.
    assert_eq!(at_centre("sample=1", [1001, 1000, 0, 0]), 1001);
    // Sums 4001, 4002 and 4003 and 2 more, >> 2: 1000, 1001 and 1001.
    assert_eq!(at_centre("sample=2", [1001, 1000, 1000, 1000]), 1000);
    assert_eq!(at_centre("sample=2", [1001, 1001, 1000, 1000]), 1001);
    assert_eq!(at_centre("sample=2", [1001, 1001, 1001, 1000]), 1001);
}

#[test]
fn the_range_shrinks_towards_the_border() {
    // At (1, 2) n is 1: the byte 255 spreads to ((3·255) >> 8) − 1 = 1 and 0 to −1, so the pair is (0, 3) and (2, 1).
    let sample = |_, x, y| match (x, y) {
        (0, 3) => 102,
        (2, 1) => 104,
        _ => 100,
    };
    let at = |x, y| {
        let args = "range=2:sample=1:threshold=31:dither=0";
        result(args, ("gray8", "gray8"), (5, 5), sample, FAR, &FrameProps::default(), (0, x, y))
    };
    assert_eq!(at(1, 2), 103);
    // On the border n is 0, and every reference is the sample itself.
    assert_eq!(at(0, 3), 102);
}

#[test]
fn subsampled_planes_have_half_the_range() {
    // 10×10 luma, 5×5 chroma. Range 3 is 1 there: a = 1 and b = −1, so the pair of (2, 2) is (1, 3) and (3, 1).
    let sample = |c, x, y| match (c, x, y) {
        (0, ..) => 50,
        (_, 1, 3) => 130,
        (_, 3, 1) => 128,
        _ => 126,
    };
    let at = |args: &str, format: &str, component| {
        let args = format!("range=3:sample=1:dither=0:threshold=31:{args}");
        result(&args, (format, "yuv420p"), (10, 10), sample, FAR, &FrameProps::default(), (component, 2, 2))
    };
    for format in ["yuv420p", "nv12"] {
        assert_eq!(at("cb=31", format, 1), 129);
        // A component's own threshold holds for it alone.
        assert_eq!((at("cb=0", format, 1), at("cb=0", format, 2)), (126, 129));
    }
}

#[test]
fn noise_is_added_and_kept_in_range() {
    let at = |args: &str, format: &str, value: i32, noise: u8| {
        let bytes = Bytes { noise, ..FAR };
        let props = FrameProps::default();
        result(&format!("threshold=0:{args}"), (format, "gray16"), (3, 3), |_, _, _| value, bytes, &props, (0, 1, 1))
    };
    // 15 << 4 = 240. The byte 255 spreads to ((481·255) >> 8) − 240 = 239, 0 to −240, 128 to ((481·128) >> 8) − 240 = 0.
    assert_eq!(at("sample=1", "gray8", 100, 255), 25600 + 239);
    assert_eq!(at("sample=1", "gray8", 100, 0), 25600 - 240);
    assert_eq!(at("sample=1", "gray8", 100, 128), 25600);
    // dither=1: n = 16, and ((33·255) >> 8) − 16 = 16.
    assert_eq!(at("dither=1", "gray8", 100, 255), 25600 + 16);
    // sample=0 has no noise unless it is asked for.
    assert_eq!(at("sample=0", "gray8", 100, 255), 25600);
    assert_eq!(at("sample=0:dither_y=15", "gray8", 100, 255), 25600 + 239);
    // The ends of the scale, and of limited range: 16 << 8 = 4096, 235 << 8 = 60160.
    assert_eq!((at("sample=1", "gray16", 100, 0), at("sample=1", "gray16", 65500, 255)), (0, 65535));
    assert_eq!(at("keep_tv_range=on", "gray8", 16, 0), 4096);
    assert_eq!(at("keep_tv_range=on", "gray8", 235, 255), 60160);
}

#[test]
fn limited_chroma_ends_at_240() {
    let at = |component| {
        let bytes = Bytes { noise: 255, ..FAR };
        let args = "threshold=0:keep_tv_range=on";
        result(args, ("yuv444p", "yuv444p16"), (3, 3), |_, _, _| 245, bytes, &FrameProps::default(), (component, 1, 1))
    };
    assert_eq!((at(0), at(1), at(2)), (235 << 8, 240 << 8, 240 << 8));
}

#[test]
fn rgb_has_the_settings_of_luma() {
    let bytes = Bytes { noise: 255, ..FAR };
    let at = |args: &str, value: i32, component| {
        let (props, at) = (FrameProps::default(), (component, 1, 1));
        result(args, ("gbrp", "gbrp16"), (3, 3), |c, _, _| value + c as i32, bytes, &props, at)
    };
    // As in `noise_is_added_and_kept_in_range`: 15 << 4 of noise reaches 239.
    let noisy = [0, 1, 2].map(|component| at("threshold=0:dither_y=15:dither_c=0", 100, component));
    assert_eq!(noisy, [100, 101, 102].map(|value| (value << 8) + 239));
    assert_eq!([0, 1, 2].map(|component| at("threshold=0:keep_tv_range=on", 245, component)), [235 << 8; 3]);
    let params = |args: &str| DebandParams::from_call(&parse_chain(args).unwrap()[0]).unwrap();
    let info = StreamInfo::bare("gbrp".parse().unwrap(), 3, 3);
    let plan = Plan::new(&params("deband=y=4:cb=5:cr=6"), &info);
    assert_eq!(plan.components.iter().map(|c| c.threshold).collect::<Vec<_>>(), [4 << 6; 3]);
}

#[test]
fn narrow_storage_rounds_half_up() {
    // 101.25 steps are 101 in 8 bits and 405 in 10.
    let at = |storage| {
        let sample = |_, x, y| match (x, y) {
            (0, 0) => 97,
            (4, 0) => 101,
            (0, 4) => 103,
            (4, 4) => 104,
            _ => 100,
        };
        let args = "range=2:sample=2:threshold=31:dither=0";
        result(args, ("gray8", storage), (5, 5), sample, FAR, &FrameProps::default(), (0, 2, 2))
    };
    assert_eq!((at("gray8"), at("gray10")), (101, 405));
}

#[test]
fn a_field_keeps_its_rows() {
    // A column of its own for every row, so that the result names the row: row y has the value 100 + y.
    let at = |args: &str, a: u8, height: usize, y: usize, order: FieldOrder| {
        let props = FrameProps { field_order: order, ..FrameProps::default() };
        let args = format!("range=2:threshold=31:{args}");
        // b = spread(128, n) = 0 for n up to 2.
        let bytes = Bytes { a, b: 128, noise: 0 };
        result(&args, ("gray8", "gray8"), (5, height), |_, _, y| 100 + y as i32, bytes, &props, (0, 2, y))
    };
    // n = 2: a = −1 goes down to −2, which is row 0; without fields it is row 1.
    assert_eq!(at("sample=0:field=on", 102, 5, 2, FieldOrder::Progressive), 100);
    assert_eq!(at("sample=0:field=off", 102, 5, 2, FieldOrder::TopFirst), 101);
    // auto follows the frame's own flag.
    assert_eq!(at("sample=0", 102, 5, 2, FieldOrder::BottomFirst), 100);
    assert_eq!(at("sample=0", 102, 5, 2, FieldOrder::Progressive), 101);
    // n = 1, row 1 of 3: a = −1 goes down to −2, which is row −1; two more is the row itself.
    assert_eq!(at("sample=0:field=on", 0, 3, 1, FieldOrder::Progressive), 101);
    // a = 1 goes down to 0.
    assert_eq!(at("sample=0:field=on", 255, 3, 1, FieldOrder::Progressive), 101);
    // A pair looks as far down as up: row 2 of 4 has one row below, so a = −1 becomes 0 and not −2 (and 2).
    assert_eq!(at("sample=1:field=on:dither=0", 0, 4, 2, FieldOrder::Progressive), 102);
}

#[test]
fn yc48_keeps_its_own_scale_and_sign() {
    let at = |args: &str, [p, m]: [i32; 2], own: i32, noise: u8, component| {
        let sample = |_, x, y| match (x, y) {
            (0, 4) => p,
            (4, 0) => m,
            _ => own,
        };
        let args = format!("range=2:sample=1:{args}");
        let bytes = Bytes { noise, ..FAR };
        result(&args, ("yc48", "yc48"), (5, 5), sample, bytes, &FrameProps::default(), (component, 2, 2))
    };
    // The threshold is t << 2: 60 for 15. (104 + 101 + 1) >> 1 = 103; (−5 − 4 + 1) >> 1 = −4.
    assert_eq!(at("dither=0", [104, 101], 100, 0, 0), 103);
    assert_eq!(at("dither=0", [-5, -4], -3, 0, 1), -4);
    // A difference of 60 is not less than 60.
    assert_eq!(at("dither=0", [160, 100], 100, 0, 2), 100);
    assert_eq!(at("dither=0", [159, 100], 100, 0, 2), 130);
    // Noise n = 15: ((31·255) >> 8) − 15 = 15 and −15; it stops at the ends of the type, and of limited range.
    assert_eq!(at("threshold=0", [0, 0], 100, 255, 0), 115);
    assert_eq!(at("threshold=0", [0, 0], -32760, 0, 1), -32768);
    assert_eq!(at("threshold=0", [0, 0], 32760, 255, 1), 32767);
    assert_eq!(at("threshold=0:keep_tv_range=on", [0, 0], 4090, 255, 0), 4096);
    assert_eq!(at("threshold=0:keep_tv_range=on", [0, 0], -2040, 0, 1), -2048);
}

#[test]
fn planes_that_are_left_out_keep_their_bytes() {
    let args = "deband=range=9:threshold=31:dither=31:keep_tv_range=on";
    for (format, words) in [
        ("yuv420p", [("y", [true, false, false]), ("u", [false, true, false]), ("yv", [true, false, true])]),
        ("nv12", [("v", [false, false, true]), ("uv", [false, true, true]), ("yu", [true, true, false])]),
        ("gbrp10", [("r", [true, false, false]), ("b", [false, false, true]), ("rg", [true, true, false])]),
        ("yc48", [("y", [true, false, false]), ("u", [false, true, false]), ("uv", [false, true, true])]),
    ] {
        let format: Format = format.parse().unwrap();
        let most = (1 << format.bit_depth().min(15)) - 1;
        let src = picture(format, 40, 24, |c, x, y| if y < 2 { most } else { (7 * x + 3 * y + 11 * c) as i32 % 50 });
        let filtered = |args: &str| run(&*chain(args).unwrap()[0], &src, format);
        let all = filtered(args);
        for (word, works) in words {
            let out = filtered(&format!("{args}:planes={word}"));
            for (component, works) in works.into_iter().enumerate() {
                let expected = if works { &all } else { &src };
                assert!(samples(&all, component) != samples(&src, component), "{format}: component {component}");
                assert_eq!(samples(&out, component), samples(expected, component), "{format} {word}: {component}");
            }
        }
    }
}

#[test]
fn unequal_settings_are_distinguished() {
    let params = |args: &str| DebandParams::from_call(&parse_chain(args).unwrap()[0]).unwrap();
    let info = StreamInfo::bare("yuv420p".parse().unwrap(), 16, 16);
    let plan = |args: &str| Plan::new(&params(args), &info);
    assert!(plan("deband=threshold=0:dither=0").is_identity());
    assert!(!plan("deband=threshold=0:dither=0:dither_c=1").is_identity());
    assert!(!plan("deband=threshold=0:dither=0:keep_tv_range=on").is_identity(), "it clamps");
    assert!(plan("deband=threshold=0:sample=0").is_identity(), "sample 0 has no noise of its own");
    // Seeds 2^32 apart are one.
    assert_eq!(plan("deband=seed=-1"), plan("deband=seed=4294967295"));
    let component = |args: &str, index: usize| plan(args).components[index];
    assert_eq!(component("deband=threshold=9:cb=3", 1).threshold, 3 << 6);
    assert_eq!(component("deband=threshold=9:cb=3", 2).threshold, 9 << 6);
    assert_eq!(DESCRIPTOR.name, "deband");
}

#[test]
fn f3kdb_counts_in_64ths() {
    let by = |text: &str| chain(text).map(|filters| filters[0].call().to_string()).map_err(|e| e.message().to_owned());
    let own = |args: &str| by(&format!("deband={args}"));
    assert_eq!(by("f3kdb=20:Y=64:cb=48:cr=0:sample_mode=4"), own("range=20:y=4:cb=3:cr=0:sample=4"));
    assert_eq!(
        by("f3kdb(y_1 16, Cb_2 32, grainy 64, grainC 4, dynamic_grain on)"),
        own("y_1=1:cb_2=2:dither_y=16:dither_c=1:rand_each_frame=on")
    );
    assert_eq!(
        by("f3kdb=y=40"),
        Err("f3kdb: y=40 lies between two strengths that this filter has: use y=32 or y=48".to_owned())
    );
    assert!(by("f3kdb=y=512").is_err() && by("f3kdb=y=much").is_err() && by("f3kdb=sample_mode=8").is_err());
    let without_effect =
        "opt=1:mt=True:scale=false:output_depth=-1:random_algo_ref=1:random_param_ref=0.5:dynamic_grain=True";
    assert_eq!(by(&format!("f3kdb={without_effect}")), own("rand_each_frame=true"));
    for (asked, hint) in [
        ("output_depth=16", "put depth=16 behind it"),
        ("dither_algo=2", "put depth=8:dither=ordered behind it"),
        ("random_algo_grain=2", "random_algo_grain=1"),
        ("scale=1", "64ths"),
        ("opt=4", "-1 to 3"),
        ("mt=maybe", "true or false"),
    ] {
        let refused = by(&format!("f3kdb={asked}")).unwrap_err();
        assert!(refused.starts_with(&format!("f3kdb: {asked}: ")) && refused.contains(hint), "{refused}");
    }
    for advised in ["depth=16", "depth=8:dither=none", "depth=8:dither=ordered", "depth=8:dither=fs"] {
        assert!(crate::filters::chain(advised).is_ok(), "{advised}");
    }
    assert_eq!(by("f3kdb=sample_mode=7:angle_boost=2:max_angle=0.3"), own("sample=7:angle_boost=2:max_angle=0.3"));
    // By its own name they are as they were.
    assert_eq!(by("deband=Y=16"), own("y=16"));
}
