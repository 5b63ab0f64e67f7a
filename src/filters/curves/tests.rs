//! Values worked out by hand, tables, and what is refused.

use super::*;
use crate::filters::point::table;
use crate::filters::testing::{digest, picture, run_inputs, samples};

/// One pixel of `format`.
fn pixel(text: &str, format: &str, values: [i32; 3]) -> Vec<i32> {
    let out = run_inputs(text, &[&[picture(format.parse().unwrap(), 1, 1, |c, _, _| values[c])]]);
    (0..out.planes().len()).map(|component| samples(&out, component)[0]).collect()
}

fn params(text: &str) -> CurvesParams {
    CurvesParams::from_call(&crate::params::parse_chain(text).unwrap()[0]).unwrap()
}

#[test]
fn tables_are_the_same_on_every_platform() {
    let presets = CurvesParams::SCHEMA.presets.iter().map(|preset| format!("curves=preset={}", preset.name));
    let all = |interp: &'static str| presets.clone().map(move |preset| params(&format!("{preset}:interp={interp}")));
    let input = StreamInfo::bare("yuv420p10".parse().unwrap(), 2, 2);
    let of = |params: CurvesParams| table(params.map(&input, 0, &params.master).unwrap());
    let digests = ["natural", "monotone"].map(|interp| digest(all(interp).flat_map(of)));
    assert_eq!(digests, [0xce8e_e076_ab89_aad0, 0xa7ff_72bc_7159_2e13]);
}

#[test]
fn curves_are_of_the_nominal_range() {
    let luma = |text: &str, value| pixel(text, "gray8", [value; 3])[0];
    // From 16 to 235 there are 219 steps: half of them is 109.5, and 0.6 are 131.4.
    assert_eq!([0, 16, 235, 255].map(|v| luma("curves=master=0/0.5+1/1", v)), [126, 126, 235, 235]);
    assert_eq!(luma("curves=master=0/0+1/0.6", 235), 147);
    assert_eq!([16, 50, 235].map(|v| luma("curves=preset=negative", v)), [235, 201, 16]);
    assert_eq!([0, 100, 255].map(|v| pixel("curves=preset=negative", "gbrp", [v; 3])[1]), [255, 155, 0]);
}

#[test]
fn master_is_behind_the_curve_of_a_channel() {
    // Halved and then inverted.
    let text = "curves=red=0/0+1/0.5:master=0/1+1/0";
    assert_eq!(pixel(text, "gbrp16", [40_000, 40_000, 0]), [45_535, 25_535, 65_535]);
}

#[test]
fn chroma_has_its_middle_at_a_half() {
    // 0.5 is 128; 0.6 is 22.4 above.
    let text = "curves=u='0/0 0.5/0.6 1/1':v=0/1+1/0";
    assert_eq!(pixel(text, "yuv444p", [77, 128, 100]), [77, 150, 156]);
}

#[test]
fn channels_that_are_not_there_are_refused() {
    let check = |text: &str, format: &str| {
        let filter = crate::filters::chain(text).unwrap().remove(0);
        let spec = filter.spec(&[StreamInfo::bare(format.parse().unwrap(), 8, 8)]);
        spec.map(|_| ()).map_err(|error| error.message().to_owned())
    };
    assert!(check("curves=red=0/0+1/0.5", "yuv420p").unwrap_err().contains("matrix=to=rgb"));
    assert!(check("curves=u=0/0+1/0.5", "gbrp").unwrap_err().contains("red="));
    assert!(check("curves=v=0/0+1/0.5", "gray8").unwrap_err().contains("no chroma"));
    assert_eq!(check("curves=v=0/0+1/0.5", "nv12"), Ok(()));
    let points = |text: &str| crate::filters::chain(text).map(|_| ()).unwrap_err().message().to_owned();
    assert!(points("curves=master=0/0+0/1").contains("two points or more"));
    assert!(points("curves=psfile=a.acv").contains("files of curves are not read"));
    assert!(points("curves=preset=vintage").contains("it has darker, lighter"));
}

#[test]
fn names_of_ffmpeg_are_understood() {
    let call = |text: &str| crate::filters::chain(text).unwrap()[0].call().to_string();
    let ours = call("curves=master=0/0+0.5/0.6+1/1:red=0/0.1+1/1:interp=monotone");
    assert_eq!(call("curves=m='0/0 0.5/0.6 1/1':r='0/0.1 1/1':interp=pchip"), ours);
}
