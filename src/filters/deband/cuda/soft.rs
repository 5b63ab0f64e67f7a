//! The tables of f3kdb's soft modes on a device.

use crate::device::cuda::{CudaDevice, DeviceBuffer};
use crate::error::Result;
use crate::filters::deband::angle;
use crate::filters::deband::plan::Plan;
use crate::filters::deband::soft::Soft;

/// Shares and arcs.
pub struct SoftTables {
    pub shares: DeviceBuffer,
    /// Entries of each table of shares.
    pub count: usize,
    pub arcs: DeviceBuffer,
}

impl SoftTables {
    /// Bytes of the tables of `plan`.
    pub fn memory(plan: &Plan) -> usize {
        let (shares, _) = shares(plan);
        if shares.is_empty() { 0 } else { bytes(&shares).len() + bytes(&angle::arcs()).len() }
    }

    /// The tables of `plan`, where its mode has a use for them.
    ///
    /// # Errors
    /// When there is no memory for them.
    pub fn new(plan: &Plan, device: &CudaDevice) -> Result<Option<SoftTables>> {
        let (shares, count) = shares(plan);
        if shares.is_empty() {
            return Ok(None);
        }
        Ok(Some(SoftTables {
            shares: DeviceBuffer::from_bytes(device, &bytes(&shares), "deband's shares")?,
            count,
            arcs: DeviceBuffer::from_bytes(device, &bytes(&angle::arcs()), "arcs of slopes")?,
        }))
    }
}

/// The shares of every component one after the other, every table as long as the longest; and how long that is.
fn shares(plan: &Plan) -> (Vec<u16>, usize) {
    let soft = Soft::of(plan);
    let tables = || soft.iter().flat_map(Soft::tables);
    // One entry at least, so that there is something to allocate.
    let count = tables().map(<[u16]>::len).max().unwrap_or(0).max(1);
    let padded = |table: &[u16]| table.iter().copied().chain(std::iter::repeat(0)).take(count).collect::<Vec<_>>();
    (tables().flat_map(padded).collect(), count)
}

fn bytes(words: &[u16]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}
