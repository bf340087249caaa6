//! The threads that match rules: the only file that names rayon. Work is handed over once a batch, because a hand-over costs
//! about as much as matching several records. The order of batches is decided in `pool/turns`.

mod turns;

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use common::ids::OrganizationId;
use rayon::prelude::*;
use thiserror::Error;
use tokio::sync::oneshot;

use self::turns::Turns;

/// Items a thread takes at once.
const CHUNK: usize = 128;
/// Steps of an organization's own documents in one batch from which on its batches are matched by one thread each: some
/// milliseconds. Cheaper work is over before others would notice.
const COSTLY_STEPS: u64 = 1 << 21;

/// A fixed set of threads for work that only computes.
#[derive(Debug)]
pub(crate) struct Pool {
    threads: rayon::ThreadPool,
    turns: Arc<Mutex<Turns<Job>>>,
}

/// Work for one organization; returns the cost of its own documents.
struct Job(Box<dyn FnOnce(Threads) -> u64 + Send>);

impl std::fmt::Debug for Job {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Job")
    }
}

/// Number of threads that may work on one batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Threads {
    /// All that are idle.
    Idle,
    /// The calling one alone: the organization's last batch was costly.
    One,
}

/// Reason why work was not done.
#[derive(Debug, Error)]
pub enum PoolError {
    /// The operating system gave no threads.
    #[error("the matching threads could not be started")]
    Start(#[source] rayon::ThreadPoolBuildError),
    /// The work panicked outside of the part that it guards itself.
    #[error("a batch could not be matched: a matching thread panicked")]
    Panicked,
}

impl Pool {
    /// Starts `threads` threads, one per core when 0.
    pub(crate) fn start(threads: usize) -> Result<Self, PoolError> {
        let threads = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|index| format!("match-{index}"))
            .build()
            .map_err(PoolError::Start)?;
        let turns = Turns::new(threads.current_num_threads());
        Ok(Self { threads, turns: Arc::new(Mutex::new(turns)) })
    }

    /// Runs `work` for an organization without blocking the caller's thread; organizations take turns. `cost` returns the
    /// number of steps of the organization's own documents. Work in flight is bounded by the callers: each partition has a
    /// fixed number of batches under way.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        organization: OrganizationId,
        work: impl FnOnce(Threads) -> T + Send + 'static,
        cost: impl FnOnce(&T) -> u64 + Send + 'static,
    ) -> Result<T, PoolError> {
        let (answer, answered) = oneshot::channel();
        let job = Job(Box::new(move |threads| {
            let done = work(threads);
            let cost = cost(&done);
            // Nobody waits any more when the partition was given up.
            let _ = answer.send(done);
            cost
        }));
        self.turns.lock().unwrap_or_else(PoisonError::into_inner).push(organization, job);
        let turns = Arc::clone(&self.turns);
        self.threads.spawn(move || take_turns(&turns));
        answered.await.map_err(|_| PoolError::Panicked)
    }
}

/// Does one job, and those that waited for it to end.
fn take_turns(turns: &Mutex<Turns<Job>>) {
    let lock = || turns.lock().unwrap_or_else(PoisonError::into_inner);
    let mut next = lock().take();
    while let Some((organization, is_costly, job)) = next {
        let threads = if is_costly { Threads::One } else { Threads::Idle };
        // A caller that waits for the answer notices a panic by its absence.
        let cost = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| (job.0)(threads))).unwrap_or(0);
        next = lock().end(organization, cost >= COSTLY_STEPS);
    }
}

/// Maps items in parallel, keeping their order, until `work` breaks off; returns the results before the first item at which it
/// did, and their number. `work` is given the result of `start` for some items in a row, and may use it again from item to
/// item. Called on a pool's thread.
pub(crate) fn filter_map_in_order<T: Sync, S, R: Send>(
    items: &[T],
    threads: Threads,
    start: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, &T) -> ControlFlow<(), Option<R>> + Sync,
) -> (Vec<R>, usize) {
    let chunk = |items: &[T]| -> (Vec<R>, usize) {
        let (mut kept, mut results) = (start(), Vec::new());
        for (done, item) in items.iter().enumerate() {
            match work(&mut kept, item) {
                ControlFlow::Continue(result) => results.extend(result),
                ControlFlow::Break(()) => return (results, done),
            }
        }
        (results, items.len())
    };
    if items.len() <= CHUNK || threads == Threads::One {
        return chunk(items);
    }
    let parts: Vec<(Vec<R>, usize)> = items.par_chunks(CHUNK).map(chunk).collect();
    let (mut results, mut done) = (Vec::new(), 0);
    for (part, part_done) in parts {
        results.extend(part);
        done += part_done;
        if part_done < CHUNK {
            break;
        }
    }
    (results, done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_before_the_first_break_are_done_whatever_comes_later() {
        let items: Vec<usize> = (0..1_000).collect();
        let until = |last: usize| {
            move |(): &mut (), item: &usize| match *item {
                item if item == last => ControlFlow::Break(()),
                item => ControlFlow::Continue((item % 2 == 0).then_some(item)),
            }
        };
        for threads in [Threads::Idle, Threads::One] {
            for last in [0, 5, 128, 300, 999] {
                let (results, done) = filter_map_in_order(&items, threads, || (), until(last));
                assert_eq!((results.len(), done), (last.div_ceil(2), last), "{threads:?}");
            }
            let (results, done) = filter_map_in_order(&items, threads, || (), until(1_000));
            assert_eq!((results.len(), done), (500, 1_000));
        }
    }

    #[tokio::test]
    async fn work_that_panics_is_told_and_the_next_goes_on() {
        let pool = Pool::start(1).unwrap();
        let organization = OrganizationId::from_bytes([1; 16]);
        let failed = pool.run(organization, |_| panic!("on purpose"), |(): &()| 0).await;
        assert!(matches!(failed, Err(PoolError::Panicked)));
        assert_eq!(pool.run(organization, |_| 7, |_| 0).await.unwrap(), 7);
    }
}
