//! `vramp plugins`: hosts that are found or not, folders that are named or asked for, libraries that are ours or not.

mod command;

use command::{Folder, Ran, vramp};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

/// A machine of its own: a home, and programs that only seem to be.
struct Machine(Folder);

impl Machine {
    fn new(programs: &[&str]) -> Machine {
        let machine = Machine(Folder::new());
        fs::create_dir(machine.0.path("bin")).unwrap();
        for program in programs {
            machine.add(program, "#!/bin/sh\n");
        }
        machine
    }

    fn add(&self, program: &str, script: &str) {
        let path = self.0.path(&format!("bin/{program}"));
        fs::write(&path, script).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// A library of this version, as far as a look into the file shows.
    fn library(&self, version: &str) -> String {
        let path = self.0.path("library.so");
        fs::write(&path, format!("\u{7f}ELF vramp plugin library, version {version}\nmore")).unwrap();
        path
    }

    fn run(&self, args: &[&str]) -> Ran {
        let mut command = vramp();
        command.arg("plugins").args(args).env("PATH", self.0.path("bin")).env("HOME", self.0.path("home"));
        command.env("FREI0R_PATH", self.0.path("effects")).output().unwrap().into()
    }

    /// What an installation for packages writes.
    fn packaged(&self, args: &[&str]) -> String {
        let into = self.0.path("package");
        self.run(&[&["--install", &self.library("1.2.3"), "--into", &into], args].concat()).ok();
        into
    }

    fn json(&self, args: &[&str]) -> Value {
        serde_json::from_slice(&self.run(&[args, &["--json"]].concat()).ok().stdout).unwrap()
    }
}

#[test]
fn hosts_are_found_by_their_programs() {
    let machine = Machine::new(&["ffmpeg", "melt"]);
    let text = machine.run(&[]).ok();
    assert!(text.text().contains(&format!("FFmpeg ({})", machine.0.path("bin/ffmpeg"))), "{}", text.text());
    assert!(text.text().contains("Kdenlive, Shotcut, GStreamer, mpv"), "{}", text.text());
    assert_eq!(text.text().matches("not installed").count(), 4, "{}", text.text());
    let all = machine.json(&[]);
    let programs: Vec<&Value> = all[0]["hosts"].as_array().unwrap().iter().map(|host| &host["program"]).collect();
    assert!(programs[0].is_string() && programs[2].is_null(), "{programs:?}");
    assert_eq!(all[0]["folder"], machine.0.path("effects"));
}

#[test]
fn the_library_goes_to_every_host_and_its_version_is_read() {
    let machine = Machine::new(&["ffmpeg"]);
    let folder = machine.0.path("plugins here");
    machine.add("vapoursynth", &format!("#!/bin/sh\n[ \"$1\" = get-plugin-dir ] && echo '{folder}'\n"));
    for version in ["0.1.0", "2.34.5-rc1"] {
        let all = machine.json(&["--install", &machine.library(version)]);
        let files: Vec<&Value> =
            all.as_array().unwrap().iter().flat_map(|interface| interface["files"].as_array().unwrap()).collect();
        assert_eq!(files.len(), 4);
        assert!(files[..3].iter().all(|file| file["version"] == version), "{files:?}");
        // No host of it is here.
        assert!(files[3]["path"].is_null() && files[3]["name"].as_str().unwrap().ends_with("vramp.ofx"), "{files:?}");
        assert_eq!(files[2]["path"], format!("{folder}/libvramp.so"));
    }
    let effects = fs::read_dir(machine.0.path("effects")).unwrap();
    assert_eq!(effects.count(), 2, "nothing else is left there");
}

/// Hosts of OpenFX find a bundle by the name of its folder, which must be that of the library.
#[test]
fn openfx_gets_a_bundle() {
    let machine = Machine::new(&["Natron"]);
    let mut command = vramp();
    command.args(["plugins", "--install", &machine.library("1.2.3"), "--json"]).env("PATH", machine.0.path("bin"));
    let ran: Ran = command.env("OFX_PLUGIN_PATH", machine.0.path("OFX")).output().unwrap().into();
    assert_eq!(
        files_below(&machine.0.path("OFX/vramp.ofx.bundle")),
        ["Contents/Info.plist", "Contents/Linux-x86-64/vramp.ofx"]
    );
    let all: Value = serde_json::from_slice(&ran.ok().stdout).unwrap();
    assert_eq!(all[2]["files"][0]["version"], "1.2.3");
    let info = fs::read_to_string(machine.0.path("OFX/vramp.ofx.bundle/Contents/Info.plist")).unwrap();
    assert!(info.contains("<string>vramp.ofx</string>") && info.contains(env!("CARGO_PKG_VERSION")), "{info}");
}

/// Shotcut reads the files beside its own program alone, wherever that is.
#[test]
fn shotcut_gets_its_controls_beside_its_program() {
    for (program, filters) in
        [("bin/shotcut", "share/shotcut/qml/filters"), ("Shotcut.app/shotcut", "Shotcut.app/share/shotcut/qml/filters")]
    {
        let machine = Machine::new(&[]);
        fs::create_dir_all(machine.0.path(filters)).unwrap();
        machine.add("shotcut", "#!/bin/sh\n");
        if program != "bin/shotcut" {
            fs::rename(machine.0.path("bin/shotcut"), machine.0.path(program)).unwrap();
            symlink(machine.0.path(program), machine.0.path("bin/shotcut")).unwrap();
        }
        let ran = machine.run(&["--install", &machine.library("1.2.3")]).ok();
        assert!(!ran.stderr.contains("Shotcut"), "{}", ran.stderr);
        let expected = ["vramp_chain/meta.qml", "vramp_chain/ui.qml", "vramp_deband/meta.qml", "vramp_deband/ui.qml"];
        assert_eq!(files_below(&machine.0.path(filters)), expected);
    }
    // Without such a folder the effects are installed all the same.
    let machine = Machine::new(&["shotcut"]);
    let ran = machine.run(&["--install", &machine.library("1.2.3")]).ok();
    assert!(ran.stderr.contains("controls in Shotcut: no folder for them beside the program"), "{}", ran.stderr);
    assert!(ran.text().contains("vramp_deband.so, version 1.2.3"), "{}", ran.text());
}

/// Two names of one file would be one plugin.
#[test]
fn a_link_is_replaced_by_a_copy() {
    let machine = Machine::new(&["mpv"]);
    fs::create_dir(machine.0.path("effects")).unwrap();
    fs::rename(machine.library("0.0.9"), machine.0.path("effects/vramp_deband.so")).unwrap();
    symlink("vramp_deband.so", machine.0.path("effects/vramp_chain.so")).unwrap();
    let ran = machine.run(&["--install", &machine.library("1.2.3")]).ok();
    assert_eq!(ran.stderr.matches(": version 0.0.9 is replaced by 1.2.3").count(), 2, "{}", ran.stderr);
    assert!(fs::symlink_metadata(machine.0.path("effects/vramp_chain.so")).unwrap().is_file());
}

#[test]
fn what_is_not_ours_is_replaced_only_when_asked() {
    let machine = Machine::new(&["mpv"]);
    let (first, last) = (machine.0.path("effects/vramp_deband.so"), machine.0.path("effects/vramp_chain.so"));
    for strange in [&first, &last] {
        fs::create_dir(machine.0.path("effects")).unwrap();
        fs::write(strange, "precious").unwrap();
        let before = machine.json(&[]);
        assert!(before[0]["files"].as_array().unwrap().iter().all(|file| file["version"].is_null()));
        let ran = machine.run(&["--install", &machine.library("1.2.3")]);
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
        assert!(ran.stderr.contains(strange) && ran.stderr.contains("give -y"), "{}", ran.stderr);
        assert_eq!(fs::read(strange).unwrap(), b"precious");
        assert_eq!(
            fs::read_dir(machine.0.path("effects")).unwrap().count(),
            1,
            "nothing is written before all is well"
        );
        let after = machine.json(&["--install", &machine.library("1.2.3"), "-y"]);
        assert!(after[0]["files"].as_array().unwrap().iter().all(|file| file["version"] == "1.2.3"));
        fs::remove_dir_all(machine.0.path("effects")).unwrap();
    }
    // A link to nowhere is somebody's too.
    fs::create_dir(machine.0.path("effects")).unwrap();
    symlink("nowhere", &last).unwrap();
    assert_eq!(machine.run(&["--install", &machine.library("1.2.3")]).code, Some(2));
    assert_eq!(machine.run(&["-y"]).code, Some(2), "it says something of --install only");
}

#[test]
fn what_cannot_be_installed_is_reported() {
    let nobody = Machine::new(&[]);
    let library = nobody.library("1.2.3");
    let ran = nobody.run(&["--install", &library]);
    assert!(ran.code != Some(0) && ran.stderr.contains("no host is found: install one of FFmpeg"), "{}", ran.stderr);

    let machine = Machine::new(&["ffmpeg"]);
    // The program knows the words that it looks for, and is no library.
    for wrong in [env!("CARGO_BIN_EXE_vramp"), &machine.0.path("nothing"), "/dev/null"] {
        let ran = machine.run(&["--install", wrong]);
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
        assert!(ran.stderr.contains("is no plugin library"), "{}", ran.stderr);
    }
    fs::write(machine.0.path("effects"), "a file").unwrap();
    let ran = machine.run(&["--install", &machine.library("1.2.3")]);
    assert!(ran.code != Some(0) && ran.stderr.contains("effects"), "{}", ran.stderr);
}

/// The names of all files below `folder`, in order.
fn files_below(folder: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![std::path::PathBuf::from(folder)];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    found.sort();
    found
}

#[test]
fn a_package_has_the_files_of_every_host() {
    let machine = Machine::new(&[]);
    let into = machine.packaged(&["--effect", "gauss"]);
    let expected = [
        "OFX/Plugins/vramp.ofx.bundle/Contents/Info.plist",
        "OFX/Plugins/vramp.ofx.bundle/Contents/Linux-x86-64/vramp.ofx",
        "lib/frei0r-1/vramp_chain.so",
        "lib/frei0r-1/vramp_deband.so",
        "lib/frei0r-1/vramp_gauss.so",
        "lib/vapoursynth/libvramp.so",
        "share/kdenlive/effects/frei0r_vramp_chain.xml",
        "share/kdenlive/effects/frei0r_vramp_deband.xml",
        "share/kdenlive/effects/frei0r_vramp_gauss.xml",
        "share/shotcut/qml/filters/vramp_chain/meta.qml",
        "share/shotcut/qml/filters/vramp_chain/ui.qml",
        "share/shotcut/qml/filters/vramp_deband/meta.qml",
        "share/shotcut/qml/filters/vramp_deband/ui.qml",
        "share/shotcut/qml/filters/vramp_gauss/meta.qml",
        "share/shotcut/qml/filters/vramp_gauss/ui.qml",
    ];
    assert_eq!(files_below(&into), expected);
    // Once more: what is there is ours.
    machine.packaged(&[]);
}

/// What Kdenlive and Shotcut show, read by people before it is blessed (VRAMP_BLESS=1).
#[test]
fn the_controls_in_editors_are_the_blessed_ones() {
    let machine = Machine::new(&[]);
    let into = machine.packaged(&["--effect", "gauss", "--effect", "box", "--effect", "depth"]);
    let blessed = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/editors");
    for name in files_below(&format!("{into}/share")) {
        let text = fs::read_to_string(format!("{into}/share/{name}")).unwrap();
        // Another version changes nothing else.
        let text = text.replace(concat!("version ", env!("CARGO_PKG_VERSION"), "\n"), "version VERSION\n");
        let path = std::path::Path::new(blessed).join(&name);
        if std::env::var_os("VRAMP_BLESS").is_some() {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, &text).unwrap();
        }
        assert_eq!(fs::read_to_string(&path).unwrap_or_default(), text, "{name}: VRAMP_BLESS=1 rewrites it");
    }
}

#[test]
fn what_is_no_effect_of_frei0r_is_refused() {
    let machine = Machine::new(&["ffmpeg"]);
    for (name, why) in [
        ("debnad", "did you mean 'deband'"),
        ("crop", "changes the size"),
        ("tmedian", "reads more than the frame"),
        ("merge", "reads more than the frame"),
    ] {
        let ran = machine.run(&["--install", &machine.library("1.2.3"), "--effect", name]);
        assert!(ran.code != Some(0) && ran.stderr.contains(why), "{name}: {}", ran.stderr);
    }
    assert!(!fs::exists(machine.0.path("effects")).unwrap());
    let ran = machine.run(&["--install", &machine.library("1.2.3"), "--effect", "gauss", "--json"]).ok();
    assert!(ran.text().contains("vramp_gauss.so"), "{}", ran.text());
}
