//! Queues: frames in flight on threads of the library's, received in the order in which they were submitted.

use super::abi::{self, Frame, InputFrame, Planes};
use super::call::{call, can_give, give, keep_record};
use super::chain::{CHAINS, Chain, FrameRequest, Opaque as ChainHandle};
use super::handles::Handles;
use crate::guard::guard;
use std::collections::VecDeque;
use std::ffi::c_void;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use vramp::error::{Error, Kind, Result};
use vramp::video::FrameProps;

/// The deepest queue.
const DEEPEST: u32 = 64;

/// The queues that callers hold.
static QUEUES: Handles<Queue> = Handles::new("queue");

/// The header's `vramp_queue`.
pub struct Opaque;

/// A queue and its threads.
struct Queue {
    shared: Arc<Shared>,
    workers: Mutex<Vec<JoinHandle<()>>>,
}

/// What callers and workers share.
struct Shared {
    chain: Arc<Chain>,
    depth: usize,
    state: Mutex<State>,
    /// There is a frame to start, or the queue closes.
    work: Condvar,
    /// A frame is done, or the queue closes.
    done: Condvar,
}

#[derive(Default)]
struct State {
    /// The frames that have not been received.
    jobs: VecDeque<Job>,
    /// The number of the first of them, and of the first that nobody has started.
    first: u64,
    next: u64,
    closed: bool,
}

struct Job {
    work: Arc<FrameRequest>,
    /// The caller's pointer, which nobody follows.
    user: usize,
    outcome: Option<Result<FrameProps>>,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Filters frames until the queue closes.
    fn work(&self) {
        let mut state = self.state();
        loop {
            let State { first, next, closed, ref jobs } = *state;
            if closed {
                return;
            }
            let Some(job) = jobs.get((next - first) as usize) else {
                state = self.work.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let work = Arc::clone(&job.work);
            state.next += 1;
            drop(state);
            // SAFETY: the caller promised with the submission that the memory stays until it is received.
            let outcome = guard(|| unsafe { self.chain.process(&work) });
            state = self.state();
            // Nothing before it has been received that it was not before: it is still there.
            let place = (next - state.first) as usize;
            state.jobs[place].outcome = Some(outcome);
            self.done.notify_all();
        }
    }
}

impl Queue {
    fn new(chain: Arc<Chain>, depth: u32) -> Result<Queue> {
        if !(1..=DEEPEST).contains(&depth) {
            return Err(Error::bad_argument(format!("depth is {depth}: it takes 1 to {DEEPEST}")));
        }
        let shared = Arc::new(Shared {
            chain,
            depth: depth as usize,
            state: Mutex::default(),
            work: Condvar::new(),
            done: Condvar::new(),
        });
        let queue = Queue { shared, workers: Mutex::default() };
        for number in 0..depth {
            let shared = Arc::clone(&queue.shared);
            let worker = thread::Builder::new().name(format!("vramp-queue-{number}")).spawn(move || shared.work());
            let worker =
                worker.map_err(|e| Error::new(Kind::OutOfMemory, format!("cannot start a queue's thread: {e}")))?;
            queue.workers.lock().unwrap_or_else(PoisonError::into_inner).push(worker);
        }
        Ok(queue)
    }

    /// False: the queue is full.
    fn submit(&self, work: FrameRequest, user: usize) -> Result<bool> {
        let mut state = self.shared.state();
        if state.closed {
            return Err(destroyed());
        }
        if state.jobs.len() == self.shared.depth {
            return Ok(false);
        }
        state.jobs.push_back(Job { work: Arc::new(work), user, outcome: None });
        drop(state);
        self.shared.work.notify_one();
        Ok(true)
    }

