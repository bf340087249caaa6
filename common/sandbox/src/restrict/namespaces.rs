//! Namespaces of the worker's own.

use nix::errno::Errno;
use nix::sched::{CloneFlags, unshare};

/// Names of the namespaces, as systemd calls them (`RestrictNamespaces=`).
pub const NAMESPACES: [&str; 5] = ["user", "mnt", "pid", "net", "ipc"];

/// Enters new namespaces, all or none. The process namespace applies to the next child. No user is mapped, so that
/// the worker loses the capabilities that a new user namespace gives when it is executed.
pub(crate) fn enter_namespaces() -> Result<(), Errno> {
    let user = CloneFlags::CLONE_NEWUSER;
    let others = CloneFlags::CLONE_NEWNS | CloneFlags::CLONE_NEWPID | CloneFlags::CLONE_NEWNET;
    unshare(user | others | CloneFlags::CLONE_NEWIPC)
}
