//! What of an encoder is pinned, so that its bytes are the same on every machine, and why: each was measured.

/// Threads of an encoder whose bytes depend on their number. It is the same everywhere: machines with more processors work on
/// more parts at a time.
const THREADS: usize = 4;

/// Encoders whose frames stand alone: the result follows from the frame and the options. FFV1's slices follow from the
/// threads.
const ALONE: [&str; 9] =
    ["ffv1", "prores", "prores_aw", "prores_ks", "utvideo", "huffyuv", "ffvhuff", "rawvideo", "v210"];

/// Encoders of libav whose arithmetic follows the processor.
const BY_PROCESSOR: [&str; 4] = ["dnxhd", "mjpeg", "mpeg4", "mpeg2video"];

/// Options by which a rate is limited in a buffer, as libav and as encoders name them.
const BUFFER: [&str; 4] = ["maxrate", "bufsize", "vbv-maxrate", "vbv-bufsize"];

/// What the command line asks of an encoder.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Its name.
    pub encoder: &'a str,
    /// Its options, in order.
    pub options: &'a [(String, String)],
    /// Its threads; 0: not said.
    pub threads: usize,
    /// Whether a bit rate is asked for.
    pub has_rate: bool,
}

/// What is pinned.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pins {
    /// The encoder's threads; 0: as many as it likes.
    pub threads: usize,
    /// Options that go after those of the command line.
    pub options: Vec<(String, String)>,
    /// Why each is pinned, or why the result is not reproducible.
    pub why: Vec<String>,
    /// Whether the result is not known to be the same everywhere.
    pub varies: bool,
}

/// What to pin for `request`.
pub fn pins(request: Request<'_>) -> Pins {
    let mut pins = Pins { threads: request.threads, ..Pins::default() };
    let has_buffer = BUFFER.iter().any(|key| asks(request.options, key));
    match request.encoder {
        "libx264" | "libx264rgb" => {
            pins.add(request, "x264-params", "cpu-independent", "1", "bytes depend on the processor's vector level");
            pins.add(request, "x264-params", "stitchable", "1", "every part must have the same header");
            if has_buffer {
                pins.only_thread("with a rate buffer bytes differ from run to run on more threads");
            } else {
                pins.own_threads("bytes depend on their number");
            }
        }
        "libx265" => {
            let threads = if request.threads == 0 { THREADS } else { request.threads };
            let pools = threads.to_string();
            pins.add(request, "x265-params", "pools", &pools, "without a pool there is no WPP, which changes bytes");
            pins.add(request, "x265-params", "wpp", "1", "bytes depend on it");
            if has_buffer {
                pins.add(request, "x265-params", "frame-threads", "1", "bytes depend on their number");
                pins.add(request, "x265-params", "const-vbv", "1", "with a rate buffer bytes differ from run to run");
            } else {
                pins.add(request, "x265-params", "frame-threads", "2", "bytes depend on their number");
            }
        }
        "libsvtav1" => {
            let aims = request.has_rate
                || has_buffer
                || own(request.options, "svtav1-params", "rc").is_some_and(|rc| rc != "0");
            let (threads, why) = match aims {
                true => ("1", "with a bit rate bytes differ from run to run on more threads"),
                false => ("4", "one part has so many threads everywhere"),
            };
            pins.add(request, "svtav1-params", "lp", threads, why);
        }
        "libvpx-vp9" | "libaom-av1" => pins.own_threads("bytes may depend on their number"),
        "librav1e" => {}
        name if ALONE.contains(&name) => {
            if name == "ffv1" {
                pins.own_threads("the number of slices follows from them");
            }
        }
        name if BY_PROCESSOR.contains(&name) => {
            if asks(request.options, "dct") {
                pins.vary("dct is the command line's");
            } else {
                pins.options.push(("dct".to_owned(), "int".to_owned()));
                pins.why.push("dct=int: bytes depend on the processor".to_owned());
            }
            if ["mpeg2video", "mpeg4"].contains(&name) {
                pins.only_thread("slices follow from the number of threads");
            }
        }
        name if name.contains("nvenc") => pins.vary("NVENC's bytes depend on the card and its driver"),
        name => pins.vary(&format!("it was not measured whether {name} gives the same bytes everywhere")),
    }
    pins
}

impl Pins {
    /// Sets `key` of the encoder's own parameters, which libav takes as option `place`, unless the command line does.
    fn add(&mut self, request: Request<'_>, place: &str, key: &str, value: &str, why: &str) {
        match own(request.options, place, key) {
            Some(given) if given == value => return,
            Some(_) => return self.vary(&format!("{key} is the command line's, and {why}")),
            None => {}
        }
        let text = match self.options.iter_mut().find(|(option, _)| option == place) {
            Some((_, text)) => text,
            None => {
                let given = request.options.iter().rev().find(|(option, _)| option == place);
                let given = given.map_or_else(String::new, |(_, text)| text.clone());
                self.options.push((place.to_owned(), given));
                &mut self.options.last_mut().expect("it was pushed").1
            }
        };
        if !text.is_empty() {
            text.push(':');
        }
        text.push_str(&format!("{key}={value}"));
        self.why.push(format!("{key}={value}: {why}"));
    }