    fn receive(&self, wait: bool) -> Received {
        let mut state = self.shared.state();
        loop {
            if state.closed {
                return Received::Failed(destroyed());
            }
            match state.jobs.front() {
                None => return Received::Empty,
                Some(Job { outcome: Some(_), .. }) => {}
                Some(_) if !wait => return Received::NotYet,
                Some(_) => {
                    state = self.shared.done.wait(state).unwrap_or_else(PoisonError::into_inner);
                    continue;
                }
            }
            state.first += 1;
            return match state.jobs.pop_front() {
                Some(Job { user, outcome: Some(outcome), .. }) => Received::Frame(user, outcome),
                _ => Received::Failed(Error::internal("a frame was received twice")),
            };
        }
    }

    /// Ends the threads, after the frames that they are at.
    fn close(&self) {
        self.shared.state().closed = true;
        self.shared.work.notify_all();
        self.shared.done.notify_all();
        let workers = std::mem::take(&mut *self.workers.lock().unwrap_or_else(PoisonError::into_inner));
        for worker in workers {
            // A worker's panics are outcomes.
            let _ = worker.join();
        }
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        self.close();
    }
}

/// What there is to receive.
enum Received {
    Frame(usize, Result<FrameProps>),
    NotYet,
    Empty,
    Failed(Error),
}

fn destroyed() -> Error {
    Error::new(Kind::Cancelled, "the queue was destroyed")
}

/// `vramp_queue_create` of the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vramp_queue_create(chain: *mut ChainHandle, depth: u32, queue: *mut *mut Opaque) -> i32 {
    call(|| {
        can_give(queue, "queue")?;
        let made = Queue::new(CHAINS.get(chain)?, depth)?;
        // SAFETY: the caller's promise.
        unsafe { give(queue, QUEUES.insert(made), "queue") }.map(|()| abi::OK)
    })
}

/// `vramp_queue_destroy` of the header.
#[unsafe(no_mangle)]
pub extern "C" fn vramp_queue_destroy(queue: *mut Opaque) -> i32 {
    call(|| {
        if !queue.is_null() {
            QUEUES.remove(queue)?.close();
        }
        Ok(abi::OK)
    })
}

/// `vramp_queue_submit` of the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vramp_queue_submit(
    queue: *mut Opaque,
    frame: *const Frame,
    src: *const Planes,
    dst: *const Planes,
    user: *mut c_void,
) -> i32 {
    call(|| {
        let queue = QUEUES.get(queue)?;
        let chain = &queue.shared.chain;
        // SAFETY: the caller's promise.
        let work = unsafe { chain.one(frame, src, dst, "vramp_queue_submit_frames") }?;
        chain.check(&work)?;
        Ok(if queue.submit(work, user.expose_provenance())? { abi::OK } else { abi::AGAIN })
    })
}

/// `vramp_queue_submit_frames` of the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vramp_queue_submit_frames(
    queue: *mut Opaque,
    frame: u64,
    frames: *const InputFrame,
    count: u32,
    dst: *const Planes,
    user: *mut c_void,
) -> i32 {
    call(|| {
        let queue = QUEUES.get(queue)?;
        let chain = &queue.shared.chain;
        // SAFETY: the caller's promise.
        let work = unsafe { chain.many(frame, frames, count, dst) }?;
        chain.check(&work)?;
        Ok(if queue.submit(work, user.expose_provenance())? { abi::OK } else { abi::AGAIN })
    })
}

/// `vramp_queue_receive` of the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vramp_queue_receive(queue: *mut Opaque, wait: i32, user: *mut *mut c_void) -> i32 {
    call(|| {
        if !matches!(wait, 0 | 1) {
            return Err(Error::bad_argument(format!("wait is {wait}: it takes 0 or 1")));
        }
        if !user.is_null() {
            can_give(user, "user")?;
        }
        match QUEUES.get(queue)?.receive(wait == 1) {
            Received::Frame(token, outcome) => {
                if !user.is_null() {
                    // SAFETY: the caller's promise.
                    unsafe { give(user, std::ptr::with_exposed_provenance_mut(token), "user") }?;
                }
                keep_record(&outcome?);
                Ok(abi::OK)
            }
            Received::NotYet => Ok(abi::AGAIN),
            Received::Empty => Ok(abi::EMPTY),
            Received::Failed(error) => Err(error),
        }
    })
}
