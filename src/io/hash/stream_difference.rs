//! What differs between the streams beside the frames.

use crate::compare::diagnosis::{Difference, DifferenceKind, Entry, Expected, TimeScale, Times, diagnose};
use crate::io::hash::streams::CodedStream;
use crate::video::Rational;

/// A stream that differs.
#[derive(Clone, Debug, PartialEq)]
pub struct StreamDifference {
    /// Its number in the expected source, or in the found one where only that has it.
    pub index: usize,
    /// What it holds.
    pub media: String,
    /// Its codec there.
    pub codec: String,
    /// How it differs.
    pub how: How,
}

/// How a stream differs.
#[derive(Clone, Debug, PartialEq)]
pub enum How {
    /// It is not there.
    Missing,
    /// It should not be there.
    Extra,
    /// It has this codec instead.
    Codec(String),
    /// Packets lack.
    Lacks(Packets),
    /// There are packets too many.
    TooMany(Packets),
    /// Packets hold something else.
    Bytes(Packets),
    /// Packets are in another order.
    Order(Packets),
    /// Packets are so many seconds later, at least and at most; `None`: they have a time in one of the two only.
    Later(Packets, Option<(f64, f64)>),
    /// Packets are shown for another time.
    Durations(Packets),
}

/// Some packets of a stream.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Packets {
    /// How many; those that follow each other at once may be counted as one.
    pub count: u64,
    /// When the first of them is heard or shown, in seconds.
    pub from: Option<f64>,
}

/// How the streams `found` differ from those that were `expected`, where the frames found are later by `offset` seconds.
/// The first of a kind is compared with the first of that kind, and so on.
pub fn compare_streams(
    expected: &[CodedStream],
    found: &[CodedStream],
    times: Times,
    offset: f64,
) -> Vec<StreamDifference> {
    let mut all = Vec::new();
    let mut rest: Vec<_> = found.iter().collect();
    for stream in expected {
        let partner = rest.iter().position(|other| other.media == stream.media).map(|place| rest.remove(place));
        let how = partner.map_or_else(|| vec![How::Missing], |found| differences(stream, found, times, offset));
        all.extend(how.into_iter().map(|how| StreamDifference::of(stream, how)));
    }
    all.extend(rest.into_iter().map(|stream| StreamDifference::of(stream, How::Extra)));
    all
}

impl StreamDifference {
    /// "stream 1 (audio aac)".
    pub fn stream(&self) -> String {
        format!("stream {} ({} {})", self.index, self.media, self.codec)
    }

    fn of(stream: &CodedStream, how: How) -> StreamDifference {
        StreamDifference { index: stream.index, media: stream.media.clone(), codec: stream.codec.clone(), how }
    }
}

impl How {
    /// What differs, for people, where `one` was expected and `other` found.
    pub fn words(&self, one: &str, other: &str) -> String {
        let of = |packets: &Packets, words: &str| {
            let count = packets.count;
            let noun = if count == 1 { "packet" } else { "packets" };
            let from = packets.from.map_or_else(String::new, |from| format!(", from {from:.3} s on"));
            format!("{count} {noun} of {other} {words}{from}")
        };
        match self {
            How::Missing => format!("only in {one}"),
            How::Extra => format!("only in {other}"),
            How::Codec(codec) => format!("{codec} in {other}"),
            How::Lacks(packets) => {
                let from = packets.from.map_or_else(String::new, |from| format!(", from {from:.3} s on"));
                format!("{} packets of {one} lack in {other}{from}", packets.count)
            }
            How::TooMany(packets) => of(packets, "are too many"),
            How::Bytes(packets) => of(packets, "hold something else"),
            How::Order(packets) => of(packets, "are at another place in the order"),
            How::Later(packets, None) => of(packets, "have a time in one of the two only"),
            How::Later(packets, Some((least, most))) if format!("{least:.3}") == format!("{most:.3}") => {
                of(packets, &format!("come {}", amount(*least)))
            }
            How::Later(packets, Some((least, most))) => {
                of(packets, &format!("come between {} and {}", amount(*least), amount(*most)))
            }
            How::Durations(packets) => of(packets, "last another time"),
        }
    }

    /// The word for it, for programs.
    pub fn kind(&self) -> &'static str {
        match self {
            How::Missing => "missing",
            How::Extra => "extra",
            How::Codec(_) => "codec",
            How::Lacks(_) => "packets_missing",
            How::TooMany(_) => "packets_extra",
            How::Bytes(_) => "packets_bytes",
            How::Order(_) => "packets_order",
            How::Later(..) => "packets_time",
            How::Durations(_) => "packets_duration",
        }
    }

    /// The packets that it is about.
    pub fn packets(&self) -> Option<Packets> {
        match self {
            How::Missing | How::Extra | How::Codec(_) => None,
            How::Lacks(packets) | How::TooMany(packets) | How::Bytes(packets) => Some(*packets),
            How::Order(packets) | How::Later(packets, _) | How::Durations(packets) => Some(*packets),
        }
    }
}

