//! Failures of a run.

use std::fmt;
use std::io;

use nix::errno::Errno;
use thiserror::Error;

use crate::message::MalformedReply;

/// Failure of a run. None of them contains a reply.
#[derive(Debug, Error)]
pub enum SandboxError {
    /// Too many runs are waiting already.
    #[error("too many sandboxed tasks are waiting")]
    Busy,
    /// The assignment is larger than the task permits; nothing was started.
    #[error("the assignment of {bytes} bytes is larger than {limit} bytes")]
    AssignmentTooLong {
        /// Its size.
        bytes: usize,
        /// The limit.
        limit: u32,
    },
    /// The child could not be started or connected.
    #[error("the sandbox cannot be started")]
    Start(#[source] io::Error),
    /// A mandatory restriction cannot be applied on this system. The task did not run.
    #[error("the sandbox cannot be started: {0}")]
    Missing(Missing),
    /// The worker ended before its reply: a panic, or a signal of its own making.
    #[error("the sandboxed task crashed ({cause})")]
    Crashed {
        /// Panic, or name of the signal, or exit code.
        cause: String,
        /// Its messages.
        stderr: Stderr,
    },
    /// The worker was killed by somebody else, for example by the kernel when the machine is out of memory.
    #[error("the sandboxed task was killed from outside")]
    Killed {
        /// Its messages.
        stderr: Stderr,
    },
    /// The task needed more than it may.
    #[error("the sandboxed task exceeded its limit of {0}")]
    OverBudget(Resource),
    /// The child replied, but not in the protocol.
    #[error("the sandboxed task sent a malformed reply: {0}")]
    Malformed(#[from] MalformedReply),
}

impl SandboxError {
    /// Whether the input has no part in the failure: another attempt, or another system, may succeed.
    #[must_use]
    pub const fn is_unavailable(&self) -> bool {
        matches!(self, Self::Busy | Self::Start(_) | Self::Missing(_) | Self::Killed { .. })
    }
}

/// A restriction that cannot be applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Missing {
    /// What is missing.
    pub feature: Feature,
    /// Reason given by the kernel.
    pub reason: Errno,
}

impl fmt::Display for Missing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} is not available ({})", self.feature, self.reason)
    }
}

/// Mandatory features of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// `PR_SET_NO_NEW_PRIVS`, Linux 3.5.
    NoNewPrivileges,
    /// `setrlimit`.
    ResourceLimits,
    /// Landlock, Linux 5.13, and enabled at boot (`lsm=`).
    Landlock,
    /// Seccomp filters, Linux 3.17, on x86-64 or arm64.
    Seccomp,
    /// Executing the program again: `/proc` is mounted and the file is executable.
    Execution,
}

impl fmt::Display for Feature {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::NoNewPrivileges => "the kernel feature no_new_privs",
            Self::ResourceLimits => "the kernel feature setrlimit",
            Self::Landlock => "the kernel feature Landlock",
            Self::Seccomp => "the kernel feature seccomp",
            Self::Execution => "executing the program again from /proc/self/exe",
        })
    }
}

/// Limited resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resource {
    /// [`Limits::memory_bytes`](crate::Limits).
    Memory,
    /// [`Limits::cpu_seconds`](crate::Limits).
    Cpu,
    /// [`Limits::steps`](crate::Limits).
    Steps,
    /// [`Limits::wall`](crate::Limits).
    WallClock,
}

impl fmt::Display for Resource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Memory => "memory",
            Self::Cpu => "processor time",
            Self::Steps => "steps",
            Self::WallClock => "time",
        })
    }
}

/// The first bytes that a child wrote to standard error. A panic message may quote the input, so that neither `Debug`
/// nor `Display` of an error shows it.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Stderr(Vec<u8>);

impl Stderr {
    pub(crate) const fn new(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// The bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Stderr {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} bytes", self.0.len())
    }
}
