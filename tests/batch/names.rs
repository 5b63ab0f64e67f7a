//! Which films are taken, and what their results are called.

use crate::command::{Folder, refused};
use crate::{batch, clip, inside, tree};
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::process::Stdio;

#[test]
fn folders_and_names_of_all_kinds() {
    let folder = Folder::new();
    for name in ["in/b c.mkv", "in/-d.mkv", "in/Épisode #1 'x'.MKV", "in/s1/a.mkv", "in/.hidden.mkv"] {
        clip(&folder, name);
    }
    fs::write(folder.path("in/notes.txt"), "no video").unwrap();
    let ran = batch(&folder, &["in", "-o", "flat/{name}.avi"]).ok();
    assert_eq!(tree(&folder, "flat"), ["flat/-d.avi", "flat/b c.avi", "flat/Épisode #1 'x'.avi"], "{}", ran.stderr);
    assert!(ran.stderr.contains("\nvramp: 3 done in 0:0"), "{}", ran.stderr);

    batch(&folder, &["in", "--recursive", "-o", "deep/{dir}/{n}_{name}.{ext}.avi"]).ok();
    let names = ["deep/1_-d.mkv.avi", "deep/2_b c.mkv.avi", "deep/4_Épisode #1 'x'.MKV.avi", "deep/s1/3_a.mkv.avi"];
    assert_eq!(tree(&folder, "deep"), names);
    // A folder that is named with a dash in front, and one film by itself.
    batch(&folder, &["-o", "{name}.avi", "--", "in/s1/a.mkv"]).ok();
    assert!(fs::exists(folder.path("a.avi")).unwrap());
}

#[test]
fn names_need_not_be_unicode() {
    let folder = Folder::new();
    let name = OsStr::from_bytes(b"in/\xff \xfe.mkv");
    fs::rename(clip(&folder, "in/a.mkv"), std::path::Path::new(&folder.path("")).join(name)).unwrap();
    batch(&folder, &["in", "-o", "out/{name}.mkv"]).ok();
    assert!(std::path::Path::new(&folder.path("")).join(OsStr::from_bytes(b"out/\xff \xfe.mkv")).is_file());
    let json = batch(&folder, &["in", "-o", "out/{name}.mkv", "--progress", "json"]).ok();
    assert!(json.stderr.contains("\"skipped\":1"), "{}", json.stderr);
    let dry = inside(&folder).args(["batch", "in", "-o", "new/{name}.mkv", "--dry-run"]).output().unwrap();
    assert!(dry.stdout.windows(4).any(|bytes| bytes == b"/\xff \xfe"), "{}", String::from_utf8_lossy(&dry.stdout));
}

#[test]
fn lists_name_films_and_folders() {
    let folder = Folder::new();
    clip(&folder, "a.mkv");
    clip(&folder, "more/b.mkv");
    fs::write(folder.path("list"), "# what is to be done\r\na.mkv\r\n\r\nmore\n").unwrap();
    batch(&folder, &["@list", "a.mkv", "-o", "out/{name}.mkv"]).ok();
    assert_eq!(tree(&folder, "out"), ["out/a.mkv", "out/b.mkv"], "a film that is there twice counts once");

    let mut child = inside(&folder);
    child.args(["batch", "@-", "-o", "zero/{name}.mkv", "-c", "ffv1"]).stdin(Stdio::piped());
    let mut child = child.spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"a.mkv\0more/b.mkv\0").unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(tree(&folder, "zero"), ["zero/a.mkv", "zero/b.mkv"]);
}

