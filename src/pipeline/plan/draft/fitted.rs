//! Pictures of other files that are made like the chain's, where a filter reads them beside it.

use super::{ChainPoint, Draft, KeptFilter, Operand, SideInput};
use crate::error::Result;
use crate::filters::siting::Siting;
use crate::filters::{self, Filter, Spec};
use crate::params::{ParamValue, Spelling, print_chain};
use crate::video::{Model, StreamInfo};

/// H.273's code points: transfers of HDR.
const PQ: u8 = 16;
const HLG: u8 = 18;

impl Draft<'_> {
    /// What `filter` makes of `operands`. Pictures of other files that one which mixes refuses are made like the chain's one after
    /// another, as far as there are filters for that: a logo is of RGB, and most films are not.
    ///
    /// # Errors
    /// What the filter says of its operands.
    pub(super) fn fitted(&mut self, filter: &dyn Filter, operands: &mut [ChainPoint]) -> Result<Spec> {
        let spec =
            |operands: &[ChainPoint]| filter.spec(&operands.iter().map(|point| point.info.clone()).collect::<Vec<_>>());
        let mut made = spec(operands);
        for number in 1..operands.len() {
            if made.is_ok() || !filter.mixes() {
                break;
            }
            let Operand::Input(side @ 1..) = operands[number].from else { continue };
            let Some(text) = alike(&operands[0].info, &operands[number].info) else { continue };
            let (kept, skipped) = (self.kept.len(), self.skipped.len());
            let made_like = self.aside(filters::chain(&text)?, operands[number].clone());
            // Nobody asked for what is left out here.
            self.skipped.truncate(skipped);
            match made_like {
                Ok(point) => {
                    self.kept[kept..].iter_mut().for_each(|stage| stage.fits = Some(side));
                    operands[number] = point;
                }
                Err(_) => {
                    self.kept.truncate(kept);
                    continue;
                }
            }
            made = spec(operands);
        }
        made
    }

    /// Adds `filters` to the picture `of`. The chain goes on from where it was.
    fn aside(&mut self, filters: Vec<Box<dyn Filter>>, of: ChainPoint) -> Result<ChainPoint> {
        let here = std::mem::replace(&mut self.here, of);
        let added = filters.into_iter().try_for_each(|filter| self.add(filter));
        let made = std::mem::replace(&mut self.here, here);
        added.map(|()| made)
    }
}

/// The names of `sides` that stages of `kept` make like the chain's pictures, each with the calls that do.
pub(super) fn fitted(kept: &[KeptFilter], sides: &[SideInput]) -> Vec<(String, String)> {
    let mut fitted = Vec::new();
    for run in kept.chunk_by(|a, b| a.fits == b.fits) {
        let Some(side) = run[0].fits else { continue };
        let calls: Vec<_> = run.iter().flat_map(|stage| stage.filter.calls()).collect();
        let one = (sides[side - 1].name.clone(), print_chain(&calls, Spelling::FFmpeg));
        if !fitted.contains(&one) {
            fitted.push(one);
        }
    }
    fitted
}

/// The chain that gives `other` the components, the colours and the range of `first`; `None` where no filter does, or where one
/// of them is HDR.
fn alike(first: &StreamInfo, other: &StreamInfo) -> Option<String> {
    let (has, had) = (first.format, other.format);
    let is_hdr = |stream: &StreamInfo| [PQ, HLG].contains(&stream.color.transfer);
    if has.is_yc48() || had.is_yc48() || is_hdr(first) || is_hdr(other) {
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
