//! The random table on a device, laid out for vector reads.

use crate::device::Shared;
use crate::device::cuda::{CudaDevice, DeviceBuffer};
use crate::error::{Error, Result};
use crate::filters::deband::plan::Plan;
use crate::filters::deband::table::{Draw, FRAMES, ROWS_PER_FRAME, Table};
use std::sync::{Arc, Weak};

/// Rows start at multiples of so many bytes.
const ALIGN: usize = 16;

/// What a table depends on.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Key {
    width: usize,
    height: usize,
    seed: u32,
    each_frame: bool,
}

/// The random bytes of a stream. Since a frame's bytes start a whole number of rows into the table, all frames share
/// the rows.
pub struct DeviceTable {
    key: Key,
    /// Row r: byte x of rows r and r + height of the table in turn, which are a frame's offsets a and b.
    offsets: DeviceBuffer,
    offsets_pitch: usize,
    /// Row r of the table.
    noise: DeviceBuffer,
    noise_pitch: usize,
}

/// Where one frame's bytes lie.
pub struct Draws {
    pub offsets: u64,
    pub offsets_pitch: u32,
    /// Of each component.
    pub noise: [u64; 3],
    pub noise_pitch: u32,
}

/// A table, and the device that it is on: one that is closed is no other's equal, wherever that lies.
struct TableIdentity(Weak<CudaDevice>, Key);

impl PartialEq for TableIdentity {
    fn eq(&self, other: &TableIdentity) -> bool {
        self.0.ptr_eq(&other.0) && self.1 == other.1
    }
}

/// The tables that are in use, so that filters and chains with one seed and size share one.
static TABLES: Shared<TableIdentity, DeviceTable> = Shared::new();

impl Key {
    fn of(plan: &Plan) -> Key {
        Key { width: plan.width, height: plan.height, seed: plan.seed, each_frame: plan.rand_each_frame }
    }

    /// Rows of the table before those of the last frame that has its own.
    fn earlier_rows(&self) -> usize {
        if self.each_frame { ROWS_PER_FRAME * (FRAMES as usize - 1) } else { 0 }
    }

    /// Bytes of a row of noise, and of a row of offsets. Threads read eight columns at a time, the last ones beyond a row's end.
    fn pitches(&self) -> (usize, usize) {
        let pitch = self.width.next_multiple_of(ALIGN);
        (pitch, 2 * pitch)
    }

    /// Rows of noise, and of offsets.
    fn rows(&self) -> (usize, usize) {
        (self.earlier_rows() + 3 * self.height, self.earlier_rows() + self.height)
    }
}

impl DeviceTable {
    /// Bytes of the table for `plan`, which filters and chains with one seed and size share.
    pub fn memory(plan: &Plan) -> usize {
        let key = Key::of(plan);
        let ((noise, offsets), (noise_rows, offsets_rows)) = (key.pitches(), key.rows());
        (noise.saturating_mul(noise_rows)).saturating_add(offsets.saturating_mul(offsets_rows))
    }

    /// The table for `plan` on `device`: one that is there already, or a new one.
    ///
    /// # Errors
    /// When there is no memory for it.
    pub fn shared(device: &Arc<CudaDevice>, plan: &Plan) -> Result<Arc<DeviceTable>> {
        let key = Key::of(plan);
        TABLES.get(TableIdentity(Arc::downgrade(device), key), || DeviceTable::new(device, key).map(Arc::new))
    }

    fn new(device: &CudaDevice, key: Key) -> Result<DeviceTable> {
        let Key { width, height, seed, each_frame } = key;
        let table = Table::new(width, height, seed, each_frame)?;
        let ((noise_pitch, offsets_pitch), (noise_rows, offsets_rows)) = (key.pitches(), key.rows());
        if offsets_pitch.checked_mul(height).is_none_or(|bytes| u32::try_from(bytes).is_err()) {
            return Err(Error::unsupported(format!("a {width}x{height} picture is too large for CUDA kernels")));
        }

        let mut offsets = vec![0; offsets_pitch * offsets_rows];
        for (y, row) in offsets.chunks_exact_mut(offsets_pitch).enumerate() {
            let (a, b) = (table.row(Draw::RefA, 0, 0, y), table.row(Draw::RefB, 0, 0, y));
            for (pair, (a, b)) in row.as_chunks_mut::<2>().0[..width].iter_mut().zip(a.iter().zip(b)) {
                *pair = [*a, *b];
            }
        }
        let offsets = DeviceBuffer::from_bytes(device, &offsets, "deband's random offsets")?;

        let mut noise = vec![0; noise_pitch * noise_rows];
        for (y, row) in noise.chunks_exact_mut(noise_pitch).enumerate() {
            row[..width].copy_from_slice(&table.row(Draw::Dither(0), 0, 0, y)[..width]);
        }
        let noise = DeviceBuffer::from_bytes(device, &noise, "deband's noise")?;
        Ok(DeviceTable { key, offsets, offsets_pitch, noise, noise_pitch })
    }

    /// Where the bytes of frame `frame_index` lie.
    pub fn frame(&self, frame_index: u64) -> Draws {
        let first = if self.key.each_frame { ROWS_PER_FRAME * (frame_index % FRAMES) as usize } else { 0 };
        let noise =
            |component| self.noise.address() + ((first + component * self.key.height) * self.noise_pitch) as u64;
        Draws {
            offsets: self.offsets.address() + (first * self.offsets_pitch) as u64,
            offsets_pitch: self.offsets_pitch as u32,
            noise: [noise(0), noise(1), noise(2)],
            noise_pitch: self.noise_pitch as u32,
        }
    }
}
