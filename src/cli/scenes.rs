//! `vramp scenes`: where shots begin, for readers and for encoders.

use crate::cli::args::scenes::{Form, ScenesArgs};
use crate::cli::print;
use crate::cli::signals;
use crate::error::{Error, Result};
use crate::filters::survey::FrameSketch;
use crate::io::libav::{CopyChoice, DecoderChoice, Input, InputOptions};
use crate::io::{TempFile, refuse_input};
use crate::pipeline::{Cancel, Item, Source};
use serde::Serialize;
use std::fmt::Write as _;
use std::io::Write as _;

/// A shot.
#[derive(Debug, PartialEq, Serialize)]
struct Scene {
    /// Its first frame, from 0.
    first: u64,
    frames: u64,
    /// When that is shown, in seconds from the first frame of the film; `None` where the film has no times.
    time: Option<f64>,
}

/// What `--as json` prints.
#[derive(Serialize)]
struct Report<'a> {
    frames: u64,
    scenes: &'a [Scene],
}

/// Runs `vramp scenes`.
pub fn run(args: &ScenesArgs) -> Result<()> {
    let cancel = Cancel::default();
    signals::install([cancel.clone()])?;
    let file = match &args.output {
        Some(path) => {
            refuse_input(path, &args.input)?;
            Some((path, TempFile::create(path, args.overwrite, &cancel)?))
        }
        None => None,
    };
    let scenes = scenes(args, &cancel)?;
    let text = written(&scenes, args.form)?;
    let Some((path, mut file)) = file else { return print::text(&text) };
    file.write_all(text.as_bytes()).map_err(|e| Error::io(path.display(), &e))?;
    file.commit()
}

/// The shots of the input.
fn scenes(args: &ScenesArgs, cancel: &Cancel) -> Result<Vec<Scene>> {
    let options = InputOptions {
        decoder: DecoderChoice::Software,
        copy: CopyChoice::NONE,
        cancel: cancel.clone(),
        ..InputOptions::default()
    };
    let mut input = Input::open(&args.input, options)?;
    let info = input.info().clone();
    let mut scenes: Vec<Scene> = Vec::new();
    let mut before: Option<FrameSketch> = None;
    let mut start = None;
    while let Some(item) = input.next()? {
        let Item::Frame(frame) = item else { continue };
        let seconds = frame.props.seconds(info.timebase);
        start = start.or(seconds);
        let look = FrameSketch::of(&info, &frame.picture.planes());
        match scenes.last_mut() {
            Some(scene) if before.as_ref().is_some_and(|before| !before.cuts_to(&look)) => scene.frames += 1,
            _ => {
                let time = seconds.zip(start).map(|(seconds, start)| seconds - start);
                scenes.push(Scene { first: frame.props.frame_index, frames: 1, time });
            }
        }
        before = Some(look);
    }
    if scenes.is_empty() {
        return Err(Error::bad_argument(format!("{} has no frames", args.input.display())));
    }
    Ok(scenes)
}

/// The list in a form.
fn written(scenes: &[Scene], form: Form) -> Result<String> {
    let mut text = String::new();
    let mut line = |line: std::fmt::Arguments<'_>| writeln!(text, "{line}").map_err(|_| Error::internal("no memory"));
    let time = |scene: &Scene| {
        scene.time.ok_or_else(|| Error::unsupported("the film states no times: use --as text, json, qpfile or frames"))
    };
    match form {
        Form::Text => {
            line(format_args!("scene  frames              time"))?;
            for (number, scene) in (1..).zip(scenes) {
                let last = scene.first + scene.frames - 1;
                let time = scene.time.map_or_else(|| "-".to_owned(), clock);
                line(format_args!("{number:>5}  {:<18}  {time}", format!("{}-{last}", scene.first)))?;
            }
        }
        Form::Json => {
            let frames = scenes.iter().map(|scene| scene.frames).sum();
            let json = serde_json::to_string_pretty(&Report { frames, scenes });
            line(format_args!("{}", json.map_err(|e| Error::internal(format!("JSON: {e}")))?))?;
        }
        Form::Chapters => {
            for (number, scene) in (1..).zip(scenes) {
                line(format_args!("CHAPTER{number:02}={}", clock(time(scene)?)))?;
                line(format_args!("CHAPTER{number:02}NAME=Scene {number}"))?;
            }
        }
        Form::Qpfile => scenes.iter().try_for_each(|scene| line(format_args!("{} I", scene.first)))?,
        Form::Frames => {
            let frames: Vec<_> = scenes.iter().map(|scene| format!("{}f", scene.first)).collect();
            line(format_args!("{}", frames.join(",")))?;
        }
        Form::Times => {
            let times = scenes.iter().map(|scene| Ok(format!("{:.6}", time(scene)?)));
            line(format_args!("{}", times.collect::<Result<Vec<_>>>()?.join(",")))?;
        }
    }
    Ok(text)
}

/// "00:01:02.345", as chapters are written.
fn clock(seconds: f64) -> String {
    let milliseconds = (seconds.max(0.0) * 1000.0).round() as u64;
    let (seconds, rest) = (milliseconds / 1000, milliseconds % 1000);
    format!("{:02}:{:02}:{:02}.{rest:03}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_written_as_their_readers_expect() {
        let scene = |first, frames, time| Scene { first, frames, time: Some(time) };
        let scenes = [scene(0, 50, 0.0), scene(50, 25, 2.0), scene(75, 1, 3661.0005)];
        let text = |form| written(&scenes, form).unwrap();
        assert_eq!(text(Form::Qpfile), "0 I\n50 I\n75 I\n");
        assert_eq!(text(Form::Frames), "0f,50f,75f\n");
        assert_eq!(text(Form::Times), "0.000000,2.000000,3661.000500\n");
        assert!(
            text(Form::Chapters).starts_with("CHAPTER01=00:00:00.000\nCHAPTER01NAME=Scene 1\nCHAPTER02=00:00:02.000\n")
        );
        assert!(text(Form::Text).contains("    2  50-74               00:00:02.000\n"));
        let json: serde_json::Value = serde_json::from_str(&text(Form::Json)).unwrap();
        assert_eq!((json["frames"].as_u64(), json["scenes"][1]["first"].as_u64()), (Some(76), Some(50)));
        let without = [Scene { first: 0, frames: 3, time: None }];
        assert_eq!(written(&without, Form::Qpfile).unwrap(), "0 I\n");
        assert!(written(&without, Form::Chapters).unwrap_err().message().contains("no times"));
    }
}
