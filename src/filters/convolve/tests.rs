use super::kernel::{KernelRows, Shaped};
use super::weights::Weights;
use crate::filters::chain;
use crate::filters::testing::{digest, gray16, picture, run, samples};
use crate::params::Params;
use crate::video::Format;
use std::fs;

fn error(text: &str) -> String {
    chain(text).unwrap_err().message().to_owned()
}

/// What is wrong with a file of this text.
fn file_error(name: &str, text: &str) -> String {
    let path = std::env::temp_dir().join(format!("vramp-kernel-{}-{name}", std::process::id()));
    fs::write(&path, text).unwrap();
    let made = chain(&format!("convolve=kernel='{}'", path.display()));
    fs::remove_file(&path).unwrap();
    made.err().map_or(String::new(), |error| error.message().to_owned())
}

/// 3×3 of 0, but 100 left of the middle and 200 below: of the kernel 4 and 8 belong to them, and it sums to 45. With 4·100 +
/// 8·200 = 2000, over 45: 44.4. Above, the 100 lies at the kernel's 7, and nothing else: 700/45 = 15.6.
#[test]
fn the_kernel_is_laid_over_the_picture_as_it_is_written() {
    let src = picture(gray16(), 3, 3, |_, x, y| [0, 0, 0, 100, 0, 0, 0, 200, 0][3 * y + x]);
    let out = samples(&run(&*chain("convolve='1 2 3/4 5 6/7 8 9'").unwrap()[0], &src, gray16()), 0);
    assert_eq!(out[4], 44);
    // Above the middle: 100 is below on the left, at 7.
    assert_eq!(out[1], 16);
}

/// −1 0 1 of 0 1000 3000: 3000, over 1 with 128·256 added: 35768. At the left end 0 0 1000 is 1000.
#[test]
fn a_kernel_of_sum_nought_is_not_divided() {
    let src = picture(gray16(), 3, 1, |_, x, _| [0, 1000, 3000][x]);
    let out = samples(&run(&*chain("convolve='-1 0 1':bias=128").unwrap()[0], &src, gray16()), 0);
    assert_eq!(out, [32768 + 1000, 32768 + 3000, 32768 + 2000]);
}

/// Half of 5 is 2.5, and rounds up; results end at 0 and at 65535.
#[test]
fn results_are_rounded_half_up_and_limited() {
    let src = picture(gray16(), 3, 1, |_, x, _| [5, 40000, 0][x]);
    let of = |text: &str| samples(&run(&*chain(text).unwrap()[0], &src, gray16()), 0);
    assert_eq!(of("convolve=1:divisor=2"), [3, 20000, 0]);
    assert_eq!(of("convolve=2:divisor=1"), [10, 65535, 0]);
    assert_eq!(of("convolve=-1:divisor=1:bias=1"), [251, 0, 256]);
}

#[test]
fn flat_areas_stay_as_they_are() {
    let src = picture(gray16(), 40, 9, |_, _, _| 54321);
    for text in
        ["convolve=preset=gauss5", "convolve='0.1 0.7 0.3 0.15 0.05'", "convolve=preset=sharpen", "convolve='-1 -2 -4'"]
    {
        let out = samples(&run(&*chain(text).unwrap()[0], &src, gray16()), 0);
        assert!(out.iter().all(|v| *v == 54321), "{text}: {:?}", &out[..3]);
    }
}

/// Noise of every size through kernels of one rank, which take two passes where the reference takes one.
#[test]
fn two_passes_give_what_one_gives() {
    let src = picture(gray16(), 600, 70, |_, x, y| ((x * 7919 + y * 104_729 + x * y * 31) % 65536) as i32);
    for text in [
        "convolve=preset=gauss3",
        "convolve='1 -2 1/2 -4 2/3 -6 3':bias=20",
        "convolve='2 4 6/0 0 0/3 6 9'",
        "convolve='0 0 0 0 0/0 1 2 3 0/0 2 4 6 0/0 -1 -2 -3 0/0 0 0 0 0'",
    ] {
        run(&*chain(text).unwrap()[0], &src, gray16());
    }
    let weights = |rows: usize, values: &[f64]| {
        Weights::new(&Shaped { columns: values.len() / rows, rows, values: values.to_vec() }, None, 0).unwrap()
    };
    assert!(weights(3, &[1., 2., 1., 2., 4., 2., 1., 2., 1.]).factors.is_some());
    assert!(weights(3, &[1., 2., 1., 2., 5., 2., 1., 2., 1.]).factors.is_none());
}

/// Bytes of bytes at borders and ends of vectors, of windows higher and wider than the plane, and where bands begin.
#[test]
fn bytes_become_bytes() {
    let gray8 = Format::gray(8).unwrap();
    for (width, height) in [(1, 1), (2, 3), (63, 5), (64, 66), (129, 130), (600, 2)] {
        let src = picture(gray8, width, height, |_, x, y| ((x * 7919 + y * 104_729 + x * y * 31) % 256) as i32);
        for text in [
            "convolve='1 2 3/4 9 6/7 8 5'",
            "convolve=preset=sharpen",
            "convolve=preset=gauss5:bias=-7",
            "convolve='-1 0 1/-2 0 2/-1 0 1':bias=128",
            "convolve='1/2/3/4/5/-6/7/8/9'",
            "convolve='1 0 0 0 0 2 0 0 0 0 3':width=11:divisor=5",
        ] {
            run(&*chain(text).unwrap()[0], &src, gray8);
        }
    }
    let takes_bytes = |values: &[f64]| {
        let kernel = Shaped { columns: values.len(), rows: 1, values: values.to_vec() };
        Weights::new(&kernel, None, 0).unwrap().byte_sums.is_some()
    };
    assert!(takes_bytes(&[1., 2., 1.]) && !takes_bytes(&[1., 200., 1.]) && !takes_bytes(&[0.1, 0.2, 0.1]));
}

