//! What describes the picture: colour, shape, rotation, fields, light.

use crate::media::{Ask, Folder, HDR_LIGHT, HDR_TAGS, PICTURE, probe, stream, transcoded};

const COLOUR: &str = "stream=color_range,color_space,color_transfer,color_primaries,chroma_location";

/// Side data of the first frame and of the stream, each kind on a line.
fn light(file: &str) -> (Vec<String>, Vec<String>) {
    let of = |what: &str| {
        let lines = probe(file, &format!("-select_streams v:0 -read_intervals %+#1 -show_entries {what}"));
        let is_light = |line: &String| line.contains("Mastering") || line.contains("Content light");
        let mut lines: Vec<String> = lines.iter().flat_map(|line| numbers(line)).filter(is_light).collect();
        lines.sort();
        lines
    };
    (of("frame_side_data"), of("stream_side_data"))
}

/// ffprobe's side data with fractions as numbers, since containers keep them in different parts.
fn numbers(line: &str) -> Vec<String> {
    let value = |word: &str| match word
        .split_once('/')
        .and_then(|(n, d)| Some((n.parse::<f64>().ok()?, d.parse::<f64>().ok()?)))
    {
        Some((numerator, denominator)) => format!("{:.3}", numerator / denominator),
        None => word.to_owned(),
    };
    vec![line.split(',').map(value).collect::<Vec<_>>().join(",")]
}

#[test]
fn colour_survives() {
    let folder = Folder::new("colour");
    let tags = "setparams=color_primaries=bt709:color_trc=bt709:colorspace=bt709:range=tv,format=yuv420p";
    let source = folder.make("hd.mp4", &format!("{PICTURE} -vf {tags} -c:v libx264 -x264-params chromaloc=2"));
    let expected = "tv,bt709,bt709,bt709,topleft";
    assert_eq!(stream(&source, "v:0", COLOUR), expected);
    let table = [
        ("libx264", "a.mp4", ""),
        ("libx265", "b.mp4", "preset=ultrafast"),
        ("libx265", "b.mkv", "preset=ultrafast"),
        ("libx265", "b.ts", "preset=ultrafast"),
        ("libsvtav1", "c.mkv", "preset=12"),
        ("libaom-av1", "d.mkv", "cpu-used=8"),
        ("ffv1", "e.mkv", ""),
    ];
    for (codec, name, options) in table {
        let target = folder.file(name);
        transcoded(&source, &target, Ask::codec(codec).with(options));
        assert_eq!(stream(&target, "v:0", COLOUR), expected, "{codec} in {name}");
    }
    // ProRes has no chroma location.
    let target = folder.file("f.mov");
    transcoded(&source, &target, Ask::codec("prores_ks"));
    assert_eq!(stream(&target, "v:0", COLOUR), expected.replace("topleft", "unspecified"));
    // AVI has no colour at all, and ffv1 has none of its own.
    let warnings = transcoded(&source, &folder.file("g.avi"), Ask::codec("ffv1"));
    assert_eq!(warnings, ["ffv1 in avi cannot hold the colour description: players will guess it"]);
}

#[test]
fn full_range_stays_full() {
    let folder = Folder::new("range");
    let source = folder.make("source.mkv", &format!("{PICTURE} -vf scale=out_range=pc,format=yuvj420p -c:v mjpeg"));
    assert_eq!(stream(&source, "v:0", "stream=pix_fmt,color_range"), "yuvj420p,pc");
    for (codec, name) in [("libx264", "a.mp4"), ("libx265", "b.mkv"), ("mjpeg", "c.mkv"), ("ffv1", "d.mkv")] {
        let target = folder.file(name);
        transcoded(&source, &target, Ask::codec(codec));
        assert_eq!(stream(&target, "v:0", "stream=color_range"), "pc", "{codec} in {name}");
    }
}

