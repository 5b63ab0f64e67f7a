//! The host without Python (host.c), and its commands.

use crate::cc;
use crate::so::library;
use crate::vulkan::Vulkan;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What was fetched of VapourSynth.
pub fn vapoursynth() -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/vapoursynth");
    assert!(path.join("ready").exists(), "VapourSynth is not there: run scripts/setup_hosts.sh");
    path.canonicalize().unwrap()
}

/// A folder of its own for a test, gone in the end.
pub struct Folder(PathBuf);

impl Folder {
    /// An empty folder.
    pub fn new() -> Folder {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("vapoursynth-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    /// The path of `name` in the folder.
    pub fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The host, compiled when it is first asked for.
fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("vapoursynth-host");
        let built = program.with_extension(std::process::id().to_string());
        let headers = format!("-I{}", vapoursynth().join("unpacked/vapoursynth/include").display());
        let flags = [headers.as_str(), "-pthread", "-ldl", "-o", built.to_str().unwrap()];
        let done = cc::compile(&cc::path("tests/vapoursynth/host.c"), &flags);
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        // Tests in other processes may be using the one that is there.
        fs::rename(built, &program).unwrap();
        program
    })
}

/// Lines for the host.
#[derive(Default)]
pub struct Script(String);

impl Script {
    /// Nothing yet.
    pub fn new() -> Script {
        Script::default()
    }

    /// One more line of these words.
    pub fn line(&mut self, words: &[&str]) -> &mut Script {
        assert!(words.iter().all(|word| !word.contains(['\t', '\n'])), "{words:?}");
        self.0 += &words.join("\t");
        self.0.push('\n');
        self
    }

    /// Calls a function of the plugin on the current clip; `args` are as host.c has them, parted by blanks.
    pub fn call(&mut self, function: &str, args: &str) -> &mut Script {
        let words: Vec<_> = ["call", "vramp", function].into_iter().chain(args.split_whitespace()).collect();
        self.line(&words)
    }

    /// Runs this chain on the current clip.
    pub fn chain(&mut self, chain: &str) -> &mut Script {
        self.line(&["call", "vramp", "Chain", &format!("chain=s:{chain}")])
    }

    /// Makes a clip that is all of one colour.
    pub fn blank(&mut self, args: &str) -> &mut Script {
        let words: Vec<_> = ["call", "std", "BlankClip"].into_iter().chain(args.split_whitespace()).collect();
        self.line(&words)
    }

    /// Runs the host; what it printed.
    #[track_caller]
    pub fn run(&self) -> Vec<String> {
        self.quietly(&mut Command::new(program()))
    }

    /// The same with a Vulkan driver.
    #[track_caller]
    pub fn run_with(&self, vulkan: &Vulkan) -> Vec<String> {
        self.quietly(vulkan.environment(&mut Command::new(program())))
    }

    /// The same, and what is said on standard error.
    #[track_caller]
    pub fn run_with_messages(&self, vulkan: &Vulkan) -> (Vec<String>, String) {
        self.run_as(vulkan.environment(&mut Command::new(program())))
    }

    #[track_caller]
    fn quietly(&self, command: &mut Command) -> Vec<String> {
        let (lines, messages) = self.run_as(command);
        assert_eq!(messages, "", "VapourSynth or the plugin complains");
        lines
    }

    #[track_caller]
    fn run_as(&self, command: &mut Command) -> (Vec<String>, String) {
        let core = vapoursynth().join("unpacked/vapoursynth/libvapoursynth.so.4");
        command.arg(core).arg(library()).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let output = std::thread::scope(|scope| {
            scope.spawn(move || stdin.write_all(self.0.as_bytes()).unwrap());
            child.wait_with_output().unwrap()
        });
        assert!(output.status.success(), "{}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
        let lines = String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect();
        (lines, String::from_utf8_lossy(&output.stderr).into_owned())
    }
}
