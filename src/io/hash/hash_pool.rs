//! Hashing beside decoder and chain: several frames at a time, results in order.

use crate::compare::diagnosis::Entry;
use crate::error::{Error, Kind, Result};
use crate::io::hash::digest::Hash;
use crate::io::hash::record::HashFormat;
use crate::pipeline::Frame;
use crossbeam_channel::{Receiver, bounded};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::collections::VecDeque;
use std::fmt;
use std::thread;

/// More threads hash faster than any decoder decodes.
const MOST_THREADS: usize = 8;

/// Threads that hash frames. Few frames are held at a time.
pub struct HashPool {
    pool: ThreadPool,
    hash: Hash,
    layout: HashFormat,
    /// Frames that are being hashed, in order.
    waiting: VecDeque<Receiver<Entry>>,
}

impl fmt::Debug for HashPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HashPool({} threads)", self.pool.current_num_threads())
    }
}

impl HashPool {
    /// Threads that hash as `layout` has it.
    ///
    /// # Errors
    /// When none can be started.
    pub fn new(hash: Hash, layout: HashFormat) -> Result<HashPool> {
        let threads = thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS);
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|_| "vramp-hash".to_owned())
            // The frame's entry is then missing, which is an error.
            .panic_handler(|_| {})
            .build()
            .map_err(|e| Error::new(Kind::OutOfMemory, format!("cannot start threads that hash: {e}")))?;
        Ok(HashPool { pool, hash, layout, waiting: VecDeque::new() })
    }

    /// Forgets the frames that are in work.
    pub fn restart(&mut self) {
        self.waiting.clear();
    }

    /// Begins with `frame`. Gives what an earlier frame became, when as many are in work as may be.
    ///
    /// # Errors
    /// When hashing failed.
    pub fn push(&mut self, frame: Frame) -> Result<Option<Entry>> {
        let (send, hashed) = bounded(1);
        let (hash, layout) = (self.hash, self.layout);
        // Nobody waits any more when the run has failed.
        self.pool.spawn(move || drop(send.send(entry(frame, hash, layout))));
        self.waiting.push_back(hashed);
        if self.waiting.len() > self.pool.current_num_threads() { self.pop() } else { Ok(None) }
    }

    /// Waits for the next frame that is in work; `None` when there is none.
    ///
    /// # Errors
    /// When hashing failed.
    pub fn pop(&mut self) -> Result<Option<Entry>> {
        let next = self.waiting.pop_front().map(|hashed| hashed.recv());
        next.transpose().map_err(|_| Error::internal("a thread that hashes panicked"))
    }
}

fn entry(frame: Frame, hash: Hash, layout: HashFormat) -> Entry {
    let Frame { props, picture } = frame;
    let size = |plane| picture.format().plane_size(plane, picture.width(), picture.height());
    Entry {
        index: props.frame_index,
        pts: props.pts,
        duration: props.duration,
        key: props.key,
        bytes: (0..picture.format().planes()).map(size).map(|(row, rows)| (row * rows) as u64).sum(),
        hashes: match layout {
            HashFormat::Vramp => hash.planes(&picture),
            HashFormat::Ffmpeg => hash.whole(&picture),
        },
    }
}
