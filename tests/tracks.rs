//! `--add`, `--track`, `--metadata`, `--tag` and `--chapters`, and the chapters of sources; judged by ffprobe, mkvmerge and mediainfo.

mod command;

use command::{Folder, Ran, ffmpeg, refused, run};
use std::fs;
use std::process::Command;

/// Two seconds of film with a beep of its own.
fn film(folder: &Folder, name: &str) -> String {
    let path = folder.path(name);
    ffmpeg(&format!(
        "-f lavfi -i testsrc2=s=64x48:r=25:d=2 -f lavfi -i sine=d=2 -c:v mpeg4 -c:a aac -metadata title=Old \
         -metadata:s:a language=eng -metadata:s:a title=Own -disposition:a default {path}"
    ));
    path
}

/// Runs the command with the fastest of encoders.
fn make(input: &str, output: &str, args: &[&str]) -> Ran {
    run(&[&[input, output, "-y", "-c", "mpeg4"], args].concat())
}

fn output_of(program: &str, args: &[&str]) -> String {
    let output = Command::new(program).args(args).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// What ffprobe says, one line an entry, values parted by commas.
fn probe(file: &str, args: &str) -> Vec<String> {
    let words: Vec<_> = ["-v", "error", "-of", "compact=p=0:nk=1:s=,"].into_iter().chain(args.split(' ')).collect();
    let text = output_of("ffprobe", &[&words[..], &[file]].concat());
    text.lines().map(|line| line.trim_end_matches(',').to_owned()).filter(|line| !line.is_empty()).collect()
}

/// The hash of the packets of one stream, without their times.
fn packets(file: &str, stream: &str) -> String {
    let args = ["-v", "error", "-i", file, "-map", stream, "-c", "copy", "-f", "streamhash", "-hash", "md5", "-"];
    output_of("ffmpeg", &args).rsplit('=').next().unwrap().trim().to_owned()
}

/// When a stream's packets are shown.
fn times(file: &str, stream: &str) -> Vec<f64> {
    let lines = probe(file, &format!("-select_streams {stream} -show_entries packet=pts_time"));
    lines.iter().map(|line| line.parse().unwrap()).collect()
}

fn subtitles(folder: &Folder, name: &str) -> String {
    let text = "1\n00:00:00,500 --> 00:00:00,900\nHello\n\n2\n00:00:01,200 --> 00:00:01,800\nWorld\n";
    fs::write(folder.path(name), text).unwrap();
    folder.path(name)
}

#[test]
fn tracks_of_other_files_are_added() {
    let folder = Folder::new();
    let (source, text) = (film(&folder, "film.mp4"), subtitles(&folder, "signs.srt"));
    let [dub, cover, font] = ["dub.flac", "cover.png", "Some Font.ttf"].map(|name| folder.path(name));
    ffmpeg(&format!("-f lavfi -i sine=f=880:d=3 {dub}"));
    ffmpeg(&format!("-f lavfi -i testsrc2=s=32x32:d=0.04:r=25 -frames:v 1 {cover}"));
    fs::write(&font, [&b"\0\x01\0\0"[..], &[7; 996]].concat()).unwrap();
    let out = folder.path("out.mkv");
    let ran = make(&source, &out, &["--add", &dub, "--add", &text, "--add", &font, "--add", &cover]).ok();
    assert!(!ran.stderr.contains("warn"), "{}", ran.stderr);
    let kinds = "stream=codec_type:stream_disposition=default,attached_pic:stream_tags=filename,mimetype";
    assert_eq!(
        probe(&out, &format!("-show_entries {kinds}")),
        [
            "video,1,0",
            "audio,1,0",
            "audio,0,0",
            "subtitle,0,0",
            "attachment,0,0,Some Font.ttf,font/ttf",
            "video,0,1,cover.png,image/png",
        ]
    );
    assert_eq!(packets(&out, "0:a:1"), packets(&dub, "0:a"));
    assert_eq!(times(&out, "s"), [0.5, 1.2]);
    // What is longer than the film is kept whole.
    assert!(*times(&out, "a:1").last().unwrap() > 2.8);
    let identified = output_of("mkvmerge", &["-J", &out]);
    assert!(
        identified.contains("\"file_name\": \"Some Font.ttf\"") && identified.contains("\"size\": 1000"),
        "{identified}"
    );
    // Packets lie beside the pictures that they belong to.
    let order = probe(&out, "-show_entries packet=stream_index,pts_time");
    let at: Vec<f64> = order.iter().map(|line| line.split(',').nth(1).unwrap().parse().unwrap_or(0.0)).collect();
    assert!(at.windows(2).all(|two| two[1] > two[0] - 0.3), "{order:?}");

    // MP4 has no place for some of it.
    let out = folder.path("out.mp4");
    let other = folder.path("dub.m4a");
    ffmpeg(&format!("-i {dub} -c:a aac {other}"));
    let ran = make(&source, &out, &["--add", &other, "--add", &font, "--add", &cover]).ok();
    let left_out = format!("left out: stream 0 of {font} (attachment ttf): mp4 has no place for attached files");
    assert!(ran.stderr.contains(&left_out), "{}", ran.stderr);
    let kinds = "-show_entries stream=codec_name:stream_disposition=attached_pic";
    assert_eq!(probe(&out, kinds), ["mpeg4,0", "aac,0", "aac,0", "png,1"]);
    // A list of hashes has no tracks: nothing is opened.
    let ran = run(&[&source, "-", "-f", "framemd5", "--add", "missing.mka"]).ok();
    assert!(ran.stderr.contains("--add ignored"), "{}", ran.stderr);
}

#[test]
fn tracks_are_selected_by_number_or_language() {
    let folder = Folder::new();
    let (source, other) = (film(&folder, "film.mp4"), folder.path("other.mkv"));
    ffmpeg(&format!(
        "-f lavfi -i testsrc2=s=64x48:r=25:d=1 -f lavfi -i sine=f=300:d=1 -f lavfi -i sine=f=500:d=1 -map 0 -map 1 -map 2 \
         -c:v mpeg4 -c:a flac -metadata:s:a:0 language=ger -metadata:s:a:1 language=jpn {other}"
    ));
    let out = folder.path("out.mkv");
    for (selection, streams) in [("", "0:a:0 0:a:1"), (":a2", "0:a:1"), (":de", "0:a:0"), (":a-jpn", "0:a:1")] {
        make(&source, &out, &["--add", &format!("{other}{selection}")]).ok();
        let added = streams.split(' ').enumerate();
        added.for_each(|(n, stream)| assert_eq!(packets(&out, &format!("0:a:{}", n + 1)), packets(&other, stream)));
        assert_eq!(probe(&out, "-select_streams a -show_entries stream=index").len(), 1 + streams.split(' ').count());
    }
    for (selection, words) in [(":a3", "no track a3, only v1, a1 (ger), a2 (jpn)"), (":s", "no track s, only")] {
        let ran = make(&source, &out, &["--add", &format!("{other}{selection}")]);
        refused(&ran, 2, &["--add: ", &other, words]);
    }
    // The picture of a video is no cover.
    let silent = folder.path("silent.mkv");
    ffmpeg(&format!("-f lavfi -i testsrc2=s=64x48:r=25:d=0.2 -c:v mpeg4 {silent}"));
    refused(&make(&source, &out, &["--add", &silent]), 2, &["no sound, subtitles or attachments", "v1"]);
}

#[test]
fn what_is_added_begins_with_the_film_and_is_cut_with_it() {
    let folder = Folder::new();
    let source = film(&folder, "film.mp4");
    // Both clocks begin somewhere: the film's at 1.4 s and more, the other's at 7 s.
    let [transport, dub] = ["film.ts", "dub.mkv"].map(|name| folder.path(name));
    ffmpeg(&format!("-i {source} -c:v mpeg2video -c:a mp2 -bf 0 {transport}"));
    ffmpeg(&format!("-f lavfi -i anoisesrc=d=2:r=48000:seed=1 -c:a pcm_s16le -output_ts_offset 7 {dub}"));
    let text = subtitles(&folder, "signs.srt");
    let start: f64 = probe(&transport, "-show_entries format=start_time")[0].parse().unwrap();
    assert!(start > 1.0);
    let out = folder.path("out.mkv");
    let begins = |name: &str| times(&out, name)[0];
    make(&transport, &out, &["--add", &dub, "--add", &text]).ok();
    assert!((begins("a:1") - start).abs() < 0.002, "{} for {start}", begins("a:1"));
    assert!((begins("s") - start - 0.5).abs() < 0.002, "{} for {start}", begins("s"));
    assert_eq!(packets(&out, "0:a:1"), packets(&dub, "0:a"));

    // A part begins at 0: PCM is cut to the sample, subtitles to what is shown.
    for source in [&source, &transport] {
        make(source, &out, &["--start", "0.7", "--end", "1.5", "--add", &dub, "--add", &text]).ok();
        let first = times(&out, "v")[0];
        assert!(begins("a:1").abs() < 0.002 && first.abs() < 0.002, "{source}: {first} {}", begins("a:1"));
        let sound = folder.path("sound.raw");
        ffmpeg(&format!("-i {out} -map 0:a:1 -c copy -f s16le {sound}"));
        let whole = folder.path("whole.raw");
        ffmpeg(&format!("-i {dub} -c copy -f s16le {whole}"));
        let (part, whole) = (fs::read(sound).unwrap(), fs::read(whole).unwrap());
        let at = whole.windows(part.len().min(4096)).position(|bytes| bytes == &part[..part.len().min(4096)]);
        let offset = at.unwrap() as f64 / 2.0 / 48000.0;
        // The first frame that is kept: one of 25 a second from the start of the file on.
        assert!((0.699..0.761).contains(&offset), "{source}: {offset}");
        assert!((part.len() as f64 / 96_000.0 - 0.8).abs() < 0.1, "{source}: {}", part.len());
        let lines = times(&out, "s");
        assert!(lines.len() == 2 && lines[0].abs() < 0.002, "{source}: {lines:?}");
        assert!((lines[1] - (1.2 - offset)).abs() < 0.002, "{source}: {lines:?}, {offset}");
    }
}

#[test]
fn an_added_file_that_breaks_off_is_reported() {
    let folder = Folder::new();
    let (source, dub) = (film(&folder, "film.mp4"), folder.path("dub.mkv"));
    ffmpeg(&format!("-f lavfi -i sine=f=880:d=2 -c:a flac {dub}"));
    let bytes = fs::read(&dub).unwrap();
    fs::write(&dub, &bytes[..bytes.len() * 6 / 10]).unwrap();
    let out = folder.path("out.mkv");
    refused(&make(&source, &out, &["--add", &dub]), 8, &[&dub, "a part of its tracks is missing"]);
    assert_eq!(probe(&out, "-select_streams a -show_entries stream=codec_name"), ["aac", "flac"]);
    fs::remove_file(&out).unwrap();
    refused(&make(&source, &out, &["--add", &dub, "--strict"]), 4, &[&dub, "--strict stops here"]);
    assert!(!folder.names().contains(&"out.mkv".to_owned()));
    refused(&make(&source, &out, &["--add", &folder.path("missing.mka")]), 7, &["missing.mka"]);
    refused(&make(&source, &out, &["--add", "-"]), 2, &["--add FILE"]);
    refused(&make(&source, &dub, &["--add", &dub]), 2, &["never replaced"]);
    fs::write(folder.path("note.bin"), "no track at all").unwrap();
    refused(&make(&source, &out, &["--add", &folder.path("note.bin")]), 4, &["note.bin", "not a media file"]);
}

#[test]
fn tracks_get_titles_languages_and_flags() {
    let folder = Folder::new();
    let (source, text) = (film(&folder, "film.mkv"), subtitles(&folder, "signs.srt"));
    let dub = folder.path("dub.mka");
    ffmpeg(&format!("-f lavfi -i sine=f=880:d=2 -c:a aac {dub}"));
    let out = folder.path("out.mkv");
    let edits = [
        "--track",
        r"a2:title=Dub\, new,language=de,default",
        "--track",
        "s1:language=en,forced,hearing-impaired",
        "--track",
        "v1:title=Picture",
        "--track",
        "eng:commentary",
    ];
    let ran = make(&source, &out, &[&["--add", &dub, "--add", &text], &edits[..]].concat()).ok();
    assert!(!ran.stderr.contains("warn"), "{}", ran.stderr);
    let flags =
        "stream=codec_type:stream_disposition=default,forced,comment,hearing_impaired:stream_tags=language,title";
    assert_eq!(
        probe(&out, &format!("-show_entries {flags}")),
        ["video,0,0,0,0,Picture", "audio,0,1,0,0,eng,Own", r"audio,1,0,0,0,ger,Dub\, new", "subtitle,0,0,1,1,eng",]
    );
    // mkvmerge reads the same.
    let identified = output_of("mkvmerge", &["-J", &out]);
    for words in
        ["\"track_name\": \"Dub, new\"", "\"forced_track\": true", "\"flag_commentary\": true", "\"language\": \"ger\""]
    {
        assert!(identified.contains(words), "no {words} in {identified}");
    }

    let out = folder.path("out.mp4");
    let args = ["--add", &dub, "--track", "a2:title=Dub,language=ger,default,original,commentary"];
    let ran = make(&source, &out, &args).ok();
    assert!(ran.stderr.contains("mp4 cannot hold what --track asks for: original left out"), "{}", ran.stderr);
    let flags = "-select_streams a -show_entries stream_disposition=default,comment:stream_tags=language,handler_name";
    assert_eq!(probe(&out, flags), ["0,0,eng,SoundHandler", "1,1,deu,Dub"]);
    assert_eq!(
        output_of("mediainfo", &["--Inform=Audio;%Title%|%Language%|%Default%|", &out]).trim(),
        "Own|en|No|Dub|de|Yes|"
    );

    refused(&make(&source, &out, &["--track", "s1:default"]), 2, &["no track s1, only v1, a1 (eng)"]);
    refused(&make(&source, &out, &["--track", "a1:loud"]), 2, &["'loud' is no setting", "hearing-impaired"]);
    refused(&make(&source, &out, &["--track", "a1:language=elvish"]), 2, &["'elvish' is no language"]);
}

/// Filters work on pictures as they are stored, and the tag that has players turn them stays unless it is changed by name.
#[test]
fn a_rotation_stays_until_it_is_set() {
    let folder = Folder::new();
    let (upright, turned, out) = (film(&folder, "upright.mp4"), folder.path("turned.mp4"), folder.path("out.mp4"));
    ffmpeg(&format!("-i {upright} -c copy -metadata:s:v:0 rotate=90 {turned}"));
    let rotation = |file: &str| {
        let hashes = run(&["hash", file, "--frames", "1"]).ok();
        let line = hashes.text().lines().find_map(|line| line.strip_prefix("#rotation: ").map(str::to_owned));
        line.unwrap_or_else(|| panic!("{}", hashes.text()))
    };
    let tagged = rotation(&turned);
    assert_ne!(tagged, "0");
    let cases: [(&[&str], &str, bool); 5] = [
        (&["--chain", "box=1"], &tagged, false),
        (&["--chain", "rotate=90"], &tagged, true),
        (&["--chain", "hflip,crop=w=32:h=32"], &tagged, true),
        (&["--chain", "rotate=90", "--track", "v1:rotation=0"], "0", false),
        (&["--chain", "vflip", "--track", "v1:rotation=180"], "180", false),
    ];
    for (args, expected, is_said) in cases {
        let ran = make(&turned, &out, args).ok();
        assert_eq!(ran.stderr.contains("players turn this video (rotation "), is_said, "{args:?}: {}", ran.stderr);
        assert_eq!(rotation(&out), expected, "{args:?}");
    }
    make(&upright, &out, &["--track", "v:rotation=90"]).ok();
    assert_eq!(rotation(&out), "90");
    refused(&make(&upright, &out, &["--track", "v:rotation=45"]), 2, &["'rotation=45' is no setting", "90, 180"]);
    refused(&make(&upright, &out, &["--track", "eng:rotation=90"]), 2, &["rotation is of video", "eng"]);
}

#[test]
fn tags_are_of_another_file_or_given() {
    let folder = Folder::new();
    let (source, out) = (film(&folder, "film.mp4"), folder.path("out.mkv"));
    let tags = |file: &str| probe(file, "-show_entries format_tags=title,artist,ARTIST,date,DATE");
    let ran = make(&source, &out, &["--tag", "title=New", "--tag", "artist=Who", "-metadata", "date=2001"]).ok();
    assert!(!ran.stderr.contains("warn"), "{}", ran.stderr);
    assert_eq!(tags(&out), ["New,Who,2001"]);
    make(&source, &out, &["--tag", "title="]).ok();
    assert_eq!(tags(&out), [""; 0]);
    let about = folder.path("about.txt");
    fs::write(&about, ";FFMETADATA1\ntitle=From a text\nartist=Somebody\n").unwrap();
    make(&source, &out, &["--metadata", &about, "--tag", "artist=Me"]).ok();
    assert_eq!(tags(&out), ["From a text,Me"]);
    let other = folder.path("other.mp4");
    make(&source, &other, &["--metadata", &out]).ok();
    assert_eq!(tags(&other), ["From a text,Me"]);
    make(&source, &out, &["--metadata", "none"]).ok();
    assert_eq!(tags(&out), [""; 0]);
    refused(&make(&source, &out, &["--metadata", &folder.path("missing")]), 7, &["--metadata: ", "missing"]);
    refused(&make(&source, &out, &["--tag", "title"]), 2, &["KEY=VALUE"]);
}

#[test]
fn chapters_are_of_another_file() {
    let folder = Folder::new();
    let (source, transport) = (film(&folder, "film.mp4"), folder.path("film.ts"));
    ffmpeg(&format!("-i {source} -c:v mpeg2video -an {transport}"));
    let chapters = |file: &str| probe(file, "-show_entries chapter=start_time,end_time:chapter_tags=title");
    let write = |name: &str, text: &str| {
        fs::write(folder.path(name), text).unwrap();
        folder.path(name)
    };
    let ogm =
        write("ogm.txt", "CHAPTER01=00:00:00.000\nCHAPTER01NAME=One\nCHAPTER02=00:00:00.800\nCHAPTER02NAME=Two\n");
    let xml = write(
        "chapters.xml",
        "\u{feff}<?xml version=\"1.0\"?>\n<Chapters><EditionEntry>\
         <ChapterAtom><ChapterTimeStart>00:00:00.000000000</ChapterTimeStart>\
         <ChapterDisplay><ChapterString>One</ChapterString></ChapterDisplay></ChapterAtom>\
         <ChapterAtom><ChapterTimeStart>00:00:00.800000000</ChapterTimeStart>\
         <ChapterDisplay><ChapterString>Two</ChapterString></ChapterDisplay></ChapterAtom></EditionEntry></Chapters>",
    );
    let ffmetadata = write(
        "about.txt",
        ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=800\ntitle=One\n\
         [CHAPTER]\nTIMEBASE=1/1000\nSTART=800\nEND=2000\ntitle=Two\n",
    );
    let media = folder.path("media.mkv");
    make(&source, &media, &["--chapters", &ogm]).ok();
    let out = folder.path("out.mkv");
    for list in [&ogm, &xml, &ffmetadata, &media] {
        for container in ["out.mkv", "out.mp4"] {
            let out = folder.path(container);
            make(&source, &out, &["--chapters", list]).ok();
            let read = chapters(&out);
            assert_eq!(read[0], "0.000000,0.800000,One", "{list} {container}");
            assert!(read[1].starts_with("0.800000,2.0") && read[1].ends_with(",Two"), "{list} {container} {read:?}");
        }
        // mkvextract lists the same to its users.
        assert!(output_of("mkvmerge", &["-J", &out]).contains("\"num_entries\": 2"), "{list}");
    }
    // They are cut with the film, and count from its start, wherever its clock begins.
    for source in [&source, &transport] {
        make(source, &out, &["--chapters", &ogm, "--start", "#15", "--end", "#35"]).ok();
        assert_eq!(chapters(&out), ["0.000000,0.200000,One", "0.200000,0.800000,Two"], "{source}");
    }
    make(&media, &out, &["--chapters", "none"]).ok();
    assert_eq!(chapters(&out), [""; 0]);
    refused(&make(&source, &out, &["--chapters", &source]), 2, &["--chapters: ", "has no chapters"]);
    let wrong = write("wrong.txt", "CHAPTER01=00:00:00.000\nCHAPTER02=later\n");
    refused(&make(&source, &out, &["--chapters", &wrong]), 2, &["line 2 ('CHAPTER02=later')"]);
    refused(&make(&source, &ogm, &["--chapters", &ogm]), 2, &["never replaced"]);
}

#[test]
fn chapters_that_order_the_film_are_named() {
    let folder = Folder::new();
    let (film, out, list) = (film(&folder, "film.mkv"), folder.path("out.mkv"), folder.path("chapters.xml"));
    let atom = |number: u32, from: &str, until: &str| {
        format!(
            "<ChapterAtom><ChapterUID>{number}</ChapterUID><ChapterTimeStart>{from}</ChapterTimeStart>\
             <ChapterTimeEnd>{until}</ChapterTimeEnd></ChapterAtom>"
        )
    };
    let source = folder.path("ordered.mkv");
    // So many that mkvpropedit writes them behind the frames, where the index says.
    for (ordered, count, editor) in
        [(0, 2, "mkvmerge"), (1, 2, "mkvmerge"), (0, 500, "mkvpropedit"), (1, 500, "mkvpropedit")]
    {
        let atoms: String =
            (1..=count).map(|n| atom(n, &format!("00:00:0{}.0", n % 2), &format!("00:00:0{}.5", n % 2))).collect();
        let flags = format!("<EditionUID>7</EditionUID><EditionFlagOrdered>{ordered}</EditionFlagOrdered>");
        fs::write(
            &list,
            format!("<?xml version=\"1.0\"?>\n<Chapters><EditionEntry>{flags}{atoms}</EditionEntry></Chapters>"),
        )
        .unwrap();
        match editor {
            "mkvmerge" => output_of(editor, &["-o", &source, "--chapters", &list, &film]),
            _ => output_of(editor, &[&source, "--chapters", &list]),
        };
        let said = make(&source, &out, &[]).ok().stderr;
        assert_eq!(said.matches("(ordered chapters)").count(), ordered, "{editor}: {said}");
    }
}
