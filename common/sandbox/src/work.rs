//! The worker: restricts itself, reads its assignment, runs the task, replies.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::panic::{self, AssertUnwindSafe};

use crate::ending::REFUSED;
use crate::enter::{Order, PROBE};
use crate::error::Missing;
use crate::message::{
    Greeting, Isolation, LENGTH_BYTES, OVERHEAD_BYTES, Outcome, body_length, decode_assignment, frame,
    numbered_reason,
};
use crate::restrict;
use crate::supervise::{execution_failed, worker};
use crate::task::{SandboxTask, Steps};

/// Exit code of a worker that cannot read its assignment or send its outcome: the parent no longer waits for it.
const DISCONNECTED: u8 = 1;

/// The whole life of a worker. `arguments` are those of the order and the reason why it has no namespaces.
pub(crate) fn run(order: &Order, arguments: &[String], tasks: &[SandboxTask]) -> u8 {
    match work(order, arguments, tasks) {
        Ok(code) => code,
        Err(_) => DISCONNECTED,
    }
}

fn work(order: &Order, arguments: &[String], tasks: &[SandboxTask]) -> io::Result<u8> {
    restrict::close_inherited();
    // A file, because reads and writes of a socket would be system calls for sockets.
    let mut connection = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let isolation = match isolate(order, arguments) {
        Ok(isolation) => isolation,
        Err(missing) => {
            connection.write_all(&frame(&Greeting::Missing(missing).encode()))?;
            return Ok(REFUSED);
        }
    };
    connection.write_all(&frame(&Greeting::Ready(isolation).encode()))?;
    let task = tasks.iter().chain([&PROBE]).find(|task| task.name == order.task);
    let task = task.ok_or(io::ErrorKind::NotFound)?;
    let body = read_assignment(&mut connection, task.limits.assignment_bytes)?;
    let (steps, input) = decode_assignment(&body).ok_or(io::ErrorKind::InvalidData)?;
    connection.write_all(&frame(&perform(task, steps, input).encode()))?;
    Ok(0)
}

fn isolate(order: &Order, arguments: &[String]) -> Result<Isolation, Missing> {
    if restrict::limit_memory(order)? {
        // Returns only if it fails.
        return Err(execution_failed(&worker(arguments).exec()));
    }
    let landlock = restrict::deny_files()?;
    restrict::limit_worker()?;
    restrict::allow_calls()?;
    let refused = arguments.get(Order::ARGUMENTS).and_then(|reason| reason.parse().ok()).unwrap_or(0);
    Ok(Isolation { namespaces_refused: numbered_reason(refused), landlock })
}

fn read_assignment(connection: &mut File, limit: u32) -> io::Result<Vec<u8>> {
    let mut head = [0; LENGTH_BYTES];
    connection.read_exact(&mut head)?;
    let length =
        body_length(head, limit.saturating_add(OVERHEAD_BYTES)).map_err(|_| io::ErrorKind::InvalidData)?;
    let mut body = vec![0; length];
    connection.read_exact(&mut body)?;
    Ok(body)
}

/// A panic ends the run, as everything else ends it; told apart, because a signal may be an attack that succeeded.
fn perform(task: &SandboxTask, steps: u64, input: &[u8]) -> Outcome {
    let mut steps = Steps::new(steps);
    match panic::catch_unwind(AssertUnwindSafe(|| (task.run)(input, &mut steps))) {
        Ok(Ok(reply)) => Outcome::Reply(reply),
        Ok(Err(_)) => Outcome::OutOfSteps,
        Err(_) => Outcome::Panicked,
    }
}
