//! What lies in a folder while an output is written, and after.

use super::*;
use crate::error::Kind;

fn create(path: &(impl AsRef<OsStr> + ?Sized), overwrite: bool) -> Result<TempFile> {
    TempFile::create(path, overwrite, &Cancel::default())
}

/// An empty folder that goes away with its value.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("vramp-file-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    fn names(&self) -> Vec<String> {
        let names = fs::read_dir(&self.0).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
        names.collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

#[test]
fn the_final_name_appears_when_the_file_is_whole() {
    let folder = Folder::new("whole");
    let mut file = create(&folder.file("out.txt"), false).unwrap();
    file.write_all(b"abc").unwrap();
    assert!(!folder.names().contains(&"out.txt".to_owned()), "{:?}", folder.names());
    file.commit().unwrap();
    drop(file);
    assert_eq!(folder.names(), ["out.txt"]);
    assert_eq!(fs::read(folder.file("out.txt")).unwrap(), b"abc");
}

#[test]
fn an_abandoned_file_leaves_nothing_and_touches_nothing() {
    let folder = Folder::new("abandoned");
    fs::write(folder.file("out.txt"), "old").unwrap();
    let mut file = create(&folder.file("out.txt"), true).unwrap();
    file.write_all(b"new").unwrap();
    drop(file);
    assert_eq!(folder.names(), ["out.txt"]);
    assert_eq!(fs::read(folder.file("out.txt")).unwrap(), b"old");
}

#[test]
fn an_existing_file_is_replaced_only_when_asked() {
    let folder = Folder::new("exists");
    fs::write(folder.file("out.txt"), "old").unwrap();
    assert_eq!(create(&folder.file("out.txt"), false).unwrap_err().kind(), Kind::BadArgument);
    create(&folder.file("out.txt"), true).unwrap().commit().unwrap();
    assert_eq!(fs::read(folder.file("out.txt")).unwrap(), b"");

    // One that appears while the output is written is not touched either.
    let mut late = create(&folder.file("late.txt"), false).unwrap();
    fs::write(folder.file("late.txt"), "other").unwrap();
    assert_eq!(late.commit().unwrap_err().kind(), Kind::BadArgument);
    assert_eq!(fs::read(folder.file("late.txt")).unwrap(), b"other");
}

#[cfg(unix)]
#[test]
fn links_stay_and_permissions_too() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = Folder::new("links");
    symlink("there.txt", folder.file("link.txt")).unwrap();
    create(&folder.file("link.txt"), false).unwrap().commit().unwrap();
    assert!(fs::symlink_metadata(folder.file("link.txt")).unwrap().is_symlink());
    assert!(fs::symlink_metadata(folder.file("there.txt")).unwrap().is_file());

    fs::set_permissions(folder.file("there.txt"), fs::Permissions::from_mode(0o600)).unwrap();
    create(&folder.file("link.txt"), true).unwrap().commit().unwrap();
    assert_eq!(fs::metadata(folder.file("there.txt")).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn unwritable_places_are_named() {
    let folder = Folder::new("unwritable");
    for bad in [folder.file("no/such/folder/out.txt"), folder.0.to_str().unwrap().to_owned(), String::new()] {
        let error = create(&bad, true).unwrap_err();
        assert_eq!(error.kind(), Kind::Io, "{error}");
        assert!(error.message().contains(&bad), "{error}");
    }
    assert_eq!(folder.names(), Vec::<String>::new());
}

#[test]
fn a_device_is_written_directly() {
    let mut null = create("/dev/null", false).unwrap();
    null.write_all(b"abc").unwrap();
    null.commit().unwrap();
    assert!(matches!(null.outlet(), Outlet::Stream(fd) if fd > 2), "{:?}", null.outlet());
}

#[cfg(unix)]
#[test]
fn a_name_that_is_no_text_is_kept() {
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::new("bytes");
    let path = folder.0.join(OsStr::from_bytes(b"caf\xe9.txt"));
    create(&path, false).unwrap().commit().unwrap();
    let names: Vec<_> = fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(names, [path]);
}

#[test]
fn a_long_name_still_fits() {
    let folder = Folder::new("long");
    let name = "x".repeat(255);
    create(&folder.file(&name), false).unwrap().commit().unwrap();
    assert_eq!(folder.names(), [name]);
}

#[test]
fn what_killed_runs_left_goes_and_what_is_written_stays() {
    let folder = Folder::new("abandoned-parts");
    let left = [".out.txt.vramp-17-0.part", ".out.txt.vramp-4194305-3.part"];
    let others = [
        ".out.txt.part",
        ".out.txt.17-0.part",
        ".out.txt.vramp-17.part",
        ".out.txt.vramp-17-.part",
        ".out.txt.vramp-017-0.part",
        ".out.txt.vramp-1-2-3.part",
        ".out.txt.vramp-x-1.part",
        ".other.txt.vramp-17-0.part",
        "out.txt.vramp-17-0.part",
    ];
    left.iter().chain(&others).for_each(|name| fs::write(folder.file(name), "half").unwrap());
    let one = create(&folder.file("out.txt"), false).unwrap();
    let other = create(&folder.file("out.txt"), false).unwrap();
    let names = folder.names();
    assert!(left.iter().all(|name| !names.contains(&(*name).to_owned())), "{names:?}");
    assert!(others.iter().all(|name| names.contains(&(*name).to_owned())), "{names:?}");
    assert_eq!(names.len(), others.len() + 2, "both are being written: {names:?}");
    drop((one, other));
    assert_eq!(folder.names().len(), others.len());
}

#[test]
fn a_folder_lies_beside_the_output_and_goes_with_what_is_in_it() {
    let folder = Folder::new("beside");
    let output = folder.file("out.mkv");
    let made = TempFolder::create(output.as_ref()).unwrap();
    assert_eq!(made.path().parent(), Some(folder.0.as_path()));
    fs::write(made.path().join("stats"), "learnt").unwrap();
    // One that a killed run left, and the one that is in use.
    let left = folder.file(".out.mkv.vramp-1-0.part");
    fs::create_dir(&left).unwrap();
    fs::write(format!("{left}/stats"), "old").unwrap();
    let file = create(&output, false).unwrap();
    assert!(made.path().exists() && !fs::exists(&left).unwrap(), "{:?}", folder.names());
    drop((file, made));
    assert_eq!(folder.names(), Vec::<String>::new());
}