#[test]
fn shape_and_rotation_survive() {
    let folder = Folder::new("shape");
    folder.make("flat.mp4", &format!("{PICTURE} -vf setsar=4/3 -c:v libx264"));
    let source = folder.make("source.mp4", "-i DIR/flat.mp4 -c copy -metadata:s:v rotate=90");
    let rotation = |file: &str| probe(file, "-select_streams v:0 -show_entries stream_side_data=rotation");
    assert_eq!(rotation(&source).len(), 1);
    for (codec, name) in [("libx264", "a.mp4"), ("prores_ks", "b.mov")] {
        let target = folder.file(name);
        transcoded(&source, &target, Ask::codec(codec));
        assert_eq!(stream(&target, "v:0", "stream=sample_aspect_ratio"), "4:3", "{name}");
        assert_eq!(rotation(&target), rotation(&source), "{name}");
    }
    // Some versions of libav's Matroska muxer have no rotation: then a warning says so.
    let target = folder.file("c.mkv");
    let warnings = transcoded(&source, &target, Ask::codec("libx264"));
    assert_eq!(stream(&target, "v:0", "stream=sample_aspect_ratio"), "4:3");
    if rotation(&target) != rotation(&source) {
        assert_eq!(warnings, ["matroska cannot hold the rotation of the video: it is left out"]);
    }
}

#[test]
fn hdr10_light_survives() {
    let folder = Folder::new("hdr");
    let encoder = format!("-vf {HDR_TAGS},format=yuv420p10 -c:v libx265 -preset ultrafast -x265-params {HDR_LIGHT}");
    let film = folder.make("film.mp4", &format!("{PICTURE} {encoder}"));
    let expected = light(&film).0;
    assert_eq!(expected.len(), 2, "{expected:?}");
    assert!(expected[0].ends_with(",1000,400") && expected[1].contains("0.680"), "{expected:?}");
    // Encoder, file, options; whether the light is in the stream itself.
    let table = [
        ("libx265", "a.mp4", "preset=ultrafast", true),
        ("libx265", "a.mkv", "preset=ultrafast", true),
        ("libx265", "a.ts", "preset=ultrafast", true),
        ("libsvtav1", "b.mp4", "preset=12", true),
        ("libsvtav1", "b.mkv", "preset=12", true),
        ("libx264", "c.mkv", "", false),
        ("prores_ks", "d.mov", "", false),
        ("ffv1", "e.mkv", "", false),
    ];
    for (codec, name, options, in_stream) in table {
        let target = folder.file(name);
        let warnings = transcoded(&film, &target, Ask::codec(codec).with(options));
        assert!(warnings.iter().all(|line| !line.contains("left out")), "{codec} in {name}: {warnings:?}");
        let (in_frames, in_container) = light(&target);
        if in_stream {
            assert_eq!(in_frames, expected, "{codec} in {name}");
        }
        if !name.ends_with(".ts") {
            assert_eq!(in_container, expected, "{codec} in {name}");
        }
        let colour = stream(&target, "v:0", "stream=color_space,color_transfer,color_primaries");
        assert_eq!(colour, "bt2020nc,smpte2084,bt2020", "{codec} in {name}");
    }

    // The user's own parameters win, and leave the rest.
    let target = folder.file("own.mkv");
    transcoded(&film, &target, Ask::codec("libx265").with("preset=ultrafast x265-params=max-cll=99,9:aq-mode=0"));
    let own = light(&target).0;
    assert!(own[0].ends_with(",99,9"), "{own:?}");
    assert_eq!(own[1], expected[1]);

    let warnings = transcoded(&film, &folder.file("lost.avi"), Ask::codec("ffv1"));
    for lost in ["mastering display", "content light level"] {
        assert!(warnings.contains(&format!("avi cannot hold the {lost} of the video: it is left out")), "{warnings:?}");
    }
}

#[test]
fn fields_stay_fields() {
    let folder = Folder::new("fields");
    let filters = "-vf format=yuv420p,setfield=bff";
    let source =
        folder.make("source.mkv", &format!("{PICTURE} {filters} -flags +ildct -c:v libx264 -x264-params bff=1"));
    let fields = |file: &str| {
        let mut lines = probe(file, "-select_streams v:0 -show_entries frame=interlaced_frame,top_field_first");
        lines.dedup();
        lines
    };
    assert_eq!(fields(&source), ["1,0"]);
    for (codec, name) in [("libx264", "a.mkv"), ("prores_ks", "b.mov"), ("mpeg2video", "c.mkv")] {
        let target = folder.file(name);
        transcoded(&source, &target, Ask::codec(codec));
        assert_eq!(fields(&target), ["1,0"], "{codec} in {name}");
    }
    let warnings = transcoded(&source, &folder.file("d.mkv"), Ask::codec("libx265").with("preset=ultrafast"));
    assert_eq!(warnings, ["libx265 does not code fields: the two of an interlaced frame are coded as one picture"]);
    assert_eq!(stream(&folder.file("d.mkv"), "v:0", "stream=field_order"), "bb");
}
