//! Location of the senders that `senders/install` installed.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::skip::{Lacking, skip};

/// Longest build of an example from scratch, seconds.
const BUILD_SECONDS: &str = "300";

/// The directory, or `None` and a message about the skipped test.
pub(crate) fn find(test: &str) -> Option<PathBuf> {
    let given = std::env::var_os("PALISADE_TEST_SENDERS").filter(|path| !path.is_empty());
    if given.is_none() {
        skip(test, Lacking::Senders, "PALISADE_TEST_SENDERS is not set: server/tests/senders/install");
    }
    given.map(PathBuf::from)
}

/// A command that builds an example.
pub(crate) fn builder(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new("timeout");
    command.arg(BUILD_SECONDS).arg(program).stdin(Stdio::null());
    command
}
