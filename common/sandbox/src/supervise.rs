//! The supervisor: sets limits, enters namespaces, executes the worker as their first process, and kills it when the
//! parent hangs up. It reads nothing from the parent and nothing from the worker, so that hostile bytes never reach it.
//! A process between the two is needed because only a child of the one that creates a process namespace is in it; as
//! it stays, no worker outlives its parent or remains a zombie of some other process.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::resource::{UsageWho, getrusage};

use crate::ending::{Ending, REFUSED};
use crate::enter::{Order, WORKER};
use crate::error::{Feature, Missing};
use crate::message::{Greeting, frame, reason_number};
use crate::restrict;

/// The file that this process executes, also after it was replaced or removed.
pub(crate) const THIS_PROGRAM: &str = "/proc/self/exe";
/// Name of every child in lists of processes.
pub(crate) const PROCESS_NAME: &str = "palisade";

/// The whole life of a supervisor.
pub(crate) fn run(order: &Order) -> u8 {
    match supervise(order) {
        Ok(ending) => ending.code(),
        Err(missing) => {
            // If the parent cannot be told, it reads the exit code.
            let _ = nix::unistd::write(io::stdin().as_fd(), &frame(&Greeting::Missing(missing).encode()));
            REFUSED
        }
    }
}

fn supervise(order: &Order) -> Result<Ending, Missing> {
    restrict::close_inherited();
    restrict::limit(order)?;
    let namespaces = restrict::enter_namespaces();
    let (mut worker, alive) = execute(order, namespaces.err()).map_err(|error| execution_failed(&error))?;
    if !ends_before_parent(&alive) {
        // It may have exited in this moment: then there is nothing to kill.
        let _ = worker.kill();
    }
    let status = worker.wait().unwrap_or_else(|_| ExitStatus::from_raw(1));
    Ok(Ending::of_worker(status.code(), status.signal(), cpu_seconds(), order.cpu_seconds))
}

/// Starts the worker, and returns a socket whose other end is open as long as the worker runs.
fn execute(order: &Order, refused: Option<Errno>) -> io::Result<(Child, UnixStream)> {
    let (alive, held) = UnixStream::pair()?;
    let reason = reason_number(refused).to_string();
    let worker =
        worker(order.arguments().iter().chain([&reason])).stdout(Stdio::from(OwnedFd::from(held))).spawn()?;
    Ok((worker, alive))
}

/// This program as a worker, with the descriptors of this process.
pub(crate) fn worker<'a>(arguments: impl IntoIterator<Item = &'a String>) -> Command {
    let mut command = Command::new(THIS_PROGRAM);
    command.arg0(PROCESS_NAME).arg(WORKER).args(arguments).env_clear();
    command
}

/// The restriction that is missing when this program cannot be executed again.
pub(crate) fn execution_failed(error: &io::Error) -> Missing {
    Missing {
        feature: Feature::Execution,
        reason: error.raw_os_error().map_or(Errno::UnknownErrno, Errno::from_raw),
    }
}

/// Waits until the worker closes its end of the socket, which it cannot do later than its exit, or the parent closes
/// the connection. Whether it was the worker.
fn ends_before_parent(alive: &UnixStream) -> bool {
    let connection = io::stdin();
    loop {
        // Without requested events, only the end of a connection is reported.
        let mut sockets = [
            PollFd::new(alive.as_fd(), PollFlags::empty()),
            PollFd::new(connection.as_fd(), PollFlags::empty()),
        ];
        match poll(&mut sockets, PollTimeout::NONE) {
            Ok(_) => return sockets[0].any().unwrap_or(true),
            Err(Errno::EINTR) => {}
            Err(_) => return false,
        }
    }
}

/// Processor time of the worker, in full seconds.
fn cpu_seconds() -> u64 {
    let used = getrusage(UsageWho::RUSAGE_CHILDREN);
    let micros = used.map_or(0, |used| {
        let (user, system) = (used.user_time(), used.system_time());
        (user.tv_sec() + system.tv_sec()) * 1_000_000 + user.tv_usec() + system.tv_usec()
    });
    u64::try_from(micros / 1_000_000).unwrap_or(0)
}
