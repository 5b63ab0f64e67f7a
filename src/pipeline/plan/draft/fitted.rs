//! Pictures of other files that are made like the chain's, where a filter reads them beside it.

use super::{ChainPoint, Draft, Operand};
use crate::error::Result;
use crate::filters::siting::Siting;
use crate::filters::{self, Filter, Spec};
use crate::params::ParamValue;
use crate::video::{Model, StreamInfo};

/// H.273's code points: transfers of HDR.
const PQ: u8 = 16;
const HLG: u8 = 18;

impl Draft<'_> {
    /// What `filter` makes of `operands`. Pictures of other files that it refuses are made like the chain's one after another,
    /// as far as there are filters for that: a logo is of RGB, and most films are not.
    ///
    /// # Errors
    /// What the filter says of its operands as they came.
    pub(super) fn fitted(&mut self, filter: &dyn Filter, operands: &mut [ChainPoint]) -> Result<Spec> {
        let spec =
            |operands: &[ChainPoint]| filter.spec(&operands.iter().map(|point| point.info.clone()).collect::<Vec<_>>());
        let refused = match spec(operands) {
            Ok(spec) => return Ok(spec),
            Err(error) => error,
        };
        let (kept, mut tried) = (self.kept.len(), operands.to_vec());
        for number in 1..tried.len() {
            if !matches!(tried[number].from, Operand::Input(1..)) {
                continue;
            }
            let Some(text) = alike(&tried[0].info, &tried[number].info) else { continue };
            tried[number] = self.aside(filters::chain(&text)?, tried[number].clone())?;
            if let Ok(spec) = spec(&tried) {
                operands.clone_from_slice(&tried);
                return Ok(spec);
            }
        }
        self.kept.truncate(kept);
        Err(refused)
    }

    /// Adds `filters` to the picture `of`. The chain goes on from where it was.
    fn aside(&mut self, filters: Vec<Box<dyn Filter>>, of: ChainPoint) -> Result<ChainPoint> {
        let here = std::mem::replace(&mut self.here, of);
        let added = filters.into_iter().try_for_each(|filter| self.add(filter));
        let made = std::mem::replace(&mut self.here, here);
        added.map(|()| made)
    }
}

/// The chain that gives `other` the components and the range of `first`; `None` where no filter does, or light would have to
/// become that of HDR.
fn alike(first: &StreamInfo, other: &StreamInfo) -> Option<String> {
    let (has, had) = (first.format, other.format);
    if has.is_yc48() || had.is_yc48() || [PQ, HLG].contains(&first.color.transfer) {
        return None;
    }
    let mut chain = Vec::new();
    match (had.model(), has.model()) {
        (Model::Rgb, Model::Yuv | Model::Gray) => chain.push(format!("matrix={}", matrix(first)?)),
        (Model::Yuv, Model::Rgb) => chain.push("matrix=rgb".to_owned()),
        _ => {}
    }
    if has.model() != Model::Rgb || had.model() == Model::Gray {
        let to = match (has.model(), has.subsampling_w(), has.subsampling_h()) {
            (Model::Rgb, ..) => "rgb",
            (Model::Gray, ..) => "gray",
            (_, 0, 0) => "yuv444",
            (_, _, 0) => "yuv422",
            _ => "yuv420",
        };
        let siting = Siting::of(first).print();
        chain.push(format!("format={to}:chroma_out={siting}"));
    }
    chain.push(format!("range={}", if first.is_full_range() { "full" } else { "limited" }));
    if first.is_full_range() {
        chain.push(format!("depth={}", has.bit_depth()));
    }
    Some(chain.join(","))
}

/// The matrix of `stream`, or what is usual for its height where it states none; `None` for one that is not converted to.
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