#[test]
fn what_cannot_go_well_is_refused_before_the_first_film() {
    let folder = Folder::new();
    for name in ["a.mkv", "a.mp4", "s1/a.mkv"] {
        clip(&folder, name);
    }
    fs::create_dir(folder.path("empty")).unwrap();
    let files = tree(&folder, "");
    for (line, code, words) in [
        ("a.mkv s1/a.mkv -o out/x.mkv", 2, &["a.mkv and s1/a.mkv would both go to out/x.mkv", "{name}"][..]),
        ("a.mkv a.mp4 -o out/{name}.avi", 2, &["a.mkv and a.mp4 would both go to out/a.avi", "{ext}"]),
        ("a.mkv -o {name}.mkv -y", 2, &["a.mkv is an input, which is never replaced"]),
        ("a.mkv s1/a.mkv -o s1/{n}.mkv --records r.json --chain stats", 2, &["both go to r.json"]),
        // Of two films that are named, one is never the other's result.
        ("a.mp4 a.mkv -o {name}.mkv -y", 2, &["a.mkv is an input"]),
        ("a.mkv -o out/{nam}.mkv", 2, &["{nam} is not known; did you mean 'name'?"]),
        ("a.mkv -o s1", 2, &["-o s1 is a folder: write -o 'out/{name}.mkv'"]),
        ("a.mkv -o new/", 2, &["-o new/ is a folder"]),
        ("a.mkv -o -", 2, &["-o - is no file"]),
        ("a.mkv", 2, &["no pattern: write -o 'out/{name}.mkv'"]),
        ("-o {name}.mkv", 2, &["no input: name videos, folders of them, or @FILE"]),
        ("empty -o {name}.mkv", 2, &["no video", "--recursive"]),
        ("- -o x.mkv", 2, &["- is no file"]),
        ("a.mkv gone.mkv -o out/{name}.mkv", 7, &["gone.mkv: No such file"]),
        ("@gone -o out/{name}.mkv", 7, &["list gone: No such file"]),
        ("a.mkv -o out/{name}.mkv --chain debnad", 2, &["did you mean 'deband'?"]),
        ("a.mkv -o out/{name}.mkv --keep-partial", 2, &["--keep-partial does not go with batch"]),
        ("a.mkv -o out/{name}.mkv --jobs 0", 2, &["--jobs"]),
    ] {
        refused(&batch(&folder, &line.split(' ').collect::<Vec<_>>()), code, words);
        assert_eq!(tree(&folder, ""), files, "{line}");
    }
}

#[test]
fn results_among_the_inputs_are_no_inputs_the_next_time() {
    let folder = Folder::new();
    clip(&folder, "in/a.mkv");
    clip(&folder, "in/b.mkv");
    for _ in 0..2 {
        batch(&folder, &["in", "-o", "in/{name}-done.mkv"]).ok();
        assert_eq!(tree(&folder, "in"), ["in/a-done.mkv", "in/a.mkv", "in/b-done.mkv", "in/b.mkv"]);
    }
    let ran = batch(&folder, &["in", "-o", "in/{name}-done.mkv", "-y"]).ok();
    assert!(ran.stderr.contains("2 of the videos in the folders are results of this batch"), "{}", ran.stderr);
    assert!(ran.stderr.contains("2 done"), "{}", ran.stderr);
}

#[test]
fn a_dry_run_prints_what_a_shell_takes() {
    let folder = Folder::new();
    clip(&folder, "it's.mkv");
    clip(&folder, "b.mkv");
    fs::write(folder.path("b.avi"), "done").unwrap();
    let ran =
        batch(&folder, &["it's.mkv", "b.mkv", "-o", "{name}.avi", "-y", "--chain", "box(1) > gauss", "--dry-run"]);
    assert_eq!(ran.ok().text().lines().count(), 2);
    let args = ["it's.mkv", "b.mkv", "-o", "{name}.avi", "--chain", "box(1) > gauss", "--dry-run", "--jobs", "2"];
    let ran = batch(&folder, &args).ok();
    assert_eq!(tree(&folder, ""), ["b.avi", "b.mkv", "it's.mkv"], "nothing was run");
    let lines: Vec<_> = ran.text().lines().collect();
    assert_eq!(lines[0], "# exists: b.avi");
    assert_eq!(lines.len(), 2);
    let line = lines[1].replacen("vramp", env!("CARGO_BIN_EXE_vramp"), 1);
    let shell = std::process::Command::new("sh").args(["-c", &line]).current_dir(folder.path("")).status().unwrap();
    assert!(shell.success(), "{line}");
    assert_eq!(tree(&folder, ""), ["b.avi", "b.mkv", "it's.avi", "it's.mkv"]);
}
