//! What differs, for programs. `vramp verify --help` and docs/HASHES.md describe it.

use crate::cli::beside::StreamLine;
use crate::cli::verify::VerifyArgs;
use crate::io::hash::{DifferenceKind, HashFile, Span, Verification};
use serde::Serialize;

/// The object that --json prints.
#[derive(Serialize)]
pub struct Verdict {
    #[serde(rename = "match")]
    is_match: bool,
    file: String,
    input: String,
    hash: &'static str,
    alpha_ignored: bool,
    expected: usize,
    /// Null where frames cannot be compared.
    found: Option<usize>,
    same: usize,
    first: Option<u64>,
    stream: Vec<TraitJson>,
    offset: i64,
    unit: String,
    streams: Vec<StreamLine>,
    differences: Vec<DifferenceJson>,
}

#[derive(Serialize)]
struct TraitJson {
    name: &'static str,
    expected: String,
    found: String,
}

#[derive(Serialize)]
struct DifferenceJson {
    kind: &'static str,
    expected: Option<[u64; 2]>,
    found: Option<[u64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    planes: Option<Vec<usize>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    first: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last: Option<i64>,
}

impl Verdict {
    /// What `report` says of the input of `args`.
    pub fn new(args: &VerifyArgs, file: &HashFile, report: &Verification, alpha_ignored: bool) -> Verdict {
        let differs = |differs: &crate::io::hash::Trait| TraitJson {
            name: differs.name,
            expected: differs.expected.clone(),
            found: differs.found.clone(),
        };
        Verdict {
            is_match: report.is_match(),
            file: args.file.display().to_string(),
            input: args.input.display().to_string(),
            hash: file.hash.name(),
            alpha_ignored,
            expected: report.expected,
            found: report.found,
            same: report.same,
            first: report.first(),
            stream: report.traits.iter().map(differs).collect(),
            offset: report.offset,
            unit: file.stated.timebase.to_string(),
            streams: report.streams.iter().map(StreamLine::from).collect(),
            differences: report.differences.iter().map(DifferenceJson::from).collect(),
        }
    }
}

impl From<&crate::io::hash::Difference> for DifferenceJson {
    fn from(difference: &crate::io::hash::Difference) -> DifferenceJson {
        let span = |span: Option<Span>| span.map(|Span { first, last }| [first, last]);
        let (expected, found) = (span(difference.expected), span(difference.found));
        let bare = |kind| DifferenceJson { kind, expected, found, planes: None, by: None, first: None, last: None };
        match &difference.what {
            DifferenceKind::Missing => bare("missing"),
            DifferenceKind::Extra => bare("extra"),
            DifferenceKind::Duplicated => bare("duplicated"),
            DifferenceKind::Moved => bare("moved"),
            DifferenceKind::Shifted { by } => DifferenceJson { by: Some(*by), ..bare("shifted") },
            DifferenceKind::Pixels { planes } => DifferenceJson { planes: Some(planes.clone()), ..bare("pixels") },
            DifferenceKind::Time { first, last } => DifferenceJson { first: *first, last: *last, ..bare("time") },
        }
    }
}