#[test]
fn the_largest_kernel_runs() {
    let src = picture(gray16(), 70, 66, |_, x, y| ((x * 7919 + y * 104_729) % 65536) as i32);
    let row = (0..61).map(|i| ((i * 5) % 7).to_string()).collect::<Vec<_>>().join(" ");
    let rows = vec![row; 60].join("/") + "/" + &vec!["1"; 61].join(" ");
    run(&*chain(&format!("convolve='{rows}'")).unwrap()[0], &src, gray16());
}

#[test]
fn kernels_that_cannot_be_are_refused() {
    assert!(error("convolve='1 2/3 4'").contains("2 columns: their number must be odd"));
    assert!(error("convolve='1 2 3/4 5 6'").contains("2 rows"));
    assert!(error("convolve='1 2 3 4'").contains("4 columns"));
    assert!(error("convolve='1 2 3/4 5'").contains("row 2 has 2 numbers, and row 1 has 3"));
    assert!(error("convolve='1 2 3 4':width=3").contains("4 numbers do not fill rows of 3"));
    assert!(error("convolve='1 2 x'").contains("'x' is no number"));
    assert!(error("convolve='1 nan 3'").contains("'nan' is no number"));
    assert!(
        error("convolve='20000 1 20000'").contains("sum to 40001")
            && error("convolve='20000 1 20000'").contains("32767")
    );
    assert!(error(&format!("convolve='{}'", vec!["1"; 63].join(" "))).contains("63 columns"));
    assert!(error("convolve=nosuchfile.txt").contains("or a file of them"));
    assert!(error("convolve=/dev/zero").contains("must be a file"));
}

#[test]
fn a_file_has_a_row_a_line() {
    let text = "# a ramp\n1 2 3\n\n4, 5, 6 # the middle\n7;8;9\n";
    assert_eq!(file_error("good", text), "");
    assert!(file_error("short", "1 2 3\n# two\n4 5\n7 8 9").contains("line 3 has 2 numbers, and line 1 has 3"));
    assert!(file_error("word", "1 2 3\n4 five 6").contains("line 2: 'five' is no number"));
    assert!(file_error("empty", "# nothing\n").contains("it has no numbers"));
    assert!(file_error("even", "1 2 3\n4 5 6").contains("2 rows"));
}

/// What is recorded of a run has the numbers of the file.
#[test]
fn a_call_reads_back_without_its_file() {
    let path = std::env::temp_dir().join(format!("vramp-kernel-{}-call", std::process::id()));
    fs::write(&path, "0 -1 0\n-1 5.5 -1\n0 -1 0\n").unwrap();
    let filter = chain(&format!("convolve='{}'", path.display())).unwrap().remove(0);
    fs::remove_file(&path).unwrap();
    assert_eq!(filter.call().to_string(), "convolve=kernel='0 -1 0/-1 5.5 -1/0 -1 0'");
    assert_eq!(chain(&filter.call().to_string()).unwrap()[0].call(), filter.call());
}

#[test]
fn convolution_is_understood() {
    let call = |text: &str| chain(text).unwrap()[0].call().to_string();
    assert_eq!(call("convolution='0 -1 0 -1 5 -1 0 -1 0'"), "convolve=kernel='0 -1 0 -1 5 -1 0 -1 0':planes=y");
    let all = "convolution=0m='1 1 1 1 1 1 1 1 1':1m='1 1 1 1 1 1 1 1 1':2m='1 1 1 1 1 1 1 1 1'";
    assert_eq!(call(all), "convolve=kernel='1 1 1 1 1 1 1 1 1'");
    assert_eq!(
        call("convolution=0m='1 1 1 1 2 1 1 1 1':0rdiv=0.1:0bias=3"),
        "convolve=kernel='1 1 1 1 2 1 1 1 1':divisor=10:bias=3:planes=y"
    );
    assert!(error("convolution=0m=1:1m=2").contains("filters of their own"));
    assert!(error("convolution=0m='1 2 1':0mode=row").contains("width=3"));
    assert!(error("convolve=rdiv=0.1").contains("'divisor'"));
}

#[test]
fn the_default_changes_nothing_and_says_so() {
    assert!(chain("convolve").unwrap()[0].warning().unwrap().contains("preset="));
    assert!(chain("convolve=preset=sharpen").unwrap()[0].warning().is_none());
    assert_eq!(super::ConvolveParams::SCHEMA.params[0].kind, KernelRows::FORM);
}

/// Kernels of real numbers become integers.
#[test]
fn weights_are_the_same_on_every_platform() {
    let of = |side: usize| {
        let values = (0..side * side).map(|i| 0.37 * ((i * i) % 23) as f64 - 1.1).collect();
        let weights = Weights::new(&Shaped { columns: side, rows: side, values }, None, 0).unwrap();
        weights.values.into_iter().map(|value| i64::from(value).cast_unsigned()).collect::<Vec<_>>()
    };
    assert_eq!(digest([1, 3, 5, 7, 13, 21].into_iter().flat_map(of)), 3311143184566535004);
}
