//! The file itself: whole or not there, and never in the place of another by accident.

use crate::media::{Ask, Folder, PICTURE, SOUND, run, times, transcode, transcode_watched, transcoded};
use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;
use std::thread;
use vramp::error::Kind;

fn overwriting(codec: &str) -> Ask {
    let mut ask = Ask::codec(codec);
    ask.output.overwrite = true;
    ask
}

#[test]
fn an_existing_file_is_kept_unless_replaced_by_a_whole_one() {
    let folder = Folder::new("exists");
    let source = folder.make("source.mkv", &format!("{PICTURE} -c:v ffv1"));
    let target = folder.file("a.mkv");
    fs::write(&target, "old").unwrap();
    let error = transcode(&source, &target, Ask::codec("ffv1")).unwrap_err();
    assert_eq!(error.kind(), Kind::BadArgument);
    assert!(error.message().contains("exists"), "{error}");

    // A run that fails in the middle, at its start and at its end.
    let stopped = overwriting("libx265").with("preset=ultrafast");
    let cancel = stopped.output.cancel.clone();
    let stop = &mut |_| cancel.request();
    assert_eq!(transcode_watched(&source, &target, stopped, stop).unwrap_err().kind(), Kind::Cancelled);
    assert!(transcode(&source, &target, overwriting("libx264").with("preset=none")).is_err());
    assert!(transcode(&source, &target, overwriting("libx264").with("nonsense=1")).is_err());
    assert_eq!(fs::read(&target).unwrap(), b"old");
    assert_eq!(folder.names(), ["a.mkv", "source.mkv"]);

    transcoded(&source, &target, overwriting("ffv1"));
    assert_eq!(times(&target).len(), 12);
    assert_eq!(folder.names(), ["a.mkv", "source.mkv"]);
}

#[test]
fn a_stop_is_heard_while_the_encoder_gives_its_last_packets() {
    let folder = Folder::new("flush");
    let source = folder.make("source.mkv", &format!("{PICTURE} -c:v ffv1"));
    for codec in ["libx265", "libsvtav1", "libx264"] {
        let ask = Ask::codec(codec);
        let cancel = ask.output.cancel.clone();
        // All frames are in the encoder, which has given nothing yet.
        let stop = &mut |progress: vramp::pipeline::Progress| {
            if progress.frames == 12 {
                cancel.request();
            }
        };
        let error = transcode_watched(&source, &folder.file("a.mkv"), ask, stop).unwrap_err();
        assert_eq!(error.kind(), Kind::Cancelled, "{codec}: {error}");
        assert_eq!(folder.names(), ["source.mkv"], "{codec}");
    }
}

#[test]
fn the_input_is_never_replaced() {
    let folder = Folder::new("same");
    let source = folder.make("source.mkv", &format!("{PICTURE} -c:v ffv1"));
    let before = fs::read(&source).unwrap();
    symlink(&source, folder.file("link.mkv")).unwrap();
    fs::hard_link(&source, folder.file("hard.mkv")).unwrap();
    for name in ["source.mkv", "link.mkv", "hard.mkv", "../source.mkv"] {
        let path = match name.strip_prefix("../") {
            Some(rest) => folder.file(&format!("../{}/{rest}", folder.name())),
            None => folder.file(name),
        };
        let error = transcode(&source, &path, overwriting("ffv1")).unwrap_err();
        assert_eq!(error.kind(), Kind::BadArgument, "{name}");
        assert!(error.message().contains("is the input itself"), "{error}");
    }
    assert_eq!(fs::read(&source).unwrap(), before);
    assert_eq!(folder.names(), ["hard.mkv", "link.mkv", "source.mkv"]);
}

#[test]
fn what_cannot_be_written_is_named() {
    let folder = Folder::new("unwritable");
    let source = folder.make("source.mkv", &format!("{PICTURE} {SOUND} -c:v ffv1 -c:a aac"));
    let no_folder = folder.file("no/such/folder/a.mkv");
    for (path, container) in [(no_folder.as_str(), None), (&folder.file("."), Some("mkv")), ("/dev/full", Some("mkv"))]
    {
        for codec in ["ffv1", "libx265"] {
            let mut ask = Ask::codec(codec);
            ask.output.container = container.map(str::to_owned);
            let error = transcode(&source, path, ask).unwrap_err();
            assert_eq!(error.kind(), Kind::Io, "{path}: {error}");
            assert!(error.message().starts_with(path), "{error}");
        }
    }
    assert_eq!(folder.names(), ["source.mkv"]);
}

/// A small file system of its own needs the right to mount one; /dev/full, above, is the same error without it.
#[test]
fn a_full_disk_keeps_nothing() {
    let folder = Folder::new("full");
    let source = folder.make("source.mkv", "-f lavfi -i testsrc2=s=320x180:r=25:d=2 -c:v ffv1");
    let disk = folder.file("disk");
    fs::create_dir(&disk).unwrap();
    let mount = Command::new("mount").args(["-t", "tmpfs", "-o", "size=64k", "none", &disk]).output().unwrap();
    if !mount.status.success() {
        eprintln!("no right to mount a small disk: only /dev/full was tried");
        return;
    }
    let outcome = transcode(&source, &format!("{disk}/a.mp4"), Ask::codec("libx264").with("crf=1"));
    let left = fs::read_dir(&disk).unwrap().count();
    run("umount", &[&disk]);
    let error = outcome.unwrap_err();
    assert_eq!((error.kind(), left), (Kind::Io, 0), "{error}");
    assert!(error.message().ends_with("a.mp4: No space left on device"), "{error}");
}

#[test]
fn a_pipe_gets_a_file_that_needs_no_going_back() {
    let folder = Folder::new("pipe");
    let source = folder.make("source.mp4", &format!("{PICTURE} {SOUND} -c:v libx264 -c:a aac"));
    for container in ["mp4", "mov", "mkv", "nut", "ts"] {
        let (pipe, copy) = (folder.file("pipe"), folder.file("copy"));
        run("mkfifo", &[&pipe]);
        let reader = thread::spawn({
            let (pipe, copy) = (pipe.clone(), copy.clone());
            move || fs::write(copy, fs::read(pipe).unwrap()).unwrap()
        });
        let mut ask = Ask::codec("libx264").with("bf=0");
        ask.output.container = Some(container.to_owned());
        transcoded(&source, &pipe, ask);
        reader.join().unwrap();
        assert_eq!(times(&copy).len(), 12, "{container}");
        // The others have no times before 0, where this sound starts.
        if matches!(container, "mp4" | "mov" | "mkv") {
            assert_eq!(times(&copy), times(&source), "{container}");
        }
        fs::remove_file(&pipe).unwrap();
    }
}

#[test]
fn the_same_run_gives_the_same_bytes() {
    let folder = Folder::new("twice");
    let source = folder.make("source.mkv", &format!("{PICTURE} {SOUND} -c:v ffv1 -c:a libvorbis -shortest"));
    let containers = [
        ("mkv", "ffv1"),
        ("webm", "libvpx"),
        ("ogv", "libtheora"),
        ("mxf", "mpeg2video"),
        ("mp4", "mpeg4"),
        ("avi", "ffv1"),
    ];
    for (container, codec) in containers {
        let files = ["a", "b"].map(|name| folder.file(&format!("{name}.{container}")));
        files.iter().for_each(|file| drop(transcoded(&source, file, Ask::codec(codec))));
        assert!(fs::read(&files[0]).unwrap() == fs::read(&files[1]).unwrap(), "{container}");
    }
}
