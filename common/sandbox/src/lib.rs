//! Runs one task on hostile input in a restricted child process.
//!
//! The program executes itself again. [`enter_if_asked`], the first call of its `main`, recognises such a child and
//! never returns in it; [`Sandbox::run`] starts one and exchanges one assignment and one reply with it. Files in the
//! order in which they act:
//!
//! | process | file | |
//! |---|---|---|
//! | parent | `run.rs` | bounds the number of children, sends the assignment, judges the reply and the exit |
//! | | `start.rs` | starts the supervisor: empty environment, one socket, one pipe for messages |
//! | child | `enter.rs` | reads the command line |
//! | supervisor | `supervise.rs` | limits, namespaces; executes the worker as process 1 of them; kills it when the parent hangs up |
//! | worker | `restrict.rs` | no files (Landlock), system calls of an allow list (seccomp) |
//! | | `work.rs` | reads the assignment, runs the task, replies |
//!
//! `message.rs` and `ending.rs` hold the protocol: bytes and exit codes, without any process.
//!
//! # Guarantees
//!
//! The worker reads its assignment only after every mandatory restriction is in force. If one cannot be applied, the
//! task does not run, and [`SandboxError::Missing`] names it. Mandatory are no_new_privs, resource limits, Landlock
//! and seccomp. Namespaces are a further layer where the system permits them: default containers and some
//! distributions refuse them to unprivileged processes, and every right that they would withhold is withheld by
//! seccomp already. [`Isolation`] reports whether they are in use.

mod ending;
mod enter;
mod error;
mod message;
mod restrict;
mod run;
mod start;
mod supervise;
mod task;
mod work;

pub use enter::enter_if_asked;
pub use error::{Feature, Missing, Resource, SandboxError, Stderr};
pub use message::{Isolation, MalformedReply};
pub use restrict::{NAMESPACES, SETUP_CALLS};
pub use run::{Bounds, Sandbox};
pub use task::{Limits, OutOfSteps, SandboxTask, Steps};
