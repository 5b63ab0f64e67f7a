//! What differs of two films besides their frames: how they are shown, the streams beside them, chapters, the title.

use crate::cli::beside::StreamLine;
use crate::cli::compare::args::CompareArgs;
use crate::cli::compare::findings::Findings;
use crate::cli::compare::video::Video;
use crate::compare::Tolerance;
use crate::io::hash::{StatedTags, StreamDifference, Tags, Times, Trait, compare_streams};
use crate::io::libav::{Chapter, Container, presentation};
use serde::Serialize;
use std::fmt;

/// Something that differs.
#[derive(Debug)]
pub struct OtherDifference {
    what: AsideKind,
    /// Whether it is beyond the tolerance.
    pub is_beyond: bool,
}

#[derive(Debug)]
enum AsideKind {
    /// A tag of the video: its name, and what A and B state.
    Tag(Trait),
    /// A stream beside the frames.
    Stream(StreamDifference),
    /// Of A and of B.
    Chapters([usize; 2]),
    /// Of A and of B.
    Title([Option<String>; 2]),
}

impl fmt::Display for OtherDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.what {
            AsideKind::Tag(tag) => {
                write!(f, "{} {} in A and {} in B", tag.name, tag.named(&tag.expected), tag.named(&tag.found))
            }
            AsideKind::Stream(stream) => write!(f, "{}: {}", stream.stream(), stream.how.words("A", "B")),
            AsideKind::Chapters([a, b]) if a == b => write!(f, "times or titles of the {a} chapters"),
            AsideKind::Chapters([a, b]) => write!(f, "{a} chapters in A and {b} in B"),
            AsideKind::Title(titles) => {
                let [a, b] =
                    titles.each_ref().map(|title| title.as_ref().map_or("none".to_owned(), |t| format!("'{t}'")));
                write!(f, "title {a} in A and {b} in B")
            }
        }
    }
}

/// The same as a JSON object.
#[derive(Serialize)]
pub struct AsideJson<'a> {
    what: &'a str,
    beyond_tolerance: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    a: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    b: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream: Option<StreamLine>,
}

impl<'a> From<&'a OtherDifference> for AsideJson<'a> {
    fn from(aside: &'a OtherDifference) -> AsideJson<'a> {
        let bare = AsideJson { what: "", beyond_tolerance: aside.is_beyond, a: None, b: None, stream: None };
        match &aside.what {
            AsideKind::Tag(tag) => AsideJson { what: tag.name, a: Some(&tag.expected), b: Some(&tag.found), ..bare },
            AsideKind::Stream(stream) => AsideJson { what: "stream", stream: Some(stream.into()), ..bare },
            AsideKind::Chapters(_) => AsideJson { what: "chapters", ..bare },
            AsideKind::Title([a, b]) => AsideJson { what: "title", a: a.as_deref(), b: b.as_deref(), ..bare },
        }
    }
}

/// What differs between the films of `videos`, after all their frames were read.
pub fn asides(args: &CompareArgs, videos: &mut [Video; 2], findings: &Findings) -> Vec<OtherDifference> {
    let is_exact = args.tolerance == Some(Tolerance::EXACT);
    let mut all = tags(args, videos, is_exact);
    let [a, b] = videos;
    let [container_a, container_b] = [a.input.container(), b.input.container()];
    let chapters = [container_a, container_b].map(|container| &container.chapters[..]);
    let titles = [container_a, container_b].map(title);
    let streams = a.streams.as_mut().zip(b.streams.as_mut()).map(|(a, b)| {
        // Frames that are all later take the sound with them.
        let (times, offset) = match findings.lead {
            None => (Times::Ignore, 0.0),
            Some(0.0) => (Times::Exact, 0.0),
            Some(lead) => (Times::Offset, lead),
        };
        compare_streams(a.finish(), b.finish(), times, offset)
    });
    let beyond = |what| OtherDifference { what, is_beyond: is_exact };
    all.extend(streams.into_iter().flatten().map(|stream| beyond(AsideKind::Stream(stream))));
    let said = |what| OtherDifference { what, is_beyond: false };
    if chapters[0].len() != chapters[1].len() || chapters[0].iter().zip(chapters[1]).any(|(a, b)| differ(a, b)) {
        all.push(said(AsideKind::Chapters(chapters.map(<[Chapter]>::len))));
    }
    if titles[0] != titles[1] {
        all.push(said(AsideKind::Title(titles)));
    }
    all
}

fn tags(args: &CompareArgs, videos: &[Video; 2], is_exact: bool) -> Vec<OtherDifference> {
    let [a, b] = [0, 1].map(|i| {
        let presentation = Some(presentation(videos[i].input.container()));
        StatedTags { presentation, ..StatedTags::of(videos[i].info()) }
    });
    let strictness = args.tags().unwrap_or(if is_exact { Tags::Exact } else { Tags::Ignore });
    let beyond = if args.tolerance.is_some() { a.tags(&b, strictness) } else { Vec::new() };
    let all = a.tags(&b, Tags::Exact).into_iter().filter(|tag| !is_the_default(tag));
    all.map(|tag| OtherDifference { is_beyond: beyond.contains(&tag), what: AsideKind::Tag(tag) }).collect()
}

/// Whether one of the two only states the default: containers and codecs differ in that.
fn is_the_default(tag: &Trait) -> bool {
    let states = |[one, other]: [&str; 2]| match tag.name {
        "range" => (one, other) == ("unspecified", "limited"),
        "chroma_location" => (one, other) == ("unspecified", "0"),
        _ => false,
    };
    states([&tag.expected, &tag.found]) || states([&tag.found, &tag.expected])
}

/// Chapters of other times, to within a millisecond, or other titles.
fn differ(a: &Chapter, b: &Chapter) -> bool {
    let seconds = |chapter: &Chapter, time: i64| time as f64 * chapter.timebase.value().unwrap_or(0.0);
    let apart = |a_time, b_time| (seconds(a, a_time) - seconds(b, b_time)).abs() > 0.0015;
    apart(a.start, b.start) || apart(a.end, b.end) || tag(&a.metadata) != tag(&b.metadata)
}

fn title(container: &Container) -> Option<String> {
    tag(&container.metadata).map(str::to_owned)
}

fn tag(metadata: &[(String, String)]) -> Option<&str> {
    metadata.iter().find(|(key, _)| key.eq_ignore_ascii_case("title")).map(|(_, value)| value.as_str())
}
