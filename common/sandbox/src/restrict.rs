//! The restrictions, in the order in which they are applied.

mod calls;
mod files;
mod limits;
mod namespaces;

pub(crate) use calls::allow_calls;
pub(crate) use files::{close_inherited, deny_files};
pub(crate) use limits::{limit, limit_memory, limit_worker};
pub use namespaces::NAMESPACES;
pub(crate) use namespaces::enter_namespaces;

/// System calls that the processes of a sandbox need before their restrictions are complete, beside those of any
/// program. Service managers and container runtimes with filters of their own must permit them, apart from `unshare`.
pub const SETUP_CALLS: [&str; 8] = [
    "execve",
    "landlock_create_ruleset",
    "landlock_restrict_self",
    "prctl",
    "prlimit64",
    "seccomp",
    "socketpair",
    "unshare",
];

#[cfg(test)]
mod tests;
