use super::layout::{CELLS, HISTOGRAM, LEVEL, read};
use super::shot::{mean, quantile};
use super::{FrameSketch, LevelScale, Smoothing, SurveyLayout, SurveyParams, survey};
use crate::filters::Setup;
use crate::filters::testing::{one_thread, picture, run_levels};
use crate::video::{Format, FrameProps, Picture, StreamInfo};

fn look(format: &str, value: impl Fn(usize, usize, usize) -> i32) -> FrameSketch {
    let format: Format = format.parse().unwrap();
    FrameSketch::of(&StreamInfo::bare(format, 64, 36), &picture(format, 64, 36, value).planes())
}

#[test]
fn a_cut_is_another_brightness_and_another_picture() {
    let ramp = |_: usize, x: usize, _: usize| 16 + 2 * x as i32;
    let before = look("yuv420p", ramp);
    assert!(!before.cuts_to(&before));
    // The same samples elsewhere: another picture of the same brightness.
    assert!(!before.cuts_to(&look("yuv420p", |_, x, _| 16 + 2 * (63 - x as i32))));
    // 20 steps brighter all over: another histogram, a picture less than 22 steps apart.
    assert!(!before.cuts_to(&look("yuv420p", |c, x, y| ramp(c, x, y) + 20)));
    assert!(before.cuts_to(&look("yuv420p", |c, x, y| ramp(c, x, y) + 24)));
    assert!(before.cuts_to(&look("yuv420p", |_, _, y| 235 - 4 * y as i32)));
}

#[test]
fn depth_does_not_matter_and_rgb_has_cuts() {
    let of = |format: &str, scale: i32| look(format, move |_, x, y| (x + y) as i32 * scale);
    assert_eq!(of("yuv420p", 2), of("yuv444p10", 8));
    let (dark, bright) = (look("gbrp10", |_, x, _| x as i32), look("gbrp10", |_, x, _| 900 + x as i32));
    assert!(dark.cuts_to(&bright) && !dark.cuts_to(&dark));
}

/// The words of the survey of `src`, by the reference and every fast kernel.
fn words(of: LevelScale, share: f64, info: &StreamInfo, src: &Picture) -> Vec<u32> {
    words_of(SurveyParams { of, share, mean: false }, info, src)
}

fn words_of(params: SurveyParams, info: &StreamInfo, src: &Picture) -> Vec<u32> {
    let filter = survey(params);
    let spec = filter.spec(std::slice::from_ref(info)).unwrap();
    let setup = Setup::of(info.clone(), src.format(), spec.output.clone(), spec.output.format);
    let inputs = [vec![src.planes()]];
    let (made, _) = run_levels(&*filter, &setup, &spec, &inputs, &FrameProps::default(), &one_thread());
    let mut words = Vec::new();
    read(&made.planes()[0], &mut words);
    words
}

#[test]
fn a_level_lies_between_the_ends_of_its_count() {
    // Ten samples of level 3: the fifth is half through the 64 that count as it.
    assert_eq!(quantile([0, 0, 0, 10], 5), 3 * 64 + 32);
    assert_eq!([1, 2, 3].map(|rank| quantile([1, 1, 1], rank)), [64, 128, 192]);
    assert_eq!(quantile((0..1024).map(|level| u64::from(level == 1023)), 1), 65_535);
}

#[test]
fn words_worked_out_by_hand() {
    // Ten bits of limited range: 64 is black, 502 half of the light, and 940 white.
    let info = StreamInfo::bare("yuv420p10".parse().unwrap(), 32, 16);
    let src = picture(info.format, 32, 16, |c, x, _| [if x < 8 { 64 } else { 502 }, 512, 512][c]);
    let words = words(LevelScale::Light, 50.0, &info, &src);
    let layout = SurveyLayout::of(&info);
    assert_eq!((layout.rows, layout.columns, words.len()), (16, 32, CELLS + 512));
    // A quarter is black; the median is a third through the others, whose light 8192 counts from 32768 of 16 bits on.
    assert_eq!(words[LEVEL], 32_768 + 64 / 3);
    assert_eq!((words[HISTOGRAM], words[HISTOGRAM + 32]), (128, 384));
    assert_eq!((words[CELLS + 7], words[CELLS + 8]), (0, 8192));
}

/// The largest of R', G' and B' of BT.2020's red is the red, whatever its luma.
#[test]
fn codes_are_those_of_the_largest_component() {
    let mut info = StreamInfo::bare("yuv444p10".parse().unwrap(), 16, 16);
    info.color.transfer = 16;
    // 100 % red: 294, 387, 960; and grey of half the code.
    let src = picture(info.format, 16, 16, |c, x, _| if x == 3 { [294, 387, 960][c] } else { [502, 512, 512][c] });
    let of = |share| words(LevelScale::Code, share, &info, &src)[LEVEL];
    assert!(of(100.0) >= 65_280 && of(50.0).abs_diff(32_768) <= 64, "{} {}", of(100.0), of(50.0));
    let rgb = StreamInfo::bare("gbrp16".parse().unwrap(), 8, 8);
    let src = picture(rgb.format, 8, 8, |c, _, _| [1000, 40_000, 3][c]);
    let level = words(LevelScale::Code, 100.0, &rgb, &src)[LEVEL];
    assert_eq!(level, 40_000 / 64 * 64 + 64);
}

