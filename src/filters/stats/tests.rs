use crate::device::cpu::{CpuExec, CpuLevel};
use crate::filters::testing::{picture, run_levels, samples};
use crate::filters::{Setup, Spec, chain};
use crate::video::{Format, FrameProps, Picture, Record, StreamInfo, Value};

/// What `stats` with `args` measures of `src`, by the plain and every fast kernel.
fn measure(args: &str, src: &Picture) -> Record {
    let filter = chain(&super::DESCRIPTOR.text(args)).unwrap().remove(0);
    let format = src.format();
    let input = StreamInfo::bare(format, src.width(), src.height());
    let setup = Setup::of(input.clone(), format, input.clone(), format);
    let exec = CpuExec::new(2, CpuLevel::Portable).unwrap();
    let inputs = [vec![src.planes()]];
    let (out, record) = run_levels(&*filter, &setup, &Spec::computed(input), &inputs, &FrameProps::default(), &exec);
    (0..format.components()).for_each(|c| assert_eq!(samples(&out, c), samples(src, c), "component {c}"));
    record
}

#[test]
fn four_samples_by_hand() {
    // In 16 bits 256, 512 / 768, 1024: their sum is 2560, that of their squares 1966080.
    let src = picture(Format::gray(8).unwrap(), 2, 2, |_, x, y| (1 + x + 2 * y) as i32);
    let record = measure("what=all", &src);
    let get = |name: &str| record.get(name).unwrap();
    assert_eq!([get("y_min"), get("y_max"), get("y_sum")], [256, 1024, 2560].map(Value::Int).each_ref());
    assert_eq!(*get("y_mean"), Value::Float(640.0));
    assert_eq!(*get("y_variance"), Value::Float(f64::from((4 * 1_966_080 - 2560 * 2560) / 16)));
    let Value::List(bins) = get("y_histogram") else { panic!("a list") };
    let met: Vec<_> = (0..bins.len()).filter(|bin| bins[*bin] > 0).collect();
    assert_eq!((bins.len(), met), (1024, vec![4, 8, 12, 16]));
    assert_eq!(*get("y_rows"), Value::List(vec![768, 1792]));
    assert_eq!(*get("y_columns"), Value::List(vec![1024, 1536]));
}

#[test]
fn what_is_not_asked_is_not_measured() {
    let names = |args: &str, format: &str| {
        let record = measure(args, &picture(format.parse().unwrap(), 3, 3, |c, x, y| (c + x + y) as i32));
        record.values.into_iter().map(|(name, _)| name).collect::<Vec<_>>()
    };
    assert_eq!(names("", "gray10"), ["y_min", "y_max", "y_sum", "y_mean", "y_variance"]);
    assert_eq!(names("what=rows:planes=uv", "nv12"), ["u_rows", "v_rows"]);
    assert_eq!(names("hist:planes=g", "gbrp"), ["g_histogram"]);
}

#[test]
fn samples_with_signs_are_moved_up() {
    let src = picture(Format::YC48, 2, 1, |_, x, _| if x == 0 { -5 } else { 7 });
    let record = measure("planes=y", &src);
    assert_eq!(record.get("y_min"), Some(&Value::Int(32763)));
    assert_eq!(record.get("y_max"), Some(&Value::Int(32775)));
    assert_eq!(record.get("y_variance"), Some(&Value::Float(36.0)));
}

#[test]
fn extremes_do_not_overflow() {
    let src = picture(Format::gray(16).unwrap(), 3000, 70, |_, _, _| 65535);
    let record = measure("what=all", &src);
    assert_eq!(record.get("y_sum"), Some(&Value::Int(65535 * 3000 * 70)));
    assert_eq!(record.get("y_variance"), Some(&Value::Float(0.0)));
}
