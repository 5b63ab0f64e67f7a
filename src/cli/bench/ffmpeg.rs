//! The `ffmpeg` program, and how long a filter of its own takes.

use crate::error::{Error, Result};
use crate::video::Picture;
use std::io::Write;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

/// The version of the `ffmpeg` program.
///
/// # Errors
/// When it cannot be run.
pub fn version() -> Result<String> {
    let said = output(Command::new("ffmpeg").arg("-version"), &[])?.stdout;
    let said = String::from_utf8_lossy(&said);
    Ok(said.split_whitespace().nth(2).unwrap_or("of no known version").to_owned())
}

/// The processor time that ffmpeg takes, itself included, when `filter` gets `picture` so many `frames` times on one thread.
///
/// # Errors
/// When ffmpeg fails.
pub fn processor_time(filter: &str, picture: &Picture, frames: usize) -> Result<Duration> {
    let said = filtered(&format!("loop=loop=-1:size=1,{filter}"), 1, picture, frames)?;
    processor_time_in(&said).ok_or_else(|| Error::unsupported("the ffmpeg program printed no times of -benchmark"))
}

/// The median time that `filter` takes on `threads` threads for `picture`, which it gets `frames` times.
/// ffmpeg takes it itself, around that filter alone, with its `bench` filter.
///
/// # Errors
/// When ffmpeg fails.
pub fn median(filter: &str, threads: usize, picture: &Picture, frames: usize) -> Result<Duration> {
    let graph = format!("loop=loop=-1:size=1,bench=start,{filter},bench=stop");
    let mut times = times(&filtered(&graph, threads, picture, frames)?);
    times.sort_unstable();
    let median = times.get(times.len() / 2).copied();
    median.ok_or_else(|| Error::unsupported("the ffmpeg program's bench filter printed no times"))
}

/// What ffmpeg says of `graph`, which gets `picture` and makes `frames` frames.
fn filtered(graph: &str, threads: usize, picture: &Picture, frames: usize) -> Result<String> {
    let (size, format) = (format!("{}x{}", picture.width(), picture.height()), picture.format().to_string());
    let mut command = Command::new("ffmpeg");
    command.args(["-hide_banner", "-nostats", "-benchmark", "-v", "repeat+level+info"]);
    command.args(["-filter_threads", &threads.to_string()]);
    command.args(["-f", "rawvideo", "-pix_fmt", &format, "-s", &size, "-i", "pipe:0", "-vf", graph]);
    command.args(["-frames:v", &frames.to_string(), "-c:v", "wrapped_avframe", "-f", "null", "-"]);
    let said = output(&mut command, &bytes(picture))?.stderr;
    Ok(String::from_utf8_lossy(&said).into_owned())
}

/// What `command` says when it gets `input`.
fn output(command: &mut Command, input: &[u8]) -> Result<Output> {
    let failed = |e| Error::io("the ffmpeg program, which is looked for in PATH", &e);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(failed)?;
    if let Some(mut stdin) = child.stdin.take() {
        // A child that stopped early says why below.
        let _ = stdin.write_all(input);
    }
    let output = child.wait_with_output().map_err(failed)?;
    if output.status.success() {
        return Ok(output);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let why = said.lines().find(|line| line.contains("[error]") || line.contains("[fatal]"));
    Err(Error::unsupported(format!("the ffmpeg program failed: {}", why.unwrap_or("it does not say why"))))
}

/// The times in lines of the `bench` filter: `[bench @ 0x5581] [info] t:0.013577 avg:…`.
fn times(said: &str) -> Vec<Duration> {
    let time = |line: &str| line.split_once(" t:")?.1.split_whitespace().next()?.parse::<f64>().ok();
    said.lines().filter_map(time).filter_map(|seconds| Duration::try_from_secs_f64(seconds).ok()).collect()
}

/// The user's and the system's time in the line of `-benchmark`: `bench: utime=0.120s stime=0.010s rtime=0.110s`.
fn processor_time_in(said: &str) -> Option<Duration> {
    let (_, line) = said.split_once("bench: utime=")?;
    let (user, rest) = line.split_once("s stime=")?;
    let (system, _) = rest.split_once('s')?;
    Duration::try_from_secs_f64(user.parse::<f64>().ok()? + system.parse::<f64>().ok()?).ok()
}

/// A picture's rows, one after the other.
fn bytes(picture: &Picture) -> Vec<u8> {
    let format = picture.format();
    let rows = |plane| 0..format.plane_size(plane, picture.width(), picture.height()).1;
    (0..format.planes()).flat_map(|plane| rows(plane).flat_map(move |y| picture.row_bytes(plane, y))).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bench_filters_lines_are_read_and_no_others() {
        let said = "[info]   Stream #0:0: Video: wrapped_avframe, yuv420p(progressive), 25 fps\n\
                    [bench @ 0x55c527f064c0] [info] t:0.017498 avg:0.017563 max:0.022399 min:0.013669\n\
                    [Parsed_bench_3 @ 0x1] [info] t:0.000002 avg:0.000003 max:0.000003 min:0.000002\n\
                    [info] video:9kB audio:0kB subtitle:0kB t:unknown\n";
        assert_eq!(times(said), [17498, 2].map(Duration::from_micros));
    }

    #[test]
    fn processor_time_is_the_users_and_the_systems() {
        let said = "[info] bench: utime=0.120s stime=0.010s rtime=0.110s\n[info] bench: maxrss=50000kB\n";
        assert_eq!(processor_time_in(said), Some(Duration::from_millis(130)));
        assert_eq!(processor_time_in("[info] bench: maxrss=50000kB"), None);
    }

    #[test]
    fn ffmpegs_errors_are_reported() {
        let picture = Picture::alloc("yuv420p".parse().unwrap(), 64, 48).unwrap();
        let error = median("no_such_filter", 1, &picture, 3).unwrap_err().to_string();
        assert!(error.contains("No such filter: 'no_such_filter'"), "{error}");
    }
}