#[test]
fn means_leave_out_what_is_black() {
    // Each counts as the middle of its 64; below the tenth count all is black.
    assert_eq!(mean([5; 10]), 0);
    assert_eq!(mean((0..1024).map(|level| u64::from(level == 10 || level == 9))), 672);
    assert_eq!(
        mean((0..1024).map(|level| [(20, 1), (40, 3)].iter().find(|at| at.0 == level).map_or(0, |at| at.1))),
        2272
    );
    assert_eq!(mean((0..1024).map(|level| u64::from(level == 1023) << 40)), 65_504);
    // A frame with bars, and the same without, beside a level that is the same with a mean and without.
    let of = |height: usize, bar: usize, mean: bool| {
        let info = StreamInfo::bare("gbrp16".parse().unwrap(), 16, height);
        let is_bar = |y: usize| y < bar || y >= height - bar;
        let value = |c: usize, x: usize, y: usize| if is_bar(y) { 639 } else { 700 + 1000 * (x + c) as i32 };
        let src = picture(info.format, 16, height, value);
        words_of(SurveyParams { of: LevelScale::Code, share: 100.0, mean }, &info, &src)[LEVEL]
    };
    let (bare, barred, without) = (of(16, 0, true), of(24, 4, true), of(24, 4, false));
    assert_eq!((bare, bare & 0xffff), (barred, without));
    // The largest component of the columns: 2700, 3700 … 17700; counts round them to 32 above whole 64s.
    let columns = (0..16).map(|x| (2700 + 1000 * x) / 64 * 64 + 32);
    assert_eq!(bare >> 16, columns.sum::<u32>() / 16);
}

/// Surveys of flat frames with these levels.
fn flat(layout: &SurveyLayout, levels: &[u32]) -> Vec<Vec<u32>> {
    let survey = |level: &u32| {
        let mut words = vec![*level >> 2; layout.words()];
        words[LEVEL] = *level;
        words[HISTOGRAM..CELLS].fill(0);
        words[HISTOGRAM + (*level >> 10) as usize] = layout.samples() as u32;
        words
    };
    levels.iter().map(survey).collect()
}

#[test]
fn levels_are_smoothed_within_the_shot() {
    let layout = SurveyLayout::of(&StreamInfo::bare("gray8".parse().unwrap(), 64, 36));
    let level = |smoothing: Smoothing, levels: &[u32]| smoothing.brightness(&layout, &flat(&layout, levels)).level;
    // Weights 1 2 3 2 1, within one shot: (1 + 2·2 + 3·3 + 2·4 + 5)·100 / 9.
    assert_eq!(level(Smoothing::Mean(2), &[100, 200, 300, 400, 500]), 300);
    assert_eq!(level(Smoothing::Mean(2), &[100, 100, 1000, 100, 100]), (6 * 100 + 3 * 1000) / 9);
    // 22 of 219 steps of 65532 are 6583: frames of another shot do not count, on either side.
    assert_eq!(level(Smoothing::Mean(2), &[30_000, 100, 100, 400, 60_000]), (2 * 100 + 3 * 100 + 2 * 400) / 7);
    assert_eq!(level(Smoothing::Mean(0), &[700]), 700);
    // Crests within two of -2, -1, 0, 1, 2: 900 is seen from the last two alone; the shot begins at frame 3 of the other.
    assert_eq!(level(Smoothing::Crest(2), &[1, 1, 1, 1, 1, 1, 900, 1, 1]), ((1 + 2) + (3 + 2 + 1) * 900) / 9);
    assert_eq!(level(Smoothing::Crest(2), &[9000, 9000, 60_000, 1, 5, 1, 1, 1, 1]), 5);
    // Means: of the frames near by that have one, of the same shot, whatever becomes of levels.
    let mean = |smoothing: Smoothing, of: &[(u32, u32)]| {
        let (levels, means): (Vec<u32>, Vec<u32>) = of.iter().copied().unzip();
        let mut surveys = flat(&layout, &levels);
        surveys.iter_mut().zip(means).for_each(|(words, mean)| words[LEVEL] |= mean << 16);
        smoothing.brightness(&layout, &surveys)
    };
    let shot = [(1, 100), (1, 200), (1, 300), (1, 0), (1, 500)];
    let of_shot = mean(Smoothing::Mean(2), &shot);
    assert_eq!((of_shot.level, of_shot.mean), (1, ((100 + 2 * 200 + 3 * 300 + 500) / 7) as u16));
    let wide = [&[(1, 9000), (1, 9000)], &shot[..], &[(1, 9000), (1, 9000)]].concat();
    assert_eq!(mean(Smoothing::Crest(2), &wide), of_shot, "a crest looks further, and a mean does not");
    let cut = [(1, 100), (1, 200), (1, 300), (60_000, 50_000), (60_000, 50_000)];
    assert_eq!(mean(Smoothing::Mean(2), &cut).mean, ((100 + 2 * 200 + 3 * 300) / 6) as u16);
    assert_eq!(mean(Smoothing::Mean(1), &[(1, 0), (1, 0), (60_000, 9)]).mean, 0);
    // Nothing newly clips.
    let levels: Vec<u32> = (0..33).map(|i| 20_000 + i * i * 7919 % 5000).collect();
    assert!(u32::from(level(Smoothing::Crest(8), &levels)) >= levels[16]);
}
