//! What makes a picture like another one, so that a filter may read them beside each other.

use crate::filters::siting::Siting;
use crate::filters::{self, Filter};
use crate::params::ParamValue;
use crate::video::{Model, StreamInfo};

/// The filters that give `other` the components, the colours and the range of `first`, but for those that would change nothing;
/// `None` where no filter does.
pub fn likening(first: &StreamInfo, other: &StreamInfo) -> Option<Vec<Box<dyn Filter>>> {
    let mut info = other.clone();
    let mut needed = Vec::new();
    for filter in filters::chain(&chain(first, other)?).ok()? {
        let spec = filter.spec(std::slice::from_ref(&info)).ok()?;
        if !spec.is_identity(&info) {
            needed.push(filter);
        }
        info = spec.output;
    }
    Some(needed)
}

/// The chain that does, whatever `other` has already.
fn chain(first: &StreamInfo, other: &StreamInfo) -> Option<String> {
    let (has, had) = (first.format, other.format);
    if has.is_yc48() || had.is_yc48() {
        return None;
    }
    let mut chain = Vec::new();
    let mut colours = match (had.model(), has.model()) {
        (Model::Rgb, Model::Yuv | Model::Gray) => format!("matrix={}", matrix(first)?),
        (Model::Yuv, Model::Rgb) => format!("matrix=rgb:from={}", matrix(other)?),
        (Model::Yuv, Model::Yuv) => format!("matrix={}:from={}", matrix(first)?, matrix(other)?),
        _ => String::new(),
    };
    let primaries = [first, other].map(primaries);
    if let [Some(has), Some(had)] = primaries
        && has != had
        && !colours.is_empty()
    {
        colours += &format!(":primaries={has}:primaries_from={had}");
    }
    if !colours.is_empty() {
        chain.push(colours);
    }
    if has.model() != Model::Rgb || had.model() == Model::Gray {
        let to = match (has.model(), has.subsampling_w(), has.subsampling_h()) {
            (Model::Rgb, ..) => "rgb",
            (Model::Gray, ..) => "gray",
            (_, 0, 0) => "yuv444",
            (_, _, 0) => "yuv422",
            _ => "yuv420",
        };
        chain.push(format!("format={to}:chroma_out={}", Siting::of(first).print()));
    }
    chain.push(format!("range={}", if first.is_full_range() { "full" } else { "limited" }));
    if first.is_full_range() {
        chain.push(format!("depth={}", has.bit_depth()));
    }
    Some(chain.join(","))
}

/// The matrix of `stream`, or what is usual for its height where it states none; `None` for one that is not converted.
fn matrix(stream: &StreamInfo) -> Option<&'static str> {
    match stream.color.matrix {
        1 => Some("bt709"),
        5 | 6 => Some("bt601"),
        9 => Some("bt2020"),
        2 if stream.height <= 576 => Some("bt601"),
        2 => Some("bt709"),
        _ => None,
    }
}

/// The primaries of `stream`, where it states some that are converted: those of BT.601 and BT.709 count as one, as players take them.
fn primaries(stream: &StreamInfo) -> Option<&'static str> {
    match stream.color.primaries {
        1 | 2 | 5 | 6 => Some("bt709"),
        9 => Some("bt2020"),
        12 => Some("p3"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::video::{ColorInfo, Range};

    #[test]
    fn filters_that_change_nothing_are_left_out() {
        let stream = |format: &str, matrix: u8, range: Range| {
            let bare = StreamInfo::bare(format.parse().unwrap(), 16, 8);
            StreamInfo { color: ColorInfo { matrix, range, ..bare.color }, ..bare }
        };
        let film = |range: Range| stream("yuv420p", 1, range);
        let (limited, full) = (film(Range::Limited), film(Range::Full));
        let names = |first: &StreamInfo, other: &StreamInfo| {
            let filters = likening(first, other)?;
            Some(filters.iter().map(|filter| filter.descriptor().name).collect::<Vec<_>>().join(","))
        };
        let rgb = |format: &str| stream(format, 0, Range::Full);
        let expected = [
            (&limited, stream("yuv420p10", 1, Range::Limited), Some("")),
            (&limited, stream("yuv444p", 1, Range::Limited), Some("format")),
            (&limited, full.clone(), Some("range")),
            (&limited, stream("yuv422p", 5, Range::Full), Some("matrix,format,range")),
            (&limited, rgb("gbrp"), Some("matrix,format")),
            (&limited, stream("gray", 1, Range::Limited), Some("format")),
            (&full, stream("yuv420p10", 1, Range::Full), Some("depth")),
            (&full, rgb("gbrp"), Some("matrix,format,range,depth")),
            (&rgb("gbrp10"), limited.clone(), Some("matrix,depth")),
            (&rgb("gbrp"), stream("gray", 1, Range::Limited), Some("format,range,depth")),
            (&stream("gray", 1, Range::Limited), rgb("gbrp"), Some("matrix,format")),
            // No filter knows YCgCo, nor makes YC48.
            (&limited, stream("yuv444p", 8, Range::Limited), None),
            (&stream("yc48", 1, Range::Limited), limited.clone(), None),
        ];
        for (first, other, filters) in expected {
            assert_eq!(names(first, &other).as_deref(), filters, "{} from {}", first.format, other.format);
        }
    }
}
