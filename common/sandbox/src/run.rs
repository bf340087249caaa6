//! The parent's side of a run.

use std::future::Future;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::process::Child;
use tokio::sync::Semaphore;

use crate::ending::Ending;
use crate::enter::PROBE;
use crate::error::{Resource, SandboxError, Stderr};
use crate::message::{
    GREETING_BYTES, Greeting, Isolation, LENGTH_BYTES, MalformedReply, Outcome, body_length,
    encode_assignment, frame,
};
use crate::start::{Started, messages, start};
use crate::task::SandboxTask;

/// Time that a supervisor has to kill its worker and exit after the parent hung up, before both are killed.
const HANG_UP_PATIENCE: Duration = Duration::from_secs(5);
/// First words of the line that Rust's runtime prints when an allocation fails, before it aborts.
const ALLOCATION_FAILED: &[u8] = b"memory allocation of ";

/// Number of runs of a [`Sandbox`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Runs at the same time. Each is two processes, and memory up to the limit of its task.
    pub running: usize,
    /// Runs that wait for their turn. Each holds its assignment in memory.
    pub waiting: usize,
}

/// Runs tasks in sandboxed children of this process.
#[derive(Debug)]
pub struct Sandbox {
    places: Semaphore,
    turns: Semaphore,
}

impl Sandbox {
    /// A sandbox with these bounds.
    #[must_use]
    pub fn new(bounds: Bounds) -> Self {
        let places = bounds.running.saturating_add(bounds.waiting).min(Semaphore::MAX_PERMITS);
        Self {
            places: Semaphore::new(places),
            turns: Semaphore::new(bounds.running.min(Semaphore::MAX_PERMITS)),
        }
    }

    /// Runs a task once, and returns its reply. When the returned future is dropped the child is killed.
    ///
    /// # Errors
    ///
    /// [`SandboxError`]; the task was never run outside of the sandbox.
    pub async fn run(&self, task: &SandboxTask, assignment: &[u8]) -> Result<Vec<u8>, SandboxError> {
        self.run_until(task, assignment, tokio::time::sleep(task.limits.wall)).await
    }

    /// [`Sandbox::run`] with a deadline of the caller's instead of the wall-clock limit. It begins to count when the
    /// child is started.
    ///
    /// # Errors
    ///
    /// As [`Sandbox::run`].
    pub async fn run_until(
        &self,
        task: &SandboxTask,
        assignment: &[u8],
        deadline: impl Future<Output = ()>,
    ) -> Result<Vec<u8>, SandboxError> {
        let limit = task.limits.assignment_bytes;
        if u32::try_from(assignment.len()).map_or(true, |bytes| bytes > limit) {
            return Err(SandboxError::AssignmentTooLong { bytes: assignment.len(), limit });
        }
        let _place = self.places.try_acquire().map_err(|_| SandboxError::Busy)?;
        // Never closed.
        let _turn = self.turns.acquire().await.map_err(|_| SandboxError::Busy)?;
        Ok(once(task, assignment, deadline).await?.1)
    }

    /// Starts a sandbox that does nothing, and returns the layers around it.
    ///
    /// # Errors
    ///
    /// Why it cannot be started.
    pub async fn probe(&self) -> Result<Isolation, SandboxError> {
        Ok(once(&PROBE, &[], tokio::time::sleep(PROBE.limits.wall)).await?.0)
    }
}

/// State of a conversation that has ended early: the exit of the child says why.
enum Cut {
    Ended,
    Malformed(MalformedReply),
    Missing(crate::Missing),
}