/// "0.500 s later".
fn amount(later: f64) -> String {
    format!("{:.3} s {}", later.abs(), if later < 0.0 { "earlier" } else { "later" })
}

fn differences(expected: &CodedStream, found: &CodedStream, times: Times, offset: f64) -> Vec<How> {
    if expected.codec != found.codec {
        return vec![How::Codec(found.codec.clone())];
    }
    let unit = expected.timebase;
    let packets = Expected { entries: &expected.packets, timebase: unit, plane: None };
    let diagnosis = diagnose(&packets, found.timebase, &found.packets, times);
    let mut all = by_kind(&diagnosis.differences, expected, found);
    // All later is no difference of times where the frames are so, too.
    let late = diagnosis.offset as f64 * unit.value().unwrap_or(0.0) - offset;
    if times == Times::Offset && late.abs() > slack([unit, found.timebase]) {
        let packets = Packets { count: found.packets.len() as u64, from: time(&expected.packets, 0, unit) };
        all.push(How::Later(packets, Some((late, late))));
    }
    if all.is_empty() && expected.media == "subtitle" {
        all.extend(durations(expected, found).map(How::Durations));
    }
    all
}

/// What rounding may make of the distance of two streams: a millisecond, as some containers count, or two units.
fn slack(units: [Rational; 2]) -> f64 {
    units.into_iter().filter_map(Rational::value).map(|unit| 2.0 * unit).fold(0.002, f64::max)
}

/// The differences of packets, those of a kind together.
fn by_kind(differences: &[Difference], expected: &CodedStream, found: &CodedStream) -> Vec<How> {
    let gather = |is: &dyn Fn(&Difference) -> bool| {
        let of_kind = || differences.iter().filter(|difference| is(difference));
        let first = of_kind().next()?;
        let span = |difference: &Difference| difference.expected.or(difference.found).map_or(0, |span| span.frames());
        let from = match first.expected {
            Some(span) => time(&expected.packets, span.first, expected.timebase),
            None => first.found.and_then(|span| time(&found.packets, span.first, found.timebase)),
        };
        Some(Packets { count: of_kind().map(span).sum(), from })
    };
    let unit = expected.timebase.value().unwrap_or(0.0);
    let ends = differences.iter().filter_map(|difference| match difference.what {
        DifferenceKind::Time { first, last } => Some([first?, last?].map(|units| units as f64 * unit)),
        _ => None,
    });
    let range = |(least, most): (f64, f64), [a, b]: [f64; 2]| (least.min(a).min(b), most.max(a).max(b));
    let later =
        ends.fold(None, |known: Option<(f64, f64)>, ends| Some(range(known.unwrap_or((ends[0], ends[0])), ends)));
    // A packet that holds again what the one before it does holds something else than it should.
    let again = |difference: &Difference| difference.what == DifferenceKind::Duplicated;
    let all = [
        gather(&|difference| difference.what == DifferenceKind::Missing).map(How::Lacks),
        gather(&|difference| {
            difference.what == DifferenceKind::Extra || again(difference) && difference.expected.is_none()
        })
        .map(How::TooMany),
        gather(&|difference| {
            matches!(difference.what, DifferenceKind::Pixels { .. })
                || again(difference) && difference.expected.is_some()
        })
        .map(How::Bytes),
        gather(&|difference| matches!(difference.what, DifferenceKind::Moved | DifferenceKind::Shifted { .. }))
            .map(How::Order),
        gather(&|difference| matches!(difference.what, DifferenceKind::Time { .. }))
            .map(|packets| How::Later(packets, later)),
    ];
    all.into_iter().flatten().collect()
}

/// The packets that are shown for another time, to within a unit of both.
fn durations(expected: &CodedStream, found: &CodedStream) -> Option<Packets> {
    let scale = TimeScale::new(expected.timebase, found.timebase, Times::Exact, None);
    let differs = |(e, f): &(&Entry, &Entry)| {
        !scale.same(scale.convert(f.duration).saturating_sub(e.duration)) && e.duration > 0 && f.duration > 0
    };
    let pairs = || expected.packets.iter().zip(&found.packets).filter(differs);
    let (from, _) = pairs().next()?;
    let from = time(&expected.packets, from.index, expected.timebase);
    Some(Packets { count: pairs().count() as u64, from })
}

/// When packet number `index` is heard or shown, in seconds.
fn time(packets: &[Entry], index: u64, unit: Rational) -> Option<f64> {
    let packet = packets.get(usize::try_from(index).ok()?)?;
    Some(packet.pts? as f64 * unit.value()?)
}
