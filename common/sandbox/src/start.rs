//! Starts a supervisor.

use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::Stdio;

use tokio::io::AsyncReadExt;
use tokio::net::UnixStream;
use tokio::process::{Child, ChildStderr, Command};

use crate::enter::{Order, SUPERVISOR};
use crate::error::Stderr;
use crate::supervise::{PROCESS_NAME, THIS_PROGRAM};
use crate::task::SandboxTask;

/// Kept bytes of a child's messages. A panic message and the lines of the allocator fit.
const STDERR_BYTES: usize = 4096;

/// A running sandbox.
pub(crate) struct Started {
    pub(crate) supervisor: Child,
    pub(crate) connection: UnixStream,
    pub(crate) stderr: ChildStderr,
}

/// Executes this program as a supervisor, in a process group of its own so that signals from a terminal do not reach
/// it, with an empty environment.
pub(crate) fn start(task: &SandboxTask) -> io::Result<Started> {
    let (ours, theirs) = std::os::unix::net::UnixStream::pair()?;
    ours.set_nonblocking(true)?;
    let mut supervisor = Command::new(THIS_PROGRAM)
        .arg0(PROCESS_NAME)
        .arg(SUPERVISOR)
        .args(Order::new(task).arguments())
        .env_clear()
        .current_dir(Path::new("/"))
        .process_group(0)
        .stdin(Stdio::from(OwnedFd::from(theirs)))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()?;
    let stderr = supervisor.stderr.take().ok_or(io::ErrorKind::BrokenPipe)?;
    Ok(Started { supervisor, connection: UnixStream::from_std(ours)?, stderr })
}

/// Reads messages until both processes have ended. Those beyond the bound are dropped, so that the child never waits for room.
pub(crate) async fn messages(mut stderr: ChildStderr) -> Stderr {
    let mut kept = Vec::with_capacity(STDERR_BYTES);
    let mut piece = [0; STDERR_BYTES];
    while let Ok(length @ 1..) = stderr.read(&mut piece).await {
        let room = STDERR_BYTES - kept.len();
        kept.extend(piece.iter().take(length.min(room)));
    }
    Stderr::new(kept)
}
