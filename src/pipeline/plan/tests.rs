//! Which kernels chains become, and what is stored between them.

use super::*;
use crate::filters::chain;
use crate::video::{ColorInfo, Range};

/// The stages that `text` becomes, as "filter source-storage>sink-storage".
fn stages(text: &str, input: &StreamInfo, target: Target) -> Vec<String> {
    let plan = plan(chain(text).unwrap(), input, target).unwrap();
    let name = |s: &Stage| format!("{} {}>{}", s.filter.descriptor().name, s.setup.src, s.setup.dst);
    plan.stages.iter().map(name).collect()
}

fn stream(format: &str, range: Range) -> StreamInfo {
    let color = ColorInfo { range, ..ColorInfo::default() };
    StreamInfo { color, ..StreamInfo::bare(format.parse().unwrap(), 8, 8) }
}

fn to(format: &str) -> Target {
    Target { format: Some(format.parse().unwrap()), ..Target::default() }
}

#[test]
fn one_filter_is_one_kernel() {
    let limited = stream("yuv420p", Range::Limited);
    assert_eq!(stages("deband", &limited, to("yuv420p10")), ["deband yuv420p>yuv420p10"]);
    assert_eq!(stages("deband,depth=10", &limited, Target::default()), ["deband yuv420p>yuv420p10"]);
    assert_eq!(stages("deband,depth=10", &limited, to("yuv420p10")), ["deband yuv420p>yuv420p10"]);
}

#[test]
fn a_depth_that_does_more_than_round_stays() {
    let (limited, full) = (stream("yuv420p", Range::Limited), stream("yuv420p", Range::Full));
    let two = ["deband yuv420p>yuv420p16", "depth yuv420p16>yuv420p10"];
    assert_eq!(stages("deband,depth=10", &full, to("yuv420p10")), two);
    assert_eq!(stages("deband,depth=10:dither=fs", &limited, to("yuv420p10")), two);
    // Rounded to 10 bits and then to 8 is not rounded to 8.
    let both = ["deband yuv420p>yuv420p16", "depth yuv420p16>yuv420p"];
    assert_eq!(stages("deband,depth=10", &limited, to("yuv420p")), both);
}

#[test]
fn the_sink_decides_the_storage() {
    let (limited, full) = (stream("nv12", Range::Limited), stream("yuv444p", Range::Full));
    assert_eq!(stages("", &limited, Target::default()), [""; 0]);
    assert_eq!(stages("", &limited, to("yuv420p")), ["depth nv12>yuv420p"]);
    // Not one sample changes in 16 bits between filters, but the storage does.
    assert_eq!(stages("depth=16", &limited, Target::default()), ["depth nv12>yuv420p16"]);
    assert_eq!(stages("deband", &limited, to("p010")), ["deband nv12>p010"]);
    assert_eq!(stages("deband", &full, to("yuv444p12")), ["deband yuv444p>yuv444p16", "depth yuv444p16>yuv444p12"]);
    let dithered = Target { dither: Dither::Blue, ..to("yuv444p") };
    assert_eq!(stages("deband", &full, dithered), ["deband yuv444p>yuv444p16", "depth yuv444p16>yuv444p"]);
}

#[test]
fn what_changes_nothing_is_left_out() {
    let plan =
        plan(chain("deband=threshold=0:dither=0,deband").unwrap(), &stream("gray8", Range::Limited), to("gray8"));
    let plan = plan.unwrap();
    assert_eq!((plan.stages.len(), plan.skipped), (1, vec!["deband=threshold=0:dither=0".to_owned()]));
}

#[test]
fn a_source_on_the_device_changes_what_the_first_kernel_reads() {
    let resident = |text: &str, format: &str, storage: &str, target| {
        let plan = plan(chain(text).unwrap(), &stream(format, Range::Limited), target).unwrap();
        let (nominal, end) = (plan.input.clone(), plan.output.clone());
        let plan = plan.resident(storage.parse().unwrap()).unwrap();
        assert_eq!((&plan.input, &plan.output, plan.resident), (&nominal, &end, true));
        let name = |s: &Stage| format!("{} {}>{}", s.filter.descriptor().name, s.setup.src, s.setup.dst);
        plan.stages.iter().map(name).collect::<Vec<_>>()
    };
    assert_eq!(resident("deband", "yuv420p", "nv12", to("yuv420p10")), ["deband nv12>yuv420p10"]);
    let two = ["deband yuv444p16>yuv444p16", "deband yuv444p16>yuv444p10"];
    assert_eq!(resident("deband,deband", "yuv444p10", "yuv444p16", Target::default()), two);
    assert_eq!(resident("", "yuv420p10", "p010", Target::default()), ["depth p010>yuv420p10"]);
    assert_eq!(resident("", "yuv420p", "nv12", to("yuv420p12")), ["depth nv12>yuv420p12"]);
    let plan = plan(Vec::new(), &stream("yuv422p", Range::Limited), Target::default()).unwrap();
    let copying = plan.staying();
    assert!(copying.stays && copying.stages.len() == 1);
    let plan = super::plan(Vec::new(), &stream("yuv422p", Range::Limited), Target::default()).unwrap();
    assert!(plan.resident("nv12".parse().unwrap()).is_err());
}