async fn once(
    task: &SandboxTask,
    assignment: &[u8],
    deadline: impl Future<Output = ()>,
) -> Result<(Isolation, Vec<u8>), SandboxError> {
    let Started { mut supervisor, connection, stderr } = start(task).map_err(SandboxError::Start)?;
    let talk = async {
        // Messages are read at the same time, so that a child that writes many never waits.
        let (said, stderr) = tokio::join!(converse(connection, task, assignment), messages(stderr));
        (said, stderr, supervisor.wait().await)
    };
    let talked = tokio::select! {
        talked = talk => Some(talked),
        () = deadline => None,
    };
    let Some((said, stderr, status)) = talked else {
        stop(supervisor).await;
        return Err(SandboxError::OverBudget(Resource::WallClock));
    };
    let ending = ending(status.map_err(SandboxError::Start)?);
    match said {
        Ok((isolation, Outcome::Reply(reply))) => Ok((isolation, reply)),
        Ok((_, Outcome::OutOfSteps)) => Err(SandboxError::OverBudget(Resource::Steps)),
        Ok((_, Outcome::Panicked)) => Err(SandboxError::Crashed { cause: "panic".to_owned(), stderr }),
        Err(Cut::Missing(missing)) => Err(SandboxError::Missing(missing)),
        Err(Cut::Malformed(malformed)) => Err(malformed.into()),
        Err(Cut::Ended) => Err(judge(ending, stderr)),
    }
}

/// Greeting, assignment, outcome, end. Closes the connection, at which the supervisor kills a worker that sent
/// something else and still runs.
async fn converse(
    mut connection: UnixStream,
    task: &SandboxTask,
    assignment: &[u8],
) -> Result<(Isolation, Outcome), Cut> {
    let greeting = read_body(&mut connection, GREETING_BYTES).await?;
    let isolation = match Greeting::decode(&greeting).map_err(Cut::Malformed)? {
        Greeting::Ready(isolation) => isolation,
        Greeting::Missing(missing) => return Err(Cut::Missing(missing)),
    };
    let body = frame(&encode_assignment(task.limits.steps, assignment));
    connection.write_all(&body).await.map_err(|_| Cut::Ended)?;
    let outcome = read_body(&mut connection, task.limits.reply_bytes.saturating_add(1)).await?;
    let outcome = Outcome::decode(outcome).map_err(Cut::Malformed)?;
    match connection.read(&mut [0]).await {
        Ok(1..) => Err(Cut::Malformed(MalformedReply::Trailing)),
        _ => Ok((isolation, outcome)),
    }
}

async fn read_body(connection: &mut UnixStream, limit: u32) -> Result<Vec<u8>, Cut> {
    let mut head = [0; LENGTH_BYTES];
    connection.read_exact(&mut head).await.map_err(|_| Cut::Ended)?;
    let length = body_length(head, limit).map_err(Cut::Malformed)?;
    let mut body = Vec::new();
    // Grows as bytes arrive: a length alone reserves nothing.
    connection.take(length as u64).read_to_end(&mut body).await.map_err(|_| Cut::Ended)?;
    if body.len() == length { Ok(body) } else { Err(Cut::Ended) }
}

fn ending(status: ExitStatus) -> Ending {
    Ending::of_supervisor(status.code(), status.signal())
}

/// Why a child ended before its outcome.
fn judge(ending: Ending, stderr: Stderr) -> SandboxError {
    let is_out_of_memory =
        stderr.as_bytes().windows(ALLOCATION_FAILED.len()).any(|part| part == ALLOCATION_FAILED);
    match ending {
        Ending::OutOfCpu => SandboxError::OverBudget(Resource::Cpu),
        Ending::Signal(_) if is_out_of_memory => SandboxError::OverBudget(Resource::Memory),
        Ending::Killed => SandboxError::Killed { stderr },
        Ending::Signal(signal) => {
            let name = Signal::try_from(signal).map_or("signal", Signal::as_str);
            SandboxError::Crashed { cause: name.to_owned(), stderr }
        }
        Ending::Finished | Ending::Refused | Ending::Other => {
            SandboxError::Crashed { cause: "exit without an outcome".to_owned(), stderr }
        }
    }
}

/// Waits until both processes have ended: the connection is closed, at which the supervisor kills and collects the
/// worker. One that does not is killed together with its worker.
async fn stop(mut supervisor: Child) {
    if tokio::time::timeout(HANG_UP_PATIENCE, supervisor.wait()).await.is_ok() {
        return;
    }
    let Some(group) = supervisor.id().and_then(|id| i32::try_from(id).ok()) else { return };
    // Not collected yet, so that the number is still its own.
    let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
    let _ = supervisor.wait().await;
}
