//! The tables of f3kdb's soft modes on a device.

use crate::device::cuda::{CudaDevice, DeviceBuffer};
use crate::error::Result;
use crate::filters::deband::angle::{self, ARCS};
use crate::filters::deband::plan::Plan;
use crate::filters::deband::soft::{Soft, thresholds};

/// Tables of shares of a component.
const TABLES: usize = 6;

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
        let entries = TABLES * plan.components.len() * longest(plan) + ARCS;
        if plan.is_soft() { entries * size_of::<u16>() } else { 0 }
    }

    /// The tables of `plan`, where its mode has a use for them.
    ///
    /// # Errors
    /// When there is no memory for them.
    pub fn new(plan: &Plan, device: &CudaDevice) -> Result<Option<SoftTables>> {
        if !plan.is_soft() {
            return Ok(None);
        }
        let count = longest(plan);
        let mut shares = Vec::new();
        for component in &plan.components {
            for table in Soft::new(plan, component).tables() {
                let end = shares.len() + count;
                shares.extend_from_slice(table);
                shares.resize(end, 0);
            }
        }
        Ok(Some(SoftTables {
            shares: DeviceBuffer::from_bytes(device, &bytes(&shares), "deband's shares")?,
            count,
            arcs: DeviceBuffer::from_bytes(device, &bytes(&angle::arcs()), "arcs of slopes")?,
        }))
    }
}

/// Entries of the longest table, which all are padded to. One at least, so that there is something to allocate.
fn longest(plan: &Plan) -> usize {
    let all = plan.components.iter().flat_map(|component| thresholds(plan, component).into_iter().flatten());
    all.max().unwrap_or(0).max(1) as usize
}

fn bytes(words: &[u16]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}
