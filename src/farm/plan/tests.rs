//! Plans that are read, known again, and refused.

use super::*;
use proptest::prelude::*;

pub(crate) fn plan() -> FilmPlan {
    let part = |start, times: &[i64]| PlannedPart::of(start, times, 9, None);
    let place = EntryPacket { frame: 2, pts: 80, dts: Some(0), byte: None, hash: 7 };
    FilmPlan {
        version: 0,
        vramp: "1".to_owned(),
        id: String::new(),
        reproducible: true,
        input: InputFile {
            path: "../a.mkv".to_owned(),
            bytes: 1000,
            hash: "x".to_owned(),
            opening: None,
            timebase: (1, 1000),
            frames: 4,
            origin: 0,
        },
        files: vec![OtherFile { path: "b.srt".to_owned(), bytes: 3, hash: "y".to_owned() }],
        output: OutputFile { path: "../out.mkv".to_owned(), container: "matroska".to_owned(), overwrite: false },
        options: vec!["--chain=deband".to_owned()],
        from: "/films".to_owned(),
        cutting: Cutting { segment: 60.0, cuts: CutAt::Key, fast: false },
        format: "yuv420p10".to_owned(),
        encoder: PinnedEncoder {
            name: "libx264".to_owned(),
            library: "libavcodec 59".to_owned(),
            threads: 4,
            options: vec![("x264-params".to_owned(), "stitchable=1".to_owned())],
            why: vec!["threads=4: bytes depend on it".to_owned()],
            fingerprint: Some(hex(5)),
        },
        parts: vec![part(0, &[0, 40]), PlannedPart { seek: Some(Seek::from(&place)), ..part(2, &[80, 120]) }],
    }
    .sealed()
    .unwrap()
}

#[test]
fn a_plan_is_read_as_it_was_written() {
    let written = plan();
    assert_eq!(FilmPlan::parse(&written.text().unwrap()).unwrap(), written);
    assert_eq!(written.parts[1].seek.as_ref().unwrap().place().unwrap().hash, 7);
}

#[test]
fn the_id_is_of_everything_but_paths() {
    let id = |change: fn(&mut FilmPlan)| {
        let mut other = plan();
        change(&mut other);
        other.sealed().unwrap().id
    };
    for same in [
        |plan: &mut FilmPlan| plan.input.path.push('x'),
        |plan: &mut FilmPlan| plan.output.path.push('x'),
        |plan: &mut FilmPlan| plan.files[0].path.push('x'),
        |plan: &mut FilmPlan| plan.from.push('x'),
        |plan: &mut FilmPlan| plan.output.overwrite = true,
    ] {
        assert_eq!(id(same), plan().id);
    }
    for other in [
        |plan: &mut FilmPlan| plan.vramp.push('x'),
        |plan: &mut FilmPlan| plan.options.push("--crf=20".to_owned()),
        |plan: &mut FilmPlan| plan.input.bytes += 1,
        |plan: &mut FilmPlan| plan.files[0].hash.push('x'),
        |plan: &mut FilmPlan| plan.encoder.threads += 1,
        |plan: &mut FilmPlan| plan.encoder.fingerprint = None,
        |plan: &mut FilmPlan| plan.cutting.segment = 20.0,
        |plan: &mut FilmPlan| plan.parts[0].times = hex(0),
        |plan: &mut FilmPlan| plan.parts[0].contents = hex(0),
    ] {
        assert_ne!(id(other), plan().id);
    }
}

#[test]
fn what_is_no_plan_is_refused_in_one_line() {
    let changed = |change: fn(&mut FilmPlan)| {
        let mut other = plan();
        change(&mut other);
        other.sealed().unwrap().text().unwrap()
    };
    for (text, words) in [
        (b"".to_vec(), "no plan"),
        (b"{\"version\":1}".to_vec(), "version 1"),
        (b"{\"version\":2}".to_vec(), "version 2"),
        (b"{\"version\":3}".to_vec(), "version 3"),
        (b"{\"version\":4}".to_vec(), "version 4"),
        (b"{\"version\":6}".to_vec(), "version 6"),
        (plan().text().unwrap().iter().map(|byte| if *byte == b'9' { b'8' } else { *byte }).collect(), "no plan"),
        (changed(|plan| plan.parts[1].start = 3), "do not follow"),
        (changed(|plan| plan.parts[1].frames = 0), "do not follow"),
        (changed(|plan| plan.input.frames = 5), "not all of the film"),
        (changed(|plan| plan.parts.clear()), "not all of the film"),
        (changed(|plan| plan.parts[0].times.push('0')), "not whole"),
        (changed(|plan| plan.parts[0].contents.clear()), "not whole"),
        (changed(|plan| plan.parts[1].seek.as_mut().unwrap().frame = 3), "not whole"),
        (changed(|plan| plan.input.timebase = (1, 0)), "unit of time"),
    ] {
        let error = FilmPlan::parse(&text).unwrap_err();
        assert!(error.message().contains(words) && !error.message().contains('\n'), "{error}");
    }
}

#[test]
fn a_request_is_known_again() {
    let mut later = plan();
    (later.input.path, later.parts) = ("elsewhere".to_owned(), Vec::new());
    assert!(plan().check_request(&later).is_ok());
    let mut moved = plan();
    assert!(moved.follow(&later) && !moved.follow(&later));
    assert_eq!((moved.input.path.as_str(), &moved.parts), ("elsewhere", &plan().parts));
    type Change = fn(&mut FilmPlan);
    let cases: [(Change, &str); 4] = [
        (|plan| plan.options.clear(), "its options are others"),
        (|plan| plan.input.bytes = 5, "a.mkv is another film than it was made of"),
        (
            |plan| (plan.input.bytes, plan.input.path) = (5, "/b.mkv".to_owned()),
            "it is of a.mkv, and /b.mkv is another film",
        ),
        (|plan| plan.output.path = "../b.mkv".to_owned(), "it makes out.mkv, and its folder was renamed"),
    ];
    for (change, words) in cases {
        let mut other = plan();
        change(&mut other);
        let error = plan().check_request(&other).unwrap_err();
        assert_eq!(error.message(), words);
    }
}

proptest! {
    #[test]
    fn any_text_is_a_plan_or_refused(text: Vec<u8>) {
        prop_assert!(FilmPlan::parse(&text).is_err());
    }
}