    fn own_threads(&mut self, why: &str) {
        if self.threads == 0 {
            self.threads = THREADS;
        }
        self.why.push(format!("threads={}: {why}", self.threads));
    }

    fn only_thread(&mut self, why: &str) {
        match self.threads {
            0 | 1 => {
                self.threads = 1;
                self.why.push(format!("threads=1: {why}"));
            }
            threads => self.vary(&format!("--encoder-threads {threads}: {why}")),
        }
    }

    fn vary(&mut self, why: &str) {
        self.varies = true;
        self.why.push(why.to_owned());
    }
}

/// What the encoder's own parameters, which libav takes as option `place`, say of `key`.
fn own<'a>(options: &'a [(String, String)], place: &str, key: &str) -> Option<&'a str> {
    let (_, text) = options.iter().rev().find(|(option, _)| option == place)?;
    text.split(':').rev().find_map(|pair| match pair.split_once('=') {
        Some((name, value)) if name == key => Some(value),
        None if pair == key => Some("1"),
        _ => None,
    })
}

/// Whether `options` set `key`, or any parameters among them do.
fn asks(options: &[(String, String)], key: &str) -> bool {
    options.iter().any(|(option, text)| {
        let inner = || text.split(':').any(|pair| pair.split('=').next() == Some(key));
        option == key || (option.ends_with("-params") || option.ends_with("opts")) && inner()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pinned(encoder: &str, line: &str, threads: usize, has_rate: bool) -> Pins {
        let pair = |pair: &str| pair.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned())).unwrap();
        let options: Vec<_> = line.split_whitespace().map(pair).collect();
        pins(Request { encoder, options: &options, threads, has_rate })
    }

    fn options(pins: &Pins) -> String {
        pins.options.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_table_holds() {
        for (encoder, given, rate, threads, wanted) in [
            ("libx264", "", false, 4, "x264-params=cpu-independent=1:stitchable=1"),
            ("libx264", "maxrate=1M bufsize=1M", false, 1, "x264-params=cpu-independent=1:stitchable=1"),
            ("libx264", "x264-params=me=hex", false, 4, "x264-params=me=hex:cpu-independent=1:stitchable=1"),
            (
                "libx264",
                "x264-params=vbv-maxrate=900",
                false,
                1,
                "x264-params=vbv-maxrate=900:cpu-independent=1:stitchable=1",
            ),
            ("libx265", "", false, 0, "x265-params=pools=4:wpp=1:frame-threads=2"),
            ("libx265", "bufsize=1M", true, 0, "x265-params=pools=4:wpp=1:frame-threads=1:const-vbv=1"),
            ("libsvtav1", "", false, 0, "svtav1-params=lp=4"),
            ("libsvtav1", "", true, 0, "svtav1-params=lp=1"),
            ("libsvtav1", "svtav1-params=rc=1", false, 0, "svtav1-params=rc=1:lp=1"),
            ("ffv1", "", false, 4, ""),
            ("prores_ks", "", false, 0, ""),
            ("mpeg2video", "", false, 1, "dct=int"),
            ("mpeg4", "", false, 1, "dct=int"),
            ("dnxhd", "", false, 0, "dct=int"),
        ] {
            let pins = pinned(encoder, given, 0, rate);
            assert_eq!(
                (options(&pins).as_str(), pins.threads, pins.varies),
                (wanted, threads, false),
                "{encoder} {given}"
            );
            let count = pins.options.iter().map(|(_, text)| text.matches('=').count().max(1)).sum::<usize>();
            assert!(
                pins.why.len() <= count + 1 && (threads == 0 || pins.why.iter().any(|why| why.contains("threads"))),
                "{pins:?}"
            );
        }
    }

    #[test]
    fn what_the_command_line_says_holds_and_is_said() {
        let pins = pinned("libx264", "x264-params=cpu-independent=0", 8, false);
        assert_eq!((options(&pins).as_str(), pins.threads), ("x264-params=cpu-independent=0:stitchable=1", 8));
        assert!(pins.varies && pins.why[0].contains("cpu-independent is the command line's"), "{pins:?}");
        assert!(pinned("libx264", "maxrate=1M", 8, false).varies);
        assert!(!pinned("libx264", "maxrate=1M", 1, false).varies);
        assert!(pinned("mjpeg", "dct=faan", 0, false).varies);
        for (encoder, word) in [("hevc_nvenc", "driver"), ("libkvazaar", "libkvazaar")] {
            let pins = pinned(encoder, "", 0, false);
            assert!(pins.varies && pins.why[0].contains(word), "{pins:?}");
        }
    }
}