#[test]
fn point_filters_that_follow_one_another_are_one_kernel() {
    let limited = stream("yuv420p", Range::Limited);
    let five = "levels=gain=1.1,saturation=1.2,range=full,adjust=gamma=1.2,depth=9";
    assert_eq!(stages(five, &limited, to("yuv420p9")), ["folded yuv420p>yuv420p9"]);
    let apart = stages(five, &limited, Target { folds: false, ..to("yuv420p9") });
    assert_eq!((apart.len(), apart[4].as_str()), (5, "depth yuv420p16>yuv420p9"));
    // What is no point filter lies between, or keeps what one reads.
    let three = ["folded yuv420p>yuv420p16", "box yuv420p16>yuv420p16", "folded yuv420p16>yuv420p"];
    let text = "levels=gain=1.1,levels=gamma=2,box=2,levels=gain=0.8,adjust=saturation=2";
    assert_eq!(stages(text, &limited, to("yuv420p")), three);
    let dithered = ["folded yuv420p>yuv420p16", "depth yuv420p16>yuv420p"];
    assert_eq!(stages("levels=gain=2,levels=gamma=2,depth=8:dither=fs", &limited, to("yuv420p")), dithered);
    let zoned = ["levels yuv420p>yuv420p16", "levels yuv420p16>yuv420p"];
    assert_eq!(stages("levels=gain=2,levels=gamma=2:frames=3-5", &limited, to("yuv420p")), zoned);
    let kept = "levels=gain=2,keep=other,levels=gamma=2,saturation=2,merge=with=other";
    let three = ["levels yuv420p>yuv420p16", "folded yuv420p16>yuv420p16", "merge yuv420p16>yuv420p"];
    assert_eq!(stages(kept, &limited, to("yuv420p")), three);
    let calls = plan(chain("levels=gain=2,saturation=2").unwrap(), &limited, to("yuv420p")).unwrap();
    let calls: Vec<String> = calls.stages[0].filter.calls().iter().map(ToString::to_string).collect();
    assert_eq!(calls, ["levels=gain=2", "saturation=saturation=2"]);
}

#[test]
fn a_run_with_too_many_steps_is_several_kernels() {
    // A table between two mixtures does not become one with the next.
    let text = ["levels=gain=1.1,saturation=1.2"; 7].join(",");
    let two = ["folded yuv420p>yuv420p16", "folded yuv420p16>yuv420p"];
    let chroma = text.replace("gain=1.1", "gain=1.1:planes=uv");
    assert_eq!(stages(&chroma, &stream("yuv420p", Range::Limited), to("yuv420p")), two);
}

#[test]
fn components_never_change() {
    let error = plan(chain("deband").unwrap(), &stream("yuv420p", Range::Limited), to("yuv444p")).unwrap_err();
    assert_eq!(error.kind(), crate::error::Kind::Unsupported);
}

#[test]
fn what_another_file_has_becomes_like_the_chains() {
    let film = StreamInfo {
        color: ColorInfo { matrix: 1, ..stream("yuv420p", Range::Limited).color },
        ..stream("yuv420p", Range::Limited)
    };
    let rgb = [SideInput { name: "b".to_owned(), info: stream("gbrp", Range::Full) }];
    let names = |text: &str, film: &StreamInfo, sides: &[SideInput]| {
        let plan = plan_with(chain(text).unwrap(), film, sides, Target::default());
        plan.map(|plan| plan.stages.iter().map(|s| s.filter.descriptor().name).collect::<Vec<_>>().join(","))
    };
    assert_eq!(names("overlay=with=b", &film, &rgb).unwrap(), "matrix,format,overlay");
    assert_eq!(names("box,merge=with=b", &film, &rgb).unwrap(), "box,matrix,format,merge");
    let fitted = |text: &str| plan_with(chain(text).unwrap(), &film, &rgb, Target::default()).unwrap().fitted;
    let by = [("b".to_owned(), "matrix=to=bt709,format=to=yuv420:chroma_out=left".to_owned())];
    assert_eq!(fitted("overlay=with=b"), by);
    assert_eq!(fitted("overlay=with=b,box,merge=with=b"), by, "once");
    let unread = plan_with(chain("overlay=with=b:opacity=0").unwrap(), &film, &rgb, Target::default()).unwrap();
    assert!(unread.fitted.is_empty() && unread.skipped.len() == 1, "{:?} {:?}", unread.fitted, unread.skipped);
    // Sizes are not fitted, what a chain made is not, and light of HDR is not made.
    let small = [SideInput { info: StreamInfo { width: 4, ..rgb[0].info.clone() }, ..rgb[0].clone() }];
    assert!(names("merge=with=b", &film, &small).unwrap_err().message().contains("they must be of one size"));
    assert!(names("keep=f,use=b,box,keep=c,use=f,merge=with=c", &film, &rgb).is_err());
    let pq = StreamInfo { color: ColorInfo { transfer: 16, ..film.color }, ..film.clone() };
    assert!(names("overlay=with=b", &pq, &rgb).unwrap_err().message().contains("alike"));
    let hdr = [SideInput { info: StreamInfo { color: pq.color, ..film.clone() }, ..rgb[0].clone() }];
    assert!(names("overlay=with=b", &stream("gbrp", Range::Full), &hdr).unwrap_err().message().contains("alike"));
    // What computes with codes gets those of the file.
    assert!(names("diff=with=b", &film, &rgb).unwrap_err().message().contains("alike"));
    // A film of another matrix and range, such as a JPEG is.
    let jpeg = StreamInfo { color: ColorInfo { matrix: 5, ..stream("yuv420p", Range::Full).color }, ..film.clone() };
    let jpeg = [SideInput { name: "b".to_owned(), info: jpeg }];
    assert_eq!(names("overlay=with=b", &film, &jpeg).unwrap(), "matrix,range,overlay");
    // The other way, and full range, whose white is that of its depth.
    let yuv = [SideInput { name: "b".to_owned(), info: film.clone() }];
    assert_eq!(names("overlay=with=b", &stream("gbrp", Range::Full), &yuv).unwrap(), "matrix,depth,overlay");
}
