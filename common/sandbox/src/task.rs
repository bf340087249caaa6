//! A task and its limits.

use std::time::Duration;

use thiserror::Error;

/// One kind of work that runs in the sandbox. Crates export theirs, `main` merges them.
#[derive(Clone, Copy, Debug)]
pub struct SandboxTask {
    /// Unique name; part of the child's command line.
    pub name: &'static str,
    /// Limits of each run.
    pub limits: Limits,
    /// The work: assignment to reply. Failures that the task expects are part of its reply. It has no file, no
    /// network, no thread and no environment; a panic in it is [`SandboxError::Crashed`](crate::SandboxError).
    pub run: fn(&[u8], &mut Steps) -> Result<Vec<u8>, OutOfSteps>,
}

/// Limits of one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Address space of the worker, in bytes. It includes the program itself, about 100 MiB, and above 1 GiB as much
    /// that the allocator reserves.
    pub memory_bytes: u64,
    /// Processor time, in seconds.
    pub cpu_seconds: u64,
    /// Steps, counted by the task ([`Steps::spend`]).
    pub steps: u64,
    /// Time from start to exit. A backstop above `cpu_seconds`, for a machine that is busy.
    pub wall: Duration,
    /// Size of the assignment, in bytes.
    pub assignment_bytes: u32,
    /// Size of the reply, in bytes.
    pub reply_bytes: u32,
}

impl Default for Limits {
    /// 1 GiB of address space, 10 s of processor time, 60 s in all, 32 MiB in and 32 MiB out, steps without limit.
    fn default() -> Self {
        Self {
            memory_bytes: 1 << 30,
            cpu_seconds: 10,
            steps: u64::MAX,
            wall: Duration::from_secs(60),
            assignment_bytes: 32 << 20,
            reply_bytes: 32 << 20,
        }
    }
}

/// The budget of a run in steps. Unlike time it ends at the same place on every machine.
#[derive(Debug)]
pub struct Steps {
    left: u64,
}

impl Steps {
    /// A budget of `limit` steps.
    #[must_use]
    pub const fn new(limit: u64) -> Self {
        Self { left: limit }
    }

    /// Spends `count` steps.
    ///
    /// # Errors
    ///
    /// [`OutOfSteps`] if fewer are left; then none is.
    pub const fn spend(&mut self, count: u64) -> Result<(), OutOfSteps> {
        match self.left.checked_sub(count) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => {
                self.left = 0;
                Err(OutOfSteps)
            }
        }
    }
}

/// The budget of steps is exhausted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the budget of steps is exhausted")]
pub struct OutOfSteps;
