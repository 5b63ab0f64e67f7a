//! A folder of effects, and programs that run in it.

use crate::so::library;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A folder of its own for a test, with a copy of the library for each effect; gone in the end.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Folder {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("frei0r-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(path.join("effects")).unwrap();
        let folder = Folder(path);
        folder.add("deband");
        folder.add("chain");
        folder
    }

    /// Adds an effect.
    pub fn add(&self, name: &str) {
        fs::copy(library(), self.effect(name)).unwrap();
    }

    /// The file of an effect.
    pub fn effect(&self, name: &str) -> PathBuf {
        self.0.join("effects").join(format!("vramp_{name}.so"))
    }

    pub fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    /// What `program` writes to standard output. It must be installed, and succeed.
    pub fn run(&self, program: impl AsRef<Path>, args: &[&str]) -> String {
        let output = self.output(program.as_ref(), args);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{} {args:?}: {said}", program.as_ref().display());
        String::from_utf8(output.stdout).unwrap()
    }

    /// What became of `program`, which must be installed. The effects must have nothing to complain of.
    pub fn output(&self, program: &Path, args: &[&str]) -> Output {
        let mut command = Command::new(program);
        command.args(args).current_dir(&self.0).env("FREI0R_PATH", self.0.join("effects"));
        // GStreamer remembers what it found: here, and by nobody else.
        command.env("GST_REGISTRY", self.0.join("registry")).env("XDG_RUNTIME_DIR", &self.0);
        let name = program.display();
        let output = command.output().unwrap_or_else(|e| panic!("{name}: {e}: scripts/setup.sh installs the hosts"));
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!said.contains("vramp chain:") && !said.contains("vramp deband:"), "{name} {args:?}: {said}");
        output
    }

    /// The hash of each frame that `program` writes with `-f framemd5`.
    pub fn hashes(&self, program: impl AsRef<Path>, args: &[&str]) -> Vec<String> {
        let text = self.run(program, args);
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        lines.map(|line| line.rsplit(',').next().unwrap().trim().to_owned()).collect()
    }

    /// The hashes of the colours in `file`.
    pub fn colours(&self, file: &str) -> Vec<String> {
        self.ffmpeg_hashes(file, "format=gbrp")
    }

    /// The hashes of the alpha in `file`.
    pub fn alpha(&self, file: &str) -> Vec<String> {
        self.ffmpeg_hashes(file, "extractplanes=a")
    }

    /// The hashes that FFmpeg gives for `file` behind `filter`.
    pub fn ffmpeg_hashes(&self, file: &str, filter: &str) -> Vec<String> {
        self.hashes("ffmpeg", &["-v", "error", "-i", file, "-vf", filter, "-f", "framemd5", "-"])
    }

    /// What the vramp command gives for `file`.
    pub fn vramp(&self, file: &str, args: &[&str]) -> Vec<String> {
        self.hashes(program(), &[&[file, "-", "-q", "-f", "framemd5"], args].concat())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The vramp command that stands where this test's build is, or the one that `VRAMP_PROGRAM` names.
fn program() -> PathBuf {
    if let Some(path) = std::env::var_os("VRAMP_PROGRAM") {
        return path.into();
    }
    let test = std::env::current_exe().unwrap();
    let path = test.parent().and_then(Path::parent).unwrap().join("vramp");
    assert!(path.exists(), "{} is not there: 'cargo build' makes it", path.display());
    path
}
