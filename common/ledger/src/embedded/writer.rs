//! The only thread that writes: it takes waiting commits, writes them as a group, and answers. There is no
//! timer: the next group gathers during the current sync.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use super::file::{FILE_NAME, OpenError};
use super::group::{self, Answer, Finish, Proposal};
use crate::{Commit, LedgerError, LedgerId, MAX_COMMIT_BYTES, Op, Seq};

/// Commits that may wait; callers beyond them wait before they hand theirs over. At 1 MiB a commit this
/// is 64 MiB at the very most.
const QUEUE: usize = 64;
/// A group takes no more members once its operations are this large, so that no commit waits much
/// longer than one sync.
const GROUP_BYTES: usize = 4 * MAX_COMMIT_BYTES;

/// Handle of the writing thread. Dropping it waits until the thread has answered all commits.
#[derive(Debug)]
pub(super) struct Writer {
    requests: Option<mpsc::Sender<Request>>,
    /// False between a commit of unknown outcome and the proof that none of it can reappear.
    is_settled: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

enum Request {
    Commit(Proposal, oneshot::Sender<Answer>),
    Settle(oneshot::Sender<Result<(), LedgerError>>),
}

impl Writer {
    /// Starts the thread.
    pub(super) fn start(
        connection: Connection,
        feed_commits: u32,
        finish: Finish,
    ) -> Result<Self, OpenError> {
        let (requests, incoming) = mpsc::channel(QUEUE);
        let is_settled = Arc::new(AtomicBool::new(true));
        let thread_side =
            Thread { connection, feed_commits, finish, incoming, is_settled: Arc::clone(&is_settled) };
        let thread = std::thread::Builder::new()
            .name("ledger-writer".to_owned())
            .spawn(move || thread_side.run())
            .map_err(|source| OpenError::Io { path: FILE_NAME.into(), source })?;
        Ok(Self { requests: Some(requests), is_settled, thread: Some(thread) })
    }

    /// Hands a commit over and waits for its answer.
    pub(super) async fn commit(&self, ledger: LedgerId, at: Seq, ops: Vec<Op>) -> Answer {
        let (answer, answered) = oneshot::channel();
        self.send(Request::Commit(Proposal { ledger, at, ops }, answer)).await?;
        // The thread ended during the commit, whose progress is unknown.
        answered.await.unwrap_or(Ok(Commit::Unknown))
    }

    /// Nothing may be read while a crash could still change it.
    pub(super) async fn ensure_settled(&self) -> Result<(), LedgerError> {
        if self.is_settled.load(Ordering::Acquire) {
            return Ok(());
        }
        let (answer, answered) = oneshot::channel();
        self.send(Request::Settle(answer)).await?;
        answered.await.unwrap_or_else(|_| Err(stopped()))
    }

    async fn send(&self, request: Request) -> Result<(), LedgerError> {
        let requests = self.requests.as_ref().ok_or_else(stopped)?;
        requests.send(request).await.map_err(|_| stopped())
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.requests = None;
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the ledger's writing thread had panicked");
        }
    }
}

fn stopped() -> LedgerError {
    LedgerError::Unavailable { cause: "the writing thread has stopped".to_owned() }
}

/// State that the thread owns.
struct Thread {
    connection: Connection,
    feed_commits: u32,
    finish: Finish,
    incoming: mpsc::Receiver<Request>,
    is_settled: Arc<AtomicBool>,
}

impl Thread {
    fn run(mut self) {
        while let Some(request) = self.incoming.blocking_recv() {
            let mut gathered = Gathered::default();
            gathered.take(request);
            while gathered.has_room()
                && let Ok(request) = self.incoming.try_recv()
            {
                gathered.take(request);
            }
            self.serve(gathered);
        }
    }

    fn serve(&mut self, gathered: Gathered) {
        let mut settled = self.settle();
        if let Err(cause) = &settled {
            for answer in gathered.answers {
                let _ = answer.send(Err(LedgerError::Unavailable { cause: cause.clone() }));
            }
        } else if !gathered.proposals.is_empty() {
            let outcome =
                group::write(&self.connection, &gathered.proposals, self.feed_commits, &mut self.finish);
            if !outcome.is_settled {
                self.is_settled.store(false, Ordering::Release);
                // Tried before the answers, so that most callers never see the uncertainty.
                settled = self.settle();
            }
            for (answer, result) in gathered.answers.into_iter().zip(outcome.answers) {
                // A caller that was dropped has given up its answer, not its commit.
                let _ = answer.send(result);
            }
        }
        for waiting in gathered.settlers {
            let answer = settled.clone().map_err(|cause| LedgerError::Unavailable { cause });
            let _ = waiting.send(answer);
        }
    }

    /// Removes the uncertainty that an earlier group left, if any; returns the reason when that fails.
    fn settle(&self) -> Result<(), String> {
        if self.is_settled.load(Ordering::Acquire) {
            return Ok(());
        }
        group::settle(&self.connection).map_err(|error| {
            format!("an earlier commit is in doubt, and the file cannot be written: {error}")
        })?;
        self.is_settled.store(true, Ordering::Release);
        Ok(())
    }
}

/// Commits that waited when the thread was free.
#[derive(Default)]
struct Gathered {
    proposals: Vec<Proposal>,
    answers: Vec<oneshot::Sender<Answer>>,
    settlers: Vec<oneshot::Sender<Result<(), LedgerError>>>,
    bytes: usize,
}

impl Gathered {
    fn take(&mut self, request: Request) {
        match request {
            Request::Commit(proposal, answer) => {
                self.bytes = self.bytes.saturating_add(proposal.ops.iter().map(size).sum());
                self.proposals.push(proposal);
                self.answers.push(answer);
            }
            Request::Settle(answer) => self.settlers.push(answer),
        }
    }

    fn has_room(&self) -> bool {
        self.proposals.len() + self.settlers.len() < QUEUE && self.bytes < GROUP_BYTES
    }
}

fn size(op: &Op) -> usize {
    match op {
        Op::Put { key, body, .. } => key.len() + body.len(),
        Op::Delete { key, .. } => key.len(),
    }
}
